//! The bookkeeping of an interface: everything that does not depend on the Rust types of its environment. It is
//! compiled once, not for each environment.

use std::collections::{BTreeMap, BTreeSet};

use hashbrown::HashMap;
use smallvec::SmallVec;

use super::error::ACTING;
use super::happenings::Happenings;
use super::log::Cursor;
use super::{AgentId, Checked, Drained, EntityId, Error, Happening, Moment, Observer, State};
use crate::environment::{Entity, News, Outcome};
use crate::iil::EcoString;
use crate::iil::text::excerpt;
use crate::names::{fault_of_name, nearest};
use crate::ontology::{Ontology, PropertyOf};
use crate::roster::Roster;

/// Maximum number of names that an error lists.
const NAMES_LISTED: usize = 8;

/// The request that is refused if there is no episode.
const ASKING: &str = "asking for an entity";

/// The ontology and state of an environment, its agents and entities, and the relation between them. Agents and
/// entities are known by number and by name; numbers grow in order of creation.
#[derive(Debug)]
pub struct Bookkeeping {
    pub(super) ontology: Ontology,
    /// For each entity type of the ontology, whether its entities can do each variant of the actions.
    pub(super) abilities: Vec<Vec<bool>>,
    pub(super) state: State,
    pub(super) moment: Moment,
    /// The seed of the episode.
    pub(super) seed: u64,
    /// The current wall-clock time.
    pub(super) now: u64,
    /// Whether observers know that the episode has ended.
    pub(super) over: bool,
    pub(super) agents: Roster<AgentId, RegisteredAgent>,
    pub(super) agent_names: HashMap<EcoString, AgentId>,
    pub(super) entities: Roster<EntityId, KnownEntity>,
    pub(super) entity_names: HashMap<EcoString, EntityId>,
    pub(super) free: BTreeSet<EntityId>,
    /// The entities that the environment created at the request of these agents.
    pub(super) requested: BTreeSet<(AgentId, EntityId)>,
    pub(super) happenings: Happenings,
}

/// An agent, known by its name.
#[derive(Debug)]
pub(super) struct RegisteredAgent {
    pub(super) name: EcoString,
    pub(super) entities: BTreeMap<EntityId, Cursor>,
}

/// An entity, known by its name.
#[derive(Debug)]
pub(super) struct KnownEntity {
    pub(super) name: EcoString,
    /// The index of its type in the ontology.
    pub(super) entity_type: usize,
    pub(super) agents: BTreeSet<AgentId>,
    /// The agent that requested it, if the environment created it for that agent.
    pub(super) requested_by: Option<AgentId>,
}

/// The entities that a call concerns. Most calls concern one, which needs no allocation.
pub(crate) type Targets = SmallVec<[EntityId; 1]>;

impl Bookkeeping {
    pub(super) fn new(ontology: Ontology, abilities: Vec<Vec<bool>>) -> Self {
        Self {
            ontology,
            abilities,
            state: State::Initializing,
            moment: Moment::default(),
            seed: 0,
            now: 0,
            over: false,
            agents: Roster::new(),
            agent_names: HashMap::new(),
            entities: Roster::new(),
            entity_names: HashMap::new(),
            free: BTreeSet::new(),
            requested: BTreeSet::new(),
            happenings: Happenings::default(),
        }
    }
}

/// Lookups.
impl Bookkeeping {
    /// Returns the ontology of the environment.
    pub fn ontology(&self) -> &Ontology {
        &self.ontology
    }

    /// Returns the state of the environment.
    pub fn state(&self) -> State {
        self.state
    }

    /// Returns the current moment of the environment: the episode, the step, and the time of the last change.
    pub fn moment(&self) -> Moment {
        self.moment
    }

    /// Returns the registered agents, in order of registration.
    pub fn agents(&self) -> impl Iterator<Item = (AgentId, &EcoString)> {
        self.agents.iter().map(|(id, agent)| (id, &agent.name))
    }

