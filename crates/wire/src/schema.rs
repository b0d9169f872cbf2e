//! The JSON Schema of the protocol, and its reference page for the book.

use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use crate::{Code, PROTOCOL, methods, notifications};

/// The JSON Schema (draft 2020-12) of the protocol: for each method its parameters and answer, for each notification its
/// parameters, and the errors.
pub fn schema() -> Value {
    let mut generator = SchemaSettings::draft2020_12().into_generator();
    let error = generator.subschema_for::<crate::Error>();
    let mut calls = Map::new();
    for method in methods::describe(&mut generator) {
        calls.insert(
            method.name.into(),
            json!({ "description": method.documentation, "parameters": method.parameters, "answer": method.answer }),
        );
    }
    let mut notices = Map::new();
    for notification in notifications::describe(&mut generator) {
        notices.insert(
            notification.name.into(),
            json!({ "description": notification.documentation, "parameters": notification.parameters }),
        );
    }
    let errors: Vec<Value> = Code::ALL.iter().map(|code| describe_code(*code)).collect();
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "The wire protocol of situated",
        "protocol": PROTOCOL,
        "methods": calls,
        "notifications": notices,
        "error": error,
        "errors": errors,
        "$defs": generator.take_definitions(true),
    })
}

/// The schema as it is committed.
pub fn schema_text() -> String {
    let text = serde_json::to_string_pretty(&schema()).expect("there are only strings as keys");
    text + "\n"
}

fn describe_code(code: Code) -> Value {
    json!({ "code": code as i32, "kind": code.kind(), "description": code.documentation().trim() })
}
