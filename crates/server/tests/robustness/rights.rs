//! Who comes in, and what they may do, where there are tokens.

use serde_json::{Value, json};
use situated_server::{Access, Right, Settings};

use crate::client::Client;
use crate::server::{Running, settings, start};

/// A token for each right, which is called like it.
async fn guarded() -> Running {
    let access = [("act", Right::Act), ("observe", Right::Observe), ("manage", Right::Manage)]
        .into_iter()
        .fold(Access::open(), |access, (token, right)| access.with_token(token, right));
    start(Settings { access, ..settings() }).await
}

fn hello(role: &str, token: &str) -> Value {
    json!({ "protocol": 2, "role": role, "token": token })
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_opens_the_door_for_its_roles_only() {
    let server = guarded().await;
    for (role, token, expected) in [
        ("agent", "act", Ok(json!(["act"]))),
        ("platform", "act", Ok(json!(["act"]))),
        ("observer", "observe", Ok(json!(["observe"]))),
        ("observer", "manage", Ok(json!(["observe", "manage"]))),
        ("observer", "act", Err("forbidden")),
        ("agent", "observe", Err("forbidden")),
        ("agent", "ACT", Err("unauthorized")),
        ("agent", "", Err("unauthorized")),
    ] {
        let answered = Client::connect(&server).await.call("hello", hello(role, token)).await;
        let got = answered.map(|greeting| greeting["rights"].clone()).map_err(|error| error["data"]["kind"].clone());
        assert_eq!(got, expected.map_err(Value::from), "{role} with {token}");
    }
    server.comes_back_to(0, 0).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_may_only_watch_changes_nothing() {
    let server = guarded().await;
    let mut manager = Client::greet(&server, hello("observer", "manage")).await;
    manager.get("createEnvironment", json!({ "kind": "find-goals", "environment": "maze" })).await;
    let mut watcher = Client::greet(&server, hello("observer", "observe")).await;
    watcher.get("scene", json!({ "environment": "maze" })).await;
    for (method, params) in [
        ("manage", json!({ "environment": "maze", "command": "start" })),
        ("removeEnvironment", json!({ "environment": "maze" })),
        ("register", json!({ "environment": "maze", "agent": "ada" })),
        ("free", json!({ "environment": "maze", "entity": "red" })),
        ("menu", json!({ "environment": "maze", "agent": "ada", "entity": "red" })),
        ("unregister", json!({ "environment": "maze", "agent": "ada" })),
    ] {
        let refused = watcher.call(method, params).await.expect_err("it may not");
        assert_eq!(refused["data"]["kind"], "forbidden", "{method}");
    }
    let status = manager.get("status", json!({ "environment": "maze" })).await;
    assert_eq!(status["status"]["state"], "paused");
}

#[tokio::test(flavor = "multi_thread")]
async fn health_is_for_everybody_and_metrics_are_not() {
    let server = guarded().await;
    let get = |path: &str| format!("GET {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", server.address);
    assert!(server.http(&get("/healthz")).await.ends_with("ok\n"));
    assert!(server.http(&get("/metrics")).await.starts_with("HTTP/1.1 401"));
    assert_eq!(server.metric("situated_connections").await, 0);
}
