//! Ontologies, as far as a check needs them: whether one is well formed, and parameters as it declares them.

use serde_json::{Value, json};

use crate::server::stop::{Checked, Stop, ensure};

/// How deep declared types are followed; some are made of themselves.
const DEPTH: usize = 8;

/// An action with parameters of the declared types; none if there are no such parameters.
pub(crate) fn sample_action(signature: &Value, types: &Value) -> Option<Value> {
    sample_function(signature, types, DEPTH)
}

fn sample_function(signature: &Value, types: &Value, depth: usize) -> Option<Value> {
    let fields = signature["parameters"].as_array()?.iter().filter(|field| field["optional"] != true);
    let args: Option<Vec<Value>> = fields.map(|field| sample(&field["type"], types, depth)).collect();
    Some(json!({ "name": signature["name"], "args": args? }))
}

/// A parameter of a declared type.
fn sample(of: &Value, types: &Value, depth: usize) -> Option<Value> {
    let depth = depth.checked_sub(1)?;
    match of.as_str() {
        Some("any" | "identifier") => return Some("a".into()),
        Some("number") => return Some(0.5.into()),
        Some("truthValue") => return Some(true.into()),
        Some(_) => return None,
        None => {}
    }
    let (kind, of) = of.as_object()?.iter().next()?;
    match kind.as_str() {
        "choice" => Some(of[0]["name"].clone()),
        "integer" => {
            let (minimum, maximum) = (of["minimum"].as_i64()?, of["maximum"].as_i64()?);
            (minimum <= maximum).then(|| 1.clamp(minimum, maximum).into())
        }
        "list" => Some(json!([sample(of, types, depth)?])),
        "function" => sample_function(of, types, depth),
        "named" => sample(&types[of.as_str()?]["type"], types, depth),
        _ => None,
    }
}

/// Whether an ontology says what it must, and refers to nothing that it does not have.
pub(crate) fn check_ontology(ontology: &Value) -> Checked {
    for text in ["name", "version", "documentation"] {
        ensure(is_said(&ontology[text]), format!("an ontology has a `{text}`"), ontology)?;
    }
    let types = &ontology["types"];
    for (name, named) in types.as_object().ok_or_else(|| Stop::failed("`types` is an object", types))? {
        check_type(&named["type"], types, name)?;
    }
    for field in list(ontology, "parameters")? {
        check_field(field, types)?;
    }
    let entity_types = list(ontology, "entityTypes")?;
    ensure(!entity_types.is_empty(), "an environment has a type of entities", ontology)?;
    for entity_type in entity_types {
        ensure(is_said(&entity_type["name"]), "a type of entities has a name", entity_type)?;
        for signature in list(entity_type, "actions")? {
            check_signature(signature, types)?;
        }
        for signature in list(entity_type, "percepts")? {
            check_signature(signature, types)?;
            let deliveries = ["once", "onChange", "onChangeWithNegation", "always", "event"];
            ensure(
                deliveries.iter().any(|one| signature["delivery"] == *one),
                "a percept has a `delivery`",
                signature,
            )?;
        }
    }
    Ok(())
}

fn check_signature(signature: &Value, types: &Value) -> Checked {
    ensure(is_said(&signature["name"]), "an action or percept has a name", signature)?;
    let fields = list(signature, "parameters")?;
    let last = fields.len().saturating_sub(1);
    for (place, field) in fields.iter().enumerate() {
        ensure(field["optional"] != true || place == last, "only the last parameter may be left out", signature)?;
        check_field(field, types)?;
    }
    Ok(())
}

fn check_field(field: &Value, types: &Value) -> Checked {
    ensure(is_said(&field["name"]), "a parameter has a name", field)?;
    check_type(&field["type"], types, field["name"].as_str().unwrap_or_default())
}

fn check_type(of: &Value, types: &Value, whose: &str) -> Checked {
    let wrong = || Stop::failed(format!("a type for `{whose}`"), of);
    if let Some(plain) = of.as_str() {
        return ensure(["any", "identifier", "number", "truthValue"].contains(&plain), "a type that there is", of);
    }
    let (kind, inner) = of.as_object().and_then(|of| of.iter().next()).ok_or_else(wrong)?;
    match kind.as_str() {
        "choice" => ensure(inner.as_array().is_some_and(|words| !words.is_empty()), "a choice has words", of),
        "integer" => ensure(inner["minimum"].is_i64() && inner["maximum"].is_i64(), "an integer has bounds", of),
        "list" => check_type(inner, types, whose),
        "function" => check_signature(inner, types),
        "named" => {
            let known = inner.as_str().is_some_and(|name| types.get(name).is_some());
            ensure(known, "a named type is among the `types`", of)
        }
        _ => Err(wrong()),
    }
}

fn list<'a>(of: &'a Value, name: &str) -> Checked<&'a Vec<Value>> {
    of[name].as_array().ok_or_else(|| Stop::failed(format!("a list `{name}`"), of))
}

fn is_said(text: &Value) -> bool {
    text.as_str().is_some_and(|text| !text.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_as_they_are_declared() {
        let types = json!({ "Place": { "documentation": "", "type": { "integer": { "minimum": 3, "maximum": 9 } } } });
        let field = |of: Value| json!({ "name": "x", "documentation": "", "type": of });
        let parameters = [field(json!({ "named": "Place" })), field(json!({ "list": "number" }))];
        let signature = json!({ "name": "go", "documentation": "", "parameters": parameters });
        assert_eq!(sample_action(&signature, &types), Some(json!({ "name": "go", "args": [3, [0.5]] })));
    }

    #[test]
    fn types_that_end_nowhere_have_no_parameters() {
        let types = json!({ "Tree": { "documentation": "", "type": { "list": { "named": "Tree" } } } });
        assert_eq!(sample(&json!({ "named": "Tree" }), &types, DEPTH), None);
    }
}
