//! Agents with lost connections.

use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use situated::iil::{Action, Percept};
use situated::interface::{Form, Since};
use situated_client::{Agent, Client, End, Environment, Error, SILENCE};
use situated_wire::Code;
use situated_wire::methods::{Perceive, Ping, Role};

use crate::server::{FIND_GOALS, TestServer};
use crate::wire_cutter::WireCutter;

/// A server, a client whose connection can be cut, and an agent that controls `red`. No other entity has an agent, so
/// each of its actions is a step.
struct Scene {
    server: TestServer,
    cutter: WireCutter,
    client: Client,
    environment: Environment,
    agent: Agent,
}

impl Scene {
    fn begin(grace: Duration, scheme: &str) -> Self {
        let server = TestServer::open(grace);
        let cutter = WireCutter::before(server.address);
        let address = format!("{scheme}://{}", cutter.address);
        let client = Client::connect(&address).patience(Duration::from_secs(3)).wait().expect("the server listens");
        let environment = client.environment(FIND_GOALS);
        let mut agent = environment.register("ada").wait().expect("the name is free");
        agent.associate("red").wait().expect("it is free");
        Self { server, cutter, client, environment, agent }
    }

    fn steps(&self) -> u64 {
        self.environment.status().wait().expect("the session continues").moment.step
    }

    /// The percepts of the entity on the server.
    fn truth(&self) -> Vec<Percept> {
        let (form, since) = (Form::Snapshot, Since::Acknowledged);
        let perceive = Perceive { form, since, ..Perceive::new(FIND_GOALS.into(), "ada".into()) };
        sorted(&self.client.call(perceive).wait().expect("the session continues").perceptions[0].add)
    }
}

fn sorted(percepts: &[Percept]) -> Vec<Percept> {
    let mut percepts = percepts.to_vec();
    percepts.sort_by_key(ToString::to_string);
    percepts
}

const GRACE: Duration = Duration::from_secs(5);

fn go(direction: &str) -> Action {
    Action::new(direction, [])
}

