//! Steps of many agents in one request. When all actions are done, each agent perceives and the request is answered.

use situated::iil::EcoString;
use situated::interface::Since;
use situated::ontology::Pace;
use situated_runtime::{Answered, Reply as OwnerReply, Time};
use situated_wire::methods::{EntityResult, Step, Turn, TurnTaken};
use situated_wire::{EntityPerception, Name};

use super::destination::{Destination, To};
use super::requests::strs;
use super::{AtEnvironment, Seat};
use crate::error::Error;
use crate::reply::Reply;

/// The maximum number of agents in one step.
const TURNS: usize = 1024;

/// A step that is not finished yet.
pub(super) struct UnderWay {
    reply: Reply<Step>,
    /// The request. Its actions have been passed to the owner.
    request: Step,
    /// The result of each turn.
    results: Vec<TurnTaken>,
    /// The number of agents that have not acted yet.
    missing: usize,
}

fn note(turn: &mut TurnTaken, answered: Answered) {
    match answered {
        Ok(OwnerReply::Results(results)) => {
            let worth_telling = results.into_iter().filter(|(_, result)| !result.as_ref().is_ok_and(Vec::is_empty));
            turn.results = worth_telling.map(|(entity, result)| EntityResult::new(entity, result)).collect();
        }
        Ok(_) => {}
        Err(error) => note_error(turn, error.into()),
    }
}

/// Notes the reason why the agent could not act or perceive, unless there is one already.
fn note_error(turn: &mut TurnTaken, error: Error) {
    turn.error.get_or_insert_with(|| Box::new((&error).into()));
}

/// Whether the agent cannot act.
fn is_refused(turn: &TurnTaken) -> bool {
    let no_entity_can = !turn.results.is_empty() && turn.results.iter().all(|result| result.error.is_some());
    turn.error.is_some() || no_entity_can
}

impl AtEnvironment for Step {
    fn handle(self, seat: &mut Seat, reply: Reply<Self>, now: Time) {
        if let Some(error) = seat.owner.refusal() {
            return reply.refuse(error.into());
        }
        let count = self.agents.len();
        if count > TURNS {
            let (what, remedy) = ("agents in one step", "make several requests");
            return reply.refuse(Error::Limit { what, limit: TURNS, remedy });
        }
        let (session, moment) = (reply.session().clone(), seat.owner.moment());
        let results = self.agents.iter().map(|turn| TurnTaken::new(turn.agent.clone())).collect();
        // The request itself counts as one, so that the step does not end before all agents were handled.
        let step = seat.steps.insert(UnderWay { reply, request: self, results, missing: count + 1 });
        for place in 0..count {
            let agent = seat.steps[step].request.agents[place].agent.clone();
            match seat.check_agent(&session, &agent) {
                Ok(()) => seat.take_turn(step, place, now),
                Err(error) => {
                    note_error(&mut seat.steps[step].results[place], error);
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

fn texts(names: &[Name]) -> Vec<EcoString> {
    names.iter().map(|name| name.0.clone()).collect()
}

impl Seat {
    /// Lets an agent act, or pass in lockstep. At another pace, an agent without an action only perceives.
    fn take_turn(&mut self, step: usize, place: usize, now: Time) {
        let turn = &mut self.steps[step].request.agents[place];
        let (agent, entities, number) = (turn.agent.0.clone(), texts(&turn.entities), turn.number);
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
            if !is_refused(&results[place]) {
                continue;
            }
            let (session, turn) = (reply.session().clone(), &request.agents[place]);
            let (agent, entities) = (turn.agent.0.clone(), texts(&turn.entities));
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
            note(&mut under_way.results[place], answered);
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
        let UnderWay { reply, request: Step { agents, form, since, perceive, .. }, results, .. } = step;
        let (moment, session) = (self.owner.moment(), reply.session().clone());
        let perceived = agents.iter().zip(results).map(|(Turn { agent, entities, known, .. }, mut result)| {
            if perceive {
                // An agent whose action failed still perceives, unless it belongs to another session by now.
                let perceived = self.check_agent(&session, agent);
                let perceived = perceived
                    .and_then(|()| self.perceive(session.number(), agent, entities, known, (form, since), now));
                match perceived {
                    Ok(perceptions) => result.perceptions = EntityPerception::all(perceptions),
                    Err(error) => note_error(&mut result, error),
                }
            }
            result
        });
        if reply.answer_step(moment, perceived).is_some() && since == Since::LastCall {
            for Turn { agent, entities, .. } in &agents {
                if self.check_agent(&session, agent).is_ok() {
                    self.owner.take_back(agent, &strs(entities));
                }
            }
        }
    }
}
