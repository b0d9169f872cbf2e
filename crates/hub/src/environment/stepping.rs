//! Steps of many agents in one request: when all their actions are done, each of them perceives, and the request is
//! answered.

use std::collections::HashMap;

use situated::ontology::Pace;
use situated_runtime::{Answered, Effect, Reply as OwnerReply, Request, Time};

use super::destination::{Destination, To};
use super::{AtEnvironment, Seat};
use crate::answers::{Stepped, TurnResult};
use crate::error::Error;
use crate::reply::Reply;
use crate::requests::{Step, Turn};

/// The maximum number of agents in one step.
const TURNS: usize = 1024;

/// The steps that are under way.
#[derive(Default)]
pub(super) struct Steps {
    under_way: HashMap<u64, UnderWay>,
    last: u64,
}

/// A step that is under way.
pub(super) struct UnderWay {
    reply: Reply<Step>,
    /// The request, whose actions are with the owner.
    request: Step,
    /// The result of each turn.
    results: Vec<TurnResult>,
    /// How many agents have still to act.
    missing: usize,
}

impl Steps {
    /// Adds a step. Returns it if nobody has to act.
    fn begin(&mut self, number: u64, step: UnderWay) -> Option<UnderWay> {
        if step.missing == 0 {
            return Some(step);
        }
        self.under_way.insert(number, step);
        None
    }

    /// Notes that an agent has acted. Returns the step if that was the last one.
    pub(super) fn take_turn(&mut self, number: u64, place: usize, answered: Answered) -> Option<UnderWay> {
        let step = self.under_way.get_mut(&number)?;
        step.results[place].note(answered);
        step.missing -= 1;
        if step.missing > 0 { None } else { self.under_way.remove(&number) }
    }
}

impl TurnResult {
    fn note(&mut self, answered: Answered) {
        match answered {
            Ok(OwnerReply::Effect(Effect::Results(mut results))) => {
                results.retain(|(_, result)| !result.as_ref().is_ok_and(Vec::is_empty));
                if !results.is_empty() {
                    self.results = results;
                }
            }
            Ok(_) => {}
            Err(error) => self.error = Some(Box::new(error.into())),
        }
    }
}

impl AtEnvironment for Step {
    fn handle(mut self, seat: &mut Seat, reply: Reply<Self>, now: Time) {
        if self.turns.len() > TURNS {
            let (what, remedy) = ("agents in one step", "make several requests");
            return reply.refuse(Error::Limit { what, limit: TURNS, remedy });
        }
        seat.steps.last += 1;
        let number = seat.steps.last;
        let mut results = Vec::with_capacity(self.turns.len());
        let mut missing = 0;
        for (place, turn) in self.turns.iter_mut().enumerate() {
            let allowed = seat.check_agent(reply.session(), &turn.agent);
            if allowed.is_ok()
                && let Some(request) = seat.turn(turn)
            {
                seat.owner.submit(Destination(To::Turn { step: number, place }), request, now);
                missing += 1;
            }
            let error = allowed.err().map(Box::new);
            results.push(TurnResult { agent: turn.agent.clone(), results: Vec::new(), error, perceptions: Vec::new() });
        }
        let step = UnderWay { reply, request: self, results, missing };
        if let Some(done) = seat.steps.begin(number, step) {
            seat.end_step(done, now);
        }
    }
}

impl Seat {
    /// The request of one agent, with its action; `None` if it only perceives and nobody waits for it.
    fn turn(&self, turn: &mut Turn) -> Option<Request> {
        let (agent, entities) = (turn.agent.clone(), turn.entities.clone());
        match turn.action.take() {
            Some(action) => Some(Request::Act { agent, action, entities, number: turn.number }),
            None if self.owner.pace() == Pace::Lockstep => Some(Request::Pass { agent, entities }),
            None => None,
        }
    }

    /// Lets all agents of a step perceive, and answers it.
    pub(super) fn end_step(&mut self, step: UnderWay, now: Time) {
        let UnderWay { reply, request: Step { turns, form, since, perceive, .. }, mut results, .. } = step;
        if perceive {
            for (Turn { agent, entities, .. }, result) in turns.iter().zip(&mut results) {
                // An agent that may not act perceives nothing; one whose action has failed perceives.
                if result.error.as_ref().is_some_and(|error| matches!(**error, Error::OthersAgent { .. })) {
                    continue;
                }
                let entities: Vec<&str> = entities.iter().map(|name| name.as_str()).collect();
                match self.owner.perceive(agent, &entities, form, since, now) {
                    Ok(perceptions) => result.perceptions = perceptions,
                    Err(error) => {
                        result.error.get_or_insert_with(|| Box::new(error.into()));
                    }
                }
            }
        }
        reply.answer(Stepped { moment: self.owner.moment(), turns: results });
    }
}
