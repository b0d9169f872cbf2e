//! The last actions in an environment, in order, with their results, for observers.

use std::collections::VecDeque;

use situated::host::HostTask;
use situated::iil::{Action, EcoString};
use situated::interface::{ActionResult, Effect, Input, Moment};
use situated::size::Size;

/// Maximum number of actions remembered for observers. An observer that is further behind gets the number of missed
/// ones.
pub(crate) const ACTIONS_REMEMBERED: usize = 1024;

/// Maximum number of bytes of these actions and their results, except that the last one is always remembered.
const ACTION_BYTES: usize = 1 << 20;

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
    /// Their size.
    bytes: usize,
    count: u64,
}

impl Size for ActionSeen {
    fn heap_bytes(&self) -> usize {
        self.action.heap_bytes() + self.result.heap_bytes()
    }
}

impl Spectacle {
    /// The number of bytes of the remembered actions.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

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
            let (agent, entity, action) = (agent.clone(), entity.clone(), action.clone());
            let seen = ActionSeen { moment, agent, entity, action, result: result.clone() };
            let bytes = seen.bytes();
            while self.last.len() == ACTIONS_REMEMBERED || self.bytes + bytes > ACTION_BYTES {
                let Some(oldest) = self.last.pop_front() else { break };
                self.bytes -= oldest.bytes();
            }
            self.bytes += bytes;
            self.last.push_back(seen);
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

#[cfg(test)]
mod tests {
    use situated::iil::{Parameter, Percept};

    use super::*;

    #[test]
    fn actions_are_limited_in_bytes() {
        let mut spectacle = Spectacle::default();
        let mut seen = spectacle.beginning();
        let percept = Percept::new("saw", [Parameter::from(&*"x".repeat(ACTION_BYTES / 10))]);
        let act = Input::Act { agent: "ada".into(), action: Action::new("look", []).into(), entities: Vec::new() };
        for _ in 0..100 {
            let effect = Effect::Results([("eye".into(), Ok(vec![percept.clone()]))].into());
            spectacle.note(&act, &effect, Moment::default());
            assert!(spectacle.bytes() <= ACTION_BYTES);
        }
        let (last, missed) = spectacle.since(&mut seen);
        assert_eq!((last.count(), missed), (9, 91));
    }
}
