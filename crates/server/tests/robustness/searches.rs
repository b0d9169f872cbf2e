//! Agents that keep the directory busy.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::client::{Client, Resident};
use crate::server::{Running, settings, start};

const ATTACKERS: usize = 12;

/// Number of agents of an attacker that register services.
const SERVICES: usize = 25;

/// Number of searches in a frame.
const SEARCHES: usize = 250;

/// Number of actions whose times are compared.
const ACTIONS: usize = 200;

/// A question to the directory.
fn question(agent: &str, function: &str) -> Value {
    let content = format!("((action (agent-identifier :name df) {function}))");
    let message = json!({
        "performative": "request",
        "receivers": [{ "name": "df" }],
        "language": "fipa-sl0",
        "content": content,
    });
    json!({ "agent": agent, "message": message })
}

/// The registration of an agent with many services.
fn registration(agent: &str) -> Value {
    let services = "(service-description :name plums :type trade)".repeat(100);
    let described = format!("(df-agent-description :name (agent-identifier :name {agent}) :services (set {services}))");
    question(agent, &format!("(register {described})"))
}

/// A search that compares each service of each entry.
fn search(agent: &str) -> Value {
    let wanted = "(df-agent-description :services (set (service-description :name peaches :type trade)))";
    question(agent, &format!("(search {wanted} (search-constraints :max-results -1))"))
}

/// A session with agents that have registered large services.
async fn attacker(server: &Running, number: usize) -> Client {
    let mut client = Client::platform(server).await;
    for agent in 0..SERVICES {
        let name = format!("mallory{number}-{agent}");
        client.get("openMailbox", json!({ "agent": name })).await;
        client.get("askDirectory", registration(&name)).await;
    }
    client
}

/// Sends frames with searches, one after another.
async fn attack(mut client: Client, number: usize) {
    let search = search(&format!("mallory{number}-0"));
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "askDirectory", "params": search });
    let frame = format!("{}\n", json!(vec![call; SEARCHES]));
    let mut answers = vec![0; 1 << 16];
    loop {
        client.stream.get_mut().write_all(frame.as_bytes()).await.expect("the server reads");
        loop {
            let read = client.stream.read(&mut answers).await.expect("it is connected");
            assert!(read > 0, "the server has closed the connection");
            if answers[..read].contains(&b'\n') {
                break;
            }
        }
    }
}

/// The time within which 99 of 100 actions are answered.
async fn act(resident: &mut Resident) -> Duration {
    let mut times = Vec::new();
    for _ in 0..ACTIONS {
        let begin = Instant::now();
        resident.check().await;
        times.push(begin.elapsed());
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    times.sort_unstable();
    times[ACTIONS * 99 / 100 - 1]
}

#[tokio::test(flavor = "multi_thread")]
async fn agents_act_while_others_keep_the_directory_busy() {
    let server = start(settings()).await;
    let mut resident = Resident::new(&server).await;
    let alone = act(&mut resident).await;
    let mut attackers = Vec::new();
    for number in 0..ATTACKERS {
        attackers.push(attacker(&server, number).await);
    }
    let mut attacks = JoinSet::new();
    attackers.into_iter().enumerate().for_each(|(number, client)| drop(attacks.spawn(attack(client, number))));
    let mut beside = Vec::new();
    for _ in 0..3 {
        beside.push(act(&mut resident).await);
    }
    // The directory still has turns for others.
    let mut client = Client::platform(&server).await;
    client.get("openMailbox", json!({ "agent": "ada" })).await;
    let found = client.get("askDirectory", search("ada")).await;
    assert!(found["message"]["content"].as_str().is_some_and(|text| text.contains("sequence")), "{found}");
    assert!(attacks.try_join_next().is_none(), "the attackers are still there");
    let best = beside.into_iter().min().expect("there are three");
    let limit = Duration::from_millis(50).max(10 * alone);
    assert!(best <= limit, "99 of 100 actions take up to {best:?} beside the attackers, and {alone:?} alone");
}

#[tokio::test(flavor = "multi_thread")]
async fn sessions_get_answers_of_the_directory_in_turns() {
    const QUESTIONS: i64 = 500;
    let server = start(settings()).await;
    let mut eager = attacker(&server, 0).await;
    let mut others = [attacker(&server, 1).await, attacker(&server, 2).await];
    let mut asked = Vec::new();
    for _ in 0..QUESTIONS {
        asked.push(eager.begin("askDirectory", search("mallory0-0")).await);
    }
    for (number, other) in (1..).zip(&mut others) {
        other.get("askDirectory", search(&format!("mallory{number}-0"))).await;
    }
    // Those of the session that asked most are not answered yet, and are later.
    let metric = server.metric("situated_messages_total").await;
    let before = 2 * (3 * SERVICES as i64) + 4;
    assert!(metric < before + 2 * QUESTIONS, "{metric} messages: all questions were answered first");
    for id in asked {
        eager.answer(id).await.expect("each question is answered");
    }
}
