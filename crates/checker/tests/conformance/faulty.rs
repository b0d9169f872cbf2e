//! The suite detects faults: a server with one fault fails the corresponding check.

use std::time::Duration;

use serde_json::{Value, json};
use situated_checker::server::{Plan, Transport, Verdict, run};

use crate::proxy::{Fault, Proxy, Way};
use crate::server::{AGENT, MANAGER, guarded, plan};

/// Checks, each with a fault that it must detect.
const FAULTS: &[(&str, Fault)] = &[
    ("greeting-answer", |way, frame| to_client(way, frame, |frame| strike(&mut frame["result"], "resume"))),
    ("greeting-first", |way, frame| if frame["method"] == "closing" { vec![] } else { keep(way, frame) }),
    ("greeting-version", |way, frame| {
        to_server(way, frame, |frame| set(frame, "protocol", situated_wire::PROTOCOL.into()))
    }),
    ("envelope-ids", |way, frame| to_client(way, frame, |frame| frame["id"] = json!("wrong"))),
    ("envelope-unanswered", answer_notifications),
    ("envelope-once", |way, frame| if is_answer(way, &frame) { vec![frame.clone(), frame] } else { vec![frame] }),
    ("envelope-batch", |way, frame| to_client(way, frame, reverse)),
    ("envelope-batch-length", |way, frame| to_client(way, frame, |frame| cut(frame, 255))),
    ("envelope-method", |way, frame| to_client(way, frame, |frame| set_message(frame, "no"))),
    ("envelope-errors", |way, frame| to_client(way, frame, |frame| strike(&mut frame["error"], "data"))),
    ("describing-list", |way, frame| to_client(way, frame, |frame| strike(&mut frame["result"], "status"))),
    ("describing-ontology", |way, frame| to_client(way, frame, lose_types)),
    ("registering-unique", |way, frame| to_client(way, frame, |frame| allow(frame, "agentTaken"))),
    ("registering-agents", |way, frame| if is_call(way, &frame, "unregister") { pretend(frame) } else { vec![frame] }),
    ("relation-associate", |way, frame| to_client(way, frame, free_everybody)),
    ("acting-foreign", |way, frame| to_client(way, frame, |frame| allow(frame, "forbidden"))),
    ("acting-numbered", |way, frame| to_server(way, frame, |frame| strike(&mut frame["params"], "number"))),
    ("acting-wrong", |way, frame| to_client(way, frame, |frame| allow(frame, "notSupportedByEnvironment"))),
    ("perceiving-first", |way, frame| {
        to_client(way, frame, |frame| each_perception(frame, |received| strike(received, "resync")))
    }),
    ("perceiving-updates", |way, frame| {
        to_client(way, frame, |frame| each_perception(frame, |received| strike(received, "delete")))
    }),
    ("perceiving-updates", |way, frame| to_client(way, frame, |frame| each_perception(frame, go_back))),
    ("perceiving-events", |way, frame| {
        to_client(way, frame, |frame| each_perception(frame, |received| strike(received, "events")))
    }),
    ("perceiving-acknowledged", |way, frame| drop_call(way, frame, "acknowledge")),
    ("perceiving-never-sent", |way, frame| to_client(way, frame, |frame| allow(frame, "unknownVersion"))),
    ("perceiving-known", |way, frame| to_server(way, frame, |frame| strike(&mut frame["params"], "known"))),
    ("stepping-together", |way, frame| to_client(way, frame, |frame| reverse(&mut frame["result"]["agents"]))),
    ("stepping-lockstep", |way, frame| if is_call(way, &frame, "act") { pretend(frame) } else { vec![frame] }),
    ("stepping-wait", |way, frame| if is_call(way, &frame, "wait") { pretend(frame) } else { vec![frame] }),
    ("stepping-speed", |way, frame| drop_call(way, frame, "setSpeed")),
    ("subscriptions-anew", |way, frame| to_client(way, frame, |frame| set(frame, "resync", false.into()))),
    ("subscriptions-happenings", |way, frame| lose(way, frame, "unregistered")),
    ("subscriptions-happenings", |way, frame| lose(way, frame, "released")),
    ("subscriptions-percepts", lose_later_percepts),
    ("subscriptions-acknowledged", |way, frame| twice(way, frame, "percepts")),
    ("subscriptions-scene", |way, frame| to_client(way, frame, |frame| cut(&mut frame["params"]["shapes"], 7))),
    ("subscriptions-activity", |way, frame| twice(way, frame, "activity")),
    ("subscriptions-end", |way, frame| if is_call(way, &frame, "unsubscribe") { pretend(frame) } else { vec![frame] }),
    ("subscriptions-ended", |way, frame| if frame["method"] == "ended" { vec![] } else { keep(way, frame) }),
    ("mail-delivered", |way, frame| {
        to_client(way, frame, |frame| {
            each_message(frame, |received| strike(&mut received["message"], "replyBy"));
        })
    }),
    ("mail-order", |way, frame| twice(way, frame, "mail")),
    ("mail-again", |way, frame| if is_call(way, &frame, "acknowledgeMail") { pretend(frame) } else { vec![frame] }),
    ("mail-numbered", |way, frame| {
        if is_call(way, &frame, "send") {
            to_server(way, frame, |frame| strike(&mut frame["params"], "number"))
        } else {
            vec![frame]
        }
    }),
    ("mail-nobody", |way, frame| {
        to_client(way, frame, |frame| {
            each_message(frame, |received| received["message"]["content"] = json!("it is not there"));
        })
    }),
    ("mail-directory", |way, frame| {
        to_client(way, frame, |frame| {
            if !frame["result"]["message"].is_null() {
                frame["result"]["message"]["content"] = json!("((done register))");
            }
        })
    }),
    ("mail-forged", |way, frame| to_client(way, frame, |frame| allow(frame, "forbidden"))),
    ("mail-foreign", |way, frame| to_client(way, frame, |frame| allow(frame, "agentTaken"))),
    ("management-states", |way, frame| to_client(way, frame, |frame| allow(frame, "wrongState"))),
    ("management-killed", |way, frame| to_client(way, frame, |frame| rename(frame, "killed", "running"))),
    ("management-reset", |way, frame| if is_call(way, &frame, "manage") { pretend(frame) } else { vec![frame] }),
    ("sessions-resume", |way, frame| to_server(way, frame, |frame| strike(&mut frame["params"], "resume"))),
    ("sessions-takeover", |way, frame| if frame["method"] == "closing" { vec![] } else { keep(way, frame) }),
    ("sessions-bye", |way, frame| if is_call(way, &frame, "bye") { pretend(frame) } else { vec![frame] }),
    ("limits-text", |way, frame| to_client(way, frame, |frame| rename(frame, "parse", "limit"))),
    ("rights-hidden", |way, frame| to_client(way, frame, |frame| set_result(frame, "parameters", json!({})))),
    ("rights-observer", |way, frame| to_client(way, frame, |frame| allow(frame, "forbidden"))),
];

