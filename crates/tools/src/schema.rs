//! JSON Schemas of actions, from the ontology.

use serde_json::{Map, Value, json};
use situated::ontology::{Field, NamedTypes, NumberRange, Signature, Type};

type Object = Map<String, Value>;

/// Returns the schema of the arguments of a tool for an action. An action can be declared several times with
/// different parameters; a parameter that not all of them require is optional.
pub(crate) fn of_action(declared: &[&Signature], types: &NamedTypes) -> Object {
    let mut properties = Object::new();
    let mut definitions = Object::new();
    for field in declared.iter().flat_map(|signature| &signature.parameters) {
        properties.entry(&field.name).or_insert_with(|| of_field(field));
        define(&field.of, types, &mut definitions);
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

fn of_field(field: &Field) -> Value {
    let mut schema = of_type(&field.of);
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

fn of_type(of: &Type) -> Value {
    match of {
        Type::Any => json!({}),
        Type::Identifier => json!({ "type": "string" }),
        Type::Choice(words) => {
            let names: Vec<&str> = words.iter().map(|word| word.name.as_str()).collect();
            json!({ "type": "string", "enum": names })
        }
        Type::Integer { minimum, maximum } => {
            let mut schema = json!({ "type": "integer" });
            if *minimum != i64::MIN {
                schema["minimum"] = json!(minimum);
            }
            if *maximum != i64::MAX {
                schema["maximum"] = json!(maximum);
            }
            schema
        }
        Type::Number => json!({ "type": "number" }),
        Type::TruthValue => json!({ "type": "boolean" }),
        Type::List(of) => json!({ "type": "array", "items": of_type(of) }),
        Type::Function(function) => {
            let fields = function.parameters.iter();
            let properties: Object = fields.clone().map(|field| (field.name.clone(), of_field(field))).collect();
            let required: Vec<&str> = fields.filter(|field| !field.optional).map(|field| field.name.as_str()).collect();
            Value::Object(object(properties, json!(required), Object::new()))
        }
        Type::Named(name) => json!({ "$ref": format!("#/$defs/{name}") }),
    }
}

/// Adds the named types that a type refers to.
fn define(of: &Type, types: &NamedTypes, definitions: &mut Object) {
    match of {
        Type::Named(name) => {
            let Some(named) = types.get(name).filter(|_| !definitions.contains_key(name)) else { return };
            let mut schema = of_type(&named.of);
            if let Value::Object(schema) = &mut schema
                && !named.documentation.is_empty()
            {
                schema.insert("description".into(), named.documentation.as_str().into());
            }
            definitions.insert(name.clone(), schema);
            define(&named.of, types, definitions);
        }
        Type::List(of) => define(of, types, definitions),
        Type::Function(function) => {
            function.parameters.iter().for_each(|field| define(&field.of, types, definitions));
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_their_ranges() {
        let number = Field::new("by", "How far.", Type::Number);
        let field = Field { range: Some(NumberRange { minimum: -0.5, maximum: 1.0 }), ..number };
        let schema = json!({ "type": "number", "minimum": -0.5, "maximum": 1.0, "description": "How far." });
        assert_eq!(of_field(&field), schema);
    }
}
