//! Steps of many agents in one request: when all their actions are done, each of them perceives, and the request is
//! answered.

use std::collections::HashMap;

use situated::iil::EcoString;
use situated::interface::{ActionResult, Form, Since};
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
    form: Form,
    since: Since,
    perceive: bool,
    turns: Vec<TurnResult>,
    /// The entities of each turn.
    entities: Vec<Vec<EcoString>>,
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
        step.turns[place].note(answered);
        step.missing -= 1;
        if step.missing > 0 { None } else { self.under_way.remove(&number) }
    }
}

impl TurnResult {
    fn note(&mut self, answered: Answered) {
        match answered {
            Ok(OwnerReply::Effect(Effect::Results(mut results))) => {
                results.retain(|(_, result): &(EcoString, ActionResult)| !result.as_ref().is_ok_and(Vec::is_empty));
                self.results = results;
            }
            Ok(_) => {}
            Err(error) => self.error = Some(Box::new(error.into())),
        }
    }
}

impl AtEnvironment for Step {
    fn handle(self, seat: &mut Seat, reply: Reply<Self>, now: Time) {
        let Step { environment: _, turns, form, since, perceive } = self;
        if turns.len() > TURNS {
            let (what, remedy) = ("agents in one step", "make several requests");
            return reply.refuse(Error::Limit { what, limit: TURNS, remedy });
        }
        seat.steps.last += 1;
        let number = seat.steps.last;
        let (mut results, mut all_entities) = (Vec::with_capacity(turns.len()), Vec::with_capacity(turns.len()));
        let mut missing = 0;
        for (place, turn) in turns.into_iter().enumerate() {
            let Turn { agent, action, entities, number: action_number } = turn;
            let allowed = seat.check_agent(reply.session(), &agent);
            if allowed.is_ok()
                && let Some(request) = seat.turn(&agent, action, &entities, action_number)
            {
                seat.owner.submit(Destination(To::Turn { step: number, place }), request, now);
                missing += 1;
            }
            let error = allowed.err().map(Box::new);
            results.push(TurnResult { agent, results: Vec::new(), error, perceptions: Vec::new() });
            all_entities.push(entities);
        }
        let step = UnderWay { reply, form, since, perceive, turns: results, entities: all_entities, missing };
        if let Some(done) = seat.steps.begin(number, step) {
            seat.end_step(done, now);
        }
    }
}

impl Seat {
    /// The request of one agent; `None` if it only perceives and nobody waits for it.
    fn turn(
        &self,
        agent: &EcoString,
        action: Option<situated::iil::Action>,
        entities: &[EcoString],
        number: Option<u64>,
    ) -> Option<Request> {
        let (agent, entities) = (agent.clone(), entities.to_vec());
        match action {
            Some(action) => Some(Request::Act { agent, action, entities, number }),
            None if self.owner.pace() == Pace::Lockstep => Some(Request::Pass { agent, entities }),
            None => None,
        }
    }

    /// Lets all agents of a step perceive, and answers it.
    pub(super) fn end_step(&mut self, step: UnderWay, now: Time) {
        let UnderWay { reply, form, since, perceive, mut turns, entities, missing: _ } = step;
        if perceive {
            for (turn, entities) in turns.iter_mut().zip(entities) {
                // An agent that may not act perceives nothing; one whose action has failed perceives.
                if turn.error.as_ref().is_some_and(|error| matches!(**error, Error::OthersAgent { .. })) {
                    continue;
                }
                let entities: Vec<&str> = entities.iter().map(|name| name.as_str()).collect();
                match self.owner.perceive(&turn.agent, &entities, form, since, now) {
                    Ok(perceptions) => turn.perceptions = perceptions,
                    Err(error) => {
                        turn.error.get_or_insert_with(|| Box::new(error.into()));
                    }
                }
            }
        }
        reply.answer(Stepped { moment: self.owner.moment(), turns });
    }
}
