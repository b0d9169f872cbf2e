//! Steps of many agents in one request: when all their actions are done, each of them perceives, and the request is
//! answered.

use situated::iil::EcoString;
use situated::ontology::Pace;
use situated_runtime::{Answered, Effect, Reply as OwnerReply, Request, Time};

use super::destination::To;
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
    fn new(agent: EcoString) -> Self {
        Self { agent, results: Vec::new(), error: None, perceptions: Vec::new() }
    }

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
    fn handle(self, seat: &mut Seat, reply: Reply<Self>, now: Time) {
        if let Some(error) = seat.owner.refusal() {
            return reply.refuse(error.into());
        }
        let count = self.turns.len();
        if count > TURNS {
            let (what, remedy) = ("agents in one step", "make several requests");
            return reply.refuse(Error::Limit { what, limit: TURNS, remedy });
        }
        let session = reply.session().clone();
        let results = self.turns.iter().map(|turn| TurnResult::new(turn.agent.clone())).collect();
        // The request itself counts as well, so that the step does not end before each agent has had its turn.
        let step = seat.steps.insert(UnderWay { reply, request: self, results, missing: count + 1 });
        for place in 0..count {
            let turn = &mut seat.steps[step].request.turns[place];
            let (agent, request) = (turn.agent.clone(), turn.request(seat.owner.pace()));
            match (seat.check_agent(&session, &agent), request) {
                // Most replies come at once, and leave their room to the next one.
                (Ok(()), Some(request)) => seat.submit(To::Turn { step, place }, request, now),
                (Ok(()), None) => seat.end_turn(step, now),
                (Err(error), _) => {
                    seat.steps[step].results[place].error = Some(Box::new(error));
                    seat.end_turn(step, now);
                }
            }
        }
        seat.end_turn(step, now);
    }
}

impl Turn {
    /// The request of one agent, with its action; `None` if it only perceives and nobody waits for it.
    fn request(&mut self, pace: Pace) -> Option<Request> {
        let (agent, entities) = (self.agent.clone(), self.entities.clone());
        match self.action.take() {
            Some(action) => Some(Request::Act { agent, action, entities, number: self.number }),
            None if pace == Pace::Lockstep => Some(Request::Pass { agent, entities }),
            None => None,
        }
    }
}

impl Seat {
    /// Notes that an agent has acted.
    pub(super) fn note_turn(&mut self, step: usize, place: usize, answered: Answered, now: Time) {
        if let Some(under_way) = self.steps.get_mut(step) {
            under_way.results[place].note(answered);
            self.end_turn(step, now);
        }
    }

    /// Counts down. The last turn ends the step.
    fn end_turn(&mut self, step: usize, now: Time) {
        self.steps[step].missing -= 1;
        if self.steps[step].missing == 0 {
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
