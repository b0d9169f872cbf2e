//! The tools of an environment.

use std::sync::Arc;

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::{Value, json};
use situated::ontology::Ontology;
use situated_tools::ActionTool;

/// The tools with which a model takes an entity and gives it back, and the argument that all but the first need.
pub(crate) const JOIN: &str = "join";
pub(crate) const LEAVE: &str = "leave";
pub(crate) const SEAT: &str = "seat";

/// The tool that returns what an entity perceives, and its argument for a picture.
pub(crate) const LOOK: &str = "look";
pub(crate) const PICTURE: &str = "picture";

/// The tools that change nothing.
const LOOKING: [&str; 2] = [LOOK, "wait_until"];

/// Returns the tools of a client that joins: those of every environment, and one for each action of its entities. They
/// are the same for all callers, and get the seat of the caller.
pub(crate) fn all(ontology: &Ontology) -> Vec<Tool> {
    let seated = of_only_agent(ontology).into_iter().chain([declared(leave())]).map(|mut tool| {
        add_seat(Arc::make_mut(&mut tool.input_schema));
        tool
    });
    [declared(join())].into_iter().chain(seated).collect()
}

/// Returns the tools of a client that has one agent and cannot join.
pub(crate) fn of_only_agent(ontology: &Ontology) -> Vec<Tool> {
    let tool = |mut tool: ActionTool| {
        if tool.name == LOOK {
            add_picture(&mut tool.arguments);
        }
        let acts = !LOOKING.contains(&tool.name.as_str());
        let tool = declared(tool);
        if acts { tool } else { tool.with_annotations(ToolAnnotations::new().read_only(true)) }
    };
    situated_model::tools(ontology, None).into_iter().map(tool).collect()
}

/// Returns a tool as the protocol declares it.
fn declared(ActionTool { name, description, arguments }: ActionTool) -> Tool {
    Tool::new(name, description, arguments)
}

/// Adds the wish for a picture to the arguments of a tool.
fn add_picture(schema: &mut JsonObject) {
    let picture = json!({ "type": "boolean", "description": "Whether to add a picture of what you see." });
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        properties.insert(PICTURE.into(), picture);
    }
}

/// Adds the seat to the arguments of a tool, as the first one.
fn add_seat(schema: &mut JsonObject) {
    let seat = json!({ "type": "string", "description": "Your seat, as `join` returned it." });
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        let others = std::mem::take(properties);
        properties.insert(SEAT.into(), seat);
        properties.extend(others.into_iter().filter(|(name, _)| name != SEAT));
    }
    if let Some(Value::Array(required)) = schema.get_mut("required") {
        required.insert(0, SEAT.into());
    }
}

/// Returns the tool `join`.
pub(crate) fn join() -> ActionTool {
    let properties = json!({
        "entity": { "type": "string", "description": "The entity that you want to control. Without it you get a free one." },
        "name": { "type": "string", "description": "Your name, which other agents see. Without it you get one." },
    });
    let description = "Takes an entity of this environment. Call it first: it returns your seat, which all other tools \
                       need, the rules, and what you perceive.";
    tool(JOIN, description, properties)
}

/// Returns the tool `leave`, without the seat.
pub(crate) fn leave() -> ActionTool {
    tool(LEAVE, "Gives your entity back. The seat is void then.", json!({}))
}

/// Returns a tool with arguments that are all optional.
fn tool(name: &str, description: &str, properties: Value) -> ActionTool {
    let schema = json!({ "type": "object", "properties": properties, "required": [], "additionalProperties": false });
    let arguments = if let Value::Object(schema) = schema { schema } else { JsonObject::new() };
    ActionTool { name: name.into(), description: description.into(), arguments }
}
