//! The documents that a hub stores.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use situated::iil::EcoString;
use situated::interface::Command;
use situated_acl::json::{AclMessage, InvalidMessage};
use situated_platform::mail::Letter;
use situated_wire::methods::{AgentRule, Topic};
use situated_wire::{Right, Rights};

use crate::limits::SessionLimits;

pub(super) const ENVIRONMENT: &str = "environment";
pub(super) const SESSION: &str = "session";
pub(super) const AGENT: &str = "agent";
pub(super) const SUBSCRIPTION: &str = "subscription";
pub(super) const CORRESPONDENT: &str = "correspondent";
pub(super) const MAILBOX: &str = "mailbox";
pub(super) const LETTER: &str = "letter";
pub(super) const SERVICES: &str = "services";
pub(super) const WATCHING: &str = "watching";
pub(super) const STREAM: &str = "stream";
pub(super) const LAST_LETTER: &str = "last letter";

/// An environment. Its state is in its journal.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct KeptEnvironment {
    pub(crate) kind: EcoString,
    /// The version of the environment.
    pub(crate) version: String,
    /// The key of its journal.
    pub(crate) journal: String,
    pub(crate) host: Option<KeptHosting>,
    /// The rules for its built-in agents.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) agents: Vec<AgentRule>,
}

/// The host of an environment.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct KeptHosting {
    /// The session of the host.
    pub(crate) session: u64,
    /// The command that begins the first episode.
    pub(crate) init: Command,
    /// Whether time runs after that.
    pub(crate) start: bool,
}

/// A session.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct KeptSession {
    act: bool,
    observe: bool,
    host: bool,
    manage: bool,
    agents: usize,
    subscriptions: usize,
    is_attended: bool,
}

/// An agent of a session in an environment.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct KeptAgent {
    pub(super) environment: EcoString,
    pub(super) agent: EcoString,
    pub(crate) session: u64,
    /// Its address, if that is not its name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) address: Option<EcoString>,
}

/// A subscription of a session.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct KeptSubscription {
    pub(crate) session: u64,
    pub(crate) number: u64,
    pub(crate) topic: Topic,
}

/// An agent with an open mailbox. Its key is its address.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct KeptCorrespondent {
    pub(crate) session: u64,
    /// Its name, if that is not its address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) agent: Option<EcoString>,
}

/// A mailbox. Its messages are documents of their own.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct KeptMailbox {
    opened: u64,
    acknowledged: u64,
    sent: u64,
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    refused: BTreeSet<u64>,
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    taken: BTreeSet<u64>,
}

/// The services that an agent has registered with the directory.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct KeptServices {
    pub(super) description: String,
    pub(super) until: Option<u64>,
}

/// A subscription to changes of the services of agents. Its key is its number.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct KeptWatching {
    pub(super) agent: EcoString,
    /// The message by which it began.
    pub(super) message: AclMessage,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) until: Option<u64>,
}

/// A message that some of its receivers have not acknowledged. Its key is its number.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct KeptLetter {
    sender: EcoString,
    sent: Option<u64>,
    receivers: Vec<EcoString>,
    time: u64,
    message: AclMessage,
}

impl From<situated_platform::mail::KeptMailbox> for KeptMailbox {
    fn from(kept: situated_platform::mail::KeptMailbox) -> Self {
        let situated_platform::mail::KeptMailbox { opened, acknowledged, sent, refused, taken } = kept;
        Self { opened, acknowledged, sent, refused, taken }
    }
}

impl From<KeptMailbox> for situated_platform::mail::KeptMailbox {
    fn from(KeptMailbox { opened, acknowledged, sent, refused, taken }: KeptMailbox) -> Self {
        Self { opened, acknowledged, sent, refused, taken }
    }
}

impl KeptLetter {
    pub(super) fn of(letter: &Letter) -> Self {
        let Letter { sender, sent, receivers, time, message, .. } = letter;
        let (sender, receivers, message) = (sender.clone(), receivers.clone(), AclMessage::from(&**message));
        Self { sender, sent: *sent, receivers, time: *time, message }
    }

    pub(super) fn read(self, number: u64) -> Result<Letter, InvalidMessage> {
        let Self { sender, sent, receivers, time, message } = self;
        Ok(Letter::new(number, sender, sent, receivers, time, message.try_into()?))
    }
}

impl KeptAgent {
    /// Its address.
    pub(crate) fn address(&self) -> &EcoString {
        self.address.as_ref().unwrap_or(&self.agent)
    }
}

impl KeptSession {
    pub(super) fn new(rights: Rights, limits: SessionLimits) -> Self {
        let SessionLimits { agents, subscriptions, is_attended } = limits;
        let has = |right| rights.contains(right);
        let (act, observe, host, manage) = (has(Right::Act), has(Right::Observe), has(Right::Host), has(Right::Manage));
        Self { act, observe, host, manage, agents, subscriptions, is_attended }
    }

    pub(crate) fn rights(&self) -> Rights {
        let Self { act, observe, host, manage, .. } = *self;
        let rights = [(act, Right::Act), (observe, Right::Observe), (host, Right::Host), (manage, Right::Manage)];
        rights.into_iter().filter(|(has, _)| *has).map(|(_, right)| right).collect()
    }

    pub(crate) fn limits(&self) -> SessionLimits {
        let Self { agents, subscriptions, is_attended, .. } = *self;
        SessionLimits { agents, subscriptions, is_attended }
    }
}

/// The key of an agent in an environment. Names can contain any character, so the key includes their lengths.
pub(super) fn key_of_agent(environment: &str, agent: &str) -> String {
    format!("{}/{environment}/{agent}", environment.len())
}

pub(super) fn key_of_subscription(session: u64, number: u64) -> String {
    format!("{session}/{number}")
}
