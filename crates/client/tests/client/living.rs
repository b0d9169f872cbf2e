//! Living in a world on a server: asynchronously and on threads, over WebSocket and TCP, typed and not.

use std::thread;
use std::time::Duration;

use situated::iil::{Action, Percept};
use situated::interface::{Command, Moment};
use situated_client::{CALLS_WAITING, Client, Error};
use situated_find_goals::{Action as Move, Percept as Sight};
use situated_server::{Access, Right, Settings};
use situated_wire::Code;
use situated_wire::methods::{self, CreateEnvironment, Ping, Query, Role};

use crate::house::{House, WORLD};

const GRACE: Duration = Duration::from_secs(5);

fn name_of(name: &str) -> Action {
    Action::new(name, [])
}

#[tokio::test]
async fn an_agent_lives_in_a_world_in_both_ways() {
    let house = House::open(GRACE);
    for way in house.ways() {
        let client = Client::connect(&way).await.expect("the server listens");
        let mut agent = client.environment(WORLD).register("ada").await.expect("the name is free");
        agent.associate("red").await.expect("it is free");
        let first = agent.perceive().await.expect("it has an entity");
        assert!(first[0].0 == "red" && first[0].1.resync && first[0].1.add.len() == 9, "{first:?}");
        assert!(agent.beliefs("red").contains(&Percept::new("at", [3.into(), 1.into()])));

        assert!(
            agent.menu("red", Some((1.0, 2.0))).await.expect("it has red").items.is_empty(),
            "no world must offer any"
        );
        assert!(agent.menu("blue", None).await.is_err());
        agent.act(name_of("up")).await.expect("the world runs").check().expect("it is possible");
        let stepped = agent.step(Some(name_of("right"))).await.expect("the world runs");
        assert_eq!(stepped.acted.check(), Ok(vec![]));
        assert_eq!(stepped.perceptions[0].1.events.len(), 2, "one reward for each step: {:?}", stepped.perceptions);
        assert!(agent.beliefs("red").contains(&Percept::new("at", [4.into(), 2.into()])));
        assert_eq!(agent.beliefs("red").len(), 9);

        let passed = agent.step(None).await.expect("it may pass");
        assert!(passed.acted.results.is_empty() && passed.perceptions[0].1.events.len() == 1);
        agent.pass().await.expect("it may pass");
        agent.free(Some("red")).await.expect("it has it");
        assert_eq!(agent.beliefs("red"), []);
        agent.associate("red").await.expect("it is free again");
        assert!(agent.perceive().await.expect("it has an entity")[0].1.resync);
        agent.unregister().await.expect("it is registered");
        let entities = client.environment(WORLD).entities().await.expect("there are some");
        assert!(entities.agents.is_empty(), "{entities:?}");
        client.environment(WORLD).manage(Command::Reset { parameters: None, seed: None }).await.expect("it may");
        client.environment(WORLD).manage(Command::Start).await.expect("it is paused");
    }
}

#[tokio::test]
async fn a_typed_agent_never_sees_the_intermediate_language() {
    let house = House::open(GRACE);
    let client = Client::connect(&house.ways()[0]).await.expect("the server listens");
    let agent = client.environment(WORLD).register("ada").await.expect("the name is free");
    let mut agent = agent.typed::<Move, Sight>();
    agent.associate("red").await.expect("it is free");
    agent.perceive().await.expect("it has an entity");
    let stepped = agent.step(Some(Move::Up)).await.expect("the world runs");
    assert_eq!(stepped.perceptions[0].1.events, [Sight::Reward { joint: -1 }]);
    assert!(agent.beliefs("red").contains(&Sight::At { x: 3, y: 2 }));
}

#[test]
fn agents_on_threads_wait_for_their_answers() {
    let house = House::open(GRACE);
    for way in house.ways() {
        let client = Client::connect(&way).role(Role::Platform).wait().expect("the server listens");
        let live = |body: &'static str| {
            let world = client.environment(WORLD);
            thread::spawn(move || {
                let mut agent = world.register(body).wait().expect("the name is free");
                agent.associate(body).wait().expect("it is free");
                let mut steps = 0;
                while steps < 50 {
                    steps +=
                        agent.step(Some(name_of("wait"))).wait().expect("the world runs").perceptions[0].1.events.len();
                }
            })
        };
        live("red").join().expect("it does not panic");
        live("blue").join().expect("it does not panic");
        drop(client);
        let next = Client::connect(&way).role(Role::Observer).wait().expect("the server listens");
        let entities = next.environment(WORLD).entities().wait().expect("it may look");
        assert!(entities.agents.is_empty(), "the session of the agents has ended: {entities:?}");
    }
}

#[tokio::test]
#[should_panic(expected = "asynchronous code awaits an answer")]
async fn asynchronous_code_does_not_wait() {
    let house = House::open(GRACE);
    let client = Client::connect(&house.ways()[0]).await.expect("the server listens");
    let _ = client.call(Ping {}).wait();
}

