//! Perceiving, acknowledging percepts, and choosing from menus.

use super::bookkeeping::unknown_entity;
use super::{AgentId, EntityId, Error, Form, Interface, Perception, Since, Version};
use crate::environment::Environment;
use crate::menu::{Menu, MenuRequest};

impl<E: Environment> Interface<E> {
    /// The choices of a person who acts through one of an agent's entities, at a point in the scene of that entity or
    /// without one. The environment learns whether the entity has other agents.
    ///
    /// # Errors
    /// When the environment is neither paused nor running, or the entity is not the agent's.
    pub fn menu(&self, agent: AgentId, entity: EntityId, at: Option<(f64, f64)>) -> Result<Menu<E::Action>, Error> {
        self.books.check_perceiving()?;
        self.books.check_link(agent, entity)?;
        let shared = self.books.agents_of(entity)?.any(|other| other != agent);
        Ok(self.episode().map(|episode| episode.menu(entity, &MenuRequest { at, shared })).unwrap_or_default())
    }

    /// An agent perceives through one of its entities. Where nothing has changed, nothing is allocated.
    ///
    /// # Errors
    /// When the environment is neither paused nor running, or the entity is not the agent's.
    pub fn perceive(
        &mut self,
        agent: AgentId,
        entity: EntityId,
        form: Form,
        since: Since,
    ) -> Result<Perception<E::Percept>, Error> {
        self.perceive_as(agent, entity, form, since, E::Percept::clone)
    }

    /// The same with each percept as `word` puts it.
    pub(super) fn perceive_as<Q>(
        &mut self,
        agent: AgentId,
        entity: EntityId,
        form: Form,
        since: Since,
        word: impl Fn(&E::Percept) -> Q,
    ) -> Result<Perception<Q>, Error> {
        self.books.check_perceiving()?;
        let registered = self.books.agents.get_mut(agent);
        let (Some(run), Some(cursor), Some(log)) = (
            &self.run,
            registered.and_then(|registered| registered.entities.get_mut(entity)),
            self.logs.get_mut(entity),
        ) else {
            return Err(self.books.check_link(agent, entity).err().unwrap_or_else(|| unknown_entity(entity)));
        };
        if since == Since::LastCall {
            cursor.acknowledged = cursor.told;
        }
        let since = cursor.acknowledged;
        let (environment, context) = (run.episode.environment(), run.episode.context());
        log.list(self.changes, &mut self.shared, |percepts| environment.percepts(entity, context, percepts));
        let version = log.version();
        cursor.tell(version);
        let perception = Perception::new(self.books.moment, since, version, log.tell(since, form, &self.shared, word));
        if !perception.is_empty() && log.is_full() {
            self.trim(entity);
        }
        Ok(perception)
    }

    /// What somebody is told who watches an entity without being its agent, and knows this version of its percepts: the
    /// difference, or everything if the version is none of its present life. Who has not watched before begins with the
    /// default version, is told all that holds, and hears events from now on. No agent is told less for it.
    ///
    /// # Errors
    /// When the environment is neither paused nor running, or the entity does not exist.
    pub fn watch(&mut self, entity: EntityId, since: Version) -> Result<Perception<E::Percept>, Error> {
        self.books.check_perceiving()?;
        let (Some(run), Some(log)) = (&self.run, self.logs.get_mut(entity)) else {
            return Err(unknown_entity(entity));
        };
        let (environment, context) = (run.episode.environment(), run.episode.context());
        log.list(self.changes, &mut self.shared, |percepts| environment.percepts(entity, context, percepts));
        let version = log.version();
        let beginning = Version { changes: 0, events: version.events };
        let since = if log.knows(since) { since } else { beginning };
        let perception = Perception::new(
            self.books.moment,
            since,
            version,
            log.tell(since, Form::Update, &self.shared, E::Percept::clone),
        );
        if log.is_full() {
            self.trim(entity);
        }
        Ok(perception)
    }

    /// An agent has received what it was told up to this version.
    ///
    /// # Errors
    /// When the entity is not the agent's, or the version was never told.
    pub fn acknowledge(&mut self, agent: AgentId, entity: EntityId, version: Version) -> Result<(), Error> {
        self.books.check_link(agent, entity)?;
        let registered = self.books.agents.get_mut(agent);
        let cursor = registered.and_then(|registered| registered.entities.get_mut(entity));
        let (Some(cursor), Some(log)) = (cursor, self.logs.get(entity)) else { return Err(unknown_entity(entity)) };
        let told = cursor.told;
        if version.changes > told.changes || version.events > told.events || !log.knows(version) {
            let (agent, entity) = (self.books.agent_name(agent).into(), self.books.entity_name(entity).into());
            return Err(Error::NeverTold { agent, entity, version, told });
        }
        let acknowledged = &mut cursor.acknowledged;
        acknowledged.changes = acknowledged.changes.max(version.changes);
        acknowledged.events = acknowledged.events.max(version.events);
        Ok(())
    }

    /// Lets the log of an entity forget what all its agents have acknowledged.
    fn trim(&mut self, entity: EntityId) {
        let (Some(known), Some(log)) = (self.books.entities.get(entity), self.logs.get_mut(entity)) else { return };
        let mut oldest = log.version();
        for agent in known.agents.keys() {
            let registered = self.books.agents.get_mut(agent);
            if let Some(cursor) = registered.and_then(|agent| agent.entities.get_mut(entity)) {
                let needed = cursor.needed();
                oldest.changes = oldest.changes.min(needed.changes);
                oldest.events = oldest.events.min(needed.events);
            }
        }
        log.trim(oldest);
    }
}
