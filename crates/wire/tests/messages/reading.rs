//! Calls, answers, notifications and errors: everything that the schema allows is accepted, and is equal after
//! writing and reading.

use std::fmt::Debug;

use proptest::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};
use situated_wire::methods::*;
use situated_wire::rpc::{self, Frame, Message};
use situated_wire::{Call, Code, Error, Method, Notification, Request};

use crate::documents::{answers, notifications, of_type, parameters};
use crate::fuzz::{call_parameters, notification_parameters};

/// All methods.
macro_rules! methods {
    ($with:ident!($($arguments:tt)*)) => {
        $with! {
            $($arguments)*
            Hello Bye Ping ListEnvironments Describe DescribeKind Examine Status GetOutcome CreateEnvironment RemoveEnvironment Manage Advance
            SetSpeed Register Unregister ListEntities Associate Free RequestEntity Act Pass Step Perceive Acknowledge GetMenu Wait
            Subscribe Unsubscribe Query GetScene OpenMailbox CloseMailbox SendMessage AskDirectory AcknowledgeMail Host UpdateHosted
        }
    };
}

macro_rules! names {
    ($($Method:ident)*) => { [$($Method::NAME),*] };
}

macro_rules! assert_answer {
    ($name:ident $answer:ident $($Method:ident)*) => {
        match $name {
            $($Method::NAME => assert_stable::<<$Method as Request>::Answer>($answer),)*
            _ => unreachable!("there is no method `{}`", $name),
        }
    };
}

#[test]
fn all_methods_are_tested_here() {
    assert_eq!(methods!(names!()), *Call::NAMES);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn calls((method, document) in parameters()) {
        let call = Call::read("", method, Some(&raw(&document))).map_err(|error| refused(&error, &document))?;
        prop_assert_eq!(call.name(), method);
        prop_assert_eq!(Call::read("", method, Some(&call_parameters(&call))), Ok(call));
    }

    #[test]
    fn calls_with_keys_of_others((method, mut document) in parameters(), key in "[a-z]{0,3}[0-9]") {
        document.as_object_mut().expect("parameters have names").insert(key.clone(), Value::Null);
        let error = Call::read("", method, Some(&raw(&document))).expect_err("the method has no such parameter");
        prop_assert_eq!(error.code(), Some(Code::InvalidParameters));
        prop_assert!(error.message.contains(&format!("`{method}`")) && error.message.contains(&key), "{}", error);
    }

    #[test]
    fn answers_to_calls((method, document) in answers()) {
        methods!(assert_answer!(method document));
    }

    #[test]
    fn notifications_of_all_kinds((name, document) in notifications()) {
        let received = Notification::read(name, Some(&raw(&document))).map_err(|error| refused(&error, &document))?;
        let received = received.expect("it is known");
        prop_assert_eq!(Notification::read(name, Some(&notification_parameters(&received))), Ok(Some(received)));
    }

    #[test]
    fn errors(document in of_type("Error")) {
        assert_stable::<Error>(document);
    }
}

fn assert_stable<T: Debug + PartialEq + Serialize + DeserializeOwned>(document: Value) {
    let text = document.to_string();
    let read: T = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
    let written = serde_json::to_string(&read).expect("it can be written");
    assert_eq!(serde_json::from_str::<T>(&written).expect("it is read again"), read);
}

fn raw(document: &Value) -> Box<RawValue> {
    to_raw_value(document).expect("it is JSON")
}

fn refused(error: &Error, document: &Value) -> TestCaseError {
    TestCaseError::fail(format!("{error}: {document}"))
}

#[test]
fn parameters_can_be_omitted_if_none_are_required() {
    for method in ["ping", "bye", "listEnvironments"] {
        assert!(Call::read("", method, None).is_ok(), "{method}");
    }
    let error = Call::read("", "hello", None).expect_err("it needs some");
    assert_eq!(error.code(), Some(Code::InvalidParameters));
}

#[test]
fn errors_name_the_place_in_the_frame_and_no_type_of_rust() {
    for (method, params, expected) in [
        (
            "act",
            r#"{"environment":"maze","agent":"ada","action":{"name":"move","args":["north",null]}}"#,
            "line 1, column 128 (`params.action.args[1]`): found `null`, expected a parameter: a string, a number, a truth \
             value, a list or a function",
        ),
        (
            "manage",
            r#"{"environment":"maze","command":5}"#,
            "line 1, column 84 (`params.command`): found `5`, expected one of `init`, ",
        ),
        (
            "manage",
            r#"{"environment":"maze","command":"strat"}"#,
            "line 1, column 90 (`params.command`): unknown value `strat`, expected one of ",
        ),
        (
            "manage",
            r#"{"environment":"maze","command":"init"}"#,
            "line 1, column 89 (`params.command`): this name has contents; write an object with the name as its key",
        ),
        ("perceive", r#"{"environment":"maze"}"#, "line 1, column 75 (`params`): the key `agent` is missing"),
    ] {
        let frame = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{params}}}"#);
        let Ok(Frame::One(Ok(Message::Call { method, params, .. }))) = rpc::read(&frame) else { panic!("{frame}") };
        let error = Call::read(&frame, &method, params).expect_err(&frame);
        let expected = format!("the parameters of `{method}` are invalid: {expected}");
        assert!(error.message.starts_with(&expected), "{}\n{expected}", error.message);
    }
    let batch = r#"[{"jsonrpc":"2.0","method":"ping"}, {"jsonrpc":"2.0","id":1,"method":5}]"#;
    let Ok(Frame::Batch(messages)) = rpc::read(batch) else { panic!("{batch}") };
    let Some(Err(refused)) = messages.into_iter().nth(1) else { panic!("5 is no method") };
    let expected =
        "this is not a message of JSON-RPC 2.0: line 1, column 70 (`[1].method`): found `5`, expected a string";
    assert_eq!(refused.error.message, expected);
    let Err(refused) = rpc::read("{\"jsonrpc\": \"2.0\",\n \"id\": 1,}") else { panic!("it is not JSON") };
    assert_eq!(
        refused.error.message,
        "this is not JSON: line 2, column 10: a comma is followed by no value; remove it"
    );
}

#[test]
fn an_unknown_method_is_reported_with_a_suggestion() {
    let error = Call::read("", "percieve", None).expect_err("it is misspelt");
    assert_eq!(error.code(), Some(Code::NoSuchMethod));
    assert_eq!(error.message, "there is no method `percieve`; did you mean `perceive`?");
}

#[test]
fn ignores_unknown_notifications() {
    assert_eq!(Notification::read("weather", Some(&raw(&Value::Null))), Ok(None));
}
