//! Arguments of several commands: an environment, a Python file or a team file, its parameters, the options of its
//! episodes, and the port of a server.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::anyhow;
use clap::builder::{PossibleValue, TypedValueParser};
use clap::{Arg, Command, Error};
use situated_registry::Registered;
use situated_runtime::Speed;

use crate::environments;
use crate::parameters::parameter;
use crate::plan::Plan;
use crate::python::{PythonArguments, PythonFile};
use crate::team_file::{LaunchProgram, LaunchRule, ProgramParser};
use crate::usage::wrong_usage;

/// The argument of a command: the name of an environment, a Python file with one, or a team file.
#[derive(Clone)]
pub(crate) enum Target {
    Environment(&'static Registered),
    Python(PythonFile),
    Team(PathBuf),
}

/// Parses a target. A text that looks like a path and is not the name of an environment is a Python file, with `.py`,
/// or a team file.
#[derive(Clone)]
pub(crate) struct TargetParser;

impl TypedValueParser for TargetParser {
    type Value = Target;

    fn parse_ref(&self, command: &Command, argument: Option<&Arg>, value: &OsStr) -> Result<Target, Error> {
        let path = Path::new(value);
        let named = value.to_str().and_then(environments::find);
        let is_file_name = || path.extension().is_some_and(|extension| extension == "toml" || extension == "mcap");
        let is_path = || is_file_name() || path.components().count() > 1;
        let python = match named {
            Some(environment) => return Ok(Target::Environment(environment)),
            None => value.to_str().and_then(PythonFile::named),
        };
        match python {
            Some(file) => Ok(Target::Python(file)),
            None if is_path() || path.is_file() => Ok(Target::Team(path.into())),
            // The parser of names explains the error.
            None => environments::parser().parse_ref(command, argument, value).map(Target::Environment),
        }
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let values: Vec<PossibleValue> = environments::names().possible_values()?.collect();
        Some(Box::new(values.into_iter()))
    }
}

impl Target {
    /// Returns whether it is a team file, which has rules of its own.
    pub(crate) fn is_team(&self) -> bool {
        matches!(self, Target::Team(_))
    }

    /// Returns the environment.
    ///
    /// # Errors
    /// Returns an error if the environment cannot be loaded, and a usage error for a team file.
    pub(crate) fn environment(self, python: &PythonArguments) -> anyhow::Result<&'static Registered> {
        match self {
            Target::Environment(environment) => Ok(environment),
            Target::Python(file) => Ok(file.load(python, false)?.environment),
            Target::Team(path) => {
                Err(wrong_usage(&anyhow!("{} is neither an environment nor a Python file", path.display())).into())
            }
        }
    }

    /// Returns the plan. If `rule` is given, it replaces all rules. With `reloads`, an environment in a Python file
    /// begins again when that is saved.
    ///
    /// # Errors
    /// Returns a usage error if the file cannot be read or contains a mistake, or there is nothing to load again.
    pub(crate) fn plan(
        self,
        rule: Option<LaunchRule>,
        python: &PythonArguments,
        reloads: bool,
    ) -> anyhow::Result<Plan> {
        if reloads && !matches!(self, Target::Python(_)) {
            return Err(
                wrong_usage(&anyhow!("--reload needs the Python file of an environment, such as shop.py")).into()
            );
        }
        let plan = match self {
            Target::Environment(environment) => {
                let usual = Plan::of(environment);
                Ok(Plan { rules: rule.map_or(usual.rules, |rule| vec![rule]), ..usual })
            }
            Target::Python(file) => {
                let loaded = file.load(python, reloads)?;
                // It has no agents of its own.
                let rule = rule.unwrap_or_else(|| LaunchRule::all(LaunchProgram::Random));
                Ok(Plan { rules: vec![rule], source: Some(loaded.source), ..Plan::of(loaded.environment) })
            }
            Target::Team(path) => Plan::read(&path, rule),
        };
        let checked = plan.and_then(|plan| {
            let conditions = plan.conditions.iter().map(|(_, plan)| plan);
            [&plan].into_iter().chain(conditions).try_for_each(Plan::check_programs)?;
            Ok(plan)
        });
        checked.map_err(|error| wrong_usage(&error).into())
    }
}

/// Parameters of an environment.
#[derive(clap::Args)]
pub(crate) struct ParameterArguments {
    /// Parameter of the environment, as listed by `situated describe`; can be repeated. A parameter that is a file
    /// takes a path. `--KEY VALUE` is a short form, in lower case with hyphens.
    #[arg(long = "param", value_name = "KEY=VALUE", value_parser = parameter)]
    pub(crate) given: Vec<(String, String)>,
}

/// Options of the episodes of an environment, which override its team file.
#[derive(clap::Args)]
pub(crate) struct EpisodeArguments {
    #[arg(long, value_name = "AGENTS", value_parser = ProgramParser, hide_possible_values = true,
        help = LaunchProgram::help())]
    pub(crate) agents: Option<LaunchProgram>,
    /// Seed of all random choices; the same seed and actions give the same run [default: as in the team file, or 1].
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    pub(crate) seed: Option<u64>,
    /// Maximum number of steps per second, or `max` [default: as in the team file; otherwise the environment's own
    /// speed in real time on a terminal or a server, 10 at other paces on a terminal, and max everywhere else].
    #[arg(long, value_name = "HZ|max", allow_negative_numbers = true)]
    pub(crate) speed: Option<Speed>,
    #[command(flatten)]
    pub(crate) parameters: ParameterArguments,
    #[command(flatten)]
    pub(crate) python: PythonArguments,
    /// When the Python file of the environment is saved, begin a new episode with it. Agents and people stay connected.
    #[arg(long)]
    pub(crate) reload: bool,
}

impl EpisodeArguments {
    /// Lets these options override a plan.
    ///
    /// # Errors
    /// Returns a usage error if a file of a parameter cannot be read.
    pub(crate) fn adjust(&self, plan: &mut Plan) -> anyhow::Result<()> {
        plan.seed = self.seed.unwrap_or(plan.seed);
        plan.speed = self.speed.or(plan.speed);
        plan.set_parameters(&self.parameters.given)
    }
}

/// The port of a server that the command starts.
#[derive(clap::Args)]
pub(crate) struct PortArgument {
    /// Port of the server; 0 means any free port [default: 7467].
    #[arg(long, value_name = "N")]
    port: Option<u16>,
}

impl PortArgument {
    /// Returns the port, or this one without the option.
    pub(crate) fn or(&self, default: u16) -> u16 {
        self.port.unwrap_or(default)
    }
}

/// Parses a number from 1.
pub(crate) fn at_least_one<T: FromStr>(text: &str) -> Result<T, &'static str> {
    text.parse().map_err(|_| "expected a whole number from 1")
}
