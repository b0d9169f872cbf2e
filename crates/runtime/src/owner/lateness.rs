//! Agents that make a lockstep environment wait.

use std::collections::BTreeSet;
use std::time::Duration;

use situated::iil::EcoString;
use situated::interface::{State, Time};
use situated::ontology::Pace;

use super::{NOTICE, Owner, UNATTENDED_PATIENCE};

/// Time before a step that also waits for other agents is considered again.
const AGAIN: Duration = Duration::from_secs(1);

/// The agents that make an environment wait.
#[derive(Default)]
pub(super) struct Lateness {
    /// Agents whose disappearance would not be noticed.
    unattended: BTreeSet<EcoString>,
    /// Earliest time to consider a step without the unattended agents.
    look_again: Duration,
    /// The entities for which the current step has waited for long.
    pub(super) awaited: Vec<EcoString>,
}

impl Lateness {
    /// Notes that a step was made.
    pub(super) fn end_step(&mut self) {
        self.look_again = Duration::ZERO;
        self.awaited.clear();
    }
}

impl<T> Owner<T> {
    /// Sets whether an agent is unattended: its client may be silent, so its disappearance would not be noticed. A
    /// lockstep environment without a patience waits for such agents for 10 s, and for others without limit.
    pub fn set_unattended(&mut self, agent: &EcoString, is_unattended: bool) {
        if is_unattended {
            self.lateness.unattended.insert(agent.clone());
        } else {
            self.lateness.unattended.remove(agent);
        }
    }

    /// Returns the time at which the step stops waiting, as far as it is known.
    pub(super) fn patience_ends(&self) -> Option<Duration> {
        let made = self.ticker.made;
        match self.patience {
            Some(patience) => Some(made.saturating_add(patience)),
            None if self.lateness.unattended.is_empty() || self.choices.are_nobodys() => None,
            None => Some((made + UNATTENDED_PATIENCE).max(self.lateness.look_again)),
        }
    }

    /// Returns whether a step that is due can be made: in lockstep without a patience, if only unattended agents are
    /// missing.
    pub(super) fn need_not_wait(&mut self, now: Time) -> bool {
        let is_decided = self.choices.are_complete() || self.choices.are_nobodys();
        if self.pace != Pace::Lockstep || self.patience.is_some() || is_decided {
            return true;
        }
        let open: Vec<EcoString> = self.choices.open().cloned().collect();
        let unattended = &self.lateness.unattended;
        let all_are_unattended = self.environment.observe(|interface| {
            let agents = |entity: &EcoString| interface.associated_agents(entity).unwrap_or_default();
            open.iter().all(|entity| agents(entity).iter().all(|agent| unattended.contains(agent)))
        });
        if !all_are_unattended.unwrap_or(true) {
            self.lateness.look_again = now.monotonic + AGAIN;
            return false;
        }
        true
    }

    /// Returns the monotonic time from which the status names the entities that a lockstep step waits for; `None` if
    /// it does not wait or names them already.
    pub fn next_notice(&self) -> Option<Duration> {
        let waits = self.pace == Pace::Lockstep
            && self.environment.state() == State::Running
            && self.lateness.awaited.is_empty()
            && !self.choices.are_complete()
            && !self.choices.are_nobodys();
        waits.then(|| self.ticker.made + NOTICE)
    }

    pub(super) fn notice_lateness(&mut self, now: Time) {
        if self.next_notice().is_some_and(|due| due <= now.monotonic) {
            self.lateness.awaited = self.choices.open().cloned().collect();
            self.environment.changes += 1;
        }
    }
}
