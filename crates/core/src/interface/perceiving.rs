//! Perceiving, and acknowledging what was perceived.

use super::relation::unknown_entity;
use super::{AgentId, EntityId, Error, Form, Interface, Perception, Since, State, Version};
use crate::environment::Environment;

impl<E: Environment> Interface<E> {
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
        let moment = self.moment();
        self.check_perceiving()?;
        self.link_of(agent, entity)?;
        let (Some(episode), Some(registered), Some(body)) =
            (&self.episode, self.agents.get_mut(agent), self.bodies.get_mut(entity))
        else {
            return Err(unknown_entity(entity));
        };
        let cursor = registered.entities.get_mut(entity).ok_or_else(|| unknown_entity(entity))?;
        if since == Since::LastCall {
            cursor.acknowledged = cursor.told;
        }
        let since = cursor.acknowledged;
        let (environment, context) = (episode.environment(), episode.context());
        body.log.list(self.changes, |percepts| environment.percepts(entity, context, percepts));
        let version = body.log.version();
        cursor.tell(version);
        let perception = Perception::new(moment, since, version, body.log.tell(since, form));
        if !perception.is_empty() && body.log.is_full() {
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
        let moment = self.moment();
        self.check_perceiving()?;
        let (Some(episode), Some(body)) = (&self.episode, self.bodies.get_mut(entity)) else {
            return Err(unknown_entity(entity));
        };
        let (environment, context) = (episode.environment(), episode.context());
        body.log.list(self.changes, |percepts| environment.percepts(entity, context, percepts));
        let version = body.log.version();
        let beginning = Version { changes: 0, events: version.events };
        let since = if body.log.knows(since) { since } else { beginning };
        let perception = Perception::new(moment, since, version, body.log.tell(since, Form::Update));
        if body.log.is_full() {
            self.trim(entity);
        }
        Ok(perception)
    }

    /// An agent has received what it was told up to this version.
    ///
    /// # Errors
    /// When the entity is not the agent's, or the version was never told.
    pub fn acknowledge(&mut self, agent: AgentId, entity: EntityId, version: Version) -> Result<(), Error> {
        self.link_of(agent, entity)?;
        let registered = self.agents.get_mut(agent);
        let cursor = registered.and_then(|registered| registered.entities.get_mut(entity));
        let (Some(cursor), Some(body)) = (cursor, self.bodies.get(entity)) else { return Err(unknown_entity(entity)) };
        let told = cursor.told;
        if version.changes > told.changes || version.events > told.events || !body.log.knows(version) {
            let (agent, entity) = (self.agent_name(agent).into(), self.entity_name(entity).into());
            return Err(Error::NeverTold { agent, entity, version, told });
        }
        let acknowledged = &mut cursor.acknowledged;
        acknowledged.changes = acknowledged.changes.max(version.changes);
        acknowledged.events = acknowledged.events.max(version.events);
        Ok(())
    }

    pub(super) fn check_perceiving(&self) -> Result<(), Error> {
        match self.state {
            State::Running | State::Paused => Ok(()),
            state => Err(Error::WrongState { what: "perceiving", state }),
        }
    }

    /// Lets the log of an entity forget what all its agents have acknowledged.
    fn trim(&mut self, entity: EntityId) {
        let Some(body) = self.bodies.get_mut(entity) else { return };
        let mut oldest = body.log.version();
        for agent in body.agents.keys() {
            let registered = self.agents.get_mut(agent);
            if let Some(cursor) = registered.and_then(|agent| agent.entities.get_mut(entity)) {
                let needed = cursor.needed();
                oldest.changes = oldest.changes.min(needed.changes);
                oldest.events = oldest.events.min(needed.events);
            }
        }
        body.log.trim(oldest);
    }
}
