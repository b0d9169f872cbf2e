//! The tools of an environment.

use std::sync::Arc;

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::{Value, json};
use situated::ontology::Ontology;
use situated_tools::of_all;

/// The longest time that `wait_until` waits, in seconds.
pub(crate) const LONGEST_WAIT: u64 = 30;

/// Returns the tools of a client that joins: those of every environment, and one for each action of its entities. They
/// are the same for all callers, and get the seat of the caller.
pub(crate) fn all(ontology: &Ontology) -> Vec<Tool> {
    let seated = of_only_seat(ontology).into_iter().chain([leave()]).map(|mut tool| {
        add_seat(Arc::make_mut(&mut tool.input_schema));
        tool
    });
    [join()].into_iter().chain(seated).collect()
}

/// Returns the tools of a client that has one seat and cannot join.
pub(crate) fn of_only_seat(ontology: &Ontology) -> Vec<Tool> {
    let acting = of_all(ontology).into_iter().map(|tool| Tool::new(tool.name, tool.description, tool.arguments));
    [look(), wait_until()].into_iter().chain(acting).collect()
}

/// Adds the seat to the arguments of a tool, as the first one.
fn add_seat(schema: &mut JsonObject) {
    let seat = json!({ "type": "string", "description": "Your seat, as `join` returned it." });
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        let others = std::mem::take(properties);
        properties.insert("seat".into(), seat);
        properties.extend(others.into_iter().filter(|(name, _)| name != "seat"));
    }
    if let Some(Value::Array(required)) = schema.get_mut("required") {
        required.insert(0, "seat".into());
    }
}

fn join() -> Tool {
    let properties = json!({
        "entity": { "type": "string", "description": "The entity that you want to control. Without it you get a free one." },
        "name": { "type": "string", "description": "Your name, which other agents see. Without it you get one." },
    });
    let description = "Takes an entity of this environment. Call it first: it returns your seat, which all other tools \
                       need, the rules, and what you perceive.";
    Tool::new("join", description, arguments(properties))
}

fn look() -> Tool {
    let properties = json!({
        "about": { "type": "string", "description": "The name of a percept, to see all percepts of this name." },
    });
    let description = "Returns what has changed since your last call, and everything that you perceive now.";
    let tool = Tool::new("look", description, arguments(properties));
    tool.with_annotations(ToolAnnotations::new().read_only(true))
}

fn wait_until() -> Tool {
    let properties = json!({
        "percept": { "type": "string", "description":
            "What to wait for: the name of a percept, such as `at`, or a whole percept, such as `at(RoomC1)`. Without it, \
             the tool waits until anything changes." },
        "seconds": { "type": "number", "minimum": 0, "maximum": LONGEST_WAIT,
                     "description": "The longest time to wait. 10 if it is missing." },
    });
    let description = "Waits until you perceive something, and returns what has changed. Use it after an action that takes \
                       time, instead of calling `look` again and again.";
    let tool = Tool::new("wait_until", description, arguments(properties));
    tool.with_annotations(ToolAnnotations::new().read_only(true))
}

fn leave() -> Tool {
    let properties = json!({});
    Tool::new("leave", "Gives your entity back. The seat is void then.", arguments(properties))
}

/// Returns the schema of arguments that are all optional.
fn arguments(properties: Value) -> JsonObject {
    let schema = json!({ "type": "object", "properties": properties, "required": [], "additionalProperties": false });
    let Value::Object(schema) = schema else { return JsonObject::new() };
    schema
}
