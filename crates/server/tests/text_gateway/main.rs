//! A second gateway in its own crate. Agents of both gateways play in one environment.

mod gateway;

use serde_json::{Value, json};
use situated_find_goals::FindGoals;
use situated_server::{Kinds, Server, Settings};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{Duration, sleep};

use gateway::TextGateway;

/// A connection that sends and receives lines.
struct Lines(BufReader<TcpStream>);

impl Lines {
    async fn connect(address: std::net::SocketAddr) -> Self {
        Self(BufReader::new(TcpStream::connect(address).await.expect("the server listens")))
    }

    async fn send(&mut self, line: &str) {
        self.0.write_all(format!("{line}\n").as_bytes()).await.expect("the server reads");
    }

    async fn receive(&mut self) -> String {
        let mut line = String::new();
        self.0.read_line(&mut line).await.expect("the server answers");
        line
    }

    async fn call(&mut self, method: &str, params: Value) -> Value {
        self.send(&json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }).to_string()).await;
        let answer: Value = serde_json::from_str(&self.receive().await).expect("JSON");
        assert!(answer["error"].is_null(), "{method}: {answer}");
        answer["result"].clone()
    }

    async fn wait_for_agent_of(&mut self, entity: &str) {
        loop {
            let listed = self.call("listEntities", json!({ "environment": "maze" })).await;
            let mut listed = listed["entities"].as_array().expect("a list").iter();
            if listed.any(|one| one["entity"] == entity && one["agents"] != json!([])) {
                return;
            }
            sleep(Duration::from_millis(5)).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn agents_of_two_gateways_play_in_one_environment() {
    let settings = Settings { address: ([127, 0, 0, 1], 0).into(), ..Settings::default() };
    let server = Server::bind(settings, Kinds::new().with_environment::<FindGoals>()).await.expect("a free port");
    let create = json!({ "kind": "find-goals", "environment": "maze", "pace": "lockstep", "start": true });
    server.create(serde_json::from_value(create).expect("it is such a call")).expect("there is room");
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let (json_address, text_address) = (server.address(), listener.local_addr().expect("it is bound"));
    tokio::spawn(TextGateway::new(server.hub(), "maze").serve(listener));
    tokio::spawn(server.serve(std::future::pending()));

    let mut blue = Lines::connect(json_address).await;
    blue.call("hello", json!({ "protocol": 2, "role": "agent" })).await;
    blue.call("register", json!({ "environment": "maze", "agent": "ada" })).await;
    blue.call("associate", json!({ "environment": "maze", "agent": "ada", "entity": "blue" })).await;
    let mut red = Lines::connect(text_address).await;

    for step in 1..=3 {
        // In lockstep, the answer to either comes only after both have acted.
        red.send("red up").await;
        // A step does not wait for an entity without an agent.
        blue.wait_for_agent_of("red").await;
        let turn = json!({ "agent": "ada", "action": { "name": "wait", "args": [] } });
        let answer = blue.call("step", json!({ "environment": "maze", "agents": [turn] })).await;
        assert_eq!(answer["moment"]["step"], step);
        let line = red.receive().await;
        assert!(line.starts_with("red ") && line.contains("see(north") && !line.contains("failed"), "{line}");
    }

    // The names of agents are unique in an environment, across gateways.
    let mut other = Lines::connect(json_address).await;
    other.call("hello", json!({ "protocol": 2, "role": "platform" })).await;
    other.send(r#"{"jsonrpc":"2.0","id":1,"method":"register","params":{"environment":"maze","agent":"red"}}"#).await;
    assert!(other.receive().await.contains("agentTaken"));
    red.send("ada up").await;
    assert!(red.receive().await.contains("failed: agent `ada` belongs to another session"));
}
