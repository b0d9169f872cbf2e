//! A client that speaks lines of JSON.

use serde_json::{Value, json};
use std::collections::VecDeque;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::server::{PATIENCE, Running};

/// A client that speaks lines of JSON.
pub(crate) struct Client {
    pub(crate) stream: BufReader<TcpStream>,
    pub(crate) greeting: Value,
    next_id: i64,
    notifications: VecDeque<Value>,
}

impl Client {
    /// Opens a connection without sending anything.
    pub(crate) async fn connect(server: &Running) -> Self {
        let stream = TcpStream::connect(server.address).await.expect("the server listens");
        stream.set_nodelay(true).expect("it is a socket");
        Self { stream: BufReader::new(stream), greeting: Value::Null, next_id: 1, notifications: VecDeque::new() }
    }

    /// A platform.
    pub(crate) async fn platform(server: &Running) -> Self {
        Self::greet(server, json!({ "protocol": 2, "role": "platform" })).await
    }

    /// Connects and sends this `hello`.
    pub(crate) async fn greet(server: &Running, hello: Value) -> Self {
        let mut client = Self::connect(server).await;
        client.greeting = client.call("hello", hello).await.expect("the server accepts it");
        client
    }

    /// The `hello` that resumes its session.
    pub(crate) fn resuming(&self) -> Value {
        json!({ "protocol": 2, "role": "platform", "resume": self.greeting["resume"] })
    }

    pub(crate) async fn send(&mut self, text: &str) {
        self.stream.get_mut().write_all(text.as_bytes()).await.expect("the server reads");
    }

    /// Makes a call without waiting for the answer. Returns its id.
    pub(crate) async fn begin(&mut self, method: &str, params: Value) -> i64 {
        let id = self.next_id;
        self.next_id += 1;
        let call = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        self.send(&format!("{call}\n")).await;
        id
    }

    /// Makes a call and waits for the answer. Keeps other frames that arrive.
    pub(crate) async fn call(&mut self, method: &str, params: Value) -> Result<Value, Value> {
        let id = self.begin(method, params).await;
        self.answer(id).await
    }

    /// Waits for the answer to a call. Keeps other frames that arrive.
    pub(crate) async fn answer(&mut self, id: i64) -> Result<Value, Value> {
        loop {
            let frame = self.frame().await.expect("it is connected");
            if frame.get("method").is_some() {
                self.notifications.push_back(frame);
                continue;
            }
            assert_eq!(frame["id"], id, "{frame}");
            return if frame["error"].is_null() { Ok(frame["result"].clone()) } else { Err(frame["error"].clone()) };
        }
    }

    /// Makes a call that must succeed.
    pub(crate) async fn get(&mut self, method: &str, params: Value) -> Value {
        let answered = self.call(method, params.clone()).await;
        answered.unwrap_or_else(|error| panic!("{method} {params}: {error}"))
    }

    /// The next frame; `None` after the server has closed the connection.
    pub(crate) async fn frame(&mut self) -> Option<Value> {
        let mut line = String::new();
        let read = timeout(PATIENCE, self.stream.read_line(&mut line)).await.expect("something comes");
        match read {
            Ok(1..) => Some(serde_json::from_str(&line).unwrap_or_else(|error| panic!("{line}: {error}"))),
            _ => None,
        }
    }

    /// Whether a notification has arrived.
    pub(crate) fn has_notification(&self) -> bool {
        !self.notifications.is_empty()
    }

    /// The next notification.
    pub(crate) async fn notification(&mut self) -> Value {
        match self.notifications.pop_front() {
            Some(kept) => kept,
            None => self.frame().await.expect("it is connected"),
        }
    }

    /// Waits until the server closes the connection, and returns the reason.
    pub(crate) async fn closing(&mut self) -> String {
        loop {
            let frame = self.notification().await;
            if frame["method"] == "closing" {
                assert_eq!(self.frame().await, None);
                return frame["params"]["reason"]["data"]["kind"].as_str().expect("a kind").to_owned();
            }
        }
    }
}

/// An agent that other clients must not disturb.
pub(crate) struct Resident {
    pub(crate) client: Client,
    steps: u64,
}

impl Resident {
    /// Creates an agent, alone in its own environment.
    pub(crate) async fn new(server: &Running) -> Self {
        let mut client = Client::platform(server).await;
        // In lockstep, no step happens without this agent, however long the server is busy.
        let create = json!({ "kind": "find-goals", "environment": "home", "start": true, "patienceMs": 600_000 });
        client.get("createEnvironment", create).await;
        client.get("register", json!({ "environment": "home", "agent": "resident" })).await;
        client.get("associate", json!({ "environment": "home", "agent": "resident", "entity": "red" })).await;
        Self { client, steps: 0 }
    }

    /// Checks that the server still answers it.
    pub(crate) async fn check(&mut self) {
        let turns = json!([{ "agent": "resident", "action": { "name": "wait" } }]);
        let stepped = self.client.get("step", json!({ "environment": "home", "agents": turns })).await;
        self.steps += 1;
        assert_eq!(stepped["moment"]["step"], self.steps);
    }
}
