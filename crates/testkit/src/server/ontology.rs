//! Ontologies, as far as checks need them: whether one is well formed, and its declared actions.

use serde_json::{Value, json};
use situated::agent::random_action;
use situated::iil::Parameter;
use situated::ontology::{Ontology, Signature, Type};
use situated::random::Random;

use crate::server::stop::{Checked, Stop, ensure};

/// Parses the ontology in a description, and checks that it is complete.
pub(crate) fn read(described: &Value) -> Checked<Ontology> {
    for text in ["name", "version", "documentation"] {
        let is_said = described[text].as_str().is_some_and(|text| !text.trim().is_empty());
        ensure(is_said, format!("an ontology has a `{text}`"), described)?;
    }
    let ontology: Ontology = serde_json::from_value(described.clone())
        .map_err(|error| Stop::failed("an ontology as in the reference", format!("{error}: {described}")))?;
    ontology.check().map_err(|unsound| Stop::failed("an ontology that is sound", unsound))?;
    ensure(!ontology.entity_types.is_empty(), "an environment has a type of entities", described)?;
    Ok(ontology)
}

/// Returns an action with parameters of the declared types, always the same; `None` if parameters cannot be
/// generated.
pub(crate) fn sample_action(signature: &Signature, ontology: &Ontology) -> Option<Value> {
    let mut sample = |of: &Type, _: &mut Random| match of {
        Type::Any | Type::Identifier => Some(Parameter::from("a")),
        Type::Number => Some(0.5.into()),
        Type::TruthValue => Some(true.into()),
        Type::Integer { minimum, maximum } => Some(1.max(*minimum).min(*maximum).into()),
        Type::Choice(words) => words.first().map(|word| word.name.as_str().into()),
        _ => None,
    };
    random_action(signature, ontology, &mut Random::new(1), &mut sample).map(|action| json!(action))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generates_parameters_as_declared() {
        let field = |name: &str, of: Value| json!({ "name": name, "documentation": "", "type": of });
        let parameters = [field("x", json!({ "named": "Place" })), field("y", json!("number"))];
        let described = json!({
            "name": "town", "version": "1", "documentation": "A town.", "parameters": [], "pace": "reactive",
            "types": { "Place": { "documentation": "", "type": { "integer": { "minimum": 3, "maximum": 9 } } } },
            "entityTypes": [{
                "name": "walker", "documentation": "", "percepts": [],
                "actions": [{ "name": "go", "documentation": "", "parameters": parameters }],
            }],
            "relation": { "oneAgentPerEntity": false, "oneEntityPerAgent": false },
        });
        let ontology = read(&described).expect("it is whole");
        let action = sample_action(&ontology.entity_types[0].actions[0], &ontology);
        assert_eq!(action, Some(json!({ "name": "go", "args": [3, 0.5] })));
        let mut incomplete = described;
        incomplete["types"] = json!({});
        read(&incomplete).expect_err("the place is missing");
    }
}
