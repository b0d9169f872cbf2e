//! Usage errors, printed as clap prints its own.

use clap::Command;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use situated::interface::Error as Refused;
use situated::names::nearest;
use situated::ontology::{Field, Ontology};
use situated_runtime::Error;

use crate::program;

/// Returns a usage error with this message.
pub(crate) fn wrong_usage(error: &anyhow::Error) -> clap::Error {
    clap::Error::raw(ErrorKind::ValueValidation, format!("{error:#}\n"))
}

/// Turns errors about parameters and properties into usage errors; other errors stay failures.
pub(crate) fn refusal(error: anyhow::Error, ontology: &Ontology) -> anyhow::Error {
    refusal_of(error, ontology, &ontology.name)
}

/// Like [`refusal`], for an environment that the command line calls `named`.
pub(crate) fn refusal_of(error: anyhow::Error, ontology: &Ontology, named: &str) -> anyhow::Error {
    let name = &ontology.name;
    let hint = format!("`{} describe {named}` explains its parameters.", program::name());
    let message = match error.downcast_ref() {
        Some(Error::Interface(Refused::Parameters(mismatch))) => {
            format!("{mismatch}\n\nParameters of {name}:\n{}\n{hint}\n", choices(ontology))
        }
        Some(Error::Interface(Refused::Init(failure))) => {
            format!("{name} cannot begin with these parameters: {failure}\n\n{hint}{}\n", paths(ontology))
        }
        Some(Error::Interface(error @ Refused::NoSuchProperty { .. })) => {
            format!("{error}\n\n`{} describe {name}` explains its properties.\n", program::name())
        }
        _ => return error,
    };
    clap::Error::raw(ErrorKind::ValueValidation, message).into()
}

/// Names the parameters that can be given as paths, if there are any.
fn paths(ontology: &Ontology) -> String {
    let files = ontology.parameters.iter().filter(|field| field.is_file());
    let files: Vec<String> = files.map(|field| format!("`{}`", field.name)).collect();
    if files.is_empty() { String::new() } else { format!(" A path can be given for {}.", files.join(", ")) }
}

/// Lists the possible values of each parameter, one per line.
fn choices(ontology: &Ontology) -> String {
    let choice = |field: &Field| match field.is_file() {
        true => format!("  {}=FILE\n", field.name),
        false => {
            let meant = Field { of: ontology.resolve(&field.of).clone(), ..field.clone() };
            format!("  {}={}\n", field.name, meant.type_in_words())
        }
    };
    ontology.parameters.iter().map(choice).collect()
}

/// Adds the nearest command to an error about an unknown one that suggests none, and the nearest value to one about an
/// unknown value, also if it differs in capital letters.
pub(crate) fn with_suggestion(mut error: clap::Error, command: &Command) -> clap::Error {
    if let (Some(ContextValue::String(given)), Some(ContextValue::Strings(known))) =
        (error.get(ContextKind::InvalidValue), error.get(ContextKind::ValidValue))
        && let Some(meant) = nearest(given, known.iter().map(String::as_str))
    {
        let meant = ContextValue::String(meant.to_owned());
        error.insert(ContextKind::SuggestedValue, meant);
    }
    if let (Some(ContextValue::String(given)), None) =
        (error.get(ContextKind::InvalidSubcommand), error.get(ContextKind::SuggestedSubcommand))
        && let Some(meant) = nearest(given, command.get_subcommands().map(Command::get_name))
    {
        let meant = ContextValue::Strings(vec![meant.to_owned()]);
        error.insert(ContextKind::SuggestedSubcommand, meant);
    }
    error
}
