//! The schema and the reference page match the types, and both sides can parse the examples on the page.
//!
//! After a change of the protocol, `UPDATE=1 cargo test -p situated-wire --test generated` updates both.

mod schema;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use serde_json::Value;
use serde_json::value::RawValue;
use situated_wire::methods::{Act, Associate, Bye, Hello, Register, Step, Subscribe};
use situated_wire::rpc::{self, Frame, Id, Message};
use situated_wire::{Call, Error, Method, Notification};

#[test]
fn the_schema_matches_the_types() {
    assert_committed("schema.json", &schema::schema_text());
}

#[test]
fn the_page_in_the_book_matches_the_types() {
    assert_committed("../../docs/src/reference/protocol.md", &schema::page());
}

fn assert_committed(file: &str, made: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&path, made).expect("the file can be written");
    }
    let committed = fs::read_to_string(&path).unwrap_or_default();
    assert!(committed == made, "{file} is stale; `UPDATE=1 cargo test -p situated-wire --test generated` updates it");
}

#[test]
fn all_references_of_the_schema_lead_somewhere() {
    let schema = schema::schema();
    let mut reached = BTreeSet::new();
    visit(&schema, &mut |value| {
        if let Some(reference) = value["$ref"].as_str() {
            let pointer = reference.strip_prefix('#').expect("it lies in this document");
            assert!(schema.pointer(pointer).is_some_and(Value::is_object), "{reference}");
            reached.insert(reference.to_owned());
        }
    });
    let defined = schema["$defs"].as_object().expect("there are definitions").keys();
    let defined: BTreeSet<String> = defined.map(|name| format!("#/$defs/{name}")).collect();
    assert_eq!(reached, defined, "all definitions are used");
}

#[test]
fn everything_has_a_description() {
    let schema = schema::schema();
    visit(&schema, &mut |value| {
        if let Some(description) = value["description"].as_str() {
            for leak in ["::", "](", "[`", "\n"] {
                assert!(!description.contains(leak), "{description}");
            }
        }
    });
    for (name, definition) in schema["$defs"].as_object().expect("there are definitions") {
        assert!(definition["description"].is_string(), "{name}");
        // The parts of a term are described with the language.
        if !["Action", "Function", "Percept"].contains(&name.as_str()) {
            assert_fields_described(name, definition);
        }
    }
}

fn assert_fields_described(name: &str, of: &Value) {
    for alternative in of["oneOf"].as_array().into_iter().flatten() {
        assert!(alternative["description"].is_string(), "{alternative} of {name}");
        let contents = alternative["properties"].as_object().into_iter().flatten();
        contents.for_each(|(tag, content)| assert_fields_described(tag, content));
    }
    for (field, schema) in of["properties"].as_object().into_iter().flatten() {
        assert!(schema["description"].is_string(), "`{field}` of {name}");
    }
}

fn visit(value: &Value, visitor: &mut impl FnMut(&Value)) {
    visitor(value);
    match value {
        Value::Object(object) => object.values().for_each(|value| visit(value, visitor)),
        Value::Array(items) => items.iter().for_each(|value| visit(value, visitor)),
        _ => {}
    }
}

#[test]
fn links_within_the_page_lead_to_one_heading_each() {
    let page = schema::page();
    let headings = page.lines().filter(|line| line.starts_with('#')).map(anchor);
    let mut anchors = BTreeSet::new();
    for heading in headings {
        assert!(anchors.insert(heading.clone()), "there are two headings `{heading}`");
    }
    let mut links = page.split("](#").skip(1).filter_map(|rest| rest.split_once(')')).map(|(link, _)| link).peekable();
    assert!(links.peek().is_some());
    links.for_each(|link| assert!(anchors.contains(link), "#{link}"));
}

/// The anchor that mdBook gives a heading.
fn anchor(heading: &str) -> String {
    let text = heading.trim_start_matches('#').trim().to_lowercase();
    text.chars().filter(|c| c.is_alphanumeric() || "-_ ".contains(*c)).map(|c| if c == ' ' { '-' } else { c }).collect()
}

#[test]
fn both_sides_can_parse_the_examples_on_the_page() {
    let page = schema::page();
    let mut waiting = BTreeMap::new();
    let mut lines = 0;
    for line in page.lines() {
        if let Some(said) = line.strip_prefix("→ ") {
            let Message::Call { id, method, params } = message(said) else { panic!("a client calls: {said}") };
            let call = Call::read("", &method, params).unwrap_or_else(|error| panic!("{error}: {said}"));
            assert!(waiting.insert(id.expect("an answer is wanted"), call).is_none(), "{said}");
        } else if let Some(received) = line.strip_prefix("← ") {
            assert_received(received, &mut waiting);
        } else {
            continue;
        }
        lines += 1;
    }
    assert!(waiting.is_empty() && lines > 10, "{lines} lines, no answer to {waiting:?}");
}

/// Messages of the server have the form that the types write, and a response belongs to a request.
fn assert_received(received: &str, waiting: &mut BTreeMap<Id, Call>) {
    match message(received) {
        Message::Call { id, method, params } => {
            assert_eq!(id, None, "{received}");
            let notification = Notification::read(&method, params);
            assert!(matches!(notification, Ok(Some(_))), "{notification:?}: {received}");
        }
        Message::Answer { id, answered } => {
            match (waiting.remove(&id.expect("it is known")).expect("it was called"), answered) {
                (_, Err(error)) => assert_known(&error),
                (Call::Hello(_), Ok(result)) => assert_answers::<Hello>(result),
                (Call::Register(_), Ok(result)) => assert_answers::<Register>(result),
                (Call::Associate(_), Ok(result)) => assert_answers::<Associate>(result),
                (Call::Step(_), Ok(result)) => assert_answers::<Step>(result),
                (Call::Subscribe(_), Ok(result)) => assert_answers::<Subscribe>(result),
                (Call::Act(_), Ok(result)) => assert_answers::<Act>(result),
                (Call::Bye(_), Ok(result)) => assert_answers::<Bye>(result),
                (call, _) => panic!("add the answer to {call:?} here"),
            }
        }
    }
}

fn assert_answers<M: Method>(result: &RawValue) {
    let answer: M::Answer = serde_json::from_str(result.get()).expect("it is the answer to this method");
    let written = serde_json::to_value(&answer).expect("it can be written");
    assert_eq!(written, serde_json::from_str::<Value>(result.get()).expect("it is JSON"));
}

#[test]
fn the_error_on_the_page_exists() {
    let page = schema::page();
    let mut example = page.lines().skip_while(|line| *line != "```json").skip(1);
    match message(example.next().expect("there is an error")) {
        Message::Answer { answered: Err(error), .. } => assert_known(&error),
        other => panic!("{other:?}"),
    }
}

fn assert_known(error: &Error) {
    let code = error.code().unwrap_or_else(|| panic!("{error:?}"));
    let kind = error.data.as_ref().map(|data| &data["kind"]);
    assert_eq!(kind, Some(&Value::from(code.kind())));
}

fn message(frame: &str) -> Message<'_> {
    match rpc::read(frame) {
        Ok(Frame::One(Ok(message))) => message,
        other => panic!("{other:?}: {frame}"),
    }
}
