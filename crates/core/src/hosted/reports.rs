//! Applies the reports of a host. Each is checked as a whole, and then applied completely or not at all.

use std::collections::BTreeMap;

use super::interface::{HostedInterface, abilities};
use super::mirror::Mirror;
use super::terms::MirroredParameters;
use super::update::{Checked, misfit};
use crate::environment::{Episode, Failure};
use crate::host::{HostAnswer, HostReport, HostTask, HostUpdate};
use crate::iil::{EcoString, Parameter, Percept};
use crate::interface::{Effect, Error, State, action_failed};
use crate::ontology::typed::InitParameters;
use crate::ontology::{Ontology, OntologyAddition};
use crate::size::Size;

/// The result of a task: the answer of the host, or the reason why it is refused.
type Completed = Result<HostAnswer, Error>;

impl HostedInterface {
    /// Applies a report. A late answer is applied, unless the host has been asked for another state of its
    /// environment meanwhile. Answers after a kill, also that to the kill itself, are ignored.
    pub(super) fn hear(&mut self, report: HostReport) -> Result<Effect, Error> {
        let (number, answer, update) = match report {
            HostReport::Update(update) => return self.follow_host(update).map(|()| Effect::Done),
            HostReport::Answer { .. } if self.interface.state() == State::Killed => return Ok(Effect::Nothing),
            HostReport::Answer { number, answer, update } => (number, answer, update),
        };
        if let Some(task) = self.requests.open(number).cloned() {
            let outcome = Box::new(outcome(&task, self.complete(&task, answer, update)?));
            self.requests.close(number);
            return Ok(Effect::Answered { number, task: Box::new(task), outcome });
        }
        let Some(task) = self.requests.late(number).cloned() else {
            return Err(self.wrong(format!("it answered request {number}, which is not open")));
        };
        if !(task.is_management() && self.requests.owes_management()) {
            self.complete_late(&task, answer, update)?;
        }
        self.requests.forget_late(number);
        Ok(Effect::Done)
    }

    fn follow_host(&mut self, mut update: HostUpdate) -> Result<(), Error> {
        if update.is_empty() {
            return Ok(());
        }
        let present = self.interface.state();
        let state = update.state.take().filter(|state| *state != present);
        if let Some(state) = state
            && (state == State::Initializing || !present.may_become(state))
        {
            return Err(self.wrong(format!("its state is {state}, which cannot follow {present}")));
        }
        let extended = self.extended(update.ontology.take())?;
        let ontology = extended.as_ref().unwrap_or(self.interface.ontology());
        let checked = match self.interface.episode() {
            Some(episode) => episode.environment().check(update, episode.context(), ontology),
            // The ontology can grow before there are any entities.
            None if update.is_empty() && state.is_none() => Ok(Checked::default()),
            None => Err("it reported changes without an episode".into()),
        };
        let checked = checked.and_then(|checked| self.check_room(&checked, extended.as_ref()).map(|()| checked));
        let checked = checked.map_err(|reason| self.wrong(reason))?;
        let (declared, episode) = self.interface.parts_mut();
        if let Some(episode) = episode {
            take_over(episode, checked, extended.as_ref().unwrap_or(declared));
        }
        self.declare(extended);
        self.interface.follow_environment();
        match state {
            Some(State::Killed) => self.interface.kill(),
            Some(state) => {
                self.interface.set_state(state);
                Ok(())
            }
            None => Ok(()),
        }
    }

    /// Applies the answer to a request.
    fn complete(&mut self, task: &HostTask, answer: HostAnswer, mut update: HostUpdate) -> Result<Completed, Error> {
        if let HostAnswer::Failed { reason, tried } = answer {
            let error = self.refused(task, Failure { reason, tried });
            return self.follow_host(update).map(|()| Err(error));
        }
        if matches!(task, HostTask::Step | HostTask::Act { step: true, .. }) {
            update.step.get_or_insert(self.interface.moment().step + 1);
        }
        match (task, &answer) {
            (HostTask::Init { parameters, seed } | HostTask::Reset { parameters, seed }, HostAnswer::Done) => {
                self.begin_episode(task, parameters, *seed, update)
            }
            (HostTask::Start | HostTask::Pause, HostAnswer::Done) => {
                let state = if *task == HostTask::Start { State::Running } else { State::Paused };
                update.state.get_or_insert(state);
                self.follow_host(update).map(|()| Ok(answer))
            }
            (HostTask::Act { entity, .. }, HostAnswer::Found(found)) => {
                // The report may declare the kind of a percept that an action returns.
                let extended = self.extended(update.ontology.clone())?;
                let verdict = self.check_found(extended.as_ref(), entity, found)?;
                self.follow_host(update).map(|()| verdict.map(|()| answer))
            }
            (HostTask::RequestEntity { agent, entity_type, .. }, HostAnswer::Entity(name)) => {
                self.follow_host(update)?;
                Ok(self.receive(agent, entity_type, name).map(|()| answer))
            }
            (HostTask::Init { .. } | HostTask::Reset { .. } | HostTask::RequestEntity { .. }, _)
            | (_, HostAnswer::Found(_) | HostAnswer::Entity(_)) => {
                Err(self.wrong(format!("the answer does not match the task to {}", task.what())))
            }
            (_, _) => self.follow_host(update).map(|()| Ok(answer)),
        }
    }

    /// Applies the answer to a request that timed out. Its changes count, but no agent receives an entity.
    fn complete_late(&mut self, task: &HostTask, answer: HostAnswer, update: HostUpdate) -> Result<(), Error> {
        let (HostTask::RequestEntity { .. }, HostAnswer::Entity(name)) = (task, &answer) else {
            return self.complete(task, answer, update).map(drop);
        };
        self.follow_host(update)?;
        self.interface.leave_alone(name);
        Ok(())
    }

