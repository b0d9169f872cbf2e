//! Subscriptions to some percepts only, with a minimum time between notifications.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::{Value, json};
use situated::random::Random;
use tokio::time::Instant;

use crate::client::Client;
use crate::server::{Running, settings, start};

const YARD: &str = "yard";
const DOG: &str = "dog1";

/// The percepts of a dog, by name, and how one of each is changed.
const KINDS: [&str; 4] = ["fact", "number", "thing", "heard"];

/// An environment with an agent, which answers at once.
async fn enter(server: &Running) -> Client {
    let mut client = Client::platform(server).await;
    client.get("createEnvironment", json!({ "kind": YARD, "pace": "reactive", "start": true })).await;
    client.get("register", json!({ "environment": YARD, "agent": "ada" })).await;
    client.get("associate", json!({ "environment": YARD, "agent": "ada", "entity": DOG })).await;
    // Another agent of the dog, which perceives what holds.
    client.get("register", json!({ "environment": YARD, "agent": "judge" })).await;
    client.get("associate", json!({ "environment": YARD, "agent": "judge", "entity": DOG })).await;
    client
}

async fn subscribe(client: &mut Client, names: &[&str], interval_ms: u64) {
    let topic = json!({
        "environment": YARD, "agent": "ada", "since": "acknowledged", "changesOf": names, "intervalMs": interval_ms,
    });
    client.get("subscribe", json!({ "to": { "percepts": topic } })).await;
}

/// Returns the current percepts of the dog with these names.
async fn holds(client: &mut Client, names: &[&str]) -> BTreeSet<String> {
    let perceive = json!({ "environment": YARD, "agent": "judge", "form": "snapshot", "since": "acknowledged" });
    let received = client.get("perceive", perceive).await["perceptions"][0].clone();
    texts(&received["add"]).filter(|percept| is_named(percept, names)).collect()
}

fn texts(percepts: &Value) -> impl Iterator<Item = String> {
    percepts.as_array().into_iter().flatten().map(ToString::to_string)
}

fn is_named(percept: &str, names: &[&str]) -> bool {
    names.is_empty() || names.iter().any(|name| percept.contains(&format!("\"name\":\"{name}\"")))
}

/// The beliefs of an agent that gets notifications only.
#[derive(Default)]
struct Believer {
    beliefs: BTreeSet<String>,
    heard: Vec<String>,
    notifications: usize,
}

impl Believer {
    /// Takes the next notification, and acknowledges it.
    async fn take(&mut self, client: &mut Client) {
        let perception = client.notification().await["params"]["perceptions"][0].clone();
        if perception["resync"] == true {
            self.beliefs.clear();
        }
        for gone in texts(&perception["delete"]) {
            assert!(self.beliefs.remove(&gone), "{gone} was believed");
        }
        self.beliefs.extend(texts(&perception["add"]));
        self.heard.extend(texts(&perception["events"]));
        assert!(perception["lost"].is_null(), "{perception}");
        self.notifications += 1;
        let known = json!([{ "entity": DOG, "version": perception["version"] }]);
        client.get("acknowledge", json!({ "environment": YARD, "agent": "ada", "versions": known })).await;
    }

    /// Takes all notifications that have arrived.
    async fn take_arrived(&mut self, client: &mut Client) {
        client.get("ping", json!({})).await;
        while client.has_notification() {
            self.take(client).await;
        }
    }

    fn believes(&self, names: &[&str]) -> BTreeSet<String> {
        self.beliefs.iter().filter(|percept| is_named(percept, names)).cloned().collect()
    }
}

/// Does something that changes percepts of one name. Returns whether they have changed.
async fn change(client: &mut Client, kind: &str, serial: u64, random: &mut Random) {
    let small = random.below(4);
    let (action, argument) = match kind {
        "fact" => ("learn", small),
        "number" => ("count", small),
        "thing" => ("toggle", small),
        _ => ("bark", serial),
    };
    act(client, action, argument).await;
}