    /// Returns the entities, in order of creation.
    pub fn entities(&self) -> impl Iterator<Item = EntityId> {
        self.entities.iter().map(|(id, _)| id)
    }

    /// Returns the entities without an agent, in order of creation.
    pub fn free_entities(&self) -> impl Iterator<Item = EntityId> {
        self.free.iter().copied()
    }

    /// Returns the entities that an agent is associated with, in order of creation.
    ///
    /// # Errors
    /// Returns an error if it is not registered.
    pub fn entities_of(&self, agent: AgentId) -> Result<impl Iterator<Item = EntityId>, Error> {
        Ok(self.agent(agent)?.entities.keys().copied())
    }

    /// Returns the agents that an entity is associated with, in order of registration.
    ///
    /// # Errors
    /// Returns an error if the entity does not exist.
    pub fn agents_of(&self, entity: EntityId) -> Result<impl Iterator<Item = AgentId>, Error> {
        Ok(self.entity(entity)?.agents.iter().copied())
    }

    /// Finds the agent with this name.
    ///
    /// # Errors
    /// Returns an error if it is not registered.
    pub(crate) fn find_agent(&self, name: &str) -> Result<AgentId, Error> {
        let found = self.agent_names.get(name).copied();
        found.ok_or_else(|| Error::NotRegistered {
            agent: excerpt(&name),
            nearest: nearest(name, self.agents().map(|(_, name)| name.as_str())).map(str::to_owned),
        })
    }

    /// Finds the entity with this name.
    ///
    /// # Errors
    /// Returns an error if there is no such entity.
    pub fn find_entity(&self, name: &str) -> Result<EntityId, Error> {
        let found = self.entity_names.get(name).copied();
        found.ok_or_else(|| Error::NoSuchEntity {
            entity: excerpt(&name),
            nearest: nearest(name, self.entities.iter().map(|(_, entity)| entity.name.as_str())).map(str::to_owned),
        })
    }

    /// Returns the name of an agent, or an empty name if there is no such agent.
    pub(crate) fn agent_name(&self, agent: AgentId) -> EcoString {
        self.agents.get(agent).map(|agent| agent.name.clone()).unwrap_or_default()
    }

    /// Returns the name of an entity, or an empty name if there is no such entity.
    pub fn entity_name(&self, entity: EntityId) -> EcoString {
        self.entities.get(entity).map(|entity| entity.name.clone()).unwrap_or_default()
    }

    /// Returns the name of an entity's type.
    ///
    /// # Errors
    /// Returns an error if the entity does not exist.
    pub fn entity_type(&self, entity: EntityId) -> Result<&str, Error> {
        Ok(&self.ontology.entity_types[self.entity(entity)?.entity_type].name)
    }

    /// Checks that an entity, or else the environment, may have this property.
    pub(super) fn check_property(&self, entity: Option<EntityId>, property: &str) -> Result<(), Error> {
        let (of, kind) = match entity {
            Some(entity) => (format!("entity `{}`", self.entity_name(entity)), PropertyOf::Entity),
            None => (format!("environment `{}`", self.ontology.name), PropertyOf::Environment),
        };
        if self.ontology.may_have_property(kind, property) {
            return Ok(());
        }
        Err(Error::NoSuchProperty {
            of,
            property: excerpt(&property),
            has: listed(self.ontology.property_names(kind).map(EcoString::from)),
            nearest: nearest(property, self.ontology.property_names(kind)).map(str::to_owned),
        })
    }

    /// The number of bytes of the remembered happenings.
    pub(crate) fn happenings_bytes(&self) -> usize {
        self.happenings.bytes()
    }

    /// Returns the happenings that an observer has not received. `outcome` returns the outcome of the episode, for a
    /// new observer of an ended episode.
    pub(super) fn drain(&self, observer: &mut Observer, outcome: impl FnOnce() -> Option<Outcome>) -> Drained {
        self.happenings.drain(observer, || self.present(outcome))
    }

