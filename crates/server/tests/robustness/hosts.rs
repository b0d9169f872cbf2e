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

/// A kind of contents: its name, the report with a number, the report that clears it, and whether the server forgets or
/// replaces the oldest instead of refusing a report.
type Kind<'a> = (&'a str, &'a dyn Fn(usize) -> Value, Value, bool);

/// The metric of everything that the server keeps beyond connections.
async fn stored(server: &Running) -> usize {
    usize::try_from(server.metric("situated_kept_bytes").await).expect("not less than nothing")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_that_reports_more_and_more_gets_errors_and_disturbs_nobody() {
    const MEMORY: usize = 64 << 20;
    const SHARE: usize = MEMORY / 8;
    let server = start(Settings { memory: Some(MEMORY), ..settings() }).await;
    let mut resident = Resident::new(&server).await;
    let mut host = Host::new(&server).await;
    let mut idle = Client::platform(&server).await;
    look_into_the_shed(&mut idle, "idle").await;
    idle.get("perceive", json!({ "environment": "shed", "agent": "idle" })).await;
    let empty = stored(&server).await;
    let long = "x".repeat(LONG / 2);
    let lines = |count: usize| (0..count).map(|at| json!([at, 0])).collect::<Vec<_>>();
    let line = json!({ "outline": { "line": lines(60_000) }, "color": [0, 0, 0] });
    let kinds: [Kind<'_>; 5] = [
        (
            "percepts",
            &|number| json!({ "percepts": [{ "entity": "top", "add": [fact(&format!("{number}{long}"))] }] }),
            json!({ "percepts": [{ "entity": "top", "resync": true }] }),
            false,
        ),
        (
            "percepts that nobody perceived before they changed",
            &|number| json!({ "percepts": [{ "entity": "top", "resync": true, "add": [fact(&format!("{number}{long}"))] }] }),
            json!({ "percepts": [{ "entity": "top", "resync": true }] }),
            true,
        ),
        (
            "events",
            &|number| {
                let noise = json!({ "name": "noise", "args": [format!("{number}{long}")] });
                json!({ "events": [{ "entity": "top", "percept": noise }] })
            },
            json!({}),
            true,
        ),
        (
            "scenes",
            &|number| json!({ "scene": { "width": number, "height": 1, "shapes": [line] } }),
            json!({ "scene": { "width": 1, "height": 1, "shapes": [] } }),
            true,
        ),
        (
            "entities",
            &|number| {
                let new = |at| json!({ "entity": format!("shelf {number} {at}"), "entityType": "shelf" });
                json!({ "new": (0..1000).map(new).collect::<Vec<_>>() })
            },
            json!({}),
            false,
        ),
    ];
    for (what, report, clear, is_forgotten) in kinds {
        let mut refused = 0;
        for number in 0..24 {
            match host.report(report(number)).await {
                Ok(()) => {}
                Err(message) if message.contains("the host of `shed` sent an invalid update") => {
                    assert!(
                        message.contains("of at most") && message.contains("delete some of them first"),
                        "{message}"
                    );
                    refused += 1;
                }
                Err(message) => panic!("{message}"),
            }
            let stored = stored(&server).await;
            assert!(stored <= SHARE + empty, "{what}: {stored} bytes are stored");
        }
        assert_eq!(refused == 0, is_forgotten, "{what}: {refused} reports were refused");
        host.report(clear).await.expect("there is room for less");
        resident.check().await;
    }
    // Clients of the environment go on, too.
    let perceived = idle.get("perceive", json!({ "environment": "shed", "agent": "idle" })).await;
    assert!(perceived["perceptions"][0]["lost"].as_u64().is_some_and(|lost| lost > 0), "events were lost");
    drop(host);
    server.comes_back_to(2, 2).await;
    assert!(stored(&server).await < empty);
}

#[tokio::test(flavor = "multi_thread")]
async fn declarations_of_a_host_count() {
    let server = start(Settings { memory: Some(16 << 20), ..settings() }).await;
    let mut resident = Resident::new(&server).await;
    let mut host = Host::new(&server).await;
    let documentation = "x".repeat(100_000);
    let mut refused = 0;
    for number in 0..20 {
        let kind =
            json!({ "name": format!("kind{number}"), "documentation": documentation, "actions": [], "percepts": [] });
        let reported = host.report(json!({ "ontology": { "entityTypes": [kind] } })).await;
        refused += usize::from(reported.is_err_and(|message| message.contains("of at most")));
    }
    assert!(refused > 10, "{refused} additions were refused");
    let mut large = ontology();
    large["documentation"] = "x".repeat(900_000).into();
    let error =
        host.client.call("host", json!({ "ontology": large, "environment": "barn" })).await.expect_err("too large");
    assert_eq!(error["data"]["kind"], "limit");
    let message = error["message"].as_str().expect("a message");
    assert!(message.starts_with("the server cannot keep environment `barn`: this needs"), "{message}");
    assert!(message.contains("KiB for your session, of at most 2048 KiB"), "{message}");
    resident.check().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_scene_that_is_kept_for_a_subscriber_counts_for_its_session() {
    let server = start(Settings { memory: Some(64 << 20), ..settings() }).await;
    let mut host = Host::new(&server).await;
    let points: Vec<Value> = (0..60_000).map(|at| json!([at, 0])).collect();
    let line = json!({ "outline": { "line": points }, "color": [0, 0, 0] });
    host.report(json!({ "scene": { "width": 1, "height": 1, "shapes": [line] } })).await.expect("there is room");
    let mut resident = Resident::new(&server).await;
    // Each of its subscriptions keeps almost 1 MiB, and the session 8 MiB.
    let mut ended = None;
    for _ in 0..10 {
        resident.client.get("subscribe", json!({ "to": { "scene": { "environment": "shed" } } })).await;
        let mut notification = resident.client.notification().await;
        if notification["method"] == "scene" && resident.client.has_notification() {
            notification = resident.client.notification().await;
        }
        if notification["method"] == "ended" {
            ended = Some(notification);
            break;
        }
    }
    let ended = ended.expect("there is no room for ten scenes");
    let reason = ended["params"]["reason"]["message"].as_str().expect("a message");
    assert!(reason.starts_with("the server cannot keep the last scene of a subscription"), "{reason}");
    resident.check().await;
}
