//! A session: somebody who has greeted the server. It outlives its connection for a while, and what it has (agents and
//! subscriptions) is its own.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use parking_lot::{Mutex, MutexGuard};
use situated::iil::EcoString;
use situated_wire::methods::{Limits, Right, Role};
use situated_wire::notifications::Notify;
use situated_wire::{Code, Error, rpc};

use crate::metrics::Metrics;
use crate::outbox::Outbox;

/// Somebody who has greeted the server.
pub(crate) struct Session {
    pub(crate) number: u64,
    pub(crate) resume: String,
    pub(crate) role: Role,
    pub(crate) rights: Vec<Right>,
    /// What it may have.
    pub(crate) limits: Limits,
    outbox: Outbox,
    belongings: Mutex<Belongings>,
    metrics: Arc<Metrics>,
}

/// What a session has.
#[derive(Default)]
pub(crate) struct Belongings {
    /// The environments in which each of its agents is registered.
    pub(crate) agents: BTreeMap<EcoString, BTreeSet<EcoString>>,
    /// Its subscriptions, and the environments that they are about; none if it is about the server.
    pub(crate) subscriptions: BTreeMap<u64, Option<EcoString>>,
    next_subscription: u64,
    /// The environments that it hosts.
    pub(crate) hosted: BTreeSet<EcoString>,
    /// Nothing can be added any more.
    ended: bool,
}

/// What a session had that has ended.
pub(crate) struct Ended {
    pub(crate) agents: BTreeMap<EcoString, BTreeSet<EcoString>>,
    pub(crate) hosted: BTreeSet<EcoString>,
}

impl Session {
    pub(crate) fn new(
        number: u64,
        resume: String,
        role: Role,
        rights: Vec<Right>,
        mut limits: Limits,
        metrics: Arc<Metrics>,
    ) -> Self {
        if role == Role::Agent {
            limits.agents = 1;
        }
        let (outbox, belongings) = (Outbox::new(), Mutex::default());
        Self { number, resume, role, rights, limits, outbox, belongings, metrics }
    }

    pub(crate) fn outbox(&self) -> &Outbox {
        &self.outbox
    }

    pub(crate) fn belongings(&self) -> MutexGuard<'_, Belongings> {
        self.belongings.lock()
    }

    /// Says something without being asked, if there is a connection.
    pub(crate) fn notify<N: Notify>(&self, notification: &N) {
        self.outbox.write(None, |out| rpc::write_call(out, None, N::NAME, notification));
    }

    pub(crate) fn may(&self, right: Right) -> bool {
        self.rights.contains(&right) || right == Right::Observe && self.rights.contains(&Right::Manage)
    }

    /// Refuses what it may not do.
    pub(crate) fn check(&self, right: Right) -> Result<(), Error> {
        if self.may(right) {
            return Ok(());
        }
        let what = match right {
            Right::Act => "act and perceive: come in the role of an agent or a platform",
            Right::Observe => "observe: come in the role of an observer",
            Right::Manage => "manage: say a manager's token in `hello`",
            Right::Host => "host environments: come in the role of a host",
        };
        Err(Error::new(Code::Forbidden, format!("you may not {what}")).with_details(right))
    }

    pub(crate) fn count_error(&self, error: &Error) {
        self.metrics.count_error(error);
    }
}

impl Belongings {
    /// A new number for a subscription.
    pub(crate) fn subscribe(&mut self, to: Option<EcoString>, limit: usize) -> Result<u64, Error> {
        self.check_open()?;
        if self.subscriptions.len() >= limit {
            return Err(Error::new(Code::Limit, format!("you have {limit} subscriptions already; end one first")));
        }
        self.next_subscription += 1;
        self.subscriptions.insert(self.next_subscription, to);
        Ok(self.next_subscription)
    }

    /// An agent is to be registered with an environment.
    pub(crate) fn add_agent(&mut self, agent: &EcoString, environment: &EcoString, limit: usize) -> Result<(), Error> {
        self.check_open()?;
        if !self.agents.contains_key(agent) && self.agents.len() >= limit {
            let message = format!("you have {limit} agents already, which is all that you may have");
            return Err(Error::new(Code::Limit, message));
        }
        self.agents.entry(agent.clone()).or_default().insert(environment.clone());
        Ok(())
    }

    /// It hosts an environment.
    pub(crate) fn add_hosted(&mut self, environment: &EcoString) -> Result<(), Error> {
        self.check_open()?;
        self.hosted.insert(environment.clone());
        Ok(())
    }

    /// Whether anything can still be added.
    pub(crate) fn check_open(&self) -> Result<(), Error> {
        if self.ended { Err(ended()) } else { Ok(()) }
    }

    /// An agent is no longer registered with an environment; whether it is registered with none any more.
    pub(crate) fn remove_agent(&mut self, agent: &str, environment: &str) -> bool {
        let Some(environments) = self.agents.get_mut(agent) else { return false };
        environments.remove(environment);
        if !environments.is_empty() {
            return false;
        }
        self.agents.remove(agent);
        true
    }

    /// Whether it has nothing that would be lost.
    pub(crate) fn is_empty(&self) -> bool {
        self.agents.is_empty() && self.subscriptions.is_empty() && self.hosted.is_empty()
    }

    /// Nothing can be added any more. What environments have of it they let go of one by one.
    pub(crate) fn end(&mut self) -> Ended {
        self.ended = true;
        Ended { agents: self.agents.clone(), hosted: self.hosted.clone() }
    }
}

/// Why nothing can be done any more.
pub(crate) fn ended() -> Error {
    Error::new(Code::SessionEnded, "the session has ended")
}
