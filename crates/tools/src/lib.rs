//! Environments for language models: each action of an entity as a tool with a [JSON Schema](https://json-schema.org),
//! and what the entity perceives in words. Gateways and bindings add what their callers use to call a tool.
//!
//! ```
//! use situated::ontology::Ontology;
//! use situated_tools::{action, of_entity_type};
//!
//! # let declared = r#"{ "name": "yard", "version": "1", "documentation": "", "pace": "reactive", "types": {},
//! #     "relation": { "oneAgentPerEntity": false, "oneEntityPerAgent": false }, "parameters": [],
//! #     "entityTypes": [{ "name": "dog", "documentation": "", "percepts": [], "actions": [
//! #         { "name": "bark", "documentation": "Barks.", "parameters": [
//! #             { "name": "times", "documentation": "", "type": { "integer": { "minimum": 1, "maximum": 9 } } }
//! #         ] }] }] }"#;
//! let ontology: Ontology = serde_json::from_str(declared)?;
//! let tools = of_entity_type(&ontology, "dog");
//! assert_eq!((&*tools[0].name, &*tools[0].description), ("bark", "Barks."));
//! assert_eq!(tools[0].arguments["properties"]["times"]["maximum"], 9);
//!
//! let called = serde_json::json!({ "times": 2 });
//! let barking = action(&ontology, "dog", "bark", called.as_object().expect("an object"))?;
//! assert_eq!(barking.to_string(), "bark(2)");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod arguments;
mod checked;
mod sayings;
mod schema;
mod untrusted;
mod words;

use serde_json::{Map, Value};
use situated::iil::Action;
use situated::ontology::{EntityType, Ontology, Signature};

pub use arguments::unquoted;
pub use checked::{check_percept, checked};
pub use untrusted::without_documentation;
pub use words::{Beliefs, ended, introduction, visible_lines, with_article};

/// The names of tools that gateways and bindings have beside the actions. An action with such a name is called
/// `act_` and its name.
pub const RESERVED: [&str; 5] = ["join", "look", "wait_until", "send_mail", "leave"];

/// The maximum length of the name of a tool, in characters.
const NAME_LENGTH: usize = 100;

/// An action as a tool.
#[derive(Clone, Debug, PartialEq)]
pub struct ActionTool {
    /// Its name: that of the action, with `_` for characters that names of tools cannot have.
    pub name: String,
    /// The documentation of the action.
    pub description: String,
    /// The JSON Schema of its arguments, which are an object.
    pub arguments: Map<String, Value>,
}

/// Returns a tool for each action of any entity, in the order of the ontology. An action that only some types of
/// entities have says so.
pub fn of_all(ontology: &Ontology) -> Vec<ActionTool> {
    of(ontology, |_| true)
}

/// Returns a tool for each action of an entity type, in the order of the ontology.
pub fn of_entity_type(ontology: &Ontology, entity_type: &str) -> Vec<ActionTool> {
    of(ontology, |one| one.name == entity_type)
}

/// Returns whether there is a tool with this name for an action of any entity.
pub fn exists(ontology: &Ontology, tool: &str) -> bool {
    signatures(ontology, |_| true).any(|signature| tool_name(&signature.name) == tool)
}

/// Returns the action that a tool stands for, with these arguments. Among several declarations of the action, the one
/// with these parameters is meant.
///
/// # Errors
/// Returns an error for the model, which says what this entity type can do, or which arguments the tool has.
pub fn action(
    ontology: &Ontology,
    entity_type: &str,
    tool: &str,
    arguments: &Map<String, Value>,
) -> Result<Action, String> {
    let named = signatures(ontology, |one| one.name == entity_type);
    let declared: Vec<&Signature> = named.filter(|signature| tool_name(&signature.name) == tool).collect();
    if declared.is_empty() {
        let tools: Vec<String> = of_entity_type(ontology, entity_type).into_iter().map(|tool| tool.name).collect();
        let one = with_article(entity_type);
        return Err(format!("{one} cannot do this; it can do: {}", tools.join(", ")));
    }
    arguments::action(&declared, &ontology.types, arguments)
}

fn of(ontology: &Ontology, with: impl Fn(&EntityType) -> bool + Copy) -> Vec<ActionTool> {
    let mut names: Vec<&str> = Vec::new();
    for signature in signatures(ontology, with) {
        if !names.contains(&signature.name.as_str()) {
            names.push(&signature.name);
        }
    }
    let tool = |name: &str| {
        let mut declared: Vec<&Signature> = Vec::new();
        for signature in signatures(ontology, with).filter(|signature| signature.name == name) {
            if !declared.contains(&signature) {
                declared.push(signature);
            }
        }
        let description = description(ontology, name, &declared, with);
        ActionTool { name: tool_name(name), description, arguments: schema::of_action(&declared, ontology) }
    };
    names.into_iter().map(tool).collect()
}

/// Returns the actions of entity types, in order.
fn signatures(ontology: &Ontology, with: impl Fn(&EntityType) -> bool) -> impl Iterator<Item = &Signature> {
    ontology.entity_types.iter().filter(move |one| with(one)).flat_map(|one| &one.actions)
}

fn tool_name(action: &str) -> String {
    let plain =
        |character: char| if character.is_ascii_alphanumeric() || "_-.".contains(character) { character } else { '_' };
    let name: String = action.chars().take(NAME_LENGTH).map(plain).collect();
    if RESERVED.contains(&name.as_str()) { format!("act_{name}") } else { name }
}

fn description(ontology: &Ontology, name: &str, declared: &[&Signature], with: impl Fn(&EntityType) -> bool) -> String {
    let mut text: Vec<String> = match declared {
        [only] => vec![only.documentation.clone()],
        several => several.iter().map(|one| format!("{one}: {}", one.documentation)).collect(),
    };
    let offered: Vec<&EntityType> = ontology.entity_types.iter().filter(|one| with(one)).collect();
    let can = |entity_type: &&&EntityType| entity_type.actions.iter().any(|signature| signature.name == name);
    let able: Vec<&str> = offered.iter().filter(can).map(|entity_type| entity_type.name.as_str()).collect();
    if able.len() < offered.len() {
        text.push(format!("Only entities of type {} can do this.", able.join(" or ")));
    }
    text.join("\n")
}
