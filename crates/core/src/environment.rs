//! Environments: simulated worlds with rules. An environment is pure and deterministic: the same parameters, seed and
//! inputs give the same states to the bit, on every platform. It knows nothing of agents, sockets, clocks or threads;
//! its randomness comes from the [`Context`] that it is handed.
//!
//! [`Environment`] is what an author implements; [`Episode`] is one run of it, with everything that belongs to
//! its state.

mod context;
mod episode;
mod percepts;
mod shared;
mod state;

use std::fmt;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::iil::{EcoString, Parameter, Percept};
use crate::menu::{Menu, MenuRequest};
use crate::ontology::Ontology;
use crate::ontology::typed::{InitParameters, TypedAction, TypedPercept};
use crate::scene::Scene;

pub use crate::roster::EntityId;
pub(crate) use context::EntityChange;
pub use context::{Context, Entity};
pub use episode::Episode;
pub(crate) use percepts::{Change, Changes, Holding};
pub use percepts::{Listing, Percepts, Section};
pub(crate) use shared::Shared;
pub use state::{Command, FIRST_SEED, State};

/// A simulated world with rules, and with entities that agents can control.
///
/// The value is the whole state of the environment, but for what its [`Context`] keeps (the generator, the entities,
/// the step): it is serialised for hashes, snapshots and clones. Only ordered collections belong in it, and of
/// floating-point functions only `+ - * /` and `sqrt`, since others differ between platforms.
pub trait Environment: Serialize + DeserializeOwned + Send + Sized + 'static {
    /// The parameters of an episode.
    type Parameters: InitParameters;
    /// What entities can do.
    type Action: TypedAction;
    /// What entities can perceive.
    type Percept: TypedPercept;

    /// The ontology of the environment.
    fn ontology() -> Ontology;

    /// The environment at the beginning of an episode. It adds its entities to the context.
    ///
    /// # Errors
    /// When there is no such environment: parameters that contradict each other, a map that cannot be read.
    fn init(parameters: &Self::Parameters, context: &mut Context<Self::Percept>) -> Result<Self, Failure>;

    /// An entity does something. What the action finds out (active sensing) is returned; an action that takes
    /// time is accepted here, and its end is told by percepts.
    ///
    /// # Errors
    /// When it cannot be done; the environment is then as it was.
    fn act(
        &mut self,
        entity: EntityId,
        action: &Self::Action,
        context: &mut Context<Self::Percept>,
    ) -> Result<Vec<Self::Percept>, Failure>;

    /// What an entity does in a step for which nobody has chosen an action for it, where all act at once (lockstep). By
    /// default nothing.
    fn default_action(&self, entity: EntityId, context: &Context<Self::Percept>) -> Option<Self::Action> {
        let _ = (entity, context);
        None
    }

    /// Time moves on by one step, whose number the context has. By default nothing happens unless somebody acts.
    fn step(&mut self, context: &mut Context<Self::Percept>) {
        let _ = context;
    }

    /// Lists what holds for an entity now. Events do not belong here: they are [told](Context::tell).
    fn percepts(&self, entity: EntityId, context: &Context<Self::Percept>, percepts: &mut Percepts<'_, Self::Percept>);

    /// The environment hears that something happened to one of its entities.
    fn hear(&mut self, news: News, context: &mut Context<Self::Percept>) {
        let _ = (news, context);
    }

    /// Somebody asks for an entity of a type, perhaps under a name. The environment adds an entity and returns it.
    ///
    /// # Errors
    /// When it gives none. By default an environment has the entities that it makes itself.
    fn request(
        &mut self,
        entity_type: &str,
        name: Option<&str>,
        context: &mut Context<Self::Percept>,
    ) -> Result<EntityId, Failure> {
        let _ = (entity_type, name, context);
        Err(Failure::new("this environment makes its entities itself; take one that is free"))
    }

    /// What the environment looks like: as a whole, or as one of its entities may see it, which then shows no more than
    /// that entity perceives.
    fn scene(&self, viewer: Option<EntityId>, context: &Context<Self::Percept>) -> Scene {
        let _ = (viewer, context);
        Scene::default()
    }

    /// What a person who acts through an entity can choose, where they point or without pointing. It says no more than
    /// that entity perceives, and each item is an action as any other. By default there is nothing to choose, as in
    /// environments that are run elsewhere; whoever shows menus can fall back on the actions of the ontology.
    fn menu(&self, entity: EntityId, request: &MenuRequest, context: &Context<Self::Percept>) -> Menu<Self::Action> {
        let _ = (entity, request, context);
        Menu::default()
    }

    /// Whether and how the episode is over. The environment may be moved on all the same.
    fn ending(&self) -> Option<Ending> {
        None
    }

    /// Returns a sentence for people who watch, for a percept whose name and parameters do not read well, such as a message
    /// in a language of its own.
    fn in_words(percept: &Percept) -> Option<String> {
        let _ = percept;
        None
    }

    /// What has been achieved so far, to be shown as a table.
    fn results(&self, context: &Context<Self::Percept>) -> Vec<Measure> {
        let _ = context;
        Vec::new()
    }

    /// The value of a property of the environment; none for a property that it does not know.
    fn query(&self, property: &str, context: &Context<Self::Percept>) -> Option<Parameter> {
        let _ = (property, context);
        None
    }

    /// The value of a property of an entity; none for a property that it does not know.
    fn query_entity(&self, entity: EntityId, property: &str, context: &Context<Self::Percept>) -> Option<Parameter> {
        let _ = (entity, property, context);
        None
    }
}

/// What an environment hears about its entities.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum News {
    /// An agent has taken the entity, which was free.
    Taken(EntityId),
    /// The last agent has let go of the entity.
    Freed(EntityId),
    /// The agent that had asked for this entity has left for good, and nobody else has it.
    Left(EntityId),
}

/// Why an environment does not do what it is asked to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Failure {
    /// The reason, for whoever asked: `too far from block 7`.
    pub reason: String,
    /// Whether it was tried and failed; otherwise it is nothing that this entity can do at all.
    pub tried: bool,
}

/// How an episode is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum Ending {
    /// By the rules of the environment: the task is done, or can no longer be done.
    Terminated,
    /// From outside the rules: time is up.
    Truncated,
}

/// Something achieved: `robot1`, `journeys`, 17.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Measure {
    /// Whose it is: the name of an entity, or of a group of them.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub of: EcoString,
    /// What is measured, with its unit.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub name: EcoString,
    /// How much.
    pub value: Parameter,
}

/// Something that an environment says of itself, for those who watch it: `unsolvable`, "no yellow block is left". It is
/// no percept, and no agent is told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Announcement {
    /// What kind of announcement it is, for programs: a word that the environment always uses for this.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub name: EcoString,
    /// The announcement itself, for people.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub text: EcoString,
}

/// How an episode stands or has ended.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Outcome {
    /// Whether and how it is over.
    pub ending: Option<Ending>,
    /// What has been achieved.
    pub results: Vec<Measure>,
}

impl Failure {
    /// It was tried, and failed for this reason.
    pub fn new(reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), tried: true }
    }

    /// It is nothing that this entity can do, for this reason.
    pub fn unsupported(reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), tried: false }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)
    }
}

impl std::error::Error for Failure {}

impl Measure {
    /// So much of this, achieved by `of`.
    pub fn new(of: impl Into<EcoString>, name: impl Into<EcoString>, value: impl Into<Parameter>) -> Self {
        Self { of: of.into(), name: name.into(), value: value.into() }
    }
}