    /// Returns the current state as happenings, as if it had come about just now.
    fn present(&self, outcome: impl FnOnce() -> Option<Outcome>) -> Vec<Happening> {
        let mut all = vec![Happening::State(self.state)];
        if self.ontology.revision > 0 {
            all.push(Happening::Ontology { revision: self.ontology.revision });
        }
        let has_episode = !matches!(self.state, State::Initializing | State::Killed);
        if has_episode {
            all.push(Happening::Episode { number: self.moment.episode, seed: Some(self.seed) });
        }
        all.extend(self.agents().map(|(_, name)| Happening::Registered { agent: name.clone() }));
        for (_, KnownEntity { name, entity_type, agents, .. }) in self.entities.iter() {
            let entity_type = self.ontology.entity_types[*entity_type].name.as_str().into();
            all.push(Happening::New { entity: name.clone(), entity_type });
            let agents = agents.iter().map(|agent| self.agent_name(*agent));
            all.extend(agents.map(|agent| Happening::Taken { entity: name.clone(), agent }));
        }
        if self.over {
            all.extend(outcome().map(Happening::Outcome));
        }
        all
    }

    /// Returns the entities that a call of an agent concerns: each once, and all of them if none is named.
    pub(crate) fn targets<S: AsRef<str>>(&self, agent: AgentId, names: &[S]) -> Result<Targets, Error> {
        let registered = self.agent(agent)?;
        if registered.entities.is_empty() {
            return Err(Error::NoEntities { agent: registered.name.clone().into() });
        }
        if names.is_empty() {
            return Ok(registered.entities.keys().copied().collect());
        }
        let (mut targets, mut seen) = (Targets::new(), BTreeSet::new());
        for name in names {
            let entity = self.find_entity(name.as_ref())?;
            self.check_link(agent, entity)?;
            if names.len() == 1 || seen.insert(entity) {
                targets.push(entity);
            }
        }
        Ok(targets)
    }

    pub(super) fn agent(&self, agent: AgentId) -> Result<&RegisteredAgent, Error> {
        self.agents.get(agent).ok_or_else(|| unknown_agent(agent))
    }

    pub(super) fn entity(&self, entity: EntityId) -> Result<&KnownEntity, Error> {
        self.entities.get(entity).ok_or_else(|| unknown_entity(entity))
    }

    /// Returns the position of an agent in the log of one of its entities.
    pub(super) fn cursor(&self, agent: AgentId, entity: EntityId) -> Option<&Cursor> {
        self.agents.get(agent)?.entities.get(&entity)
    }

    pub(super) fn cursor_mut(&mut self, agent: AgentId, entity: EntityId) -> Option<&mut Cursor> {
        self.agents.get_mut(agent)?.entities.get_mut(&entity)
    }
}

/// Checks.
impl Bookkeeping {
    pub(crate) fn wrong_state(&self, what: &'static str) -> Error {
        Error::WrongState { what: what.into(), state: self.state }
    }

    pub(crate) fn check_running(&self, what: &'static str) -> Result<(), Error> {
        if self.state == State::Running { Ok(()) } else { Err(self.wrong_state(what)) }
    }

    pub(super) fn check_perceiving(&self) -> Result<(), Error> {
        match self.state {
            State::Running | State::Paused => Ok(()),
            _ => Err(self.wrong_state("perceiving")),
        }
    }

    pub(crate) fn check_init(&self) -> Result<(), Error> {
        if self.state == State::Initializing { Ok(()) } else { Err(self.wrong_state("init")) }
    }

    pub(crate) fn check_reset(&self) -> Result<(), Error> {
        if matches!(self.state, State::Running | State::Paused) { Ok(()) } else { Err(self.wrong_state("reset")) }
    }

