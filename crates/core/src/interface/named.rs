//! The interface as everything outside holds it: object-safe, with names and the interface intermediate language.

use std::any::Any;
use std::collections::{BTreeMap, BTreeSet};

use super::error::ACTING;
use super::{
    AgentId, Command, Drained, EntityId, Error, Form, Interface, Moment, Observer, Perception, Since, State, Version,
};
use crate::environment::{Ending, Environment, Episode, Outcome};
use crate::iil::{Action, EcoString, Parameter, Percept};
use crate::menu::Menu;
use crate::mirror::Mirror;
use crate::ontology::Ontology;
use crate::ontology::typed::{InitParameters, TypedAction, TypedPercept};
use crate::scene::Scene;

/// What an action has come to, for one entity: what it found out, or why it was not done.
pub type ActionResult = Result<Vec<Percept>, Error>;

/// What can be said of an action, for one entity, before it is tried.
#[derive(Clone, Debug, PartialEq)]
pub struct Checked {
    /// The entity's number.
    pub id: EntityId,
    /// Its name.
    pub entity: EcoString,
    /// Whether it may try; otherwise why not.
    pub verdict: Result<(), Error>,
}

/// The interface between agents and an environment of any kind. Every name is that of an agent or entity; where a list
/// of entities is asked for, none means all that the agent has.
pub trait EnvironmentInterface: Send {
    /// What the environment declares about itself.
    fn ontology(&self) -> &Ontology;

    /// The state of the environment.
    fn state(&self) -> State;

    /// When it is in the world.
    fn moment(&self) -> Moment;

    /// See [`Interface::set_time`].
    fn set_time(&mut self, time: u64);

    /// Inits, starts, pauses, resets or kills the environment.
    ///
    /// # Errors
    /// When the state does not allow it, or parameters are wrong.
    fn manage(&mut self, command: Command) -> Result<(), Error>;

    /// See [`Interface::step`].
    ///
    /// # Errors
    /// When the environment is not running.
    fn step(&mut self) -> Result<(), Error>;

    /// See [`Interface::register`].
    ///
    /// # Errors
    /// When the name is taken, or is none that an agent can have.
    fn register_agent(&mut self, agent: &str) -> Result<(), Error>;

    /// See [`Interface::unregister`].
    ///
    /// # Errors
    /// When the agent is not registered.
    fn unregister_agent(&mut self, agent: &str) -> Result<(), Error>;

    /// The registered agents, in order of registration.
    fn agents(&self) -> Vec<EcoString>;

    /// The entities, in order of creation.
    fn entities(&self) -> Vec<EcoString>;

    /// The entities that have no agent, in order of creation.
    fn free_entities(&self) -> Vec<EcoString>;

    /// The name of an entity's type.
    ///
    /// # Errors
    /// When there is no such entity.
    fn entity_type(&self, entity: &str) -> Result<&str, Error>;

    /// See [`Interface::associate`].
    ///
    /// # Errors
    /// When one of them does not exist, or the environment restricts the relation.
    fn associate_entity(&mut self, agent: &str, entity: &str) -> Result<(), Error>;

    /// See [`Interface::free_entity`].
    ///
    /// # Errors
    /// When the entity does not exist or is free.
    fn free_entity(&mut self, entity: &str) -> Result<(), Error>;

    /// See [`Interface::free_agent`].
    ///
    /// # Errors
    /// When the agent is not registered.
    fn free_agent(&mut self, agent: &str) -> Result<(), Error>;

    /// See [`Interface::free_pair`].
    ///
    /// # Errors
    /// When one of them does not exist, or they are not associated.
    fn free_pair(&mut self, agent: &str, entity: &str) -> Result<(), Error>;

    /// The entities that an agent is associated with, in order of creation.
    ///
    /// # Errors
    /// When the agent is not registered.
    fn associated_entities(&self, agent: &str) -> Result<Vec<EcoString>, Error>;

    /// The agents that an entity is associated with, in order of registration.
    ///
    /// # Errors
    /// When there is no such entity.
    fn associated_agents(&self, entity: &str) -> Result<Vec<EcoString>, Error>;

    /// See [`Interface::request`]; the name of the body is returned.
    ///
    /// # Errors
    /// When the agent is not registered, the type is not declared, the world gives no body, or the environment restricts
    /// the relation.
    fn request_entity(&mut self, agent: &str, entity_type: &str, name: Option<&str>) -> Result<EcoString, Error>;

    /// An agent acts through its entities, in order of creation, or in the order named; there is a result for each.
    ///
    /// # Errors
    /// When the environment is not running, the agent is not registered or has no entities, one that is named is not
    /// its own, or the action is unknown to the environment; nothing is done then.
    fn perform_action(
        &mut self,
        agent: &str,
        action: &Action,
        entities: &[&str],
    ) -> Result<Vec<(EcoString, ActionResult)>, Error>;

