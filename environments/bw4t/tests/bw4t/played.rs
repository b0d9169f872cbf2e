//! An episode that tests control by the names of its entities.

use situated::environment::{Environment, Episode, Failure};
use situated::iil::Parameter;
use situated::ontology::typed::InitParameters;
use situated_bw4t::action::Action;
use situated_bw4t::percept::Percept;
use situated_bw4t::robot::Robot;
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
        let entity = self.0.context().find_entity(name).expect("an entity");
        self.0.act(entity, action).map(drop)
    }

    /// Returns the percepts of an entity as text.
    pub(crate) fn percepts(&self, name: &str) -> Vec<String> {
        let entity = self.0.context().find_entity(name).expect("an entity");
        self.0.percepts(entity).iter().map(text).collect()
    }
}

pub(crate) fn text(percept: &Percept) -> String {
    use situated::ontology::typed::TypedPercept;
    percept.to_iil().to_string()
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
