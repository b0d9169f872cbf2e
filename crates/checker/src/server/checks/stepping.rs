//! Time: steps at each pace, waiting, advancing, and speed.

use serde_json::{Value, json};
use situated_wire::Code;

use crate::server::beliefs::{Beliefs, list};
use crate::server::client::Client;
use crate::server::environment::{Actor, Environment, perception_of};
use crate::server::stage::Stage;
use crate::server::stop::{Checked, Stop, ensure, ensure_equal};

group! {
    "stepping-together" "step" "A step acts and perceives for many agents, each with its own turn." together;
    "stepping-silent" "step" "A step without perceiving returns no percepts." silent;
    "stepping-limit" "Limits" "A step has at most 1,024 agents." limit;
    "stepping-lockstep" "Acting" "In lockstep, the environment makes a step when all agents have acted or passed; then their calls are answered." lockstep;
    "stepping-chosen" "Codes of errors" "In lockstep, a second action for a step is rejected, and the first one counts." chosen;
    "stepping-patience" "createEnvironment" "In lockstep with a timeout, no agent waits forever." patience;
    "stepping-reactive" "Type Pace" "In a reactive environment, each action is a step." reactive;
    "stepping-real-time" "Type Pace" "In real time, the environment makes steps whether or not agents act." real_time;
    "stepping-wait" "wait" "`wait` is answered when the environment is later than the moment." wait;
    "stepping-advance" "advance" "A paused environment advances by a number of steps, at its speed or at once, and is paused again." advance;
    "stepping-speed" "setSpeed" "The speed can be set; invalid speeds are rejected." speed;
}

/// Creates an environment at a pace, with this number of agents.
async fn actors(stage: &mut Stage<'_>, pace: &str, count: usize) -> Checked<(Environment, Client, Vec<Actor>)> {
    let environment = stage.own_environment(json!({ "start": true, "pace": pace })).await?;
    let client = stage.platform().await?;
    let mut actors = Vec::new();
    for _ in 0..count {
        let name = stage.name();
        actors.push(environment.enter(&client, &name).await?);
    }
    Ok((environment, client, actors))
}

/// A pace at which time advances although no agent acts.
fn by_itself() -> Value {
    json!({ "realTime": { "stepsPerSecond": 50.0 } })
}

async fn step_of(environment: &Environment, client: &Client) -> Checked<u64> {
    let status = environment.status(client).await?;
    status["moment"]["step"].as_u64().ok_or_else(|| Stop::failed("a moment", status))
}

async fn together(stage: &mut Stage<'_>) -> Checked {
    let (environment, client, actors) = actors(stage, "lockstep", 2).await?;
    let mut beliefs = [Beliefs::default(), Beliefs::default()];
    let before = step_of(&environment, &client).await?;
    for _ in 0..5 {
        let turns = [
            json!({ "agent": actors[1].agent, "action": environment.action(&actors[1])? }),
            json!({ "agent": actors[0].agent }),
        ];
        let stepped = client.get("step", environment.of(json!({ "agents": turns }))).await?;
        for (place, of) in [(0, 1), (1, 0)] {
            let turn = &stepped["agents"][place];
            ensure_equal("turns in the order in which they were named", &json!(actors[of].agent), &turn["agent"])?;
            beliefs[of].update(&perception_of(&turn["perceptions"], &actors[of])?)?;
        }
    }
    ensure(step_of(&environment, &client).await? == before + 5, "five steps", before)?;
    for (actor, beliefs) in actors.iter().zip(&beliefs) {
        beliefs.ensure_snapshot(&environment.perceive(&client, actor, "snapshot", "lastCall").await?)?;
    }
    Ok(())
}

async fn silent(stage: &mut Stage<'_>) -> Checked {
    let (environment, client, actor) = stage.enter().await?;
    let turn = json!([{ "agent": actor.agent, "action": environment.action(&actor)? }]);
    let stepped = client.get("step", environment.of(json!({ "agents": turn, "perceive": false }))).await?;
    ensure(stepped["agents"][0].get("perceptions").is_none(), "no perceptions", &stepped)?;
    let received = environment.perceive(&client, &actor, "update", "lastCall").await?;
    ensure_equal("a complete update later", &true.into(), &received["resync"])
}

async fn limit(stage: &mut Stage<'_>) -> Checked {
    let environment = stage.environment().await?;
    let client = stage.platform().await?;
    let turns = vec![json!({ "agent": "nobody" }); 1025];
    client.refused("step", environment.of(json!({ "agents": turns })), Code::Limit).await.map(drop)
}

async fn lockstep(stage: &mut Stage<'_>) -> Checked {
    let (environment, client, actors) = actors(stage, "lockstep", 2).await?;
    let before = step_of(&environment, &client).await?;
    let acting = client.begin("act", environment.acting(&actors[0])?).await?;
    ensure(!client.has_answer(acting).await?, "no answer before all have acted", "one")?;
    ensure(step_of(&environment, &client).await? == before, "no step before all have acted", "one")?;
    client.get("pass", environment.of(json!({ "agent": actors[1].agent }))).await?;
    let acted = client.answer(acting).await?.map_err(|error| Stop::failed("the action is done", error))?;
    ensure_equal("the moment of the answer", &json!(before + 1), &acted["moment"]["step"])?;
    // A step does not wait for an entity without an agent.
    client.get("unregister", environment.of(json!({ "agent": actors[1].agent }))).await?;
    client.get("act", environment.acting(&actors[0])?).await.map(drop)
}

