//! Messages that leave a mailbox: its agent has acknowledged them, or their senders learn that it does not get them.

use std::collections::BTreeSet;
use std::sync::Arc;

use ecow::EcoString;
use situated_acl::Message;

use super::failure::{Undelivered, failure, is_reported};
use super::{Letter, Mail, MailChange, MailRefused, Sent};
use crate::names::{AMS, is_of_platform};

impl Mail {
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

    /// Removes the first message of a mailbox, which the platform of its agents does not accept. Its sender gets a
    /// failure.
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

    /// Notes when the first message of a mailbox becomes too old.
    pub(super) fn watch(&mut self, agent: &EcoString) {
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

    /// Removes a message that no receiver waits for any more.
    pub(super) fn finish(&mut self, letter: Arc<Letter>) {
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
    pub(super) fn report(&mut self, sender: &EcoString, account: &EcoString, failure: Message<'static>, now: u64) {
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
