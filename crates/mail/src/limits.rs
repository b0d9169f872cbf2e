//! The limits of mailboxes.

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
