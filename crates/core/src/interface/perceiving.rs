//! Percepts, acknowledgements, and menus.

use super::bookkeeping::unknown_entity;
use super::log::Log;
use super::{AgentId, EntityId, Error, Form, Interface, Moment, Perception, Since, Version};
use crate::environment::{Environment, Shared};
use crate::menu::{Menu, MenuRequest};
use crate::ontology::typed::TypedPercept;

/// The percepts of an entity, relative to a version that the receiver knows.
pub(super) struct Listed<'a, P> {
    log: &'a Log<P>,
    shared: &'a Shared<P>,
    moment: Moment,
    since: Version,
}

impl<'a, P: TypedPercept> Listed<'a, P> {
    /// The perception, with each percept as `word` puts it.
    pub(super) fn tell<Q>(&self, form: Form, word: impl Fn(&'a P) -> Q) -> Perception<Q> {
        self.log.tell(self.moment, self.since, form, self.shared, word)
    }
}

/// The distance of a point from the origin, in units of the scene, beyond which it does not matter how far it is.
const FAR: f64 = 1e6;

impl<E: Environment> Interface<E> {
    /// Returns the choices of a person who acts through one of an agent's entities, such as those at a point in the
    /// scene of that entity. The environment learns whether the entity has other agents.
    ///
    /// # Errors
    /// Returns an error if the environment is neither paused nor running, or the agent does not control the entity.
    pub fn menu(
        &self,
        agent: AgentId,
        entity: EntityId,
        request: impl Into<MenuRequest>,
    ) -> Result<Menu<E::Action>, Error> {
        self.books.check_perceiving()?;
        self.books.check_link(agent, entity)?;
        let shared = self.books.agents_of(entity)?.any(|other| other != agent);
        let request = request.into();
        // Environments turn points into cells, which must not overflow.
        let at = request.at.map(|(x, y)| (x.clamp(-FAR, FAR), y.clamp(-FAR, FAR)));
        let request = MenuRequest { shared, at, ..request };
        Ok(self.episode().map(|episode| episode.menu(entity, &request)).unwrap_or_default())
    }

    /// Perceives through one of the agent's entities. It allocates nothing if nothing has changed.
    ///
    /// # Errors
    /// Returns an error if the environment is neither paused nor running, or the agent does not control the entity.
    pub fn perceive(
        &mut self,
        agent: AgentId,
        entity: EntityId,
        form: Form,
        since: Since,
    ) -> Result<Perception<E::Percept>, Error> {
        self.books.check_perceiving()?;
        Ok(self.list(agent, entity, since)?.tell(form, E::Percept::clone))
    }

    /// Lists the percepts of an entity for the next perception of an agent.
    pub(super) fn list(
        &mut self,
        agent: AgentId,
        entity: EntityId,
        since: Since,
    ) -> Result<Listed<'_, E::Percept>, Error> {
        let Some(cursor) = self.books.cursor_mut(agent, entity) else {
            return Err(self.books.check_link(agent, entity).err().unwrap_or_else(|| unknown_entity(entity)));
        };
        let since = cursor.since(since);
        self.trim_if_full(entity);
        let (Some(run), Some(log), Some(cursor)) =
            (&self.run, self.logs.get_mut(entity), self.books.cursor_mut(agent, entity))
        else {
            return Err(unknown_entity(entity));
        };
        log.list(self.changes, &mut self.shared, run.episode.lister(entity));
        cursor.tell(log.version());
        Ok(Listed { log, shared: &self.shared, moment: self.books.moment, since })
    }

    /// Perceives through an entity without being its agent, given the version that the caller knows. Returns the
    /// difference, or everything if the version does not belong to the current log. A new caller begins with the
    /// default version, and gets all percepts that hold, but no earlier events. The call does not affect agents.
    ///
    /// # Errors
    /// Returns an error if the environment is neither paused nor running, or the entity does not exist.
    pub fn watch(&mut self, entity: EntityId, since: Version) -> Result<Perception<E::Percept>, Error> {
        self.books.check_perceiving()?;
        self.trim_if_full(entity);
        let (Some(run), Some(log)) = (&self.run, self.logs.get_mut(entity)) else {
            return Err(unknown_entity(entity));
        };
        log.list(self.changes, &mut self.shared, run.episode.lister(entity));
        let beginning = Version { changes: 0, events: log.version().events };
        let since = if log.knows(since) { since } else { beginning };
        let listed = Listed { log, shared: &self.shared, moment: self.books.moment, since };
        Ok(listed.tell(Form::Update, E::Percept::clone))
    }

    /// Notes that an agent has received everything up to this version.
    ///
    /// # Errors
    /// Returns an error if the agent does not control the entity, or the interface never returned the version.
    pub fn acknowledge(&mut self, agent: AgentId, entity: EntityId, version: Version) -> Result<(), Error> {
        self.books.check_link(agent, entity)?;
        let (Some(cursor), Some(log)) = (self.books.cursor_mut(agent, entity), self.logs.get(entity)) else {
            return Err(unknown_entity(entity));
        };
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

    /// Notes the version of an entity's percepts that an agent has, as it says itself. Its next perception is relative
    /// to this version, or has everything if the version is not remembered or was never told.
    ///
    /// # Errors
    /// Returns an error if the agent does not control the entity.
    pub fn know(&mut self, agent: AgentId, entity: EntityId, version: Version) -> Result<(), Error> {
        self.books.check_link(agent, entity)?;
        let (Some(cursor), Some(log)) = (self.books.cursor_mut(agent, entity), self.logs.get(entity)) else {
            return Err(unknown_entity(entity));
        };
        log.know(cursor, version);
        Ok(())
    }

    /// Lets the logs of all entities forget their history, because it takes too much memory.
    pub(crate) fn forget_history(&mut self) {
        let Some(run) = &self.run else { return };
        let entities: Vec<EntityId> = self.logs.iter().map(|(entity, _)| entity).collect();
        for entity in entities {
            if let Some(log) = self.logs.get_mut(entity) {
                log.forget_history(self.changes, &mut self.shared, run.episode.lister(entity));
            }
        }
    }

    /// Lets the log of an entity forget the changes that all its agents have acknowledged, if it is full.
    fn trim_if_full(&mut self, entity: EntityId) {
        let Some(log) = self.logs.get_mut(entity).filter(|log| log.is_full()) else { return };
        let Ok(known) = self.books.entity(entity) else { return };
        let mut oldest = log.version();
        for agent in &known.agents {
            if let Some(cursor) = self.books.cursor(*agent, entity) {
                let needed = cursor.needed();
                oldest.changes = oldest.changes.min(needed.changes);
                oldest.events = oldest.events.min(needed.events);
            }
        }
        log.trim(oldest);
    }
}
