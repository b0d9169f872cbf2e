//! The tools of an environment.

use std::sync::Arc;

use rmcp::model::{Tool, ToolAnnotations};
use serde_json::json;
use situated::ontology::{EntityType, Ontology, Signature};

use crate::schema;

/// The longest time that `wait_until` waits, in seconds.
pub(crate) const LONGEST_WAIT: u64 = 30;

/// Returns the tools: those of every environment, and one for each action of its entities. They are the same for all
/// callers.
pub(crate) fn all(ontology: &Ontology) -> Vec<Tool> {
    let mut tools = vec![join(), look(), wait_until(), leave()];
    let mut names: Vec<String> = Vec::new();
    for signature in ontology.entity_types.iter().flat_map(|entity_type| &entity_type.actions) {
        if !names.contains(&signature.name) {
            names.push(signature.name.clone());
        }
    }
    for name in names {
        let declared = declared(ontology, &name, |_| true);
        let description = description(ontology, &name, &declared);
        tools.push(Tool::new(tool_name(&name), description, schema::of_action(&declared, &ontology.types)));
    }
    tools
}

/// Returns the tools of a client with one seat, which has joined and does not pass its seat.
pub(crate) fn of_only_seat(all: Vec<Tool>) -> Vec<Tool> {
    let mut tools: Vec<Tool> = all.into_iter().filter(|tool| !["join", "leave"].contains(&&*tool.name)).collect();
    for tool in &mut tools {
        schema::remove_seat(Arc::make_mut(&mut tool.input_schema));
    }
    tools
}

/// Returns the declarations of an action for these entity types, each once.
pub(crate) fn declared<'a>(ontology: &'a Ontology, name: &str, of: impl Fn(&EntityType) -> bool) -> Vec<&'a Signature> {
    let mut declared: Vec<&Signature> = Vec::new();
    for signature in ontology.entity_types.iter().filter(|one| of(one)).flat_map(|one| &one.actions) {
        if signature.name == name && !declared.contains(&signature) {
            declared.push(signature);
        }
    }
    declared
}

/// Returns the name of the action that a tool stands for.
pub(crate) fn action_of<'a>(ontology: &'a Ontology, tool: &str) -> Option<&'a str> {
    let mut actions = ontology.entity_types.iter().flat_map(|entity_type| &entity_type.actions);
    actions.find(|signature| tool_name(&signature.name) == tool).map(|signature| signature.name.as_str())
}

/// Returns the names of the tools for the actions of an entity type.
pub(crate) fn of_entity_type(ontology: &Ontology, entity_type: &str) -> Vec<String> {
    let actions = ontology.entity_types.iter().filter(|one| one.name == entity_type).flat_map(|one| &one.actions);
    let mut names: Vec<String> = actions.map(|signature| tool_name(&signature.name)).collect();
    names.dedup();
    names
}

/// The name of the tool for an action. Names of tools have fewer characters, and `look` may be an action, too.
fn tool_name(action: &str) -> String {
    let plain =
        |character: char| if character.is_ascii_alphanumeric() || "_-.".contains(character) { character } else { '_' };
    let name: String = action.chars().take(100).map(plain).collect();
    if ["join", "look", "wait_until", "leave"].contains(&name.as_str()) { format!("act_{name}") } else { name }
}

fn description(ontology: &Ontology, name: &str, declared: &[&Signature]) -> String {
    let mut text: Vec<String> = match declared {
        [only] => vec![only.documentation.clone()],
        several => several.iter().map(|one| format!("{one}: {}", one.documentation)).collect(),
    };
    let can = |entity_type: &&EntityType| entity_type.actions.iter().any(|signature| signature.name == name);
    let types: Vec<&str> =
        ontology.entity_types.iter().filter(can).map(|entity_type| entity_type.name.as_str()).collect();
    if types.len() < ontology.entity_types.len() {
        text.push(format!("Only entities of type {} can do this.", types.join(" or ")));
    }
    text.join("\n")
}

fn join() -> Tool {
    let properties = json!({
        "entity": { "type": "string", "description": "The entity that you want to control. Without it you get a free one." },
        "name": { "type": "string", "description": "Your name, which other agents see. Without it you get one." },
    });
    let description = "Takes an entity of this environment. Call it first: it returns your seat, which all other tools \
                       need, the rules, and what you perceive.";
    Tool::new("join", description, schema::of_tool(properties, &[]))
}

fn look() -> Tool {
    let properties = json!({
        "seat": schema::seat(),
        "about": { "type": "string", "description": "The name of a percept, to see all percepts of this name." },
    });
    let description = "Returns what has changed since your last call, and everything that you perceive now.";
    let tool = Tool::new("look", description, schema::of_tool(properties, &["seat"]));
    tool.with_annotations(ToolAnnotations::new().read_only(true))
}

fn wait_until() -> Tool {
    let properties = json!({
        "seat": schema::seat(),
        "percept": { "type": "string", "description":
            "What to wait for: the name of a percept, such as `at`, or a whole percept, such as `at(RoomC1)`. Without it, \
             the tool waits until anything changes." },
        "seconds": { "type": "number", "minimum": 0, "maximum": LONGEST_WAIT,
                     "description": "The longest time to wait. 10 if it is missing." },
    });
    let description = "Waits until you perceive something, and returns what has changed. Use it after an action that takes \
                       time, instead of calling `look` again and again.";
    let tool = Tool::new("wait_until", description, schema::of_tool(properties, &["seat"]));
    tool.with_annotations(ToolAnnotations::new().read_only(true))
}

fn leave() -> Tool {
    let properties = json!({ "seat": schema::seat() });
    Tool::new("leave", "Gives your entity back. The seat is void then.", schema::of_tool(properties, &["seat"]))
}
