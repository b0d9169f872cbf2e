//! A program that decides for an entity.

use std::panic::{AssertUnwindSafe, catch_unwind};

use situated::agent::Agent;
use situated::iil::{Action, EcoString};
use situated::interface::{Moment, Perception};

use crate::panic::what_panicked;

/// The number of a member in its team; never used twice.
pub(crate) type MemberId = u64;

/// A program that decides for an entity.
pub(crate) struct Member {
    /// The name under which it is registered.
    pub(super) agent: EcoString,
    pub(super) entity: EcoString,
    /// The name of its program.
    pub(super) program: EcoString,
    /// The place of the rule by which it was employed.
    pub(super) rule: usize,
    pub(super) mind: Box<dyn Agent>,
    /// The episode and step for which it has decided last.
    decided: Option<(u64, u64)>,
    /// How often it has tried in vain at that moment, where it may try again.
    tries: u32,
    /// Whether it is to decide for that moment once more.
    again: bool,
    /// Whether what it did last has failed.
    pub(super) failed: bool,
    /// What it does, as long as it has not heard what that has come to.
    pub(super) doing: Option<Action>,
}

/// How often a member may try something at one moment.
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

    /// It begins a new episode with a new mind.
    pub(super) fn begin_anew(&mut self, mind: Box<dyn Agent>) {
        *self = Self::new(self.agent.clone(), self.entity.clone(), self.program.clone(), self.rule, mind);
    }

    /// Whether it is to decide what to do at this moment, and has not yet.
    pub(super) fn is_undecided(&self, moment: Moment) -> bool {
        self.doing.is_none() && (self.again || self.decided != Some((moment.episode, moment.step)))
    }

    /// Decides what to do at this moment; the error is what it said when it broke down.
    pub(super) fn decide(&mut self, perception: &Perception) -> Result<Option<Action>, String> {
        let moment = (perception.moment.episode, perception.moment.step);
        if self.decided.replace(moment) != Some(moment) {
            self.tries = 0;
        }
        (self.again, self.failed) = (false, false);
        catch_unwind(AssertUnwindSafe(|| self.mind.decide(perception))).map_err(|panic| what_panicked(&*panic))
    }

    /// If what it did has failed it decides again, unless that has happened too often.
    pub(super) fn try_again(&mut self) {
        if self.failed && self.tries < TRIES {
            self.tries += 1;
            self.again = true;
        }
    }
}
