//! Acting, and the passing of time.

use super::error::{ACTING, STEPPING};
use super::relation::unknown_entity;
use super::{AgentId, EntityId, Error, Interface, State};
use crate::environment::{Environment, Failure};
use crate::iil::text::excerpt;
use crate::iil::{Action, EcoString};
use crate::ontology::typed::TypedAction;

impl<E: Environment> Interface<E> {
    /// An agent acts through one of its entities. What the action finds out is returned.
    ///
    /// # Errors
    /// When the environment is not running, the entity is not the agent's, it cannot do this, or it fails.
    pub fn act(&mut self, agent: AgentId, entity: EntityId, action: &E::Action) -> Result<Vec<E::Percept>, Error> {
        self.check_running(ACTING)?;
        self.link_of(agent, entity)?;
        self.act_through(entity, action)
    }

    /// An entity does what it does if nobody has chosen for it; whether there is anything that it does then.
    ///
    /// # Errors
    /// When the environment is not running, there is no such entity, or the action fails.
    pub fn act_by_default(&mut self, entity: EntityId) -> Result<bool, Error> {
        self.check_running(ACTING)?;
        self.entity_type(entity)?;
        let action = self.episode.as_ref().and_then(|episode| episode.default_action(entity));
        action.map_or(Ok(false), |action| self.act_through(entity, &action).map(|_| true))
    }

    /// Time moves on by one step.
    ///
    /// # Errors
    /// When the environment is not running.
    pub fn step(&mut self) -> Result<(), Error> {
        self.check_running(STEPPING)?;
        if let Some(episode) = &mut self.episode {
            episode.step();
            self.follow_world();
        }
        Ok(())
    }
}

/// The parts of the above.
impl<E: Environment> Interface<E> {
    pub(super) fn check_running(&self, what: &'static str) -> Result<(), Error> {
        match self.state {
            State::Running => Ok(()),
            state => Err(Error::WrongState { what, state }),
        }
    }

    /// The entity is one of an agent's, and the environment is running.
    fn act_through(&mut self, entity: EntityId, action: &E::Action) -> Result<Vec<E::Percept>, Error> {
        self.check_ability(entity, action)?;
        let Some(episode) = &mut self.episode else { return Err(unknown_entity(entity)) };
        let result = episode.act(entity, action);
        self.follow_world();
        result.map_err(|failure| action_failed(self.entity_name(entity), &action.to_iil(), failure))
    }

    /// Whether entities of its type can do this.
    pub(super) fn check_ability(&self, entity: EntityId, action: &E::Action) -> Result<(), Error> {
        let body = self.bodies.get(entity).ok_or_else(|| unknown_entity(entity))?;
        if self.abilities[body.entity_type][action.variant()] {
            return Ok(());
        }
        Err(self.not_supported_by_type(entity, body.entity_type, action))
    }

    fn not_supported_by_type(&self, entity: EntityId, entity_type: usize, action: &E::Action) -> Error {
        let of = &self.ontology.entity_types[entity_type];
        let can: Vec<String> = of.actions.iter().map(ToString::to_string).collect();
        Error::NotSupportedByType {
            entity: self.entity_name(entity).into(),
            entity_type: of.name.clone(),
            action: excerpt(&action.to_iil()),
            can: can.join(", "),
        }
    }
}

/// An error for an action that the world does not do.
pub(super) fn action_failed(entity: EcoString, action: &Action, failure: Failure) -> Error {
    let (entity, action) = (entity.into(), excerpt(action));
    let Failure { reason, tried } = failure;
    if tried {
        Error::Failure { entity, action, reason }
    } else {
        Error::NotSupportedByEntity { entity, action, reason }
    }
}
