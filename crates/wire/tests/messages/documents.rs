//! Random documents that the schema of the protocol allows. They are generated from the schema, which tests every
//! type, and that the schema allows only valid documents.

use std::sync::LazyLock;

use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::Union;
use serde_json::{Map, Value};
use situated_wire::Call;

/// The committed schema, which another test compares with the types.
static SCHEMA: LazyLock<Value> =
    LazyLock::new(|| serde_json::from_str(include_str!("../../schema.json")).expect("the schema is JSON"));

/// Number of nested definitions from which a document stops nesting if it can.
const DEPTH: usize = 7;

/// The name of a method, and parameters of it.
pub(crate) fn parameters() -> impl Strategy<Value = (&'static str, Value)> {
    of_methods("parameters")
}

/// The name of a method, and an answer to it.
pub(crate) fn answers() -> impl Strategy<Value = (&'static str, Value)> {
    of_methods("answer")
}

fn of_methods(part: &'static str) -> impl Strategy<Value = (&'static str, Value)> {
    let of_method = move |name| (Just(name), document(&SCHEMA["methods"][name][part], DEPTH));
    select(Call::NAMES).prop_flat_map(of_method)
}

/// The name of a notification, and parameters of it.
pub(crate) fn notifications() -> impl Strategy<Value = (&'static str, Value)> {
    let notifications = SCHEMA["notifications"].as_object().expect("there are some");
    let names: Vec<&'static str> = notifications.keys().map(String::as_str).collect();
    let of_notification = |name| (Just(name), document(&notifications[name]["parameters"], DEPTH));
    select(names).prop_flat_map(of_notification)
}

/// Documents of a type.
pub(crate) fn of_type(name: &str) -> BoxedStrategy<Value> {
    document(&SCHEMA["$defs"][name], DEPTH)
}

fn document(schema: &Value, depth: usize) -> BoxedStrategy<Value> {
    if let Some(reference) = schema["$ref"].as_str() {
        let definition = SCHEMA.pointer(&reference[1..]).expect("it is defined");
        return document(definition, depth.saturating_sub(1));
    }
    if !schema["const"].is_null() {
        return Just(schema["const"].clone()).boxed();
    }
    if let Some(alternatives) = schema["oneOf"].as_array().or(schema["anyOf"].as_array()) {
        // The first one leads no deeper.
        let within_reach = if depth == 0 { &alternatives[..1] } else { alternatives };
        return Union::new(within_reach.iter().map(|one| document(one, depth))).boxed();
    }
    match &schema["type"] {
        Value::String(of) => of_kind(schema, of, depth),
        Value::Array(kinds) => {
            let kinds = kinds.iter().map(|of| of_kind(schema, of.as_str().expect("it is a name"), depth));
            Union::new(kinds).boxed()
        }
        _ => anything(),
    }
}

fn of_kind(schema: &Value, of: &str, depth: usize) -> BoxedStrategy<Value> {
    match of {
        "null" => Just(Value::Null).boxed(),
        "boolean" => any::<bool>().prop_map(Value::from).boxed(),
        "string" => text(schema["minLength"].as_u64().unwrap_or(0) as usize).prop_map(Value::from).boxed(),
        "integer" => whole_number(schema),
        "number" if schema["format"] == "double" => float(),
        "number" => prop_oneof![float(), any::<i64>().prop_map(Value::from)].boxed(),
        "array" => list(schema, depth),
        "object" => object(schema, depth),
        other => panic!("a schema of type {other}"),
    }
}

fn text(least: usize) -> impl Strategy<Value = String> {
    vec(prop_oneof![any::<char>(), prop::char::range('a', 'e')], least..8).prop_map(String::from_iter)
}

fn whole_number(schema: &Value) -> BoxedStrategy<Value> {
    match schema["format"].as_str() {
        Some("uint8") => any::<u8>().prop_map(Value::from).boxed(),
        Some("uint32") => any::<u32>().prop_map(Value::from).boxed(),
        Some("uint64" | "uint") => prop_oneof![any::<u64>(), 0..5u64].prop_map(Value::from).boxed(),
        Some("int32") => any::<i32>().prop_map(Value::from).boxed(),
        Some("int64") => any::<i64>().prop_map(Value::from).boxed(),
        other => panic!("whole numbers of format {other:?}"),
    }
}

fn float() -> BoxedStrategy<Value> {
    use proptest::num::f64::{NEGATIVE, NORMAL, POSITIVE, SUBNORMAL, ZERO};
    prop_oneof![POSITIVE | NEGATIVE | NORMAL | SUBNORMAL | ZERO, (-9..9i8).prop_map(f64::from)]
        .prop_map(Value::from)
        .boxed()
}

fn list(schema: &Value, depth: usize) -> BoxedStrategy<Value> {
    if let Some(items) = schema["prefixItems"].as_array() {
        let items: Vec<_> = items.iter().map(|item| document(item, depth)).collect();
        return items.prop_map(Value::from).boxed();
    }
    let longest = if depth == 0 { 0 } else { 3 };
    vec(document(&schema["items"], depth), 0..=longest).prop_map(Value::from).boxed()
}

fn object(schema: &Value, depth: usize) -> BoxedStrategy<Value> {
    let Some(properties) = schema["properties"].as_object() else {
        return match &schema["additionalProperties"] {
            of @ Value::Object(_) => {
                let entries = btree_map(text(0), document(of, depth), 0..3);
                entries.prop_map(|entries| Value::Object(entries.into_iter().collect())).boxed()
            }
            _ => Just(Value::Object(Map::new())).boxed(),
        };
    };
    let required = schema["required"].as_array();
    let field = |(name, of): (&String, &Value)| {
        let required = required.is_some_and(|required| required.iter().any(|one| one == name));
        let is_there = any::<bool>().prop_map(move |perhaps| required || perhaps && depth > 0);
        let value = if name == "numeral" { numeral() } else { document(of, depth) };
        (Just(name.clone()), value, is_there)
    };
    let fields: Vec<_> = properties.iter().map(field).collect();
    let there = |(name, value, is_there): (String, Value, bool)| is_there.then_some((name, value));
    fields.prop_map(move |fields| Value::Object(fields.into_iter().filter_map(there).collect())).boxed()
}

/// The text of a float without a JSON number; the schema does not define its form.
fn numeral() -> BoxedStrategy<Value> {
    select(&["1.0Inf", "-1.0Inf", "1.5NaN", "-1.5NaN"][..]).prop_map(Value::from).boxed()
}

/// JSON of any kind, but not deep.
fn anything() -> BoxedStrategy<Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        float(),
        text(0).prop_map(Value::from),
    ];
    let compound = |inner: BoxedStrategy<Value>| {
        prop_oneof![
            vec(inner.clone(), 0..3).prop_map(Value::from),
            btree_map(text(0), inner, 0..3).prop_map(|entries| Value::Object(entries.into_iter().collect())),
        ]
    };
    leaf.prop_recursive(3, 12, 3, compound).boxed()
}
