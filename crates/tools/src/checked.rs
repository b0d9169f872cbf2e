//! The arguments of tools that stand for no action, such as `look`.

use serde_json::{Map, Value};
use situated::iil::Percept;
use situated::ontology::Ontology;

use crate::ActionTool;
use crate::arguments::unquoted;
use crate::words::with_article;

/// Returns the arguments of a tool that stands for no action, if they fit its schema. Those that are null are left out,
/// and numbers and truth values have no quotes.
///
/// # Errors
/// Returns an error that says which arguments the tool has, or which values an argument can have.
pub fn checked(tool: &ActionTool, given: &Map<String, Value>) -> Result<Map<String, Value>, String> {
    let none = Map::new();
    let declared = tool.arguments.get("properties").and_then(Value::as_object).unwrap_or(&none);
    let check = |(name, value): (&String, &Value)| {
        let Some(property) = declared.get(name) else {
            let names: Vec<&str> = declared.keys().map(String::as_str).collect();
            let known = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
            return Err(format!("`{}` has no argument `{name}`; its arguments: {known}", tool.name));
        };
        let value = fitting(property, value).ok_or_else(|| format!("`{name}` must be {}", wanted(property)))?;
        Ok((name.clone(), value))
    };
    given.iter().filter(|(_, value)| !value.is_null()).map(check).collect()
}

/// Returns the value of an argument without quotes that its schema does not declare, if it fits the schema.
fn fitting(property: &Value, value: &Value) -> Option<Value> {
    let is_text = property["type"] == "string";
    let value = value.as_str().filter(|_| !is_text).and_then(unquoted).unwrap_or_else(|| value.clone());
    let fits = match &value {
        Value::String(_) => is_text,
        Value::Bool(_) => property["type"] == "boolean",
        Value::Number(number) => property["type"] == "number" && is_within(property, number.as_f64()),
        Value::Array(items) => property["type"] == "array" && items.iter().all(Value::is_string),
        Value::Object(_) | Value::Null => false,
    };
    fits.then_some(value)
}

fn is_within(property: &Value, number: Option<f64>) -> bool {
    let limit = |name: &str| property[name].as_f64();
    limit("minimum").is_none_or(|minimum| number >= Some(minimum))
        && limit("maximum").is_none_or(|maximum| number <= Some(maximum))
}

/// Returns the values of an argument in words.
fn wanted(property: &Value) -> String {
    match property["type"].as_str() {
        Some("boolean") => "true or false".into(),
        Some("array") => "a list of texts".into(),
        Some("number") if property["maximum"].is_number() => {
            format!("a number from {} to {}", property["minimum"], property["maximum"])
        }
        Some("number") => "a number".into(),
        _ => "a text".into(),
    }
}

/// Checks that entities of a type can perceive a percept: one with this name, or exactly this one.
///
/// # Errors
/// Returns an error that says what they perceive.
pub fn check_percept(ontology: &Ontology, entity_type: &str, percept: &Percept) -> Result<(), String> {
    let Some(known) = ontology.find_entity_type(entity_type) else { return Ok(()) };
    let is_name = percept.parameters.is_empty() && known.percepts.iter().any(|one| one.signature.name == *percept.name);
    if is_name {
        return Ok(());
    }
    ontology.check_percept(known, percept).map_err(|mismatch| {
        let names: Vec<&str> = known.percepts.iter().map(|one| one.signature.name.as_str()).collect();
        format!("{mismatch} ({} perceives: {})", with_article(entity_type), names.join(", "))
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(given: Value) -> Result<Value, String> {
        let schema = json!({ "properties": {
            "about": { "type": "string" }, "to": { "type": "array" }, "picture": { "type": "boolean" },
            "seconds": { "type": "number", "minimum": 0, "maximum": 30 },
        } });
        let (Value::Object(arguments), Value::Object(given)) = (schema, given) else { panic!("not an object") };
        let tool = ActionTool { name: "look".into(), description: String::new(), arguments };
        checked(&tool, &given).map(Value::Object)
    }

    #[test]
    fn arguments_get_the_declared_types() {
        let given = json!({ "about": "7", "to": ["ada"], "picture": "true", "seconds": "2.5" });
        let expected = json!({ "about": "7", "to": ["ada"], "picture": true, "seconds": 2.5 });
        assert_eq!(check(given), Ok(expected));
        assert_eq!(check(json!({ "about": null })), Ok(json!({})));
    }

    #[test]
    fn other_arguments_are_refused() {
        let refused = |given| check(given).expect_err("it does not fit");
        assert_eq!(
            refused(json!({ "at": 1 })),
            "`look` has no argument `at`; its arguments: about, picture, seconds, to"
        );
        assert_eq!(refused(json!({ "about": 7 })), "`about` must be a text");
        assert_eq!(refused(json!({ "to": "ada" })), "`to` must be a list of texts");
        assert_eq!(refused(json!({ "to": [7] })), "`to` must be a list of texts");
        assert_eq!(refused(json!({ "picture": "perhaps" })), "`picture` must be true or false");
        for seconds in [json!(-1), json!(30.5), json!("31"), json!("long"), json!(true)] {
            assert_eq!(refused(json!({ "seconds": seconds })), "`seconds` must be a number from 0 to 30");
        }
    }
}
