//! Actions. The pace decides when an action is done.

use std::mem;

use situated::iil::{Action, EcoString};
use situated::interface::{
    ActionResult, Checked, Effect, EnvironmentInterface, Error as Refused, Input, InputAction, Results, State, Time,
};
use situated::ontology::Pace;

use super::choices::{PendingId, Voided};
use super::hosting::{Held, Purpose};
use super::numbers::Stage;
use super::{Asker, Askers, Owner, REPEATED, WAITING, Waiting};
use crate::error::Error;
use crate::journal::Record;
use crate::reply::{Answered, Reply};

impl<T> Owner<T> {
    /// Performs an action of an agent through these entities; none means all of its entities. The pace decides when;
    /// the reply comes when it is done. The number is greater than those of the agent's earlier actions: a numbered
    /// action runs at most once, and a repeated request gets the same reply.
    pub fn act(
        &mut self,
        from: T,
        agent: EcoString,
        action: Action,
        entities: Vec<EcoString>,
        number: Option<u64>,
        now: Time,
    ) {
        self.take_action(Asker::Outside(from), agent, action, entities, number, now);
        self.conclude(now);
    }

    /// Passes in this step (lockstep); without entities, for all entities of the agent. The reply comes when the step
    /// is over.
    pub fn pass(&mut self, from: T, agent: EcoString, entities: Vec<EcoString>, now: Time) {
        self.take_pass(Asker::Outside(from), agent, entities);
        self.conclude(now);
    }

    /// Takes an action of an agent: it is done at once, in its turn, or with all others in the next step.
    pub(super) fn take_action(
        &mut self,
        asker: Asker<T>,
        agent: EcoString,
        action: Action,
        entities: Vec<EcoString>,
        number: Option<u64>,
        now: Time,
    ) {
        let Some(asker) = self.answer_again(asker, &agent, number) else { return };
        let waiting = Waiting::new(asker, agent, Some(action.into()), entities, number);
        match self.pace {
            Pace::Lockstep => self.choose(waiting),
            Pace::Reactive => self.queue_up(waiting, now),
            Pace::RealTime { .. } | Pace::Own => self.act_now(waiting, now),
        }
    }

    /// Accepts a pass of an agent. If no agent waits for it, it is done at once.
    pub(super) fn take_pass(&mut self, asker: Asker<T>, agent: EcoString, entities: Vec<EcoString>) {
        let mut waiting = Waiting::new(asker, agent, None, entities, None);
        if self.pace == Pace::Lockstep {
            self.choose(waiting);
        } else {
            let answered = self.check(&mut waiting).map(|_| Reply::Done);
            self.answer_all(waiting.askers, answered);
        }
    }

    /// Performs a chosen action and responds, unless other entities of the request have not acted yet.
    pub(super) fn do_choice(&mut self, pending: PendingId, entity: &EcoString, now: Time) {
        let Some(Waiting { agent, action, tried, .. }) = self.waiting.get_mut(&pending) else { return };
        *tried = true;
        let Some(action) = action.clone() else {
            self.act_by_default(entity, now);
            if self.environment.crash.is_some() {
                let error = self.environment.ended("passing");
                return self.refuse(pending, error);
            }
            return self.note_result(pending, None);
        };
        let input = Input::Act { agent: agent.clone(), action, entities: vec![entity.clone()] };
        match self.environment.apply(&input, now) {
            Ok(Effect::Results(results)) => self.note_result(pending, results.into_iter().next()),
            Ok(Effect::Acting { requests, .. }) => {
                if let Some(Waiting { agent, number, .. }) = self.waiting.get(&pending) {
                    let (agent, number) = (agent.clone(), *number);
                    self.note_begun(&agent, number);
                }
                requests.into_iter().for_each(|request| self.expect(request, Purpose::Act(pending)))
            }
            Ok(_) => {}
            Err(Error::Interface(error)) => self.note_result(pending, Some((entity.clone(), Err(error)))),
            Err(error) => self.refuse(pending, error),
        }
    }

