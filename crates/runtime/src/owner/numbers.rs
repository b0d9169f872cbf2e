//! The numbers of actions: the action with one number is done once, however often it is asked for.

use std::collections::{HashMap, VecDeque};

use situated::iil::EcoString;
use situated::interface::ActionResult;

use super::choices::Ticket;
use crate::error::Error;

/// How many answers to numbered actions are remembered for each agent.
pub const ANSWERS_REMEMBERED: usize = 64;

/// What an action has come to, by entity.
pub(super) type Results = Vec<(EcoString, ActionResult)>;

/// The numbers that agents have used.
#[derive(Debug, Default)]
pub(super) struct Numbers {
    by_agent: HashMap<EcoString, VecDeque<(u64, Stage)>>,
}

/// How far a numbered action is.
#[derive(Clone, Debug)]
pub(super) enum Stage {
    /// It is still to be done.
    Pending(Ticket),
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
        if let Some((_, stage)) = used.iter().find(|(one, _)| *one == number) {
            return Ok(Some(stage));
        }
        match used.iter().map(|(one, _)| *one).max() {
            Some(last) if number < last => Err(Error::NumberSpent { agent: agent.clone(), number, last }),
            _ => Ok(None),
        }
    }

    /// The action with this number is to be done, or is done.
    pub(super) fn note(&mut self, agent: &EcoString, number: u64, stage: Stage) {
        let used = self.by_agent.entry(agent.clone()).or_default();
        if let Some((_, old)) = used.iter_mut().find(|(one, _)| *one == number) {
            *old = stage;
            return;
        }
        if used.len() >= ANSWERS_REMEMBERED {
            let done = used.iter().position(|(_, stage)| matches!(stage, Stage::Done(_)));
            if let Some(done) = done {
                used.remove(done);
            }
        }
        used.push_back((number, stage));
    }

    /// The action with this number, which was still to be done, is done. If its agent has left meanwhile, that is of no
    /// account.
    pub(super) fn complete(&mut self, agent: &EcoString, number: u64, results: &Results) {
        let used = self.by_agent.get_mut(agent).into_iter().flatten();
        for (_, stage) in used.filter(|(one, _)| *one == number) {
            *stage = Stage::Done(results.clone());
        }
    }

    /// The action with this number was not done after all; it can be asked for again.
    pub(super) fn forget(&mut self, agent: &EcoString, number: u64) {
        if let Some(used) = self.by_agent.get_mut(agent) {
            used.retain(|(one, _)| *one != number);
        }
    }

    /// An agent has left: another one of its name begins anew.
    pub(super) fn forget_agent(&mut self, agent: &str) {
        self.by_agent.remove(agent);
    }
}
