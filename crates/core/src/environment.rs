//! Environments: simulated worlds with rules. An environment is pure and deterministic: the same parameters, seed and
//! inputs give the same states, bit for bit, on every platform. It knows nothing about agents, sockets, clocks or
//! threads, and takes random numbers from its [`Context`].
//!
//! Authors implement [`Environment`]; [`Episode`] is one run of an environment, with its whole state.

mod context;
mod difference;
mod episode;
mod holding;
mod percepts;
mod shared;
mod state;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::data;
use crate::document::Examination;
use crate::iil::{EcoString, Parameter, Percept};
use crate::menu::{Menu, MenuRequest};
use crate::ontology::typed::{InitParameters, TypedAction, TypedPercept};
use crate::ontology::{Ontology, OntologyBuilder};
use crate::scene::Scene;

pub use crate::roster::EntityId;
pub(crate) use context::EntityChange;
pub use context::{Context, Entity};
pub(crate) use difference::Difference;
pub use difference::Listing;
pub use episode::Episode;
pub(crate) use holding::Holding;
pub use percepts::{Percepts, Section};
pub(crate) use shared::Shared;
pub use state::{Command, FIRST_SEED, State};

/// A simulated world with rules, and with entities that agents can control.
///
/// A value is the whole state of the environment, except for what its [`Context`] keeps (generator, entities, step
/// number). It is serialised for hashes, snapshots and clones. It contains ordered collections only, and uses only
/// the floating-point operations `+ - * /` and `sqrt`, because other functions differ between platforms.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an environment",
    label = "needs `impl Environment`",
    note = "write `impl Environment for {Self}`, for a type with `#[derive(Serialize, Deserialize)]`"
)]
pub trait Environment: Serialize + DeserializeOwned + Send + Sized + 'static {
    /// The parameters of an episode.
    type Parameters: InitParameters;
    /// The actions of entities.
    type Action: TypedAction;
    /// The percepts of entities.
    type Percept: TypedPercept;

    /// Returns the ontology of the environment, which begins with [`ontology_builder`](Self::ontology_builder).
    fn ontology() -> Ontology;

    /// Begins the ontology of this environment, with its parameters, actions and percepts. Its pace is reactive unless
    /// it is [changed](OntologyBuilder::pace).
    ///
    /// `Self::ontology_builder("corridor", "1.0", "A robot in a corridor.").entity_type("robot", "It walks.").build()`
    fn ontology_builder(name: &str, version: &str, documentation: &str) -> OntologyBuilder {
        Ontology::builder::<Self::Parameters, Self::Action, Self::Percept>(name, version, documentation)
    }

    /// Returns the ontology of an episode with these parameters if ranges in it are narrower than in
    /// [`ontology`](Self::ontology): in a building with ten floors, an elevator goes to floors 1 to 10. By default, it
    /// returns `None`: no range depends on the parameters.
    fn ontology_of(parameters: &Self::Parameters) -> Option<Ontology> {
        let _ = parameters;
        None
    }

    /// Creates the environment at the beginning of an episode, and adds its entities to the context.
    ///
    /// # Errors
    /// Returns an error if the parameters contradict each other or are invalid, such as a map that cannot be read.
    fn init(parameters: &Self::Parameters, context: &mut Context<Self::Percept>) -> Result<Self, Failure>;

    /// Performs an action of an entity. An action that finds something out [answers](Context::answer) with percepts
    /// (active sensing). An action that takes time is accepted here; later percepts report its end.
    ///
    /// # Errors
    /// Returns an error if the action fails; the environment is then unchanged.
    fn act(
        &mut self,
        entity: EntityId,
        action: &Self::Action,
        context: &mut Context<Self::Percept>,
    ) -> Result<(), Failure>;

    /// Returns the action of an entity that has not acted in a step in lockstep. By default it does nothing.
    fn default_action(&self, entity: EntityId, context: &Context<Self::Percept>) -> Option<Self::Action> {
        let _ = (entity, context);
        None
    }

    /// Advances time by one step, whose number is in the context. By default nothing happens.
    fn step(&mut self, context: &mut Context<Self::Percept>) {
        let _ = context;
    }

    /// Lists the percepts that hold for an entity now. Events are [sent](Context::tell) instead.
    fn percepts(&self, entity: EntityId, context: &Context<Self::Percept>, percepts: &mut Percepts<'_, Self::Percept>);

    /// Handles a change of the agents of an entity.
    fn hear(&mut self, news: News, context: &mut Context<Self::Percept>) {
        let _ = (news, context);
    }

    /// Handles the request of an agent for an entity of a type, possibly with a name. Adds an entity and returns it.
    ///
    /// # Errors
    /// Returns an error if it provides no entity. By default an environment has only the entities that it creates
    /// itself.
    fn request(
        &mut self,
        entity_type: &str,
        name: Option<&str>,
        context: &mut Context<Self::Percept>,
    ) -> Result<EntityId, Failure> {
        let _ = (entity_type, name, context);
        Err(Failure::new("this environment creates its entities itself; take a free one"))
    }

    /// Returns the picture of the environment, as a whole or as one of its entities sees it. The view of an entity
    /// shows no more than the entity perceives.
    fn scene(&self, viewer: Option<EntityId>, context: &Context<Self::Percept>) -> Scene {
        let _ = (viewer, context);
        Scene::default()
    }

    /// Examines a document, the value of the parameter with the name `document`, together with the other parameters;
    /// `None` if there is no such kind of documents. With a seed, the [forms](Examination::forms) have the choices that
    /// the document leaves to chance, as this seed makes them. By default there are no documents.
    fn examine(document: &str, parameters: &Self::Parameters, seed: Option<u64>) -> Option<Examination> {
        let _ = (document, parameters, seed);
        None
    }

    /// Returns the choices of a person who acts through an entity, at a point of the scene or without one. The menu
    /// shows no more than the entity perceives, and each item is an ordinary action. By default there are no choices;
    /// a page can then offer the actions of the ontology.
    fn menu(&self, entity: EntityId, request: &MenuRequest, context: &Context<Self::Percept>) -> Menu<Self::Action> {
        let _ = (entity, request, context);
        Menu::default()
    }

    /// Returns the replies to a percept, or the meanings of a text, where [`MenuRequest::about`] or
    /// [`MenuRequest::text`] asks for these instead of a [menu](Self::menu). By default, people cannot write here.
    fn words(&self, entity: EntityId, request: &MenuRequest, context: &Context<Self::Percept>) -> Menu<Self::Action> {
        let _ = (entity, request, context);
        Menu::default()
    }

    /// Returns how the episode ended, or `None` if it continues. An ended environment can still be stepped.
    fn ending(&self) -> Option<Ending> {
        None
    }

    /// Returns a sentence for observers, for a percept whose name and parameters do not read well, such as a message
    /// in its own language.
    fn in_words(percept: &Percept) -> Option<String> {
        let _ = percept;
        None
    }

    /// Returns the results so far, for a table.
    ///
    /// Pages and reports understand two truth values: `completed`, whether everything is done, and `solvable`, whether
    /// that is still possible. An episode that ends without being completed has failed.
    fn results(&self, context: &Context<Self::Percept>) -> Vec<Measure> {
        let _ = context;
        Vec::new()
    }

    /// Returns the value of a property that the ontology declares for the environment, or `None` if it has none at this
    /// time. The interface refuses other names.
    fn query(&self, property: &str, context: &Context<Self::Percept>) -> Option<Parameter> {
        let _ = (property, context);
        None
    }

    /// Returns the value of a property that the ontology declares for each entity, or `None` if this entity has none at
    /// this time. The interface refuses other names.
    fn query_entity(&self, entity: EntityId, property: &str, context: &Context<Self::Percept>) -> Option<Parameter> {
        let _ = (entity, property, context);
        None
    }
}

