//! Recorded conversations with the real server, to which all clients are held: see tests/conversations. This test records
//! them with `UPDATE=1`, and otherwise plays the server.

use std::collections::{BTreeMap, VecDeque};
use std::fs;
use std::io::{BufRead, BufReader, Lines, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};
use situated::iil::{Action, Percept};
use situated_client::{Client, Environment, Error};
use situated_wire::Code;
use situated_wire::methods::Role;

use crate::server::{FIND_GOALS, TestServer};

/// The other end of a client: the real server, whose conversation is recorded, or a recorded one.
struct Stage {
    address: SocketAddr,
    scene: Scene,
}

enum Scene {
    Recording { server: TestServer, script: Arc<Mutex<Script>>, path: PathBuf },
    Playing(Arc<Mutex<Vec<String>>>),
}

/// The messages so far, and the connection.
#[derive(Default)]
struct Script {
    lines: Vec<Value>,
    connection: Option<TcpStream>,
    /// The method at whose next call the connection is lost, before the server gets it.
    losing: Option<&'static str>,
}

impl Script {
    fn lose_connection(&mut self) {
        self.lines.push(json!({ "lost": true }));
        let connection = self.connection.take().expect("it is there");
        connection.shutdown(Shutdown::Both).expect("it is open");
    }
}

impl Stage {
    fn open(name: &str) -> Self {
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("../../tests/conversations/{name}.jsonl"));
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let address = listener.local_addr().expect("it listens");
        let scene = if std::env::var_os("UPDATE").is_some() {
            let (server, script) = (TestServer::open(Duration::from_secs(10)), Arc::default());
            let (to, told) = (server.address, Arc::clone(&script));
            thread::spawn(move || listener.incoming().flatten().for_each(|client| record(client, to, &told)));
            Scene::Recording { server, script, path }
        } else {
            let script = fs::read_to_string(&path).expect("it is recorded");
            let (script, faults): (_, Arc<Mutex<Vec<String>>>) = (read(&script), Arc::default());
            let told = Arc::clone(&faults);
            thread::spawn(move || {
                if let Err(fault) = play(&listener, &script) {
                    told.lock().expect("no panic").push(fault);
                }
            });
            Scene::Playing(faults)
        };
        Self { address, scene }
    }

    async fn connect(&self) -> Client {
        let address = format!("tcp://{}", self.address);
        Client::connect(&address).role(Role::Platform).await.expect("it greets")
    }

    /// Another agent, if this is the real server.
    async fn partner(&self) -> Option<Client> {
        match &self.scene {
            Scene::Recording { server, .. } => {
                Some(Client::connect(&server.addresses()[1]).role(Role::Platform).await.expect("it greets"))
            }
            Scene::Playing(_) => None,
        }
    }

    /// Loses the connection when the last line of the client calls this method.
    async fn lose_after(&self, method: &str) {
        self.wait_for(method, Script::lose_connection).await;
    }

    /// Loses the message and the connection when the client calls this method next.
    fn lose_at(&self, method: &'static str) {
        if let Scene::Recording { script, .. } = &self.scene {
            script.lock().expect("no panic").losing = Some(method);
        }
    }

    /// Waits until the last line that was recorded calls this method, and then does something.
    async fn wait_for(&self, method: &str, act: impl FnOnce(&mut Script)) {
        let Scene::Recording { script, .. } = &self.scene else { return };
        let calls = |script: &Script| script.lines.last().is_some_and(|line| line["sent"]["method"] == method);
        while !calls(&script.lock().expect("no panic")) {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        act(&mut script.lock().expect("no panic"));
    }

    /// Keeps what was recorded, or checks that all was as recorded.
    async fn close(self, client: Client) {
        client.close().await.expect("it is connected");
        match self.scene {
            Scene::Recording { script, path, .. } => {
                let (mut lines, mut heard) = (script.lock().expect("no panic").lines.clone(), Vec::new());
                lines.retain(|line| !line["sent"].is_object() || !is_repeated(&line["sent"], &mut heard));
                let lines: String = lines.iter().map(|line| format!("{line}\n")).collect();
                fs::write(path, lines).expect("the file can be written");
            }
            Scene::Playing(faults) => assert_eq!(*faults.lock().expect("no panic"), [""; 0]),
        }
    }
}

/// Passes lines on, and notes them.
fn record(client: TcpStream, server: SocketAddr, script: &Arc<Mutex<Script>>) {
    let server = TcpStream::connect(server).expect("it listens");
    script.lock().expect("no panic").connection = Some(client.try_clone().expect("it is open"));
    for (key, from, to) in [
        ("sent", client.try_clone().expect("it is open"), server.try_clone().expect("it is open")),
        ("received", server, client),
    ] {
        let script = Arc::clone(script);
        thread::spawn(move || pass(key, from, to, &script));
    }
}

