//! Lookups and inputs by name, for an environment of any kind. The names of the methods are those of the Environment
//! Interface Standard.

use std::collections::BTreeMap;

use super::input::{Effect, Input, ReadAction, Time};
use super::{AgentId, Checked, Command, Drained, EntityId, EnvironmentInterface, Error, Moment, Observer, State};
use crate::environment::{Ending, Outcome};
use crate::iil::{Action, EcoString, Parameter};
use crate::ontology::Ontology;

/// Lookups. They return an error for an unregistered agent or an unknown entity.
impl dyn EnvironmentInterface + '_ {
    /// Returns the ontology of the environment.
    pub fn ontology(&self) -> &Ontology {
        self.bookkeeping().ontology()
    }

    /// Returns the state of the environment.
    pub fn state(&self) -> State {
        self.bookkeeping().state()
    }

    /// Returns the present moment of the environment.
    pub fn moment(&self) -> Moment {
        self.bookkeeping().moment()
    }

    /// Returns the registered agents, in order of registration.
    pub fn agents(&self) -> Vec<EcoString> {
        self.bookkeeping().agents().map(|(_, name)| name.clone()).collect()
    }

    /// Returns the entities, in order of creation.
    pub fn entities(&self) -> Vec<EcoString> {
        self.entity_names(self.bookkeeping().entities())
    }

    /// Returns the entities without an agent, in order of creation.
    pub fn free_entities(&self) -> Vec<EcoString> {
        self.entity_names(self.bookkeeping().free_entities())
    }

    /// Returns the number of an entity. Numbers follow the order of creation.
    pub fn entity_id(&self, entity: &str) -> Result<EntityId, Error> {
        self.bookkeeping().find_entity(entity)
    }

    /// Returns the name of an entity's type.
    pub fn entity_type(&self, entity: &str) -> Result<&str, Error> {
        let books = self.bookkeeping();
        books.entity_type(books.find_entity(entity)?)
    }

    /// Returns the entities that an agent is associated with, in order of creation.
    pub fn associated_entities(&self, agent: &str) -> Result<Vec<EcoString>, Error> {
        let books = self.bookkeeping();
        Ok(self.entity_names(books.entities_of(books.find_agent(agent)?)?))
    }

    /// Returns the agents that an entity is associated with, in order of registration.
    pub fn associated_agents(&self, entity: &str) -> Result<Vec<EcoString>, Error> {
        let books = self.bookkeeping();
        let agents = books.agents_of(books.find_entity(entity)?)?;
        Ok(agents.map(|agent: AgentId| books.agent_name(agent)).collect())
    }

    /// Returns the entities that a call of an agent concerns: each once, and all of its entities if none is named.
    ///
    /// # Errors
    /// Returns an error if the agent is not registered or has no entities, or does not control a named entity.
    pub fn own_entities(&self, agent: &str, entities: &[&str]) -> Result<Vec<(EntityId, EcoString)>, Error> {
        let books = self.bookkeeping();
        let targets = books.targets(books.find_agent(agent)?, entities)?;
        Ok(targets.iter().map(|id| (*id, books.entity_name(*id))).collect())
    }

    /// Checks an action before it is performed: for each entity, in the order of `perform_action`, whether entities
    /// of its type can do it at all. Also returns the action as it was read.
    ///
    /// # Errors
    /// Returns an error as `perform_action` does.
    pub fn check_action(
        &self,
        agent: &str,
        action: &Action,
        entities: &[&str],
    ) -> Result<(ReadAction, Vec<Checked>), Error> {
        let books = self.bookkeeping();
        let targets = books.check_acting(agent, entities)?;
        let read =
            self.read(action).map_err(|mismatch| Error::NotSupportedByEnvironment { agent: agent.into(), mismatch })?;
        let checked = books.check_action(&targets, read.variant, action);
        Ok((read, checked))
    }

    /// Returns the happenings that an observer has not received yet.
    pub fn drain(&self, observer: &mut Observer) -> Drained {
        self.bookkeeping().drain(observer, || self.outcome())
    }

    /// Returns the parameters of the episode with their values; `None` if there is no episode.
    pub fn parameters(&self) -> Option<BTreeMap<String, Parameter>> {
        self.episode().map(|episode| episode.parameters())
    }

    /// Returns a command in full: a reset with some parameters also gets the others of the episode, and the defaults of
    /// those without a value. An owner completes commands before it records and applies them.
    pub fn completed(&self, command: Command) -> Command {
        match (command, self.parameters()) {
            (Command::Reset { parameters: Some(given), seed }, Some(kept)) => {
                let declared = |name: &str| self.ontology().parameters.iter().find(|field| field.name == name);
                let default = |name: &str| declared(name).and_then(|field| field.default.clone());
                let kept = kept.into_iter().map(|(name, value)| (name, Some(value)));
                let given = given.into_iter().map(|(name, value)| {
                    let value = value.or_else(|| default(&name));
                    (name, value)
                });
                Command::Reset { parameters: Some(kept.chain(given).collect()), seed }
            }
            (command, _) => command,
        }
    }

    /// Returns how the episode ended, or `None` if it continues.
    pub fn ending(&self) -> Option<Ending> {
        self.episode()?.ending()
    }

    /// Returns the outcome of the episode; `None` before init and after kill.
    pub fn outcome(&self) -> Option<Outcome> {
        self.episode().map(|episode| episode.outcome())
    }

    /// Returns the hash of the state, if there is an episode.
    pub fn hash(&self) -> Option<u64> {
        self.episode().map(|episode| episode.hash())
    }

    /// Returns the value of a property of the environment; `None` if it has none at this time.
    ///
    /// # Errors
    /// Returns an error that lists the properties if there is no such property.
    pub fn query_property(&self, property: &str) -> Result<Option<Parameter>, Error> {
        self.query(None, property)
    }

    /// Returns the value of a property of an entity; `None` if it has none at this time.
    ///
    /// # Errors
    /// Returns an error as [`query`](EnvironmentInterface::query) does.
    pub fn query_entity_property(&self, entity: &str, property: &str) -> Result<Option<Parameter>, Error> {
        self.query(Some(entity), property)
    }

    fn entity_names(&self, entities: impl Iterator<Item = EntityId>) -> Vec<EcoString> {
        entities.map(|entity| self.bookkeeping().entity_name(entity)).collect()
    }
}

