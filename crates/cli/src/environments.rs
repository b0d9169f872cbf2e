//! The environments that the command knows, as its arguments name them.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
pub(crate) use situated_registry::{BuiltIn, Known, all, find};

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
