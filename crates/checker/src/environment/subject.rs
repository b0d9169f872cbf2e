//! The environment under check, as the checks access it: by names and terms, in any language and process.

use std::error::Error;
use std::rc::Rc;

use situated::encoding::Encoding;
use situated::environment::{Ending, Entity, Measure};
use situated::iil::{Action, EcoString, Percept};
use situated::menu::Menu;
use situated::ontology::{Ontology, Pace};
use situated::scene::Scene;

/// An environment under check. There is one episode at a time, and each entity has its own agent.
///
/// These methods work for any environment, also for one in another process. [`inside`](Self::inside) returns what
/// only an environment in this process supports. A method returns an error if the environment is broken.
pub trait Subject {
    /// Returns the ontology of the environment.
    fn ontology(&self) -> &Ontology;

    /// Begins an episode with this seed, and lets it run.
    fn begin(&mut self, seed: u64) -> Result<(), Broken>;

    /// Gives each free entity an agent, and returns the entities in order of creation.
    fn entities(&mut self) -> Result<Vec<Entity>, Broken>;

    /// Acts through an entity. A rejected action is not an error.
    fn act(&mut self, entity: &str, action: &Action) -> Result<Acted, Broken>;

    /// Makes one step.
    fn step(&mut self) -> Result<(), Broken>;

    /// Lets a new agent request an entity of this type. Returns whether it got one.
    fn join(&mut self, entity_type: &str) -> Result<bool, Broken>;

    /// Unregisters the agent of this entity.
    fn leave(&mut self, entity: &str) -> Result<(), Broken>;

    /// The percepts of an entity.
    fn perceive(&mut self, entity: &str) -> Result<Perceived, Broken>;

    /// Returns the scene as a whole, or as an entity may see it.
    fn scene(&mut self, viewer: Option<&str>) -> Result<Scene, Broken>;

    /// Returns how the episode ended, or `None` if it continues.
    fn ending(&mut self) -> Result<Option<Ending>, Broken>;

    /// Returns the results so far.
    fn results(&mut self) -> Result<Vec<Measure>, Broken>;

    /// The clock of the environment.
    fn clock(&self) -> Clock {
        if self.ontology().pace == Pace::Reactive { Clock::Actions } else { Clock::Steps }
    }

    /// Returns the view into an environment in Rust; `None` for an environment that is accessed by names only.
    fn inside(&mut self) -> Option<&mut dyn Inside> {
        None
    }
}

/// The view into an environment under check that is written in Rust.
pub trait Inside {
    /// The hash of the state.
    fn hash(&self) -> u64;

    /// Returns the whole state as bytes.
    fn save(&self) -> Vec<u8>;

    /// Replaces the current state with a saved one.
    ///
    /// # Errors
    /// Returns an error if the state cannot be loaded.
    fn load(&mut self, state: &[u8]) -> Result<(), Broken>;

    /// Returns the menu of an entity, without pointing.
    fn menu(&self, entity: &str) -> Menu;

    /// Returns the encoding for entities of this type; `None` if they have none.
    fn encoding(&self, entity_type: &str) -> Option<&Encoding>;

    /// Returns the rows that the encoding writes for these entities, into memory that was filled with `filler`
    /// before.
    fn encode(&self, encoding: &Encoding, entities: &[&str], filler: u8) -> Vec<Row>;

    /// Returns the action with this number; `None` if the entity cannot execute it, or if the number means no action.
    fn decode(&self, entity: &str, number: usize) -> Option<Action>;
}

/// The way in which time advances in an environment under check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// [`Subject::step`], after each entity has had its turn.
    Steps,
    /// [`Subject::step`] after each accepted action.
    Actions,
    /// Each action makes a step, whether it is accepted or rejected.
    Turns,
    /// The environment has its own clock. An episode cannot be repeated, and [`Subject::step`] waits for a step.
    Own,
}

/// The reason why an environment under check is broken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broken(pub String);

/// The result of an action.
#[derive(Clone, Debug, PartialEq)]
pub enum Acted {
    /// It was done, and returned these percepts to the entity.
    Done(Vec<Percept>),
    /// The ontology does not allow it: there is no such action, it has other parameters, or entities of this type
    /// cannot execute it.
    Forbidden(String),
    /// The environment rejected it, for this reason.
    Refused(String),
}

/// The percepts of an entity.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Perceived {
    /// The percepts that hold, in the sections in which the environment lists them.
    pub sections: Vec<Section>,
    /// The events since the last perception.
    pub events: Vec<Percept>,
}

/// Percepts that an environment lists together.
#[derive(Clone, Debug, PartialEq)]
pub struct Section {
    /// The key of the section and its revision; `None` for percepts without a section.
    pub revision: Option<(u32, u64)>,
    /// The percepts, in order.
    pub percepts: Rc<[Percept]>,
    /// For a section that entities share: the percept that is hidden from this entity, if there is one.
    pub shared: Option<Option<Percept>>,
}

impl Section {
    /// Returns the key, and whether entities share the section: those that they share have keys of their own.
    pub fn key(&self) -> Option<(u32, bool)> {
        self.revision.map(|(key, _)| (key, self.shared.is_some()))
    }
}

/// The row that an encoding writes for one entity.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The elements of the observation.
    pub observation: Vec<f64>,
    /// The permitted actions.
    pub mask: Vec<bool>,
    /// The reward of the last step.
    pub reward: f32,
    /// Whether the episode is terminated and truncated for the entity.
    pub over: [bool; 2],
}

impl Perceived {
    /// The percepts that hold, in order.
    pub fn holds(&self) -> impl Iterator<Item = &Percept> {
        self.sections.iter().flat_map(|section| section.percepts.iter())
    }

    /// The percepts of an environment whose sections are not accessible, in alphabetical order: the order of a
    /// snapshot depends on how a host has grouped its changes.
    pub fn without_sections(mut holds: Vec<Percept>, events: Vec<Percept>) -> Self {
        holds.sort_unstable();
        Self { sections: vec![Section { revision: None, percepts: holds.into(), shared: None }], events }
    }
}

impl<E: Error> From<E> for Broken {
    fn from(error: E) -> Self {
        Self(error.to_string())
    }
}

/// Returns the first free name with this prefix.
pub fn free_name(beginning: &str, is_taken: impl Fn(&str) -> bool) -> EcoString {
    let names = (1_u64..).map(|number| EcoString::from(format!("{beginning}{number}")));
    names.into_iter().find(|name| !is_taken(name)).unwrap_or_default()
}
