//! The actions of learners.

use std::collections::BTreeMap;

use serde_json::{Map, Value};
use situated::iil::{Action, EcoString};
use situated::ontology::Ontology;

use crate::error::OpenEnvError;

type Object = Map<String, Value>;

/// The choices of a learner in one step.
#[derive(Debug, PartialEq)]
pub(crate) enum Choices {
    /// For its only entity.
    One(Choice),
    /// By entity. Entities without a choice pass.
    Several(BTreeMap<EcoString, Choice>),
}

/// The choice for one entity.
#[derive(Debug, Default, PartialEq)]
pub(crate) enum Choice {
    #[default]
    Pass,
    /// The action with this number in the encoding.
    Number(usize),
    /// The action with this name, as it is offered to language models, or as text of the interface intermediate
    /// language.
    Named(String, Option<Object>),
}

impl Choices {
    /// Reads the data of `step`.
    pub(crate) fn read(mut data: Object) -> Result<Self, OpenEnvError> {
        let Some(actions) = data.remove("actions") else { return Choice::read(data).map(Choices::One) };
        check_rest(data)?;
        let Value::Object(actions) = actions else {
            return Err(OpenEnvError::invalid("`actions` must be an object with the action of each entity"));
        };
        let read = |(entity, choice): (String, Value)| {
            let choice = match choice {
                Value::Null => Choice::Pass,
                Value::Object(choice) => Choice::read(choice)?,
                _ => {
                    return Err(OpenEnvError::invalid(format!("`actions` has no object with `action` for `{entity}`")));
                }
            };
            Ok((entity.into(), choice))
        };
        actions.into_iter().map(read).collect::<Result<_, _>>().map(Choices::Several)
    }
}

impl Choice {
    fn read(mut data: Object) -> Result<Self, OpenEnvError> {
        let action = data.remove("action").ok_or_else(|| OpenEnvError::invalid("`action` is missing"))?;
        let arguments = match data.remove("arguments") {
            None | Some(Value::Null) => None,
            Some(Value::Object(arguments)) => Some(arguments),
            Some(_) => return Err(OpenEnvError::invalid("`arguments` must be an object")),
        };
        check_rest(data)?;
        let number = action.as_u64().and_then(|number| usize::try_from(number).ok());
        match (action, number) {
            (Value::Null, _) => Ok(Choice::Pass),
            (Value::String(name), _) => Ok(Choice::Named(name, arguments)),
            (_, Some(number)) => Ok(Choice::Number(number)),
            _ => Err(OpenEnvError::invalid("`action` must be the name or the number of an action, or null to pass")),
        }
    }
}

/// Returns the action of this name for an entity of this type.
///
/// # Errors
/// Returns an error if entities of this type have no such action, or it has other arguments.
pub(crate) fn action(
    ontology: &Ontology,
    entity_type: &str,
    name: &str,
    arguments: Option<&Object>,
) -> Result<Action, OpenEnvError> {
    let action = match (name.parse::<Action>(), arguments) {
        (Ok(action), None) if !action.parameters.is_empty() => action,
        (_, arguments) => {
            let none = Object::new();
            let action = situated_tools::action(ontology, entity_type, name, arguments.unwrap_or(&none));
            action.map_err(OpenEnvError::invalid)?
        }
    };
    ontology.check_action(&action).map_err(|error| OpenEnvError::invalid(error.to_string()))?;
    Ok(action)
}

/// Returns an error if there are fields that nobody has read. Typed clients send `metadata` with each action.
fn check_rest(mut data: Object) -> Result<(), OpenEnvError> {
    data.remove("metadata");
    match data.keys().next() {
        Some(unknown) => Err(OpenEnvError::invalid(format!("an action has no field `{unknown}`; see /schema"))),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use situated::environment::Environment;
    use situated_find_goals::FindGoals;

    use super::*;

    fn read(data: Value) -> Result<Choices, String> {
        let Value::Object(data) = data else { panic!("not an object") };
        Choices::read(data).map_err(|refused| refused.message)
    }

    #[test]
    fn reads_names_numbers_and_passes() {
        let named = |name: &str| Choice::Named(name.into(), None);
        assert_eq!(read(json!({ "action": "up" })), Ok(Choices::One(named("up"))));
        assert_eq!(read(json!({ "action": 3, "metadata": {} })), Ok(Choices::One(Choice::Number(3))));
        assert_eq!(read(json!({ "action": null, "arguments": null })), Ok(Choices::One(Choice::Pass)));
        let several = read(json!({ "actions": { "red": { "action": "up" }, "blue": null } }));
        let wanted = [("blue".into(), Choice::Pass), ("red".into(), named("up"))].into();
        assert_eq!(several, Ok(Choices::Several(wanted)));
    }

    #[test]
    fn says_what_is_wrong_with_the_data_of_a_step() {
        for (wrong, reason) in [
            (json!({}), "`action` is missing"),
            (json!({ "action": -1 }), "must be the name or the number"),
            (json!({ "action": "up", "argument": {} }), "no field `argument`"),
            (json!({ "action": "up", "arguments": [] }), "`arguments` must be an object"),
            (json!({ "actions": [] }), "`actions` must be an object"),
            (json!({ "actions": { "red": "up" } }), "for `red`"),
        ] {
            assert!(read(wrong.clone()).unwrap_err().contains(reason), "{wrong}");
        }
    }

    #[test]
    fn names_only_actions_that_the_entity_has() {
        let named = |name| action(&FindGoals::ontology(), "walker", name, None);
        assert_eq!(named("up").expect("it has this action").to_string(), "up");
        assert!(named("fly").is_err() && named("up(3)").is_err());
        let arguments = Object::from_iter([("to".to_owned(), json!(1))]);
        assert!(action(&FindGoals::ontology(), "walker", "up", Some(&arguments)).is_err());
    }
}
