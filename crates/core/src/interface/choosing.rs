//! Choosing from what a world offers to people.

use super::relation::unknown_entity;
use super::{AgentId, EntityId, Error, Interface};
use crate::environment::Environment;
use crate::menu::{Menu, MenuRequest};

impl<E: Environment> Interface<E> {
    /// What an agent can choose, which is a person or speaks for one, through one of its entities: where it points, in
    /// units of the scene of that entity, or without pointing. The world is told whether the entity has other agents.
    ///
    /// # Errors
    /// When the environment is neither paused nor running, or the entity is not the agent's.
    pub fn menu(&self, agent: AgentId, entity: EntityId, at: Option<(f64, f64)>) -> Result<Menu<E::Action>, Error> {
        self.check_perceiving()?;
        self.link_of(agent, entity)?;
        let (Some(episode), Some(body)) = (&self.episode, self.bodies.get(entity)) else {
            return Err(unknown_entity(entity));
        };
        let shared = body.agents.keys().any(|other| other != agent);
        Ok(episode.menu(entity, &MenuRequest { at, shared }))
    }
}
