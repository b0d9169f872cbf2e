//! The messages of an agent: what a model writes to other agents, and what it reads from them.

use serde_json::{Map, Value};
use situated_hub::acl::{Content, Message, Performative};
use situated_hub::{AcknowledgeMail, AclMessage, Error, Letter, LocalSession, Name, SendMessage};
use situated_tools::Beliefs;

/// The name of the tool that sends a message. Environments may have an action `sendMessage`, which is something else.
pub(crate) const SEND: &str = "send_mail";

/// Maximum number of characters of a message that a model reads.
const SHOWN: usize = 2_000;

/// Sends a message for an agent.
///
/// # Errors
/// Returns an error if an argument is missing or wrong, or if the message is refused.
pub(crate) async fn send(
    session: &LocalSession,
    agent: &Name,
    arguments: &Map<String, Value>,
) -> Result<String, String> {
    let to: Vec<&str> =
        arguments.get("to").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
    if to.is_empty() {
        return Err("`to` is missing: the names of the agents that get the message, such as [\"ada\"]".into());
    }
    let text = arguments.get("text").and_then(Value::as_str).ok_or("`text` is missing: what you write")?;
    let act = arguments.get("performative").and_then(Value::as_str).unwrap_or(Performative::Inform.name());
    let act: Performative = act.parse().map_err(|error| format!("`performative` is wrong: {error}"))?;
    let mut message = Message::new(act).content(text.to_owned());
    message.receivers = to.iter().map(|name| (*name).to_owned().into()).collect();
    if let Some(conversation) = arguments.get("conversation").and_then(Value::as_str) {
        message = message.conversation_id(conversation.to_owned());
    }
    let (agent, message) = (agent.clone(), Box::new(AclMessage::from(&message)));
    let sent = session.ask(SendMessage { agent, message, number: None }).await;
    sent.map(|_| format!("Sent to {}.", to.join(", "))).map_err(|error: Error| error.to_string())
}

/// Adds a message to the beliefs, and acknowledges it.
pub(crate) fn read(session: &LocalSession, agent: &Name, letter: &Letter, beliefs: &mut Beliefs) {
    let Letter { number, sender, message, .. } = letter;
    let content = match &message.content {
        Some(Content::Text(text)) => text.clone(),
        Some(Content::Bytes(bytes)) => format!("({} bytes)", bytes.len()).into(),
        None => "".into(),
    };
    let mut text: String = content.chars().take(SHOWN).collect();
    if text.len() < content.len() {
        text.push_str("... (cut)");
    }
    // Names and contents are quoted, so that nobody can write what looks like another message.
    let (sender, content) = (Value::from(sender.as_str()), Value::from(text));
    let line = format!("{} from {sender}: {content}", message.performative);
    let mut data = serde_json::to_value(AclMessage::from(&**message)).unwrap_or_default();
    data["content"] = content;
    beliefs.hear(line, data);
    drop(session.ask(AcknowledgeMail { agent: agent.clone(), number: *number }));
}
