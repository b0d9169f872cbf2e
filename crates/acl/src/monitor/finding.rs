//! The findings of a monitor.

use std::fmt;

use crate::conversation::fingerprint;
use crate::{Judgement, Message, Performative, Protocol};

/// A finding about a message: its sender, its conversation, and the problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The sender's name, if it says so.
    pub agent: Option<String>,
    /// The act.
    pub act: Performative,
    /// The conversation, as far as it says so.
    pub conversation: Option<String>,
    /// The problem.
    pub problem: Problem,
}

/// A problem with a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Problem {
    /// The protocol has something to say.
    Judged(Judgement),
    /// It names a protocol and no conversation, which the standard asks for.
    NoConversationId {
        /// Whether the standard's rules hold.
        standard: bool,
    },
    /// It is of a protocol that the monitor does not know.
    UnknownProtocol(String),
    /// It is of a conversation that did not begin, or was forgotten.
    NeverBegan(Protocol),
    /// It is of a conversation, but its receivers are not.
    NotToInitiator,
    /// Nobody has sent it.
    NoSender,
    /// It is an act that is asked for, but never sent.
    MacroAct,
    /// A name in it is too long to be remembered.
    TooLong,
    /// The conversation has more participants than can be remembered.
    TooMany,
}

impl Finding {
    pub(super) fn new(message: &Message<'_>, problem: Problem) -> Self {
        let id = message.conversation_id.as_ref();
        Self {
            agent: message.sender_name().map(|name| name.chars().take(super::LONGEST_NAME).collect()),
            act: message.performative,
            conversation: id.map(|id| fingerprint::text_of(id).chars().take(super::LONGEST_NAME).collect()),
            problem,
        }
    }

    /// Whether a rule is broken. Otherwise it is worth knowing, no more.
    pub fn is_violation(&self) -> bool {
        match &self.problem {
            Problem::Judged(judgement) => judgement.is_violation(),
            Problem::NoConversationId { standard } => *standard,
            Problem::NeverBegan(_) | Problem::NotToInitiator | Problem::MacroAct => true,
            Problem::UnknownProtocol(_) | Problem::NoSender | Problem::TooLong | Problem::TooMany => false,
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.agent {
            Some(agent) => write!(f, "`{agent}`")?,
            None => write!(f, "somebody")?,
        }
        if let Some(conversation) = &self.conversation {
            write!(f, " in conversation `{conversation}`")?;
        }
        match &self.problem {
            Problem::Judged(judgement) => write!(f, ": {judgement}"),
            problem => write!(f, ": `{}` {problem}", self.act),
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::Judged(judgement) => judgement.fmt(f),
            Problem::NoConversationId { .. } => f.write_str("names a protocol; it must have a `conversation-id`, too"),
            Problem::UnknownProtocol(token) => write!(f, "names the protocol `{token}`, which is not known here"),
            Problem::NeverBegan(protocol) => {
                let begins = protocol.table().rows[0].act;
                write!(f, "is of a conversation that is not known; by {protocol} it begins with `{begins}`")
            }
            Problem::NotToInitiator => f.write_str("is not sent to whoever began the conversation"),
            Problem::NoSender => f.write_str("has no sender; it is not judged"),
            Problem::MacroAct => f.write_str("is a macro act: whoever is asked for it sends `inform`"),
            Problem::TooLong => write!(f, "has a name of more than {} bytes; it is not judged", super::LONGEST_NAME),
            Problem::TooMany => f.write_str("has more receivers than can be remembered; some are not judged"),
        }
    }
}
