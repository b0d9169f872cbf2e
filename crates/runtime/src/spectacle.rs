//! The last actions in an environment, in order, with their results, for observers.

use std::collections::VecDeque;

use situated::host::HostTask;
use situated::iil::{Action, EcoString};
use situated::interface::{ActionResult, Effect, Input, Moment};

/// Maximum number of actions remembered for observers. An observer that is further behind gets the number of missed
/// ones.
pub const ACTIONS_REMEMBERED: usize = 1024;

/// An action with its result.
#[derive(Clone, Debug, PartialEq)]
pub struct ActionSeen {
    /// The moment of the action.
    pub moment: Moment,
    /// The agent.
    pub agent: EcoString,
    /// The entity.
    pub entity: EcoString,
    /// The action.
    pub action: Action,
    /// The result.
    pub result: ActionResult,
}

/// The position of an observer in the list of actions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seen(u64);

/// The last actions.
#[derive(Debug, Default)]
pub(crate) struct Spectacle {
    last: VecDeque<ActionSeen>,
    count: u64,
}

impl Spectacle {
    /// Notes an input of the environment, if it is an action.
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

    /// Returns the position of a new observer, after all earlier actions.
    pub(crate) fn beginning(&self) -> Seen {
        Seen(self.count)
    }

    /// Returns the actions since then, and the number of those that are no longer remembered.
    pub(crate) fn since(&self, seen: &mut Seen) -> (impl Iterator<Item = &ActionSeen>, u64) {
        let unseen = self.count - std::mem::replace(&mut seen.0, self.count).min(self.count);
        let told = unseen.min(self.last.len() as u64);
        (self.last.range(self.last.len() - told as usize..), unseen - told)
    }
}
