//! `situated query`: a property of an environment at the beginning of an episode, such as its map as a file.

use std::io::{self, Write};

use anyhow::bail;
use situated::iil::Parameter;
use situated::interface::FIRST_SEED;
use situated_registry::Registered;
use situated_runtime::Error;

use crate::arguments::ParameterArguments;
use crate::environments;
use crate::plan::Plan;
use crate::usage::refusal;

#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Arguments {
    /// Environment.
    #[arg(value_parser = environments::parser())]
    environment: &'static Registered,
    /// Property: `name`, `version`, or one that `situated describe` lists.
    property: String,
    #[command(flatten)]
    parameters: ParameterArguments,
    /// Seed of the episode.
    #[arg(long, value_name = "S", default_value_t = FIRST_SEED)]
    seed: u64,
}

const HELP: &str = "\
Examples:
  situated query bw4t map > rainbow.map
  situated query bw4t map --map \"Dutch Flag\" > dutch-flag.map
  situated query find-goals version";

/// Begins an episode and prints a property of its environment.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let Arguments { environment, property, parameters, seed } = arguments;
    check(environment, property)?;
    let mut plan = Plan::of(environment);
    plan.set_parameters(&parameters.given)?;
    let mut interface = (environment.interface)();
    let begun = interface.manage(plan.init(*seed));
    begun.map_err(|error| refusal(Error::Interface(error).into(), &environment.ontology))?;
    print(&environment.ontology.name, property, interface.query_property(property)?)
}

/// Checks that the environment has this property, before an episode begins.
///
/// # Errors
/// Returns an error that lists its properties if it has not.
pub(crate) fn check(environment: &Registered, property: &str) -> anyhow::Result<()> {
    let queried = (environment.interface)().query_property(property);
    queried.map(drop).map_err(|error| refusal(Error::Interface(error).into(), &environment.ontology))
}

/// Prints the value of a property: a text as it is, anything else as a term.
///
/// # Errors
/// Returns an error if there is no value.
pub(crate) fn print(environment: &str, property: &str, value: Option<Parameter>) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    match value {
        Some(Parameter::Identifier(text)) => write!(out, "{text}")?,
        Some(value) => writeln!(out, "{value}")?,
        None => bail!("the property `{property}` of {environment} has no value at this time"),
    }
    Ok(())
}
