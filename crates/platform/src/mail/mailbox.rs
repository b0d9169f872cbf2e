//! The mailboxes of agents: their messages, the changes that are written, and the limits of what an agent may send.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

use ecow::EcoString;
use situated_acl::Message;

use crate::names::is_of_platform;
use crate::shares::Shares;

/// An accepted message. All its receivers share it.
#[derive(Clone, Debug, PartialEq)]
pub struct Letter {
    /// Its number. Later messages have higher numbers.
    pub number: u64,
    /// The agent that sent it.
    pub sender: EcoString,
    /// The account in whose share it counts.
    pub account: EcoString,
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
    /// Creates a message that was accepted before. It counts in the share of its sender.
    pub fn new(
        number: u64,
        sender: EcoString,
        sent: Option<u64>,
        receivers: Vec<EcoString>,
        time: u64,
        message: Message<'static>,
    ) -> Self {
        let (bytes, account) = (message.size(), sender.clone());
        Self { number, sender, account, sent, receivers, time, message: Arc::new(message), bytes }
    }
}

/// Maximum number of refused sending numbers that a mailbox remembers.
const REFUSED: usize = 64;

/// The number of lower bits in which a platform counts its messages. The upper ones identify the stream of its numbers.
pub const STREAM_BITS: u32 = 32;

/// The mailbox of an agent. It exists as soon as the agent gets or sends mail.
#[derive(Debug)]
pub(crate) struct Mailbox {
    /// The messages that are not acknowledged, in the order of their numbers.
    pub(crate) letters: VecDeque<Arc<Letter>>,
    /// The number and size of these messages.
    pub(crate) shares: Shares,
    /// The number of the last message.
    pub(crate) last: u64,
    /// The current numbers.
    pub(crate) now: KeptMailbox,
    /// The last sending number that was written.
    pub(crate) sent_written: u64,
    /// Whether its sending numbers have changed otherwise than by a message with a higher one, and are not written.
    /// This matters after later messages are accepted.
    pub(crate) is_numbering_unwritten: bool,
    is_of_platform: bool,
    pub(crate) allowance: Allowance,
    /// The time at which the mail looks at the age of the first message, if any waits.
    pub(crate) watched: Option<u64>,
}

impl Mailbox {
    pub(crate) fn new(agent: &str, now: KeptMailbox, allowance: Allowance) -> Self {
        let (letters, last, sent_written) = (VecDeque::new(), now.last(), now.sent);
        let (is_numbering_unwritten, is_of_platform, watched) = (false, is_of_platform(agent), None);
        Self {
            letters,
            shares: Shares::default(),
            last,
            now,
            sent_written,
            is_numbering_unwritten,
            is_of_platform,
            allowance,
            watched,
        }
    }

    /// Whether the agent has sent a message with this sending number before.
    pub(crate) fn has_accepted(&self, sent: u64) -> bool {
        sent <= self.now.sent && !self.is_of_lower_stream(sent) && !self.now.refused.contains(&sent)
    }

    /// Whether a platform has begun again, or returned to earlier data, with this sending number.
    fn is_of_lower_stream(&self, sent: u64) -> bool {
        self.is_of_platform && sent >> STREAM_BITS < self.now.sent >> STREAM_BITS
    }

    /// Notes that a message with this sending number is accepted. `last` is the number of the last message of all
    /// agents.
    pub(crate) fn accept(&mut self, sent: u64, last: u64) {
        self.is_numbering_unwritten |= self.now.refused.remove(&sent);
        if self.is_of_lower_stream(sent) {
            (self.now.opened, self.now.sent, self.is_numbering_unwritten) = (last, sent, true);
        }
        self.now.sent = self.now.sent.max(sent);
    }

    /// Notes that a message with this sending number is refused.
    pub(crate) fn refuse(&mut self, sent: u64) {
        self.is_numbering_unwritten |= self.now.refused.insert(sent);
        if self.now.refused.len() > REFUSED {
            self.now.refused.pop_first();
        }
    }

    pub(crate) fn push(&mut self, letter: Arc<Letter>) {
        self.shares.add(&letter.account, letter.bytes);
        self.last = letter.number;
        self.letters.push_back(letter);
    }

    /// Removes the first message if its number is at most this one.
    pub(crate) fn pop_up_to(&mut self, number: u64) -> Option<Arc<Letter>> {
        let letter = self.letters.pop_front_if(|letter| letter.number <= number)?;
        self.shares.remove(&letter.account, letter.bytes);
        if self.letters.is_empty() {
            // Thousands of mailboxes may each have had many messages.
            self.letters.shrink_to(4);
        }
        Some(letter)
    }

