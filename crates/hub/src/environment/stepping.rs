//! Steps of many agents in one request: when all their actions are done, each of them perceives, and the request is
//! answered.

use situated::ontology::Pace;
use situated_runtime::{Answered, Effect, Reply as OwnerReply, Request, Time};

use super::destination::{Destination, To};
use super::{AtEnvironment, Seat};
use crate::answers::TurnResult;
use crate::error::Error;
use crate::reply::Reply;
use crate::requests::{Step, Turn};

/// The maximum number of agents in one step.
const TURNS: usize = 1024;

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
        let step = seat.steps.vacant_key();
        let mut results = Vec::with_capacity(self.turns.len());
        let mut missing = 0;
        for (place, turn) in self.turns.iter_mut().enumerate() {
            let allowed = seat.check_agent(reply.session(), &turn.agent);
            if allowed.is_ok()
                && let Some(request) = seat.turn(turn)
            {
                seat.owner.submit(Destination(To::Turn { step, place }), request, now);
                missing += 1;
            }
            let error = allowed.err().map(Box::new);
            results.push(TurnResult { agent: turn.agent.clone(), results: Vec::new(), error, perceptions: Vec::new() });
        }
        let step = UnderWay { reply, request: self, results, missing };
        if missing == 0 {
            return seat.end_step(step, now);
        }
        seat.steps.insert(step);
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

    /// Notes that an agent has acted. The last one ends the step.
    pub(super) fn take_turn(&mut self, step: usize, place: usize, answered: Answered, now: Time) {
        let Some(under_way) = self.steps.get_mut(step) else { return };
        under_way.results[place].note(answered);
        under_way.missing -= 1;
        if under_way.missing == 0 {
            let step = self.steps.remove(step);
            self.end_step(step, now);
        }
    }

    /// Answers a step: lets one agent after another perceive while the answer is written.
    fn end_step(&mut self, step: UnderWay, now: Time) {
        let UnderWay { reply, request: Step { turns, form, since, perceive, .. }, results, .. } = step;
        let moment = self.owner.moment();
        let perceived = turns.into_iter().zip(results).map(|(Turn { agent, entities, .. }, mut result)| {
            // An agent that may not act perceives nothing; one whose action has failed perceives.
            let is_others = result.error.as_ref().is_some_and(|error| matches!(**error, Error::OthersAgent { .. }));
            if perceive && !is_others {
                let entities: Vec<&str> = entities.iter().map(|name| name.as_str()).collect();
                match self.owner.perceive(&agent, &entities, form, since, now) {
                    Ok(perceptions) => result.perceptions = perceptions,
                    Err(error) => {
                        result.error.get_or_insert_with(|| Box::new(error.into()));
                    }
                }
            }
            result
        });
        reply.answer_step(moment, perceived);
    }
}
