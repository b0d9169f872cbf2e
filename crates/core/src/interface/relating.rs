//! Registering agents, and associating them with entities. The environment learns about associations.

use super::{AgentId, EntityId, Error, Interface};
use crate::environment::{Environment, Failure, News};

impl<E: Environment> Interface<E> {
    /// Registers an agent under a unique name.
    ///
    /// # Errors
    /// Returns an error if the name is taken, empty, or longer than [`NAME_LENGTH`](super::NAME_LENGTH).
    pub fn register(&mut self, name: &str) -> Result<AgentId, Error> {
        self.books.register(name)
    }

    /// Unregisters an agent and frees its entities.
    ///
    /// # Errors
    /// Returns an error if it is not registered.
    pub fn unregister(&mut self, agent: AgentId) -> Result<(), Error> {
        self.free_agent(agent)?;
        for entity in self.books.unregister(agent) {
            if let Some(news) = self.books.leave(entity) {
                self.tell_environment(news);
            }
        }
        Ok(())
    }

    /// Associates an agent with an entity. Does nothing if it already is.
    ///
    /// # Errors
    /// Returns an error if one of them does not exist, or the environment restricts the relation.
    pub fn associate(&mut self, agent: AgentId, entity: EntityId) -> Result<(), Error> {
        if self.books.check_association(agent, entity)?
            && let Some(log) = self.logs.get(entity)
            && let Some(news) = self.books.link(agent, entity, log.beginning())
        {
            self.tell_environment(news);
        }
        Ok(())
    }

    /// Ends the association of an agent with an entity.
    ///
    /// # Errors
    /// Returns an error if one of them does not exist, or they are not associated.
    pub fn free_pair(&mut self, agent: AgentId, entity: EntityId) -> Result<(), Error> {
        self.books.check_link(agent, entity)?;
        self.unlink(&[agent], entity);
        Ok(())
    }

    /// Frees an entity from all its agents.
    ///
    /// # Errors
    /// Returns an error if the entity does not exist or has no agents.
    pub fn free_entity(&mut self, entity: EntityId) -> Result<(), Error> {
        let agents: Vec<AgentId> = self.books.agents_of(entity)?.collect();
        if agents.is_empty() {
            return Err(Error::Free { entity: self.books.entity_name(entity).into() });
        }
        self.unlink(&agents, entity);
        Ok(())
    }

    /// Frees all entities of an agent.
    ///
    /// # Errors
    /// Returns an error if it is not registered.
    pub fn free_agent(&mut self, agent: AgentId) -> Result<(), Error> {
        let entities: Vec<EntityId> = self.books.entities_of(agent)?.collect();
        for entity in entities {
            // When the environment learns that one entity is free, it may delete another one.
            if self.books.check_link(agent, entity).is_ok() {
                self.unlink(&[agent], entity);
            }
        }
        Ok(())
    }

    /// Requests an entity of a type, possibly with a name, and associates the agent with it. The environment learns
    /// when the agent leaves.
    ///
    /// # Errors
    /// Returns an error if the agent is not registered, the type is not declared, the name is empty or longer than
    /// [`NAME_LENGTH`](super::NAME_LENGTH), the environment provides no entity, or it restricts the relation.
    pub fn request(&mut self, agent: AgentId, entity_type: &str, name: Option<&str>) -> Result<EntityId, Error> {
        self.books.check_request(agent, entity_type, name)?;
        let given = match &mut self.run {
            Some(run) => run.episode.request(entity_type, name),
            None => Err(Failure::new("there is no episode")),
        };
        self.follow_environment();
        self.receive(agent, entity_type, given)
    }

    /// Associates an agent with the entity that the environment provided.
    pub(crate) fn receive(
        &mut self,
        agent: AgentId,
        entity_type: &str,
        given: Result<EntityId, Failure>,
    ) -> Result<EntityId, Error> {
        let entity = match given {
            Ok(entity) if self.books.entity_type(entity) == Ok(entity_type) => entity,
            Ok(_) => {
                return Err(self.books.not_given(
                    agent,
                    entity_type,
                    "the environment returned an entity that does not exist",
                ));
            }
            Err(failure) => return Err(self.books.not_given(agent, entity_type, &failure.reason)),
        };
        self.associate(agent, entity)?;
        // The environment may have deleted the entity when it learned that it was taken.
        if self.books.entity(entity).is_err() {
            return Err(self.books.not_given(agent, entity_type, "the environment deleted it again"));
        }
        self.books.note_request(agent, entity);
        Ok(entity)
    }

    /// Notifies the environment that no agent takes the entity that it provided.
    pub(crate) fn leave_alone(&mut self, name: &str) {
        if let Ok(entity) = self.books.find_entity(name)
            && self.books.free.contains(&entity)
        {
            self.tell_environment(News::Left(entity));
        }
    }

    fn unlink(&mut self, agents: &[AgentId], entity: EntityId) {
        let Some(news) = self.books.unlink(agents, entity) else { return };
        if let Some(log) = self.logs.get_mut(entity) {
            log.forget();
        }
        self.tell_environment(news);
    }
}
