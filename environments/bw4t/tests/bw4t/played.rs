//! Episodes that tests control by the names of their entities, and the recordings of the original.

use std::path::Path;

use situated::environment::{EntityId, Environment, Episode, Failure, News};
use situated::iil::Parameter;
use situated::ontology::typed::InitParameters;
use situated_bw4t::action::Action;
use situated_bw4t::percept::Percept;
use situated_bw4t::robot::{Robot, State};
use situated_bw4t::world::World;
use situated_bw4t::{Bw4t, Parameters};

pub(crate) struct Played(pub(crate) Episode<Bw4t>);

impl Played {
    pub(crate) fn begin(parameters: Parameters, seed: u64) -> Self {
        Self(Episode::init(&parameters, seed).expect("a sound world"))
    }

    /// Rainbow, filled by its own seed.
    pub(crate) fn rainbow(robots: u32) -> Self {
        Self::begin(Parameters { robots, ..defaults() }, 1)
    }

    pub(crate) fn world(&self) -> &World {
        self.0.environment().world()
    }

    pub(crate) fn tick(&self) -> u64 {
        self.world().tick_count()
    }

    pub(crate) fn robot(&self, name: &str) -> &Robot {
        self.world().robots().iter().find(|robot| robot.name == name).expect("a robot")
    }

    pub(crate) fn zone(&self, index: usize) -> &str {
        &self.world().ground().zone(index).name
    }

    pub(crate) fn step(&mut self) {
        self.0.step();
    }

    pub(crate) fn run(&mut self, ticks: u64) {
        (0..ticks).for_each(|_| self.step());
    }

    pub(crate) fn act(&mut self, name: &str, action: &Action) -> Result<(), Failure> {
        self.0.act(self.entity(name), action).map(drop)
    }

    /// Acts, and waits until the robot has arrived. Returns the number of ticks.
    pub(crate) fn travel(&mut self, robot: &str, action: &Action) -> u64 {
        self.act(robot, action).expect("it can set out");
        self.arrive(robot)
    }

    /// Runs until a robot no longer travels. Returns the number of ticks.
    pub(crate) fn arrive(&mut self, robot: &str) -> u64 {
        let begin = self.tick();
        while self.robot(robot).state == State::Traveling {
            assert!(self.tick() < begin + 10_000, "{robot} never gets there");
            self.step();
        }
        self.tick() - begin
    }

    pub(crate) fn entity(&self, name: &str) -> EntityId {
        self.0.context().find_entity(name).expect("an entity")
    }

    /// An agent has taken an entity.
    pub(crate) fn taken(&mut self, name: &str) {
        self.0.hear(News::Taken(self.entity(name)));
    }

    /// The last agent has left an entity.
    pub(crate) fn freed(&mut self, name: &str) {
        self.0.hear(News::Freed(self.entity(name)));
    }

    /// An agent requests and takes an entity.
    pub(crate) fn joined(&mut self, entity_type: &str, name: &str) {
        let entity = self.0.request(entity_type, Some(name)).expect("there is a place");
        self.0.hear(News::Taken(entity));
    }

    /// Returns the percepts of an entity as text.
    pub(crate) fn percepts(&self, name: &str) -> Vec<String> {
        self.0.percepts(self.entity(name)).iter().map(text).collect()
    }
}

pub(crate) fn text(percept: &Percept) -> String {
    use situated::ontology::typed::TypedPercept;
    percept.to_iil().to_string()
}

pub(crate) fn go_to(place: &str) -> Action {
    Action::GoToPlace { place: place.into() }
}

/// The default parameters.
pub(crate) fn defaults() -> Parameters {
    let complete = Bw4t::ontology().complete_parameters(&[].into()).expect("all have defaults");
    Parameters::from_iil(&complete).expect("defaults fit")
}

/// An identifier.
pub(crate) fn word(text: &str) -> Parameter {
    Parameter::Identifier(text.into())
}

/// Returns the text of a recording of the original; `None` if it is missing. Recordings are not part of this repository. Tests
/// are skipped without them, unless `GOLDEN_DATA=required` is set.
pub(crate) fn recording(name: &str) -> Option<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/bw4t").join(name);
    let text = std::fs::read_to_string(&path).ok();
    let required = std::env::var("GOLDEN_DATA").is_ok_and(|value| value == "required");
    assert!(text.is_some() || !required, "there is no recording at {}", path.display());
    if text.is_none() {
        println!("skipped: there is no recording at {}", path.display());
    }
    text
}
