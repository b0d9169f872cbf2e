//! The environment under check as the checks see it: by names and terms, whatever it is written in and wherever it runs.

use std::error::Error;
use std::rc::Rc;

use situated::encoding::Encoding;
use situated::environment::{Ending, Entity, Measure};
use situated::iil::{Action, EcoString, Percept};
use situated::menu::Menu;
use situated::ontology::{Ontology, Pace};
use situated::scene::Scene;

/// An environment under check. There is one episode at a time, and each entity has an agent of its own.
///
/// This is what any environment can do, also one that runs in another process. [`inside`](Self::inside) gives what only an
/// environment in this process can. A method returns an error if the environment is broken.
pub trait Subject {
    /// Returns the ontology of the environment.
    fn ontology(&self) -> &Ontology;

    /// Begins an episode with this seed, and lets it run.
    fn begin(&mut self, seed: u64) -> Result<(), Broken>;

    /// The entities, in order of creation. Those that are free are given an agent first.
    fn entities(&mut self) -> Result<Vec<Entity>, Broken>;

    /// Acts through an entity. An action that is refused is no error.
    fn act(&mut self, entity: &str, action: &Action) -> Result<Acted, Broken>;

    /// Moves time on by one step.
    fn step(&mut self) -> Result<(), Broken>;

    /// A new agent asks for an entity of this type; returns whether it was given one.
    fn join(&mut self, entity_type: &str) -> Result<bool, Broken>;

    /// The agent of this entity leaves for good.
    fn leave(&mut self, entity: &str) -> Result<(), Broken>;

    /// The percepts of an entity.
    fn perceive(&mut self, entity: &str) -> Result<Perceived, Broken>;

    /// The scene, as a whole or as an entity may see it.
    fn scene(&mut self, viewer: Option<&str>) -> Result<Scene, Broken>;

    /// Returns how the episode ended, or `None` if it continues.
    fn ending(&mut self) -> Result<Option<Ending>, Broken>;

    /// The results so far.
    fn results(&mut self) -> Result<Vec<Measure>, Broken>;

    /// The clock of the environment.
    fn clock(&self) -> Clock {
        if self.ontology().pace == Pace::Reactive { Clock::Actions } else { Clock::Steps }
    }

    /// The view into an environment in Rust; none for an environment that is known by names only.
    fn inside(&mut self) -> Option<&mut dyn Inside> {
        None
    }
}

/// The view into an environment under check that is written in Rust.
pub trait Inside {
    /// The hash of the state.
    fn hash(&self) -> u64;

    /// The whole state as bytes.
    fn save(&self) -> Vec<u8>;

    /// Puts a saved state in the place of the present one.
    ///
    /// # Errors
    /// Returns an error if the state cannot be loaded.
    fn load(&mut self, state: &[u8]) -> Result<(), Broken>;

    /// The menu of an entity, without pointing.
    fn menu(&self, entity: &str) -> Menu;

    /// The encoding of entities of this type; none if they have none.
    fn encoding(&self, entity_type: &str) -> Option<&Encoding>;

    /// The rows that the encoding writes for these entities. The memory is filled with `filler` before.
    fn encode(&self, encoding: &Encoding, entities: &[&str], filler: u8) -> Vec<Row>;

    /// The action with this number; none if the entity cannot do it, or has nothing to do for it.
    fn decode(&self, entity: &str, number: usize) -> Option<Action>;
}

/// What moves the time of an environment under check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// [`Subject::step`], once each entity has had its turn.
    Steps,
    /// [`Subject::step`] after each action that was done.
    Actions,
    /// Each action comes with a step, whether it is done or refused.
    Turns,
    /// A clock of its own. An episode cannot be played again, and [`Subject::step`] waits for a step.
    Own,
}

/// The reason why an environment under check cannot go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broken(pub String);

/// The result of an action.
#[derive(Clone, Debug, PartialEq)]
pub enum Acted {
    /// It was done, and the entity found this out.
    Done(Vec<Percept>),
    /// The ontology does not allow it: there is no such action, it has other parameters, or entities of this type cannot
    /// do it.
    Forbidden(String),
    /// The environment did not do it, for this reason.
    Refused(String),
}

/// The percepts of an entity.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Perceived {
    /// The percepts that hold, in the sections in which the environment lists them.
    pub sections: Vec<Section>,
    /// The events since it last perceived.
    pub events: Vec<Percept>,
}

/// Percepts that an environment lists together.
#[derive(Clone, Debug, PartialEq)]
pub struct Section {
    /// The key of the section and its revision; none for percepts without a section.
    pub revision: Option<(u32, u64)>,
    /// The percepts, in order.
    pub percepts: Rc<[Percept]>,
    /// For a section that entities share: the percept, if any, that this entity does not perceive.
    pub shared: Option<Option<Percept>>,
}

/// The row that an encoding writes for one entity.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The elements of the observation.
    pub observation: Vec<f64>,
    /// Which actions are permitted.
    pub mask: Vec<bool>,
    /// The reward of the last step.
    pub reward: f32,
    /// Whether the episode is over for the entity, by the rules or from outside.
    pub over: [bool; 2],
}

impl Perceived {
    /// The percepts that hold, in order.
    pub fn holds(&self) -> impl Iterator<Item = &Percept> {
        self.sections.iter().flat_map(|section| section.percepts.iter())
    }

    /// The percepts of an environment whose sections cannot be seen.
    pub fn without_sections(holds: Vec<Percept>, events: Vec<Percept>) -> Self {
        Self { sections: vec![Section { revision: None, percepts: holds.into(), shared: None }], events }
    }
}

impl<E: Error> From<E> for Broken {
    fn from(error: E) -> Self {
        Self(error.to_string())
    }
}

/// The first name with this beginning that nobody has.
pub fn free_name(beginning: &str, is_taken: impl Fn(&str) -> bool) -> EcoString {
    let names = (1_u64..).map(|number| EcoString::from(format!("{beginning}{number}")));
    names.into_iter().find(|name| !is_taken(name)).unwrap_or_default()
}
