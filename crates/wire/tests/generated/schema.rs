//! The JSON Schema of the protocol, and its reference page for the book. Both are made from the types, and committed.

mod page;
mod prose;
mod table;
mod words;

use std::collections::BTreeSet;

use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use schemars::{Schema, SchemaGenerator};
use serde_json::{Map, Value, json};
use situated::host::HostTask;

use situated_wire::methods::{self, AnswerOfHost, MethodDescription};
use situated_wire::notifications::{self, NotificationDescription};
use situated_wire::{Code, Error, PROTOCOL};

/// The JSON Schema (draft 2020-12) of the protocol: the parameters and answer of each method, the parameters of each
/// notification, the requests to hosts and their answers, and the errors.
pub(crate) fn schema() -> Value {
    let Protocol { methods, notifications, call_to_host, answer_of_host, error, definitions } = Protocol::new();
    let calls = methods.into_iter().map(|MethodDescription { name, documentation, needs: _, parameters, answer }| {
        (name.into(), json!({ "description": documentation, "parameters": parameters, "answer": answer }))
    });
    let notices = notifications.into_iter().map(|NotificationDescription { name, documentation, parameters }| {
        (name.into(), json!({ "description": documentation, "parameters": parameters }))
    });
    let errors: Vec<Value> = Code::ALL.iter().map(|code| describe_code(*code)).collect();
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "The wire protocol of situated",
        "protocol": PROTOCOL,
        "methods": calls.collect::<Map<_, _>>(),
        "notifications": notices.collect::<Map<_, _>>(),
        "callToHost": call_to_host,
        "answerOfHost": answer_of_host,
        "error": error,
        "errors": errors,
        "$defs": definitions,
    })
}

/// The schema as it is committed.
pub(crate) fn schema_text() -> String {
    let text = serde_json::to_string_pretty(&schema()).expect("there are only strings as keys");
    text + "\n"
}

/// Returns the reference page in the book.
pub(crate) fn page() -> String {
    page::Page(&Protocol::new()).to_string()
}

fn describe_code(code: Code) -> Value {
    json!({ "code": code as i32, "kind": code.kind(), "description": code.documentation().trim() })
}

/// The protocol, as the types describe it.
struct Protocol {
    methods: Vec<MethodDescription>,
    notifications: Vec<NotificationDescription>,
    call_to_host: Schema,
    answer_of_host: Schema,
    error: Schema,
    definitions: Map<String, Value>,
}

impl Protocol {
    fn new() -> Self {
        // A key that is optional in messages to a server need not be one that a server omits.
        let mut said = generator(SchemaSettings::draft2020_12().for_deserialize());
        let mut received = generator(SchemaSettings::draft2020_12().for_serialize());
        let mut methods = methods::describe(&mut said);
        for (method, described) in methods.iter_mut().zip(methods::describe(&mut received)) {
            method.answer = described.answer;
        }
        let notifications = notifications::describe(&mut received);
        let (call_to_host, answer_of_host) =
            (received.subschema_for::<HostTask>(), said.subschema_for::<AnswerOfHost>());
        let error = received.subschema_for::<Error>();

        let mut definitions = Map::new();
        let parameters = methods.iter().map(|method| &method.parameters);
        define(&mut definitions, &said.take_definitions(true), parameters.chain([&answer_of_host]));
        let answers = methods.iter().map(|method| &method.answer);
        let notices = notifications.iter().map(|notification| &notification.parameters);
        define(
            &mut definitions,
            &received.take_definitions(true),
            answers.chain(notices).chain([&call_to_host, &error]),
        );
        Self { methods, notifications, call_to_host, answer_of_host, error, definitions }
    }
}

fn generator(settings: SchemaSettings) -> SchemaGenerator {
    settings.with_transform(RecursiveTransform(prose::write_plainly)).into_generator()
}

/// Adds the definitions to which schemas refer, directly or indirectly.
fn define<'a>(definitions: &mut Map<String, Value>, all: &Map<String, Value>, of: impl Iterator<Item = &'a Schema>) {
    let mut missing: BTreeSet<&str> = of.flat_map(|schema| references(schema.as_value())).collect();
    let mut reached = BTreeSet::new();
    while let Some(name) = missing.pop_first() {
        let definition = &all[name];
        if reached.insert(name) {
            missing.extend(references(definition));
            // Clients may omit fields that the server always sends, if a type is used in both directions.
            let former = definitions.entry(name).or_insert_with(|| definition.clone());
            assert!(is_same_but_for_required(former, definition), "`{name}` differs between the two directions");
        }
    }
}

fn is_same_but_for_required(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Object(one), Value::Object(other)) => {
            let same = |(key, value): (&String, &Value)| {
                key == "required" || other.get(key).is_some_and(|other| is_same_but_for_required(value, other))
            };
            let known = |key: &String| key == "required" || one.contains_key(key);
            one.iter().all(same) && other.keys().all(known)
        }
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| is_same_but_for_required(one, other))
        }
        _ => one == other,
    }
}

/// The definitions that a schema itself refers to.
fn references(schema: &Value) -> BTreeSet<&str> {
    match schema {
        Value::Object(object) => {
            let own = object.get("$ref").and_then(Value::as_str).and_then(definition_name);
            own.into_iter().chain(object.values().flat_map(references)).collect()
        }
        Value::Array(items) => items.iter().flat_map(references).collect(),
        _ => BTreeSet::new(),
    }
}

fn definition_name(reference: &str) -> Option<&str> {
    reference.strip_prefix("#/$defs/")
}
