//! Agents on a server, until the end of their sessions: asynchronous and on threads, over WebSocket and TCP, typed and
//! not.

use std::thread;
use std::time::{Duration, Instant};

use situated::iil::{Action, Percept};
use situated::interface::{Command, Moment};
use situated_client::{CALLS_WAITING, Client, End, Error};
use situated_find_goals::{Action as Move, Percept as Sight};
use situated_server::{Access, Right, Settings, Token};
use situated_wire::Code;
use situated_wire::methods::{CreateEnvironment, Ping, Query, Role};

use crate::server::{FIND_GOALS, TestServer};
use crate::wire_cutter::WireCutter;

/// Longer than any test.
const GRACE: Duration = Duration::from_secs(600);

fn name_of(name: &str) -> Action {
    Action::new(name, [])
}

#[tokio::test]
async fn agents_act_and_perceive_over_both_transports() {
    let server = TestServer::open(GRACE);
    for address in server.addresses() {
        let client = Client::connect(&address).await.expect("the server listens");
        let mut agent = client.environment(FIND_GOALS).register("ada").await.expect("the name is free");
        agent.associate("red").await.expect("it is free");
        let first = agent.perceive().await.expect("it has an entity");
        assert!(first[0].0 == "red" && first[0].1.resync && first[0].1.add.len() == 9, "{first:?}");
        assert!(agent.beliefs("red").contains(&Percept::new("at", [3.into(), 1.into()])));

        assert!(
            agent.menu("red", Some((1.0, 2.0))).await.expect("it has red").items.is_empty(),
            "this environment offers none"
        );
        assert!(agent.menu("blue", None).await.is_err());
        agent.act(name_of("up")).await.expect("the environment runs").check().expect("it is possible");
        let stepped = agent.step(Some(name_of("right"))).await.expect("the environment runs");
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
        let entities = client.environment(FIND_GOALS).entities().await.expect("there are some");
        assert!(entities.agents.is_empty(), "{entities:?}");
        client.environment(FIND_GOALS).manage(Command::Reset { parameters: None, seed: None }).await.expect("it may");
        client.environment(FIND_GOALS).manage(Command::Start).await.expect("it is paused");
    }
}

#[tokio::test]
async fn typed_agents_use_enums() {
    let server = TestServer::open(GRACE);
    let client = Client::connect(&server.addresses()[0]).await.expect("the server listens");
    let agent = client.environment(FIND_GOALS).register("ada").await.expect("the name is free");
    let mut agent = agent.typed::<Move, Sight>();
    agent.associate("red").await.expect("it is free");
    agent.perceive().await.expect("it has an entity");
    let stepped = agent.step(Some(Move::Up)).await.expect("the environment runs");
    assert_eq!(stepped.perceptions[0].1.events, [Sight::Reward { joint: -1 }]);
    assert!(agent.beliefs("red").contains(&Sight::At { x: 3, y: 2 }));
}

#[test]
fn agents_on_threads_wait_for_answers() {
    let server = TestServer::open(GRACE);
    for address in server.addresses() {
        let client = Client::connect(&address).role(Role::Platform).wait().expect("the server listens");
        let live = |entity: &'static str| {
            let environment = client.environment(FIND_GOALS);
            thread::spawn(move || {
                let mut agent = environment.register(entity).wait().expect("the name is free");
                agent.associate(entity).wait().expect("it is free");
                let mut steps = 0;
                while steps < 50 {
                    steps += agent.step(Some(name_of("wait"))).wait().expect("the environment runs").perceptions[0]
                        .1
                        .events
                        .len();
                }
            })
        };
        live("red").join().expect("no panic");
        live("blue").join().expect("no panic");
        client.close().wait().expect("it was open");
        let next = Client::connect(&address).role(Role::Observer).wait().expect("the server listens");
        let entities = next.environment(FIND_GOALS).entities().wait().expect("it may look");
        assert!(entities.agents.is_empty(), "the session of the agents has ended: {entities:?}");
    }
}

#[tokio::test]
#[should_panic(expected = "asynchronous code must `.await`")]
async fn asynchronous_code_cannot_wait() {
    let server = TestServer::open(GRACE);
    let client = Client::connect(&server.addresses()[0]).await.expect("the server listens");
    let _ = client.call(Ping {}).wait();
}