/// A connection of a client: it counts itself when it has begun, and again when it is over.
struct Counted(Arc<AtomicU64>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

#[test]
fn tells_of_each_connection_and_of_its_end() {
    let server = TestServer::open(GRACE);
    for scheme in ["ws", "tcp"] {
        let cutter = WireCutter::before(server.address);
        let (begun, over) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
        let counted = || (begun.load(Ordering::SeqCst), over.load(Ordering::SeqCst));
        let (begins, ends) = (begun.clone(), over.clone());
        let connect = Client::connect(&format!("{scheme}://{}", cutter.address)).on_connection(move |stream| {
            assert!(stream.peer_addr().is_ok());
            begins.fetch_add(1, Ordering::SeqCst);
            Box::new(Counted(ends.clone())) as Box<dyn Any + Send>
        });
        let client = connect.wait().expect("the server listens");
        let agent = client.environment(FIND_GOALS).register("ada").wait().expect("the name is free");
        assert_eq!(counted(), (1, 0));
        cutter.cut();
        client.call(Ping {}).wait().expect("the session continues");
        assert_eq!(counted(), (2, 1));
        drop(agent);
        client.close().wait().expect("it ends");
        assert_eq!(counted(), (2, 2));
    }
}

#[test]
fn repeated_actions_run_once() {
    for scheme in ["ws", "tcp"] {
        let scene = Scene::begin(GRACE, scheme);
        scene.cutter.deafen(true);
        let mut acting = None;
        scene.cutter.wait_for_bytes(|| acting = Some(scene.agent.act(go("up"))));
        scene.cutter.deafen(false);
        scene.cutter.cut();
        let acted = acting.expect("it was asked").wait().expect("it is answered after all");
        assert_eq!((acted.moment.step, acted.check()), (1, Ok(vec![])));
        assert_eq!(scene.steps(), 1);
        scene.agent.act(go("right")).wait().expect("it continues").check().expect("it is possible");
        assert_eq!(scene.steps(), 2);
    }
}

#[test]
fn calls_without_a_connection_wait() {
    let scene = Scene::begin(GRACE, "tcp");
    scene.cutter.close(true);
    scene.cutter.cut();
    thread::sleep(Duration::from_millis(100));
    let up = scene.agent.act(go("up"));
    scene.cutter.close(false);
    up.wait().expect("it is asked when there is a connection").check().expect("it is possible");
    assert_eq!(scene.steps(), 1);
}

#[test]
fn does_not_repeat_calls_without_a_number() {
    let mut scene = Scene::begin(GRACE, "ws");
    scene.agent.free(None).wait().expect("it has one");
    scene.cutter.deafen(true);
    let cutter = &scene.cutter;
    let mut taking = None;
    cutter.wait_for_bytes(|| taking = Some(scene.agent.associate("red")));
    cutter.deafen(false);
    cutter.cut();
    let error = taking.expect("it was asked").wait().expect_err("the result is unknown");
    assert!(matches!(error, Error::Uncertain { method: "associate", .. }), "{error}");
    let entities = scene.environment.entities().wait().expect("the session continues");
    assert_eq!(entities.entities[0].agents, ["ada".into()], "one can look");
    scene.agent.perceive().wait().expect("it has red");
}

#[test]
fn unregisters_an_agent_although_the_connection_is_lost() {
    let scene = Scene::begin(GRACE, "tcp");
    let address = format!("tcp://{}", scene.cutter.address);
    let platform = Client::connect(&address).role(Role::Platform).wait().expect("the server listens");
    let environment = platform.environment(FIND_GOALS);
    // The server keeps a session without a connection only for its agents.
    let _eve = environment.register("eve").wait().expect("the name is free");
    let mut agent = environment.register("bob").wait().expect("the name is free");
    agent.associate("blue").wait().expect("it is free");
    scene.cutter.deafen(true);
    let mut unregistering = None;
    scene.cutter.wait_for_bytes(|| unregistering = Some(agent.unregister()));
    scene.cutter.deafen(false);
    scene.cutter.cut();
    unregistering.expect("it was asked").wait().expect("it is done");
    let mut again = environment.register("bob").wait().expect("the name is free again");
    again.associate("blue").wait().expect("it is free again");
}

#[test]
fn loses_and_repeats_no_percepts() {
    let mut scene = Scene::begin(GRACE, "tcp");
    scene.agent.perceive().wait().expect("it has red");
    let mut rewards = 0;
    for round in 0..20 {
        scene.agent.act(go(["up", "down", "wait"][round % 3])).wait().expect("it continues").check().expect("possible");
        if round % 2 == 0 {
            scene.cutter.deafen(true);
        }
        let cutter = &scene.cutter;
        let mut perceiving = None;
        cutter.wait_for_bytes(|| perceiving = Some(scene.agent.perceive()));
        if round % 2 == 0 {
            cutter.deafen(false);
            cutter.cut();
        }
        let received = perceiving.expect("it was asked").wait().expect("it is sent again");
        rewards += received[0].1.events.len();
        assert_eq!(rewards, round + 1);
    }
    assert_eq!(sorted(scene.agent.beliefs("red")), scene.truth());
}

#[test]
fn subscriptions_lose_and_repeat_no_percepts() {
    let mut scene = Scene::begin(GRACE, "ws");
    let steps = 30;
    let mut rewards = 0;
    {
        let mut percepts = scene.agent.percepts().wait().expect("it may know");
        let first = percepts.receive().wait().expect("all that holds");
        assert!(first[0].1.resync);
        for round in 0..steps {
            let cut = round % 3 == 0;
            scene.cutter.deafen(cut && round % 2 == 0);
            let acting = percepts.act(go(["up", "right", "left", "wait"][round % 4]));
            if cut {
                thread::sleep(Duration::from_millis(20));
                scene.cutter.deafen(false);
                scene.cutter.cut();
            }
            acting.wait().expect("it continues").check().expect("it is possible");
            while rewards < round + 1 {
                let received = percepts.receive().wait().expect("it continues");
                rewards += received[0].1.events.len();
            }
            assert_eq!(rewards, round + 1);
        }
    }
    assert_eq!(sorted(scene.agent.beliefs("red")), scene.truth());
    assert!(scene.agent.perceive().wait().expect("it can ask as well")[0].1.is_empty());
}

#[test]
fn survives_cuts_anywhere() {
    for scheme in ["ws", "tcp"] {
        let mut scene = Scene::begin(GRACE, scheme);
        let mut rewards = scene.agent.perceive().wait().expect("it has red")[0].1.events.len();
        scene.cutter.fray();
        for round in 0..150 {
            let direction = ["up", "right", "down", "left", "wait"][round % 5];
            let stepped = scene.agent.step(Some(go(direction))).wait().expect("it continues");
            stepped.acted.check().expect("it is possible");
            rewards += stepped.perceptions[0].1.events.len();
            assert_eq!(rewards, round + 1);
        }
        assert!(scene.cutter.connections() > 50, "{} connections were enough", scene.cutter.connections());
        assert_eq!(scene.steps(), 150, "each action is done once");
        assert_eq!(sorted(scene.agent.beliefs("red")), scene.truth());
    }
}

#[test]
fn replaces_silent_connections() {
    let scene = Scene::begin(Duration::from_secs(20), "tcp");
    scene.cutter.deafen(true);
    let mut acting = None;
    scene.cutter.wait_for_bytes(|| acting = Some(scene.agent.act(go("up"))));
    scene.cutter.deafen(false);
    let begin = Instant::now();
    acting.expect("it was asked").wait().expect("it is answered after all").check().expect("it is possible");
    assert!(begin.elapsed() < 3 * SILENCE, "{:?}", begin.elapsed());
    assert_eq!(scene.steps(), 1);
}

#[test]
fn does_not_begin_a_new_session() {
    let scene = Scene::begin(Duration::from_millis(100), "ws");
    scene.cutter.close(true);
    scene.cutter.cut();
    let acting = scene.agent.act(go("up"));
    thread::sleep(Duration::from_millis(500));
    scene.cutter.close(false);
    let error = acting.wait().expect_err("the entity is lost");
    assert_eq!(error.code(), Some(Code::SessionEnded), "{error}");
    let advice = "its agents are no longer registered: connect again and register them again; the server keeps sessions \
                  without a connection for longer with a larger --grace";
    assert!(error.to_string().ends_with(advice), "{error}");
    assert_eq!(scene.agent.pass().wait().expect_err("it stays so").code(), Some(Code::SessionEnded));
    let anew = Client::connect(&scene.server.addresses()[0]).wait().expect("the server listens");
    anew.environment(FIND_GOALS).register("ada").wait().expect("the name is free again");
}

#[test]
fn gives_up_after_the_time_for_reconnecting() {
    let scene = Scene::begin(GRACE, "tcp");
    scene.cutter.close(true);
    scene.cutter.cut();
    let begin = Instant::now();
    let error = scene.client.call(Ping {}).wait().expect_err("there is no answer");
    assert!(matches!(&error, Error::Ended(End::Lost { .. })), "{error}");
    let said = error.to_string();
    assert!(said.contains("could not be restored within"), "{said}");
    assert!(said.ends_with("register the agents again; a client with more patience tries for longer"), "{said}");
    assert_eq!(said.matches("check that").count(), 1, "{said}");
    assert!(begin.elapsed() < Duration::from_secs(7), "{:?}", begin.elapsed());
}

#[test]
fn the_last_client_that_resumes_takes_the_session() {
    use std::io::{BufRead, BufReader, Write};
    let scene = Scene::begin(GRACE, "ws");
    let mut other = std::net::TcpStream::connect(scene.server.address).expect("the server listens");
    let resume = &scene.client.greeting().resume;
    let hello = format!(r#"{{"protocol":2,"role":"agent","resume":"{resume}"}}"#);
    writeln!(other, r#"{{"jsonrpc":"2.0","id":1,"method":"hello","params":{hello}}}"#).expect("it is connected");
    let mut greeting = String::new();
    BufReader::new(&other).read_line(&mut greeting).expect("it is greeted");
    assert!(greeting.contains(r#""resumed":true"#), "{greeting}");
    thread::sleep(Duration::from_millis(100));
    let error = scene.agent.act(go("up")).wait().expect_err("another client has it now");
    assert_eq!(error.code(), Some(Code::TakenOver), "{error}");
    assert!(error.to_string().contains("; its agents continue there; let only one program at a time use"), "{error}");
}

#[test]
fn advises_to_reconnect_after_a_shutdown() {
    let mut scene = Scene::begin(GRACE, "tcp");
    scene.server.close();
    let error = loop {
        match scene.agent.pass().wait() {
            Err(error @ Error::Ended(_)) => break error,
            _ => thread::sleep(Duration::from_millis(10)),
        }
    };
    assert_eq!(error.code(), Some(Code::ShuttingDown), "{error}");
    let advice = "when the server is running again, connect again and register the agents again";
    assert!(error.to_string().ends_with(advice), "{error}");
}
