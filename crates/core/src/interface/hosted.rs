//! The interface to a world that is run elsewhere. What changes such a world has two parts: here it is found out what its
//! host is to be called for, or why that is refused; and what the host then says is taken over, whole or not at all.

use std::collections::BTreeMap;

use super::acting::action_failed;
use super::error::{ACTING, STEPPING};
use super::{Command, EnvironmentInterface, Error, Interface, State};
use crate::environment::{Episode, Failure, News};
use crate::iil::{Action, EcoString, Parameter, Percept};
use crate::mirror::{Call, HostAnswer, HostUpdate, Mirror, MirroredParameters};
use crate::ontology::typed::InitParameters;
use crate::ontology::{Ontology, Signature, Unsound};
use crate::random::next_seed;

/// What has come of a call, for whoever had asked for it: what the host has answered, or why it is refused.
pub type Completed = Result<HostAnswer, Error>;

/// What the host is to be called for so that entities act: for each of them the call, or why it cannot do this.
pub type ActingCalls = Vec<(EcoString, Result<Call, Error>)>;

impl Interface<Mirror> {
    /// An interface to a world that is run elsewhere and declares this. It is not yet initialized.
    ///
    /// # Errors
    /// When the ontology is none that an environment can have.
    pub fn hosted(ontology: Ontology) -> Result<Self, Unsound> {
        ontology.check()?;
        let all: Vec<&Signature> = ontology.all_actions().collect();
        let is_same = |one: &Signature, other: &Signature| {
            one.name == other.name && one.parameters.len() == other.parameters.len()
        };
        let can = |own: &[Signature]| all.iter().map(|one| own.iter().any(|other| is_same(one, other))).collect();
        let abilities = ontology.entity_types.iter().map(|of| can(&of.actions)).collect();
        Ok(Self::with(ontology, abilities))
    }

    /// What the host is to be called for so that this command is done. A kill needs no host: it is only told.
    ///
    /// # Errors
    /// When the state does not allow it, or parameters are wrong.
    pub fn call_for_command(&self, command: &Command) -> Result<Call, Error> {
        match command {
            Command::Init { parameters, seed } => {
                self.check_init()?;
                Ok(Call::Init { parameters: self.ontology.complete_parameters(parameters)?, seed: *seed })
            }
            Command::Start => self.check_change(State::Running, "start").map(|()| Call::Start),
            Command::Pause => self.check_change(State::Paused, "pause").map(|()| Call::Pause),
            Command::Reset { parameters, seed } => self.call_for_reset(parameters.as_ref(), *seed),
            Command::Kill => self.check_change(State::Killed, "kill").map(|()| Call::Kill),
        }
    }

    /// What the host is to be called for so that time moves on by one step.
    ///
    /// # Errors
    /// When the environment is not running.
    pub fn call_for_step(&self) -> Result<Call, Error> {
        self.check_running(STEPPING).map(|()| Call::Step)
    }

    /// What the host is to be called for so that an agent acts through its entities.
    ///
    /// # Errors
    /// As [`EnvironmentInterface::perform_action`].
    pub fn calls_for_action(&self, agent: &str, action: &Action, entities: &[&str]) -> Result<ActingCalls, Error> {
        let checked = self.check_action(agent, action, entities)?.into_iter();
        let call =
            |entity: &EcoString| Call::Act { agent: agent.into(), entity: entity.clone(), action: action.clone() };
        Ok(checked.map(|one| (one.entity.clone(), one.verdict.map(|()| call(&one.entity)))).collect())
    }

    /// What the host is to be called for so that an entity does what it does by default.
    ///
    /// # Errors
    /// When the environment is not running, or there is no such entity.
    pub fn call_for_default(&self, entity: &str) -> Result<Call, Error> {
        self.check_running(ACTING)?;
        self.find_entity(entity)?;
        Ok(Call::ActByDefault { entity: entity.into() })
    }

    /// What the host is to be called for so that an agent is given a body.
    ///
    /// # Errors
    /// As [`EnvironmentInterface::request_entity`], but for what the world says.
    pub fn call_for_body(&self, agent: &str, entity_type: &str, name: Option<&str>) -> Result<Call, Error> {
        self.check_request(self.find_agent(agent)?, entity_type, name)?;
        let (agent, entity_type, name) = (agent.into(), entity_type.into(), name.map(EcoString::from));
        Ok(Call::RequestEntity { agent, entity_type, name })
    }