    /// Checks that the agent is registered and controls the entity.
    pub(crate) fn check_link(&self, agent: AgentId, entity: EntityId) -> Result<(), Error> {
        let registered = self.agent(agent)?;
        if registered.entities.contains_key(&entity) {
            return Ok(());
        }
        let agent = registered.name.clone().into();
        if registered.entities.is_empty() {
            return Err(Error::NoEntities { agent });
        }
        let has = listed(registered.entities.keys().map(|id| self.entity_name(*id)));
        Err(Error::WrongEntity { agent, entity: self.entity(entity)?.name.clone().into(), has })
    }

    /// Checks that an entity's type can do the actions of this variant. `action` writes the action for an error.
    pub(super) fn check_ability(
        &self,
        entity: EntityId,
        variant: usize,
        action: impl FnOnce() -> String,
    ) -> Result<(), Error> {
        let known = self.entity(entity)?;
        if self.abilities[known.entity_type].get(variant) == Some(&true) || self.ontology.open {
            return Ok(());
        }
        let of = &self.ontology.entity_types[known.entity_type];
        let can: Vec<String> = of.actions.iter().map(ToString::to_string).collect();
        Err(Error::NotSupportedByType {
            entity: known.name.clone().into(),
            entity_type: of.name.clone(),
            action: action(),
            can: can.join(", "),
        })
    }

    /// Checks an action of this variant for each entity through which an agent wants to perform it.
    pub(crate) fn check_action(
        &self,
        targets: &[EntityId],
        variant: usize,
        action: &impl std::fmt::Display,
    ) -> Vec<Checked> {
        let check = |&id: &EntityId| {
            let verdict = self.check_ability(id, variant, || excerpt(action));
            Checked { id, entity: self.entity_name(id), verdict }
        };
        targets.iter().map(check).collect()
    }

    /// Checks whether an agent can act now, and returns through which entities.
    pub(crate) fn check_acting<S: AsRef<str>>(&self, agent: &str, names: &[S]) -> Result<Targets, Error> {
        self.check_running(ACTING)?;
        self.targets(self.find_agent(agent)?, names)
    }

    /// Checks whether an agent can be associated with an entity. Returns false if it already is.
    pub(super) fn check_association(&self, agent: AgentId, entity: EntityId) -> Result<bool, Error> {
        let (registered, known) = (self.agent(agent)?, self.entity(entity)?);
        if registered.entities.contains_key(&entity) {
            return Ok(false);
        }
        let restriction = self.ontology.relation;
        let in_the_way = if restriction.one_agent_per_entity && !known.agents.is_empty() {
            let names = listed(known.agents.iter().map(|id| self.agent_name(*id)));
            format!("an entity has at most one agent, and this one has {names}")
        } else if restriction.one_entity_per_agent && !registered.entities.is_empty() {
            let names = listed(registered.entities.keys().map(|id| self.entity_name(*id)));
            format!("an agent has at most one entity, and this one has {names}")
        } else {
            return Ok(true);
        };
        Err(self.restricted(agent, &known.name, &in_the_way))
    }

    /// Checks whether an agent can request such an entity.
    pub(crate) fn check_request(&self, agent: AgentId, entity_type: &str, name: Option<&str>) -> Result<(), Error> {
        let registered = self.agent(agent)?;
        if self.ontology.find_entity_type(entity_type).is_none() {
            let known = self.ontology.entity_types.iter().map(|of| of.name.as_str());
            let nearest = nearest(entity_type, known).map(str::to_owned);
            return Err(Error::NoSuchType { entity_type: excerpt(&entity_type), nearest });
        }
        if self.ontology.relation.one_entity_per_agent && !registered.entities.is_empty() {
            return Err(self.restricted(agent, entity_type, "an agent has at most one entity"));
        }
        if let Some(reason) = name.and_then(fault_of_name) {
            return Err(self.not_given(agent, entity_type, reason));
        }
        if self.has_episode() { Ok(()) } else { Err(self.wrong_state(ASKING)) }
    }

    pub(super) fn not_given(&self, agent: AgentId, entity_type: &str, reason: &str) -> Error {
        let (agent, entity_type) = (self.agent_name(agent).into(), entity_type.into());
        Error::NotGiven { agent, entity_type, reason: reason.into() }
    }

