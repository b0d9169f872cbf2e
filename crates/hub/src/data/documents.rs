//! The documents that a hub stores.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use situated::iil::EcoString;
use situated::interface::{Command, Form, Since};

use crate::rights::{Right, Rights};
use crate::session::{Session, SessionLimits};

pub(super) const ENVIRONMENT: &str = "environment";
pub(super) const SESSION: &str = "session";
pub(super) const AGENT: &str = "agent";
pub(super) const SUBSCRIPTION: &str = "subscription";

/// An environment. Its state is in its journal.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct KeptEnvironment {
    pub(crate) kind: EcoString,
    /// The version of the environment.
    pub(crate) version: String,
    /// The key of its journal.
    pub(crate) journal: String,
    pub(crate) host: Option<KeptHosting>,
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
    pub(super) session: u64,
}

/// A subscription of a session.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct KeptSubscription {
    pub(crate) session: u64,
    pub(crate) number: u64,
    /// `None` if the subscription is about the server.
    pub(crate) environment: Option<EcoString>,
    pub(crate) topic: KeptTopic,
}

/// The topic of a subscription.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum KeptTopic {
    Environments,
    Happenings,
    Percepts {
        agent: EcoString,
        form: Form,
        since: Since,
        #[serde(default)]
        changes_of: Vec<EcoString>,
        #[serde(default)]
        interval: Duration,
    },
    Scene {
        viewer: Option<EcoString>,
    },
    Activity {
        entity: Option<EcoString>,
    },
}

impl KeptSession {
    pub(super) fn of(session: &Session) -> Self {
        let SessionLimits { agents, subscriptions, is_attended } = session.limits();
        let has = |right| session.rights().contains(right);
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
