//! The environments that ship with the project, by name. This is the only place that names any: the command and the
//! bindings know what stands here.

use situated::agent::{Agent, Translated};
use situated::environment::Environment;
use situated::interface::{EnvironmentInterface, Interface};
use situated::ontology::Ontology;
use situated_bw4t::{Bw4t, agents};
use situated_find_goals::FindGoals;
use situated_find_goals::team::teammate;
use situated_vector::{Settings, Vector, vector};

/// An environment that ships with the project.
#[derive(Clone)]
pub struct Known {
    /// What it declares about itself; its name is there.
    pub ontology: Ontology,
    /// Makes an interface to a new one.
    pub interface: fn() -> Box<dyn EnvironmentInterface>,
    /// The agents that ship with it; the first is the one to take if nobody says which.
    pub programs: Vec<BuiltIn>,
    /// Makes a vector of it, if it has an encoding.
    pub vector: Option<MakeVector>,
}

/// An agent that ships with an environment.
#[derive(Clone, Copy)]
pub struct BuiltIn {
    /// Its name: `explorer`.
    pub name: &'static str,
    /// What it does, in a line.
    pub documentation: &'static str,
    /// Makes one for the entity of this name and type, if there is one for it.
    pub employ: fn(&str, &str) -> Option<Box<dyn Agent>>,
}

/// Makes a vector of an environment.
pub type MakeVector = fn(Settings) -> Result<Box<dyn Vector>, situated_vector::Error>;

/// All of them, in alphabetical order.
pub fn all() -> Vec<Known> {
    let teammate = BuiltIn {
        name: "teammate",
        documentation: "Plays its part of the best plan for both bodies.",
        employ: |entity, _| Some(Box::new(Translated::new(teammate(entity)?))),
    };
    vec![
        Known { vector: Some(vector::<Bw4t>), ..known::<Bw4t>(bw4t_programs()) },
        Known { vector: Some(vector::<FindGoals>), ..known::<FindGoals>(vec![teammate]) },
    ]
}

fn bw4t_programs() -> Vec<BuiltIn> {
    let team = BuiltIn {
        name: "team",
        documentation: "Robots share out rooms and colours by messages.",
        employ: |_, of| agents::program("team", of).or_else(|| agents::program("epartner", of)),
    };
    let explorer = BuiltIn {
        name: "explorer",
        documentation: "A robot works alone, and finds out where blocks are.",
        employ: |_, of| agents::program("explorer", of).or_else(|| agents::program("epartner", of)),
    };
    vec![team, explorer]
}

/// The environment of this name.
pub fn find(name: &str) -> Option<Known> {
    all().into_iter().find(|known| known.ontology.name == name)
}

fn known<E: Environment>(programs: Vec<BuiltIn>) -> Known {
    Known { ontology: E::ontology(), interface: || Box::new(Interface::<E>::new()), programs, vector: None }
}
