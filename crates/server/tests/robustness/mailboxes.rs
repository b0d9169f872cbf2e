//! Agents that flood the mail.

use serde_json::{Value, json};
use situated_server::Settings;

use crate::client::{Client, Resident};
use crate::server::{Running, settings, start};

/// The memory of the server. Its mailboxes have an eighth of it.
const MEMORY: usize = 32 << 20;

/// An agent with an open mailbox on a connection of its own.
async fn agent(server: &Running, name: &str) -> Client {
    let mut client = Client::platform(server).await;
    client.get("openMailbox", json!({ "agent": name })).await;
    client
}

/// Sends a message with a content of this size.
async fn send(client: &mut Client, from: &str, to: &str, bytes: usize) -> Result<Value, Value> {
    let message = json!({ "performative": "inform", "receivers": [{ "name": to }], "content": "x".repeat(bytes) });
    client.call("send", json!({ "agent": from, "message": message })).await
}

/// Sends messages to an agent until the server refuses one. Returns their number and the reason.
async fn flood(client: &mut Client, from: &str, to: &str, bytes: usize) -> (usize, String) {
    for sent in 0.. {
        assert!(sent < 10_000, "nothing limits the messages of {from}");
        if let Err(error) = send(client, from, to, bytes).await {
            assert_eq!(error["data"]["kind"], "limit", "{error}");
            return (sent, error["message"].as_str().expect("a text").to_owned());
        }
    }
    unreachable!("the loop has no end")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stranger_cannot_fill_the_mailbox_of_an_agent() {
    let server = start(settings()).await;
    let mut resident = Resident::new(&server).await;
    let (mut bob, mut friend) = (agent(&server, "bob").await, agent(&server, "friend").await);
    let mut stranger = Client::platform(&server).await;
    for name in ["mallory", "mallet"] {
        stranger.get("openMailbox", json!({ "agent": name })).await;
    }
    let (sent, reason) = flood(&mut stranger, "mallory", "bob", 200_000).await;
    assert!(sent > 30 && reason.contains("in the mailbox of agent `bob`"), "{sent}: {reason}");
    // Another agent of the same session has no other share.
    let (more, _) = flood(&mut stranger, "mallet", "bob", 200_000).await;
    assert_eq!(more, 0);
    for _ in 0..20 {
        send(&mut friend, "friend", "bob", 100_000).await.expect("others have room");
    }
    resident.check().await;
    bob.get("subscribe", json!({ "to": { "mail": { "agent": "bob" } } })).await;
    let first = bob.notification().await;
    assert_eq!(first["params"]["messages"][0]["message"]["sender"], "mallory");
}

#[tokio::test(flavor = "multi_thread")]
async fn one_session_cannot_fill_the_mail_of_the_server() {
    let server = start(Settings { memory: Some(MEMORY), ..settings() }).await;
    let mut resident = Resident::new(&server).await;
    let mut attackers = Vec::new();
    for number in 0..3 {
        let mut attacker = Client::platform(&server).await;
        let names: Vec<String> = (0..8).map(|agent| format!("mallory{number}-{agent}")).collect();
        for name in &names {
            attacker.get("openMailbox", json!({ "agent": name })).await;
        }
        let mut reasons = Vec::new();
        for to in &names {
            reasons.push(flood(&mut attacker, &names[0], to, 50_000).await.1);
        }
        let reason = reasons.pop().expect("there is one");
        assert!(reason.contains("of the mailboxes of this server"), "{reason}");
        attackers.push(attacker);
    }
    let stored = usize::try_from(server.metric("situated_kept_bytes").await).expect("not less than nothing");
    // Observers can still get the last messages, which take up to a sixteenth.
    assert!((MEMORY / 16..=MEMORY / 8 + MEMORY / 16).contains(&stored), "{stored} bytes are stored");
    let (_ada, mut bob) = (agent(&server, "ada").await, agent(&server, "bob").await);
    for _ in 0..82 {
        send(&mut bob, "bob", "ada", 1000).await.expect("others have room");
    }
    resident.check().await;
}
