//! The envelope: JSON-RPC 2.0.

use serde_json::{Value, json};
use situated_wire::Code;

use super::greeting::refused_unknown;
use crate::server::client::{check_error, check_message};
use crate::server::stage::Stage;
use crate::server::stop::{Checked, ensure, ensure_equal};

group! {
    "envelope-ids" "Frames" "An answer has the id of its call, which can be any integer or text." ids;
    "envelope-unanswered" "Frames" "A call without an id, or with the id null, gets no answer and no error." unanswered;
    "envelope-once" "Frames" "Every call is answered exactly once." once;
    "envelope-order" "Frames" "Calls about one environment are executed in order." order;
    "envelope-batch" "Frames" "The answers to a batch come in one frame, in the order of its calls." batch;
    "envelope-batch-unanswered" "Frames" "A batch of notifications gets no answer." batch_unanswered;
    "envelope-batch-length" "Frames" "A batch has 1 to 256 messages." batch_length;
    "envelope-batch-wrong" "Frames" "Invalid messages in a batch are rejected, and the others are executed." batch_wrong;
    "envelope-parse" "Frames" "Text that is not JSON is rejected with the id null, and the connection stays open." parse;
    "envelope-invalid" "Frames" "JSON that is not a message is rejected, with its id if it has one." invalid;
    "envelope-method" "Errors" "An unknown method is rejected, and the error suggests the most similar name." method;
    "envelope-parameters" "Frames" "Parameters must be an object with known keys; others are rejected." parameters;
    "envelope-errors" "Errors" "Every error has a message, a stable code, and the name of the code." errors;
}

fn ping(id: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": "ping" })
}

async fn ids(stage: &mut Stage<'_>) -> Checked {
    let client = stage.platform().await?;
    let numbers = [0, -1, 1 << 53, (1 << 53) + 1, i64::MAX, i64::MIN].map(Value::from);
    let texts = ["", "7", "a b", "\u{1f916}", "\"\\\n"].map(Value::from);
    for id in numbers.iter().chain(&texts) {
        client.send(&ping(id)).await?;
        let frame = client.frame().await?;
        check_message(&frame)?;
        ensure_equal("the id", id, &frame["id"])?;
    }
    Ok(())
}

async fn unanswered(stage: &mut Stage<'_>) -> Checked {
    let client = stage.platform().await?;
    client.send(&json!({ "jsonrpc": "2.0", "method": "ping" })).await?;
    client.send(&json!({ "jsonrpc": "2.0", "id": null, "method": "ping" })).await?;
    client.notify("there is no such method", json!({})).await?;
    client.notify("status", json!({ "environment": "there is no such environment" })).await?;
    client.settle().await
}

async fn once(stage: &mut Stage<'_>) -> Checked {
    let client = stage.platform().await?;
    let mut begun = Vec::new();
    for _ in 0..20 {
        begun.push(client.begin("ping", json!({})).await?);
        begun.push(client.begin("listEnvironments", json!({})).await?);
        begun.push(client.begin("unsubscribe", json!({ "subscription": 1 })).await?);
    }
    for id in begun.into_iter().rev() {
        let _ = client.answer(id).await?;
    }
    // A second answer would fail here, as an answer without a call.
    client.settle().await
}

async fn order(stage: &mut Stage<'_>) -> Checked {
    let environment = stage.environment().await?;
    let (client, name) = (stage.platform().await?, stage.name());
    let agent = || environment.of(json!({ "agent": name }));
    let mut begun = Vec::new();
    for _ in 0..10 {
        begun.push(client.begin("register", agent()).await?);
        begun.push(client.begin("unregister", agent()).await?);
    }
    for id in begun {
        let answered = client.answer(id).await?;
        let got = json!(answered.as_ref().err());
        ensure(answered.is_ok(), "an agent is registered and unregistered ten times", got)?;
    }
    Ok(())
}

async fn batch(stage: &mut Stage<'_>) -> Checked {
    let client = stage.platform().await?;
    let unanswered = json!({ "jsonrpc": "2.0", "method": "ping" });
    let unknown = json!({ "jsonrpc": "2.0", "id": "b", "method": "there is no such method" });
    client.send(&json!([ping(&"a".into()), unanswered, unknown, ping(&3.into())])).await?;
    let frame = client.frame().await?;
    let ids: Vec<&Value> = frame.as_array().into_iter().flatten().map(|answer| &answer["id"]).collect();
    ensure_equal("answers in one frame", &json!(["a", "b", 3]), &json!(ids))?;
    for answer in frame.as_array().into_iter().flatten() {
        check_message(answer)?;
    }
    ensure_equal("the error of the second", &(Code::NoSuchMethod as i32).into(), &frame[1]["error"]["code"])
}

