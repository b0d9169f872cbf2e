//! Sessions of learners in a real hub, message by message.

use std::sync::Arc;

use serde_json::{Value, json};
use situated::encoding::Encode;
use situated::environment::{EntityId, Environment, Episode};
use situated::interface::{Command, EncodedView, Interface};
use situated::ontology::typed::InitParameters;
use situated_find_goals::{FindGoals, Parameters};
use situated_hub::{Hub, HubSettings, Kinds, LocalSession, Owner, RemoveEnvironment, Rights, Tempo};
use situated_openenv::{Learner, NotOffered, OpenEnvGateway, Reply};
use situated_registry::{Registered, shipped};
use tokio::runtime::Handle;

/// A hub with one environment of each kind that ships, and room for some more.
fn hub(room: usize) -> Arc<Hub> {
    let registry = shipped();
    let with = |kinds: Kinds, one: &Registered| {
        let make = one.interface.clone();
        kinds.with(one.ontology.clone(), move || make()).with_agents(one.agents.clone())
    };
    let kinds = registry.environments().fold(Kinds::new(), with);
    let environments = registry.environments().count() + room;
    let hub = Hub::new(HubSettings { environments, ..HubSettings::default() }, kinds, Handle::current());
    for one in registry.environments() {
        let owner = Owner::new((one.interface)(), Tempo::of(&one.ontology));
        let init = Command::Init { parameters: [].into(), seed: 1 };
        hub.add(&one.ontology.name, owner, vec![init]).expect("it begins");
    }
    hub
}

/// The gateway of a hub with one environment of each kind that ships, and room for some more.
fn gateway(room: usize) -> OpenEnvGateway {
    OpenEnvGateway::new(hub(room))
}

async fn learner(gateway: &OpenEnvGateway, environment: &str) -> Learner {
    gateway.learner(environment, Rights::ALL).await.expect("it is offered")
}

/// Sends a message, and returns the response.
async fn ask(learner: &mut Learner, message: Value) -> Value {
    match learner.answer(&message.to_string()).await {
        Reply::Send(text) => serde_json::from_str(&text).expect("JSON"),
        Reply::Close => panic!("{message} closes the session"),
    }
}

async fn send(learner: &mut Learner, kind: &str, data: Value) -> Value {
    let mut response = ask(learner, json!({ "type": kind, "data": data })).await;
    assert_eq!(response["type"], "observation", "{kind} {data}: {response}");
    response["data"].take()
}

async fn reset(learner: &mut Learner, options: Value) -> Value {
    send(learner, "reset", options).await
}

async fn act(learner: &mut Learner, action: Value) -> Value {
    send(learner, "step", json!({ "action": action })).await
}

async fn refusal(learner: &mut Learner, kind: &str, data: Value) -> (String, String) {
    let response = ask(learner, json!({ "type": kind, "data": data })).await;
    assert_eq!(response["type"], "error", "{kind} {data}: {response}");
    let text = |name: &str| response["data"][name].as_str().expect("text").to_owned();
    (text("code"), text("message"))
}

#[tokio::test]
async fn a_learner_goes_on_in_a_new_world_after_its_world_is_lost() {
    let hub = hub(1);
    let known: Vec<_> = hub.statuses().into_iter().map(|one| one.environment).collect();
    let mut learner = learner(&OpenEnvGateway::new(hub.clone()), "wumpus").await;
    reset(&mut learner, json!({ "seed": 1 })).await;
    let world = hub.statuses().into_iter().map(|one| one.environment).find(|name| !known.contains(name));
    let environment = world.expect("it has a world of its own");
    let manager = LocalSession::open(&hub, Rights::ALL).expect("the hub is open");
    manager.ask(RemoveEnvironment { environment }).await.expect("it is there");
    assert_eq!(refusal(&mut learner, "step", json!({ "action": "forward" })).await.0, "EXECUTION_ERROR");
    let begun = reset(&mut learner, json!({ "seed": 1 })).await;
    assert_eq!(begun["observation"]["step"], 0);
}

