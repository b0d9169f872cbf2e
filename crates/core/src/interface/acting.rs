//! Actions, and the advance of time.

use super::bookkeeping::unknown_entity;
use super::error::{ACTING, STEPPING};
use super::{ActionResult, AgentId, EntityId, Error, Interface};
use crate::environment::{Environment, Failure};
use crate::iil::text::excerpt;
use crate::iil::{Action, EcoString, Percept};
use crate::ontology::typed::{TypedAction, TypedPercept};

impl<E: Environment> Interface<E> {
    /// Performs an action of an agent through one of its entities. Returns the percepts that the action finds out.
    ///
    /// # Errors
    /// Returns an error if the environment is not running, the agent does not control the entity, the entity cannot
    /// do this, or the action fails.
    pub fn act(&mut self, agent: AgentId, entity: EntityId, action: &E::Action) -> Result<Vec<E::Percept>, Error> {
        self.books.check_running(ACTING)?;
        self.books.check_link(agent, entity)?;
        self.act_through(entity, action)
    }

    /// Performs the default action of an entity. Returns whether it has one.
    ///
    /// # Errors
    /// Returns an error if the environment is not running, there is no such entity, or the action fails.
    pub fn act_by_default(&mut self, entity: EntityId) -> Result<bool, Error> {
        self.books.check_running(ACTING)?;
        self.books.entity(entity)?;
        let action = self.episode().and_then(|episode| episode.default_action(entity));
        action.map_or(Ok(false), |action| self.act_through(entity, &action).map(|_| true))
    }

    /// Advances time by one step.
    ///
    /// # Errors
    /// Returns an error if the environment is not running.
    pub fn step(&mut self) -> Result<(), Error> {
        self.books.check_running(STEPPING)?;
        if let Some(run) = &mut self.run {
            run.episode.step();
            self.follow_environment();
        }
        Ok(())
    }

    /// An agent acts through the entities that it names, or all that it has; there is a result for each. `read` is the
    /// action if it has been read already.
    pub(super) fn act_by_name(
        &mut self,
        agent: &str,
        action: &Action,
        read: Option<&E::Action>,
        entities: &[impl AsRef<str>],
    ) -> Result<Vec<(EcoString, ActionResult)>, Error> {
        let (id, targets) = self.books.check_acting(agent, entities)?;
        let own;
        let action = match read {
            Some(action) => action,
            None => {
                own = self.read_action(agent, action)?;
                &own
            }
        };
        if let [entity] = *targets.as_slice() {
            let name = self.books.entity_name(entity);
            return Ok(vec![(name, self.act_through(entity, action).map(to_iil))]);
        }
        // An action may delete another entity, so its name is looked up first.
        let targets: Vec<(EcoString, EntityId)> =
            targets.as_slice().iter().map(|entity| (self.books.entity_name(*entity), *entity)).collect();
        let act = |(name, entity): (EcoString, EntityId)| {
            if self.books.entity(entity).is_err() {
                return (name.clone(), Err(Error::Gone { entity: name.into() }));
            }
            (name, self.act(id, entity, action).map(to_iil))
        };
        Ok(targets.into_iter().map(act).collect())
    }

    /// Reads the action of an agent.
    pub(crate) fn read_action(&self, agent: &str, action: &Action) -> Result<E::Action, Error> {
        let read = E::Action::read(action, &self.books.ontology);
        read.map_err(|mismatch| Error::NotSupportedByEnvironment { agent: agent.into(), mismatch })
    }

    /// Performs an action. The caller has checked the state and the relation.
    #[inline(always)] // as `targets`
    fn act_through(&mut self, entity: EntityId, action: &E::Action) -> Result<Vec<E::Percept>, Error> {
        self.books.check_ability(entity, action.variant(), || excerpt(&action.to_iil()))?;
        let Some(run) = &mut self.run else { return Err(unknown_entity(entity)) };
        match run.episode.act(entity, action) {
            Ok(found) => {
                self.follow_environment();
                Ok(found)
            }
            Err(failure) => {
                self.follow_environment();
                Err(action_failed(self.books.entity_name(entity), &action.to_iil(), failure))
            }
        }
    }
}

fn to_iil<P: TypedPercept>(found: Vec<P>) -> Vec<Percept> {
    if found.is_empty() { Vec::new() } else { found.iter().map(P::to_iil).collect() }
}

/// Returns the error for an action that the environment refused.
pub(crate) fn action_failed(entity: EcoString, action: &Action, failure: Failure) -> Error {
    let (entity, action) = (entity.into(), excerpt(action));
    let Failure { reason, tried } = failure;
    if tried {
        Error::Failure { entity, action, reason }
    } else {
        Error::NotSupportedByEntity { entity, action, reason }
    }
}
