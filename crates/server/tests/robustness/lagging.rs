//! Clients that read slowly, or not at all.

use std::time::Duration;

use serde_json::{Value, json};
use situated_server::{LIMITS, Settings};
use situated_wire::methods::Limits;
use tokio::io::AsyncReadExt;
use tokio::time::sleep;

use crate::client::{Client, Resident};
use crate::server::{Running, settings, start};

/// Number of events that are remembered for an agent and an entity.
const REMEMBERED: u64 = 1_024;

/// Creates a paused environment without its own pace, with an agent.
async fn enter(server: &Running) -> Client {
    let mut client = Client::platform(server).await;
    let pace = json!({ "realTime": { "stepsPerSecond": 1000.0 } });
    client.get("createEnvironment", json!({ "kind": "find-goals", "environment": "maze", "pace": pace })).await;
    client.get("setSpeed", json!({ "environment": "maze", "speed": null })).await;
    client.get("register", json!({ "environment": "maze", "agent": "ada" })).await;
    client.get("associate", json!({ "environment": "maze", "agent": "ada", "entity": "red" })).await;
    client
}

async fn advance(client: &mut Client, steps: u64) {
    client.get("advance", json!({ "environment": "maze", "steps": steps })).await;
}

async fn perceive(client: &mut Client) -> Value {
    client.get("perceive", json!({ "environment": "maze", "agent": "ada" })).await["perceptions"][0].clone()
}

fn events(received: &Value) -> u64 {
    received["events"].as_array().map_or(0, |events| events.len() as u64)
}

