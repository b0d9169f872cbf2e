//! What is done in an environment, for those who watch: the last actions, in order, each with what it has come to.

use std::collections::VecDeque;

use situated::host::HostTask;
use situated::iil::{Action, EcoString};
use situated::interface::{ActionResult, Effect, Input, Moment};

/// How many actions are remembered for those who watch. Who is further behind is told how many were missed.
pub const ACTIONS_REMEMBERED: usize = 1024;

/// An action that somebody may have watched.
#[derive(Clone, Debug, PartialEq)]
pub struct ActionSeen {
    /// When it was done.
    pub moment: Moment,
    /// Who did it.
    pub agent: EcoString,
    /// Through which entity.
    pub entity: EcoString,
    /// What was done.
    pub action: Action,
    /// What it has come to.
    pub result: ActionResult,
}

/// How many actions somebody who watches has seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seen(u64);

/// The last actions.
#[derive(Debug, Default)]
pub(crate) struct Spectacle {
    last: VecDeque<ActionSeen>,
    count: u64,
}

impl Spectacle {
    /// An input has been given to the environment.
    pub(crate) fn note(&mut self, input: &Input, effect: &Effect, moment: Moment) {
        let (agent, action, results) = match (input, effect) {
            (Input::Act { agent, action, .. }, Effect::Results(results) | Effect::Acting { refused: results, .. }) => {
                (agent, &action.term, results)
            }
            (_, Effect::Answered { task, outcome, .. }) => match (&**task, &**outcome) {
                (HostTask::Act { agent, action, .. }, Ok(Effect::Results(results))) => (agent, action, results),
                _ => return,
            },
            _ => return,
        };
        for (entity, result) in results {
            if self.last.len() == ACTIONS_REMEMBERED {
                self.last.pop_front();
            }
            let (agent, entity, action) = (agent.clone(), entity.clone(), action.clone());
            self.last.push_back(ActionSeen { moment, agent, entity, action, result: result.clone() });
            self.count += 1;
        }
    }

    /// Somebody who begins to watch has seen all that was before.
    pub(crate) fn beginning(&self) -> Seen {
        Seen(self.count)
    }

    /// What was done since then, and how much of it is no longer remembered.
    pub(crate) fn since(&self, seen: &mut Seen) -> (impl Iterator<Item = &ActionSeen>, u64) {
        let unseen = self.count - std::mem::replace(&mut seen.0, self.count).min(self.count);
        let told = unseen.min(self.last.len() as u64);
        (self.last.range(self.last.len() - told as usize..), unseen - told)
    }
}