fn pass(key: &str, from: TcpStream, mut to: TcpStream, script: &Mutex<Script>) {
    for line in BufReader::new(from).lines().map_while(Result::ok) {
        let message: Value = serde_json::from_str(&line).expect("it is JSON");
        let mut script = script.lock().expect("no panic");
        if key == "sent" && script.losing.take_if(|method| message["method"] == *method).is_some() {
            script.lose_connection();
            break;
        }
        script.lines.push(json!({ key: message }));
        drop(script);
        if writeln!(to, "{line}").is_err() {
            break;
        }
    }
    // It may be closed already.
    let _ = to.shutdown(Shutdown::Both);
}

fn read(script: &str) -> Vec<Value> {
    script.lines().map(|line| serde_json::from_str(line).expect("it is JSON")).collect()
}

/// Plays the server. Returns an error if the client says something else than in the script.
fn play(listener: &TcpListener, script: &[Value]) -> Result<(), String> {
    for scene in script.split(|line| line.get("lost").is_some()) {
        let (client, _) = listener.accept().map_err(|error| error.to_string())?;
        let mut out = client.try_clone().map_err(|error| error.to_string())?;
        let mut said =
            Said { lines: BufReader::new(client).lines(), calls: VecDeque::new(), notifications: Vec::new() };
        let mut ids = BTreeMap::new();
        for line in scene {
            if let Some(expected) = line.get("sent") {
                ids.insert(expected["id"].to_string(), said.expect(expected)?);
            } else {
                let mut message = line["received"].clone();
                if let Some(id) = message.get_mut("id") {
                    *id = ids.remove(&id.to_string()).unwrap_or_default();
                }
                writeln!(out, "{message}").map_err(|error| error.to_string())?;
            }
        }
        out.shutdown(Shutdown::Both).map_err(|error| error.to_string())?;
    }
    Ok(())
}

/// The messages of a client. Notifications may be repeated, and come before or after the calls around them.
struct Said {
    lines: Lines<BufReader<TcpStream>>,
    calls: VecDeque<Value>,
    notifications: Vec<Value>,
}

impl Said {
    /// Waits for a message. Returns its id.
    fn expect(&mut self, expected: &Value) -> Result<Value, String> {
        let (is_call, wanted) = (expected.get("id").is_some(), essence(expected));
        while if is_call { self.calls.is_empty() } else { !self.notifications.contains(&wanted) } {
            let line = self.lines.next().and_then(Result::ok);
            let line = line.ok_or_else(|| format!("expected {expected}, and the client has gone"))?;
            let message: Value = serde_json::from_str(&line).map_err(|error| error.to_string())?;
            match message.get("id") {
                Some(_) => self.calls.push_back(message),
                None => self.notifications.push(essence(&message)),
            }
        }
        match if is_call { self.calls.pop_front() } else { None } {
            Some(message) if essence(&message) != wanted => {
                Err(format!("expected {expected}\nthe client said {message}"))
            }
            Some(message) => Ok(message["id"].clone()),
            None => Ok(Value::Null),
        }
    }
}

/// Whether a message is a notification of the client that it has sent before, such as an acknowledgement.
fn is_repeated(message: &Value, heard: &mut Vec<Value>) -> bool {
    let is_repeated = message.get("id").is_none() && heard.contains(message);
    heard.push(message.clone());
    is_repeated
}

/// What counts of a message of the client.
fn essence(message: &Value) -> Value {
    let params = &message["params"];
    let params = if message["method"] == "hello" {
        json!({ "protocol": params["protocol"], "role": params["role"], "resume": params["resume"] })
    } else {
        params.clone()
    };
    json!([message["method"], without_defaults(&params)])
}

fn without_defaults(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let is_default = |key: &str, value: &Value| match value {
                Value::Null => true,
                Value::Array(items) => items.is_empty(),
                Value::Object(fields) => fields.is_empty(),
                _ => {
                    key == "form" && value == "update"
                        || key == "perceive" && value == true
                        || key == "intervalMs" && value == 0
                }
            };
            let fields = fields.iter().filter(|(key, value)| !is_default(key, value));
            fields.map(|(key, value)| (key.clone(), without_defaults(value))).collect::<serde_json::Map<_, _>>().into()
        }
        Value::Array(items) => items.iter().map(without_defaults).collect(),
        other => other.clone(),
    }
}

fn action(name: &str) -> Action {
    Action::new(name, [])
}

fn find_goals(client: &Client) -> Environment {
    client.environment(FIND_GOALS)
}