/// A change of the agents of an entity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum News {
    /// An agent took the entity, which was free.
    Taken(EntityId),
    /// The last agent released the entity.
    Freed(EntityId),
    /// The agent that had requested this entity left for good, and no other agent controls it.
    Left(EntityId),
}

/// The reason why an environment refuses an action or a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{reason}")]
pub struct Failure {
    /// The reason, for the agent: `too far from block 7`.
    pub reason: String,
    /// Whether the action was tried and failed; otherwise this entity cannot do it at all.
    pub tried: bool,
}

/// How an episode ended.
#[data(Copy, Eq)]
pub enum Ending {
    /// By the rules of the environment: the task is done, or can no longer be done.
    Terminated,
    /// For other reasons: the time is up.
    Truncated,
}

/// A result: `robot1`, `journeys`, 17.
#[data]
pub struct Measure {
    /// The subject: the name of an entity or a group of entities.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub of: EcoString,
    /// The name of the measure, with its unit.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub name: EcoString,
    /// The value.
    pub value: Parameter,
}

/// A message of the environment to observers: `unsolvable`, "no yellow block is left". It is not a percept, and no
/// agent gets it.
#[data(Eq)]
pub struct Announcement {
    /// The kind of the announcement, for programs: a word that the environment always uses for it.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub name: EcoString,
    /// The text, for people.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub text: EcoString,
}

/// The results of an episode so far, and how it ended.
#[data(Default)]
pub struct Outcome {
    /// How it ended, or `None` if it continues.
    pub ending: Option<Ending>,
    /// The results.
    pub results: Vec<Measure>,
}

impl Failure {
    /// Creates a failure of an action that was tried.
    pub fn new(reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), tried: true }
    }

    /// Creates a failure of an action that the entity cannot do at all.
    pub fn unsupported(reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), tried: false }
    }
}

impl Measure {
    /// Creates a measure of `of`. The value is an integer of any type, a float, a truth value or a text.
    pub fn new(of: impl Into<EcoString>, name: impl Into<EcoString>, value: impl Into<Parameter>) -> Self {
        Self { of: of.into(), name: name.into(), value: value.into() }
    }
}