    fn has_episode(&self) -> bool {
        matches!(self.state, State::Running | State::Paused)
    }

    fn restricted(&self, agent: AgentId, entity: &str, restriction: &str) -> Error {
        Error::Restricted {
            agent: self.agent_name(agent).into(),
            entity: entity.into(),
            restriction: restriction.into(),
        }
    }
}

/// Changes. Those that concern the environment return the news for it.
impl Bookkeeping {
    /// Replaces the ontology by an extended one, and informs observers.
    pub(crate) fn declare(&mut self, ontology: Ontology, abilities: Vec<Vec<bool>>) {
        if ontology.revision > self.ontology.revision {
            self.happenings.push(Happening::Ontology { revision: ontology.revision });
            (self.ontology, self.abilities) = (ontology, abilities);
        }
    }

    /// Replaces the ontology by that of an episode, and informs observers if they differ.
    pub(super) fn adapt(&mut self, ontology: Ontology) {
        let known = self.ontology.revision;
        if self.ontology != (Ontology { revision: known, ..ontology.clone() }) {
            self.declare(Ontology { revision: known + 1, ..ontology }, self.abilities.clone());
        }
    }

    pub(super) fn set_state(&mut self, state: State) {
        self.state = state;
        self.moment.time = self.now;
        self.happenings.push(Happening::State(state));
    }

    /// Registers an agent under a unique name.
    pub(super) fn register(&mut self, name: &str) -> Result<AgentId, Error> {
        if let Some(reason) = fault_of_name(name) {
            return Err(Error::NoName { agent: excerpt(&name), reason: reason.into() });
        }
        if self.agent_names.contains_key(name) {
            return Err(Error::AlreadyRegistered { agent: name.into() });
        }
        let name = EcoString::from(name);
        let agent = RegisteredAgent { name: name.clone(), entities: BTreeMap::new() };
        let Some(id) = self.agents.push(agent) else {
            return Err(Error::TooManyAgents { agent: name.into() });
        };
        self.agent_names.insert(name.clone(), id);
        self.happenings.push(Happening::Registered { agent: name });
        Ok(id)
    }

    /// Unregisters an agent without entities. Returns the entities that it had requested.
    pub(super) fn unregister(&mut self, agent: AgentId) -> Vec<EntityId> {
        if let Some(RegisteredAgent { name, .. }) = self.agents.remove(agent) {
            self.agent_names.remove(&name);
            self.happenings.push(Happening::Unregistered { agent: name });
        }
        let all = (agent, EntityId::FIRST)..=(agent, EntityId::LAST);
        self.requested.extract_if(all, |_| true).map(|(_, entity)| entity).collect()
    }

    /// Associates an agent with an entity, and informs observers.
    pub(super) fn link(&mut self, agent: AgentId, entity: EntityId, beginning: Cursor) -> Option<News> {
        let was_free = self.link_silently(agent, entity, beginning);
        let (name, agent) = (self.entity_name(entity), self.agent_name(agent));
        self.happenings.push(Happening::Taken { entity: name, agent });
        was_free.then_some(News::Taken(entity))
    }

    /// Associates an agent with an entity. Returns whether the entity was free.
    pub(super) fn link_silently(&mut self, agent: AgentId, entity: EntityId, beginning: Cursor) -> bool {
        let (Some(registered), Some(known)) = (self.agents.get_mut(agent), self.entities.get_mut(entity)) else {
            return false;
        };
        known.agents.insert(agent);
        registered.entities.insert(entity, beginning);
        self.free.remove(&entity)
    }

