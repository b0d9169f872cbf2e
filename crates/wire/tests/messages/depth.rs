//! Terms that are nested too deeply are refused, and all others fit on the stack.

use std::thread;

use serde_json::value::RawValue;
use serde_json::{Value, json};
use situated::iil::{MAX_DEPTH, PERCEPT_MARGIN};
use situated_wire::methods::{Act, Description, EntityResult, Stepped};
use situated_wire::notifications::{Activity, Percepts};
use situated_wire::rpc::{self, Frame, Message};
use situated_wire::{Call, Code, Error};

/// Much deeper than any valid message.
const BOMB: usize = 100_000;

/// The kinds of nesting: the text before and after.
const NESTINGS: [(&str, &str); 4] =
    [("[", "]"), (r#"{"name":"f","args":["#, "]}"), (r#"{"a":"#, "}"), (r#"{"list":"#, "}")];

fn nested((before, behind): (&str, &str), depth: usize) -> String {
    format!("{}1{}", before.repeat(depth), behind.repeat(depth))
}

/// On a stack that is smaller than any on which a server reads.
fn on_a_small_stack(run: impl FnOnce() + Send + 'static) {
    let thread = thread::Builder::new().stack_size(512 << 10).spawn(run).expect("a thread can start");
    thread.join().expect("the stack bears it");
}

#[test]
fn rejects_deep_nesting_in_parameters() {
    let places = [
        ("act", r#"{"environment":"e","agent":"a","action":{"name":"f","args":["#, "]}}"),
        ("act", r#"{"environment":"e","agent":"a","action":"#, "}"),
        ("act", r#"{"environment":"e","agent":"a","action":{"name":"f"},"other":"#, "}"),
        ("step", r#"{"environment":"e","agents":[{"agent":"a","action":{"name":"f","args":["#, "]}}]}"),
        ("step", r#"{"environment":"e","agents":"#, "}"),
        ("createEnvironment", r#"{"kind":"k","parameters":{"p":"#, "}}"),
        ("manage", r#"{"environment":"e","command":{"reset":{"parameters":{"p":"#, "}}}}"),
        ("subscribe", r#"{"to":"#, "}"),
        ("hello", "", ""),
    ];
    on_a_small_stack(move || {
        for (method, before, behind) in places {
            for nesting in NESTINGS {
                let frame = format!(
                    r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{before}{}{behind}}}"#,
                    nested(nesting, BOMB)
                );
                let Ok(Frame::One(Ok(Message::Call { params, .. }))) = rpc::read(&frame) else {
                    panic!("the envelope is sound: {method} {before}")
                };
                let error = Call::read(&frame, method, params).expect_err("it is nested too deeply");
                assert_eq!(error.code(), Some(Code::InvalidParameters), "{method} {before}: {error}");
                assert!(error.message.len() < 300, "{error}");
            }
        }
    });
}

#[test]
fn rejects_deep_nesting_in_the_envelope() {
    on_a_small_stack(|| {
        for nesting in NESTINGS {
            let bomb = nested(nesting, BOMB);
            for frame in [
                bomb.clone(),
                format!("[{bomb}]"),
                format!(r#"{{"jsonrpc":"2.0","id":{bomb},"method":"ping"}}"#),
                format!(r#"{{"jsonrpc":{bomb},"id":1,"method":"ping"}}"#),
                format!(r#"{{"jsonrpc":"2.0","id":1,"method":{bomb}}}"#),
                format!(r#"{{"jsonrpc":"2.0","id":1,"method":"ping","other":{bomb}}}"#),
                format!(r#"{{"jsonrpc":"2.0","id":1,"error":{bomb}}}"#),
                format!(r#"{{"jsonrpc":"2.0","id":1,"error":{{"code":1,"message":"","data":{bomb}}}}}"#),
            ] {
                match rpc::read(&frame) {
                    Err(refused) | Ok(Frame::One(Err(refused))) => assert!(refused.error.code().is_some()),
                    Ok(Frame::Batch(messages)) => assert!(messages.iter().all(Result::is_err)),
                    Ok(Frame::One(Ok(message))) => panic!("read as {:.80}", format!("{message:?}")),
                }
            }
        }
    });
}

#[test]
fn rejects_deep_nesting_in_answers() {
    on_a_small_stack(|| {
        for nesting in NESTINGS {
            let bomb = nested(nesting, BOMB);
            let result = format!(r#"{{"entity":"e","percepts":[{{"name":"p","args":[{bomb}]}}]}}"#);
            assert!(serde_json::from_str::<EntityResult>(&result).is_err());
            let ontology = format!(r#"{{"status":{bomb},"ontology":{{"types":{{"t":{{"type":{bomb}}}}}}}}}"#);
            assert!(serde_json::from_str::<Description>(&ontology).is_err());
        }
    });
}

#[test]
fn accepts_the_maximum_depth() {
    on_a_small_stack(|| {
        for nesting in &NESTINGS[..2] {
            let action = term(*nesting, MAX_DEPTH);
            let act = json!({ "environment": "e", "agent": "a", "action": action });
            assert!(read_act(&act).is_ok(), "{nesting:?}");
            let deeper = json!({ "environment": "e", "agent": "a", "action": term(*nesting, MAX_DEPTH + 1) });
            let error = read_act(&deeper).expect_err("it is deeper");
            assert!(error.message.contains("at most 48 levels"), "{error}");

            let percept = term(*nesting, MAX_DEPTH + PERCEPT_MARGIN);
            let moment = json!({ "episode": 1, "step": 1, "time": 1 });
            let version = json!([1, 1]);
            let received = json!({ "entity": "e", "since": version, "version": version, "add": [percept] });
            assert_read::<Stepped>(
                json!({ "moment": moment, "agents": [{ "agent": "a", "perceptions": [received] }] }),
            );
            assert_read::<Percepts>(
                json!({ "subscription": 1, "environment": "e", "agent": "a", "moment": moment, "perceptions": [received] }),
            );
            let result = json!({ "entity": "e", "percepts": [percept] });
            let seen = json!({ "moment": moment, "agent": "a", "action": action, "result": result });
            let activity =
                json!({ "subscription": 1, "environment": "e", "moment": moment, "actions": [seen], "lost": 0 });
            assert_read::<Activity>(activity);
        }
    });
}

/// Returns a term whose only parameter is nested to this depth.
fn term(nesting: (&str, &str), depth: usize) -> Value {
    let parameter: Box<RawValue> = RawValue::from_string(nested(nesting, depth)).expect("it is JSON");
    let mut value: Value = json!(1);
    for _ in 0..depth {
        value = match nesting.0 {
            "[" => json!([value]),
            _ => json!({ "name": "f", "args": [value] }),
        };
    }
    assert_eq!(value.to_string().len(), parameter.get().len());
    json!({ "name": "t", "args": [value] })
}

fn read_act(act: &Value) -> Result<Act, Error> {
    let params = RawValue::from_string(act.to_string()).expect("it is JSON");
    match Call::read("", "act", Some(&params))? {
        Call::Act(act) => Ok(act),
        other => panic!("{other:?}"),
    }
}

fn assert_read<T: serde::de::DeserializeOwned>(document: Value) {
    if let Err(error) = serde_json::from_str::<T>(&document.to_string()) {
        panic!("{error}");
    }
}
