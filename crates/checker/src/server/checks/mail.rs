//! Messages between agents.

use serde_json::{Value, json};
use situated_wire::Code;

use crate::server::beliefs::list;
use crate::server::client::Client;
use crate::server::stage::Stage;
use crate::server::stop::{Checked, ensure, ensure_equal};

/// Number of messages of the check of their order.
const MESSAGES: u64 = 100;

group! {
    "mail-delivered" "Messages" "A message reaches all its receivers, with its sender and all its parameters." delivered;
    "mail-order" "Messages" "Messages of one agent to another arrive once and in order." order;
    "mail-again" "Messages" "Messages that are not acknowledged come again when a session is resumed, and others do not." again;
    "mail-numbered" "Messages" "A message with a number that was accepted before is not sent again." numbered;
    "mail-nobody" "Messages" "For a receiver that does not exist, the sender gets a failure." nobody;
    "mail-directory" "Messages" "An agent registers a service with the directory, and another finds it there." directory;
    "mail-forged" "Messages" "An agent cannot send messages in the name of another." forged;
    "mail-foreign" "Messages" "A client can neither read the mail of agents of other sessions nor write as them." foreign;
}

/// Connects a platform with a mailbox, and subscribes to its mail.
async fn correspondent(stage: &mut Stage<'_>) -> Checked<(Client, String, u64)> {
    let (client, agent) = (stage.platform().await?, stage.name());
    client.get("openMailbox", json!({ "agent": agent })).await?;
    let subscription = client.subscribe(json!({ "mail": { "agent": agent } })).await?;
    Ok((client, agent, subscription))
}

/// Waits until this many messages have arrived.
async fn arrived(client: &Client, subscription: u64, count: usize) -> Checked<Vec<Value>> {
    let mut messages = Vec::new();
    while messages.len() < count {
        messages.extend(list(&client.notification(subscription).await?["messages"]));
    }
    Ok(messages)
}

async fn send(client: &Client, agent: &str, receiver: &str, content: &str, number: Option<u64>) -> Checked {
    let message = json!({ "performative": "inform", "receivers": [receiver], "content": content });
    let mut params = json!({ "agent": agent, "message": message });
    if let Some(number) = number {
        params["number"] = number.into();
    }
    client.get("send", params).await.map(drop)
}

fn contents(messages: &[Value]) -> Value {
    messages.iter().map(|one| one["message"]["content"].clone()).collect()
}

async fn delivered(stage: &mut Stage<'_>) -> Checked {
    let (ada, from, _) = correspondent(stage).await?;
    let (bob, to, to_bob) = correspondent(stage).await?;
    let (cleo, other, to_cleo) = correspondent(stage).await?;
    let mut message = json!({
        "performative": "cfp",
        "receivers": [to, { "name": other, "addresses": ["http://nowhere.example/acc"] }],
        "replyTo": [other],
        "content": { "bytes": "AP8=" },
        "language": "fipa-sl",
        "encoding": { "string": "word" },
        "ontology": { "list": ["fruit", { "number": "12" }, "two words"] },
        "protocol": "fipa-contract-net",
        "conversationId": "c1",
        "replyWith": { "number": "1.50" },
        "inReplyTo": { "time": "20300101T120000000Z" },
        "replyBy": "+00000000T000500000",
        "parameters": [{ "name": "X-level", "value": "high" }],
    });
    ada.get("send", json!({ "agent": from, "message": message })).await?;
    message["sender"] = from.into();
    for (client, subscription) in [(bob, to_bob), (cleo, to_cleo)] {
        let received = arrived(&client, subscription, 1).await?;
        ensure_equal("the message", &message, &received[0]["message"])?;
    }
    Ok(())
}

async fn order(stage: &mut Stage<'_>) -> Checked {
    let (ada, from, _) = correspondent(stage).await?;
    let (bob, to, subscription) = correspondent(stage).await?;
    let wanted: Value = (0..MESSAGES).map(|number| number.to_string()).collect();
    for number in 0..MESSAGES {
        send(&ada, &from, &to, &number.to_string(), None).await?;
    }
    let messages = arrived(&bob, subscription, MESSAGES as usize).await?;
    ensure_equal("the contents", &wanted, &contents(&messages))?;
    let numbers: Vec<u64> = messages.iter().filter_map(|one| one["number"].as_u64()).collect();
    ensure(numbers.is_sorted_by(|one, next| one < next), "the numbers increase", json!(numbers))
}