#[tokio::test(flavor = "multi_thread")]
async fn each_check_detects_its_fault() {
    let server = guarded().await;
    for (number, (check, fault)) in FAULTS.iter().enumerate() {
        let verdict = verdict(&Proxy::start(server.address, *fault).await, check).await;
        assert!(matches!(verdict, Verdict::Failed { .. }), "fault {number} of check {check}: {verdict:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_proxy_without_a_fault_passes() {
    let server = guarded().await;
    let proxy = Proxy::start(server.address, keep).await;
    for (check, _) in FAULTS {
        assert_eq!(verdict(&proxy, check).await, Verdict::Passed, "{check}");
    }
}

async fn verdict(proxy: &Proxy, check: &str) -> Verdict {
    let only = vec![check.to_owned()];
    let (token, manager_token) = (Some(AGENT.into()), Some(MANAGER.into()));
    let plan = plan(proxy.address, Transport::Lines);
    let plan = Plan { only, token, manager_token, patience: Duration::from_millis(700), ..plan };
    let report = run(&plan, |_| ()).await.expect("the proxy is there");
    let found = report.checks.into_iter().find(|one| one.name == check);
    found.expect("there is such a check").verdict
}

fn keep(_: Way, frame: Value) -> Vec<Value> {
    vec![frame]
}

fn to_client(way: Way, mut frame: Value, change: impl Fn(&mut Value)) -> Vec<Value> {
    if way == Way::ToClient {
        change(&mut frame);
    }
    vec![frame]
}

fn to_server(way: Way, mut frame: Value, change: impl Fn(&mut Value)) -> Vec<Value> {
    if way == Way::ToServer {
        change(&mut frame);
    }
    vec![frame]
}

fn is_answer(way: Way, frame: &Value) -> bool {
    way == Way::ToClient && frame.get("id").is_some()
}

fn is_call(way: Way, frame: &Value, method: &str) -> bool {
    way == Way::ToServer && frame["method"] == method
}

fn drop_call(way: Way, mut frame: Value, method: &str) -> Vec<Value> {
    if is_call(way, &frame, method) {
        frame["method"] = "ping".into();
        frame["params"] = json!({});
    }
    vec![frame]
}

/// Executes another call, whose answer looks the same.
fn pretend(frame: Value) -> Vec<Value> {
    let mut pretended = frame;
    let environment = pretended["params"]["environment"].take();
    pretended["method"] = if environment.is_null() { "ping" } else { "listEntities" }.into();
    pretended["params"] = if environment.is_null() { json!({}) } else { json!({ "environment": environment }) };
    vec![pretended]
}

fn answer_notifications(way: Way, mut frame: Value) -> Vec<Value> {
    if way == Way::ToServer && frame.is_object() && frame["id"].is_null() {
        frame["id"] = 0.into();
    }
    vec![frame]
}

fn twice(way: Way, frame: Value, notification: &str) -> Vec<Value> {
    if way == Way::ToClient && frame["method"] == notification { vec![frame.clone(), frame] } else { vec![frame] }
}

fn lose(way: Way, frame: Value, happening: &str) -> Vec<Value> {
    to_client(way, frame, |frame| {
        if let Some(happenings) = frame["params"]["happenings"].as_array_mut() {
            happenings.retain(|one| one.get(happening).is_none());
        }
    })
}

fn lose_later_percepts(way: Way, frame: Value) -> Vec<Value> {
    let is_later = frame["method"] == "percepts" && frame["params"]["perceptions"][0]["resync"] != true;
    if way == Way::ToClient && is_later { vec![] } else { vec![frame] }
}

fn set(frame: &mut Value, name: &str, value: Value) {
    if frame["params"].get(name).is_some() {
        frame["params"][name] = value;
    }
}

fn set_result(frame: &mut Value, name: &str, value: Value) {
    if let Some(old) = frame["result"].get_mut(name) {
        *old = value;
    }
}

fn set_message(frame: &mut Value, message: &str) {
    if frame.get("error").is_some() {
        frame["error"]["message"] = message.into();
    }
}

/// A fault that reports an error as success.
fn allow(frame: &mut Value, kind: &str) {
    if frame["error"]["data"]["kind"] == kind {
        let moment = json!({ "episode": 1, "step": 0, "time": 0 });
        *frame = json!({ "jsonrpc": "2.0", "id": frame["id"], "result": { "moment": moment } });
    }
}

fn strike(from: &mut Value, name: &str) {
    if let Some(object) = from.as_object_mut() {
        object.remove(name);
    }
}

fn cut(list: &mut Value, length: usize) {
    if let Some(list) = list.as_array_mut() {
        list.truncate(length);
    }
}

fn reverse(list: &mut Value) {
    if let Some(list) = list.as_array_mut() {
        list.reverse();
    }
}

fn each_perception(frame: &mut Value, change: impl Fn(&mut Value)) {
    frame["result"]["perceptions"].as_array_mut().into_iter().flatten().for_each(change);
}

fn each_message(frame: &mut Value, change: impl Fn(&mut Value)) {
    frame["params"]["messages"].as_array_mut().into_iter().flatten().for_each(change);
}

fn go_back(received: &mut Value) {
    received["version"][0] = 1.into();
}

fn lose_types(frame: &mut Value) {
    if frame["result"].get("ontology").is_some() {
        frame["result"]["ontology"]["types"] = json!({});
    }
}

fn free_everybody(frame: &mut Value) {
    let entities = frame["result"]["entities"].as_array_mut();
    entities.into_iter().flatten().for_each(|entity| entity["agents"] = json!([]));
}

fn rename(frame: &mut Value, from: &str, to: &str) {
    let text = frame.to_string().replace(&format!("\"{from}\""), &format!("\"{to}\""));
    *frame = serde_json::from_str(&text).unwrap_or_default();
}
