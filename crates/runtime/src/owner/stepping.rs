//! Steps: when one is due, and how it is made.

use std::time::Duration;

use situated::interface::State;
use situated::ontology::Pace;

use super::Owner;
use crate::input::Input;
use crate::time::Time;

impl<T> Owner<T> {
    /// When the next step is due, as far as it can be known; none if that depends on others.
    pub(super) fn next_step(&self) -> Option<Duration> {
        if self.world.state() != State::Running {
            return None;
        }
        let due = self.ticker.due();
        match self.pace {
            Pace::RealTime { .. } => Some(due),
            Pace::Lockstep if self.choices.are_complete() => Some(due),
            Pace::Lockstep => self.patience.map(|patience| due.max(self.ticker.made.saturating_add(patience))),
            Pace::Reactive => (!self.queue.is_empty()).then_some(due),
            Pace::Own => None,
        }
    }

    pub(super) fn is_step_due(&self, now: Time) -> bool {
        self.next_step().is_some_and(|due| due <= now.monotonic)
    }

    /// Makes a step, with what was chosen for it.
    pub(super) fn make_step(&mut self, now: Time) {
        match self.pace {
            Pace::Reactive => self.do_next_in_queue(now),
            Pace::Lockstep => self.make_step_together(now),
            Pace::RealTime { .. } | Pace::Own => self.tick(now),
        }
        if self.pace != Pace::Reactive {
            self.team.close_step();
        }
    }

    /// Time moves on by one step.
    pub(super) fn tick(&mut self, now: Time) {
        self.ticker.tick(now.monotonic);
        if self.world.apply(&Input::Step, now).is_ok() {
            self.count_step(now);
        }
    }

    /// All act, in the order in which their entities were created, and then time moves on.
    fn make_step_together(&mut self, now: Time) {
        for (entity, choice) in self.choices.take() {
            match choice {
                Some(choice) => self.do_choice(choice.ticket, &entity, now),
                None => self.act_by_default(&entity, now),
            }
        }
        self.tick(now);
    }
}
