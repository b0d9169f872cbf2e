//! Many agents act in one call; when all their actions are done, all perceive, and the call is answered.

use situated::ontology::Pace;
use situated_runtime::{Request, Time};
use situated_wire::methods::{Step, Stepped, Turn, TurnTaken};
use situated_wire::{Code, EntityPerception, Error};

use super::calls::names;
use super::seat::Seat;
use super::steps::UnderWay;
use super::ticket::{Ticket, To};
use crate::caller::Caller;
use crate::refusal::refusal;

/// How many agents may step in one call.
const TURNS: usize = 1024;

impl Seat {
    /// Many agents act, and perceive when that is done.
    pub(super) fn step(&mut self, caller: Caller, step: Step, now: Time) {
        let Step { environment: _, agents, form, since, perceive } = step;
        if agents.len() > TURNS {
            let message = format!("{TURNS} agents can step in one call, not {}; make several calls", agents.len());
            return caller.refuse(&Error::new(Code::Limit, message));
        }
        let number = self.steps.next();
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
            let allowed = self.check_agent(under_way.caller.session(), &turn.agent);
            let (agent, entities) = (turn.agent.clone(), turn.entities.clone());
            if allowed.is_ok()
                && let Some(request) = self.turn(turn)
            {
                self.owner.submit(Ticket(To::Turn { step: number, place }), request, now);
                under_way.missing += 1;
            }
            let error = allowed.err().map(Box::new);
            under_way.turns.push(TurnTaken { agent, results: Vec::new(), error, perceptions: Vec::new() });
            under_way.entities.push(entities);
        }
        if let Some(done) = self.steps.begin(number, under_way) {
            self.end_step(done, now);
        }
    }

    /// What one of those who step does; nothing, if it only perceives and nobody waits for it.
    fn turn(&self, turn: Turn) -> Option<Request> {
        let Turn { agent, action, entities, number } = turn;
        let (agent, entities) = (agent.0, names(entities));
        match action {
            Some(action) => Some(Request::Act { agent, action, entities, number }),
            None if self.owner.pace() == Pace::Lockstep => Some(Request::Pass { agent, entities }),
            None => None,
        }
    }

    /// All have acted: they perceive, and the call is answered.
    pub(super) fn end_step(&mut self, step: UnderWay, now: Time) {
        let UnderWay { caller, form, since, perceive, mut turns, entities, .. } = step;
        if perceive {
            for (turn, entities) in turns.iter_mut().zip(entities) {
                // Who could not act at all is told so; whose action has failed perceives all the same.
                if turn.error.as_ref().is_some_and(|error| error.code() == Some(Code::Forbidden)) {
                    continue;
                }
                let entities: Vec<&str> = entities.iter().map(|name| name.as_str()).collect();
                match self.owner.perceive(&turn.agent, &entities, form, since, now) {
                    Ok(perceived) => {
                        let perceptions = perceived.into_iter().map(|(entity, one)| EntityPerception::new(entity, one));
                        turn.perceptions = perceptions.collect();
                    }
                    Err(error) => {
                        turn.error.get_or_insert_with(|| Box::new(refusal(&error)));
                    }
                }
            }
        }
        caller.answer(&Stepped { moment: self.owner.moment(), agents: turns });
    }
}