    /// The entities that an agent means: each once, all that it has if none is named.
    ///
    /// # Errors
    /// When the agent is not registered or has no entities, or one that is named is not its own.
    fn own_entities(&self, agent: &str, entities: &[&str]) -> Result<Vec<(EntityId, EcoString)>, Error>;

    /// What can be said of an action before it is tried: for each entity through which it would be done, in the order of
    /// [`perform_action`](Self::perform_action), whether entities of its type can do this at all.
    ///
    /// # Errors
    /// As [`perform_action`](Self::perform_action).
    fn check_action(&self, agent: &str, action: &Action, entities: &[&str]) -> Result<Vec<Checked>, Error>;

    /// See [`Interface::menu`].
    ///
    /// # Errors
    /// When the environment is neither paused nor running, or the entity is not the agent's.
    fn menu(&self, agent: &str, entity: &str, at: Option<(f64, f64)>) -> Result<Menu, Error>;

    /// See [`Interface::act_by_default`].
    ///
    /// # Errors
    /// When the environment is not running, there is no such entity, or the action fails.
    fn act_by_default(&mut self, entity: &str) -> Result<bool, Error>;

    /// The number of an entity, by which entities are in order of creation.
    ///
    /// # Errors
    /// When there is no such entity.
    fn entity_id(&self, entity: &str) -> Result<EntityId, Error>;

    /// An agent perceives through its entities.
    ///
    /// # Errors
    /// When the environment is neither paused nor running, the agent is not registered or has no entities, or one that
    /// is named is not its own.
    fn perceive(
        &mut self,
        agent: &str,
        entities: &[&str],
        form: Form,
        since: Since,
    ) -> Result<Vec<(EcoString, Perception)>, Error>;

    /// See [`Interface::watch`].
    ///
    /// # Errors
    /// When the environment is neither paused nor running, or there is no such entity.
    fn watch(&mut self, entity: &str, since: Version) -> Result<Perception, Error>;

    /// See [`Interface::acknowledge`].
    ///
    /// # Errors
    /// When the entity is not the agent's, or the version was never told.
    fn acknowledge(&mut self, agent: &str, entity: &str, version: Version) -> Result<(), Error>;

    /// See [`Interface::query`].
    fn query_property(&self, property: &str) -> Option<Parameter>;

    /// See [`Interface::query_entity`].
    ///
    /// # Errors
    /// When there is no such entity.
    fn query_entity_property(&self, entity: &str, property: &str) -> Result<Option<Parameter>, Error>;

    /// See [`Interface::drain`].
    fn drain(&self, observer: &mut Observer) -> Drained;

    /// The parameters of the episode with their values; none if there is no episode.
    fn parameters(&self) -> Option<BTreeMap<String, Parameter>>;

    /// Whether and how the episode is over.
    fn ending(&self) -> Option<Ending>;

    /// See [`Interface::outcome`].
    fn outcome(&self) -> Option<Outcome>;

    /// What the world looks like, as a whole or as an entity may see it; empty if there is no episode.
    ///
    /// # Errors
    /// When there is no such entity.
    fn scene(&self, viewer: Option<&str>) -> Result<Scene, Error>;

    /// The hash of the world's state, if there is an episode.
    fn hash(&self) -> Option<u64>;

    /// See [`Episode::inspect`]; none if there is no episode.
    fn inspect(&self) -> Option<serde_json::Value>;

    /// See [`Interface::save`].
    fn save(&self) -> Option<Vec<u8>>;

    /// See [`Interface::load`].
    ///
    /// # Errors
    /// When the bytes were not saved by such an interface; everything is then as it was.
    fn load(&mut self, saved: &[u8]) -> Result<(), Error>;

    /// See [`Interface::abandon`].
    fn abandon(&mut self);

    /// The interface to a world that is run elsewhere, if this is one: what its host is called for, and what it says.
    fn hosted(&self) -> Option<&Interface<Mirror>> {
        None
    }

    /// The same, to be changed.
    fn hosted_mut(&mut self) -> Option<&mut Interface<Mirror>> {
        None
    }
}

impl<E: Environment> EnvironmentInterface for Interface<E> {
    fn ontology(&self) -> &Ontology {
        Interface::ontology(self)
    }

    fn state(&self) -> State {
        Interface::state(self)
    }

    fn moment(&self) -> Moment {
        Interface::moment(self)
    }

    fn set_time(&mut self, time: u64) {
        Interface::set_time(self, time);
    }

