//! The tools of every agent of a model.

use serde_json::{Map, Value, json};
use situated::ontology::Ontology;
use situated_hub::acl::Performative;
use situated_tools::{ActionTool, of_all, of_entity_type};

use crate::mail::SEND;

/// The longest time that `wait_until` waits, in seconds.
const LONGEST_WAIT: u64 = 30;

/// Returns the tools of an agent for an entity of this type, or for any entity: `look`, `wait_until`, `send_mail`, and
/// one for each action.
pub fn tools(ontology: &Ontology, entity_type: Option<&str>) -> Vec<ActionTool> {
    let acting = entity_type.map_or_else(|| of_all(ontology), |one| of_entity_type(ontology, one));
    [look(), wait_until(), send_mail()].into_iter().chain(acting).collect()
}

/// Returns the tool `look`.
pub(crate) fn look() -> ActionTool {
    let properties = json!({
        "about": { "type": "string", "description": "The name of a percept, to see all percepts of this name." },
    });
    tool(
        "look",
        "Returns what has changed since your last call, and everything that you perceive now.",
        properties,
        &[],
    )
}

/// Returns the tool `wait_until`.
pub(crate) fn wait_until() -> ActionTool {
    let properties = json!({
        "percept": { "type": "string", "description":
            "What to wait for: the name of a percept, such as `at`, or a whole percept, such as `at(RoomC1)`. Without it, \
             the tool waits until anything changes or a message arrives." },
        "seconds": { "type": "number", "minimum": 0, "maximum": LONGEST_WAIT,
                     "description": "The longest time to wait. 10 if it is missing." },
    });
    let description = "Waits until you perceive something, and returns what has changed. Use it after an action that takes \
                       time, instead of calling `look` again and again.";
    tool("wait_until", description, properties, &[])
}

/// Returns the tool `send_mail`.
pub(crate) fn send_mail() -> ActionTool {
    let acts: Vec<&str> = Performative::ALL.iter().filter(|act| !act.is_macro()).map(|act| act.name()).collect();
    let properties = json!({
        "to": { "type": "array", "items": { "type": "string" }, "minItems": 1,
                "description": "The names of the agents that get the message." },
        "text": { "type": "string", "description": "What you write." },
        "performative": { "type": "string", "enum": acts,
                          "description": "What the message is for. `inform` if it is missing." },
        "conversation": { "type": "string",
                          "description": "The conversation to which it belongs: the `conversationId` of the message that \
                                          you answer." },
    });
    let description = "Sends a message to the mailboxes of other agents of this server, in any environment or in none. \
                       Their messages to you are in the answers of your tools; a `failure` from `ams` says that a \
                       message did not arrive.";
    tool(SEND, description, properties, &["to", "text"])
}

/// Returns a tool with these arguments, some of which are required.
fn tool(name: &str, description: &str, properties: Value, required: &[&str]) -> ActionTool {
    let schema =
        json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false });
    let arguments = if let Value::Object(schema) = schema { schema } else { Map::new() };
    ActionTool { name: name.into(), description: description.into(), arguments }
}
