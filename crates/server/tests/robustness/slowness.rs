//! Clients that do not read, or read slowly.

use std::time::Duration;

use serde_json::{Value, json};
use situated_server::{LIMITS, Settings};
use situated_wire::methods::Limits;
use tokio::io::AsyncReadExt;
use tokio::time::sleep;

use crate::client::{Client, Resident};
use crate::server::{settings, start};

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
