//! The JSON Schemas of the [`json`](super::json) notation.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use super::{Action, Function, Parameter, Percept};

impl JsonSchema for Parameter {
    fn schema_name() -> Cow<'static, str> {
        "Parameter".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let (list, function) = (generator.subschema_for::<Vec<Parameter>>(), generator.subschema_for::<Function>());
        json_schema!({
            "description": "An identifier, a numeral, a truth value, a list or a function of the interface intermediate \
                            language. A number with a point or an exponent is a float, any other is a whole number.",
            "anyOf": [
                { "type": "string" },
                { "type": "number" },
                { "type": "boolean" },
                list,
                function,
                {
                    "description": "A float that JSON cannot represent: 1.0Inf, -1.0Inf, 1.5NaN.",
                    "type": "object",
                    "properties": { "numeral": { "type": "string" } },
                    "required": ["numeral"],
                    "additionalProperties": false,
                },
            ],
        })
    }
}

macro_rules! compound_schema {
    ($($Name:ident: $documentation:literal),*) => {$(
        impl JsonSchema for $Name {
            fn schema_name() -> Cow<'static, str> {
                stringify!($Name).into()
            }

            fn json_schema(generator: &mut SchemaGenerator) -> Schema {
                let parameters = generator.subschema_for::<Vec<Parameter>>();
                json_schema!({
                    "description": $documentation,
                    "type": "object",
                    "properties": { "name": { "type": "string" }, "args": parameters },
                    "required": ["name"],
                    "additionalProperties": false,
                })
            }
        }
    )*};
}

compound_schema!(
    Function: "A function over parameters: a name with arguments.",
    Action: "An action of an agent through an entity: a name with arguments.",
    Percept: "A percept of an agent through an entity: a name with arguments."
);