    /// Performs the default action of an entity for which no agent has chosen.
    pub(super) fn act_by_default(&mut self, entity: &EcoString, now: Time) {
        // No agent waits for the result.
        let _ = self.environment.apply(&Input::ActByDefault { entity: entity.clone() }, now);
    }

    /// Performs the next action in the queue.
    pub(super) fn do_next_in_queue(&mut self, now: Time) {
        if let Some(waiting) = self.queue.pop_front().and_then(|pending| self.waiting.remove(&pending)) {
            self.act_now(waiting, now);
        }
    }

    /// Drops the choices for these entities, because the agent no longer controls them.
    pub(super) fn void(&mut self, voided: Vec<Voided>) {
        for Voided { entity, choice } in voided {
            let gone = Refused::Gone { entity: entity.to_string() };
            let own = self.environment.read(|interface| interface.own_entities(&choice.agent, &[&entity]));
            let error = own.map_or(gone.clone(), |own| own.err().unwrap_or(gone));
            self.note_result(choice.pending, Some((entity, Err(error))));
        }
    }

    /// Refuses all waiting actions.
    pub(super) fn refuse_all(&mut self, why: impl Fn(&EcoString) -> Error) {
        self.queue.clear();
        while let Some((&pending, waiting)) = self.waiting.first_key_value() {
            let error = why(&waiting.agent);
            self.refuse(pending, error);
        }
    }

    /// Forgets an agent that has left: its queued actions are dropped, and another agent of the same name starts
    /// again.
    pub(super) fn forget_agent(&mut self, agent: &EcoString) {
        let is_its_own = |pending: &PendingId| self.waiting.get(pending).is_some_and(|one| one.agent == *agent);
        let gone: Vec<PendingId> = self.queue.iter().copied().filter(is_its_own).collect();
        self.queue.retain(|pending| !gone.contains(pending));
        for pending in gone {
            self.refuse(pending, Refused::NotRegistered { agent: agent.to_string(), nearest: None }.into());
        }
        for pending in self.numbers.forget_agent(agent) {
            if let Some(waiting) = self.waiting.get_mut(&pending) {
                waiting.number = None;
            }
        }
    }

    /// Responds to a repeated action; otherwise returns the receiver.
    fn answer_again(&mut self, asker: Asker<T>, agent: &EcoString, number: Option<u64>) -> Option<Asker<T>> {
        let Some(number) = number else { return Some(asker) };
        let answered = match self.numbers.find(agent, number) {
            Ok(None) => return Some(asker),
            Ok(Some(Stage::Done(results))) => Ok(Reply::Results(results.clone())),
            Ok(Some(Stage::Pending(pending))) => match self.waiting.get_mut(pending) {
                Some(Waiting { askers, .. }) if askers.earlier.len() + 1 < REPEATED => {
                    askers.earlier.push(mem::replace(&mut askers.last, asker));
                    return None;
                }
                _ => Err(Error::Busy { what: "the action with this number was repeated too often", limit: REPEATED }),
            },
            Err(error) => Err(error),
        };
        self.answer(asker, answered);
        None
    }

    /// Notes an action, or a pass, for the next step.
    fn choose(&mut self, mut waiting: Waiting<T>) {
        match self.check(&mut waiting) {
            Err(error) => self.answer_all(waiting.askers, Err(error)),
            Ok(checked) => {
                if checked.iter().all(|one| one.verdict.is_err()) {
                    let results = checked.into_iter().map(|one| (one.entity, one.verdict.map(|()| Vec::new())));
                    return self.answer_all(waiting.askers, Ok(Reply::Results(results.collect())));
                }
                let (pending, moment) = (self.new_pending(), self.environment.moment());
                for Checked { id, entity, verdict } in checked {
                    match verdict {
                        // The agent cannot choose again before the step is over, so the action fails in the step.
                        Err(error) if self.choices.check(id, moment).is_err() => {
                            waiting.results.push((entity, Err(error)));
                        }
                        _ => {
                            self.choices.choose(id, &waiting.agent, pending);
                            waiting.open += 1;
                        }
                    }
                }
                self.note_waiting(pending, waiting);
            }
        }
    }