async fn batch_unanswered(stage: &mut Stage<'_>) -> Checked {
    let client = stage.platform().await?;
    let unanswered = json!({ "jsonrpc": "2.0", "method": "ping" });
    client.send(&json!([unanswered, unanswered])).await?;
    client.settle().await
}

async fn batch_length(stage: &mut Stage<'_>) -> Checked {
    let client = stage.platform().await?;
    client.send(&json!([])).await?;
    refused_unknown(&client, Code::InvalidRequest).await?;
    let pings = |count: i32| Value::Array((0..count).map(|id| ping(&id.into())).collect());
    client.send(&pings(257)).await?;
    refused_unknown(&client, Code::InvalidRequest).await?;
    client.send(&pings(256)).await?;
    let frame = client.frame().await?;
    let length = frame.as_array().map_or(0, Vec::len);
    ensure(length == 256, "256 answers", length)
}

async fn batch_wrong(stage: &mut Stage<'_>) -> Checked {
    let client = stage.platform().await?;
    let as_list = json!(["2.0", 5, "ping"]);
    client.send(&json!([1, ping(&2.into()), { "jsonrpc": "1.0", "id": 3, "method": "ping" }, as_list])).await?;
    let frame = client.frame().await?;
    let answers = frame.as_array().into_iter().flatten();
    let got: Vec<Value> = answers.map(|answer| json!([answer["id"], answer["error"]["code"]])).collect();
    let invalid = Code::InvalidRequest as i32;
    let expected = json!([[null, invalid], [2, null], [3, invalid], [null, invalid]]);
    ensure_equal("ids and errors of a batch with wrong messages", &expected, &json!(got))
}

async fn parse(stage: &mut Stage<'_>) -> Checked {
    let client = stage.platform().await?;
    for text in ["{", "this is not JSON", "{\"jsonrpc\":\"2.0\",\"id\":1", "[1,", "\u{0}"] {
        client.send_text(text).await?;
        refused_unknown(&client, Code::Parse).await?;
    }
    client.settle().await
}

async fn invalid(stage: &mut Stage<'_>) -> Checked {
    let client = stage.platform().await?;
    for (message, id) in [
        (json!(7), Value::Null),
        (json!({ "id": 1, "method": "ping" }), 1.into()),
        (json!({ "jsonrpc": "1.0", "id": "a", "method": "ping" }), "a".into()),
        (json!({ "jsonrpc": "2.0", "id": 2, "method": 5 }), 2.into()),
        (json!({ "jsonrpc": "2.0", "id": 3 }), 3.into()),
        (json!({ "jsonrpc": "2.0", "id": 4, "method": "ping", "colour": "red" }), 4.into()),
        (json!({ "jsonrpc": "2.0", "id": 1.5, "method": "ping" }), Value::Null),
        (json!({ "jsonrpc": "2.0", "id": [], "method": "ping" }), Value::Null),
    ] {
        client.send(&message).await?;
        let frame = client.frame().await?;
        check_message(&frame)?;
        ensure_equal("the id", &id, &frame["id"])?;
        ensure_equal("the code", &(Code::InvalidRequest as i32).into(), &frame["error"]["code"])?;
    }
    client.settle().await
}

async fn method(stage: &mut Stage<'_>) -> Checked {
    let client = stage.platform().await?;
    let error = client.refused("listEntites", json!({}), Code::NoSuchMethod).await?;
    let message = error["message"].as_str().unwrap_or_default();
    ensure(message.contains("listEntities"), "the nearest name, `listEntities`", message)?;
    client.refused(&"x".repeat(10_000), json!({}), Code::NoSuchMethod).await.map(drop)
}

async fn parameters(stage: &mut Stage<'_>) -> Checked {
    let client = stage.platform().await?;
    for (method, params) in [
        ("ping", json!({ "colour": "red" })),
        ("ping", json!([])),
        ("ping", json!("red")),
        ("status", json!({})),
        ("status", json!(["red"])),
        ("status", json!({ "environment": 7 })),
        ("subscribe", json!({ "to": "everything" })),
    ] {
        client.refused(method, params, Code::InvalidParameters).await?;
    }
    client.get("ping", Value::Null).await.map(drop)
}

async fn errors(stage: &mut Stage<'_>) -> Checked {
    let client = stage.platform().await?;
    let nowhere = json!({ "environment": "there is no such environment" });
    for (method, params) in [
        ("there is no such method", json!({})),
        ("status", json!({})),
        ("status", nowhere.clone()),
        ("describe", nowhere),
        ("describeKind", json!({ "kind": "there is no such kind" })),
        ("unsubscribe", json!({ "subscription": 77 })),
    ] {
        match client.call(method, params).await? {
            Err(error) => check_error(&error)?,
            Ok(result) => return ensure(false, format!("`{method}` is refused"), result),
        }
    }
    Ok(())
}
