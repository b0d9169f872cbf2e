//! The interface between agents and one environment: the book-keeping of the Environment Interface Standard. It knows
//! agents and entities by name only, and the relation between them.
//!
//! [`Interface`] is typed over its environment and speaks small numbers ([`AgentId`], [`EntityId`]): the fast path
//! for Rust. [`EnvironmentInterface`] is its object-safe form, which speaks names and the interface intermediate
//! language: what everything outside holds.
//!
//! Nothing here does I/O, reads a clock or calls back. What observers want to know is data, which they
//! [drain](Interface::drain). What an operation on one thing costs does not grow with how many there are, but for the
//! ordered sets of those that are free or related (logarithmically) and for the cache; others cost what they return.

mod acting;
mod choosing;
mod error;
mod following;
mod happenings;
mod hosted;
mod links;
mod log;
mod management;
mod named;
mod perceiving;
mod perception;
mod relation;
mod saving;
mod state;

use std::collections::BTreeSet;

use hashbrown::HashMap;

use crate::environment::{Environment, Episode, Outcome};
use crate::iil::{EcoString, Parameter};
use crate::ontology::typed::TypedAction;
use crate::ontology::{NamedTypes, Ontology};
use crate::roster::Roster;
use happenings::Happenings;
use links::Links;
use log::{Cursor, Log};

pub use crate::names::NAME_LENGTH;
pub use crate::roster::{AgentId, EntityId};
pub use error::{Error, ErrorKind};
pub use happenings::{Drained, HAPPENINGS_REMEMBERED, Happening, Observer};
pub use hosted::{ActingCalls, Completed};
pub use log::{CHANGES_REMEMBERED, EVENTS_REMEMBERED};
pub use named::{ActionResult, Checked, EnvironmentInterface};
pub use perception::{Form, Moment, Perception, Since, Version};
pub use state::{Command, FIRST_SEED, State};

/// The interface between agents and an environment.
#[derive(Debug)]
pub struct Interface<E: Environment> {
    ontology: Ontology,
    /// For each entity type of the ontology, whether its entities can do the variants of the actions.
    abilities: Vec<Vec<bool>>,
    state: State,
    parameters: Option<E::Parameters>,
    episode: Option<Episode<E>>,
    episode_number: u64,
    agents: Roster<AgentId, Registered>,
    names: HashMap<EcoString, AgentId>,
    bodies: Roster<EntityId, Body<E::Percept>>,
    free: BTreeSet<EntityId>,
    /// The bodies that the world made because these agents asked for them.
    requested: BTreeSet<(AgentId, EntityId)>,
    happenings: Happenings,
    /// Counts what may have changed the world, so that nothing is listed twice.
    changes: u64,
    /// Wall-clock time now, and when the world last changed.
    now: u64,
    changed_at: u64,
    over: bool,
}

/// An agent, known by its name.
#[derive(Debug)]
struct Registered {
    name: EcoString,
    entities: Links<EntityId, Cursor>,
}

/// What the interface keeps for an entity.
#[derive(Debug)]
struct Body<P> {
    /// The place of its type in the ontology.
    entity_type: usize,
    agents: Links<AgentId, ()>,
    /// Who had asked for it, if the world made it for that.
    requested_by: Option<AgentId>,
    log: Log<P>,
}

impl<E: Environment> Default for Interface<E> {
    fn default() -> Self {
        Self::new()
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

    /// One whose environment declares this, and whose entities have these abilities.
    fn with(ontology: Ontology, abilities: Vec<Vec<bool>>) -> Self {
        Self {
            ontology,
            abilities,
            state: State::Initializing,
            parameters: None,
            episode: None,
            episode_number: 0,
            agents: Roster::new(),
            names: HashMap::new(),
            bodies: Roster::new(),
            free: BTreeSet::new(),
            requested: BTreeSet::new(),
            happenings: Happenings::default(),
            changes: 0,
            now: 0,
            changed_at: 0,
            over: false,
        }
    }

    /// What the environment declares about itself.
    pub fn ontology(&self) -> &Ontology {
        &self.ontology
    }

    /// The state of the environment.
    pub fn state(&self) -> State {
        self.state
    }

    /// The running episode; none before init and after kill.
    pub fn episode(&self) -> Option<&Episode<E>> {
        self.episode.as_ref()
    }

    /// When it is in the world: which episode, which step, and the time at which the world last changed.
    pub fn moment(&self) -> Moment {
        let step = self.episode.as_ref().map_or(0, |episode| episode.context().step());
        Moment { episode: self.episode_number, step, time: self.changed_at }
    }

    /// The owner of the interface says what time it is: milliseconds since the beginning of 1970, UTC.
    pub fn set_time(&mut self, time: u64) {
        self.now = time;
    }

    /// A property of the environment. Beside those of the world there are `name`, `version` and `requiredVersion`,
    /// the version of `situated` that it was built for.
    pub fn query(&self, property: &str) -> Option<Parameter> {
        match property {
            "name" => Some(self.ontology.name.as_str().into()),
            "version" => Some(self.ontology.version.as_str().into()),
            "requiredVersion" => Some(env!("CARGO_PKG_VERSION").into()),
            _ => self.episode.as_ref()?.query(property),
        }
    }

    /// A property of an entity. Beside those of the world there is `type`.
    ///
    /// # Errors
    /// When the entity does not exist.
    pub fn query_entity(&self, entity: EntityId, property: &str) -> Result<Option<Parameter>, Error> {
        let entity_type = self.entity_type(entity)?;
        if property == "type" {
            return Ok(Some(entity_type.into()));
        }
        Ok(self.episode.as_ref().and_then(|episode| episode.query_entity(entity, property)))
    }

    /// How the episode stands; none before init and after kill.
    pub fn outcome(&self) -> Option<Outcome> {
        self.episode.as_ref().map(Episode::outcome)
    }
}
