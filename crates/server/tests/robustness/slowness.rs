//! Clients that do not read, or slowly.

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
async fn who_never_reads_what_it_has_subscribed_to_holds_nobody_up() {
    let server = start(settings()).await;
    let mut resident = Resident::new(&server).await;
    let mut deaf = Client::platform(&server).await;
    subscribe_to_everything(&mut deaf).await;
    for _ in 0..3_000 {
        resident.lives().await;
    }
    drop(deaf);
    resident.lives().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_asks_and_never_reads_the_answers_is_disconnected() {
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
            deaf.send_if_it_reads(&calls).await;
            sleep(Duration::from_millis(1)).await;
        }
    };
    tokio::select! {
        () = asking => {}
        () = server.comes_back_to(1, 1) => {}
    }
    resident.lives().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_reads_slowly_is_not_cut_off() {
    let limits = Limits { read_timeout_ms: 400, ..LIMITS };
    let server = start(Settings { limits, ..settings() }).await;
    Resident::new(&server).await.lives().await;
    let mut slow = Client::platform(&server).await;
    slow.get("createEnvironment", json!({ "kind": "find-goals", "environment": "other" })).await;
    let count = 1_000;
    for _ in 0..count {
        slow.begin("describe", json!({ "environment": "other" })).await;
    }
    // It takes something within the time, but not all.
    let (mut lines, mut buffer) = (0, vec![0; 128 << 10]);
    while lines < count {
        sleep(Duration::from_millis(20)).await;
        let read = slow.stream.read(&mut buffer).await.expect("it is connected");
        assert!(read > 0, "cut off after {lines} answers");
        lines += buffer[..read].iter().filter(|byte| **byte == b'\n').count();
    }
}

impl Client {
    /// Sends as much as is read.
    async fn send_if_it_reads(&mut self, text: &str) {
        let _ = self.stream.get_ref().try_write(text.as_bytes());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn batches_that_are_not_done_count_among_what_is_unread() {
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
    resident.lives().await;
}
