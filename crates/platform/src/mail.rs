//! Mailboxes for messages between agents. [`Mail`] accepts FIPA ACL messages, keeps them in the mailboxes of their
//! receivers, and removes them when the receivers have acknowledged them. It does no I/O and reads no clock: its caller
//! passes the time, hands messages over, and writes [`MailChange`]s if mailboxes must survive the process.
//!
//! ```
//! use situated_acl::Message;
//! use situated_platform::mail::{Limits, Mail};
//!
//! let mut mail = Mail::new(Limits::default());
//! let is_agent = |name: &str| ["ada", "bob"].contains(&name);
//! mail.send(&"ada".into(), None, Message::inform().to("bob").content("done"), is_agent, 0)?;
//! let letter = mail.waiting("bob", 0).next().expect("it has arrived");
//! assert_eq!(letter.message.sender_name(), Some("ada"));
//! let number = letter.number;
//! mail.acknowledge("bob", number)?;
//! assert_eq!(mail.waiting("bob", 0).count(), 0);
//! # Ok::<(), situated_platform::mail::MailRefused>(())
//! ```
//!
//! An accepted message is delivered, or comes back to its sender as a `failure` with the reason, which the
//! [`AMS`](crate::names::AMS) sends. The messages of one sender to one receiver keep their order.

mod checking;
mod failure;
mod leaving;
mod mailbox;
mod refused;

pub use mailbox::{KeptMailbox, Letter, MailChange, STREAM_BITS, Sent};
pub use refused::{Limits, MailRefused};

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use ecow::EcoString;
use situated_acl::{AgentIdentifier, Message};

use self::failure::{Undelivered, failure, is_reported};
use self::mailbox::{Allowance, Mailbox};
use crate::shares::Shares;

/// The mailboxes for a message. The mailbox of an agent has its name. The agents of another platform share a mailbox,
/// whose name is that of the platform after `@`, as at the end of their names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Routed {
    /// The mailboxes of receivers, each once.
    pub known: Vec<EcoString>,
    /// The receivers that do not exist.
    pub unknown: Vec<EcoString>,
    /// Whether the message claims to be from an agent with another mailbox than its sender.
    pub is_forged: bool,
    /// The account in whose share the message counts, and the failures that come back: all agents of one owner have the
    /// same.
    pub account: EcoString,
}

/// The mail of all agents: a mailbox for each agent that gets or sends messages.
///
/// Times are in milliseconds, and never decrease. Agents without mail cost nothing.
///
/// Messages that wait are limited in number and bytes, in each mailbox and in total. An account can use at most as much
/// of either as it leaves free: one that floods a mailbox gets half of it, the next one half of the rest.
#[derive(Debug)]
pub struct Mail {
    limits: Limits,
    mailboxes: HashMap<EcoString, Mailbox>,
    /// The number of the last message.
    last: u64,
    /// All waiting messages.
    shares: Shares,
    /// For each watched mailbox, a time at which its first message may be too old.
    due: BTreeSet<(u64, EcoString)>,
    /// The agents that have got messages since they were last taken.
    receivers: Vec<EcoString>,
    /// The messages that were accepted since they were last taken.
    sent: Vec<Sent>,
    /// The changes to write, if mailboxes are written.
    changes: Option<Vec<MailChange>>,
}

impl Mail {
    /// Creates the mail of agents that have no messages. Its mailboxes end with the process.
    pub fn new(limits: Limits) -> Self {
        let (mailboxes, shares, due, receivers, sent) = Default::default();
        Self { limits, mailboxes, last: 0, shares, due, receivers, sent, changes: None }
    }