async fn act(client: &mut Client, name: &str, argument: u64) {
    let action = json!({ "name": name, "args": [argument] });
    client.get("act", json!({ "environment": YARD, "agent": "ada", "action": action })).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn beliefs_of_a_filtered_subscription_always_equal_the_current_percepts() {
    let server = start(settings()).await;
    for seed in 0..12 {
        let mut random = Random::new(seed);
        let names: Vec<&str> = KINDS.into_iter().filter(|_| random.chance(0.5)).collect();
        let mut client = enter(&server).await;
        subscribe(&mut client, &names, 0).await;
        let (mut believer, mut barks, mut wanted) = (Believer::default(), Vec::new(), 1);
        believer.take(&mut client).await;
        for serial in 0..200 {
            let kind = KINDS[random.index(4)];
            let before = holds(&mut client, &names).await;
            change(&mut client, kind, serial, &mut random).await;
            let now = holds(&mut client, &names).await;
            barks.extend((kind == "heard").then(|| serial.to_string()));
            if before != now || kind == "heard" && (names.is_empty() || names.contains(&"heard")) {
                wanted += 1;
                believer.take(&mut client).await;
            }
            assert_eq!(believer.believes(&names), now, "seed {seed}, {names:?}, after {serial}: {kind}");
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
        believer.take_arrived(&mut client).await;
        assert_eq!(believer.notifications, wanted, "it is notified of what it wants only: seed {seed}, {names:?}");
        let digits = |event: &String| event.replace(|letter: char| !letter.is_ascii_digit(), "");
        let heard: Vec<String> = believer.heard.iter().map(digits).collect();
        assert!(barks.starts_with(&heard), "each event comes once, in order: seed {seed}, {names:?}");
        assert!(names.is_empty() || !names.contains(&"heard") || heard == barks, "none is missing: seed {seed}");
        client.get("removeEnvironment", json!({ "environment": YARD })).await;
    }
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn notifications_keep_their_interval_and_lose_nothing() {
    const INTERVAL: u64 = 60;
    let server = start(settings()).await;
    let mut client = enter(&server).await;
    subscribe(&mut client, &[], INTERVAL).await;
    let (mut believer, mut random) = (Believer::default(), Random::new(1));
    let begin = Instant::now();
    let mut serial = 0;
    while begin.elapsed() < Duration::from_millis(10 * INTERVAL) {
        change(&mut client, KINDS[serial as usize % 4], serial, &mut random).await;
        believer.take_arrived(&mut client).await;
        serial += 1;
    }
    let most = begin.elapsed().as_millis() as usize / INTERVAL as usize + 1;
    assert!((3..=most).contains(&believer.notifications), "{} notifications, at most {most}", believer.notifications);
    while believer.beliefs != holds(&mut client, &[]).await {
        // The last change is not forgotten.
        believer.take(&mut client).await;
    }
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_that_wants_few_events_loses_none() {
    const BARKS: u64 = 3_000;
    let server = start(settings()).await;
    let mut client = enter(&server).await;
    subscribe(&mut client, &["thing"], 0).await;
    let mut believer = Believer::default();
    believer.take(&mut client).await;
    for serial in 0..BARKS {
        act(&mut client, "bark", serial).await;
        believer.take_arrived(&mut client).await;
    }
    assert!((3..8).contains(&believer.notifications), "{} notifications", believer.notifications);
    act(&mut client, "toggle", 1).await;
    believer.take(&mut client).await;
    assert_eq!(believer.heard.len() as u64, BARKS);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_that_takes_its_entity_again_gets_all_percepts() {
    let server = start(settings()).await;
    let mut client = enter(&server).await;
    subscribe(&mut client, &["thing"], 0).await;
    Believer::default().take(&mut client).await;
    act(&mut client, "count", 2).await;
    client.get("free", json!({ "environment": YARD, "agent": "ada" })).await;
    client.get("associate", json!({ "environment": YARD, "agent": "ada", "entity": DOG })).await;
    let mut again = Believer::default();
    again.take(&mut client).await;
    assert_eq!(again.beliefs, holds(&mut client, &[]).await);
    server.stop().await;
}

/// A step tells of a change, which is reverted before it is acknowledged: the agent must not go on believing it.
#[tokio::test(flavor = "multi_thread")]
async fn changes_that_an_answer_told_and_that_are_reverted_are_notified() {
    const INTERVAL: u64 = 100;
    let server = start(settings()).await;
    for names in [&[][..], &["thing"][..]] {
        let mut client = enter(&server).await;
        subscribe(&mut client, names, INTERVAL).await;
        Believer::default().take(&mut client).await;
        let turns = json!([{ "agent": "ada", "action": { "name": "toggle", "args": [1] } }]);
        let step = json!({ "environment": YARD, "agents": turns, "since": "acknowledged" });
        let told = client.get("step", step).await["agents"][0]["perceptions"][0].clone();
        assert!(texts(&told["add"]).any(|percept| is_named(&percept, &["thing"])), "{told}");
        act(&mut client, "toggle", 1).await;
        let perception = client.notification().await["params"]["perceptions"][0].clone();
        assert_eq!(perception["since"], told["since"], "it begins with what was acknowledged");
        assert!(!texts(&perception["add"]).any(|percept| is_named(&percept, &["thing"])), "{perception}");
        client.get("removeEnvironment", json!({ "environment": YARD })).await;
    }
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn filters_are_bounded() {
    let server = start(settings()).await;
    let mut client = enter(&server).await;
    let names = |count: usize| (0..count).map(|number| format!("p{number}")).collect::<Vec<_>>();
    for (names, is_possible) in [(names(256), true), (names(257), false), (vec!["p".repeat(257)], false)] {
        let topic = json!({ "environment": YARD, "agent": "ada", "changesOf": names });
        let asked = client.call("subscribe", json!({ "to": { "percepts": topic } })).await;
        let kind = asked.map_err(|error| error["data"]["kind"].clone()).map(drop);
        assert_eq!(kind, if is_possible { Ok(()) } else { Err(json!("limit")) });
    }
    server.stop().await;
}
