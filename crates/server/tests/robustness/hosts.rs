//! Hosts that report as much as they can. They harm neither the server nor the clients of other environments.

use serde_json::{Value, json};
use situated_server::Settings;

use crate::client::{Client, Resident};
use crate::server::{Running, settings, start};

/// Length of a text that just fits into a frame.
const LONG: usize = 1_000_000;

/// A host with an environment `shed`, whose ontology has percepts, events and actions of any size.
struct Host {
    client: Client,
}

/// The ontology of the shed.
fn ontology() -> Value {
    let text = json!([{ "name": "text", "documentation": "Any text.", "type": "any" }]);
    let percept = |name: &str, delivery: &str| json!({ "name": name, "documentation": "Says a text.", "parameters": text, "delivery": delivery });
    json!({
        "name": "shed",
        "version": "1.0.0",
        "documentation": "A shed in which a host can keep anything.",
        "pace": "own",
        "relation": { "oneAgentPerEntity": false, "oneEntityPerAgent": false },
        "parameters": [],
        "types": {},
        "entityTypes": [{
            "name": "shelf",
            "documentation": "A place for things.",
            "actions": [],
            "percepts": [percept("fact", "onChange"), percept("noise", "event")],
        }],
    })
}

impl Host {
    async fn new(server: &Running) -> Self {
        let client = Client::greet(server, json!({ "protocol": 2, "role": "host" })).await;
        let mut host = Self { client };
        host.client.get("host", json!({ "ontology": ontology(), "environment": "shed", "start": true })).await;
        // It begins with the first call of the server.
        let call = host.client.notification().await;
        assert_eq!(call["method"], "init");
        let update = json!({ "new": [{ "entity": "top", "entityType": "shelf" }] });
        host.answer(&call, json!({ "update": update })).await;
        host
    }

    async fn answer(&mut self, call: &Value, result: Value) {
        let answer = json!({ "jsonrpc": "2.0", "id": call["id"], "result": result });
        self.client.send(&format!("{answer}\n")).await;
    }

    /// Reports an update, and performs all tasks meanwhile. Returns the message of the error.
    async fn report(&mut self, update: Value) -> Result<(), String> {
        let id = self.client.begin("update", json!({ "environment": "shed", "update": update })).await;
        loop {
            let frame = self.client.notification().await;
            if frame.get("method").is_some() {
                self.answer(&frame, json!({})).await;
            } else if frame["id"] == id {
                return match frame["error"]["message"].as_str() {
                    Some(message) => Err(message.to_owned()),
                    None => Ok(()),
                };
            }
        }
    }

    /// Reports percepts with long texts, each once. Returns the message of the first error.
    async fn report_facts(&mut self, count: usize) -> Result<(), String> {
        for number in 0..count {
            let fact = fact(&format!("{number}{}", "x".repeat(LONG - 100)));
            self.report(json!({ "percepts": [{ "entity": "top", "add": [fact] }] })).await?;
        }
        Ok(())
    }
}

fn fact(text: &str) -> Value {
    json!({ "name": "fact", "args": [text] })
}

/// Registers an agent that perceives through the shelf of the host.
async fn look_into_the_shed(client: &mut Client, agent: &str) {
    client.get("register", json!({ "environment": "shed", "agent": agent })).await;
    client.get("associate", json!({ "environment": "shed", "agent": agent, "entity": "top" })).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_is_too_large_fails_and_the_connection_stays() {
    let server = start(Settings { memory: Some(1 << 30), ..settings() }).await;
    let mut host = Host::new(&server).await;
    let mut resident = Resident::new(&server).await;
    let agent = "resident";
    look_into_the_shed(&mut resident.client, agent).await;
    host.report_facts(18).await.expect("there is room");
    let perceive = json!({ "environment": "shed", "agent": agent });
    let turns = json!([{ "agent": agent }]);
    for (method, params) in [
        ("perceive", perceive.clone()),
        ("step", json!({ "environment": "shed", "agents": turns })),
        ("perceive", perceive),
    ] {
        let error = resident.client.call(method, params).await.expect_err("it is larger than 16 MiB");
        assert_eq!(error["data"]["kind"], "limit");
        let message = error["message"].as_str().expect("a message");
        assert!(message.contains("environment `shed`") && message.contains("of at most 16384 KiB"), "{message}");
        assert!(method == "step" || message.contains("entity `top` makes 17"), "{message}");
        resident.check().await;
    }
    // In a batch, only that answer is an error.
    let call = |id: u64, method: &str, params: Value| json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
    let environment = json!({ "environment": "shed" });
    let perceive = json!({ "environment": "shed", "agent": agent, "form": "snapshot" });
    let batch = json!([call(1001, "status", environment), call(1002, "perceive", perceive)]);
    resident.client.send(&format!("{batch}\n")).await;
    let answers = resident.client.frame().await.expect("it is connected");
    assert_eq!(answers[0]["result"]["status"]["environment"], "shed");
    assert_eq!(answers[1]["error"]["data"]["kind"], "limit");
    resident.check().await;
    // With fewer percepts, the agent gets everything, although it did not ask for that.
    host.report(json!({ "percepts": [{ "entity": "top", "resync": true, "add": [fact("short")] }] }))
        .await
        .expect("valid");
    let perceived = resident.client.get("perceive", json!({ "environment": "shed", "agent": agent })).await;
    assert_eq!(perceived["perceptions"][0]["add"], json!([fact("short")]));
    assert_eq!(perceived["perceptions"][0]["resync"], true);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_subscription_with_notifications_that_are_too_large_ends_and_the_connection_stays() {
    let server = start(Settings { memory: Some(1 << 30), ..settings() }).await;
    let mut host = Host::new(&server).await;
    host.report_facts(18).await.expect("there is room");
    let mut resident = Resident::new(&server).await;
    look_into_the_shed(&mut resident.client, "resident").await;
    let to = json!({ "percepts": { "environment": "shed", "agent": "resident" } });
    let subscription = resident.client.get("subscribe", json!({ "to": to })).await["subscription"].clone();
    let ended = resident.client.notification().await;
    assert_eq!((&ended["method"], &ended["params"]["subscription"]), (&json!("ended"), &subscription));
    let reason = ended["params"]["reason"]["message"].as_str().expect("a message");
    assert!(reason.contains("environment `shed`") && reason.contains("entity `top` makes 17"), "{reason}");
    resident.check().await;
    let error = resident.client.call("unsubscribe", json!({ "subscription": subscription })).await;
    assert_eq!(error.expect_err("it has ended")["data"]["kind"], "noSuchSubscription");
    resident.check().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn refuses_hosts_that_want_agents_to_wait_too_long() {
    let server = start(settings()).await;
    let mut host = Client::greet(&server, json!({ "protocol": 2, "role": "host" })).await;
    for (name, longest) in [("beginTimeoutMs", 600_000), ("answerTimeoutMs", 60_000)] {
        let error =
            host.call("host", json!({ "ontology": ontology(), name: longest + 1 })).await.expect_err("too long");
        assert_eq!(error["data"]["kind"], "invalidParameters");
        let expected = format!("a host may take at most {longest} ms");
        assert!(error["message"].as_str().is_some_and(|message| message.starts_with(&expected)), "{error}");
        host.get("host", json!({ "ontology": ontology(), name: longest })).await;
    }
}
