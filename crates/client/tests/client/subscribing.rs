//! Subscriptions.

use std::time::Duration;

use situated::iil::Action;
use situated::interface::{Command, Happening, State};
use situated::scene::Scene;
use situated_client::{Client, NOTIFICATIONS_WAITING};
use situated_wire::methods::{CreateEnvironment, Role};

use crate::server::{FIND_GOALS, TestServer};
use crate::wire_cutter::WireCutter;

const GRACE: Duration = Duration::from_secs(5);

#[tokio::test]
async fn happenings_begin_with_the_current_state() {
    let server = TestServer::open(GRACE);
    let cutter = WireCutter::before(server.address);
    let client =
        Client::connect(&format!("ws://{}", cutter.address)).role(Role::Platform).await.expect("the server listens");
    let environment = client.environment(FIND_GOALS);
    let mut happenings = environment.happenings().await.expect("every client can ask");
    let first = happenings.receive().await.expect("the current state");
    assert!(first.resync && first.happenings.contains(&Happening::State(State::Running)), "{first:?}");
    let ada = environment.register("ada").await.expect("the name is free");
    let then = happenings.receive().await.expect("something happens");
    assert_eq!(then.happenings, [Happening::Registered { agent: "ada".into() }]);
    assert!(!then.resync);

    cutter.cut();
    let again = happenings.receive().await.expect("the session continues");
    assert!(again.resync && again.happenings.contains(&Happening::Registered { agent: "ada".into() }), "{again:?}");
    drop(ada);
    let last = happenings.receive().await.expect("something happens");
    assert_eq!(last.happenings, [Happening::Unregistered { agent: "ada".into() }]);
}

#[tokio::test]
async fn slow_receivers_get_the_current_state() {
    let server = TestServer::open(GRACE);
    let client = Client::connect(&server.addresses()[1]).role(Role::Platform).await.expect("the server listens");
    let environment = client.environment(FIND_GOALS);
    let mut happenings = environment.happenings().await.expect("every client can ask");
    for _ in 0..NOTIFICATIONS_WAITING {
        environment.manage(Command::Pause).await.expect("it runs");
        environment.manage(Command::Start).await.expect("it is paused");
    }
    environment.register("ada").await.map(drop).expect("the name is free");
    let mut anew = 0;
    for received in 0.. {
        let next = happenings.receive().await.expect("the session continues");
        anew += usize::from(next.resync);
        if anew == 2 {
            assert_eq!(received, NOTIFICATIONS_WAITING, "waiting notifications come first");
            break;
        }
    }
    environment.manage(Command::Pause).await.expect("it runs");
    assert_eq!(happenings.receive().await.expect("it continues").happenings, [Happening::State(State::Paused)]);
}

#[tokio::test]
async fn subscribes_to_scenes_and_activity() {
    let server = TestServer::open(GRACE);
    let client = Client::connect(&server.addresses()[0]).role(Role::Observer).await.expect("the server listens");
    let environment = client.environment(FIND_GOALS);
    let mut scenes = environment.scenes(None).await.expect("it may observe");
    let mut activity = environment.activity(Some("red")).await.expect("it may observe");
    let mut scene = Scene::default();
    scenes.receive().await.expect("the first scene").apply(&mut scene);
    assert!(activity.receive().await.expect("the current percepts").perception.is_some_and(|received| received.resync));

    let actor = Client::connect(&server.addresses()[1]).await.expect("the server listens");
    let mut ada = actor.environment(FIND_GOALS).register("ada").await.expect("the name is free");
    ada.associate("red").await.expect("it is free");
    ada.act(Action::new("up", [])).await.expect("it runs").check().expect("it is possible");
    scenes.receive().await.expect("it has changed").apply(&mut scene);
    assert_eq!(scene, environment.scene(None).await.expect("it may observe").scene);
    let seen = activity.receive().await.expect("it is watched");
    assert_eq!(seen.actions[0].action, Action::new("up", []));
}

#[tokio::test]
async fn an_agent_is_notified_of_the_percepts_that_it_names() {
    let server = TestServer::open(GRACE);
    let client = Client::connect(&server.addresses()[1]).role(Role::Platform).await.expect("the server listens");
    let environment = client.environment(FIND_GOALS);
    let mut ada = environment.register("ada").await.expect("the name is free");
    ada.associate("red").await.expect("it is free");
    let mut percepts = ada.percepts_of(&["see"], Duration::ZERO).await.expect("it may perceive");
    let first = percepts.receive().await.expect("what holds");
    assert!(first[0].1.resync, "{first:?}");
    // Rewards come in each step, and sights change when it moves.
    for action in ["wait", "wait", "wait", "up"] {
        percepts.act(Action::new(action, [])).await.expect("it runs").check().expect("it is possible");
    }
    let next = percepts.receive().await.expect("it has moved");
    assert_eq!(next[0].1.events.len(), 4, "{next:?}");
    assert!(!next[0].1.add.is_empty(), "{next:?}");
}

#[tokio::test]
async fn subscribes_to_the_list_of_environments() {
    let server = TestServer::open(GRACE);
    let client = Client::connect(&server.addresses()[0]).role(Role::Observer).await.expect("the server listens");
    let mut watch = client.watch_environments().await.expect("every client can ask");
    assert_eq!(watch.receive().await.expect("the current list").environments.len(), 1);
    let maze = client.create(CreateEnvironment::new(FIND_GOALS)).await.expect("there is room");
    assert_eq!(maze.name(), "find-goals-2");
    while watch.receive().await.expect("it continues").environments.len() < 2 {}
    maze.remove().await.expect("it may");
    while watch.receive().await.expect("it continues").environments.len() > 1 {}
}

#[tokio::test]
async fn reports_the_end_of_a_removed_environment() {
    let server = TestServer::open(GRACE);
    let client = Client::connect(&server.addresses()[0]).role(Role::Observer).await.expect("the server listens");
    let environment = client.environment(FIND_GOALS);
    let mut happenings = environment.happenings().await.expect("every client can ask");
    environment.remove().await.expect("every client can manage");
    let end = loop {
        match happenings.receive().await {
            Ok(received) => assert!(received.resync || !received.happenings.is_empty(), "{received:?}"),
            Err(end) => break end,
        }
    };
    assert!(end.to_string().contains(&format!("there is no environment `{FIND_GOALS}`")), "{end}");
}
