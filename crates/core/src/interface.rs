//! The interface between agents and one environment, as in the Environment Interface Standard. It knows agents and
//! entities by name only, and the relation between them: see [`Bookkeeping`].
//!
//! [`Interface`] is typed over its environment and uses small numbers ([`AgentId`], [`EntityId`]): the fast path for
//! Rust. [`EnvironmentInterface`] is the interface to environments of any kind: a small object-safe trait with names
//! and the interface intermediate language, in which everything that changes an environment is an [`Input`].
//!
//! The interface does no I/O, reads no clock and makes no callbacks. Observers [drain](Interface::drain) changes as
//! data. The cost of an operation on one agent or entity does not grow with their number, except for the ordered sets
//! of free and associated entities (logarithmically) and for the cache. Other operations cost as much as they return.

mod acting;
mod agent;
mod bookkeeping;
mod by_name;
mod encoded;
mod error;
mod following;
mod happenings;
mod input;
mod log;
mod management;
mod named;
mod perceiving;
mod perception;
mod progress;
mod relating;
mod saving;

use std::ops::Deref;

use crate::environment::{Environment, Episode, Outcome, Shared};
use crate::iil::Parameter;
use crate::ontology::typed::TypedAction;
use crate::ontology::{NamedTypes, Ontology};
use crate::roster::Roster;
use encoded::Encoder;
use log::Log;

pub use crate::environment::{Command, FIRST_SEED, State};
pub use crate::names::NAME_LENGTH;
pub use crate::roster::{AgentId, EntityId};
pub(crate) use acting::action_failed;
pub use agent::TypedAgent;
pub use bookkeeping::Bookkeeping;
pub use encoded::EncodedView;
pub(crate) use error::{ACTING, STEPPING};
pub use error::{Error, ErrorKind};
pub use happenings::{Drained, HAPPENINGS_REMEMBERED, Happening, Observer};
pub use input::{ActionResult, Effect, Input, InputAction, ReadAction, Results, Time};
pub use log::{CHANGES_REMEMBERED, EVENTS_REMEMBERED};
pub use named::{Checked, EnvironmentInterface, EpisodeView};
pub use perception::{Form, Moment, Perception, Since, Version};
pub use progress::{EventsHeard, Progress};

/// The interface between agents and an environment. [`Bookkeeping`] has the lookups.
#[derive(Debug)]
pub struct Interface<E: Environment> {
    pub(crate) books: Bookkeeping,
    run: Option<Run<E>>,
    /// The percepts of each entity.
    logs: Roster<EntityId, Log<E::Percept>>,
    /// The percepts that entities share.
    shared: Shared<E::Percept>,
    /// The largest number of events of a deleted entity. A new entity of the same name continues from there.
    events_of_ended: u64,
    /// Counts possible changes of the environment, so that unchanged percepts are not listed again.
    changes: u64,
    /// The encoding, if the interface was made with it.
    encoder: Option<Encoder<E>>,
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
    /// Creates an interface whose environment is not initialized.
    pub fn new() -> Self {
        let ontology = E::ontology();
        let declarations = E::Action::declarations(&mut NamedTypes::new());
        let can = |entity_type: &str| declarations.iter().map(|one| one.is_of(entity_type)).collect();
        let abilities = ontology.entity_types.iter().map(|of| can(&of.name)).collect();
        Self::with(ontology, abilities)
    }

    /// Creates an interface to an environment with this ontology, and with these abilities of its entity types.
    pub(crate) fn with(ontology: Ontology, abilities: Vec<Vec<bool>>) -> Self {
        Self {
            books: Bookkeeping::new(ontology, abilities),
            run: None,
            logs: Roster::new(),
            shared: Shared::default(),
            events_of_ended: 0,
            changes: 0,
            encoder: None,
        }
    }

    /// Returns the episode; `None` before init and after kill.
    pub fn episode(&self) -> Option<&Episode<E>> {
        self.run.as_ref().map(|run| &run.episode)
    }

    pub(crate) fn episode_mut(&mut self) -> Option<&mut Episode<E>> {
        self.run.as_mut().map(|run| &mut run.episode)
    }

    /// Returns the ontology, and the episode as mutable.
    pub(crate) fn parts_mut(&mut self) -> (&Ontology, Option<&mut Episode<E>>) {
        (&self.books.ontology, self.run.as_mut().map(|run| &mut run.episode))
    }

    /// Returns the parameters of the episode.
    pub(crate) fn parameters(&self) -> Option<&E::Parameters> {
        self.run.as_ref().map(|run| &run.parameters)
    }

    /// Sets the wall-clock time: milliseconds since the beginning of 1970, UTC. The owner of the interface calls it.
    pub(crate) fn set_time(&mut self, time: u64) {
        self.books.now = time;
    }

    /// Returns the value of a property of the environment; `None` if it has none at this time. In addition to the
    /// declared properties there are `name`, `version` and `requiredVersion`, the version of `situated` that the
    /// environment was built for.
    ///
    /// # Errors
    /// Returns an error that lists the properties if there is no such property.
    pub fn query(&self, property: &str) -> Result<Option<Parameter>, Error> {
        self.books.check_property(None, property)?;
        Ok(match property {
            "name" => Some(self.books.ontology.name.as_str().into()),
            "version" => Some(self.books.ontology.version.as_str().into()),
            "requiredVersion" => Some(env!("CARGO_PKG_VERSION").into()),
            _ => self.episode().and_then(|episode| episode.query(property)),
        })
    }

    /// Returns the value of a property of an entity; `None` if it has none at this time. In addition to the declared
    /// properties there is `type`.
    ///
    /// # Errors
    /// Returns an error if the entity does not exist, or that lists the properties if there is no such property.
    pub(crate) fn query_entity(&self, entity: EntityId, property: &str) -> Result<Option<Parameter>, Error> {
        let entity_type = self.books.entity_type(entity)?;
        self.books.check_property(Some(entity), property)?;
        if property == "type" {
            return Ok(Some(entity_type.into()));
        }
        Ok(self.episode().and_then(|episode| episode.query_entity(entity, property)))
    }

    /// Returns the outcome of the episode; `None` before init and after kill.
    pub fn outcome(&self) -> Option<Outcome> {
        self.episode().map(Episode::outcome)
    }

    /// Returns the happenings that an observer has not received yet.
    pub fn drain(&self, observer: &mut Observer) -> Drained {
        self.books.drain(observer, || self.outcome())
    }
}