    /// Returns the entities through which an agent acts, if an action can be chosen for all of them, and can be written
    /// to the journal. Keeps the parsed action.
    fn check(&mut self, waiting: &mut Waiting<T>) -> Result<Vec<Checked>, Error> {
        self.refusal().map_or(Ok(()), Err)?;
        let names: Vec<&str> = waiting.entities.iter().map(EcoString::as_str).collect();
        let agent = &waiting.agent;
        let checked = match &mut waiting.action {
            Some(action) => {
                let check = |interface: &dyn EnvironmentInterface| interface.check_action(agent, &action.term, &names);
                let (read, checked) = self.environment.read(check)??;
                action.keep(read);
                checked
            }
            None => self.environment.read(|interface| check_pass(interface, agent, &names))??,
        };
        let moment = self.environment.moment();
        checked.iter().filter(|one| one.verdict.is_ok()).try_for_each(|one| self.choices.check(one.id, moment))?;
        Ok(checked)
    }

    /// Queues an action of a reactive environment until the speed allows a step.
    fn queue_up(&mut self, mut waiting: Waiting<T>, now: Time) {
        if self.queue.is_empty() && self.ticker.due() <= now.monotonic && !self.waits_for_host() {
            return self.act_now(waiting, now);
        }
        let error = match self.check(&mut waiting) {
            Ok(_) if self.queue.len() < WAITING => {
                let pending = self.new_pending();
                self.queue.push_back(pending);
                return self.note_waiting(pending, waiting);
            }
            Ok(_) => Error::Busy { what: "too many actions wait for their turn", limit: WAITING },
            Err(error) => error,
        };
        self.answer_all(waiting.askers, Err(error));
    }

    fn act_now(&mut self, waiting: Waiting<T>, now: Time) {
        let Waiting { askers, agent, action: Some(action), number, entities, .. } = waiting else { return };
        let input = Input::Act { agent: agent.clone(), action, entities };
        match self.environment.apply(&input, now) {
            Ok(Effect::Results(results)) => {
                if let Some(number) = number {
                    self.numbers.done(&agent, number, &results);
                    self.note_done(&agent, number, &results);
                }
                let accepted = results.iter().any(|(_, result)| result.is_ok());
                let steps = self.pace == Pace::Reactive && accepted;
                if steps {
                    self.tick(now);
                }
                self.answer_all(askers, Ok(Reply::Results(results)));
                if steps {
                    self.team.close_step();
                }
            }
            Ok(Effect::Acting { requests, refused }) => {
                let Input::Act { agent, action, .. } = input else { return };
                self.note_begun(&agent, number);
                let (open, action, entities) = (requests.len(), Some(action), Vec::new());
                let results = refused;
                self.expect_actions(
                    requests,
                    Waiting { askers, agent, action, number, entities, open, tried: true, results },
                );
            }
            Ok(effect) => self.answer_all(askers, Ok(Reply::of(effect))),
            Err(error) => {
                if let Some(number) = number {
                    self.numbers.forget(&agent, number);
                }
                self.answer_all(askers, Err(error));
            }
        }
    }

    /// Notes that the host performs an action.
    fn expect_actions(&mut self, requests: Vec<u64>, waiting: Waiting<T>) {
        let pending = self.new_pending();
        let purpose = if self.include_step(&requests) { Purpose::ActAndStep } else { Purpose::Act };
        requests.into_iter().for_each(|request| self.expect(request, purpose(pending)));
        self.note_waiting(pending, waiting);
    }

    /// Lets the host make the step after an action in the same request, if it can: a reactive environment makes one
    /// step after the actions of all entities.
    pub(super) fn include_step(&mut self, requests: &[u64]) -> bool {
        match requests {
            [request] if self.pace == Pace::Reactive => {
                self.environment.host_mut().is_some_and(|host| host.include_step(*request))
            }
            _ => false,
        }
    }