    /// What the host is to be called for because its world has heard something, since this was last asked.
    pub fn take_calls(&mut self) -> Vec<Call> {
        self.episode.as_mut().map(|episode| episode.parts_mut().0.take_calls()).unwrap_or_default()
    }

    /// The host says that something has changed.
    ///
    /// # Errors
    /// When that cannot be; nothing has changed then.
    pub fn follow_host(&mut self, update: HostUpdate) -> Result<(), Error> {
        if update.is_empty() {
            return Ok(());
        }
        let state = update.state.filter(|state| *state != self.state);
        if let Some(state) = state
            && (state == State::Initializing || !self.state.may_become(state))
        {
            return Err(self.wrong(format!("it is {state}, which cannot follow upon {}", self.state)));
        }
        let Some(episode) = &mut self.episode else {
            return Err(self.wrong("there is no episode of which it tells".into()));
        };
        let (mirror, context) = episode.parts_mut();
        match mirror.check(update, context, &self.ontology) {
            Ok(checked) => mirror.take_over(checked, context),
            Err(reason) => return Err(self.wrong(reason)),
        }
        self.follow_world();
        match state {
            Some(State::Killed) => self.kill(),
            Some(state) => {
                self.set_state(state);
                Ok(())
            }
            None => Ok(()),
        }
    }

    /// The host has answered a call. Returns what has come of it for whoever had asked.
    ///
    /// # Errors
    /// When this is no answer to this call, or what has changed cannot have; nothing has changed then.
    pub fn complete(&mut self, call: &Call, answer: HostAnswer, mut update: HostUpdate) -> Result<Completed, Error> {
        if let HostAnswer::Failed { reason, tried } = answer {
            let error = self.refused(call, Failure { reason, tried });
            return self.follow_host(update).map(|()| Err(error));
        }
        match (call, &answer) {
            (Call::Init { parameters, seed } | Call::Reset { parameters, seed }, HostAnswer::Done) => {
                self.begin_hosted(call, parameters, *seed, update)
            }
            (Call::Start | Call::Pause, HostAnswer::Done) => {
                let state = if *call == Call::Start { State::Running } else { State::Paused };
                update.state.get_or_insert(state);
                self.follow_host(update).map(|()| Ok(answer))
            }
            (Call::Step, HostAnswer::Done) => {
                let step = self.moment().step + 1;
                update.step.get_or_insert(step);
                self.follow_host(update).map(|()| Ok(answer))
            }
            (Call::Act { entity, .. }, HostAnswer::Found(found)) => {
                let verdict = self.check_found(entity, found)?;
                self.follow_host(update).map(|()| verdict.map(|()| answer))
            }
            (Call::RequestEntity { agent, entity_type, .. }, HostAnswer::Entity(name)) => {
                self.follow_host(update)?;
                Ok(self.receive_hosted(agent, entity_type, name).map(|()| answer))
            }
            (Call::Init { .. } | Call::Reset { .. } | Call::RequestEntity { .. }, _)
            | (_, HostAnswer::Found(_) | HostAnswer::Entity(_)) => {
                Err(self.wrong(format!("to {} is not answered so", call.what())))
            }
            (_, _) => self.follow_host(update).map(|()| Ok(answer)),
        }
    }

    /// The host has answered a call which nobody waits for any more. What has changed counts all the same, but nobody is
    /// given a body.
    ///
    /// # Errors
    /// As [`complete`](Self::complete).
    pub fn complete_late(&mut self, call: &Call, answer: HostAnswer, update: HostUpdate) -> Result<(), Error> {
        let (Call::RequestEntity { .. }, HostAnswer::Entity(name)) = (call, &answer) else {
            return self.complete(call, answer, update).map(drop);
        };
        self.follow_host(update)?;
        self.leave_alone(name);
        Ok(())
    }
}

/// The parts of the above.
impl Interface<Mirror> {
    fn call_for_reset(&self, given: Option<&BTreeMap<String, Parameter>>, seed: Option<u64>) -> Result<Call, Error> {
        self.check_reset()?;
        let (Some(episode), Some(last)) = (&self.episode, &self.parameters) else {
            return Err(self.wrong_state("reset"));
        };
        let parameters = match given {
            Some(given) => self.ontology.complete_parameters(given)?,
            None => last.to_iil(),
        };
        Ok(Call::Reset { parameters, seed: seed.unwrap_or_else(|| next_seed(episode.context().seed())) })
    }

