//! Messages between the agents of this server and those of other platforms. The messages for the agents of a platform wait in
//! one mailbox until a gateway has sent them.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Condvar;
use situated::iil::EcoString;
use situated_acl::Message;
use situated_platform::mail::{Letter, Routed, STREAM_BITS};
use situated_platform::names::{self, mailbox_of, platform_of};
use situated_runtime::wall_clock;

use super::{Post, RESERVED, State, View};
use crate::error::Error;

/// The name of this platform, and those of other platforms that exchange messages with it. Across platforms, an agent is
/// called `NAME@PLATFORM`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Neighbours {
    /// The name of this platform; empty without one.
    pub platform: EcoString,
    /// The other platforms, and whether their agents can register services here.
    pub others: BTreeMap<EcoString, bool>,
}

/// The neighbours, with the bells of their gateways.
pub(super) struct Gates {
    names: Neighbours,
    /// By mailbox; each wakes the thread that waits for messages there, with the lock of the state.
    bells: BTreeMap<EcoString, Condvar>,
}

/// A message that waits for another platform.
#[derive(Clone, Debug, PartialEq)]
pub struct Outgoing {
    /// Its number. Later messages to the same platform have higher numbers, also after a restart.
    pub number: u64,
    /// The message, with the names of agents on this server.
    pub message: Arc<Message<'static>>,
}

impl Gates {
    pub(super) fn new(names: Neighbours) -> Self {
        let bells = names.others.keys().map(|name| (mailbox_of(name), Condvar::new())).collect();
        Self { names, bells }
    }

    /// Rings the bell of a platform, if this is its mailbox.
    pub(super) fn ring(&self, mailbox: &str) {
        if let Some(bell) = self.bells.get(mailbox) {
            bell.notify_one();
        }
    }

    /// Rings all bells.
    pub(super) fn ring_all(&self) {
        for bell in self.bells.values() {
            bell.notify_one();
        }
    }

    /// The name of this platform; empty without one.
    pub(super) fn platform(&self) -> &str {
        &self.names.platform
    }

    /// Whether this is the mailbox of a platform.
    pub(super) fn has(&self, mailbox: &str) -> bool {
        self.bells.contains_key(mailbox)
    }

    /// The name of an agent on this server: without the name of the platform.
    pub(super) fn local<'n>(&self, name: &'n str) -> &'n str {
        names::local(name, &self.names.platform)
    }

    /// Gives the sender of a message the name that it has on this server.
    pub(super) fn localize(&self, message: &mut Message<'static>) {
        if let Some(sender) = &mut message.sender {
            let local = self.local(&sender.name);
            if local.len() < sender.name.len() {
                sender.name = local.to_owned().into();
            }
        }
    }
}

/// Returns a random number from which a server counts its messages to other platforms, up to 2³² messages. A platform takes
/// numbers that it has seen for repetitions, so servers of one name must not have the same. A server with data keeps the number
/// of the process that created the data. All of them are less than 2⁶³, since some languages have only signed numbers.
pub(super) fn stream() -> u64 {
    RandomState::new().hash_one(()) >> (STREAM_BITS + 1) << STREAM_BITS
}

impl State {
    /// Gives the agents in a message of an agent the addresses of those that it means.
    pub(super) fn address_agents(&self, sender: &EcoString, message: &mut Message<'static>) {
        let Some(agent) = self.agents.at(sender) else { return };
        let find = |name: &str| self.agents.find(&agent.environments, name);
        if let Some(claimed) = &mut message.sender
            && (*claimed.name == *agent.name || find(&claimed.name) == Some(sender))
        {
            claimed.name = sender.to_string().into();
        }
        for party in message.receivers.iter_mut().chain(&mut message.reply_to) {
            let local = self.gates.local(&party.name);
            if let Some(address) = find(local).filter(|address| *address != local) {
                party.name = address.to_string().into();
            }
        }
    }

    /// The mailbox of an agent by its address, here or on another platform.
    pub(super) fn route(&self, name: &str) -> Option<EcoString> {
        let local = self.gates.local(name);
        if let Some(address) = self.agents.find(&View::new(), local) {
            return Some(address.clone());
        }
        if RESERVED.contains(&local) {
            return Some(local.into());
        }
        Some(mailbox_of(platform_of(name)?)).filter(|mailbox| self.gates.has(mailbox))
    }

