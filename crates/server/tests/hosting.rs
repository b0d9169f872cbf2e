//! Runs the host in Python against a real server, while an agent walks in its corridor.

use std::io::{BufRead, BufReader, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use situated_server::{Kinds, Server, Settings};

/// How long a host may be disconnected.
const GRACE: Duration = Duration::from_millis(300);

/// Time limit for everything.
const PATIENCE: Duration = Duration::from_secs(20);

#[test]
fn an_agent_walks_in_a_corridor_in_python_until_its_host_dies() {
    let runtime = tokio::runtime::Runtime::new().expect("the system has threads");
    let address = runtime.block_on(serve());
    let mut host = host(address);
    let mut agent = Agent::connect(address);
    agent.wait(|status| status["result"]["status"]["state"] == "running");

    agent.ask("register", json!({"environment": "corridor", "agent": "ada"})).expect("the name is free");
    agent.ask("associate", json!({"environment": "corridor", "agent": "ada", "entity": "ann"})).expect("it is free");
    let first = agent.perceive();
    assert_eq!((&first["resync"], &first["add"]), (&json!(true), &json!([at(0)])));
    assert_eq!(agent.walk(3), Ok(json!({"entity": "ann"})));
    let then = agent.perceive();
    assert_eq!((&then["add"], &then["delete"]), (&json!([at(3)]), &json!([at(0)])));

    let refused = agent.walk(6).expect_err("bob is there");
    assert!(refused.contains("cell 9 is taken or outside"), "{refused}");
    let refused = agent.walk(-4).expect_err("the corridor ends there");
    assert!(refused.contains("cell -1 is taken or outside"), "{refused}");
    let refused = agent.walk(12).expect_err("too far");
    assert!(refused.contains("walk") && refused.contains('9'), "the ontology limits it: {refused}");
    assert_eq!(agent.status()["result"]["status"]["moment"]["step"], 1, "a failed action makes no step");

    host.0.kill().expect("it runs");
    let received = agent.wait(|status| status["error"]["data"]["kind"] == "noSuchEnvironment");
    assert!(received > GRACE / 2, "a host has time to reconnect");
    let refused = agent.walk(1).expect_err("there is no corridor");
    assert!(refused.contains("there is no environment `corridor`"), "{refused}");
}

#[test]
fn the_example_is_shorter_than_seventy_lines_and_needs_only_the_standard_library() {
    let text = std::fs::read_to_string(example()).expect("the example");
    assert!(text.lines().count() < 70, "it has {} lines", text.lines().count());
    let imported = text.lines().filter(|line| line.starts_with("import") || line.starts_with("from"));
    assert_eq!(imported.collect::<Vec<_>>(), ["import json, os, socket, sys"], "the standard library is enough");
}

/// A server without an environment.
async fn serve() -> SocketAddr {
    let settings = Settings { address: (Ipv4Addr::LOCALHOST, 0).into(), grace: GRACE, ..Settings::default() };
    let server = Server::bind(settings, Kinds::new()).await.expect("there is a free port");
    let address = server.address();
    tokio::spawn(server.serve(std::future::pending()));
    address
}

/// A host, until it is dropped.
struct Host(Child);

fn host(server: SocketAddr) -> Host {
    let begun = Command::new("python3").arg(example()).arg(server.to_string()).stdout(Stdio::null()).spawn();
    Host(begun.unwrap_or_else(|error| panic!("this test needs python3 (see its package): {error}")))
}

impl Drop for Host {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A client that sends lines of JSON.
struct Agent {
    lines: BufReader<TcpStream>,
    number: u64,
}

impl Agent {
    fn connect(server: SocketAddr) -> Self {
        let stream = TcpStream::connect(server).expect("the server listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("it can be set");
        let mut agent = Self { lines: BufReader::new(stream), number: 0 };
        agent.ask("hello", json!({"protocol": 2, "role": "agent"})).expect("no token is needed");
        agent
    }

    /// Returns the whole answer to a call.
    fn call(&mut self, method: &str, params: Value) -> Value {
        self.number += 1;
        let call = json!({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params});
        writeln!(self.lines.get_mut(), "{call}").expect("the server reads");
        let mut line = String::new();
        self.lines.read_line(&mut line).expect("the server answers");
        let answer: Value = serde_json::from_str(&line).expect("JSON");
        assert_eq!(answer["id"], self.number, "{answer}");
        answer
    }

    /// Returns the result of a request, or the error.
    fn ask(&mut self, method: &str, params: Value) -> Result<Value, String> {
        let answer = self.call(method, params);
        if answer["error"].is_null() { Ok(answer["result"].clone()) } else { Err(text(&answer["error"]["message"])) }
    }

    fn status(&mut self) -> Value {
        self.call("status", json!({"environment": "corridor"}))
    }

    /// Waits until the list of environments meets a condition. Returns how long that took.
    fn wait(&mut self, until: impl Fn(&Value) -> bool) -> Duration {
        let begin = Instant::now();
        while !until(&self.status()) {
            assert!(begin.elapsed() < PATIENCE, "{}", self.status());
            thread::sleep(Duration::from_millis(10));
        }
        begin.elapsed()
    }

    /// Returns the perception of the agent's only entity.
    fn perceive(&mut self) -> Value {
        let perceive = json!({"environment": "corridor", "agent": "ada", "since": "lastCall"});
        self.ask("perceive", perceive).expect("it has an entity")["perceptions"][0].clone()
    }

    /// Walks, and returns the result for the only entity.
    fn walk(&mut self, cells: i64) -> Result<Value, String> {
        let action = json!({"name": "walk", "args": [cells]});
        let acted = self.ask("act", json!({"environment": "corridor", "agent": "ada", "action": action}))?;
        let result = &acted["results"][0];
        if result["error"].is_null() { Ok(result.clone()) } else { Err(text(&result["error"]["message"])) }
    }
}

fn at(cell: u8) -> Value {
    json!({"name": "at", "args": [cell]})
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn example() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/corridor_host.py")
}
