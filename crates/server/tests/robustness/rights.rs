//! Tokens: which clients can connect, how long wrong ones wait, and what the others can do.

use std::time::Duration;

use serde_json::{Value, json};
use situated_server::{Access, Right, Settings};
use tokio::time::Instant;

use crate::client::Client;
use crate::server::{Running, settings, start, token};

/// Starts a server with a token for each right, named after it, and one for a platform that also observes.
async fn guarded() -> Running {
    let tokens = [
        ("act", Right::Act),
        ("observe", Right::Observe),
        ("manage", Right::Manage),
        ("host", Right::Host),
        ("both", Right::Act),
        ("both", Right::Observe),
    ];
    let access = tokens.into_iter().fold(Access::open(), |access, (name, right)| access.with_token(token(name), right));
    start(Settings { access, ..settings() }).await
}

fn hello(role: &str, name: &str) -> Value {
    json!({ "protocol": 2, "role": role, "token": token(name).as_str() })
}

#[tokio::test(flavor = "multi_thread")]
async fn accepts_a_token_only_for_its_roles() {
    let server = guarded().await;
    for (role, name, expected) in [
        ("agent", "act", Ok(json!(["act"]))),
        ("platform", "act", Ok(json!(["act"]))),
        ("observer", "observe", Ok(json!(["observe"]))),
        ("observer", "manage", Ok(json!(["observe", "manage"]))),
        ("platform", "both", Ok(json!(["act", "observe"]))),
        ("observer", "both", Ok(json!(["act", "observe"]))),
        ("observer", "act", Err("forbidden")),
        ("agent", "observe", Err("forbidden")),
        ("agent", "ACT", Err("unauthorized")),
        ("agent", "", Err("unauthorized")),
    ] {
        let answered = Client::connect(&server).await.call("hello", hello(role, name)).await;
        let got = answered.map(|greeting| greeting["rights"].clone()).map_err(|error| error["data"]["kind"].clone());
        assert_eq!(got, expected.map_err(Value::from), "{role} with {name}");
    }
    server.comes_back_to(0, 0).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn observers_cannot_change_anything() {
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
async fn serves_health_without_a_token_and_metrics_with_one() {
    let server = guarded().await;
    let get = |path: &str| format!("GET {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", server.address);
    assert!(server.http(&get("/healthz")).await.ends_with("ok\n"));
    assert!(server.http(&get("/metrics")).await.starts_with("HTTP/1.1 401"));
    assert_eq!(server.metric("situated_connections").await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn hidden_state_needs_the_right_to_observe() {
    let server = guarded().await;
    let mut manager = Client::greet(&server, hello("observer", "manage")).await;
    let create = json!({ "kind": "find-goals", "environment": "maze", "seed": 770_077, "start": true });
    manager.get("createEnvironment", create).await;
    let mut stranger = Client::greet(&server, hello("agent", "act")).await;
    stranger.get("register", json!({ "environment": "maze", "agent": "stranger" })).await;
    stranger.get("associate", json!({ "environment": "maze", "agent": "stranger", "entity": "blue" })).await;
    for (role, name, may_observe) in
        [("platform", "act", false), ("host", "host", false), ("observer", "observe", true), ("platform", "both", true)]
    {
        let mut client = Client::greet(&server, hello(role, name)).await;
        let described = client.get("describe", json!({ "environment": "maze" })).await;
        assert_eq!(described["parameters"].is_object(), may_observe, "{name}: {described}");
        client.get("subscribe", json!({ "to": { "happenings": { "environment": "maze" } } })).await;
        let received = client.notification().await;
        assert_eq!(received["params"]["happenings"][1]["episode"]["number"], 1, "{received}");
        assert_eq!(received.to_string().contains("770077"), may_observe, "{name}: {received}");
        let properties = [
            (json!({ "environment": "maze", "property": "name" }), true),
            (json!({ "environment": "maze", "property": "version" }), true),
            (json!({ "environment": "maze", "property": "requiredVersion" }), true),
            (json!({ "environment": "maze", "entity": "blue", "property": "type" }), true),
            (json!({ "environment": "maze", "property": "log" }), may_observe),
            (json!({ "environment": "maze", "property": "type" }), may_observe),
            (json!({ "environment": "maze", "entity": "blue", "property": "name" }), may_observe),
            (json!({ "environment": "maze", "entity": "blue", "property": "position" }), may_observe),
        ];
        for (property, is_open) in properties {
            let answered = client.call("query", property.clone()).await;
            let refused = answered.as_ref().is_err_and(|error| error["data"]["kind"] == "forbidden");
            assert_eq!(refused, !is_open, "{name}, {property}: {answered:?}");
        }
    }
    // An agent may ask about its own entity.
    let own = json!({ "environment": "maze", "entity": "blue", "property": "position" });
    let refused = stranger.call("query", own).await.expect_err("it has no position");
    assert_eq!(refused["data"]["kind"], "noSuchProperty");
    assert_eq!(refused["message"], "entity `blue` has no property `position`; it has `type`");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_platform_acts_and_observes_in_one_session() {
    let server = guarded().await;
    let mut manager = Client::greet(&server, hello("observer", "manage")).await;
    manager.get("createEnvironment", json!({ "kind": "find-goals", "environment": "maze", "start": true })).await;
    let mut platform = Client::greet(&server, hello("platform", "both")).await;
    platform.get("register", json!({ "environment": "maze", "agent": "ada" })).await;
    platform.get("associate", json!({ "environment": "maze", "agent": "ada", "entity": "red" })).await;
    platform.get("scene", json!({ "environment": "maze" })).await;
    let turns = json!([{ "agent": "ada", "action": { "name": "up" } }]);
    platform.get("step", json!({ "environment": "maze", "agents": turns })).await;
    let refused = platform.call("manage", json!({ "environment": "maze", "command": "pause" })).await;
    assert_eq!(refused.expect_err("it may not")["data"]["kind"], "forbidden");
}

/// A server with tokens of these names, each with the right to act.
async fn guarded_by(names: &[&str]) -> Running {
    let access = names.iter().fold(Access::open(), |access, name| access.with_token(token(name), Right::Act));
    start(Settings { access, ..settings() }).await
}

fn platform(name: &str) -> Value {
    json!({ "protocol": 2, "role": "platform", "token": token(name).as_str() })
}

#[tokio::test(flavor = "multi_thread")]
async fn delays_wrong_tokens_increasingly_and_valid_ones_never() {
    let server = guarded_by(&["act"]).await;
    let mut waited = Duration::ZERO;
    for number in 0..6 {
        let (begin, mut guest) = (Instant::now(), Client::connect(&server).await);
        let refused = guest.call("hello", platform(&format!("guess {number}"))).await.expect_err("it is wrong");
        assert_eq!(refused["data"]["kind"], "unauthorized");
        waited = begin.elapsed();
    }
    assert!(waited >= Duration::from_millis(1600), "the sixth wrong token waited {waited:?}");
    // From the same address, while the next wrong token waits.
    let mut guest = Client::connect(&server).await;
    let id = guest.begin("hello", platform("guess")).await;
    let begin = Instant::now();
    for _ in 0..20 {
        Client::greet(&server, platform("act")).await;
    }
    let served = begin.elapsed();
    guest.answer(id).await.expect_err("it is wrong");
    assert!(begin.elapsed() >= Duration::from_millis(3200), "the seventh waited {:?}", begin.elapsed());
    assert!(served < begin.elapsed(), "all clients with a valid token were served meanwhile, within {served:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn resumes_a_session_only_with_its_original_token() {
    let server = guarded_by(&["red", "blue"]).await;
    let client = Client::greet(&server, platform("red")).await;
    let resume = |name: &str| {
        let mut hello = platform(name);
        hello["resume"] = client.greeting["resume"].clone();
        hello
    };
    // The session remains as long as its connection.
    let refused = Client::connect(&server).await.call("hello", resume("blue")).await.expect_err("it is of others");
    assert_eq!(refused["data"]["kind"], "forbidden");
    let resumed = Client::greet(&server, resume("red")).await;
    assert_eq!(resumed.greeting["resumed"], true);
}
