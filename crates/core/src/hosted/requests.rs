//! The tasks for a host that follow from inputs, or the reasons why inputs are refused.

use std::collections::BTreeMap;

use super::interface::{HostedInterface, TasksByEntity};
use super::terms::MirroredAction;
use crate::host::HostTask;
use crate::iil::{EcoString, Parameter};
use crate::interface::{ACTING, Command, Error, InputAction, STEPPING, State};
use crate::ontology::typed::{InitParameters, TypedAction};
use crate::random::next_seed;

impl HostedInterface {
    /// Returns the task for a command. Killing does not need the host, which is only informed.
    pub(super) fn task_of(&self, command: &Command) -> Result<HostTask, Error> {
        match command {
            Command::Init { parameters, seed } => {
                self.interface.check_init()?;
                let parameters = self.interface.ontology().complete_parameters(parameters)?;
                Ok(HostTask::Init { parameters, seed: *seed })
            }
            Command::Start => self.check_change(State::Running, "start").map(|()| HostTask::Start),
            Command::Pause => self.check_change(State::Paused, "pause").map(|()| HostTask::Pause),
            Command::Reset { parameters, seed } => self.task_of_reset(parameters.as_ref(), *seed),
            Command::Kill => self.check_change(State::Killed, "kill").map(|()| HostTask::Kill),
        }
    }

    pub(super) fn task_of_step(&self) -> Result<HostTask, Error> {
        self.interface.check_running(STEPPING).map(|()| HostTask::Step)
    }

    /// Returns the task for each entity through which an agent acts, or the reason why the entity cannot do this.
    pub(super) fn tasks_of_action(
        &self,
        agent: &EcoString,
        action: &InputAction,
        entities: &[EcoString],
    ) -> Result<TasksByEntity, Error> {
        let targets = self.interface.check_acting(agent, entities)?;
        let variant = match action.read_as::<MirroredAction>(self.interface.ontology().revision) {
            Some(read) => read.variant(),
            None => self.interface.read_action(agent, &action.term)?.variant(),
        };
        let checked = self.interface.check_action(&targets, variant, &action.term);
        let task = |entity: &EcoString| HostTask::Act {
            agent: agent.clone(),
            entity: entity.clone(),
            action: action.term.clone(),
            step: false,
        };
        Ok(checked.into_iter().map(|one| (one.entity.clone(), one.verdict.map(|()| task(&one.entity)))).collect())
    }

    pub(super) fn task_of_default(&self, entity: &EcoString) -> Result<HostTask, Error> {
        self.interface.check_running(ACTING)?;
        self.interface.find_entity(entity)?;
        Ok(HostTask::ActByDefault { entity: entity.clone() })
    }

    pub(super) fn task_of_entity(
        &self,
        agent: &EcoString,
        entity_type: &EcoString,
        name: Option<&str>,
    ) -> Result<HostTask, Error> {
        self.interface.check_request(self.interface.find_agent(agent)?, entity_type, name)?;
        let (agent, entity_type, name) = (agent.clone(), entity_type.clone(), name.map(EcoString::from));
        Ok(HostTask::RequestEntity { agent, entity_type, name })
    }

    fn task_of_reset(
        &self,
        given: Option<&BTreeMap<String, Option<Parameter>>>,
        seed: Option<u64>,
    ) -> Result<HostTask, Error> {
        self.interface.check_reset()?;
        let (Some(episode), Some(last)) = (self.interface.episode(), self.interface.parameters()) else {
            return Err(self.interface.wrong_state("reset"));
        };
        let parameters = match given {
            Some(given) => {
                let ontology = self.interface.ontology();
                ontology.complete_parameters(&ontology.with_values(given)?)?
            }
            None => last.to_iil(),
        };
        Ok(HostTask::Reset { parameters, seed: seed.unwrap_or_else(|| next_seed(episode.context().seed())) })
    }

    fn check_change(&self, next: State, what: &'static str) -> Result<(), Error> {
        // Only the beginning of an episode leads from initializing to paused.
        let has_episode = next == State::Killed || self.interface.episode().is_some();
        let is_possible = self.interface.state().may_become(next) && has_episode;
        if is_possible { Ok(()) } else { Err(self.interface.wrong_state(what)) }
    }
}
