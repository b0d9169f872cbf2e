//! Messages as those see them who watch the mail.

use std::sync::Arc;

use situated_acl::Message;

use crate::size::size;

/// A message that an agent has sent, whether its receivers exist or not.
#[derive(Clone, Debug, PartialEq)]
pub struct Sent {
    /// The message.
    pub message: Arc<Message<'static>>,
    /// The time at which it was accepted, in milliseconds.
    pub time: u64,
    /// Its approximate size in bytes.
    pub bytes: usize,
    /// Whether the mail itself reports with it that a message could not be delivered. Such a message belongs to no
    /// interaction protocol.
    pub is_report: bool,
}

impl Sent {
    /// Creates a message that went past the mail, such as an immediate answer.
    pub fn new(message: Message<'static>, time: u64) -> Self {
        let bytes = size(&message);
        Self { message: Arc::new(message), time, bytes, is_report: false }
    }
}
