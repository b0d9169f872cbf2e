//! JSON Schemas of actions, from the ontology.

use serde_json::{Map, Value, json};
use situated::ontology::{Field, NumberRange, Ontology, Signature, Type};

type Object = Map<String, Value>;

/// Returns the schema of the arguments of a tool for an action. An action can be declared several times with
/// different parameters; a parameter that not all of them require is optional.
pub(crate) fn of_action(declared: &[&Signature], ontology: &Ontology) -> Object {
    let mut properties = Object::new();
    let mut definitions = Object::new();
    for field in declared.iter().flat_map(|signature| &signature.parameters) {
        properties.entry(&field.name).or_insert_with(|| of_field(field, ontology));
        define(&field.of, ontology, &mut definitions);
    }
    let is_required = |name: &str| {
        declared.iter().all(|signature| signature.parameters.iter().any(|field| field.name == name && !field.optional))
    };
    let required: Vec<&str> = properties.keys().map(String::as_str).filter(|name| is_required(name)).collect();
    let required = json!(required);
    object(properties, required, definitions)
}

fn object(properties: Object, required: Value, definitions: Object) -> Object {
    let mut schema = Object::new();
    schema.insert("type".into(), "object".into());
    schema.insert("properties".into(), properties.into());
    schema.insert("required".into(), required);
    schema.insert("additionalProperties".into(), false.into());
    if !definitions.is_empty() {
        schema.insert("$defs".into(), definitions.into());
    }
    schema
}

fn of_field(field: &Field, ontology: &Ontology) -> Value {
    let mut schema = of_type(&field.of, ontology);
    if let Value::Object(schema) = &mut schema
        && !field.documentation.is_empty()
    {
        schema.insert("description".into(), field.documentation.as_str().into());
    }
    if let Some(NumberRange { minimum, maximum }) = field.range {
        (schema["minimum"], schema["maximum"]) = (json!(minimum), json!(maximum));
    }
    schema
}

/// Returns the schema of a type. It has the key `type` even beside a reference: some programs of models drop a tool if
/// an argument has none.
fn of_type(of: &Type, ontology: &Ontology) -> Value {
    let mut schema = json!({ "type": kind(ontology.resolve(of)) });
    match of {
        Type::Any => schema["items"] = json!({}),
        Type::Identifier | Type::Number | Type::TruthValue => {}
        Type::Choice(words) => schema["enum"] = words.iter().map(|word| word.name.as_str()).collect(),
        Type::Integer { minimum, maximum } => {
            if *minimum != i64::MIN {
                schema["minimum"] = json!(minimum);
            }
            if *maximum != i64::MAX {
                schema["maximum"] = json!(maximum);
            }
        }
        Type::List(of) => schema["items"] = of_type(of, ontology),
        Type::Function(function) => {
            let fields = function.parameters.iter();
            let properties: Object =
                fields.clone().map(|field| (field.name.clone(), of_field(field, ontology))).collect();
            let required: Vec<&str> = fields.filter(|field| !field.optional).map(|field| field.name.as_str()).collect();
            return Value::Object(object(properties, json!(required), Object::new()));
        }
        Type::Named(name) => schema["$ref"] = json!(format!("#/$defs/{name}")),
    }
    schema
}

/// Returns the JSON types of the values of a type that is not named.
fn kind(of: &Type) -> Value {
    match of {
        Type::Any | Type::Named(_) => json!(["string", "number", "boolean", "array"]),
        Type::Identifier | Type::Choice(_) => json!("string"),
        Type::Integer { .. } => json!("integer"),
        Type::Number => json!("number"),
        Type::TruthValue => json!("boolean"),
        Type::List(_) => json!("array"),
        Type::Function(_) => json!("object"),
    }
}

/// Adds the named types that a type refers to.
fn define(of: &Type, ontology: &Ontology, definitions: &mut Object) {
    match of {
        Type::Named(name) => {
            let Some(named) = ontology.types.get(name).filter(|_| !definitions.contains_key(name)) else { return };
            let mut schema = of_type(&named.of, ontology);
            if let Value::Object(schema) = &mut schema
                && !named.documentation.is_empty()
            {
                schema.insert("description".into(), named.documentation.as_str().into());
            }
            definitions.insert(name.clone(), schema);
            define(&named.of, ontology, definitions);
        }
        Type::List(of) => define(of, ontology, definitions),
        Type::Function(function) => {
            function.parameters.iter().for_each(|field| define(&field.of, ontology, definitions));
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_their_ranges() {
        let field = json!({
            "name": "by", "documentation": "How far.", "type": "number", "range": { "minimum": -0.5, "maximum": 1.0 },
        });
        let turn = json!({ "name": "turn", "documentation": "", "parameters": [field] });
        let declared = json!({
            "name": "square", "version": "1", "documentation": "", "pace": "reactive", "types": {},
            "relation": { "oneAgentPerEntity": false, "oneEntityPerAgent": false }, "parameters": [],
            "entityTypes": [{ "name": "walker", "documentation": "", "percepts": [], "actions": [turn] }],
        });
        let ontology: Ontology = serde_json::from_value(declared).expect("an ontology");
        let schema = of_action(&[&ontology.entity_types[0].actions[0]], &ontology);
        let by = json!({ "type": "number", "minimum": -0.5, "maximum": 1.0, "description": "How far." });
        assert_eq!(schema["properties"]["by"], by);
    }
}