/// Inputs. Their time is that of the last input; an owner passes the time with
/// [`apply`](EnvironmentInterface::apply). The methods of [`Interface`](super::Interface) with the same purpose
/// document their errors.
impl dyn EnvironmentInterface + '_ {
    /// Inits, starts, pauses, resets or kills the environment, with exactly these parameters: a reset gives those that
    /// are missing their defaults, unless the command is `completed`.
    pub fn manage(&mut self, command: Command) -> Result<(), Error> {
        self.give(Input::Manage(command)).map(drop)
    }

    /// Advances time by one step.
    pub fn step(&mut self) -> Result<(), Error> {
        self.give(Input::Step).map(drop)
    }

    /// Registers an agent.
    pub fn register_agent(&mut self, agent: &str) -> Result<(), Error> {
        self.give(Input::Register { agent: agent.into() }).map(drop)
    }

    /// Unregisters an agent and frees its entities.
    pub fn unregister_agent(&mut self, agent: &str) -> Result<(), Error> {
        self.give(Input::Unregister { agent: agent.into() }).map(drop)
    }

    /// Associates an agent with an entity. Does nothing if it already is.
    pub fn associate_entity(&mut self, agent: &str, entity: &str) -> Result<(), Error> {
        self.give(Input::Associate { agent: agent.into(), entity: entity.into() }).map(drop)
    }

    /// Frees an entity from all its agents.
    pub fn free_entity(&mut self, entity: &str) -> Result<(), Error> {
        self.give(Input::FreeEntity { entity: entity.into() }).map(drop)
    }

    /// Frees all entities of an agent.
    pub fn free_agent(&mut self, agent: &str) -> Result<(), Error> {
        self.give(Input::FreeAgent { agent: agent.into() }).map(drop)
    }

    /// Ends the association of an agent with an entity.
    pub fn free_pair(&mut self, agent: &str, entity: &str) -> Result<(), Error> {
        self.give(Input::FreePair { agent: agent.into(), entity: entity.into() }).map(drop)
    }

    /// Requests an entity of a type, possibly with a name, and associates the agent with it. Returns its name; `None`
    /// if a host has to respond first.
    pub fn request_entity(
        &mut self,
        agent: &str,
        entity_type: &str,
        name: Option<&str>,
    ) -> Result<Option<EcoString>, Error> {
        let (agent, entity_type, name) = (agent.into(), entity_type.into(), name.map(EcoString::from));
        match self.give(Input::RequestEntity { agent, entity_type, name })? {
            Effect::Entity(entity) => Ok(Some(entity)),
            _ => Ok(None),
        }
    }

    /// Performs the default action of an entity. Returns whether it has one.
    pub fn act_by_default(&mut self, entity: &str) -> Result<bool, Error> {
        Ok(self.give(Input::ActByDefault { entity: entity.into() })? != Effect::Nothing)
    }

    fn give(&mut self, input: Input) -> Result<Effect, Error> {
        let now = Time { wall: self.bookkeeping().now, ..Time::default() };
        self.apply(&input, now)
    }
}
