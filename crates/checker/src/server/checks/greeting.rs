//! The greeting: the call `hello` and its answer.

use serde_json::{Value, json};
use situated_wire::{Code, PROTOCOL};

use crate::server::client::{Client, check_message};
use crate::server::stage::Stage;
use crate::server::stop::{Checked, Stop, ensure, ensure_equal};

group! {
    "greeting-answer" "hello" "A greeting contains the version, the rights, a resume token, the grace period and the limits." answer;
    "greeting-roles" "hello" "Each role gets its right." roles;
    "greeting-first" "Sessions" "The server rejects any other first message than `hello`, and closes the connection." first;
    "greeting-alone" "Sessions" "`hello` is not accepted in a batch." alone;
    "greeting-version" "hello" "Another version of the protocol is rejected." version;
    "greeting-parameters" "Frames" "Unknown parameters and unknown roles are rejected." parameters;
    "greeting-token" "hello" "A server with tokens rejects a missing or unknown token." token;
    "greeting-once" "hello" "A second `hello` is rejected, and the session continues." once;
}

async fn answer(stage: &mut Stage<'_>) -> Checked {
    let guest = stage.greet("platform", stage.plan.token.as_deref()).await?;
    let greeting = &guest.greeting;
    ensure_equal("the version", &PROTOCOL.into(), &greeting["protocol"])?;
    ensure_equal("a new session", &false.into(), &greeting["resumed"])?;
    ensure(greeting["server"].is_string() && greeting["graceMs"].is_u64(), "`server` and `graceMs`", greeting)?;
    ensure(
        greeting["resume"].as_str().is_some_and(|token| token.len() >= 16),
        "a token that cannot be guessed",
        greeting,
    )?;
    for limit in ["frameBytes", "requestsPerSecond", "pendingRequests", "agents", "subscriptions", "readTimeoutMs"] {
        guest.limit(limit)?;
    }
    let other = stage.greet("platform", stage.plan.token.as_deref()).await?;
    ensure(greeting["resume"] != other.greeting["resume"], "a token of its own for each session", greeting)
}

async fn roles(stage: &mut Stage<'_>) -> Checked {
    for role in ["agent", "platform"] {
        let guest = stage.greet(role, stage.plan.token.as_deref()).await?;
        ensure(guest.may("act"), format!("`{role}` may act"), &guest.greeting)?;
    }
    let agent = stage.greet("agent", stage.plan.token.as_deref()).await?;
    ensure(agent.limit("agents")? == 1, "a single agent in the role of one", &agent.greeting)?;
    let observer = stage.watch().await?;
    ensure(observer.may("observe"), "`observer` may observe", &observer.greeting)?;
    observer.client.settle().await
}

async fn first(stage: &mut Stage<'_>) -> Checked {
    let client = stage.connect().await?;
    client.refused("ping", json!({}), Code::HelloRequired).await?;
    client.closed(Code::HelloRequired).await
}

async fn alone(stage: &mut Stage<'_>) -> Checked {
    let client = stage.connect().await?;
    let mut hello = json!({ "protocol": PROTOCOL, "role": "platform" });
    if let Some(token) = &stage.plan.token {
        hello["token"] = token.as_str().into();
    }
    client.send(&json!([{ "jsonrpc": "2.0", "id": 1, "method": "hello", "params": hello }])).await?;
    refused_unknown(&client, Code::HelloRequired).await?;
    client.closed(Code::HelloRequired).await
}

async fn version(stage: &mut Stage<'_>) -> Checked {
    let client = stage.connect().await?;
    let hello = json!({ "protocol": PROTOCOL + 1000, "role": "platform", "token": stage.plan.token });
    client.refused("hello", hello, Code::Version).await?;
    client.closed(Code::Version).await
}

async fn parameters(stage: &mut Stage<'_>) -> Checked {
    for hello in [
        json!({ "protocol": PROTOCOL, "role": "platform", "colour": "red" }),
        json!({ "protocol": PROTOCOL, "role": "emperor" }),
        json!({ "protocol": PROTOCOL }),
        json!({ "protocol": "one", "role": "platform" }),
    ] {
        let client = stage.connect().await?;
        client.refused("hello", hello, Code::InvalidParameters).await?;
        client.closed(Code::InvalidParameters).await?;
    }
    Ok(())
}

async fn token(stage: &mut Stage<'_>) -> Checked {
    if stage.plan.token.is_none() && stage.plan.manager_token.is_none() {
        return Err(Stop::skipped("no token was given"));
    }
    for token in [Value::Null, "".into(), "nobody knows this token".into()] {
        let client = stage.connect().await?;
        let hello = json!({ "protocol": PROTOCOL, "role": "platform", "token": token });
        client.refused("hello", hello, Code::Unauthorized).await?;
        client.closed(Code::Unauthorized).await?;
    }
    Ok(())
}

async fn once(stage: &mut Stage<'_>) -> Checked {
    let guest = stage.greet("platform", stage.plan.token.as_deref()).await?;
    guest.client.refused("hello", guest.hello, Code::InvalidRequest).await?;
    guest.client.settle().await
}

/// Checks that the next frame is an error without an id.
pub(super) async fn refused_unknown(client: &Client, code: Code) -> Checked {
    let frame = client.frame().await?;
    check_message(&frame)?;
    let expected = format!("an error `{}` with the id null", code.kind());
    ensure(frame["error"]["code"] == code as i32 && frame["id"].is_null(), expected, &frame)
}
