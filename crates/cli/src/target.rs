//! What is to be run or served: the name of an environment, or the file of a team.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use clap::builder::{PossibleValue, TypedValueParser};
use clap::{Arg, Command, Error};

use situated_registry::Registered;

use crate::environments;
use crate::plan::Plan;
use crate::team_file::LaunchRule;
use crate::usage::wrong_usage;

/// What is to be run.
#[derive(Clone)]
pub(crate) enum Target {
    Environment(&'static Registered),
    Team(PathBuf),
}

/// Reads a target: what is no environment and looks like a file is one.
#[derive(Clone)]
struct TargetParser;

pub(crate) fn parser() -> impl TypedValueParser<Value = Target> {
    TargetParser
}

impl TypedValueParser for TargetParser {
    type Value = Target;

    fn parse_ref(&self, command: &Command, argument: Option<&Arg>, value: &OsStr) -> Result<Target, Error> {
        let path = Path::new(value);
        let named = value.to_str().and_then(environments::find);
        let is_path = || path.extension().is_some_and(|extension| extension == "toml") || path.components().count() > 1;
        match named {
            Some(environment) => Ok(Target::Environment(environment)),
            None if is_path() || path.is_file() => Ok(Target::Team(path.into())),
            // What it should have been is said there.
            None => environments::parser().parse_ref(command, argument, value).map(Target::Environment),
        }
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let values: Vec<PossibleValue> = environments::names().possible_values()?.collect();
        Some(Box::new(values.into_iter()))
    }
}

impl Target {
    /// What is to be run, by this rule alone if there is one.
    ///
    /// # Errors
    /// When the file cannot be read, or asks for what there is not: wrong usage.
    pub(crate) fn plan(self, rule: Option<LaunchRule>) -> anyhow::Result<Plan> {
        let plan = match self {
            Target::Environment(environment) => {
                let usual = Plan::of(environment);
                Ok(Plan { rules: rule.map_or(usual.rules, |rule| vec![rule]), ..usual })
            }
            Target::Team(path) => Plan::read(&path, rule),
        };
        let checked = plan.and_then(|plan| plan.check_programs().map(|()| plan));
        checked.map_err(|error| wrong_usage(&error).into())
    }
}
