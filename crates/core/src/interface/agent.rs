//! An agent in the same process, for programs that play an environment themselves.

use super::{AgentId, EntityId, Error, Form, Interface, Perception, Since};
use crate::environment::Environment;
use crate::iil::Action;

/// An agent in the same process, with one of its entities: `let perception = agent.step(action)?`.
///
/// It borrows the interface. If several agents play, [`agent`](Interface::agent) borrows it for one after the other;
/// they act and perceive, and [`Interface::step`] advances time for all of them.
#[derive(Debug)]
pub struct TypedAgent<'a, E: Environment> {
    interface: &'a mut Interface<E>,
    agent: AgentId,
    entity: EntityId,
}

impl<E: Environment> Interface<E> {
    /// Registers an agent under this name and associates it with an entity.
    ///
    /// # Errors
    /// Returns an error if the name is taken or invalid, there is no such entity, or the environment restricts the
    /// relation. The agent is then not registered.
    pub fn join(&mut self, agent: &str, entity: &str) -> Result<TypedAgent<'_, E>, Error> {
        let entity = self.find_entity(entity)?;
        let agent = self.register(agent)?;
        if let Err(error) = self.associate(agent, entity) {
            self.unregister(agent)?;
            return Err(error);
        }
        Ok(TypedAgent { interface: self, agent, entity })
    }

    /// Returns a registered agent with its first entity.
    ///
    /// # Errors
    /// Returns an error if the agent is not registered or has no entities.
    pub fn agent(&mut self, agent: &str) -> Result<TypedAgent<'_, E>, Error> {
        let id = self.find_agent(agent)?;
        let entity = self.entities_of(id)?.next();
        let entity = entity.ok_or_else(|| Error::NoEntities { agent: agent.into() })?;
        Ok(TypedAgent { interface: self, agent: id, entity })
    }
}

impl<E: Environment> TypedAgent<'_, E> {
    /// Acts, advances time by one step, and perceives the changes.
    ///
    /// # Errors
    /// Returns an error if the environment is not running, the entity no longer exists or cannot do this, or the
    /// action fails. Time does not advance then.
    pub fn step(&mut self, action: &E::Action) -> Result<Perception<E::Percept>, Error> {
        self.act(action)?;
        self.interface.step()?;
        self.perceive()
    }

    /// Like [`step`](Self::step), with an action in the interface intermediate language.
    ///
    /// # Errors
    /// Like [`step`](Self::step). Also returns an error if the environment has no such action.
    pub fn step_term(&mut self, action: &Action) -> Result<Perception, Error> {
        let action = self.interface.read_action(&self.interface.agent_name(self.agent), action)?;
        self.step(&action).map(|perception| perception.to_iil())
    }

    /// Acts without advancing time. Returns the percepts that the action finds out.
    ///
    /// # Errors
    /// Returns an error if the environment is not running, the entity no longer exists or cannot do this, or the
    /// action fails.
    pub fn act(&mut self, action: &E::Action) -> Result<Vec<E::Percept>, Error> {
        self.interface.act(self.agent, self.entity, action)
    }

    /// Perceives the changes since the last time; the first time, everything that holds.
    ///
    /// # Errors
    /// Returns an error if the environment is neither paused nor running, or the entity no longer exists.
    pub fn perceive(&mut self) -> Result<Perception<E::Percept>, Error> {
        self.interface.perceive(self.agent, self.entity, Form::Update, Since::LastCall)
    }

    /// Returns the interface, for everything else.
    pub fn interface(&mut self) -> &mut Interface<E> {
        self.interface
    }
}
