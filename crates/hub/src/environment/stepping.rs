//! Steps of many agents in one request. When all actions are done, each agent perceives and the request is answered.

use situated::iil::EcoString;
use situated::interface::Since;
use situated::ontology::Pace;
use situated_runtime::{Answered, Reply as OwnerReply, Time};

use super::seat::{Destination, To};
use super::{AtEnvironment, Seat};
use crate::answers::TurnResult;
use crate::error::Error;
use crate::reply::Reply;
use crate::requests::{Step, Turn};

/// The maximum number of agents in one step.
const TURNS: usize = 1024;

/// A step that is not finished yet.
pub(super) struct UnderWay {
    reply: Reply<Step>,
    /// The request. Its actions have been passed to the owner.
    request: Step,
    /// The result of each turn.
    results: Vec<TurnResult>,
    /// The number of agents that have not acted yet.
    missing: usize,
}

impl TurnResult {
    fn new(agent: EcoString) -> Self {
        Self { agent, results: Vec::new(), error: None, perceptions: Vec::new() }
    }

    fn note(&mut self, answered: Answered) {
        match answered {
            Ok(OwnerReply::Results(mut results)) => {
                results.retain(|(_, result)| !result.as_ref().is_ok_and(Vec::is_empty));
                if !results.is_empty() {
                    self.results = results.into_vec();
                }
            }
            Ok(_) => {}
            Err(error) => {
                self.error.get_or_insert_with(|| Box::new(error.into()));
            }
        }
    }

    /// Whether the agent cannot act.
    fn is_refused(&self) -> bool {
        let no_entity_can = !self.results.is_empty() && self.results.iter().all(|(_, result)| result.is_err());
        self.error.is_some() || no_entity_can
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
        let (session, moment) = (reply.session().clone(), seat.owner.moment());
        let results = self.turns.iter().map(|turn| TurnResult::new(turn.agent.clone())).collect();
        // The request itself counts as one, so that the step does not end before all agents were handled.
        let step = seat.steps.insert(UnderWay { reply, request: self, results, missing: count + 1 });
        for place in 0..count {
            let agent = seat.steps[step].request.turns[place].agent.clone();
            match seat.check_agent(&session, &agent) {
                Ok(()) => seat.take_turn(step, place, now),
                Err(error) => {
                    seat.steps[step].results[place].error = Some(Box::new(error));
                    seat.end_turn(step, now);
                }
            }
        }
        if seat.owner.pace() == Pace::Lockstep && seat.owner.moment() == moment && seat.steps[step].missing > 1 {
            seat.let_refused_pass(step, now);
        }
        seat.end_turn(step, now);
    }
}

impl Seat {
    /// Lets an agent act, or pass in lockstep. At another pace, an agent without an action only perceives.
    fn take_turn(&mut self, step: usize, place: usize, now: Time) {
        let turn = &mut self.steps[step].request.turns[place];
        let (agent, entities, number) = (turn.agent.clone(), turn.entities.clone(), turn.number);
        let to = Destination(To::Turn { step, place });
        match turn.action.take() {
            Some(action) => self.owner.act(to, agent, action, entities, number, now),
            None if self.owner.pace() == Pace::Lockstep => self.owner.pass(to, agent, entities, now),
            None => return self.end_turn(step, now),
        }
        // Most replies come at once, so the next agent can use their slot.
        self.hand_out_replies(now);
    }

    /// Lets agents pass whose action was refused: their client cannot choose again before the step is over.
    fn let_refused_pass(&mut self, step: usize, now: Time) {
        for place in 0..self.steps[step].results.len() {
            let UnderWay { reply, request, results, .. } = &self.steps[step];
            if !results[place].is_refused() {
                continue;
            }
            let (session, turn) = (reply.session().clone(), &request.turns[place]);
            let (agent, entities) = (turn.agent.clone(), turn.entities.clone());
            if self.check_agent(&session, &agent).is_ok() {
                self.steps[step].missing += 1;
                self.owner.pass(Destination(To::Turn { step, place }), agent, entities, now);
                self.hand_out_replies(now);
            }
        }
    }

    /// Notes that an agent has acted.
    pub(super) fn note_turn(&mut self, step: usize, place: usize, answered: Answered, now: Time) {
        if let Some(under_way) = self.steps.get_mut(step) {
            under_way.results[place].note(answered);
            self.end_turn(step, now);
        }
    }

    /// Decreases the counter. The last turn ends the step.
    fn end_turn(&mut self, step: usize, now: Time) {
        self.steps[step].missing -= 1;
        if self.steps[step].missing == 0 {
            let step = self.steps.remove(step);
            self.end_step(step, now);
        }
    }

    /// Answers a step. The agents perceive one after another while the answer is written.
    fn end_step(&mut self, step: UnderWay, now: Time) {
        let UnderWay { reply, request: Step { turns, form, since, perceive, .. }, results, .. } = step;
        let (moment, session) = (self.owner.moment(), reply.session().clone());
        let perceived = turns.iter().zip(results).map(|(Turn { agent, entities, .. }, mut result)| {
            if perceive {
                let entities: Vec<&str> = entities.iter().map(|name| name.as_str()).collect();
                // An agent whose action failed still perceives, unless it belongs to another session by now.
                let perceived = self.check_agent(&session, agent);
                let perceived = perceived.and_then(|()| Ok(self.owner.perceive(agent, &entities, form, since, now)?));
                match perceived {
                    Ok(perceptions) => {
                        self.note_told(session.number(), agent, &perceptions);
                        result.perceptions = perceptions;
                    }
                    Err(error) => {
                        result.error.get_or_insert_with(|| Box::new(error));
                    }
                }
            }
            result
        });
        if reply.answer_step(moment, perceived).is_some() && since == Since::LastCall {
            for Turn { agent, entities, .. } in &turns {
                let entities: Vec<&str> = entities.iter().map(|name| name.as_str()).collect();
                if self.check_agent(&session, agent).is_ok() {
                    self.owner.take_back(agent, &entities);
                }
            }
        }
    }
}