    /// Removes the message with this number, whether or not earlier ones still wait.
    pub(crate) fn take(&mut self, number: u64) -> Option<Arc<Letter>> {
        let at = self.letters.binary_search_by_key(&number, |letter| letter.number).ok()?;
        let letter = self.letters.remove(at)?;
        self.shares.remove(&letter.account, letter.bytes);
        self.now.taken.insert(number);
        let acknowledged = self.letters.front().map_or(self.last, |first| first.number - 1);
        self.acknowledge(acknowledged.max(self.now.acknowledged));
        Some(letter)
    }

    /// Notes that no message up to this number waits any more.
    pub(crate) fn acknowledge(&mut self, number: u64) {
        self.now.acknowledged = number;
        self.now.taken = self.now.taken.split_off(&(number + 1));
    }
}

/// The number of messages that an agent may send at present. It grows with time, up to the messages of one second.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Allowance {
    /// In thousandths of a message.
    left: u64,
    /// The time at which it was computed, in milliseconds.
    at: u64,
}

impl Allowance {
    /// Creates the allowance of an agent that has sent nothing.
    pub(crate) fn new(rate: u32, now: u64) -> Self {
        Self { left: u64::from(rate) * 1000, at: now }
    }

    /// Takes a number of messages from the allowance, if it is large enough.
    pub(crate) fn take(&mut self, messages: usize, rate: u32, now: u64) -> bool {
        let (rate, cost) = (u64::from(rate), messages as u64 * 1000);
        let grown = now.saturating_sub(self.at).saturating_mul(rate);
        // More receivers than one second allows are taken from a full allowance.
        let full = (rate * 1000).max(cost);
        self.left = self.left.saturating_add(grown).min(full);
        self.at = now;
        let suffices = self.left >= cost;
        if suffices {
            self.left -= cost;
        }
        suffices
    }
}

/// A message that an agent has sent, whether its receivers exist or not.
#[derive(Clone, Debug, PartialEq)]
pub struct Sent {
    /// The message.
    pub message: Arc<Message<'static>>,
    /// The time at which it was accepted, in milliseconds.
    pub time: u64,
    /// Its approximate size in bytes.
    pub bytes: usize,
}

impl Sent {
    /// Creates a message that went past the mail, such as an immediate answer.
    pub fn new(message: Message<'static>, time: u64) -> Self {
        let bytes = message.size();
        Self { message: Arc::new(message), time, bytes }
    }
}

/// A change of the mailboxes. The changes of each call are written together, in the order of the calls.
/// [`Mail::restore`](super::Mail::restore) continues after the last call that was written: no accepted message is lost,
/// and none is accepted twice.
#[derive(Clone, Debug)]
pub enum MailChange {
    /// A message was accepted. It is written under its number.
    Accepted(Arc<Letter>),
    /// All receivers of the message with this number have acknowledged it.
    Done(u64),
    /// A mailbox was opened or has changed.
    Mailbox(EcoString, KeptMailbox),
    /// A mailbox was closed. The number of the last message of all agents is written with it, since its messages may
    /// have been the only ones with the highest numbers.
    Closed(EcoString, u64),
}

/// The part of a mailbox that is written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeptMailbox {
    /// The number of the last message of all agents when it was opened, or when its platform continued with a lower
    /// stream. The sending numbers of earlier messages do not count.
    pub opened: u64,
    /// The number up to which its agent has acknowledged messages.
    pub acknowledged: u64,
    /// The last sending number of its agent.
    pub sent: u64,
    /// Earlier sending numbers of refused messages, which its agent may send again.
    pub refused: BTreeSet<u64>,
    /// The numbers of messages that were taken before earlier ones.
    pub taken: BTreeSet<u64>,
}

impl KeptMailbox {
    /// The number of the last message that the mailbox certainly had.
    pub(crate) fn last(&self) -> u64 {
        self.taken.last().copied().unwrap_or(0).max(self.acknowledged)
    }

    /// Whether a message with this number that was put into the mailbox still waits there.
    pub(crate) fn awaits(&self, number: u64) -> bool {
        self.acknowledged < number && !self.taken.contains(&number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn allows_a_number_of_messages_per_second() {
        let mut allowance = Allowance::new(10, 0);
        assert!((0..10).all(|_| allowance.take(1, 10, 0)));
        assert!(!allowance.take(1, 10, 99));
        assert!(allowance.take(1, 10, 100));
        assert!(!allowance.take(1, 10, 100));
        assert!(allowance.take(10, 10, 60_000));
        assert!(!allowance.take(1, 10, 60_000));
    }
}
