//! Actions, and the advance of time.

use std::borrow::Cow;

use super::bookkeeping::unknown_entity;
use super::error::{ACTING, STEPPING};
use super::{AgentId, EntityId, Error, Interface, Results};
use crate::environment::{Environment, Failure};
use crate::iil::text::excerpt;
use crate::iil::{Action, EcoString};
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
    ) -> Result<Results, Error> {
        self.books.check_running(ACTING)?;
        let id = self.books.find_agent(agent)?;
        let targets = self.books.targets(id, entities)?;
        let action = match read {
            Some(read) => Cow::Borrowed(read),
            None => Cow::Owned(self.read_action(agent, action)?),
        };
        // An action may delete another entity, so all names are looked up first.
        let mut results: Results =
            targets.iter().map(|entity| (self.books.entity_name(*entity), Ok(Vec::new()))).collect();
        for (entity, (name, result)) in targets.into_iter().zip(&mut results) {
            *result = if self.books.entity(entity).is_ok() {
                self.act_through(entity, &action).map(|found| found.iter().map(E::Percept::to_iil).collect())
            } else {
                Err(Error::Gone { entity: name.clone().into() })
            };
        }
        Ok(results)
    }

    /// Reads the action of an agent.
    pub(crate) fn read_action(&self, agent: &str, action: &Action) -> Result<E::Action, Error> {
        let read = E::Action::read(action, &self.books.ontology);
        read.map_err(|mismatch| Error::NotSupportedByEnvironment { agent: agent.into(), mismatch })
    }

    /// Performs an action. The caller has checked the state and the relation.
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
