//! The limits of a server.

use serde_json::{Value, json};
use situated_wire::Code;

use super::greeting::refused_unknown;
use crate::server::client::check_message;
use crate::server::stage::Stage;
use crate::server::stop::{Checked, Stop, ensure};

/// Up to which limit it is tried whether it holds.
const TRIED: u64 = 4_096;

/// How many calls are sent in one frame.
const BATCH: u64 = 256;

group! {
    "limits-frame" "Type Limits" "A frame may be as long as the greeting says; a longer one is told, and disconnected." frame;
    "limits-text" "Errors" "A frame that is no text is told, and disconnected." text;
    "limits-subscriptions" "Type Limits" "A session has as many subscriptions as the greeting says." subscriptions;
    "limits-waiting" "Type Limits" "As many calls wait as the greeting says; those beyond are refused." waiting;
    "limits-nesting" "Errors" "JSON that is nested beyond measure harms nobody." nesting;
}

async fn frame(stage: &mut Stage<'_>) -> Checked {
    let guest = stage.greet("platform", stage.plan.token.as_deref()).await?;
    let longest = guest.limit("frameBytes")?;
    if longest > 64 << 20 {
        return Err(Stop::skipped("frames may be too long to be tried"));
    }
    let longest = usize::try_from(longest).unwrap_or(usize::MAX);
    let ping = r#"{"jsonrpc":"2.0","id":"long","method":"ping"}"#;
    let padded = |length: usize| format!("{ping}{}", " ".repeat(length - ping.len()));
    guest.client.send_text(&padded(longest)).await?;
    let answer = guest.client.frame().await?;
    check_message(&answer)?;
    ensure(answer["id"] == "long", "an answer to the longest frame", &answer)?;
    // It may be disconnected before it has sent all of it.
    let _ = guest.client.send_text(&padded(longest * 2)).await;
    guest.client.closed(Code::Limit).await
}

async fn text(stage: &mut Stage<'_>) -> Checked {
    let client = stage.platform().await?;
    let pinged = client.begin("ping", json!({})).await?;
    client.send_what_is_no_text().await?;
    client.answer(pinged).await?.map_err(|error| Stop::failed("an answer to what came before", error))?;
    client.closed(Code::Parse).await
}

async fn subscriptions(stage: &mut Stage<'_>) -> Checked {
    let environment = stage.environment().await?;
    let guest = stage.greet("platform", stage.plan.token.as_deref()).await?;
    let limit = guest.limit("subscriptions")?;
    if limit > TRIED {
        return Err(Stop::skipped("there may be too many subscriptions to be tried"));
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
        return Err(Stop::skipped("too many calls may wait to be tried"));
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
        // Each is answered, with a moment or with the limit.
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
