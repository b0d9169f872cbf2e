//! Environments that are created and removed while the server runs.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use situated_server::Settings;
use tokio::task::JoinSet;

use crate::client::{Client, Resident};
use crate::server::{settings, start};

#[tokio::test(flavor = "multi_thread")]
async fn notifies_watchers_when_environments_are_created_and_removed() {
    let server = start(settings()).await;
    let mut resident = Resident::new(&server).await;
    let mut watcher = Client::platform(&server).await;
    watcher.get("subscribe", json!({ "to": { "environments": {} } })).await;
    let mut manager = Client::platform(&server).await;
    for round in 0..30 {
        let mut names = BTreeSet::new();
        for _ in 0..5 {
            let made = manager.get("createEnvironment", json!({ "kind": "find-goals", "start": round % 2 == 0 })).await;
            names.insert(made["status"]["environment"].as_str().expect("a name").to_owned());
        }
        assert_eq!(names.len(), 5, "each has a name of its own");
        resident.check().await;
        for name in names {
            manager.get("removeEnvironment", json!({ "environment": name })).await;
        }
    }
    watcher.get("ping", json!({})).await;
    let listed = manager.get("listEnvironments", json!({})).await;
    assert_eq!(listed["environments"].as_array().map(Vec::len), Some(1));
    assert!(!server.get("/metrics").await.contains("environment=\"find-goals"), "metrics count no removed environment");
}

#[tokio::test(flavor = "multi_thread")]
async fn environments_created_at_the_same_time_get_different_names() {
    let server = start(settings()).await;
    let mut comers = JoinSet::new();
    for _ in 0..8 {
        let mut client = Client::platform(&server).await;
        comers.spawn(async move {
            let mut names: Vec<Value> = Vec::new();
            for _ in 0..8 {
                let made = client.get("createEnvironment", json!({ "kind": "find-goals" })).await;
                names.push(made["status"]["environment"].clone());
            }
            names
        });
    }
    let names: BTreeSet<String> = comers.join_all().await.into_iter().flatten().map(|name| name.to_string()).collect();
    assert_eq!(names.len(), 64);
}

#[tokio::test(flavor = "multi_thread")]
async fn rejects_environments_beyond_the_limit() {
    let server = start(Settings { environments: 2, ..settings() }).await;
    let mut resident = Resident::new(&server).await;
    let create = || json!({ "kind": "find-goals" });
    resident.client.get("createEnvironment", create()).await;
    let refused = resident.client.call("createEnvironment", create()).await.expect_err("there are two");
    assert_eq!(refused["data"]["kind"], "limit");
    resident.client.get("removeEnvironment", json!({ "environment": "find-goals" })).await;
    resident.client.get("createEnvironment", create()).await;
    resident.check().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn removes_only_the_environment_of_the_host_that_leaves() {
    let server = start(settings()).await;
    let mut manager = Client::platform(&server).await;
    let described = manager.get("describeKind", json!({ "kind": "find-goals" })).await;
    let mut host = Client::greet(&server, json!({ "protocol": 2, "role": "host" })).await;
    let announced = json!({ "ontology": described["ontology"], "environment": "shed" });
    host.get("host", announced).await;
    manager.get("removeEnvironment", json!({ "environment": "shed" })).await;
    manager.get("createEnvironment", json!({ "kind": "find-goals", "environment": "shed" })).await;
    drop(host);
    server.comes_back_to(1, 1).await;
    let status = manager.get("status", json!({ "environment": "shed" })).await;
    assert_eq!(status["status"]["state"], "paused");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_environment_without_room_is_refused() {
    const MEMORY: usize = 16 << 10;
    let server = start(Settings { memory: Some(MEMORY), ..settings() }).await;
    let mut resident = Resident::new(&server).await;
    let mut names = Vec::new();
    let refused = loop {
        match resident.client.call("createEnvironment", json!({ "kind": "find-goals" })).await {
            Ok(made) => names.push(made["status"]["environment"].clone()),
            Err(error) => break error,
        }
        let stored = usize::try_from(server.metric("situated_kept_bytes").await).expect("not less than nothing");
        assert!(stored > 0 && stored <= MEMORY / 2, "{stored} bytes are stored");
    };
    assert_eq!(refused["data"]["kind"], "limit");
    let message = refused["message"].as_str().expect("a message");
    assert!(message.starts_with("the server cannot keep environment `find-goals-"), "{message}");
    assert!(message.contains("start the server with more --memory"), "{message}");
    let last = names.pop().expect("there was room for one");
    resident.client.get("removeEnvironment", json!({ "environment": last })).await;
    resident.client.get("createEnvironment", json!({ "kind": "find-goals" })).await;
    resident.check().await;
}
