//! `situated check-environment`: plays an environment at random and checks that it follows the rules for
//! environments.

mod remote;

use std::collections::BTreeMap;
use std::io::{self, IsTerminal};
use std::num::NonZeroU64;
use std::process::ExitCode;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::anyhow;
use clap::ValueHint;
use indicatif::{ProgressBar, ProgressStyle};
use situated::iil::Parameter;
use situated::names::{did_you_mean, nearest};
use situated_checker::{Broken, Report, Settings, Verified};

use crate::arguments::{ParameterArguments, at_least_one};
use crate::environments::{self, registry};
use crate::parameters::{value, values};
use crate::python::{PythonArguments, PythonFile};
use crate::repeat::Seeds;
use crate::table;
use crate::usage::wrong_usage;

use remote::Remote;

#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Environment, a Python file with one (FILE.py, or FILE.py:NAME), or the address of a server: ws://HOST:PORT/ws or
    /// tcp://HOST:PORT.
    #[arg(value_name = "ENVIRONMENT|FILE|URL", value_hint = ValueHint::Other, required_unless_present = "host")]
    environment: Option<String>,
    /// Name of the environment on that server, such as one that a host provides. The check resets it many times.
    #[arg(value_name = "NAME")]
    name: Option<String>,
    /// Start a server, wait for the host of an environment to connect, and check that environment.
    #[arg(long, conflicts_with_all = ["environment", "name", "token"])]
    host: bool,
    /// Port that the host connects to; 0 means any free port [default: 7467].
    #[arg(long, value_name = "N", requires = "host")]
    port: Option<u16>,
    /// Token with the rights to act and to manage, if the server requires tokens.
    #[arg(long, value_name = "TOKEN")]
    token: Option<String>,
    #[command(flatten)]
    parameters: ParameterArguments,
    #[command(flatten)]
    python: PythonArguments,
    /// First seed.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Number of seeds.
    #[arg(long, value_name = "N", default_value = "10", value_parser = at_least_one::<NonZeroU64>)]
    seeds: NonZeroU64,
    /// Number of steps with each seed.
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..))]
    steps: u64,
    /// Maximum time in seconds. The report then says what was left out.
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..))]
    time_limit: u64,
    /// Print a report for programs (JSON).
    #[arg(long)]
    json: bool,
}

/// Time between two lines about the progress, where there is no terminal.
const SILENCE: Duration = Duration::from_secs(10);

/// Time between two pictures of the progress on a terminal.
const TICK: Duration = Duration::from_millis(200);

const EXAMPLES: &str = "\
Examples:
  situated check-environment find-goals
  situated check-environment find-goals --seeds 100 --steps 1000
  situated check-environment find-goals --seed 7 --seeds 1
  situated check-environment bw4t --map Random --robots 3
  situated check-environment shop.py

Check an environment on a server, or the host of one:
  situated check-environment tcp://127.0.0.1:7467 corridor
  situated check-environment --host

The same seeds and steps give the same report each time, unless a server is involved or the time is over.

Exit codes:
  0  no rule is broken; rules that the play did not test are not applicable
  1  a rule is broken, or the server or host could not be reached
  2  wrong usage";

/// Checks the environment and prints the report.
pub(crate) fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let Arguments { environment, name, host, port, token, parameters, python, seed, seeds, steps, time_limit, json } =
        arguments;
    let terms: BTreeMap<String, Parameter> =
        parameters.given.iter().map(|(name, text)| (name.clone(), value(text))).collect();
    let seeds = Seeds::new(seed, seeds).map_err(|error| wrong_usage(&error))?.range();
    let settings = Settings { parameters: terms, seeds, steps, time_limit: Some(Duration::from_secs(time_limit)) };
    let report = if host {
        let remote = Remote::of_host(port, &settings)?;
        let _progress = Progress::show(&settings);
        remote.check(&settings)
    } else {
        match (environment.unwrap_or_default(), name) {
            (url, Some(name)) if url.contains("://") => {
                let remote = Remote::connect(&url, token, &name, &settings)?;
                let _progress = Progress::show(&settings);
                remote.check(&settings)
            }
            (url, None) if url.contains("://") => {
                return Err(misused(format!("which environment on {url}? Give its name after the address")));
            }
            (environment, None) => check_here(&environment, &parameters.given, &python, settings)?,
            (environment, Some(name)) => {
                return Err(misused(format!("`{name}` follows `{environment}`, which is not the address of a server")));
            }
        }
    };
    let row = |one: &Verified| [one.verdict.word().to_owned(), one.rule.name().to_owned(), one.explanation()];
    let rows: Vec<_> = report.rules.iter().map(row).collect();
    let details: String = report.rules.iter().map(Verified::details).collect();
    let text = || table::verdicts(&rows) + &details + &format!("\n{}: {}\n", report.environment, report.summary());
    table::print_report(&report, json, text, report.passed())
}

fn check_here(
    environment: &str,
    parameters: &[(String, String)],
    python: &PythonArguments,
    mut settings: Settings,
) -> anyhow::Result<Report> {
    let in_file = || PythonFile::named(environment).map(|file| file.load(python, false)).transpose();
    let registered = environments::find(environment)
        .map_or_else(|| Ok(in_file()?.map(|loaded| loaded.environment)), |one| anyhow::Ok(Some(one)))?;
    let Some(registered) = registered else {
        let names: Vec<&str> = registry().environments().map(|one| one.ontology.name.as_str()).collect();
        let meant = did_you_mean(nearest(environment, names.iter().copied()));
        return Err(misused(format!("there is no environment `{environment}`, expected {}{meant}", names.join(", "))));
    };
    settings.parameters = values(parameters, &registered.ontology).map_err(|error| wrong_usage(&error))?;
    let _progress = Progress::show(&settings);
    (registered.check)(&settings).map_err(|Broken(why)| misused(why))
}

fn misused(message: String) -> anyhow::Error {
    wrong_usage(&anyhow!(message)).into()
}

/// Shows on a terminal how long the check has played; elsewhere, it says so every ten seconds.
struct Progress {
    bar: ProgressBar,
    /// Closed at the end, which ends the thread that says so.
    _end: mpsc::Sender<()>,
}

impl Progress {
    fn show(Settings { seeds, steps, time_limit, .. }: &Settings) -> Self {
        let limit = time_limit.map_or(String::new(), |limit| format!(", for at most {} s", limit.as_secs()));
        let what = format!("Playing seeds {} to {}, {steps} steps each{limit}:", seeds.start(), seeds.end());
        let (end, ended) = mpsc::channel();
        if !io::stderr().is_terminal() {
            let begun = Instant::now();
            thread::spawn(move || {
                while ended.recv_timeout(SILENCE) == Err(mpsc::RecvTimeoutError::Timeout) {
                    eprintln!("{what} {} s so far", begun.elapsed().as_secs());
                }
            });
            return Self { bar: ProgressBar::hidden(), _end: end };
        }
        let style = ProgressStyle::with_template("{spinner} {msg} {elapsed}");
        let bar = ProgressBar::no_length().with_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
        bar.set_message(what);
        bar.enable_steady_tick(TICK);
        Self { bar, _end: end }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
