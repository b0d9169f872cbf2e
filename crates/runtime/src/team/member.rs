//! A program that decides for an entity.

use std::panic::{AssertUnwindSafe, catch_unwind};

use situated::agent::Agent;
use situated::iil::{Action, EcoString};
use situated::interface::{Moment, Perception};

use crate::error::what_panicked;

/// The number of a program in its team; never used twice.
pub(crate) type MemberId = u64;

/// A program that decides for an entity.
pub(crate) struct Member {
    /// The name of its agent.
    pub(super) agent: EcoString,
    pub(super) entity: EcoString,
    /// The name of its program.
    pub(super) program: EcoString,
    /// The index of the rule that started it.
    pub(super) rule: usize,
    pub(super) mind: Box<dyn Agent>,
    /// The episode and step of its last decision.
    decided: Option<(u64, u64)>,
    /// Number of failed attempts at that moment, if it may try again.
    tries: u32,
    /// Whether it decides for that moment again.
    again: bool,
    /// Whether its last action failed.
    pub(super) failed: bool,
    /// Its action, until the result is known.
    pub(super) doing: Option<Action>,
}

/// Maximum number of attempts at one moment.
const TRIES: u32 = 100;

impl Member {
    pub(super) fn new(
        agent: EcoString,
        entity: EcoString,
        program: EcoString,
        rule: usize,
        mind: Box<dyn Agent>,
    ) -> Self {
        Self { agent, entity, program, rule, mind, decided: None, tries: 0, again: false, failed: false, doing: None }
    }

    /// Starts a new episode with a new mind.
    pub(super) fn restart(&mut self, mind: Box<dyn Agent>) {
        *self = Self::new(self.agent.clone(), self.entity.clone(), self.program.clone(), self.rule, mind);
    }

    /// Returns whether it has not decided for this moment yet.
    pub(super) fn is_undecided(&self, moment: Moment) -> bool {
        self.doing.is_none() && (self.again || self.decided != Some((moment.episode, moment.step)))
    }

    /// Decides for this moment. The error is the message of its panic.
    pub(super) fn decide(&mut self, perception: &Perception) -> Result<Option<Action>, String> {
        let moment = (perception.moment.episode, perception.moment.step);
        if self.decided.replace(moment) != Some(moment) {
            self.tries = 0;
        }
        (self.again, self.failed) = (false, false);
        catch_unwind(AssertUnwindSafe(|| self.mind.decide(perception))).map_err(|panic| what_panicked(&*panic))
    }

    /// Lets it decide again after a failed action, unless that has happened too often.
    pub(super) fn try_again(&mut self) {
        if self.failed && self.tries < TRIES {
            self.tries += 1;
            self.again = true;
        }
    }
}