    /// Creates mail whose changes are written, from the messages and mailboxes that were written before, and the last
    /// number that was written with a closed mailbox (0 without one).
    pub fn restore(
        limits: Limits,
        last: u64,
        letters: impl IntoIterator<Item = Letter>,
        mailboxes: impl IntoIterator<Item = (EcoString, KeptMailbox)>,
        now: u64,
    ) -> Self {
        let mut mail = Self { last, changes: Some(Vec::new()), ..Self::new(limits) };
        for (agent, kept) in mailboxes {
            mail.last = mail.last.max(kept.last()).max(kept.opened);
            let mailbox = Mailbox::new(&agent, kept, Allowance::new(limits.rate, now));
            mail.mailboxes.insert(agent, mailbox);
        }
        let mut letters: Vec<Letter> = letters.into_iter().collect();
        letters.sort_unstable_by_key(|letter| letter.number);
        for letter in letters {
            let letter = Arc::new(letter);
            mail.last = mail.last.max(letter.number);
            if let (Some(sent), Some(sender)) = (letter.sent, mail.mailboxes.get_mut(&letter.sender))
                && letter.number > sender.now.opened
            {
                sender.now.sent = sender.now.sent.max(sent);
            }
            for receiver in &letter.receivers {
                let waits = mail.mailboxes.get(receiver).is_some_and(|one| one.now.awaits(letter.number));
                if waits {
                    mail.put(receiver, &letter);
                }
            }
            mail.finish(letter);
        }
        mail.receivers.clear();
        mail
    }

    /// Accepts a message from an agent, and puts it into the mailboxes of its receivers. Each agent has an account of
    /// its own. If a receiver does not exist, the sender gets a `failure` for it. A message with a sending number is
    /// accepted once: each agent counts its messages upwards, and a number that was accepted before is ignored.
    ///
    /// # Errors
    /// Returns an error if the message is invalid, or beyond a limit. Nothing has been sent then, to no receiver.
    pub fn send(
        &mut self,
        sender: &EcoString,
        sent: Option<u64>,
        message: Message<'static>,
        exists: impl Fn(&str) -> bool,
        now: u64,
    ) -> Result<(), MailRefused> {
        let named: BTreeSet<&str> = message.receivers.iter().map(|receiver| &*receiver.name).collect();
        let (known, unknown) = named.into_iter().map(EcoString::from).partition(|name| exists(name));
        let is_forged = message.sender_name().is_some_and(|claimed| claimed != sender);
        self.dispatch(sender, sent, message, Routed { known, unknown, is_forged, account: sender.clone() }, now)
    }

    /// Accepts a message as [`send`](Self::send) does, if names of agents are not those of their mailboxes. A platform
    /// that sends a number of a lower stream (see [`STREAM_BITS`]) has begun again, or returned to earlier data,
    /// and counts on there.
    ///
    /// # Errors
    /// Returns an error as `send` does.
    pub fn dispatch(
        &mut self,
        sender: &EcoString,
        sent: Option<u64>,
        mut message: Message<'static>,
        routed: Routed,
        now: u64,
    ) -> Result<(), MailRefused> {
        if let (Some(sent), Some(mailbox)) = (sent, self.mailboxes.get(sender))
            && mailbox.has_accepted(sent)
        {
            return Ok(());
        }
        message.sender.get_or_insert_with(|| AgentIdentifier::new(sender.to_string()));
        let bytes = message.size();
        if let Err(refused) = self.check(sender, &message, bytes, &routed, now) {
            if let Some(sent) = sent {
                self.open(sender, now).refuse(sent);
            }
            return Err(refused);
        }
        if let Some(sent) = sent {
            let last = self.last;
            let mailbox = self.open(sender, now);
            mailbox.accept(sent, last);
            if mailbox.is_numbering_unwritten {
                self.keep(sender);
            }
        }
        let Routed { known, unknown, account, .. } = routed;
        let failures: Vec<_> = if is_reported(&message) {
            unknown.iter().map(|receiver| failure(&message, receiver, Undelivered::NotRegistered)).collect()
        } else {
            Vec::new()
        };
        let message = Arc::new(message);
        self.sent.push(Sent { message: message.clone(), time: now, bytes });
        if known.is_empty() {
            self.keep(sender);
        } else {
            let letter = Letter {
                number: 0,
                sender: sender.clone(),
                account: account.clone(),
                sent,
                receivers: known,
                time: now,
                message,
                bytes,
            };
            self.accept(letter);
        }
        failures.into_iter().for_each(|failure| self.report(sender, &account, failure, now));
        Ok(())
    }

