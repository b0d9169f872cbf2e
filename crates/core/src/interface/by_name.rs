//! Lookups and inputs by name, for an environment of any kind. The names of the methods are those of the Environment
//! Interface Standard.

use std::collections::BTreeMap;

use super::bookkeeping::Targets;
use super::input::{Effect, Input, ReadAction, Time};
use super::{AgentId, Checked, Command, Drained, EntityId, EnvironmentInterface, Error, Moment, Observer, State};
use crate::environment::{Ending, Outcome};
use crate::iil::{Action, EcoString, Parameter};
use crate::ontology::Ontology;

/// Lookups. They fail for an agent that is not registered, and an entity that does not exist.
impl dyn EnvironmentInterface + '_ {
    /// The ontology of the environment.
    pub fn ontology(&self) -> &Ontology {
        self.bookkeeping().ontology()
    }

    /// The state of the environment.
    pub fn state(&self) -> State {
        self.bookkeeping().state()
    }

    /// The present moment of the environment.
    pub fn moment(&self) -> Moment {
        self.bookkeeping().moment()
    }

    /// The registered agents, in order of registration.
    pub fn agents(&self) -> Vec<EcoString> {
        self.bookkeeping().agents().map(|(_, name)| name.clone()).collect()
    }

    /// The entities, in order of creation.
    pub fn entities(&self) -> Vec<EcoString> {
        self.entity_names(self.bookkeeping().entities())
    }

    /// The entities that have no agent, in order of creation.
    pub fn free_entities(&self) -> Vec<EcoString> {
        self.entity_names(self.bookkeeping().free_entities())
    }

    /// The number of an entity, by which entities are in order of creation.
    pub fn entity_id(&self, entity: &str) -> Result<EntityId, Error> {
        self.bookkeeping().find_entity(entity)
    }

    /// The name of an entity's type.
    pub fn entity_type(&self, entity: &str) -> Result<&str, Error> {
        let books = self.bookkeeping();
        books.entity_type(books.find_entity(entity)?)
    }

    /// The entities that an agent is associated with, in order of creation.
    pub fn associated_entities(&self, agent: &str) -> Result<Vec<EcoString>, Error> {
        let books = self.bookkeeping();
        Ok(self.entity_names(books.entities_of(books.find_agent(agent)?)?))
    }

    /// The agents that an entity is associated with, in order of registration.
    pub fn associated_agents(&self, entity: &str) -> Result<Vec<EcoString>, Error> {
        let books = self.bookkeeping();
        let agents = books.agents_of(books.find_entity(entity)?)?;
        Ok(agents.map(|agent: AgentId| books.agent_name(agent)).collect())
    }

    /// The entities that an agent means: each once, all that it has if none is named.
    ///
    /// # Errors
    /// When the agent is not registered or has no entities, or one that is named is not its own.
    pub fn own_entities(&self, agent: &str, entities: &[&str]) -> Result<Vec<(EntityId, EcoString)>, Error> {
        let books = self.bookkeeping();
        let (_, targets) = books.targets(agent, entities)?;
        Ok(targets.as_slice().iter().map(|id| (*id, books.entity_name(*id))).collect())
    }

    /// Checks an action before it is tried: for each entity through which it would be done, in the order of
    /// `perform_action`, whether entities of its type can do it at all. The action is returned as
    /// it was read.
    ///
    /// # Errors
    /// As `perform_action`.
    pub fn check_action(
        &self,
        agent: &str,
        action: &Action,
        entities: &[&str],
    ) -> Result<(ReadAction, Vec<Checked>), Error> {
        let books = self.bookkeeping();
        let (_, targets): (_, Targets) = books.check_acting(agent, entities)?;
        let read =
            self.read(action).map_err(|mismatch| Error::NotSupportedByEnvironment { agent: agent.into(), mismatch })?;
        let checked = books.check_action(&targets, read.variant, action);
        Ok((read, checked))
    }

    /// The happenings that an observer has not been told yet.
    pub fn drain(&self, observer: &mut Observer) -> Drained {
        self.bookkeeping().drain(observer, || self.outcome())
    }

    /// The parameters of the episode with their values; none if there is no episode.
    pub fn parameters(&self) -> Option<BTreeMap<String, Parameter>> {
        self.episode().map(|episode| episode.parameters())
    }

    /// Whether and how the episode is over.
    pub fn ending(&self) -> Option<Ending> {
        self.episode()?.ending()
    }

    /// How the episode stands; none before init and after kill.
    pub fn outcome(&self) -> Option<Outcome> {
        self.episode().map(|episode| episode.outcome())
    }

    /// The hash of the state, if there is an episode.
    pub fn hash(&self) -> Option<u64> {
        self.episode().map(|episode| episode.hash())
    }

    /// The value of a property of the environment.
    pub fn query_property(&self, property: &str) -> Option<Parameter> {
        self.query(None, property).ok().flatten()
    }

    /// The value of a property of an entity.
    pub fn query_entity_property(&self, entity: &str, property: &str) -> Result<Option<Parameter>, Error> {
        self.query(Some(entity), property)
    }

    fn entity_names(&self, entities: impl Iterator<Item = EntityId>) -> Vec<EcoString> {
        entities.map(|entity| self.bookkeeping().entity_name(entity)).collect()
    }
}

/// Inputs. The time is that of the last input; an owner passes it with [`apply`](EnvironmentInterface::apply). The methods of
/// [`Interface`](super::Interface) with the same purpose say when they fail.
impl dyn EnvironmentInterface + '_ {
    /// Inits, starts, pauses, resets or kills the environment.
    pub fn manage(&mut self, command: Command) -> Result<(), Error> {
        self.give(Input::Manage(command)).map(drop)
    }

    /// Time moves on by one step.
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

    /// Associates an agent with an entity. Nothing happens if it is already.
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

    /// Asks for an entity of a type, perhaps under a name, and associates the agent with it. Its name is returned; none if
    /// the environment is run elsewhere and its host has yet to answer.
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

    /// An entity does what it does if nobody has chosen for it. Returns whether it has such a default.
    pub fn act_by_default(&mut self, entity: &str) -> Result<bool, Error> {
        Ok(self.give(Input::ActByDefault { entity: entity.into() })? != Effect::Nothing)
    }

    fn give(&mut self, input: Input) -> Result<Effect, Error> {
        let now = Time { wall: self.bookkeeping().now, ..Time::default() };
        self.apply(&input, now)
    }
}