async fn state(learner: &mut Learner) -> Value {
    let mut response = ask(learner, json!({ "type": "state" })).await;
    assert_eq!(response["type"], "state");
    response["data"].take()
}

/// Chooses among the possible actions of an observation, in a way that depends on the step.
fn choose(observed: &Value, step: usize) -> usize {
    let mask = observed["observation"]["mask"].as_array().expect("a mask");
    let possible: Vec<usize> = (0..mask.len()).filter(|place| mask[*place] == true).collect();
    possible[(7 * step + 3) % possible.len()]
}

/// Plays an episode, and returns everything that the learner saw.
async fn play(learner: &mut Learner, options: &Value, steps: usize) -> Vec<Value> {
    let mut seen = vec![reset(learner, options.clone()).await];
    while seen.len() <= steps && seen.last().is_some_and(|last| last["done"] == false) {
        let step = seen.len();
        let action = choose(&seen[step - 1], step);
        seen.push(act(learner, json!(action)).await);
    }
    seen
}

#[tokio::test]
async fn every_shipped_environment_gives_the_same_episode_for_the_same_seed() {
    let gateway = gateway(2);
    for environment in shipped().environments().map(|one| one.ontology.name.clone()) {
        let (mut first, mut second) = (learner(&gateway, &environment).await, learner(&gateway, &environment).await);
        let options = json!({ "seed": 11, "max_steps": 30 });
        let episode = play(&mut first, &options, 30).await;
        assert!(episode.len() > 1, "{environment}");
        assert!(episode[0]["reward"].is_null() && episode[1]["reward"].is_number(), "{environment}");
        // After another episode, and in another session.
        play(&mut first, &json!({ "seed": 12, "max_steps": 5 }), 5).await;
        assert_eq!(play(&mut first, &options, 30).await, episode, "{environment}");
        assert_eq!(play(&mut second, &options, 30).await, episode, "{environment}");
    }
}

#[tokio::test]
async fn other_seeds_give_other_episodes() {
    let mut learner = learner(&gateway(1), "wumpus").await;
    let mut caves = Vec::new();
    for seed in 0..8 {
        reset(&mut learner, json!({ "seed": seed })).await;
        assert_eq!(state(&mut learner).await["world"]["seed"], seed);
        caves.push(play(&mut learner, &json!({ "seed": seed, "max_steps": 10 }), 10).await);
    }
    caves.dedup();
    assert!(caves.len() > 1, "eight caves are all the same");
    reset(&mut learner, json!({})).await;
    let chosen = state(&mut learner).await["world"]["seed"].as_u64().expect("a seed");
    reset(&mut learner, json!({})).await;
    assert_ne!(state(&mut learner).await["world"]["seed"], chosen, "without a seed, each episode has its own");
}

#[tokio::test]
async fn steps_give_what_the_rules_of_the_environment_give() {
    let mut learner = learner(&gateway(1), "find-goals").await;
    let (names, plan) = (["red", "blue"], [[0, 4], [3, 4], [3, 0], [3, 2], [3, 4], [3, 4], [2, 3], [1, 1], [4, 4]]);
    let parameters = Parameters::read(&[].into(), &FindGoals::ontology()).expect("defaults");
    let mut episode = Episode::<FindGoals>::init(&parameters, 5).expect("it begins");
    let entities: Vec<EntityId> = episode.context().entities().map(|(id, _)| id).collect();
    let observed = reset(&mut learner, json!({ "seed": 5, "entities": names })).await;
    let mut bare = Interface::<FindGoals>::with_encoding();
    bare.by_name().manage(Command::Init { parameters: [].into(), seed: 5 }).expect("it begins");
    for name in names {
        let numbers = bare.encode(name).expect("it exists").expect("it has an encoding").observation;
        assert_eq!(
            observed["observation"]["entities"][name]["numbers"],
            json!(numbers.iter().map(|n| *n as u8).collect::<Vec<_>>())
        );
    }
    let mut total = 0.0;
    for chosen in plan {
        for (&entity, action) in entities.iter().zip(chosen) {
            let action = episode.environment().decode(entity, action).expect("an action");
            episode.act(entity, &action).expect("it is possible");
        }
        episode.step();
        let actions = json!({ "red": { "action": chosen[0] }, "blue": { "action": chosen[1] } });
        let observed = send(&mut learner, "step", json!({ "actions": actions })).await;
        let (mut numbers, mut rewards) = ([0; 16], [0.0; 2]);
        let buffers = situated::encoding::Buffers {
            observations: &mut numbers,
            masks: &mut [false; 10],
            rewards: &mut rewards,
            terminated: &mut [false; 2],
            truncated: &mut [false; 2],
        };
        episode.environment().encode(&entities, buffers);
        for (name, (numbers, reward)) in names.iter().zip(numbers.chunks(8).zip(rewards)) {
            let seen = &observed["observation"]["entities"][name];
            assert_eq!((&seen["numbers"], seen["reward"].as_f64()), (&json!(numbers), Some(f64::from(reward))));
        }
        assert_eq!(observed["reward"], f64::from(rewards[0] + rewards[1]));
        total += rewards[0];
    }
    assert_ne!(total, 0.0, "the plan costs something");
}

