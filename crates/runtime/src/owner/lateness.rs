//! Agents that keep a lockstep environment waiting: for how long, and what is said of it.

use std::collections::BTreeSet;
use std::time::Duration;

use situated::iil::EcoString;
use situated::interface::{State, Time};
use situated::ontology::Pace;

use super::{NOTICE, Owner, UNATTENDED_PATIENCE};

/// The time before a step that waits for other agents as well is considered again.
const AGAIN: Duration = Duration::from_secs(1);

/// The agents that keep an environment waiting.
#[derive(Default)]
pub(super) struct Lateness {
    /// The agents of which nobody would notice that they are gone.
    unattended: BTreeSet<EcoString>,
    /// A step without the unattended is not considered before.
    look_again: Duration,
    /// The entities for which the present step has waited for long.
    pub(super) awaited: Vec<EcoString>,
}

impl Lateness {
    /// A step is made.
    pub(super) fn end_step(&mut self) {
        self.look_again = Duration::ZERO;
        self.awaited.clear();
    }
}

impl<T> Owner<T> {
    /// Notes whether an agent is unattended: it may be silent, and nobody would notice that it is gone. A lockstep environment
    /// without a patience of its own waits for such agents for [a while](UNATTENDED_PATIENCE), and for others without end.
    pub fn set_unattended(&mut self, agent: &EcoString, is_unattended: bool) {
        if is_unattended {
            self.lateness.unattended.insert(agent.clone());
        } else {
            self.lateness.unattended.remove(agent);
        }
    }

    /// When the step need not wait any more for those who have not chosen, as far as it can be known.
    pub(super) fn patience_ends(&self) -> Option<Duration> {
        let made = self.ticker.made;
        match self.patience {
            Some(patience) => Some(made.saturating_add(patience)),
            None if self.lateness.unattended.is_empty() || self.choices.are_nobodys() => None,
            None => Some((made + UNATTENDED_PATIENCE).max(self.lateness.look_again)),
        }
    }

    /// Whether a step that is due can be made: in lockstep without a patience, whether only unattended agents are missing.
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

    /// The monotonic time from which the status names those for which a step in lockstep waits, if it is polled then; none if it
    /// does not wait, or names them already.
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
