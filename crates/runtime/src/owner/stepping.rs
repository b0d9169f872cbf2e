//! Steps: when one is due, and how it is made.

use std::time::Duration;

use situated::interface::State;
use situated::ontology::Pace;

use super::Owner;
use super::hosting::Purpose;
use situated::interface::Time;
use situated::interface::{Effect, Input};

impl<T> Owner<T> {
    /// Returns the time of the next step, as far as it is known; `None` if it depends on others.
    pub(super) fn next_step(&self) -> Option<Duration> {
        if self.environment.state() != State::Running || self.waits_for_host() || self.refusal().is_some() {
            return None;
        }
        let due = self.ticker.due();
        match self.pace {
            Pace::RealTime { .. } => Some(due),
            Pace::Lockstep if self.choices.are_complete() => Some(due),
            // Requested steps are made even if there is no agent to wait for.
            Pace::Lockstep if self.advance.is_some() && self.choices.are_nobodys() => Some(due),
            Pace::Lockstep => self.patience_ends().map(|end| due.max(end)),
            Pace::Reactive => (!self.queue.is_empty()).then_some(due),
            Pace::Own => None,
        }
    }

    pub(super) fn is_step_due(&self, now: Time) -> bool {
        self.next_step().is_some_and(|due| due <= now.monotonic)
    }

    /// Makes a step with the actions chosen for it.
    pub(super) fn make_step(&mut self, now: Time) {
        match self.pace {
            Pace::Reactive => self.do_next_in_queue(now),
            Pace::Lockstep => self.make_step_together(now),
            Pace::RealTime { .. } | Pace::Own => drop(self.tick(now)),
        }
        if self.pace != Pace::Reactive && self.environment.host().is_none() {
            self.team.close_step();
        }
    }

    /// Advances time by one step. Returns the number of the request if a host has to make the step.
    pub(super) fn tick(&mut self, now: Time) -> Option<u64> {
        self.ticker.tick(now.monotonic);
        match self.environment.apply(&Input::Step, now).ok()? {
            Effect::Requested(call) => {
                self.expect(call, Purpose::Step);
                Some(call)
            }
            _ => {
                self.count_steps(1, now);
                None
            }
        }
    }

    /// Performs all actions, in the order in which entities were created, and then advances time.
    fn make_step_together(&mut self, now: Time) {
        self.begin_step_together();
        self.lateness.end_step();
        for (entity, choice) in self.choices.take() {
            match choice {
                Some(choice) => self.do_choice(choice.pending, &entity, now),
                None => self.act_by_default(&entity, now),
            }
        }
        if self.tick(now).is_none() {
            self.end_step(0);
        }
    }
}
