//! The environments that the command knows. This is the only place that names any.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use situated::agent::{Agent, Translated};
use situated::environment::Environment;
use situated::interface::{EnvironmentInterface, Interface};
use situated::ontology::Ontology;
use situated_find_goals::FindGoals;
use situated_find_goals::team::teammate;

/// An environment that the command knows.
#[derive(Clone)]
pub(crate) struct Known {
    pub(crate) ontology: Ontology,
    /// Makes an interface to it.
    pub(crate) interface: fn() -> Box<dyn EnvironmentInterface>,
    /// Makes the built-in agent for the entity of this name, if there is one for it.
    pub(crate) builtin: fn(&str) -> Option<Box<dyn Agent>>,
}

/// All of them, in alphabetical order.
pub(crate) fn all() -> Vec<Known> {
    vec![known::<FindGoals>(|entity| Some(Box::new(Translated::new(teammate(entity)?))))]
}

/// The environment of this name.
pub(crate) fn find(name: &str) -> Option<Known> {
    all().into_iter().find(|known| known.ontology.name == name)
}

/// Reads the name of an environment.
pub(crate) fn parser() -> impl TypedValueParser<Value = Known> {
    names().try_map(|name| find(&name).ok_or("there is no such environment"))
}

/// Reads the name of an environment, as text.
pub(crate) fn names() -> PossibleValuesParser {
    let possible = |known: Known| {
        let summary = known.ontology.summary().to_owned();
        PossibleValue::new(known.ontology.name).help(summary)
    };
    PossibleValuesParser::new(all().into_iter().map(possible))
}

fn known<E: Environment>(builtin: fn(&str) -> Option<Box<dyn Agent>>) -> Known {
    Known { ontology: E::ontology(), interface: || Box::new(Interface::<E>::new()), builtin }
}
