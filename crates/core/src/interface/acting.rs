//! Actions, and the advance of time.

use super::bookkeeping::{Targets, unknown_entity};
use super::error::{ACTING, STEPPING};
use super::{AgentId, EntityId, Error, Interface, Results};
use crate::environment::{Environment, Failure};
use crate::iil::text::excerpt;
use crate::iil::{Action, EcoString, Percept};
use crate::ontology::typed::{Mismatch, TypedAction, TypedPercept};

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
        let only = self.books.only_target(id, entities);
        let targets = if only.is_some() { Targets::new() } else { self.books.targets(id, entities)? };
        if let Some(read) = read {
            return self.act_through_all(id, only, &targets, read);
        }
        // Borrowed from the result: to copy what was written just now, the processor would wait.
        match &E::Action::read(action, &self.books.ontology) {
            Ok(read) => self.act_through_all(id, only, &targets, read),
            Err(mismatch) => Err(not_supported(agent, mismatch.clone())),
        }
    }

    /// An agent acts through its only entity, or through all targets.
    fn act_through_all(
        &mut self,
        agent: AgentId,
        only: Option<EntityId>,
        targets: &[EntityId],
        action: &E::Action,
    ) -> Result<Results, Error> {
        if let Some(entity) = only {
            let name = self.books.entity_name(entity);
            return Ok([(name, self.act_through(entity, action).map(to_iil))].into());
        }
        // An action may delete another entity, so its name is looked up first.
        let targets: Vec<(EcoString, EntityId)> =
            targets.iter().map(|entity| (self.books.entity_name(*entity), *entity)).collect();
        let act = |(name, entity): (EcoString, EntityId)| {
            if self.books.entity(entity).is_err() {
                return (name.clone(), Err(Error::Gone { entity: name.into() }));
            }
            (name, self.act(agent, entity, action).map(to_iil))
        };
        Ok(targets.into_iter().map(act).collect())
    }

    /// Reads the action of an agent.
    pub(crate) fn read_action(&self, agent: &str, action: &Action) -> Result<E::Action, Error> {
        E::Action::read(action, &self.books.ontology).map_err(|mismatch| not_supported(agent, mismatch))
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

#[inline(always)] // so that the usual empty list stays in registers
fn to_iil<P: TypedPercept>(found: Vec<P>) -> Vec<Percept> {
    if found.is_empty() { Vec::new() } else { found.iter().map(P::to_iil).collect() }
}

fn not_supported(agent: &str, mismatch: Mismatch) -> Error {
    Error::NotSupportedByEnvironment { agent: agent.into(), mismatch }
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