#[tokio::test]
async fn sessions_do_not_see_each_other() {
    let gateway = gateway(2);
    let (mut moving, mut resting) = (learner(&gateway, "find-goals").await, learner(&gateway, "find-goals").await);
    let options = json!({ "seed": 3, "entity": "red", "others": "idle", "parameters": { "view": "global" } });
    let (first, second) = (reset(&mut moving, options.clone()).await, reset(&mut resting, options).await);
    assert_eq!(first, second);
    assert!(first["observation"]["percepts"].as_array().expect("percepts").contains(&json!("at(3,1)")));
    let moved = act(&mut moving, json!("up")).await;
    assert!(moved["observation"]["percepts"].as_array().expect("percepts").contains(&json!("at(3,2)")));
    assert_eq!(moved["reward"], -1.0);
    assert_eq!(state(&mut resting).await["step_count"], 0);
    let rested = act(&mut resting, json!(null)).await;
    assert!(rested["observation"]["percepts"].as_array().expect("percepts").contains(&json!("at(3,1)")));
    assert_eq!((rested["reward"].as_f64(), moved["observation"]["step"].as_u64()), (Some(0.0), Some(1)));
    let worlds =
        [state(&mut moving).await, state(&mut resting).await].map(|state| state["world"]["environment"].clone());
    assert_ne!(worlds[0], worlds[1]);
}

#[tokio::test]
async fn built_in_agents_play_the_others() {
    let mut learner = learner(&gateway(1), "vacuum").await;
    let mut left = Vec::new();
    for others in [json!("idle"), json!("cleaner"), json!(null)] {
        reset(&mut learner, json!({ "seed": 3, "others": others })).await;
        for _ in 0..300 {
            act(&mut learner, json!(null)).await;
        }
        let state = state(&mut learner).await;
        let results = state["world"]["results"].as_array().expect("results").iter();
        let dust = results.clone().find(|result| result["name"] == "dusty squares").expect("it is measured");
        left.push(dust["value"].as_u64().expect("a number"));
    }
    assert!(left[1] < left[0], "the others clean: {left:?}");
    assert_eq!(left[2], left[1], "by default the first built-in agent plays");
}

