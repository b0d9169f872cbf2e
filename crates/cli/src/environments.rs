//! The registered environments: how arguments name them, and `situated list`.

use std::sync::OnceLock;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use situated_registry::{Registered, Registry};

use crate::table;

/// The environments of this process. A static, because clap makes argument parsers before a registry could be passed
/// to them.
static REGISTRY: OnceLock<Registry> = OnceLock::new();

/// Makes this the registry of the command, unless it has one already.
pub(crate) fn register(registry: impl FnOnce() -> Registry) {
    REGISTRY.get_or_init(registry);
}

/// Returns the registry.
pub(crate) fn registry() -> &'static Registry {
    #[cfg(test)]
    register(situated_registry::shipped);
    REGISTRY.get_or_init(Registry::new)
}

/// Finds the environment with this name.
pub(crate) fn find(name: &str) -> Option<&'static Registered> {
    registry().find(name)
}

/// Returns a parser for the name of an environment.
pub(crate) fn parser() -> impl TypedValueParser<Value = &'static Registered> {
    names().try_map(|name| find(&name).ok_or("there is no such environment"))
}

/// Returns a parser for the name of an environment that keeps it as text.
pub(crate) fn names() -> PossibleValuesParser {
    let possible = |registered: &'static Registered| {
        PossibleValue::new(&registered.ontology.name).help(registered.ontology.summary())
    };
    PossibleValuesParser::new(registry().environments().map(possible))
}

/// Prints a table of the environments.
pub(crate) fn list() -> anyhow::Result<()> {
    Ok(table::print(["NAME", "ENTITIES", "SUMMARY"], registry().environments().map(row))?)
}

fn row(registered: &Registered) -> [String; 3] {
    let ontology = &registered.ontology;
    let entity_types: Vec<&str> = ontology.entity_types.iter().map(|of| of.name.as_str()).collect();
    [ontology.name.clone(), entity_types.join(", "), ontology.summary().replace('\n', " ")]
}