#[tokio::test]
async fn platforms_manage_environments() {
    let server = TestServer::open(GRACE);
    let client = Client::connect(&server.addresses()[1])
        .role(Role::Observer)
        .program("a test")
        .await
        .expect("the server listens");
    assert!(client.greeting().rights.contains(&Right::Manage));
    // No agent acts there.
    let (environment, seed, patience_ms) = (Some("maze".into()), Some(7), Some(1));
    let create = CreateEnvironment { environment, seed, patience_ms, ..CreateEnvironment::new(FIND_GOALS) };
    let maze = client.create(create).await.expect("there is room");
    assert_eq!(maze.name(), "maze");
    assert_eq!(client.environments().await.expect("there are two").environments.len(), 2);
    assert_eq!(maze.describe().await.expect("it is there").ontology.name, FIND_GOALS);
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
async fn reports_refusals() {
    let server = TestServer::open(GRACE);
    let client = Client::connect(&server.addresses()[0]).await.expect("the server listens");
    let environment = client.environment(FIND_GOALS);
    let nowhere = client.environment("find-goal").register("ada").await.err().expect("there is none");
    assert!(nowhere.to_string().contains("did you mean `find-goals`?"), "{nowhere}");
    let mut ada = environment.register("ada").await.expect("the name is free");
    let second = environment.register("ben").await.err().expect("an agent is one");
    assert_eq!(second.code(), Some(Code::Limit));
    let without_entity = ada.perceive().await.expect_err("it has no entity");
    assert_eq!(without_entity.code(), Some(Code::NoEntities));
    ada.associate("red").await.expect("it is free");
    assert_eq!(
        ada.act(name_of("fly")).await.expect_err("no entity can fly").code(),
        Some(Code::NotSupportedByEnvironment)
    );
    assert!(ada.step(Some(name_of("fly"))).await.is_err());
    ada.act(name_of("up")).await.expect("it continues").check().expect("it is possible");

    let other = Client::connect(&server.addresses()[1]).await.expect("the server listens");
    let taken = other.environment(FIND_GOALS).register("ada").await.err().expect("the name is taken");
    assert_eq!(taken.code(), Some(Code::AgentTaken));
}

#[tokio::test]
async fn sends_its_token() {
    let access = Access::open().with_token(Token::new("the key to the house").expect("long enough"), Right::Act);
    let server = TestServer::with(Settings { access, ..Settings::default() });
    for address in server.addresses() {
        let code = |error: Option<Error>| error.and_then(|error| error.code());
        assert_eq!(code(Client::connect(&address).await.err()), Some(Code::Unauthorized));
        assert_eq!(code(Client::connect(&address).token("lock").await.err()), Some(Code::Unauthorized));
        assert_eq!(
            code(Client::connect(&address).token("the key to the house").role(Role::Observer).wait_elsewhere().await),
            Some(Code::Forbidden)
        );
        let client = Client::connect(&address).token("the key to the house").await.expect("that is the token");
        let refused = client.environment(FIND_GOALS).manage(Command::Pause).await.expect_err("it may only act");
        assert_eq!(refused.code(), Some(Code::Forbidden));
    }
}

/// Waits on another thread, where blocking is allowed.
trait WaitElsewhere {
    async fn wait_elsewhere(self) -> Option<Error>;
}

impl WaitElsewhere for situated_client::Connect {
    async fn wait_elsewhere(self) -> Option<Error> {
        thread::spawn(move || self.wait().err()).join().expect("no panic")
    }
}

#[tokio::test]
async fn reports_failed_connections() {
    let nobody = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port").local_addr().expect("it has one");
    let error = Client::connect(&format!("tcp://{nobody}")).await.err().expect("no server listens there");
    let text = error.to_string();
    assert!(text.starts_with(&format!("cannot connect to tcp://{nobody}: Connection refused")), "{text}");
    let error = Client::connect("localhost:7467").await.err().expect("it is no address");
    assert!(error.to_string().ends_with("write it as ws://HOST:PORT"), "{error}");
    let server = TestServer::open(GRACE);
    let nowhere = format!("ws://{}/nowhere/else", server.address);
    let error = Client::connect(&nowhere).await.err().expect("there is no WebSocket");
    assert!(error.to_string().contains("404"), "{error}");
}

#[tokio::test]
async fn limits_calls() {
    let server = TestServer::open(GRACE);
    let client = Client::connect(&server.addresses()[0]).role(Role::Observer).await.expect("the server listens");
    let property = "x".repeat(client.greeting().limits.frame_bytes);
    let long = client.call(Query { environment: FIND_GOALS.into(), entity: None, property }).await;
    assert!(matches!(long, Err(Error::TooLong { method: "query", .. })), "{long:?}");
    let environment = client.environment(FIND_GOALS);
    let never = || environment.wait(Moment { episode: 1, step: 1 << 40, time: 0 });
    let mut asked: Vec<_> = (0..=CALLS_WAITING).map(|_| never()).collect();
    let last = asked.pop().expect("there is one").await;
    assert_eq!(last, Err(Error::Busy { method: "wait", limit: CALLS_WAITING }));
    drop(asked);
    // These calls still wait on the server, so it or the client rejects one more.
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert!(never().await.is_err());
}

#[tokio::test]
async fn an_idle_client_sends_the_heartbeats_that_the_server_requires() {
    let server = TestServer::with(Settings {
        heartbeat: Some(Duration::from_millis(300)),
        grace: Duration::ZERO,
        ..Settings::default()
    });
    for address in server.addresses() {
        let client = Client::connect(&address).await.expect("the server listens");
        let mut agent = client.environment(FIND_GOALS).register("ada").await.expect("the name is free");
        tokio::time::sleep(Duration::from_millis(1_500)).await;
        // In another session, the agent would not be registered.
        agent.associate("red").await.expect("it is registered");
        client.close().await.expect("the next connection uses the same names");
    }
}

async fn agents(server: &TestServer) -> usize {
    let client = Client::connect(&server.addresses()[0]).role(Role::Observer).await.expect("the server listens");
    client.environment(FIND_GOALS).status().await.expect("it is there").agents
}

#[tokio::test]
async fn unregisters_dropped_agents() {
    let server = TestServer::open(GRACE);
    let client = Client::connect(&server.addresses()[0]).await.expect("the server listens");
    let agent = client.environment(FIND_GOALS).register("ada").await.expect("the name is free");
    assert_eq!(agents(&server).await, 1);
    drop(agent);
    client.call(Ping {}).await.expect("the session continues");
    assert_eq!(agents(&server).await, 0);
}

#[tokio::test]
async fn ends_the_session_with_the_last_handle() {
    let server = TestServer::open(GRACE);
    for address in server.addresses() {
        let client = Client::connect(&address).await.expect("the server listens");
        let mut agent = client.environment(FIND_GOALS).register("ada").await.expect("the name is free");
        drop(client);
        agent.associate("red").await.expect("the agent keeps the session open");
        drop(agent);
        let begin = Instant::now();
        while agents(&server).await > 0 {
            assert!(begin.elapsed() < Duration::from_secs(5), "the session has not ended");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }
}

#[tokio::test]
async fn closing_ends_the_session_for_all() {
    let server = TestServer::open(GRACE);
    let client = Client::connect(&server.addresses()[1]).await.expect("the server listens");
    let agent = client.environment(FIND_GOALS).register("ada").await.expect("the name is free");
    client.close().await.expect("it can be closed at any time");
    assert_eq!(agents(&server).await, 0);
    assert_eq!(agent.pass().await, Err(Error::Ended(End::Closed)));
}

#[test]
fn ends_the_session_before_drop_returns() {
    let server = TestServer::open(GRACE);
    let client = Client::connect(&server.addresses()[0]).wait().expect("the server listens");
    let agent = client.environment(FIND_GOALS).register("ada").wait().expect("the name is free");
    drop((client, agent));
    let client = Client::connect(&server.addresses()[0]).wait().expect("the server listens");
    client.environment(FIND_GOALS).register("ada").wait().expect("the name is free again, at once");
}

#[test]
fn drop_does_not_hang_without_a_connection() {
    let server = TestServer::open(GRACE);
    let cutter = WireCutter::before(server.address);
    let client = Client::connect(&format!("tcp://{}", cutter.address)).wait().expect("the server listens");
    cutter.close(true);
    cutter.cut();
    std::thread::sleep(Duration::from_millis(300));
    let begin = Instant::now();
    drop(client);
    assert!(begin.elapsed() < Duration::from_secs(1), "{:?}", begin.elapsed());
}

#[test]
fn reports_a_server_that_has_stopped() {
    let mut server = TestServer::open(GRACE);
    let client = Client::connect(&server.addresses()[0]).wait().expect("the server listens");
    let mut agent = client.environment(FIND_GOALS).register("ada").wait().expect("the name is free");
    agent.associate("red").wait().expect("it is free");
    server.close();
    let error = agent.pass().wait().expect_err("there is no server");
    assert_eq!(error.code(), Some(Code::ShuttingDown), "{error}");
}