async fn again(stage: &mut Stage<'_>) -> Checked {
    let (ada, from, _) = correspondent(stage).await?;
    let guest = stage.greet("platform", stage.plan.token.clone().as_deref()).await?;
    let to = stage.name();
    guest.client.get("openMailbox", json!({ "agent": to })).await?;
    let subscription = guest.client.subscribe(json!({ "mail": { "agent": to } })).await?;
    send(&ada, &from, &to, "1", None).await?;
    send(&ada, &from, &to, "2", None).await?;
    let messages = arrived(&guest.client, subscription, 2).await?;
    guest.client.get("acknowledgeMail", json!({ "agent": to, "number": messages[0]["number"] })).await?;
    guest.client.drop_connection().await;
    send(&ada, &from, &to, "3", None).await?;
    let resumed = stage.greet_with(guest.resuming()).await?;
    let messages = arrived(&resumed.client, subscription, 2).await?;
    ensure_equal("the messages that were not acknowledged", &json!(["2", "3"]), &contents(&messages))
}

async fn numbered(stage: &mut Stage<'_>) -> Checked {
    let (ada, from, _) = correspondent(stage).await?;
    let (bob, to, subscription) = correspondent(stage).await?;
    for (number, content) in [(1, "1"), (1, "1"), (2, "2"), (1, "1"), (2, "2"), (3, "3")] {
        send(&ada, &from, &to, content, Some(number)).await?;
    }
    let messages = arrived(&bob, subscription, 3).await?;
    ensure_equal("the contents", &json!(["1", "2", "3"]), &contents(&messages))
}

async fn nobody(stage: &mut Stage<'_>) -> Checked {
    let (ada, from, subscription) = correspondent(stage).await?;
    let message =
        json!({ "performative": "request", "receivers": [stage.name()], "conversationId": "c1", "replyWith": "r1" });
    ada.get("send", json!({ "agent": from, "message": message })).await?;
    let failure = arrived(&ada, subscription, 1).await?.remove(0)["message"].take();
    for (key, value) in [
        ("performative", "failure"),
        ("sender", "ams"),
        ("conversationId", "c1"),
        ("inReplyTo", "r1"),
        ("language", "fipa-sl0"),
    ] {
        ensure_equal(key, &json!(value), &failure[key])?;
    }
    let says_why = failure["content"].as_str().is_some_and(|content| content.ends_with(" not-registered)"));
    ensure(says_why, "a content that ends with the reason `not-registered`", &failure)
}

async fn directory(stage: &mut Stage<'_>) -> Checked {
    let (ada, from, _) = correspondent(stage).await?;
    let (bob, to, _) = correspondent(stage).await?;
    // The name of an agent is unique, and so is that of its service.
    let services = format!(":services (set (service-description :name \"{from}\" :type trade))");
    let register = format!("(register (df-agent-description :name (agent-identifier :name \"{from}\") {services}))");
    let search = format!("(search (df-agent-description {services}))");
    for (client, agent, function, wanted) in [(&ada, &from, register, "((done "), (&bob, &to, search, "((result ")] {
        let content = format!("((action (agent-identifier :name df) {function}))");
        let message = json!({
            "performative": "request", "receivers": ["df"], "content": content,
            "language": "fipa-sl0", "ontology": "FIPA-Agent-Management", "replyWith": "r1",
        });
        let answer = client.get("askDirectory", json!({ "agent": agent, "message": message })).await?;
        let message = &answer["message"];
        ensure_equal("the act", &json!("inform"), &message["performative"])?;
        ensure_equal("the sender", &json!("df"), &message["sender"])?;
        ensure_equal("the token of the answer", &json!("r1"), &message["inReplyTo"])?;
        let content = message["content"].as_str().unwrap_or_default();
        let finds = wanted == "((done " || content.matches("service-description").count() == 2;
        ensure(content.starts_with(wanted) && finds, "a content with the result", message)?;
    }
    let message = json!({ "performative": "request", "receivers": [to] });
    ada.refused("askDirectory", json!({ "agent": from, "message": message }), Code::InvalidParameters).await.map(drop)
}

async fn forged(stage: &mut Stage<'_>) -> Checked {
    let (ada, from, _) = correspondent(stage).await?;
    let (_, to, _) = correspondent(stage).await?;
    let message = json!({ "performative": "inform", "sender": to, "receivers": [to] });
    ada.refused("send", json!({ "agent": from, "message": message }), Code::Forbidden).await?;
    ada.refused("openMailbox", json!({ "agent": "ams" }), Code::NotRegistrable).await.map(drop)
}

async fn foreign(stage: &mut Stage<'_>) -> Checked {
    let (ada, _, _) = correspondent(stage).await?;
    let (_, to, _) = correspondent(stage).await?;
    let message = json!({ "performative": "inform", "receivers": [to] });
    ada.refused("send", json!({ "agent": to, "message": message }), Code::Forbidden).await?;
    ada.refused("subscribe", json!({ "to": { "mail": { "agent": to } } }), Code::Forbidden).await?;
    ada.refused("acknowledgeMail", json!({ "agent": to, "number": 0 }), Code::Forbidden).await?;
    ada.refused("closeMailbox", json!({ "agent": to }), Code::Forbidden).await?;
    ada.refused("openMailbox", json!({ "agent": to }), Code::AgentTaken).await.map(drop)
}