#[tokio::test]
async fn a_platform_manages_a_world_and_looks_at_it() {
    let house = House::open(GRACE);
    let client = Client::connect(&house.ways()[1]).role(Role::Observer).program("a test").await.expect("it listens");
    assert!(client.greeting().rights.contains(&methods::Right::Manage));
    let create = CreateEnvironment {
        kind: WORLD.into(),
        environment: Some("maze".into()),
        parameters: [].into(),
        seed: Some(7),
        pace: None,
        speed: None,
        // Nobody acts there.
        patience_ms: Some(1),
        start: false,
    };
    let maze = client.create(create).await.expect("there is room");
    assert_eq!(maze.name(), "maze");
    assert_eq!(client.environments().await.expect("there are two").environments.len(), 2);
    assert_eq!(maze.describe().await.expect("it is there").ontology.name, WORLD);
    assert_eq!(maze.entities().await.expect("it is there").entities.len(), 2);
    maze.set_speed(Some(1000.0)).await.expect("it may");
    let waiting = maze.wait(Moment { episode: 1, step: 4, time: 0 });
    assert_eq!(maze.advance(5).await.expect("it may").step, 5);
    assert_eq!(waiting.await.expect("time has run").step, 5);
    assert_eq!(maze.status().await.expect("it is there").moment.step, 5);
    let kind = maze.query(Some("red"), "type").await.expect("red is there");
    assert_eq!(kind.value, Some("walker".into()));
    assert!(!maze.scene(None).await.expect("it may").scene.shapes.is_empty());
    maze.manage(Command::Kill).await.expect("it may");
    maze.remove().await.expect("it may");
    assert_eq!(maze.status().await.expect_err("it is gone").code(), Some(Code::NoSuchEnvironment));
}

#[tokio::test]
async fn what_is_refused_is_said_with_what_to_do() {
    let house = House::open(GRACE);
    let client = Client::connect(&house.ways()[0]).await.expect("the server listens");
    let world = client.environment(WORLD);
    let nowhere = client.environment("find-goal").register("ada").await.err().expect("there is none");
    assert!(nowhere.to_string().contains("did you mean `find-goals`?"), "{nowhere}");
    let mut ada = world.register("ada").await.expect("the name is free");
    let second = world.register("ben").await.err().expect("an agent is one");
    assert_eq!(second.code(), Some(Code::Limit));
    let bodiless = ada.perceive().await.expect_err("it has no entity");
    assert_eq!(bodiless.code(), Some(Code::NoEntities));
    ada.associate("red").await.expect("it is free");
    assert_eq!(ada.act(name_of("fly")).await.expect_err("nobody flies").code(), Some(Code::NotSupportedByEnvironment));
    assert!(ada.step(Some(name_of("fly"))).await.is_err());
    ada.act(name_of("up")).await.expect("it goes on").check().expect("it is possible");

    let other = Client::connect(&house.ways()[1]).await.expect("the server listens");
    let taken = other.environment(WORLD).register("ada").await.err().expect("the name is taken");
    assert_eq!(taken.code(), Some(Code::AgentTaken));
}

#[tokio::test]
async fn who_needs_a_token_says_it() {
    let access = Access::open().with_token("key", Right::Act);
    let house = House::with(Settings { access, ..Settings::default() });
    for way in house.ways() {
        let code = |error: Option<Error>| error.and_then(|error| error.code());
        assert_eq!(code(Client::connect(&way).await.err()), Some(Code::Unauthorized));
        assert_eq!(code(Client::connect(&way).token("lock").await.err()), Some(Code::Unauthorized));
        assert_eq!(
            code(Client::connect(&way).token("key").role(Role::Observer).wait_elsewhere().await),
            Some(Code::Forbidden)
        );
        let client = Client::connect(&way).token("key").await.expect("that is the token");
        let refused = client.environment(WORLD).manage(Command::Pause).await.expect_err("it may only act");
        assert_eq!(refused.code(), Some(Code::Forbidden));
    }
}

/// Waiting, on a thread where that is allowed.
trait WaitElsewhere {
    async fn wait_elsewhere(self) -> Option<Error>;
}

impl WaitElsewhere for situated_client::Connect {
    async fn wait_elsewhere(self) -> Option<Error> {
        thread::spawn(move || self.wait().err()).join().expect("it does not panic")
    }
}

#[tokio::test]
async fn who_cannot_connect_is_told_where_and_why() {
    let nobody = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port").local_addr().expect("it has one");
    let error = Client::connect(&format!("tcp://{nobody}")).await.err().expect("nobody listens there");
    let text = error.to_string();
    assert!(text.starts_with(&format!("cannot connect to tcp://{nobody}: Connection refused")), "{text}");
    let error = Client::connect("localhost:7467").await.err().expect("it is no address");
    assert!(error.to_string().ends_with("write it as ws://HOST:PORT"), "{error}");
    let house = House::open(GRACE);
    let nowhere = format!("ws://{}/nowhere/else", house.address);
    let error = Client::connect(&nowhere).await.err().expect("there is no WebSocket");
    assert!(error.to_string().contains("404"), "{error}");
}

#[tokio::test]
async fn what_is_too_much_is_not_asked() {
    let house = House::open(GRACE);
    let client = Client::connect(&house.ways()[0]).role(Role::Observer).await.expect("the server listens");
    let property = "x".repeat(client.greeting().limits.frame_bytes);
    let long = client.call(Query { environment: WORLD.into(), entity: None, property }).await;
    assert!(matches!(long, Err(Error::TooLong { method: "query", .. })), "{long:?}");
    let world = client.environment(WORLD);
    let never = || world.wait(Moment { episode: 1, step: 1 << 40, time: 0 });
    let mut asked: Vec<_> = (0..=CALLS_WAITING).map(|_| never()).collect();
    let last = asked.pop().expect("there is one").await;
    assert_eq!(last, Err(Error::Busy { method: "wait", limit: CALLS_WAITING }));
    drop(asked);
    // What was asked waits, and so one more is refused, here or there; what does not wait is done.
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert!(never().await.is_err());
}
