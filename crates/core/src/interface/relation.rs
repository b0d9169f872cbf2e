//! Agents, entities and the relation between them.

use super::links::Links;
use super::{AgentId, Body, EntityId, Error, Happening, Interface, Registered};
use crate::environment::{Environment, Episode, Failure, News};
use crate::iil::EcoString;
use crate::iil::text::excerpt;
use crate::names::fault_of_name;
use crate::names::nearest;

/// How many names an error lists at the most.
const NAMES_LISTED: usize = 8;

/// What is refused where there is no episode.
const ASKING: &str = "asking for a body";

impl<E: Environment> Interface<E> {
    /// Registers an agent under a name of its own.
    ///
    /// # Errors
    /// When the name is taken, empty, or longer than [`NAME_LENGTH`](super::NAME_LENGTH).
    pub fn register(&mut self, name: &str) -> Result<AgentId, Error> {
        if let Some(reason) = fault_of_name(name) {
            return Err(Error::NoName { agent: excerpt(&name), reason });
        }
        if self.names.contains_key(name) {
            return Err(Error::AlreadyRegistered { agent: name.into() });
        }
        let name = EcoString::from(name);
        let agent = Registered { name: name.clone(), entities: Links::None };
        let Some(id) = self.agents.push(agent) else {
            return Err(Error::TooManyAgents { agent: name.into() });
        };
        self.names.insert(name.clone(), id);
        self.happenings.push(Happening::Registered { agent: name });
        Ok(id)
    }

    /// Unregisters an agent and frees its entities.
    ///
    /// # Errors
    /// When it is not registered.
    pub fn unregister(&mut self, agent: AgentId) -> Result<(), Error> {
        self.free_agent(agent)?;
        if let Some(Registered { name, .. }) = self.agents.remove(agent) {
            self.names.remove(&name);
            self.happenings.push(Happening::Unregistered { agent: name });
        }
        let all = (agent, EntityId::FIRST)..=(agent, EntityId::LAST);
        let requested: Vec<(AgentId, EntityId)> = self.requested.extract_if(all, |_| true).collect();
        for (_, entity) in requested {
            self.leave_body(entity);
        }
        Ok(())
    }

    /// Associates an agent with an entity. Nothing happens if it is already.
    ///
    /// # Errors
    /// When one of them does not exist, or the environment restricts the relation.
    pub fn associate(&mut self, agent: AgentId, entity: EntityId) -> Result<(), Error> {
        let registered = self.agents.get(agent).ok_or_else(|| unknown_agent(agent))?;
        let body = self.bodies.get(entity).ok_or_else(|| unknown_entity(entity))?;
        if registered.entities.contains(entity) {
            return Ok(());
        }
        self.check_restriction(agent, registered, entity, body)?;
        self.link(agent, entity);
        Ok(())
    }

    /// Ends the association of an agent with an entity.
    ///
    /// # Errors
    /// When one of them does not exist, or they are not associated.
    pub fn free_pair(&mut self, agent: AgentId, entity: EntityId) -> Result<(), Error> {
        self.link_of(agent, entity)?;
        self.unlink(&[agent], entity);
        Ok(())
    }

    /// Frees an entity from all its agents.
    ///
    /// # Errors
    /// When it does not exist or has no agents.
    pub fn free_entity(&mut self, entity: EntityId) -> Result<(), Error> {
        let agents: Vec<AgentId> = self.agents_of(entity)?.collect();
        if agents.is_empty() {
            return Err(Error::Free { entity: self.entity_name(entity).into() });
        }
        self.unlink(&agents, entity);
        Ok(())
    }

    /// Frees all entities of an agent.
    ///
    /// # Errors
    /// When it is not registered.
    pub fn free_agent(&mut self, agent: AgentId) -> Result<(), Error> {
        let entities: Vec<EntityId> = self.entities_of(agent)?.collect();
        for entity in entities {
            // The world may delete one of them when it hears that another is free.
            if self.link_of(agent, entity).is_ok() {
                self.unlink(&[agent], entity);
            }
        }
        Ok(())
    }

    /// Asks the world for a body of a type, perhaps under a name, and associates the agent with it. The world hears
    /// when the agent leaves.
    ///
    /// # Errors
    /// When the agent is not registered, the type is not declared, the name is empty or longer than
    /// [`NAME_LENGTH`](super::NAME_LENGTH), the world gives no body, or the environment restricts the relation.
    pub fn request(&mut self, agent: AgentId, entity_type: &str, name: Option<&str>) -> Result<EntityId, Error> {
        self.check_request(agent, entity_type, name)?;
        let Some(episode) = &mut self.episode else { return Err(self.wrong_state(ASKING)) };
        let given = episode.request(entity_type, name);
        self.follow_world();
        self.receive(agent, entity_type, given)
    }

    /// The registered agents, in order of registration.
    pub fn agents(&self) -> impl Iterator<Item = (AgentId, &EcoString)> {
        self.agents.iter().map(|(id, agent)| (id, &agent.name))
    }

