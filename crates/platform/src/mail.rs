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
//! An accepted message is delivered, or comes back to its sender as a `failure` with the reason (the [`AMS`] sends it).
//! The messages of one sender to one receiver keep their order.

mod failure;
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
use crate::names::{AMS, is_of_platform};
use crate::shares::{Amount, Shares};

/// The mailboxes for a message. The mailbox of an agent has its name. The agents of another platform share a mailbox, whose
/// name is that of the platform after `@`, as at the end of their names.
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
/// Messages that wait are limited in number and bytes, in each mailbox and in total. An account can use at most as much of
/// either as it leaves free: one that floods a mailbox gets half of it, the next one half of the rest.
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

    /// Accepts a message from an agent, and puts it into the mailboxes of its receivers. Each agent has an account of its
    /// own. If a receiver does not exist,
    /// the sender gets a `failure` for it. A message with a sending number is accepted once: each agent counts its
    /// messages upwards, and a number that was accepted before is ignored.
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

    /// Accepts a message as [`send`](Self::send) does, if names of agents are not those of their mailboxes. A platform that
    /// sends a number of a lower stream (see [`STREAM_BITS`]) has begun again, or returned to earlier
    /// data, and counts on there.
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

    /// Removes the messages of an agent up to this number. The agent has received them.
    ///
    /// # Errors
    /// Returns an error if the agent never got a message with this number or a higher one.
    pub fn acknowledge(&mut self, agent: &str, number: u64) -> Result<(), MailRefused> {
        let no_such = || MailRefused::NoSuchMessage { agent: agent.into(), number };
        let (agent, last) = match self.mailboxes.get_key_value(agent) {
            Some((agent, mailbox)) => (agent.clone(), mailbox.last),
            None => return if number == 0 { Ok(()) } else { Err(no_such()) },
        };
        if number > last {
            return Err(no_such());
        }
        self.remove_up_to(&agent, number).into_iter().for_each(|letter| self.finish(letter));
        Ok(())
    }

    /// Closes the mailbox of an agent that is no longer registered. The senders of its messages get failures.
    pub fn close(&mut self, agent: &str, exists: impl Fn(&str) -> bool, now: u64) {
        let Some((agent, mut mailbox)) = self.mailboxes.remove_entry(agent) else { return };
        if let Some(due) = mailbox.watched {
            self.due.remove(&(due, agent.clone()));
        }
        // Not written separately: without the mailbox, its messages do not count.
        let last = self.last;
        self.change(|| MailChange::Closed(agent.clone(), last));
        while let Some(letter) = mailbox.pop_up_to(u64::MAX) {
            self.shares.remove(&letter.account, letter.bytes);
            self.give_back(letter, &agent, Undelivered::NotRegistered, &exists, now);
        }
    }

    /// Removes one message of a mailbox, whether or not earlier ones still wait. Returns whether it was there.
    pub fn take(&mut self, mailbox: &EcoString, number: u64) -> bool {
        let taken = self.mailboxes.get_mut(mailbox).and_then(|one| one.take(number));
        let Some(letter) = taken else { return false };
        self.shares.remove(&letter.account, letter.bytes);
        self.keep(mailbox);
        self.finish(letter);
        true
    }

    /// The size of all waiting messages in bytes. A message for several receivers counts for each.
    pub fn bytes(&self) -> usize {
        self.shares.all.bytes
    }

    /// Removes the first message of a mailbox, which the platform of its agents does not accept. Its sender gets a failure.
    pub fn give_up(&mut self, mailbox: &EcoString, exists: impl Fn(&str) -> bool, now: u64) {
        let Some(first) = self.waiting(mailbox, 0).next().map(|letter| letter.number) else { return };
        for letter in self.remove_up_to(mailbox, first) {
            self.give_back(letter, mailbox, Undelivered::NotAccepted, &exists, now);
        }
    }

    /// Removes the messages that have waited for too long. Their senders get failures.
    pub fn expire(&mut self, exists: impl Fn(&str) -> bool, now: u64) {
        while self.next_expiry().is_some_and(|due| due <= now) {
            let Some((_, agent)) = self.due.pop_first() else { return };
            let Some(mailbox) = self.mailboxes.get_mut(&agent) else { continue };
            mailbox.watched = None;
            let age = self.limits.age;
            let too_old = mailbox.letters.iter().take_while(|letter| letter.time + age <= now);
            if let Some(last) = too_old.last().map(|letter| letter.number) {
                for letter in self.remove_up_to(&agent, last) {
                    self.give_back(letter, &agent, Undelivered::TooOld, &exists, now);
                }
            }
            self.watch(&agent);
        }
    }

    /// The time at which [`expire`](Self::expire) may have work; `None` if no message waits.
    pub fn next_expiry(&self) -> Option<u64> {
        self.due.first().map(|(due, _)| *due)
    }

    /// Takes the agents that have got messages, in order; an agent occurs once for each message.
    pub fn take_receivers(&mut self) -> Vec<EcoString> {
        std::mem::take(&mut self.receivers)
    }

    /// Takes the messages that were accepted since the last call, in order, for those who watch the mail.
    pub fn take_sent(&mut self) -> Vec<Sent> {
        std::mem::take(&mut self.sent)
    }

    /// Takes the changes of the last call that must be written. They are written together, so that either all of them are
    /// kept or none.
    pub fn take_changes(&mut self) -> Vec<MailChange> {
        self.changes.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// The agents that have a mailbox.
    pub fn agents(&self) -> impl Iterator<Item = &EcoString> {
        let mut agents: Vec<&EcoString> = self.mailboxes.keys().collect();
        agents.sort_unstable();
        agents.into_iter()
    }

    /// Checks that a message to these receivers can be accepted.
    fn check(
        &mut self,
        sender: &EcoString,
        message: &Message<'_>,
        bytes: usize,
        Routed { known, unknown, is_forged, account }: &Routed,
        now: u64,
    ) -> Result<(), MailRefused> {
        let Limits { receivers: limit, message_bytes, rate, .. } = self.limits;
        let count = message.receivers.len();
        match message.sender_name() {
            Some(claimed) if *is_forged => {
                return Err(MailRefused::Forged {
                    claimed: claimed.chars().take(256).collect(),
                    agent: sender.clone(),
                });
            }
            _ if count == 0 => return Err(MailRefused::NoReceiver),
            _ if count > limit => return Err(MailRefused::TooManyReceivers { count, limit }),
            _ if bytes > message_bytes => return Err(MailRefused::TooLarge { bytes, limit: message_bytes }),
            _ => {}
        }
        self.check_shares(account, known, bytes)?;
        if let [receiver, ..] = unknown.as_slice()
            && is_reported(message)
            && !self.has_room(sender, unknown.len(), unknown.len() * bytes)
        {
            return Err(MailRefused::NoRoomForFailure { agent: sender.clone(), receiver: receiver.clone() });
        }
        if !self.open(sender, now).allowance.take(known.len() + unknown.len(), rate, now) {
            return Err(MailRefused::TooFast { agent: sender.clone(), limit: rate });
        }
        Ok(())
    }

    /// Checks that the receivers have room for a message, within the shares of its account.
    fn check_shares(&self, account: &EcoString, receivers: &[EcoString], bytes: usize) -> Result<(), MailRefused> {
        let Limits { messages, mailbox_bytes, bytes: limit, .. } = self.limits;
        let of_mailbox = Amount { things: messages, bytes: mailbox_bytes };
        for agent in receivers {
            let Some(mailbox) = self.mailboxes.get(agent) else { continue };
            if mailbox.shares.allow(account, Amount { things: 1, bytes }, of_mailbox) {
                continue;
            }
            let agent = agent.clone();
            return Err(match mailbox.shares.of(account) {
                Amount { things: 0, .. } => MailRefused::Full { agent },
                Amount { things: messages, bytes } => MailRefused::ShareOfMailbox { agent, messages, bytes },
            });
        }
        let more = Amount { things: receivers.len(), bytes: receivers.len() * bytes };
        if self.shares.allow(account, more, Amount { things: usize::MAX, bytes: limit }) {
            return Ok(());
        }
        Err(match self.shares.of(account).bytes {
            0 => MailRefused::AllFull { limit },
            bytes => MailRefused::Share { bytes, limit },
        })
    }

    fn has_room(&self, agent: &str, messages: usize, bytes: usize) -> bool {
        let waiting = self.mailboxes.get(agent).map_or(Amount::default(), |one| one.shares.all);
        waiting.things + messages <= self.limits.messages && waiting.bytes + bytes <= self.limits.mailbox_bytes
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

    /// Notes when the first message of a mailbox becomes too old.
    fn watch(&mut self, agent: &EcoString) {
        let Some(mailbox) = self.mailboxes.get_mut(agent) else { return };
        if let (None, Some(first)) = (mailbox.watched, mailbox.letters.front()) {
            let due = first.time + self.limits.age;
            mailbox.watched = Some(due);
            self.due.insert((due, agent.clone()));
        }
    }

    /// Removes the messages of a mailbox up to this number.
    fn remove_up_to(&mut self, agent: &EcoString, number: u64) -> Vec<Arc<Letter>> {
        let Some(mailbox) = self.mailboxes.get_mut(agent) else { return Vec::new() };
        if number <= mailbox.now.acknowledged {
            return Vec::new();
        }
        mailbox.acknowledge(number);
        let mut removed = Vec::new();
        while let Some(letter) = mailbox.pop_up_to(number) {
            self.shares.remove(&letter.account, letter.bytes);
            removed.push(letter);
        }
        self.keep(agent);
        removed
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

    /// Removes a message that no receiver waits for any more.
    fn finish(&mut self, letter: Arc<Letter>) {
        if self.changes.is_none() {
            return;
        }
        // All receivers share it.
        let Some(letter) = Arc::into_inner(letter) else { return };
        let is_written = self.mailboxes.get(&letter.sender).is_none_or(|one| letter.sent <= Some(one.sent_written));
        if !is_written {
            self.keep(&letter.sender);
        }
        self.change(|| MailChange::Done(letter.number));
    }

    /// Reports a message that remained in a mailbox to its sender.
    fn give_back(
        &mut self,
        letter: Arc<Letter>,
        mailbox: &str,
        reason: Undelivered,
        exists: impl Fn(&str) -> bool,
        now: u64,
    ) {
        let sender = &letter.sender;
        let receivers = letter.message.receivers.iter().map(|receiver| &*receiver.name);
        let receivers: BTreeSet<&str> = match is_of_platform(mailbox) {
            true => receivers.filter(|receiver| receiver.ends_with(mailbox)).collect(),
            false => [mailbox].into(),
        };
        for receiver in receivers {
            if is_reported(&letter.message) && exists(sender) && self.has_room(sender, 1, letter.bytes) {
                self.report(sender, &letter.account, failure(&letter.message, receiver, reason), now);
            }
        }
        self.finish(letter);
    }

    /// Puts a failure into the mailbox of a sender, as part of the share of its account.
    fn report(&mut self, sender: &EcoString, account: &EcoString, failure: Message<'static>, now: u64) {
        let (bytes, failure) = (failure.size(), Arc::new(failure));
        self.sent.push(Sent { message: failure.clone(), time: now, bytes });
        let (receivers, account) = (vec![sender.clone()], account.clone());
        self.accept(Letter {
            number: 0,
            sender: AMS.into(),
            account,
            sent: None,
            receivers,
            time: now,
            message: failure,
            bytes,
        });
    }
}
