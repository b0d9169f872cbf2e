//! In lockstep, an action stands until all agents have acted, whether its caller waits or not.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value, json};
use situated::environment::Environment;
use situated::interface::{Command, Interface};
use situated_find_goals::FindGoals;
use situated_hub::{Hub, HubSettings, Kinds, LocalAgent, LocalSession, Owner, Right, Rights, Tempo};
use situated_model::{ModelAgent, Surroundings};
use tokio::runtime::Handle;
use tokio::time::{sleep, timeout};

const MAZE: &str = "maze";
const MOMENT: Duration = Duration::from_millis(100);

/// The agent of red, and an agent of blue, for whom red waits.
async fn red_and_blue() -> (ModelAgent, LocalAgent) {
    let hub: Arc<Hub> = Hub::new(HubSettings::default(), Kinds::new(), Handle::current());
    let owner = Owner::new(Box::new(Interface::<FindGoals>::new()), Tempo::of(&FindGoals::ontology()));
    let init = Command::Init { parameters: [].into(), seed: 1 };
    hub.add(MAZE, owner, vec![init, Command::Start]).expect("it begins");
    let rights = Rights::from_iter([Right::Act]);
    let session = LocalSession::open(&hub, rights).expect("the hub is open");
    let blue = session.agent(MAZE, "ben");
    blue.register().await.expect("the name is free");
    blue.associate("blue").await.expect("it is free");
    let surroundings = Surroundings::of(&session, MAZE, true).await.expect("there is a maze");
    let red = ModelAgent::join(&hub, surroundings, rights, Some("red"), "ann".into()).await.expect("it is free");
    red.begin().await.expect("it perceives");
    (red, blue)
}

fn seconds(seconds: f64) -> Map<String, Value> {
    Map::from_iter([("seconds".to_owned(), json!(seconds))])
}

async fn step(red: &ModelAgent) -> u64 {
    red.moment_and_state().await.expect("there is a maze").0.step
}

#[tokio::test]
async fn the_result_of_an_action_is_told_after_its_caller_has_given_up() {
    let (red, blue) = red_and_blue().await;
    assert!(timeout(MOMENT, red.call("up", &Map::new())).await.is_err(), "blue has not acted");
    let (text, data) = red.call("wait_until", &seconds(0.1)).await.expect("a tool").expect("no mistake");
    assert!(text.starts_with("The others have not acted yet. Your action stands"), "{text}");
    assert_eq!((&data["met"], step(&red).await), (&json!(false), 0));
    let waited = async {
        sleep(MOMENT).await;
        blue.pass().await.expect("it is its turn");
    };
    let waiting = seconds(20.0);
    let (told, ()) = tokio::join!(red.call("wait_until", &waiting), waited);
    let (text, data) = told.expect("a tool").expect("the action was possible");
    assert!(text.starts_with("Done. "), "{text}");
    assert_eq!((&data["met"], step(&red).await), (&json!(true), 1));
}

#[tokio::test]
async fn an_action_follows_a_pass_that_still_stands() {
    let (red, blue) = red_and_blue().await;
    let (text, _) = red.call("wait_until", &seconds(0.1)).await.expect("a tool").expect("no mistake");
    assert!(text.starts_with("It did not happen in this time."), "{text}");
    let others = async {
        for _ in 0..2 {
            sleep(MOMENT).await;
            blue.pass().await.expect("it is its turn");
        }
    };
    let nothing = Map::new();
    let (told, ()) = tokio::join!(red.call("up", &nothing), others);
    let (text, _) = told.expect("a tool").expect("the action was possible");
    assert!(text.starts_with("Done. "), "{text}");
    assert_eq!(step(&red).await, 2);
}
