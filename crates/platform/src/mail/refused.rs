//! The limits of mailboxes, and the reasons for which messages are refused.

use ecow::EcoString;

/// The reason why a message or an acknowledgement is refused. It changes nothing then.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MailRefused {
    /// The message has no receiver.
    #[error("the message has no receiver; name at least one agent")]
    NoReceiver,
    /// The message has too many receivers.
    #[error("the message has {count} receivers; at most {limit} are allowed, so send it in several parts")]
    TooManyReceivers {
        /// Number of receivers.
        count: usize,
        /// The limit.
        limit: usize,
    },
    /// The message claims to be from another agent.
    #[error("the message claims to be from `{claimed}`, but agent `{agent}` sends it; leave out the sender")]
    Forged {
        /// The sender in the message.
        claimed: String,
        /// The agent that sends it.
        agent: EcoString,
    },
    /// The message is too large.
    #[error("the message has about {bytes} bytes; at most {limit} are allowed, so send its content in parts")]
    TooLarge {
        /// Its approximate size.
        bytes: usize,
        /// The limit.
        limit: usize,
    },
    /// The agent sends too fast.
    #[error("agent `{agent}` sends more than {limit} messages per second; wait a moment and send the message again")]
    TooFast {
        /// The agent.
        agent: EcoString,
        /// The limit.
        limit: u32,
    },
    /// A mailbox is full.
    #[error("the mailbox of agent `{agent}` is full; send the message again when the agent has taken some messages")]
    Full {
        /// The agent.
        agent: EcoString,
    },
    /// The sender's own mailbox has no room for a `failure`.
    #[error(
        "agent `{receiver}` is not registered, and the mailbox of agent `{agent}` has no room for a message that says so; take your mail first"
    )]
    NoRoomForFailure {
        /// The sender.
        agent: EcoString,
        /// The receiver that does not exist.
        receiver: EcoString,
    },
    /// All mailboxes together are full.
    #[error("the mailboxes of this server are full ({limit} bytes); send the message again later")]
    AllFull {
        /// The limit.
        limit: usize,
    },
    /// The sender's share of a mailbox is used up.
    #[error(
        "your {messages} messages ({bytes} bytes) in the mailbox of agent `{agent}` take as much of it as they leave free \
         for others; send the message again when the agent has taken some of them"
    )]
    ShareOfMailbox {
        /// The agent.
        agent: EcoString,
        /// The number of messages of the sender's account that wait there.
        messages: usize,
        /// Their size.
        bytes: usize,
    },
    /// The sender's share of all mailboxes together is used up.
    #[error(
        "your messages that wait ({bytes} bytes) take as much of the mailboxes of this server ({limit} bytes) as they leave \
         free for others; send the message again when their receivers have taken some of them"
    )]
    Share {
        /// The size of the messages of the sender's account that wait.
        bytes: usize,
        /// The limit of all mailboxes together.
        limit: usize,
    },
    /// The agent never got a message with this number.
    #[error("agent `{agent}` has got no message with number {number}; acknowledge the numbers of received messages")]
    NoSuchMessage {
        /// The agent.
        agent: EcoString,
        /// The number.
        number: u64,
    },
}

/// The limits of mailboxes. They bound the memory of the mail, and the time for which a message can wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Maximum number of receivers of a message.
    pub receivers: usize,
    /// Maximum size of a message in bytes.
    pub message_bytes: usize,
    /// Maximum number of messages that wait in a mailbox.
    pub messages: usize,
    /// Maximum size of the messages that wait in a mailbox, in bytes.
    pub mailbox_bytes: usize,
    /// Maximum size of all waiting messages in bytes. A message for several receivers counts for each.
    pub bytes: usize,
    /// Maximum number of messages that an agent can send per second. A message for several receivers counts for each.
    pub rate: u32,
    /// Maximum time for which a message waits, in milliseconds.
    pub age: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            receivers: 1024,
            message_bytes: 256 << 10,
            messages: 10_000,
            mailbox_bytes: 16 << 20,
            bytes: 256 << 20,
            rate: 100_000,
            age: 60 * 60 * 1000,
        }
    }
}
