//! Steps of many agents that were asked for in one call: they are under way until all have acted.

use std::collections::HashMap;

use situated::iil::EcoString;
use situated::interface::{ActionResult, Form, Since};
use situated_runtime::{Answered, Effect, Reply};
use situated_wire::Name;
use situated_wire::methods::{EntityResult, TurnTaken};

use crate::caller::Caller;
use crate::refusal::refusal;

/// The steps that are under way.
#[derive(Default)]
pub(super) struct Steps {
    under_way: HashMap<u64, UnderWay>,
    last: u64,
}

/// A step that is under way.
pub(super) struct UnderWay {
    pub(super) caller: Caller,
    pub(super) form: Form,
    pub(super) since: Since,
    pub(super) perceive: bool,
    pub(super) turns: Vec<TurnTaken>,
    pub(super) entities: Vec<Vec<Name>>,
    /// How many have still to act.
    pub(super) missing: usize,
}

impl Steps {
    /// A new number for a step.
    pub(super) fn next(&mut self) -> u64 {
        self.last += 1;
        self.last
    }

    /// A step is under way; it comes back at once if nobody has to act.
    pub(super) fn begin(&mut self, number: u64, step: UnderWay) -> Option<UnderWay> {
        if step.missing == 0 {
            return Some(step);
        }
        self.under_way.insert(number, step);
        None
    }

    /// One of those who step has acted; the step, if that was the last.
    pub(super) fn take_turn(&mut self, number: u64, place: usize, answered: Answered) -> Option<UnderWay> {
        let step = self.under_way.get_mut(&number)?;
        note(&mut step.turns[place], answered);
        step.missing -= 1;
        if step.missing > 0 { None } else { self.under_way.remove(&number) }
    }
}

/// Notes what has become of somebody's action.
fn note(turn: &mut TurnTaken, answered: Answered) {
    match answered {
        Ok(Reply::Effect(Effect::Results(results))) => {
            let telling = |(_, result): &(EcoString, ActionResult)| !result.as_ref().is_ok_and(Vec::is_empty);
            let results = results.into_iter().filter(telling);
            turn.results = results.map(|(entity, result)| EntityResult::new(entity, result)).collect();
        }
        Ok(_) => {}
        Err(error) => turn.error = Some(Box::new(refusal(&error))),
    }
}
