//! Methods for messages between agents.

use situated::data;

use crate::{AclMessage, Name};

/// Parameters of `openMailbox`.
#[data(Eq, deny_unknown_fields)]
pub struct OpenMailbox {
    /// The agent's name.
    pub agent: Name,
}

/// Answer to `openMailbox`.
#[data(Eq)]
pub struct MailboxOpened {
    /// The address of the agent, if that is not its name: the agent is registered with an environment, and an agent elsewhere
    /// on the server has the same name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<Name>,
    /// The server's wall-clock time in milliseconds since the beginning of 1970, UTC.
    pub time: u64,
}

/// Parameters of `closeMailbox`.
#[data(Eq, deny_unknown_fields)]
pub struct CloseMailbox {
    /// The agent's name.
    pub agent: Name,
}

/// Parameters of `send`.
#[data(deny_unknown_fields)]
pub struct SendMessage {
    /// The agent that sends the message, one of the session.
    pub agent: Name,
    /// The message.
    pub message: Box<AclMessage>,
    /// The sending number. Each agent counts its messages upwards from 1. A message with a number that was accepted before
    /// is not sent again, so that a client can repeat it after a lost connection.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<u64>,
}

/// Parameters of `askDirectory`.
#[data(deny_unknown_fields)]
pub struct AskDirectory {
    /// The agent that asks, one of the session.
    pub agent: Name,
    /// The message. Its receiver is the agent `ams` or `df`.
    pub message: Box<AclMessage>,
}

/// Answer to `askDirectory`.
#[data]
pub struct DirectoryAnswer {
    /// The message in which the directory answers.
    pub message: Box<AclMessage>,
    /// The server's wall-clock time in milliseconds since the beginning of 1970, UTC.
    pub time: u64,
}

/// Parameters of `acknowledgeMail`.
#[data(Eq, deny_unknown_fields)]
pub struct AcknowledgeMail {
    /// The agent.
    pub agent: Name,
    /// The number of the last message that it has received.
    pub number: u64,
}