    /// The messages of an agent with numbers above this one, in order.
    pub fn waiting(&self, agent: &str, after: u64) -> impl Iterator<Item = &Letter> {
        let letters = self.mailboxes.get(agent).map(|mailbox| &mailbox.letters);
        letters.into_iter().flat_map(move |letters| {
            let from = letters.partition_point(|letter| letter.number <= after);
            letters.range(from..).map(|letter| &**letter)
        })
    }

    /// The number of messages of an agent that wait, with numbers up to this one.
    pub fn count_up_to(&self, agent: &str, number: u64) -> usize {
        let mailbox = self.mailboxes.get(agent);
        mailbox.map_or(0, |mailbox| mailbox.letters.partition_point(|letter| letter.number <= number))
    }

    /// The number up to which an agent has acknowledged its messages.
    pub fn acknowledged(&self, agent: &str) -> u64 {
        self.mailboxes.get(agent).map_or(0, |mailbox| mailbox.now.acknowledged)
    }

    /// The size of all waiting messages in bytes. A message for several receivers counts for each.
    pub fn bytes(&self) -> usize {
        self.shares.all.bytes
    }

    /// Takes the agents that have got messages, in order; an agent occurs once for each message.
    pub fn take_receivers(&mut self) -> Vec<EcoString> {
        std::mem::take(&mut self.receivers)
    }

    /// Takes the messages that were accepted since the last call, in order, for those who watch the mail.
    pub fn take_sent(&mut self) -> Vec<Sent> {
        std::mem::take(&mut self.sent)
    }

    /// Takes the changes of the last call that must be written. They are written together, so that either all of them
    /// are kept or none.
    pub fn take_changes(&mut self) -> Vec<MailChange> {
        self.changes.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// The agents that have a mailbox.
    pub fn agents(&self) -> impl Iterator<Item = &EcoString> {
        let mut agents: Vec<&EcoString> = self.mailboxes.keys().collect();
        agents.sort_unstable();
        agents.into_iter()
    }

    /// The mailbox of an agent.
    fn open(&mut self, agent: &EcoString, now: u64) -> &mut Mailbox {
        if !self.mailboxes.contains_key(agent) {
            let kept = KeptMailbox { opened: self.last, acknowledged: self.last, ..KeptMailbox::default() };
            self.change(|| MailChange::Mailbox(agent.clone(), kept.clone()));
            let mailbox = Mailbox::new(agent, kept, Allowance::new(self.limits.rate, now));
            self.mailboxes.insert(agent.clone(), mailbox);
        }
        match self.mailboxes.get_mut(agent) {
            Some(mailbox) => mailbox,
            None => unreachable!("it was inserted"),
        }
    }

    /// Gives a message its number, and puts it into the mailboxes of its receivers.
    fn accept(&mut self, mut letter: Letter) {
        for receiver in &letter.receivers {
            self.open(receiver, letter.time);
        }
        self.last += 1;
        letter.number = self.last;
        let letter = Arc::new(letter);
        self.change(|| MailChange::Accepted(letter.clone()));
        letter.receivers.iter().for_each(|receiver| self.put(receiver, &letter));
    }

    /// Puts a message into a mailbox that exists.
    fn put(&mut self, receiver: &EcoString, letter: &Arc<Letter>) {
        let Some(mailbox) = self.mailboxes.get_mut(receiver) else { return };
        mailbox.push(letter.clone());
        self.shares.add(&letter.account, letter.bytes);
        self.receivers.push(receiver.clone());
        self.watch(receiver);
    }

    /// Notes that a mailbox must be written.
    fn keep(&mut self, agent: &EcoString) {
        let (Some(changes), Some(mailbox)) = (&mut self.changes, self.mailboxes.get_mut(agent)) else { return };
        (mailbox.sent_written, mailbox.is_numbering_unwritten) = (mailbox.now.sent, false);
        changes.push(MailChange::Mailbox(agent.clone(), mailbox.now.clone()));
    }

    fn change(&mut self, change: impl FnOnce() -> MailChange) {
        if let Some(changes) = &mut self.changes {
            changes.push(change());
        }
    }
}