    /// Begins the episode that the host has begun.
    fn begin_episode(
        &mut self,
        task: &HostTask,
        parameters: &BTreeMap<String, Parameter>,
        seed: u64,
        mut update: HostUpdate,
    ) -> Result<Completed, Error> {
        let state = update.state.take().unwrap_or(State::Paused);
        if !matches!(state, State::Paused | State::Running) {
            return Err(self.wrong(format!("an episode begins paused or running, not {state}")));
        }
        let is_first = matches!(task, HostTask::Init { .. });
        if let Err(error) = if is_first { self.interface.check_init() } else { self.interface.check_reset() } {
            return Ok(Err(error));
        }
        let extended = self.extended(update.ontology.take())?;
        let ontology = extended.as_ref().unwrap_or(self.interface.ontology());
        let parameters = MirroredParameters::read(parameters, ontology)?;
        let mut episode = Episode::<Mirror>::init_in(ontology, &parameters, seed).map_err(Error::Init)?;
        let (mirror, context) = episode.parts_mut();
        mirror.counter = self.counter.clone();
        let checked = mirror.check(update, context, ontology).map_err(|reason| self.wrong(reason))?;
        self.check_room_for_episode(&checked, extended.as_ref()).map_err(|reason| self.wrong(reason))?;
        take_over(&mut episode, checked, ontology);
        self.declare(extended);
        if self.interface.episode().is_some() {
            self.interface.announce_outcome();
            self.interface.set_state(State::Initializing);
        }
        self.interface.begin(parameters, episode);
        if state == State::Running {
            self.interface.set_state(state);
        }
        Ok(Ok(HostAnswer::Done))
    }

    /// Returns the ontology with the host's addition, if there is one.
    fn extended(&self, addition: Option<OntologyAddition>) -> Result<Option<Ontology>, Error> {
        let extended = addition.map(|addition| self.interface.ontology().extended(addition)).transpose();
        extended.map_err(|unsound| self.wrong(unsound.to_string()))
    }

    fn declare(&mut self, extended: Option<Ontology>) {
        if let Some(ontology) = extended {
            let abilities = abilities(&ontology);
            self.ontology_bytes = ontology.heap_bytes();
            self.interface.books.declare(ontology, abilities);
        }
    }

    /// Checks that an entity can perceive the percepts that its action returned.
    fn check_found(
        &self,
        extended: Option<&Ontology>,
        entity: &EcoString,
        found: &[Percept],
    ) -> Result<Result<(), Error>, Error> {
        let Ok(entity_type) = self.interface.find_entity(entity).and_then(|id| self.interface.entity_type(id)) else {
            return Ok(Err(Error::Gone { entity: entity.to_string() }));
        };
        let ontology = extended.unwrap_or(self.interface.ontology());
        let Some(of) = ontology.find_entity_type(entity_type) else { return Ok(Ok(())) };
        for percept in found {
            let fits = ontology.check_percept(of, percept);
            fits.map_err(|mismatch| self.wrong(misfit(entity, of, percept, &mismatch)))?;
        }
        Ok(Ok(()))
    }

    /// Gives an agent the entity that the host provided.
    fn receive(&mut self, agent: &str, entity_type: &str, name: &EcoString) -> Result<(), Error> {
        let (agent, given) = match (self.interface.find_agent(agent), self.interface.find_entity(name)) {
            (Ok(agent), Ok(entity)) => (agent, Ok(entity)),
            (Ok(agent), Err(error)) => (agent, Err(Failure::new(error.to_string()))),
            (Err(error), _) => {
                self.interface.leave_alone(name);
                return Err(error);
            }
        };
        self.interface.receive(agent, entity_type, given).map(drop)
    }

    /// Returns the error for a task that the host refused.
    fn refused(&self, task: &HostTask, failure: Failure) -> Error {
        match task {
            HostTask::Init { .. } | HostTask::Reset { .. } => Error::Init(failure),
            // The request was too late.
            HostTask::Act { entity, .. } if self.interface.find_entity(entity).is_err() => {
                Error::Gone { entity: entity.to_string() }
            }
            HostTask::Act { entity, action, .. } => action_failed(entity.clone(), action, failure),
            HostTask::RequestEntity { agent, entity_type, .. } => {
                let (agent, entity_type) = (agent.to_string(), entity_type.to_string());
                Error::NotGiven { agent, entity_type, reason: failure.reason }
            }
            task => {
                let environment = self.interface.ontology().name.clone();
                Error::Refused { environment, what: task.what().into(), reason: failure.reason }
            }
        }
    }

    pub(super) fn wrong(&self, reason: String) -> Error {
        Error::Host { environment: self.interface.ontology().name.clone(), reason }
    }
}

fn take_over(episode: &mut Episode<Mirror>, checked: Checked, ontology: &Ontology) {
    let (mirror, context) = episode.parts_mut();
    context.declare(ontology);
    mirror.take_over(checked, context);
}

/// Returns the effect of the input that needed this task.
fn outcome(task: &HostTask, completed: Completed) -> Result<Effect, Error> {
    if let HostTask::Act { entity, .. } = task {
        let found = |answer| if let HostAnswer::Found(found) = answer { found } else { Vec::new() };
        return Ok(Effect::Results([(entity.clone(), completed.map(found))].into()));
    }
    completed.map(|answer| match answer {
        HostAnswer::Entity(name) => Effect::Entity(name),
        _ => Effect::Done,
    })
}
