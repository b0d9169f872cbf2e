//! Requests for messages between agents.

use serde::{Deserialize, Serialize};
use situated::iil::EcoString;
use situated_acl::Message;

/// Opens the mailbox of an agent. An agent without an environment is registered with the server by this, so that others
/// can write to it.
#[derive(Clone, Debug, PartialEq)]
pub struct OpenMailbox {
    /// The agent.
    pub agent: EcoString,
}

/// Closes a mailbox that was opened. If the agent is in no environment, it is no longer registered, and the senders of
/// its messages get failures.
#[derive(Clone, Debug, PartialEq)]
pub struct CloseMailbox {
    /// The agent.
    pub agent: EcoString,
}

/// Sends a message from an agent of the session to other agents.
#[derive(Clone, Debug, PartialEq)]
pub struct SendMessage {
    /// The agent that sends it.
    pub agent: EcoString,
    /// The message. The server sets its sender.
    pub message: Box<Message<'static>>,
    /// The sending number. Each agent counts its messages upwards from 1, so that a repeated one is sent once.
    pub number: Option<u64>,
}

/// Asks the directory for an agent of the session: sends a message to the agent `ams` or `df`, whose answer is the answer
/// to this request.
#[derive(Clone, Debug, PartialEq)]
pub struct AskDirectory {
    /// The agent that asks.
    pub agent: EcoString,
    /// The message.
    pub message: Box<Message<'static>>,
}

/// Acknowledges the messages of an agent up to a number. They are removed from its mailbox.
#[derive(Clone, Debug, PartialEq)]
pub struct AcknowledgeMail {
    /// The agent.
    pub agent: EcoString,
    /// The number of the last message that it has received.
    pub number: u64,
}

/// Subscribes to the messages of all agents that match a filter, with the rules of their protocols that they break.
#[derive(Clone, Debug, PartialEq)]
pub struct SubscribeToConversations {
    /// The filter.
    pub filter: ConversationFilter,
}

/// A filter of messages. Missing fields match all messages.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConversationFilter {
    /// The sender or a receiver.
    pub agent: Option<EcoString>,
    /// The interaction protocol that the message names, ignoring case.
    pub protocol: Option<EcoString>,
    /// The `conversation-id`.
    pub conversation: Option<EcoString>,
}

/// Subscribes to the mail of an agent. It replaces an earlier subscription to the mail of this agent.
#[derive(Clone, Debug, PartialEq)]
pub struct SubscribeToMail {
    /// The agent.
    pub agent: EcoString,
}
