//! Types in words, as in a table: `list of names`, `Moment or none`.

use serde_json::Value;

use super::definition_name;

/// The types of the interface intermediate language, which have their own page.
pub(super) const OF_THE_LANGUAGE: &[&str] = &["Action", "Function", "Parameter", "Percept"];

/// Returns the type that a schema describes, in words.
pub(super) fn words(schema: &Value) -> String {
    if let Some(name) = schema["$ref"].as_str().and_then(definition_name) {
        return link(name);
    }
    if let Some(alternatives) = schema["anyOf"].as_array() {
        return alternatives.iter().map(words).collect::<Vec<_>>().join(" or ");
    }
    match &schema["type"] {
        Value::String(of) => plain_words(schema, of),
        Value::Array(types) => {
            let types = types.iter().filter_map(Value::as_str).map(|of| plain_words(schema, of));
            types.collect::<Vec<_>>().join(" or ")
        }
        _ => "anything".into(),
    }
}

/// Like the function above, for a field that is omitted instead of `null`.
pub(super) fn words_but_none(schema: &Value) -> String {
    let words = words(schema);
    words.strip_suffix(NONE).map(str::to_owned).unwrap_or(words)
}

const NONE: &str = " or none";

/// The name of a type, with a link to where it is described.
fn link(name: &str) -> String {
    if OF_THE_LANGUAGE.contains(&name) {
        return format!("[{name}](iil.md)");
    }
    format!("[{name}](#type-{})", name.to_ascii_lowercase())
}

fn plain_words(schema: &Value, of: &str) -> String {
    match of {
        "null" => "none".into(),
        // Nothing but names has a least length.
        "string" if schema.get("minLength").is_some() => "name".into(),
        "string" => "text".into(),
        "boolean" => "truth value".into(),
        "number" => "number".into(),
        "integer" => whole_number(schema),
        "array" => list(schema),
        "object" => format!("object of {}", plural(words(&schema["additionalProperties"]))),
        other => unreachable!("JSON Schema has no type `{other}`"),
    }
}

fn whole_number(schema: &Value) -> String {
    match (schema["minimum"].as_i64(), schema["maximum"].as_i64()) {
        (Some(minimum), Some(maximum)) => format!("{minimum} to {maximum}"),
        (Some(_), None) => "whole number".into(),
        _ => "whole number, also negative".into(),
    }
}

fn list(schema: &Value) -> String {
    match schema["prefixItems"].as_array() {
        Some(items) => format!("[{}]", items.iter().map(words).collect::<Vec<_>>().join(", ")),
        None => format!("list of {}", plural(words(&schema["items"]))),
    }
}

fn plural(words: String) -> String {
    if words.ends_with(|last: char| last.is_alphabetic()) { words + "s" } else { words }
}
