//! The environments that ship with the project, by name. This is the only place that names any: the command and the
//! bindings know what stands here.

use situated::agent::{Agent, Translated};
use situated::environment::Environment;
use situated::interface::{EnvironmentInterface, Interface};
use situated::ontology::Ontology;
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
    /// Makes the built-in agent for the entity of this name, if there is one for it.
    pub builtin: fn(&str) -> Option<Box<dyn Agent>>,
    /// Makes a vector of it, if it has an encoding.
    pub vector: Option<MakeVector>,
}

/// Makes a vector of an environment.
pub type MakeVector = fn(Settings) -> Result<Box<dyn Vector>, situated_vector::Error>;

/// All of them, in alphabetical order.
pub fn all() -> Vec<Known> {
    let find_goals = known::<FindGoals>(|entity| Some(Box::new(Translated::new(teammate(entity)?))));
    vec![Known { vector: Some(vector::<FindGoals>), ..find_goals }]
}

/// The environment of this name.
pub fn find(name: &str) -> Option<Known> {
    all().into_iter().find(|known| known.ontology.name == name)
}

fn known<E: Environment>(builtin: fn(&str) -> Option<Box<dyn Agent>>) -> Known {
    Known { ontology: E::ontology(), interface: || Box::new(Interface::<E>::new()), builtin, vector: None }
}
