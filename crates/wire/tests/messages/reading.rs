//! Calls, answers, notifications and errors: everything that the schema allows is accepted, and is equal after
//! writing and reading.

use std::fmt::Debug;

use proptest::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};
use situated_wire::methods::*;
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
        let call = Call::read(method, Some(&raw(&document))).map_err(|error| refused(&error, &document))?;
        prop_assert_eq!(call.name(), method);
        prop_assert_eq!(Call::read(method, Some(&call_parameters(&call))), Ok(call));
    }

    #[test]
    fn calls_with_keys_of_others((method, mut document) in parameters(), key in "[a-z]{0,3}[0-9]") {
        document.as_object_mut().expect("parameters have names").insert(key.clone(), Value::Null);
        let error = Call::read(method, Some(&raw(&document))).expect_err("the method has no such parameter");
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
        assert!(Call::read(method, None).is_ok(), "{method}");
    }
    let error = Call::read("hello", None).expect_err("it needs some");
    assert_eq!(error.code(), Some(Code::InvalidParameters));
}

#[test]
fn an_unknown_method_is_reported_with_a_suggestion() {
    let error = Call::read("percieve", None).expect_err("it is misspelt");
    assert_eq!(error.code(), Some(Code::NoSuchMethod));
    assert_eq!(error.message, "there is no method `percieve`; did you mean `perceive`?");
}

#[test]
fn ignores_unknown_notifications() {
    assert_eq!(Notification::read("weather", Some(&raw(&Value::Null))), Ok(None));
}
