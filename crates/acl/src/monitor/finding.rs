//! The findings of a monitor.

use std::fmt;

use crate::conversation::fingerprint;
use crate::{Judgement, Message, Performative, Protocol};

/// Maximum length of names of agents and conversations that are remembered, in bytes.
pub(super) const LONGEST_NAME: usize = 1024;

/// A finding about a message: its sender, its conversation, and the problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The sender's name, if the message has one.
    pub agent: Option<String>,
    /// The act.
    pub act: Performative,
    /// The conversation, if the message names one.
    pub conversation: Option<String>,
    /// The problem.
    pub problem: Problem,
}

/// A problem with a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Problem {
    /// The protocol's judgement contains remarks or a violation.
    Judged(Judgement),
    /// It names a protocol but no conversation, which the standard requires.
    NoConversationId {
        /// Whether the standard's rules apply.
        standard: bool,
    },
    /// Its protocol is unknown to the monitor.
    UnknownProtocol(String),
    /// The monitor knows no such conversation that its sender or a receiver has begun. This breaks a rule only if the
    /// monitor has seen all messages and has forgotten none.
    UnknownConversation(Protocol),
    /// It has no sender.
    NoSender,
    /// It is a macro act, which can be requested but never sent.
    MacroAct,
    /// A name in it is too long to be remembered.
    TooLong,
    /// The conversation has more participants than the monitor can remember.
    TooMany,
}

impl Finding {
    pub(super) fn new(message: &Message<'_>, problem: Problem) -> Self {
        let id = message.conversation_id.as_ref();
        Self {
            agent: message.sender_name().map(|name| name.chars().take(LONGEST_NAME).collect()),
            act: message.performative,
            conversation: id.map(|id| fingerprint::text_of(id).chars().take(LONGEST_NAME).collect()),
            problem,
        }
    }

    /// Whether the finding is a violation. Others are only remarks.
    pub fn is_violation(&self) -> bool {
        match &self.problem {
            Problem::Judged(judgement) => judgement.is_violation(),
            Problem::NoConversationId { standard } => *standard,
            Problem::MacroAct => true,
            Problem::UnknownProtocol(_)
            | Problem::UnknownConversation(_)
            | Problem::NoSender
            | Problem::TooLong
            | Problem::TooMany => false,
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.agent {
            Some(agent) => write!(f, "`{agent}`")?,
            None => write!(f, "an agent without a name")?,
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
            Problem::NoConversationId { .. } => f.write_str("names a protocol, so it must have a `conversation-id`"),
            Problem::UnknownProtocol(token) => write!(f, "names the unknown protocol `{token}`"),
            Problem::UnknownConversation(protocol) => {
                let begins = protocol.table().rows[0].act;
                write!(
                    f,
                    "belongs to no known conversation that its sender or a receiver has begun; a conversation of \
                     {protocol} begins with `{begins}`"
                )
            }
            Problem::NoSender => f.write_str("has no sender, so it cannot be judged"),
            Problem::MacroAct => f.write_str("is a macro act, which cannot be sent; send `inform` instead"),
            Problem::TooLong => {
                write!(f, "has a name of more than {} bytes, so it cannot be judged", LONGEST_NAME)
            }
            Problem::TooMany => f.write_str("has more receivers than can be remembered; some are not judged"),
        }
    }
}