    fn manage(&mut self, command: Command) -> Result<(), Error> {
        match command {
            Command::Init { parameters, seed } => {
                self.check_init()?;
                self.init(E::Parameters::read(&parameters, &self.ontology)?, seed)
            }
            Command::Start => self.start(),
            Command::Pause => self.pause(),
            Command::Reset { parameters, seed } => {
                self.check_reset()?;
                let read = |given| E::Parameters::read(&given, &self.ontology);
                self.reset(parameters.map(read).transpose()?, seed)
            }
            Command::Kill => self.kill(),
        }
    }

    fn step(&mut self) -> Result<(), Error> {
        Interface::step(self)
    }

    fn register_agent(&mut self, agent: &str) -> Result<(), Error> {
        self.register(agent).map(drop)
    }

    fn unregister_agent(&mut self, agent: &str) -> Result<(), Error> {
        self.unregister(self.find_agent(agent)?)
    }

    fn agents(&self) -> Vec<EcoString> {
        Interface::agents(self).map(|(_, name)| name.clone()).collect()
    }

    fn entities(&self) -> Vec<EcoString> {
        self.entity_names(Interface::entities(self))
    }

    fn free_entities(&self) -> Vec<EcoString> {
        self.entity_names(Interface::free_entities(self))
    }

    fn entity_type(&self, entity: &str) -> Result<&str, Error> {
        Interface::entity_type(self, self.find_entity(entity)?)
    }

    fn associate_entity(&mut self, agent: &str, entity: &str) -> Result<(), Error> {
        self.associate(self.find_agent(agent)?, self.find_entity(entity)?)
    }

    fn free_entity(&mut self, entity: &str) -> Result<(), Error> {
        Interface::free_entity(self, self.find_entity(entity)?)
    }

    fn free_agent(&mut self, agent: &str) -> Result<(), Error> {
        Interface::free_agent(self, self.find_agent(agent)?)
    }

    fn free_pair(&mut self, agent: &str, entity: &str) -> Result<(), Error> {
        Interface::free_pair(self, self.find_agent(agent)?, self.find_entity(entity)?)
    }

    fn associated_entities(&self, agent: &str) -> Result<Vec<EcoString>, Error> {
        Ok(self.entity_names(self.entities_of(self.find_agent(agent)?)?))
    }

    fn associated_agents(&self, entity: &str) -> Result<Vec<EcoString>, Error> {
        let agents = self.agents_of(self.find_entity(entity)?)?;
        Ok(agents.map(|agent| self.agent_name(agent)).collect())
    }

    fn request_entity(&mut self, agent: &str, entity_type: &str, name: Option<&str>) -> Result<EcoString, Error> {
        let entity = self.request(self.find_agent(agent)?, entity_type, name)?;
        Ok(self.entity_name(entity))
    }

    fn perform_action(
        &mut self,
        agent: &str,
        action: &Action,
        entities: &[&str],
    ) -> Result<Vec<(EcoString, ActionResult)>, Error> {
        let (id, targets, action) = self.intention(agent, action, entities)?;
        // The world may take an entity away while another one acts; its name is known before.
        let targets: Vec<(EcoString, EntityId)> =
            targets.into_iter().map(|entity| (self.entity_name(entity), entity)).collect();
        let act = |(name, entity): (EcoString, EntityId)| {
            if Interface::entity_type(self, entity).is_err() {
                return (name.clone(), Err(Error::Gone { entity: name.into() }));
            }
            let result = self.act(id, entity, &action);
            (name, result.map(|found| found.iter().map(E::Percept::to_iil).collect()))
        };
        Ok(targets.into_iter().map(act).collect())
    }

    fn own_entities(&self, agent: &str, entities: &[&str]) -> Result<Vec<(EntityId, EcoString)>, Error> {
        let (_, targets) = self.targets(agent, entities)?;
        Ok(targets.into_iter().map(|id| (id, self.entity_name(id))).collect())
    }

    fn check_action(&self, agent: &str, action: &Action, entities: &[&str]) -> Result<Vec<Checked>, Error> {
        let (_, targets, action) = self.intention(agent, action, entities)?;
        let check = |id| {
            let (entity, verdict) = (self.entity_name(id), self.check_ability(id, &action));
            Checked { id, entity, verdict }
        };
        Ok(targets.into_iter().map(check).collect())
    }

    fn menu(&self, agent: &str, entity: &str, at: Option<(f64, f64)>) -> Result<Menu, Error> {
        let (agent, entity) = (self.find_agent(agent)?, self.find_entity(entity)?);
        Interface::menu(self, agent, entity, at).map(Menu::to_iil)
    }