    /// The entities, in order of creation.
    pub fn entities(&self) -> impl Iterator<Item = EntityId> {
        self.bodies.iter().map(|(id, _)| id)
    }

    /// The entities that have no agent, in order of creation.
    pub fn free_entities(&self) -> impl Iterator<Item = EntityId> {
        self.free.iter().copied()
    }

    /// The entities that an agent is associated with, in order of creation.
    ///
    /// # Errors
    /// When it is not registered.
    pub fn entities_of(&self, agent: AgentId) -> Result<impl Iterator<Item = EntityId>, Error> {
        let registered = self.agents.get(agent).ok_or_else(|| unknown_agent(agent))?;
        Ok(registered.entities.keys())
    }

    /// The agents that an entity is associated with, in order of registration.
    ///
    /// # Errors
    /// When it does not exist.
    pub fn agents_of(&self, entity: EntityId) -> Result<impl Iterator<Item = AgentId>, Error> {
        let body = self.bodies.get(entity).ok_or_else(|| unknown_entity(entity))?;
        Ok(body.agents.keys())
    }

    /// The agent of this name.
    ///
    /// # Errors
    /// When it is not registered.
    pub fn find_agent(&self, name: &str) -> Result<AgentId, Error> {
        let found = self.names.get(name).copied();
        found.ok_or_else(|| Error::NotRegistered {
            agent: excerpt(&name),
            nearest: nearest(name, self.agents().map(|(_, name)| name.as_str())).map(str::to_owned),
        })
    }

    /// The entity of this name.
    ///
    /// # Errors
    /// When there is none.
    pub fn find_entity(&self, name: &str) -> Result<EntityId, Error> {
        let context = self.episode.as_ref().map(Episode::context);
        let found = context.and_then(|context| context.find_entity(name));
        found.ok_or_else(|| Error::NoSuchEntity {
            entity: excerpt(&name),
            nearest: context.and_then(|context| {
                let names = context.entities().map(|(_, entity)| entity.name.as_str());
                nearest(name, names).map(str::to_owned)
            }),
        })
    }

    /// The name of an agent; empty if there is none.
    pub fn agent_name(&self, agent: AgentId) -> EcoString {
        self.agents.get(agent).map(|agent| agent.name.clone()).unwrap_or_default()
    }

    /// The name of an entity; empty if there is none.
    pub fn entity_name(&self, entity: EntityId) -> EcoString {
        let known = self.episode.as_ref().and_then(|episode| episode.context().entity(entity));
        known.map(|entity| entity.name.clone()).unwrap_or_default()
    }

    /// The name of an entity's type.
    ///
    /// # Errors
    /// When the entity does not exist.
    pub fn entity_type(&self, entity: EntityId) -> Result<&str, Error> {
        let body = self.bodies.get(entity).ok_or_else(|| unknown_entity(entity))?;
        Ok(&self.ontology.entity_types[body.entity_type].name)
    }
}

/// The parts of the above.
impl<E: Environment> Interface<E> {
    /// Whether an agent may ask the world for such a body.
    pub(super) fn check_request(&self, agent: AgentId, entity_type: &str, name: Option<&str>) -> Result<(), Error> {
        let registered = self.agents.get(agent).ok_or_else(|| unknown_agent(agent))?;
        self.check_type(entity_type)?;
        if self.ontology.relation.one_entity_per_agent && !registered.entities.is_empty() {
            return Err(self.restricted(agent, entity_type, "an agent has one entity at the most"));
        }
        if let Some(reason) = name.and_then(fault_of_name) {
            return Err(self.no_body(agent, entity_type, reason));
        }
        if self.episode.is_none() { Err(self.wrong_state(ASKING)) } else { Ok(()) }
    }

    /// An agent receives the body that the world has given.
    pub(super) fn receive(
        &mut self,
        agent: AgentId,
        entity_type: &str,
        given: Result<EntityId, Failure>,
    ) -> Result<EntityId, Error> {
        let entity = match given {
            Ok(entity) if self.entity_type(entity) == Ok(entity_type) => entity,
            Ok(_) => return Err(self.no_body(agent, entity_type, "what the environment gave is none")),
            Err(failure) => return Err(self.no_body(agent, entity_type, &failure.reason)),
        };
        self.associate(agent, entity)?;
        // The environment may have taken it back when it heard that it was taken.
        if self.bodies.get(entity).is_none() {
            return Err(self.no_body(agent, entity_type, "the environment has deleted it again"));
        }
        self.note_request(agent, entity);
        Ok(entity)
    }

    fn no_body(&self, agent: AgentId, entity_type: &str, reason: &str) -> Error {
        Error::NoBody { agent: self.agent_name(agent).into(), entity_type: entity_type.into(), reason: reason.into() }
    }

    fn check_type(&self, entity_type: &str) -> Result<(), Error> {
        if self.ontology.find_entity_type(entity_type).is_some() {
            return Ok(());
        }
        let known = self.ontology.entity_types.iter().map(|of| of.name.as_str());
        let nearest = nearest(entity_type, known).map(str::to_owned);
        Err(Error::NoSuchType { entity_type: excerpt(&entity_type), nearest })
    }

