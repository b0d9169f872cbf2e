//! Messages that report to a sender that a message could not be delivered.

use std::borrow::Cow;

use situated_acl::{AgentIdentifier, Expression, Message, Performative, string};

use crate::names::AMS;

/// The reason why a message could not be delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Undelivered {
    /// The receiver is not registered.
    NotRegistered,
    /// The message was too old.
    TooOld,
    /// The platform of the receiver does not accept the message.
    NotAccepted,
}

impl Undelivered {
    /// The reason as a proposition of FIPA agent management.
    fn proposition(self) -> &'static str {
        match self {
            Undelivered::NotRegistered => "not-registered",
            Undelivered::NotAccepted => "(internal-error \"the platform of the receiver does not accept the message\")",
            Undelivered::TooOld => "(internal-error \"the message has waited for too long\")",
        }
    }
}

/// Whether a message that cannot be delivered is reported. A failure never answers a failure, and the agent management
/// system does not discuss its messages.
pub(crate) fn is_reported(message: &Message<'_>) -> bool {
    !matches!(message.performative, Performative::Failure | Performative::NotUnderstood)
}

/// Creates the `failure` for a message that did not reach this receiver, in the same conversation. Its content is a
/// tuple of an action and a reason (SC00037): the action is the act of the sender without its content.
pub(crate) fn failure(message: &Message<'static>, receiver: &str, reason: Undelivered) -> Message<'static> {
    // The mail sets the sender of each message.
    let sender = message.sender_name().unwrap_or_default();
    let agent = AgentIdentifier::new(sender.to_owned());
    let act = Message {
        protocol: message.protocol.clone(),
        conversation_id: message.conversation_id.clone(),
        reply_with: message.reply_with.clone(),
        in_reply_to: message.in_reply_to.clone(),
        ..Message::new(message.performative).to(receiver.to_owned())
    };
    // Some messages have no form as text, for example one with a protocol that begins with a colon.
    let text = string::encode(&act).or_else(|_| string::encode(&Message::new(act.performative).to(receiver)));
    let act = String::from_utf8(text.unwrap_or_default()).unwrap_or_default();
    let content = format!("((action (agent-identifier :name {}) {act}) {})", written(sender), reason.proposition());
    Message { receivers: vec![agent], ..message.reply(Performative::Failure) }
        .from(AMS)
        .language("fipa-sl0")
        .ontology("FIPA-Agent-Management")
        .content(content)
}

/// Writes a name as a word, or in quotation marks if it is not one.
fn written(name: &str) -> Cow<'_, str> {
    match Expression::from(name) {
        Expression::Word(_) => name.into(),
        _ => format!("\"{}\"", name.replace('"', "\\\"")).into(),
    }
}