    fn act_by_default(&mut self, entity: &str) -> Result<bool, Error> {
        Interface::act_by_default(self, self.find_entity(entity)?)
    }

    fn entity_id(&self, entity: &str) -> Result<EntityId, Error> {
        self.find_entity(entity)
    }

    fn perceive(
        &mut self,
        agent: &str,
        entities: &[&str],
        form: Form,
        since: Since,
    ) -> Result<Vec<(EcoString, Perception)>, Error> {
        self.check_perceiving()?;
        let (id, targets) = self.targets(agent, entities)?;
        let perceive = |entity| {
            let perception = Interface::perceive(self, id, entity, form, since)?;
            Ok((self.entity_name(entity), perception.to_iil()))
        };
        targets.into_iter().map(perceive).collect()
    }

    fn watch(&mut self, entity: &str, since: Version) -> Result<Perception, Error> {
        let entity = self.find_entity(entity)?;
        Interface::watch(self, entity, since).map(|perception| perception.to_iil())
    }

    fn acknowledge(&mut self, agent: &str, entity: &str, version: Version) -> Result<(), Error> {
        let (agent, entity) = (self.find_agent(agent)?, self.find_entity(entity)?);
        Interface::acknowledge(self, agent, entity, version)
    }

    fn query_property(&self, property: &str) -> Option<Parameter> {
        self.query(property)
    }

    fn query_entity_property(&self, entity: &str, property: &str) -> Result<Option<Parameter>, Error> {
        self.query_entity(self.find_entity(entity)?, property)
    }

    fn drain(&self, observer: &mut Observer) -> Drained {
        Interface::drain(self, observer)
    }

    fn parameters(&self) -> Option<BTreeMap<String, Parameter>> {
        self.episode()?;
        self.parameters.as_ref().map(E::Parameters::to_iil)
    }

    fn ending(&self) -> Option<Ending> {
        self.episode()?.ending()
    }

    fn outcome(&self) -> Option<Outcome> {
        Interface::outcome(self)
    }

    fn scene(&self, viewer: Option<&str>) -> Result<Scene, Error> {
        let viewer = viewer.map(|entity| self.find_entity(entity)).transpose()?;
        Ok(self.episode().map(|episode| episode.scene(viewer)).unwrap_or_default())
    }

    fn hash(&self) -> Option<u64> {
        self.episode().map(Episode::hash)
    }

    fn inspect(&self) -> Option<serde_json::Value> {
        self.episode().map(Episode::inspect)
    }

    fn save(&self) -> Option<Vec<u8>> {
        Interface::save(self)
    }

    fn load(&mut self, saved: &[u8]) -> Result<(), Error> {
        Interface::load(self, saved)
    }

    fn abandon(&mut self) {
        Interface::abandon(self);
    }

    fn hosted(&self) -> Option<&Interface<Mirror>> {
        (self as &dyn Any).downcast_ref()
    }

    fn hosted_mut(&mut self) -> Option<&mut Interface<Mirror>> {
        (self as &mut dyn Any).downcast_mut()
    }
}

impl<E: Environment> Interface<E> {
    fn entity_names(&self, entities: impl Iterator<Item = EntityId>) -> Vec<EcoString> {
        entities.map(|entity| self.entity_name(entity)).collect()
    }

    /// Who wants to do what through which entities.
    fn intention(
        &self,
        agent: &str,
        action: &Action,
        entities: &[&str],
    ) -> Result<(AgentId, Vec<EntityId>, E::Action), Error> {
        self.check_running(ACTING)?;
        let (id, targets) = self.targets(agent, entities)?;
        let action = E::Action::read(action, &self.ontology)
            .map_err(|mismatch| Error::NotSupportedByEnvironment { agent: agent.into(), mismatch })?;
        Ok((id, targets, action))
    }

    /// The agent, and those of its entities that are meant: each once, all of them if none is named.
    fn targets(&self, agent: &str, names: &[&str]) -> Result<(AgentId, Vec<EntityId>), Error> {
        let id = self.find_agent(agent)?;
        let mut all = self.entities_of(id)?.peekable();
        if all.peek().is_none() {
            return Err(Error::NoEntities { agent: agent.into() });
        }
        if names.is_empty() {
            return Ok((id, all.collect()));
        }
        if let [name] = names {
            // The usual case needs no set.
            let entity = self.find_entity(name)?;
            self.link_of(id, entity)?;
            return Ok((id, vec![entity]));
        }
        let mut targets = Vec::with_capacity(names.len());
        let mut seen = BTreeSet::new();
        for name in names {
            let entity = self.find_entity(name)?;
            self.link_of(id, entity)?;
            if seen.insert(entity) {
                targets.push(entity);
            }
        }
        Ok((id, targets))
    }
}