    fn check_change(&self, next: State, what: &'static str) -> Result<(), Error> {
        // Only an episode that begins leads from initializing to paused.
        let is_possible = self.state.may_become(next) && (next == State::Killed || self.episode.is_some());
        if is_possible { Ok(()) } else { Err(self.wrong_state(what)) }
    }

    /// Begins the episode that the host has begun.
    fn begin_hosted(
        &mut self,
        call: &Call,
        parameters: &BTreeMap<String, Parameter>,
        seed: u64,
        update: HostUpdate,
    ) -> Result<Completed, Error> {
        let state = update.state.unwrap_or(State::Paused);
        if !matches!(state, State::Paused | State::Running) {
            return Err(self.wrong(format!("an episode begins paused or running, not {state}")));
        }
        let possible = if matches!(call, Call::Init { .. }) { self.check_init() } else { self.check_reset() };
        if let Err(error) = possible {
            return Ok(Err(error));
        }
        let parameters = MirroredParameters::read(parameters, &self.ontology)?;
        let episode = self.first_moment(&parameters, seed, update)?;
        if self.episode.is_some() {
            self.announce_outcome();
            self.set_state(State::Initializing);
        }
        self.begin(parameters, episode);
        if state == State::Running {
            self.set_state(state);
        }
        Ok(Ok(HostAnswer::Done))
    }

    /// The episode as the host tells of it at its beginning.
    fn first_moment(
        &self,
        parameters: &MirroredParameters,
        seed: u64,
        update: HostUpdate,
    ) -> Result<Episode<Mirror>, Error> {
        let mut episode = Episode::<Mirror>::init_in(&self.ontology, parameters, seed).map_err(Error::Init)?;
        let (mirror, context) = episode.parts_mut();
        let checked = mirror.check(update, context, &self.ontology).map_err(|reason| self.wrong(reason))?;
        mirror.take_over(checked, context);
        Ok(episode)
    }

    /// Whether what an action has found out can be perceived by its entity.
    fn check_found(&self, entity: &EcoString, found: &[Percept]) -> Result<Result<(), Error>, Error> {
        let Ok(entity_type) = self.find_entity(entity).and_then(|id| self.entity_type(id)) else {
            return Ok(Err(Error::Gone { entity: entity.to_string() }));
        };
        let Some(of) = self.ontology.find_entity_type(entity_type) else { return Ok(Ok(())) };
        for percept in found {
            let fits = self.ontology.check_percept(of, percept);
            fits.map_err(|mismatch| self.wrong(format!("entity `{entity}` of type `{}`: {mismatch}", of.name)))?;
        }
        Ok(Ok(()))
    }

    /// An agent receives the body that the host has given.
    fn receive_hosted(&mut self, agent: &str, entity_type: &str, name: &EcoString) -> Result<(), Error> {
        let (agent, given) = match (self.find_agent(agent), self.find_entity(name)) {
            (Ok(agent), Ok(entity)) => (agent, Ok(entity)),
            (Ok(agent), Err(error)) => (agent, Err(Failure::new(error.to_string()))),
            (Err(error), _) => {
                self.leave_alone(name);
                return Err(error);
            }
        };
        self.receive(agent, entity_type, given).map(drop)
    }

    /// Nobody takes the body that the host has given.
    fn leave_alone(&mut self, name: &str) {
        if let Ok(entity) = self.find_entity(name)
            && self.free.contains(&entity)
        {
            self.tell_world(News::Left(entity));
        }
    }

    /// Why whoever had asked for it does not get it.
    fn refused(&self, call: &Call, failure: Failure) -> Error {
        match call {
            Call::Init { .. } | Call::Reset { .. } => Error::Init(failure),
            // What it was called for came too late.
            Call::Act { entity, .. } if self.find_entity(entity).is_err() => Error::Gone { entity: entity.to_string() },
            Call::Act { entity, action, .. } => action_failed(entity.clone(), action, failure),
            Call::RequestEntity { agent, entity_type, .. } => {
                Error::NoBody { agent: agent.to_string(), entity_type: entity_type.to_string(), reason: failure.reason }
            }
            call => {
                Error::Refused { environment: self.ontology.name.clone(), what: call.what(), reason: failure.reason }
            }
        }
    }

    fn wrong(&self, reason: String) -> Error {
        Error::Host { environment: self.ontology.name.clone(), reason }
    }
}