#[tokio::test]
async fn percepts_come_as_the_learner_wants_them() {
    let mut learner = learner(&gateway(1), "find-goals").await;
    let options = |percepts: &str| {
        let parameters = json!({ "view": "global" });
        json!({ "seed": 3, "entity": "red", "others": "idle", "parameters": parameters, "percepts": percepts })
    };
    for _ in 0..2 {
        let first = reset(&mut learner, options("changes")).await["observation"].take();
        assert!(first["percepts"].as_array().expect("all of them").contains(&json!("at(3,1)")), "{first}");
    }
    let moved = act(&mut learner, json!("up")).await["observation"].take();
    assert!(moved["new"].as_array().expect("new percepts").contains(&json!("at(3,2)")), "{moved}");
    assert!(moved["gone"].as_array().expect("old percepts").contains(&json!("at(3,1)")), "{moved}");
    assert!(moved["percepts"].is_null());
    let first = reset(&mut learner, options("none")).await["observation"].take();
    assert!(first["numbers"].is_array() && first["percepts"].is_null() && first["instructions"].is_null(), "{first}");
    let moved = act(&mut learner, json!("up")).await["observation"].take();
    assert!(moved["percepts"].is_null() && moved["events"].is_null(), "{moved}");
    assert_eq!(refusal(&mut learner, "reset", options("some")).await.0, "VALIDATION_ERROR");
}

