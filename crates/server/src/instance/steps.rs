//! Steps of many agents that were asked for in one call: when all their actions are done, all perceive, and the call is
//! answered.

use std::collections::HashMap;

use situated::iil::EcoString;
use situated::interface::{ActionResult, Form, Since};
use situated::ontology::Pace;
use situated_runtime::{Answered, Effect, Reply, Request, Time};
use situated_wire::methods::{EntityResult, Step, Stepped, Turn, TurnTaken};
use situated_wire::{Code, Error, Name, Told};

use super::seat::{Seat, Ticket, To};
use crate::caller::Caller;
use crate::refusal::refusal;

/// How many agents may step in one call.
const TURNS: usize = 1024;

/// The steps that are under way.
#[derive(Default)]
pub(super) struct Steps {
    under_way: HashMap<u64, UnderWay>,
    next: u64,
}

/// A step that is under way.
struct UnderWay {
    caller: Caller,
    form: Form,
    since: Since,
    perceive: bool,
    turns: Vec<TurnTaken>,
    entities: Vec<Vec<Name>>,
    /// How many have still to act.
    missing: usize,
}

impl Seat {
    /// Many agents act, and perceive when that is done.
    pub(super) fn step(&mut self, caller: Caller, step: Step, now: Time) {
        let Step { environment: _, agents, form, since, perceive } = step;
        if agents.len() > TURNS {
            let message = format!("{TURNS} agents can step in one call, not {}; make several calls", agents.len());
            return caller.refuse(&Error::new(Code::Limit, message));
        }
        self.steps.next += 1;
        let number = self.steps.next;
        let together = self.owner.pace() == Pace::Lockstep;
        let mut under_way = UnderWay {
            caller,
            form,
            since,
            perceive,
            turns: Vec::with_capacity(agents.len()),
            entities: Vec::with_capacity(agents.len()),
            missing: 0,
        };
        for (place, turn) in agents.into_iter().enumerate() {
            let Turn { agent, action, entities, number: action_number } = turn;
            let allowed = self.check_agent(under_way.caller.session(), &agent);
            let request = match action {
                Some(action) => {
                    let (agent, entities) = (agent.0.clone(), names(&entities));
                    Some(Request::Act { agent, action, entities, number: action_number })
                }
                None if together => Some(Request::Pass { agent: agent.0.clone(), entities: names(&entities) }),
                None => None,
            };
            if let (Ok(()), Some(request)) = (&allowed, request) {
                self.owner.submit(Ticket(To::Turn { step: number, place }), request, now);
                under_way.missing += 1;
            }
            under_way.turns.push(TurnTaken {
                agent,
                results: Vec::new(),
                error: allowed.err().map(Box::new),
                told: Vec::new(),
            });
            under_way.entities.push(entities);
        }
        if under_way.missing == 0 {
            self.end_step(under_way, now);
        } else {
            self.steps.under_way.insert(number, under_way);
        }
    }

    /// One of those who step has acted.
    pub(super) fn take_turn(&mut self, step: u64, place: usize, answered: Answered, now: Time) {
        let Some(under_way) = self.steps.under_way.get_mut(&step) else { return };
        let turn = &mut under_way.turns[place];
        match answered {
            Ok(Reply::Effect(Effect::Results(results))) => {
                let telling = |(_, result): &(EcoString, ActionResult)| !result.as_ref().is_ok_and(Vec::is_empty);
                let results = results.into_iter().filter(telling);
                turn.results = results.map(|(entity, result)| EntityResult::new(entity, result)).collect();
            }
            Ok(_) => {}
            Err(error) => turn.error = Some(Box::new(refusal(&error))),
        }
        under_way.missing -= 1;
        if under_way.missing == 0
            && let Some(under_way) = self.steps.under_way.remove(&step)
        {
            self.end_step(under_way, now);
        }
    }

    /// All have acted: they perceive, and the call is answered.
    fn end_step(&mut self, under_way: UnderWay, now: Time) {
        let UnderWay { caller, form, since, perceive, mut turns, entities, .. } = under_way;
        if perceive {
            for (turn, entities) in turns.iter_mut().zip(entities) {
                // Who could not act at all is told so; whose action has failed perceives all the same.
                if turn.error.as_ref().is_some_and(|error| error.code() == Some(Code::Forbidden)) {
                    continue;
                }
                let entities: Vec<&str> = entities.iter().map(|name| name.as_str()).collect();
                match self.owner.perceive(&turn.agent, &entities, form, since, now) {
                    Ok(told) => turn.told = told.into_iter().map(|(entity, told)| Told::new(entity, told)).collect(),
                    Err(error) => {
                        turn.error.get_or_insert_with(|| Box::new(refusal(&error)));
                    }
                }
            }
        }
        caller.answer(&Stepped { moment: self.owner.moment(), agents: turns });
    }
}

/// Names as the runtime has them.
pub(super) fn names(names: &[Name]) -> Vec<EcoString> {
    names.iter().map(|name| name.0.clone()).collect()
}