    /// The mailboxes for a message of a sender, which counts for this account.
    pub(super) fn routed(&self, sender: &str, account: EcoString, message: &Message<'_>) -> Routed {
        let mut routed = Routed { account, ..Routed::default() };
        let named: BTreeSet<&str> = message.receivers.iter().map(|receiver| &*receiver.name).collect();
        for name in named {
            match self.route(name) {
                Some(mailbox) => routed.known.push(mailbox),
                None => routed.unknown.push(name.into()),
            }
        }
        // Agents of one platform share a mailbox.
        routed.known.sort_unstable();
        routed.known.dedup();
        routed.is_forged = message.sender_name().is_some_and(|claimed| claimed != sender);
        routed
    }
}

impl Post {
    /// Returns the first messages that wait for a platform, at most this number. Blocks until there are some; returns none
    /// if the hub closes.
    pub fn outgoing(&self, platform: &str, most: usize) -> Vec<Outgoing> {
        let mailbox = mailbox_of(platform);
        let Some(bell) = self.gates.bells.get(&mailbox) else { return Vec::new() };
        let mut state = self.state.lock();
        while !self.is_closed() && state.mail.waiting(&mailbox, 0).next().is_none() {
            bell.wait(&mut state);
        }
        if self.is_closed() {
            return Vec::new();
        }
        let of = |letter: &Letter| Outgoing { number: state.stream + letter.number, message: letter.message.clone() };
        state.mail.waiting(&mailbox, 0).take(most).map(of).collect()
    }

    /// Blocks for this time before the messages for a platform are sent again, or until the hub closes.
    pub fn pause(&self, platform: &str, time: Duration) {
        let Some(bell) = self.gates.bells.get(&mailbox_of(platform)) else { return };
        let end = Instant::now() + time;
        let mut state = self.state.lock();
        while !self.is_closed() && !bell.wait_until(&mut state, end).timed_out() {}
    }

    /// Removes the messages for a platform up to this number. The platform has accepted them.
    pub fn accepted(self: &Arc<Self>, platform: &str, number: u64) {
        let mut state = self.state.lock();
        let number = number.saturating_sub(state.stream);
        // The mailbox got messages with these numbers.
        let _ = state.mail.acknowledge(&mailbox_of(platform), number);
        state.finish(self);
    }

    /// Removes the first message for a platform, which has this number. The platform does not accept it, so its sender gets a
    /// failure.
    pub fn rejected(self: &Arc<Self>, platform: &str, number: u64) {
        let mut state = self.state.lock();
        let number = number.saturating_sub(state.stream);
        let mailbox = mailbox_of(platform);
        if state.mail.waiting(&mailbox, 0).next().is_none_or(|letter| letter.number != number) {
            // It was too old meanwhile.
            return;
        }
        let (mail, exists) = state.mail_and_names();
        mail.give_up(&mailbox, exists, wall_clock());
        state.finish(self);
    }

    /// Accepts a message from another platform for agents of this server. With a number, it is accepted once; the platform
    /// counts its messages upwards.
    ///
    /// # Errors
    /// Returns an error if the message is not from an agent of the platform, or beyond a limit.
    pub fn receive(
        self: &Arc<Self>,
        platform: &str,
        number: Option<u64>,
        message: Message<'static>,
        receivers: &[String],
    ) -> Result<(), Error> {
        let mut state = self.state.lock();
        let from = mailbox_of(platform);
        let is_forged = message.sender_name().and_then(platform_of) != Some(platform);
        let mut routed = Routed { is_forged, account: from.clone(), ..Routed::default() };
        for name in receivers {
            // Messages are not passed on to other platforms.
            match state.route(name).filter(|mailbox| !self.gates.has(mailbox)) {
                Some(mailbox) => routed.known.push(mailbox),
                None => routed.unknown.push(name.as_str().into()),
            }
        }
        routed.known.sort_unstable();
        routed.known.dedup();
        state.mail.dispatch(&from, number, message, routed, wall_clock())?;
        state.finish(self);
        drop(state);
        self.conversations.record();
        Ok(())
    }
}