#[tokio::test(flavor = "multi_thread")]
async fn delivers_all_events_up_to_the_limit_and_counts_the_lost_ones() {
    let server = start(settings()).await;
    let mut client = enter(&server).await;
    perceive(&mut client).await;
    advance(&mut client, REMEMBERED).await;
    let received = perceive(&mut client).await;
    assert_eq!((events(&received), received["lost"].as_u64()), (REMEMBERED, None));
    advance(&mut client, REMEMBERED + 777).await;
    let received = perceive(&mut client).await;
    assert_eq!((events(&received), received["lost"].as_u64()), (REMEMBERED, Some(777)));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_slow_subscriber_gets_one_complete_update_and_the_number_of_lost_events() {
    const STEPS: u64 = 30_000;
    let server = start(settings()).await;
    let mut client = enter(&server).await;
    client.get("subscribe", json!({ "to": { "percepts": { "environment": "maze", "agent": "ada" } } })).await;
    let mut manager = Client::platform(&server).await;
    for _ in 0..30 {
        // Meanwhile the other connection is not read.
        advance(&mut manager, STEPS / 30).await;
    }
    let (mut received, mut lost, mut version) = (0, 0, Value::Null);
    while received + lost < STEPS {
        let notification = client.notification().await;
        let update = &notification["params"]["perceptions"][0];
        assert!(version.is_null() || update["since"] == version, "nothing is left out: {version} {update}");
        version = update["version"].clone();
        received += events(update);
        lost += update["lost"].as_u64().unwrap_or_default();
    }
    assert_eq!(received + lost, STEPS, "each is delivered once, or lost");
    assert_eq!(perceive(&mut client).await["version"], version);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_very_slow_subscriber_gets_the_current_state_and_the_number_of_missed_happenings() {
    let server = start(settings()).await;
    let mut client = enter(&server).await;
    client.get("subscribe", json!({ "to": { "happenings": { "environment": "maze" } } })).await;
    let mut other = Client::platform(&server).await;
    for number in 0..6_000 {
        let agent = json!({ "environment": "maze", "agent": format!("guest{number}") });
        other.get("register", agent.clone()).await;
        other.get("unregister", agent).await;
    }
    other.get("register", json!({ "environment": "maze", "agent": "the last" })).await;
    let mut agents: Vec<Value> = Vec::new();
    while !agents.contains(&json!("the last")) {
        let received = client.notification().await["params"].clone();
        if received["resync"] == true {
            agents.clear();
        }
        assert!(received["lost"] == 0 || received["resync"] == true, "{received}");
        for happening in received["happenings"].as_array().expect("a list") {
            if let Some(agent) = happening["registered"].get("agent") {
                agents.push(agent.clone());
            }
            agents.retain(|agent| happening["unregistered"].get("agent") != Some(agent));
        }
    }
    assert_eq!(agents, [json!("ada"), json!("the last")]);
}

/// Subscribes to everything about an environment.
async fn subscribe_to_everything(client: &mut Client) {
    for to in [
        json!({ "environments": {} }),
        json!({ "happenings": { "environment": "home" } }),
        json!({ "scene": { "environment": "home" } }),
        json!({ "activity": { "environment": "home", "entity": "red" } }),
        json!({ "activity": { "environment": "home" } }),
    ] {
        client.get("subscribe", json!({ "to": to })).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_subscriber_that_never_reads_delays_no_other_client() {
    let server = start(settings()).await;
    let mut resident = Resident::new(&server).await;
    let mut deaf = Client::platform(&server).await;
    subscribe_to_everything(&mut deaf).await;
    for _ in 0..3_000 {
        resident.check().await;
    }
    drop(deaf);
    resident.check().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn disconnects_clients_that_never_read_answers() {
    let limits = Limits { read_timeout_ms: 300, ..LIMITS };
    let server = start(Settings { limits, grace: Duration::from_millis(100), ..settings() }).await;
    let mut resident = Resident::new(&server).await;
    let mut deaf = Client::platform(&server).await;
    let calls: String = (0..200)
        .map(|id| json!({ "jsonrpc": "2.0", "id": id, "method": "describe", "params": { "environment": "home" } }))
        .map(|call: Value| format!("{call}\n"))
        .collect();
    let asking = async {
        loop {
            deaf.send_if_read(&calls).await;
            sleep(Duration::from_millis(1)).await;
        }
    };
    tokio::select! {
        () = asking => {}
        () = server.comes_back_to(1, 1) => {}
    }
    resident.check().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn does_not_disconnect_slow_readers() {
    let limits = Limits { read_timeout_ms: 400, ..LIMITS };
    let server = start(Settings { limits, ..settings() }).await;
    Resident::new(&server).await.check().await;
    let mut slow = Client::platform(&server).await;
    slow.get("createEnvironment", json!({ "kind": "find-goals", "environment": "other" })).await;
    let count = 1_000;
    for _ in 0..count {
        slow.begin("describe", json!({ "environment": "other" })).await;
    }
    // It reads some data within the time limit, but not all.
    let (mut lines, mut buffer) = (0, vec![0; 128 << 10]);
    while lines < count {
        sleep(Duration::from_millis(20)).await;
        let read = slow.stream.read(&mut buffer).await.expect("it is connected");
        assert!(read > 0, "cut off after {lines} answers");
        lines += buffer[..read].iter().filter(|byte| **byte == b'\n').count();
    }
}

impl Client {
    /// Sends a text if the server reads.
    async fn send_if_read(&mut self, text: &str) {
        let _ = self.stream.get_ref().try_write(text.as_bytes());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn counts_unfinished_batches_as_unread_answers() {
    let server = start(settings()).await;
    let mut resident = Resident::new(&server).await;
    let mut hoarder = Client::platform(&server).await;
    let call = |id: u64, method: &str, params: Value| json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
    let after = json!({ "episode": 1000, "step": 0, "time": 0 });
    let mut batch = vec![call(0, "wait", json!({ "environment": "home", "after": after }))];
    batch.extend((1..256).map(|id| call(id, "describe", json!({ "environment": "home" }))));
    let batch = format!("{}\n", json!(batch));
    for _ in 0..64 {
        hoarder.send(&batch).await;
    }
    assert_eq!(hoarder.closing().await, "limit");
    resident.check().await;
}
