//! The limits of a server.

use serde_json::{Value, json};
use situated_wire::Code;

use super::greeting::refused_unknown;
use crate::server::client::check_message;
use crate::server::stage::Stage;
use crate::server::stop::{Checked, Stop, ensure};

/// Maximum limit that is tested.
const TRIED: u64 = 4_096;

/// Number of calls in one frame.
const BATCH: u64 = 256;

group! {
    "limits-frame" "Type Limits" "A frame may have the length in the greeting; for a longer one the server sends an error and closes the connection." frame;
    "limits-text" "Errors" "For a frame that is not text, the server sends an error and closes the connection." text;
    "limits-subscriptions" "Type Limits" "A session can have the number of subscriptions in the greeting, and no more." subscriptions;
    "limits-waiting" "Type Limits" "The number of calls in the greeting can wait; further ones are rejected." waiting;
    "limits-nesting" "Errors" "JSON that is nested far too deeply does no harm." nesting;
}

async fn frame(stage: &mut Stage<'_>) -> Checked {
    let guest = stage.greet("platform", stage.plan.token.as_deref()).await?;
    let longest = guest.limit("frameBytes")?;
    if longest > 64 << 20 {
        return Err(Stop::skipped("the limit is too large to be tested"));
    }
    let longest = usize::try_from(longest).unwrap_or(usize::MAX);
    let ping = r#"{"jsonrpc":"2.0","id":"long","method":"ping"}"#;
    let padded = |length: usize| format!("{ping}{}", " ".repeat(length - ping.len()));
    guest.client.send_text(&padded(longest)).await?;
    let answer = guest.client.frame().await?;
    check_message(&answer)?;
    ensure(answer["id"] == "long", "an answer to the longest frame", &answer)?;
    // The server may close the connection before all of it is sent.
    let _ = guest.client.send_text(&padded(longest * 2)).await;
    guest.client.closed(Code::Limit).await
}

async fn text(stage: &mut Stage<'_>) -> Checked {
    let client = stage.platform().await?;
    let pinged = client.begin("ping", json!({})).await?;
    client.send_what_is_no_text().await?;
    client.answer(pinged).await?.map_err(|error| Stop::failed("an answer to the call before", error))?;
    client.closed(Code::Parse).await
}

async fn subscriptions(stage: &mut Stage<'_>) -> Checked {
    let environment = stage.environment().await?;
    let guest = stage.greet("platform", stage.plan.token.as_deref()).await?;
    let limit = guest.limit("subscriptions")?;
    if limit > TRIED {
        return Err(Stop::skipped("the limit is too large to be tested"));
    }
    let to = json!({ "to": { "happenings": { "environment": environment.name } } });
    let call = |id: u64| json!({ "jsonrpc": "2.0", "id": format!("s{id}"), "method": "subscribe", "params": to });
    let mut sent = 0;
    while sent < limit {
        let end = limit.min(sent + BATCH);
        guest.client.send(&Value::Array((sent..end).map(call).collect())).await?;
        loop {
            let frame = guest.client.frame().await?;
            if let Some(answers) = frame.as_array() {
                let wrong = answers.iter().find(|answer| answer.get("error").is_some());
                ensure(wrong.is_none(), format!("{limit} subscriptions"), wrong.unwrap_or(&Value::Null))?;
                break;
            }
            ensure(frame["method"] == "happenings", "notifications", &frame)?;
        }
        sent = end;
    }
    guest.client.refused("subscribe", to.clone(), Code::Limit).await?;
    guest.client.get("unsubscribe", json!({ "subscription": 1 })).await?;
    guest.client.subscribe(to["to"].clone()).await.map(drop)
}

async fn waiting(stage: &mut Stage<'_>) -> Checked {
    let environment = stage.own_environment(json!({ "pace": { "realTime": { "stepsPerSecond": 50.0 } } })).await?;
    let keeper = stage.manager().await?;
    let guest = stage.greet("platform", stage.plan.token.as_deref()).await?;
    let limit = guest.limit("pendingRequests")?;
    if limit > TRIED {
        return Err(Stop::skipped("the limit is too large to be tested"));
    }
    let after = json!({ "episode": 1, "step": 0, "time": 0 });
    let mut begun = Vec::new();
    for _ in 0..limit + 10 {
        begun.push(guest.client.begin("wait", environment.of(json!({ "after": after }))).await?);
    }
    let last = begun.pop().unwrap_or_default();
    let beyond = guest.client.answer(last).await?;
    let kind = beyond.as_ref().err().map(|error| error["data"]["kind"].clone()).unwrap_or_default();
    ensure(kind == "limit" || kind == "busy", "a call beyond the limit is refused", json!(beyond.ok()))?;
    keeper.get("advance", environment.of(json!({ "steps": 1 }))).await?;
    for id in begun {
        // Each call gets an answer: a moment or the limit.
        let _ = guest.client.answer(id).await?;
    }
    guest.client.settle().await
}

async fn nesting(stage: &mut Stage<'_>) -> Checked {
    let guest = stage.greet("platform", stage.plan.token.as_deref()).await?;
    let depth = usize::try_from(guest.limit("frameBytes")? / 2).unwrap_or_default().min(200_000);
    guest.client.send_text(&"[".repeat(depth)).await?;
    refused_unknown(&guest.client, Code::Parse).await?;
    let lists = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    guest.client.send_text(&lists).await?;
    let answer = guest.client.frame().await?;
    let refused = answer.as_array().and_then(|answers| answers.first()).unwrap_or(&answer);
    ensure(refused.get("error").is_some(), "an error", &answer)?;
    guest.client.send_text(&format!(r#"{{"jsonrpc":"2.0","id":"deep","method":"ping","params":{lists}}}"#)).await?;
    let answer = guest.client.frame().await?;
    ensure(answer["error"]["code"] == Code::InvalidParameters as i32, "the parameters are refused", &answer)?;
    guest.client.settle().await
}
