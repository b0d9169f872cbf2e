//! The numbers of actions: the action with one number is done once, however often it is asked for.

use std::collections::{HashMap, VecDeque};

use situated::iil::EcoString;
use situated::interface::ActionResult;

use super::choices::PendingId;
use crate::error::Error;

/// How many answers to numbered actions are remembered for each agent.
pub const ANSWERS_REMEMBERED: usize = 64;

/// What an action has come to, by entity.
pub(super) type Results = Vec<(EcoString, ActionResult)>;

/// The numbers that agents have used.
#[derive(Debug, Default)]
pub(super) struct Numbers {
    by_agent: HashMap<EcoString, Used>,
}

/// The numbers that one agent has used.
#[derive(Debug, Default)]
struct Used {
    /// Those that are remembered.
    stages: VecDeque<(u64, Stage)>,
    /// The greatest whose action was done; it may be forgotten what that came to.
    greatest_done: Option<u64>,
}

/// How far a numbered action is.
#[derive(Clone, Debug)]
pub(super) enum Stage {
    /// It is still to be done.
    Pending(PendingId),
    /// It is done.
    Done(Results),
}

impl Numbers {
    /// How far the action with this number is; none if it is new.
    ///
    /// # Errors
    /// When it is spent, and its answer forgotten.
    pub(super) fn find(&self, agent: &EcoString, number: u64) -> Result<Option<&Stage>, Error> {
        let Some(used) = self.by_agent.get(agent) else { return Ok(None) };
        if let Some((_, stage)) = used.stages.iter().find(|(one, _)| *one == number) {
            return Ok(Some(stage));
        }
        match used.stages.iter().map(|(one, _)| *one).chain(used.greatest_done).max() {
            Some(last) if number <= last => Err(Error::NumberUsed { agent: agent.clone(), number, last }),
            _ => Ok(None),
        }
    }

    /// The action with this number is still to be done.
    pub(super) fn begin(&mut self, agent: &EcoString, number: u64, pending: PendingId) {
        self.by_agent.entry(agent.clone()).or_default().note(number, Stage::Pending(pending));
    }

    /// The action with this number was done at once.
    pub(super) fn done(&mut self, agent: &EcoString, number: u64, results: &Results) {
        self.by_agent.entry(agent.clone()).or_default().note(number, Stage::Done(results.clone()));
    }

    /// The action with this number, which was still to be done, is done. If its agent has left meanwhile, that is of no
    /// account.
    pub(super) fn complete(&mut self, agent: &EcoString, number: u64, results: &Results) {
        if let Some(used) = self.by_agent.get_mut(agent) {
            used.note(number, Stage::Done(results.clone()));
        }
    }

    /// The action with this number was not done after all; it can be asked for again.
    pub(super) fn forget(&mut self, agent: &EcoString, number: u64) {
        if let Some(used) = self.by_agent.get_mut(agent) {
            used.stages.retain(|(one, _)| *one != number);
        }
    }

    /// Nobody knows what the action with this number has come to: it is spent.
    pub(super) fn spend(&mut self, agent: &EcoString, number: u64) {
        if let Some(used) = self.by_agent.get_mut(agent) {
            used.stages.retain(|(one, _)| *one != number);
            used.greatest_done = used.greatest_done.max(Some(number));
        }
    }

    /// An agent has left: another one of its name begins anew.
    pub(super) fn forget_agent(&mut self, agent: &str) {
        self.by_agent.remove(agent);
    }
}

impl Used {
    fn note(&mut self, number: u64, stage: Stage) {
        if matches!(stage, Stage::Done(_)) {
            self.greatest_done = self.greatest_done.max(Some(number));
        }
        match self.stages.iter_mut().find(|(one, _)| *one == number) {
            Some((_, old)) => *old = stage,
            None => self.stages.push_back((number, stage)),
        }
        // What is still to be done is never forgotten, and does not count.
        let is_done = |(_, stage): &(u64, Stage)| matches!(stage, Stage::Done(_));
        if self.stages.iter().filter(|one| is_done(one)).count() > ANSWERS_REMEMBERED
            && let Some(oldest) = self.stages.iter().position(is_done)
        {
            self.stages.remove(oldest);
        }
    }
}