#[tokio::test]
async fn a_client_plays_as_recorded() {
    let stage = Stage::open("playing");
    let client = stage.connect().await;
    let mut ada = find_goals(&client).register("ada").await.expect("the name is free");
    ada.associate("red").await.expect("it is free");
    let first = ada.perceive().await.expect("it runs").remove(0).1;
    assert!(first.resync && first.add.contains(&Percept::new("see", ["north".into(), "free".into()])), "{first:?}");
    let stepped = ada.step(Some(action("up"))).await.expect("it runs");
    assert_eq!(stepped.perceptions[0].1.events, [Percept::new("reward", [(-1).into()])]);
    let refused = ada.step(Some(action("jump"))).await.expect_err("there is no such action");
    let Error::Refused(refused) = refused else { panic!("{refused}") };
    assert_eq!(refused.code(), Some(Code::NotSupportedByEnvironment));
    let stepped = ada.step(Some(action("right"))).await.expect("it runs");
    assert_eq!(stepped.acted.moment.step, 2);
    assert!(ada.perceive().await.expect("it runs")[0].1.is_empty(), "it knows all");
    assert_eq!(ada.beliefs("red").len(), first.add.len());
    ada.free(Some("red")).await.expect("it is hers");
    ada.unregister().await.expect("she is registered");
    stage.close(client).await;
}

#[tokio::test]
async fn a_client_listens_as_recorded() {
    let stage = Stage::open("listening");
    let client = stage.connect().await;
    let mut ada = find_goals(&client).register("ada").await.expect("the name is free");
    ada.associate("red").await.expect("it is free");
    let mut percepts = ada.percepts_of(&["see"], Duration::ZERO).await.expect("it may perceive");
    let mut rewards = 0;
    for name in [None, Some("up"), Some("right")] {
        if let Some(name) = name {
            percepts.act(action(name)).await.expect("it runs").check().expect("it is possible");
        }
        let told = percepts.receive().await.expect("something has changed").remove(0).1;
        rewards += told.events.len();
    }
    assert_eq!(rewards, 2);
    drop(percepts);
    assert!(ada.beliefs("red").contains(&Percept::new("see", ["north".into(), "wall".into()])));
    ada.unregister().await.expect("she is registered");
    stage.close(client).await;
}

/// The server does not know that the second notification has arrived. The third, after the interval, repeats what it
/// had.
#[tokio::test]
async fn a_client_ignores_what_it_has_as_recorded() {
    let stage = Stage::open("repeating");
    let client = stage.connect().await;
    let mut ada = find_goals(&client).register("ada").await.expect("the name is free");
    ada.associate("red").await.expect("it is free");
    let mut percepts = ada.percepts_of(&["see"], Duration::from_millis(500)).await.expect("it may perceive");
    let first = percepts.receive().await.expect("it perceives everything").remove(0).1;
    percepts.act(action("up")).await.expect("it runs").check().expect("it is possible");
    stage.lose_at("acknowledge");
    let second = percepts.receive().await.expect("something has changed").remove(0).1;
    percepts.act(action("right")).await.expect("the session goes on").check().expect("it is possible");
    let third = percepts.receive().await.expect("something has changed").remove(0).1;
    assert_eq!([&first, &second, &third].map(|told| told.events.len()), [0, 1, 1], "each event comes once");
    assert_eq!((third.since, third.resync), (second.version, false));
    drop(percepts);
    let mut beliefs = first.add;
    second.apply(&mut beliefs);
    third.apply(&mut beliefs);
    assert_eq!(ada.beliefs("red"), beliefs);
    assert!(beliefs.contains(&Percept::new("at", [4.into(), 2.into()])), "{beliefs:?}");
    ada.unregister().await.expect("she is registered");
    stage.close(client).await;
}

#[tokio::test]
async fn a_client_resumes_as_recorded() {
    let stage = Stage::open("resuming");
    let client = stage.connect().await;
    let mut ada = find_goals(&client).register("ada").await.expect("the name is free");
    ada.associate("red").await.expect("it is free");
    let partner = stage.partner().await;
    let mut bob = None;
    if let Some(partner) = &partner {
        let mut agent = find_goals(partner).register("bob").await.expect("the name is free");
        agent.associate("blue").await.expect("it is free");
        bob = Some(agent);
    }
    // In lockstep, the answer comes when both have acted.
    let acted = ada.act(action("up"));
    stage.lose_after("act").await;
    if let Some(bob) = bob {
        stage.wait_for("act", |_| ()).await;
        bob.act(action("wait")).await.expect("it runs").check().expect("it is possible");
    }
    let acted = acted.await.expect("the session goes on");
    assert_eq!(acted.moment.step, 1, "the action runs once");
    acted.check().expect("it is possible");
    ada.unregister().await.expect("she is registered");
    stage.close(client).await;
}
