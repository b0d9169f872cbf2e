//! Choosing from what an environment offers to people.

use super::{AgentId, EntityId, Error, Interface};
use crate::environment::Environment;
use crate::menu::{Menu, MenuRequest};

impl<E: Environment> Interface<E> {
    /// What an agent can choose, which is a person or speaks for one, through one of its entities: where it points, in
    /// units of the scene of that entity, or without pointing. The environment is told whether the entity has other
    /// agents.
    ///
    /// # Errors
    /// When the environment is neither paused nor running, or the entity is not the agent's.
    pub fn menu(&self, agent: AgentId, entity: EntityId, at: Option<(f64, f64)>) -> Result<Menu<E::Action>, Error> {
        self.books.check_perceiving()?;
        self.books.check_link(agent, entity)?;
        let shared = self.books.agents_of(entity)?.any(|other| other != agent);
        Ok(self.episode().map(|episode| episode.menu(entity, &MenuRequest { at, shared })).unwrap_or_default())
    }
}