    /// Whether the agent is registered and has the entity.
    pub(super) fn link_of(&self, agent: AgentId, entity: EntityId) -> Result<(), Error> {
        let registered = self.agents.get(agent).ok_or_else(|| unknown_agent(agent))?;
        if registered.entities.contains(entity) {
            return Ok(());
        }
        let agent = registered.name.clone().into();
        if registered.entities.is_empty() {
            return Err(Error::NoEntities { agent });
        }
        let has = listed(registered.entities.keys().map(|id| self.entity_name(id)));
        match self.bodies.get(entity) {
            Some(_) => Err(Error::WrongEntity { agent, entity: self.entity_name(entity).into(), has }),
            None => Err(unknown_entity(entity)),
        }
    }

    fn check_restriction(
        &self,
        agent: AgentId,
        registered: &Registered,
        entity: EntityId,
        body: &Body<E::Percept>,
    ) -> Result<(), Error> {
        let restriction = self.ontology.relation;
        let in_the_way = if restriction.one_agent_per_entity && !body.agents.is_empty() {
            let names = listed(body.agents.keys().map(|id| self.agent_name(id)));
            format!("an entity has one agent at the most, and this one has {names}")
        } else if restriction.one_entity_per_agent && !registered.entities.is_empty() {
            let names = listed(registered.entities.keys().map(|id| self.entity_name(id)));
            format!("an agent has one entity at the most, and this one has {names}")
        } else {
            return Ok(());
        };
        Err(self.restricted(agent, &self.entity_name(entity), &in_the_way))
    }

    fn restricted(&self, agent: AgentId, entity: &str, restriction: &str) -> Error {
        Error::Restricted {
            agent: self.agent_name(agent).into(),
            entity: entity.into(),
            restriction: restriction.into(),
        }
    }

    /// Associates them, and tells everybody.
    fn link(&mut self, agent: AgentId, entity: EntityId) {
        let was_free = self.link_silently(agent, entity);
        let (entity_name, agent) = (self.entity_name(entity), self.agent_name(agent));
        self.happenings.push(Happening::Taken { entity: entity_name, agent });
        if was_free {
            self.tell_world(News::Taken(entity));
        }
    }

    /// The world has made this body because the agent asked for it.
    pub(super) fn note_request(&mut self, agent: AgentId, entity: EntityId) {
        if let Some(body) = self.bodies.get_mut(entity) {
            if let Some(former) = body.requested_by.replace(agent) {
                self.requested.remove(&(former, entity));
            }
            self.requested.insert((agent, entity));
        }
    }

    /// The agent that had asked for the body has left. If others have it, it is theirs now.
    fn leave_body(&mut self, entity: EntityId) {
        let Some(body) = self.bodies.get_mut(entity) else { return };
        body.requested_by = None;
        if body.agents.is_empty() {
            self.tell_world(News::Left(entity));
        }
    }

    /// Associates them; whether the entity was free.
    pub(super) fn link_silently(&mut self, agent: AgentId, entity: EntityId) -> bool {
        let (Some(registered), Some(body)) = (self.agents.get_mut(agent), self.bodies.get_mut(entity)) else {
            return false;
        };
        body.agents.insert(agent, ());
        registered.entities.insert(entity, body.log.beginning());
        self.free.remove(&entity)
    }

    /// Ends the associations of these agents with the entity; if none is left, tells everybody.
    fn unlink(&mut self, agents: &[AgentId], entity: EntityId) {
        for &agent in agents {
            if let Some(registered) = self.agents.get_mut(agent) {
                registered.entities.remove(entity);
            }
            if let Some(body) = self.bodies.get_mut(entity) {
                body.agents.remove(agent);
            }
            let (entity, agent) = (self.entity_name(entity), self.agent_name(agent));
            self.happenings.push(Happening::Released { entity, agent });
        }
        let Some(body) = self.bodies.get_mut(entity) else { return };
        if body.agents.is_empty() {
            body.log.forget();
            self.free.insert(entity);
            let agents = agents.iter().map(|agent| self.agent_name(*agent)).collect();
            self.happenings.push(Happening::Freed { entity: self.entity_name(entity), agents });
            self.tell_world(News::Freed(entity));
        }
    }
}

/// Names as they stand in an error: the first of them, if there are many.
fn listed(mut names: impl Iterator<Item = EcoString>) -> String {
    let first: Vec<String> = names.by_ref().take(NAMES_LISTED).map(|name| format!("`{name}`")).collect();
    let more = names.count();
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    first.join(", ") + &rest
}

/// An error for a number that stands for no agent.
pub(super) fn unknown_agent(agent: AgentId) -> Error {
    Error::NotRegistered { agent: format!("number {}", agent.index()), nearest: None }
}

/// An error for a number that stands for no entity.
pub(super) fn unknown_entity(entity: EntityId) -> Error {
    Error::NoSuchEntity { entity: format!("number {}", entity.index()), nearest: None }
}