    fn new_pending(&mut self) -> PendingId {
        self.next_pending += 1;
        self.next_pending
    }

    fn note_waiting(&mut self, pending: PendingId, waiting: Waiting<T>) {
        if let Some(number) = waiting.number {
            self.numbers.begin(&waiting.agent, number, pending);
        }
        self.waiting.insert(pending, waiting);
    }

    /// Notes that one of the entities of a request has acted or passed, and responds when all have.
    pub(super) fn note_result(&mut self, pending: PendingId, result: Option<(EcoString, ActionResult)>) {
        if let Some((askers, answered)) = self.complete(pending, result) {
            self.answer_action(askers, answered);
        }
    }

    /// Notes that one of the entities of a request has acted or passed. Returns the response when all have.
    pub(super) fn complete(
        &mut self,
        pending: PendingId,
        result: Option<(EcoString, ActionResult)>,
    ) -> Option<Held<T>> {
        let waiting = self.waiting.get_mut(&pending)?;
        waiting.results.extend(result);
        waiting.open -= 1;
        if waiting.open > 0 {
            return None;
        }
        let waiting = self.waiting.remove(&pending)?;
        let Waiting { askers, agent, action, number, tried, results, .. } = waiting;
        match number {
            Some(number) if tried => {
                self.numbers.complete(&agent, number, &results);
                self.note_done(&agent, number, &results);
            }
            Some(number) => self.numbers.forget(&agent, number),
            None => {}
        }
        let reply = if action.is_some() { Reply::Results(results) } else { Reply::Done };
        Some((askers, Ok(reply)))
    }

    /// Refuses an action about which the host did not respond. It may still be done, and must not be done twice.
    pub(super) fn refuse_late(&mut self, pending: PendingId, error: Error) {
        let Some(waiting) = self.waiting.remove(&pending) else { return };
        if let Some(number) = waiting.number {
            self.numbers.spend(&waiting.agent, number);
            self.environment.note(&Record::Spent { agent: waiting.agent.clone(), number });
        }
        self.answer_all(waiting.askers, Err(error));
    }

    /// Refuses a request, or the rest of it.
    fn refuse(&mut self, pending: PendingId, error: Error) {
        let Some(waiting) = self.waiting.remove(&pending) else { return };
        if let Some(number) = waiting.number {
            self.numbers.forget(&waiting.agent, number);
        }
        self.answer_all(waiting.askers, Err(error));
    }

    pub(super) fn answer_all(&mut self, askers: Askers<T>, answered: Answered) {
        for asker in askers.earlier {
            self.answer(asker, answered.clone());
        }
        self.answer(askers.last, answered);
    }

    fn answer(&mut self, asker: Asker<T>, answered: Answered) {
        match asker {
            Asker::Outside(from) => self.reply(from, answered),
            Asker::Member(member) => {
                self.team.hear(member, answered);
                if self.pace == Pace::Reactive {
                    self.team.let_try_again(member);
                }
            }
        }
    }
}

impl<T> Waiting<T> {
    fn new(
        asker: Asker<T>,
        agent: EcoString,
        action: Option<InputAction>,
        entities: Vec<EcoString>,
        number: Option<u64>,
    ) -> Self {
        let askers = Askers { earlier: Vec::new(), last: asker };
        Self { askers, agent, action, number, entities, open: 0, tried: false, results: Results::new() }
    }
}

/// Returns the entities for which an agent passes.
fn check_pass(interface: &dyn EnvironmentInterface, agent: &str, names: &[&str]) -> Result<Vec<Checked>, Refused> {
    match interface.state() {
        State::Running => {}
        state => return Err(Refused::WrongState { what: "passing".into(), state }),
    }
    let entities = interface.own_entities(agent, names)?.into_iter();
    Ok(entities.map(|(id, entity)| Checked { id, entity, verdict: Ok(()) }).collect())
}
