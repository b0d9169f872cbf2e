//! The interface between agents and one environment, as in the Environment Interface Standard. It knows agents and
//! entities by name only, and the relation between them: its [`Bookkeeping`].
//!
//! [`Interface`] is typed over its environment and uses small numbers ([`AgentId`], [`EntityId`]): the fast path for
//! Rust. [`EnvironmentInterface`] is the boundary of environments of any kind: a small object-safe trait with names and
//! the interface intermediate language, in which everything that changes an environment is an [`Input`].
//!
//! Nothing here does I/O, reads a clock or calls back. What observers want to know is data, which they
//! [drain](Interface::drain). What an operation on one thing costs does not grow with how many there are, but for the
//! ordered sets of those that are free or related (logarithmically) and for the cache; others cost what they return.

mod acting;
mod agent;
mod bookkeeping;
mod by_name;
mod error;
mod following;
mod happenings;
mod input;
mod links;
mod log;
mod management;
mod named;
mod perceiving;
mod perception;
mod relating;
mod saving;

use std::ops::Deref;

use crate::environment::{Environment, Episode, Outcome, Shared};
use crate::iil::Parameter;
use crate::ontology::typed::TypedAction;
use crate::ontology::{NamedTypes, Ontology};
use crate::roster::Roster;
use log::Log;

pub use crate::environment::{Command, FIRST_SEED, State};
pub use crate::names::NAME_LENGTH;
pub use crate::roster::{AgentId, EntityId};
pub(crate) use acting::action_failed;
pub use agent::LocalAgent;
pub use bookkeeping::Bookkeeping;
pub(crate) use error::{ACTING, STEPPING};
pub use error::{Error, ErrorKind};
pub use happenings::{Drained, HAPPENINGS_REMEMBERED, Happening, Observer};
pub use input::{ActionResult, Effect, Input, InputAction, ReadAction, Time};
pub use log::{CHANGES_REMEMBERED, EVENTS_REMEMBERED};
pub use named::{Checked, EnvironmentInterface, EpisodeView};
pub use perception::{Form, Moment, Perception, Since, Version};

/// The interface between agents and an environment. All lookups are those of its [`Bookkeeping`].
#[derive(Debug)]
pub struct Interface<E: Environment> {
    pub(crate) books: Bookkeeping,
    run: Option<Run<E>>,
    /// The percepts of each entity.
    logs: Roster<EntityId, Log<E::Percept>>,
    /// The percepts that entities share.
    shared: Shared<E::Percept>,
    /// The most events that an entity had that is no more. Another of its name counts on from there.
    events_of_ended: u64,
    /// Counts what may have changed the environment, so that nothing is listed twice.
    changes: u64,
}

/// An episode with its parameters.
#[derive(Debug)]
struct Run<E: Environment> {
    parameters: E::Parameters,
    episode: Episode<E>,
}

impl<E: Environment> Default for Interface<E> {
    fn default() -> Self {
        Self::new()
    }
}

impl<E: Environment> Deref for Interface<E> {
    type Target = Bookkeeping;

    fn deref(&self) -> &Bookkeeping {
        &self.books
    }
}

impl<E: Environment> Interface<E> {
    /// An interface whose environment is not yet initialized.
    pub fn new() -> Self {
        let ontology = E::ontology();
        let declarations = E::Action::declarations(&mut NamedTypes::new());
        let can = |entity_type: &str| declarations.iter().map(|one| one.is_of(entity_type)).collect();
        let abilities = ontology.entity_types.iter().map(|of| can(&of.name)).collect();
        Self::with(ontology, abilities)
    }

    /// An interface to an environment with this ontology, and with these abilities of its entity types.
    pub(crate) fn with(ontology: Ontology, abilities: Vec<Vec<bool>>) -> Self {
        Self {
            books: Bookkeeping::new(ontology, abilities),
            run: None,
            logs: Roster::new(),
            shared: Shared::default(),
            events_of_ended: 0,
            changes: 0,
        }
    }

    /// The running episode; none before init and after kill.
    pub fn episode(&self) -> Option<&Episode<E>> {
        self.run.as_ref().map(|run| &run.episode)
    }

    pub(crate) fn episode_mut(&mut self) -> Option<&mut Episode<E>> {
        self.run.as_mut().map(|run| &mut run.episode)
    }

    /// The ontology, and the episode to be changed.
    pub(crate) fn parts_mut(&mut self) -> (&Ontology, Option<&mut Episode<E>>) {
        (&self.books.ontology, self.run.as_mut().map(|run| &mut run.episode))
    }

    /// The parameters of the episode.
    pub(crate) fn parameters(&self) -> Option<&E::Parameters> {
        self.run.as_ref().map(|run| &run.parameters)
    }

    /// The owner of the interface says what time it is: milliseconds since the beginning of 1970, UTC.
    pub fn set_time(&mut self, time: u64) {
        self.books.now = time;
    }

    /// A property of the environment. Beside its own there are `name`, `version` and `requiredVersion`, the version of
    /// `situated` that it was built for.
    pub fn query(&self, property: &str) -> Option<Parameter> {
        match property {
            "name" => Some(self.books.ontology.name.as_str().into()),
            "version" => Some(self.books.ontology.version.as_str().into()),
            "requiredVersion" => Some(env!("CARGO_PKG_VERSION").into()),
            _ => self.episode()?.query(property),
        }
    }

    /// A property of an entity. Beside those of the environment there is `type`.
    ///
    /// # Errors
    /// When the entity does not exist.
    pub fn query_entity(&self, entity: EntityId, property: &str) -> Result<Option<Parameter>, Error> {
        let entity_type = self.books.entity_type(entity)?;
        if property == "type" {
            return Ok(Some(entity_type.into()));
        }
        Ok(self.episode().and_then(|episode| episode.query_entity(entity, property)))
    }

    /// How the episode stands; none before init and after kill.
    pub fn outcome(&self) -> Option<Outcome> {
        self.episode().map(Episode::outcome)
    }

    /// What an observer has not been told yet.
    pub fn drain(&self, observer: &mut Observer) -> Drained {
        self.books.drain(observer, || self.outcome())
    }
}
