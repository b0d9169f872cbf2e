//! The mailbox of an agent.

use std::collections::VecDeque;
use std::sync::Arc;

use ecow::EcoString;
use situated_acl::Message;

use crate::allowance::Allowance;
use crate::change::KeptMailbox;
use crate::size::size;

/// An accepted message. All its receivers share it.
#[derive(Clone, Debug, PartialEq)]
pub struct Letter {
    /// Its number. Later messages have higher numbers.
    pub number: u64,
    /// The agent that sent it.
    pub sender: EcoString,
    /// The sending number that the sender chose for it.
    pub sent: Option<u64>,
    /// The agents in whose mailboxes it was put.
    pub receivers: Vec<EcoString>,
    /// The time at which it was accepted, in milliseconds.
    pub time: u64,
    /// The message. Those who watch the mail share it.
    pub message: Arc<Message<'static>>,
    /// Its approximate size in bytes.
    pub bytes: usize,
}

impl Letter {
    /// Creates a message that was accepted before.
    pub fn new(
        number: u64,
        sender: EcoString,
        sent: Option<u64>,
        receivers: Vec<EcoString>,
        time: u64,
        message: Message<'static>,
    ) -> Self {
        let bytes = size(&message);
        Self { number, sender, sent, receivers, time, message: Arc::new(message), bytes }
    }
}

/// Maximum number of refused sending numbers that a mailbox remembers.
const REFUSED: usize = 1024;

/// The mailbox of an agent. It exists as soon as the agent gets or sends mail.
#[derive(Debug)]
pub(crate) struct Mailbox {
    /// The messages that are not acknowledged, in the order of their numbers.
    pub(crate) letters: VecDeque<Arc<Letter>>,
    /// The size of these messages.
    pub(crate) bytes: usize,
    /// The number of the last message.
    pub(crate) last: u64,
    /// The current numbers.
    pub(crate) now: KeptMailbox,
    /// The last sending number that was written.
    pub(crate) sent_written: u64,
    /// Whether the numbers of refused messages have changed and are not written. This matters after later messages are
    /// accepted.
    pub(crate) is_refusal_unwritten: bool,
    pub(crate) allowance: Allowance,
    /// Whether the mail looks at the age of the first message at some time.
    pub(crate) is_watched: bool,
}

impl Mailbox {
    pub(crate) fn new(now: KeptMailbox, allowance: Allowance) -> Self {
        let (letters, last, sent_written) = (VecDeque::new(), now.acknowledged, now.sent);
        let (is_refusal_unwritten, is_watched) = (false, false);
        Self { letters, bytes: 0, last, now, sent_written, is_refusal_unwritten, allowance, is_watched }
    }

    /// Whether the agent has sent a message with this sending number before.
    pub(crate) fn has_accepted(&self, sent: u64) -> bool {
        sent <= self.now.sent && !self.now.refused.contains(&sent)
    }

    /// Notes that a message with this sending number is accepted.
    pub(crate) fn accept(&mut self, sent: u64) {
        self.is_refusal_unwritten |= self.now.refused.remove(&sent);
        self.now.sent = self.now.sent.max(sent);
    }

    /// Notes that a message with this sending number is refused.
    pub(crate) fn refuse(&mut self, sent: u64) {
        self.is_refusal_unwritten |= self.now.refused.insert(sent);
        if self.now.refused.len() > REFUSED {
            self.now.refused.pop_first();
        }
    }

    pub(crate) fn push(&mut self, letter: Arc<Letter>) {
        self.bytes += letter.bytes;
        self.last = letter.number;
        self.letters.push_back(letter);
    }

    /// Removes the first message if its number is at most this one.
    pub(crate) fn pop_up_to(&mut self, number: u64) -> Option<Arc<Letter>> {
        let letter = self.letters.pop_front_if(|letter| letter.number <= number)?;
        self.bytes -= letter.bytes;
        if self.letters.is_empty() {
            // Thousands of mailboxes may each have had many messages.
            self.letters.shrink_to(4);
        }
        Some(letter)
    }
}