async fn chosen(stage: &mut Stage<'_>) -> Checked {
    let (environment, client, actors) = actors(stage, "lockstep", 2).await?;
    let acting = client.begin("act", environment.acting(&actors[0])?).await?;
    client.refused("act", environment.acting(&actors[0])?, Code::AlreadyChosen).await?;
    client.refused("pass", environment.of(json!({ "agent": actors[0].agent })), Code::AlreadyChosen).await?;
    client.get("pass", environment.of(json!({ "agent": actors[1].agent }))).await?;
    let acted = client.answer(acting).await?;
    ensure(acted.is_ok(), "the first choice is done", json!(acted.err()))
}

async fn patience(stage: &mut Stage<'_>) -> Checked {
    let environment = stage.own_environment(json!({ "start": true, "pace": "lockstep", "patienceMs": 50 })).await?;
    let (client, first, second) = (stage.platform().await?, stage.name(), stage.name());
    let actor = environment.enter(&client, &first).await?;
    environment.enter(&client, &second).await?;
    client.get("act", environment.acting(&actor)?).await.map(drop)
}

async fn reactive(stage: &mut Stage<'_>) -> Checked {
    let (environment, client, actors) = actors(stage, "reactive", 1).await?;
    let before = step_of(&environment, &client).await?;
    let acted = client.get("act", environment.acting(&actors[0])?).await?;
    if list(&acted["results"]).iter().any(|result| result.get("error").is_some()) {
        return Err(Stop::skipped("the tested action fails here"));
    }
    ensure(step_of(&environment, &client).await? == before + 1, "one step", before)
}

async fn real_time(stage: &mut Stage<'_>) -> Checked {
    let (environment, client, actor) = stage.enter_own(json!({ "start": true, "pace": by_itself() })).await?;
    let mut moment = environment.status(&client).await?["moment"].clone();
    for _ in 0..3 {
        let waited = client.get("wait", environment.of(json!({ "after": moment }))).await?;
        ensure(waited["moment"]["step"].as_u64() > moment["step"].as_u64(), "a later step", &waited)?;
        moment = waited["moment"].clone();
    }
    client.get("act", environment.acting(&actor)?).await.map(drop)
}

async fn wait(stage: &mut Stage<'_>) -> Checked {
    let environment = stage.own_environment(json!({ "pace": by_itself() })).await?;
    let (client, keeper) = (stage.platform().await?, stage.manager().await?);
    let moment = environment.status(&client).await?["moment"].clone();
    let waiting = client.begin("wait", environment.of(json!({ "after": moment }))).await?;
    ensure(!client.has_answer(waiting).await?, "no answer while time stands still", "one")?;
    keeper.get("advance", environment.of(json!({ "steps": 1 }))).await?;
    let waited = client.answer(waiting).await?.map_err(|error| Stop::failed("an end of the wait", error))?;
    ensure(waited["moment"]["step"].as_u64() > moment["step"].as_u64(), "a later moment", &waited)?;
    // A request about a past moment gets its answer at once.
    client.get("wait", environment.of(json!({ "after": moment }))).await.map(drop)
}

async fn advance(stage: &mut Stage<'_>) -> Checked {
    let environment = stage.own_environment(json!({ "pace": by_itself() })).await?;
    let keeper = stage.manager().await?;
    let before = step_of(&environment, &keeper).await?;
    let advanced = keeper.get("advance", environment.of(json!({ "steps": 5 }))).await?;
    ensure_equal("five steps later", &json!(before + 5), &advanced["moment"]["step"])?;
    let status = environment.status(&keeper).await?;
    ensure_equal("it is paused again", &"paused".into(), &status["state"])?;
    ensure_equal("the step", &json!(before + 5), &status["moment"]["step"])?;
    keeper.get("setSpeed", environment.of(json!({ "speed": 0.001 }))).await?;
    let advanced = keeper.get("advance", environment.of(json!({ "steps": 5, "atOnce": true }))).await?;
    ensure_equal("five more steps, regardless of the speed", &json!(before + 10), &advanced["moment"]["step"])?;
    keeper.get("manage", environment.of(json!({ "command": "start" }))).await?;
    keeper.refused("advance", environment.of(json!({ "steps": 5 })), Code::WrongState).await.map(drop)
}

async fn speed(stage: &mut Stage<'_>) -> Checked {
    let environment = stage.own_environment(json!({})).await?;
    let keeper = stage.manager().await?;
    let set = |speed: Value| environment.of(json!({ "speed": speed }));
    keeper.get("setSpeed", set(json!(12.5))).await?;
    for wrong in [0.0, -1.0] {
        keeper.refused("setSpeed", set(json!(wrong)), Code::InvalidParameters).await?;
    }
    ensure_equal("the speed", &json!(12.5), &environment.status(&keeper).await?["speed"])?;
    keeper.get("setSpeed", set(Value::Null)).await?;
    ensure_equal("no limit", &Value::Null, &environment.status(&keeper).await?["speed"])
}
