//! Wrong tokens, and tokens of other clients.

use std::time::Duration;

use serde_json::{Value, json};
use situated_server::{Access, Right, Settings};
use tokio::time::Instant;

use crate::client::Client;
use crate::server::{Running, settings, start, token};

/// A server with tokens of these names, each with the right to act.
async fn guarded(names: &[&str]) -> Running {
    let access = names.iter().fold(Access::open(), |access, name| access.with_token(token(name), Right::Act));
    start(Settings { access, ..settings() }).await
}

fn hello(name: &str) -> Value {
    json!({ "protocol": 2, "role": "platform", "token": token(name).as_str() })
}

#[tokio::test(flavor = "multi_thread")]
async fn delays_wrong_tokens_increasingly_and_valid_ones_never() {
    let server = guarded(&["act"]).await;
    let mut waited = Duration::ZERO;
    for number in 0..6 {
        let (begin, mut guest) = (Instant::now(), Client::connect(&server).await);
        let refused = guest.call("hello", hello(&format!("guess {number}"))).await.expect_err("it is wrong");
        assert_eq!(refused["data"]["kind"], "unauthorized");
        waited = begin.elapsed();
    }
    assert!(waited >= Duration::from_millis(1600), "the sixth wrong token waited {waited:?}");
    // From the same address, while the next wrong token waits.
    let mut guest = Client::connect(&server).await;
    let id = guest.begin("hello", hello("guess")).await;
    let begin = Instant::now();
    for _ in 0..20 {
        Client::greet(&server, hello("act")).await;
    }
    let served = begin.elapsed();
    guest.answer(id).await.expect_err("it is wrong");
    assert!(begin.elapsed() >= Duration::from_millis(3200), "the seventh waited {:?}", begin.elapsed());
    assert!(served < begin.elapsed(), "all clients with a valid token were served meanwhile, within {served:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn resumes_a_session_only_with_its_original_token() {
    let server = guarded(&["red", "blue"]).await;
    let client = Client::greet(&server, hello("red")).await;
    let resume = |name: &str| {
        let mut hello = hello(name);
        hello["resume"] = client.greeting["resume"].clone();
        hello
    };
    // The session remains as long as its connection.
    let refused = Client::connect(&server).await.call("hello", resume("blue")).await.expect_err("it is of others");
    assert_eq!(refused["data"]["kind"], "forbidden");
    let resumed = Client::greet(&server, resume("red")).await;
    assert_eq!(resumed.greeting["resumed"], true);
}
