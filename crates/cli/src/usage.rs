//! Wrong usage: what somebody asked for and cannot have, told as the command line tells it.

use clap::error::ErrorKind;
use situated::interface::Error as Refused;
use situated::ontology::{Field, Ontology};
use situated_runtime::Error;

/// Somebody asked for something that cannot be.
pub(crate) fn wrong_usage(error: &anyhow::Error) -> clap::Error {
    clap::Error::raw(ErrorKind::ValueValidation, format!("{error:#}\n"))
}

/// Wrong parameters are wrong usage; everything else is something that failed.
pub(crate) fn refusal(error: anyhow::Error, ontology: &Ontology) -> anyhow::Error {
    let Some(Error::Interface(Refused::Parameters(mismatch))) = error.downcast_ref() else { return error };
    let choice = |field: &Field| match field.is_file() {
        true => format!("  {}=FILE\n", field.name),
        false => format!("  {}={}\n", field.name, ontology.resolve(&field.of)),
    };
    let choices: String = ontology.parameters.iter().map(choice).collect();
    let name = &ontology.name;
    let message =
        format!("{mismatch}\n\nParameters of {name}:\n{choices}\n`situated describe {name}` says what they mean.\n");
    clap::Error::raw(ErrorKind::ValueValidation, message).into()
}
