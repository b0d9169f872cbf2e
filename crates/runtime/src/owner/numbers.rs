//! The numbers of actions. A numbered action runs at most once, however often it is requested.

use std::collections::{HashMap, VecDeque};

use situated::iil::EcoString;
use situated::interface::Results;
use situated::size::Size;

use super::choices::PendingId;
use crate::error::Error;
use crate::journal::KeptNumbers;

/// Maximum number of remembered responses to numbered actions of an agent.
const ANSWERS_REMEMBERED: usize = 64;

/// Maximum number of bytes of these responses, except that the last one is remembered anyway.
const ANSWER_BYTES: usize = 256 << 10;

/// Maximum number of bytes of the responses to all agents. Beyond it, those to the agent that acts are forgotten.
const ALL_BYTES: usize = 16 << 20;

/// The numbers that agents have used.
#[derive(Debug, Default)]
pub(super) struct Numbers {
    by_agent: HashMap<EcoString, Used>,
    /// The size of the remembered responses.
    bytes: usize,
}

/// The numbers that one agent has used.
#[derive(Debug, Default)]
struct Used {
    /// The remembered numbers.
    stages: VecDeque<(u64, Stage)>,
    /// The greatest number whose action was executed, even if its response is forgotten.
    greatest_done: Option<u64>,
}

/// The progress of a numbered action.
#[derive(Clone, Debug)]
pub(super) enum Stage {
    /// Not done yet.
    Pending(PendingId),
    /// Done.
    Done(Results),
}

impl Numbers {
    /// Returns the progress of the action with this number, or `None` if it is new.
    ///
    /// # Errors
    /// Returns an error if the number was used and its response is forgotten.
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

    /// The number of bytes of the remembered responses.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Changes the numbers of an agent.
    fn change(&mut self, agent: &EcoString, change: impl FnOnce(&mut Used)) {
        let used = self.by_agent.entry(agent.clone()).or_default();
        self.bytes -= used.bytes();
        change(used);
        self.bytes += used.bytes();
        if self.bytes > ALL_BYTES {
            self.bytes -= used.bytes();
            used.stages.retain(|(_, stage)| matches!(stage, Stage::Pending(_)));
        }
    }

    /// Notes an action that is not done yet.
    pub(super) fn begin(&mut self, agent: &EcoString, number: u64, pending: PendingId) {
        self.change(agent, |used| used.note(number, Stage::Pending(pending)));
    }

    /// Notes an action that was done at once.
    pub(super) fn done(&mut self, agent: &EcoString, number: u64, results: &Results) {
        self.change(agent, |used| used.note(number, Stage::Done(results.clone())));
    }

    /// Notes that a pending action is done.
    pub(super) fn complete(&mut self, agent: &EcoString, number: u64, results: &Results) {
        if self.by_agent.contains_key(agent) {
            self.change(agent, |used| used.note(number, Stage::Done(results.clone())));
        }
    }

    /// Forgets an action that was not done; it can be requested again.
    pub(super) fn forget(&mut self, agent: &EcoString, number: u64) {
        if let Some(used) = self.by_agent.get_mut(agent) {
            used.stages.retain(|(one, _)| *one != number);
        }
    }

    /// Marks a number as used, because the result of its action is unknown.
    pub(super) fn spend(&mut self, agent: &EcoString, number: u64) {
        if self.by_agent.contains_key(agent) {
            self.change(agent, |used| used.stages.retain(|(one, _)| *one != number));
        }
        if let Some(used) = self.by_agent.get_mut(agent) {
            used.greatest_done = used.greatest_done.max(Some(number));
        }
    }

    /// Returns the numbers for the journal. `is_begun` says whether the host was asked to execute a pending action.
    pub(super) fn keep(&self, is_begun: impl Fn(PendingId) -> bool) -> Vec<KeptNumbers> {
        let kept = |(agent, used): (&EcoString, &Used)| {
            let (mut done, mut begun) = (Vec::new(), Vec::new());
            for (number, stage) in &used.stages {
                match stage {
                    Stage::Done(results) => done.push((*number, results.clone())),
                    Stage::Pending(pending) if is_begun(*pending) => begun.push(*number),
                    Stage::Pending(_) => {}
                }
            }
            KeptNumbers { agent: agent.clone(), done, begun, greatest_done: used.greatest_done }
        };
        // In the order of the names, so that equal owners are kept as equal checkpoints.
        let mut kept: Vec<KeptNumbers> = self.by_agent.iter().map(kept).collect();
        kept.sort_by(|one, other| one.agent.cmp(&other.agent));
        kept
    }

    /// Continues with the numbers of another process.
    pub(super) fn resume(&mut self, KeptNumbers { agent, done, greatest_done, .. }: KeptNumbers) {
        for (number, results) in &done {
            self.done(&agent, *number, results);
        }
        let used = self.by_agent.entry(agent).or_default();
        used.greatest_done = used.greatest_done.max(greatest_done);
    }

    /// Forgets an agent that has left; another one of the same name starts again. Returns its actions that are not done
    /// yet.
    pub(super) fn forget_agent(&mut self, agent: &str) -> Vec<PendingId> {
        let used = self.by_agent.remove(agent).unwrap_or_default();
        self.bytes -= used.bytes();
        let stages = used.stages;
        let pending = |(_, stage)| match stage {
            Stage::Pending(pending) => Some(pending),
            Stage::Done(_) => None,
        };
        stages.into_iter().filter_map(pending).collect()
    }
}

impl Used {
    fn bytes(&self) -> usize {
        let bytes = |stage: &Stage| match stage {
            Stage::Pending(_) => 0,
            Stage::Done(results) => results.iter().map(|(_, result)| result.bytes()).sum::<usize>(),
        };
        self.stages.iter().map(|(_, stage)| bytes(stage)).sum()
    }

    fn note(&mut self, number: u64, stage: Stage) {
        if matches!(stage, Stage::Done(_)) {
            self.greatest_done = self.greatest_done.max(Some(number));
        }
        match self.stages.iter_mut().find(|(one, _)| *one == number) {
            Some((_, old)) => *old = stage,
            None => self.stages.push_back((number, stage)),
        }
        // Pending actions are never forgotten, and do not count.
        let is_done = |(_, stage): &(u64, Stage)| matches!(stage, Stage::Done(_));
        let is_too_much = |used: &Self| {
            let count = used.stages.iter().filter(|one| is_done(one)).count();
            count > ANSWERS_REMEMBERED || count > 1 && used.bytes() > ANSWER_BYTES
        };
        while is_too_much(self)
            && let Some(oldest) = self.stages.iter().position(is_done)
        {
            self.stages.remove(oldest);
        }
    }
}

#[cfg(test)]
mod tests {
    use situated::iil::{Parameter, Percept};

    use super::*;

    #[test]
    fn responses_are_limited_in_bytes() {
        let (mut numbers, agent) = (Numbers::default(), EcoString::from("ada"));
        let percept = Percept::new("saw", [Parameter::from(&*"x".repeat(ANSWER_BYTES / 10))]);
        for number in 1..=100 {
            numbers.done(&agent, number, &[("eye".into(), Ok(vec![percept.clone()]))].into());
            assert!(numbers.bytes() <= ANSWER_BYTES);
        }
        assert!(matches!(numbers.find(&agent, 100), Ok(Some(Stage::Done(_)))));
        assert!(matches!(numbers.find(&agent, 91), Err(Error::NumberUsed { last: 100, .. })));
        numbers.forget_agent(&agent);
        assert_eq!(numbers.bytes(), 0);
    }
}