    /// Ends the associations of these agents with the entity, and informs observers.
    pub(super) fn unlink(&mut self, agents: &[AgentId], entity: EntityId) -> Option<News> {
        for &agent in agents {
            if let Some(registered) = self.agents.get_mut(agent) {
                registered.entities.remove(&entity);
            }
            if let Some(known) = self.entities.get_mut(entity) {
                known.agents.remove(&agent);
            }
            let (entity, agent) = (self.entity_name(entity), self.agent_name(agent));
            self.happenings.push(Happening::Released { entity, agent });
        }
        let known = self.entities.get(entity).filter(|known| known.agents.is_empty())?;
        let (name, agents) = (known.name.clone(), agents.iter().map(|agent| self.agent_name(*agent)).collect());
        self.free.insert(entity);
        self.happenings.push(Happening::Freed { entity: name, agents });
        Some(News::Freed(entity))
    }

    /// Notes that the environment created this entity at the request of the agent.
    pub(super) fn note_request(&mut self, agent: AgentId, entity: EntityId) {
        if let Some(known) = self.entities.get_mut(entity) {
            if let Some(former) = known.requested_by.replace(agent) {
                self.requested.remove(&(former, entity));
            }
            self.requested.insert((agent, entity));
        }
    }

    /// Handles the end of the agent that requested the entity. If other agents control the entity, they keep it.
    pub(super) fn leave(&mut self, entity: EntityId) -> Option<News> {
        let known = self.entities.get_mut(entity)?;
        known.requested_by = None;
        known.agents.is_empty().then_some(News::Left(entity))
    }

    /// Adds a free entity.
    pub(super) fn add(&mut self, id: EntityId, Entity { name, entity_type }: &Entity) {
        let declared = &self.ontology.entity_types;
        let entity_type = declared.iter().position(|of| of.name == **entity_type);
        let entity_type = entity_type.expect("a context takes only entities of declared types");
        let known = KnownEntity { name: name.clone(), entity_type, agents: BTreeSet::new(), requested_by: None };
        self.entities.put(id, known);
        self.entity_names.insert(name.clone(), id);
        self.free.insert(id);
    }

    /// Removes a deleted entity, and informs observers.
    pub(super) fn delete(&mut self, entity: EntityId) {
        let Some(known) = self.take(entity).map(|(known, _)| known) else { return };
        if let Some(agent) = known.requested_by {
            self.requested.remove(&(agent, entity));
        }
        let agents = known.agents.iter().map(|agent| self.agent_name(*agent)).collect();
        self.happenings.push(Happening::Deleted { entity: known.name, agents });
    }

    /// Forgets all entities, which were removed one by one, and starts new numbers.
    pub(super) fn forget_entities(&mut self) {
        self.entities = Roster::new();
        self.entity_names.clear();
        self.free.clear();
        self.requested.clear();
    }

    /// Removes an entity without notifying anyone. Also returns the versions that its agents know.
    pub(super) fn take(&mut self, entity: EntityId) -> Option<(KnownEntity, Vec<(AgentId, Cursor)>)> {
        let known = self.entities.remove(entity)?;
        self.free.remove(&entity);
        if self.entity_names.get(&known.name) == Some(&entity) {
            self.entity_names.remove(&known.name);
        }
        let mut cursors = Vec::new();
        for &agent in &known.agents {
            let registered = self.agents.get_mut(agent);
            cursors.extend(registered.and_then(|agent| agent.entities.remove(&entity)).map(|cursor| (agent, cursor)));
        }
        Some((known, cursors))
    }
}

/// Lists names for an error: only the first ones if there are many.
fn listed(mut names: impl Iterator<Item = EcoString>) -> String {
    let first: Vec<String> = names.by_ref().take(NAMES_LISTED).map(|name| format!("`{name}`")).collect();
    let more = names.count();
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    first.join(", ") + &rest
}

/// Returns the error for a number that belongs to no agent.
pub(super) fn unknown_agent(agent: AgentId) -> Error {
    Error::NotRegistered { agent: format!("number {}", agent.index()), nearest: None }
}

/// Returns the error for a number that belongs to no entity.
pub(super) fn unknown_entity(entity: EntityId) -> Error {
    Error::NoSuchEntity { entity: format!("number {}", entity.index()), nearest: None }
}