#[tokio::test]
async fn worlds_end_with_their_session_and_are_bounded() {
    let hub = hub(1);
    let (here, gateway) = (hub.statuses().len(), OpenEnvGateway::new(hub.clone()));
    let (mut first, mut second) = (learner(&gateway, "tower").await, learner(&gateway, "tower").await);
    reset(&mut first, json!({})).await;
    assert_eq!(hub.statuses().len(), here + 1);
    let (code, message) = refusal(&mut second, "reset", json!({})).await;
    assert_eq!(code, "CAPACITY_REACHED", "{message}");
    drop(first);
    assert_eq!(hub.statuses().len(), here);
    reset(&mut second, json!({})).await;
    // Another setting replaces the world.
    reset(&mut second, json!({ "parameters": { "blocks": 3 } })).await;
    assert_eq!(hub.statuses().len(), here + 1);
    assert_eq!(second.answer(r#"{"type": "close"}"#).await, Reply::Close);
}

#[tokio::test]
async fn says_why_it_refuses_a_message() {
    let mut learner = learner(&gateway(1), "find-goals").await;
    assert_eq!(state(&mut learner).await, json!({ "episode_id": null, "step_count": 0 }));
    let (code, message) = refusal(&mut learner, "step", json!({ "action": "up" })).await;
    assert_eq!((code.as_str(), message.contains("`reset` first")), ("EXECUTION_ERROR", true), "{message}");
    for (kind, data, wanted, reason) in [
        ("dance", json!({}), "UNKNOWN_TYPE", "`dance`"),
        ("mcp", json!({}), "UNKNOWN_TYPE", "/mcp/"),
        ("reset", json!({ "sead": 1 }), "VALIDATION_ERROR", "`sead`"),
        ("reset", json!({ "seed": -1 }), "VALIDATION_ERROR", "-1"),
        ("reset", json!({ "entity": "green" }), "VALIDATION_ERROR", "red, blue"),
        ("reset", json!({ "entity": "red", "entities": ["blue"] }), "VALIDATION_ERROR", "exclude"),
        ("reset", json!({ "entities": ["red", "red"] }), "VALIDATION_ERROR", "once"),
        ("reset", json!({ "others": "nobody" }), "FACTORY_ERROR", "`nobody`"),
        ("reset", json!({ "parameters": { "vieu": "global" } }), "FACTORY_ERROR", "vieu"),
    ] {
        let (code, message) = refusal(&mut learner, kind, data.clone()).await;
        assert_eq!((code.as_str(), message.contains(reason)), (wanted, true), "{kind} {data}: {message}");
    }
    for (text, wanted) in [("{", "INVALID_JSON"), ("[]", "VALIDATION_ERROR"), (r#"{"data": {}}"#, "VALIDATION_ERROR")] {
        let Reply::Send(answer) = learner.answer(text).await else { panic!("{text} closes the session") };
        assert!(answer.contains(wanted), "{text}: {answer}");
    }
    reset(&mut learner, json!({ "seed": 1, "max_steps": 2 })).await;
    for wrong in [json!({ "action": "fly" }), json!({ "action": 99 }), json!({ "actions": {} }), json!({})] {
        assert_eq!(refusal(&mut learner, "step", wrong.clone()).await.0, "VALIDATION_ERROR", "{wrong}");
    }
    assert_eq!(state(&mut learner).await["step_count"], 0, "a refused action makes no step");
    assert_eq!(act(&mut learner, json!("wait")).await["done"], false);
    let last = act(&mut learner, json!("wait")).await;
    assert_eq!((&last["done"], &last["metadata"]["ending"]), (&json!(true), &json!("truncated")));
    assert_eq!(last["observation"]["metadata"], last["metadata"], "typed clients read it in the observation");
    let (code, message) = refusal(&mut learner, "step", json!({ "action": "up" })).await;
    assert_eq!((code.as_str(), message.contains("has ended")), ("EXECUTION_ERROR", true), "{message}");
}

#[tokio::test]
async fn an_action_that_fails_takes_its_step() {
    let mut learner = learner(&gateway(1), "bw4t").await;
    let first = reset(&mut learner, json!({ "seed": 1 })).await;
    assert!(first["observation"]["instructions"].as_str().expect("rules").contains("blocks"));
    let failed = act(&mut learner, json!("pickUp(999)")).await;
    assert!(failed["observation"]["failed"].is_string(), "{failed}");
    assert_eq!((&failed["observation"]["step"], failed["done"].as_bool()), (&json!(1), Some(false)));
    let going = send(&mut learner, "step", json!({ "action": "goTo", "arguments": { "place": "RoomC1" } })).await;
    assert!(going["observation"]["failed"].is_null(), "{going}");
    let again = act(&mut learner, json!("goTo('RoomB2')")).await;
    assert!(again["observation"]["failed"].is_null(), "{again}");
    assert_eq!(state(&mut learner).await["step_count"], 3);
}

#[tokio::test]
async fn describes_what_learners_send_and_get() {
    let gateway = OpenEnvGateway::new(hub(0));
    let schema = gateway.schema("bw4t", Rights::ALL).await.expect("it is offered");
    assert_eq!(schema["action"]["required"], json!(["action"]));
    let rules = schema["action"]["allOf"].as_array().expect("rules for arguments");
    let of_go_to = rules.iter().find(|rule| rule["if"]["properties"]["action"]["const"] == "goTo");
    assert!(of_go_to.is_some_and(|rule| rule["then"]["properties"]["arguments"]["type"] == "object"));
    assert!(schema["observation"]["properties"]["numbers"].is_object());
    let metadata = gateway.metadata("find-goals", Rights::ALL).await.expect("it is offered");
    assert_eq!((&metadata["name"], metadata["readme_content"].is_string()), (&json!("find-goals"), true));
    let error = gateway.learner("find-goal", Rights::ALL).await.err().expect("there is none").to_string();
    assert!(error.contains("find-goals"), "{error}");
    assert!(matches!(gateway.learner("chess", Rights::ALL).await, Err(NotOffered::Refused(_))));
}

#[tokio::test]
async fn answers_broken_and_deep_messages() {
    let mut learner = learner(&gateway(1), "bw4t").await;
    reset(&mut learner, json!({ "seed": 1 })).await;
    let going = r#"{"type": "step", "data": {"action": "goTo", "arguments": {"place": "RoomC1"}}}"#;
    for end in 0..going.len() {
        let Reply::Send(answer) = learner.answer(&going[..end]).await else { panic!("{end} characters close it") };
        assert!(answer.contains("INVALID_JSON"), "{end} characters: {answer}");
    }
    for (open, close) in [("[", "]"), (r#"{"a":"#, "}")] {
        let nested = format!("{}1{}", open.repeat(50_000), close.repeat(50_000));
        for place in ["action", "arguments", "actions"] {
            let message = format!(r#"{{"type": "step", "data": {{"{place}": {nested}}}}}"#);
            let Reply::Send(answer) = learner.answer(&message).await else { panic!("{place} closes it") };
            assert!(answer.contains("VALIDATION_ERROR"), "{place}: {answer}");
        }
    }
    assert_eq!(state(&mut learner).await["step_count"], 0);
    assert_eq!(ask(&mut learner, serde_json::from_str(going).expect("JSON")).await["type"], "observation");
}
