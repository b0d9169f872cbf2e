//! `situated run`: runs an environment with programs for its entities. On a terminal it draws the environment as it
//! moves; otherwise it prints each step as a line of JSON. At the end it prints the results.

mod audience;
mod home;
mod lines;
mod results;
mod screen;
mod stage;
mod step;
mod story;
mod view;

use std::io::{self, IsTerminal};
use std::net::Ipv4Addr;
use std::num::{NonZeroU64, NonZeroUsize};
use std::path::PathBuf;
use std::process::ExitCode;
use std::{fs, thread};

use anyhow::{Context, anyhow, bail};
use situated::ontology::Pace;
use situated_recording::{McapRecorder, RecorderSettings};
use situated_runtime::Speed;
use situated_server::{PORT, Settings};

use crate::arguments::{EpisodeArguments, PortArgument, Target, TargetParser, at_least_one};
use crate::environments;
use crate::plan::Plan;
use crate::query;
use crate::repeat::{self, Ran, Repetition, Seeds, Subject};
use crate::team_file::LaunchRule;
use crate::unless_closed;
use crate::usage::wrong_usage;
use audience::{Audience, Interrupt, play};
use lines::{Header, Lines, Summary};
use results::{Results, Rows};
use screen::Screen;
use stage::Stage;

#[derive(clap::Args)]
#[command(mut_arg("port", |port| port.requires("page")), mut_arg("reload", |reload| reload.requires("page")))]
#[command(after_help = EXAMPLES, after_long_help = format!("{EXAMPLES}\n\n{}\n\n{}", lines::SCHEMA, repeat::SCHEMA))]
pub(crate) struct Arguments {
    /// Environment; a Python file with one (FILE.py, or FILE.py:NAME); or a team file (*.toml), which names an
    /// environment and the programs for its entities.
    #[arg(value_name = "ENVIRONMENT|FILE", value_parser = TargetParser)]
    target: Option<Target>,
    #[command(flatten)]
    episode: EpisodeArguments,
    /// Run only this condition of the team file.
    #[arg(long, value_name = "NAME")]
    condition: Option<String>,
    /// Maximum number of steps; a run also ends with its episode [default: 1000, or 10 minutes in real time].
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    steps: Option<u64>,
    /// Print only the results.
    #[arg(long)]
    quiet: bool,
    /// Format of the results, with --quiet or --repeat [default: text; with --quiet JSON if the output is not a
    /// terminal].
    #[arg(long, value_enum)]
    format: Option<repeat::Format>,
    /// Print a property of the environment at the end, such as `log` of bw4t.
    #[arg(long, value_name = "PROPERTY")]
    query: Option<String>,
    /// Also start a server: agents can connect, and a web page shows the environment.
    #[arg(long)]
    page: bool,
    #[command(flatten)]
    port: PortArgument,
    #[command(flatten)]
    recording: RecordingArguments,
    #[command(flatten)]
    repetition: RepetitionArguments,
}

/// Options for recording the run.
#[derive(clap::Args)]
#[command(next_help_heading = "Recording")]
struct RecordingArguments {
    /// Record everything in this new file, for `situated replay` and `situated export`.
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Number of steps between recorded states [default: 100].
    #[arg(long, value_name = "N", requires = "record", value_parser = at_least_one::<NonZeroU64>)]
    checkpoint_every: Option<NonZeroU64>,
    /// Do not record percepts. Replays do not need them.
    #[arg(long, requires = "record")]
    no_percepts: bool,
}

/// Options for running many seeds.
#[derive(clap::Args)]
#[command(next_help_heading = "Repetition")]
struct RepetitionArguments {
    /// Run this many seeds, beginning with --seed, and print a table of the results.
    #[arg(long, value_name = "N", value_parser = at_least_one::<NonZeroU64>)]
    #[arg(conflicts_with_all = ["record", "checkpoint_every", "no_percepts", "speed", "quiet", "page", "query"])]
    repeat: Option<NonZeroU64>,
    /// Number of parallel runs [default: number of processors].
    #[arg(long, value_name = "M", requires = "repeat", value_parser = at_least_one::<NonZeroUsize>)]
    jobs: Option<NonZeroUsize>,
}

const EXAMPLES: &str = "\
Examples:
  situated run find-goals
  situated run find-goals --agents random --steps 200 --seed 7
  situated run find-goals --speed max --view global
  situated run bw4t --agents team --robots 3
  situated run find-goals --quiet
  situated run find-goals --steps 3 | head -n 2
  situated run find-goals --record episode.mcap
  situated run find-goals --steps 20 --page --port 0
  situated run find-goals --agents random --repeat 20 --jobs 2
  situated run find-goals --repeat 20 --format csv > runs.csv
  situated run team.toml --quiet
  situated run shop.py --agents random --steps 50

Exit codes:
  0  the run has ended
  1  a failure while running
  2  wrong usage
  3  a message broke a rule of its protocol, and the team file has `violations = \"end\"`

On a terminal: space pauses and continues, s makes a single step, + and - change the speed, r begins a new episode with
the next seed, q and Ctrl-C end the run and show its results, Ctrl-Z stops the process until the shell continues it
(fg). NO_COLOR=1 draws with plain characters.";

/// The exit code of a run that ended because a message broke a rule of its protocol.
const VIOLATION: u8 = 3;

/// Steps per second for an environment without a speed of its own, if the run is drawn on a terminal.
const DEFAULT_SPEED: f64 = 10.0;

/// Runs the environment and shows what happens.
pub(crate) fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    if arguments.format.is_some() && !arguments.quiet && arguments.repetition.repeat.is_none() {
        return Err(wrong_usage(&anyhow!("`--format` is for the results: add `--quiet` or `--repeat N`")).into());
    }
    let show = Show::of(arguments.quiet, arguments.format);
    let mut plan = arguments.plan()?;
    if let Some(property) = &arguments.query {
        query::check(plan.environment, property)?;
    }
    if let Some(count) = arguments.repetition.repeat {
        // No agent outside of this process could make a step wait.
        (plan.speed, plan.patience) = (None, None);
        plan.conditions.iter_mut().for_each(|(_, plan)| (plan.speed, plan.patience) = (None, None));
        let interrupt = Interrupt::listen(false)?;
        let jobs = arguments.repetition.jobs.or_else(|| thread::available_parallelism().ok());
        let format = arguments.format.unwrap_or(repeat::Format::Text);
        return repeat_plan(&plan, count, jobs.unwrap_or(NonZeroUsize::MIN), format, &interrupt)
            .map(|()| ExitCode::SUCCESS);
    }
    plan.speed.get_or_insert(show.speed(plan.pace));
    let interrupt = Interrupt::listen(show == Show::Screen)?;
    let server_settings = arguments.server_settings();
    let mut stage = arguments.recording.begin(&plan, show.needs_notes(), server_settings)?;
    if let Some(page) = stage.page() {
        eprintln!("Page: {page}");
    }
    warn_of_rules(&plan, &mut stage);
    let mut audience = show.open(&mut stage)?;
    let played = play(&mut stage, &mut *audience, &interrupt);
    // However the run ended, finish the recording and restore the terminal.
    let finished = stage.finish();
    match played {
        Ok(()) => {
            unless_closed(audience.end(&mut stage))?;
            if let Some(property) = &arguments.query {
                let value = stage.read(|interface| interface.query_property(property).ok());
                query::print(&stage.ontology().name, property, value.flatten())?;
            }
            if stage.is_idle() {
                let why = if stage.page().is_some() { "its programs have ended and " } else { "" };
                eprintln!("The run ended because {why}no agent acts any more.");
            }
        }
        Err(error) => {
            drop(audience);
            return Err(error);
        }
    }
    finished?;
    Ok(match stage.violation() {
        None => ExitCode::SUCCESS,
        Some(violation) => {
            eprintln!("The run ended because a message broke a rule of its protocol: {violation}");
            ExitCode::from(VIOLATION)
        }
    })
}

/// Runs the plan with many seeds, until it is interrupted.
fn repeat_plan(
    plan: &Plan,
    count: NonZeroU64,
    jobs: NonZeroUsize,
    format: repeat::Format,
    interrupt: &Interrupt,
) -> anyhow::Result<()> {
    let first_seed = plan.conditions.first().map_or(plan.seed, |(_, plan)| plan.seed);
    let seeds = Seeds::new(first_seed, count).map_err(|error| wrong_usage(&error))?;
    let repetition = Repetition { seeds, jobs, format };
    if plan.conditions.is_empty() {
        return repeat::repeat(&repetition, &subject_of(plan)?, |seed| run_seed(plan, seed, interrupt));
    }
    let conditions = plan.conditions.iter().map(|(name, plan)| Ok((name.as_str(), subject_of(plan)?)));
    let conditions: Vec<_> = conditions.collect::<anyhow::Result<_>>()?;
    repeat::compare(&repetition, &conditions, |number, seed| run_seed(&plan.conditions[number].1, seed, interrupt))
}

/// Returns the settings of all runs of a plan, so that wrong parameters are reported before the first run.
fn subject_of(plan: &Plan) -> anyhow::Result<Subject> {
    let mut first = begin(plan, plan.seed, false, None, None)?;
    warn_of_rules(plan, &mut first);
    Ok(Header::of(&mut first).subject)
}

fn run_seed(plan: &Plan, seed: u64, interrupt: &Interrupt) -> anyhow::Result<Ran> {
    let mut stage = Stage::begin(plan, seed, false, None, None)?;
    while !stage.is_over() {
        if interrupt.is_raised() {
            bail!("it was interrupted");
        }
        stage.advance()?;
    }
    Ok(ran(&mut stage))
}

/// Returns the result of a run that has ended.
fn ran(stage: &mut Stage) -> Ran {
    let failures = stage.failures().values().map(|failures| failures.count).sum();
    Ran { steps: stage.status().moment.step, outcome: stage.outcome(), failures }
}

/// Begins an episode. Wrong parameters are wrong usage.
fn begin(
    plan: &Plan,
    seed: u64,
    notes: bool,
    recorder: Option<McapRecorder>,
    server_settings: Option<Settings>,
) -> anyhow::Result<Stage> {
    let begun = Stage::begin(plan, seed, notes, recorder, server_settings);
    begun.map_err(|error| plan.refusal(error))
}

impl Arguments {
    /// Returns the settings of the server if `--page` asks for one.
    fn server_settings(&self) -> Option<Settings> {
        let address = (Ipv4Addr::LOCALHOST, self.port.or(PORT)).into();
        self.page.then(|| Settings { address, ..Settings::default() })
    }

    /// Returns the plan. Options override the team file.
    fn plan(&self) -> anyhow::Result<Plan> {
        let target = self.target.clone();
        let target = target.map_or_else(|| environments::choose().map(Target::Environment), Ok)?;
        let mut plan =
            target.plan(self.episode.agents.clone().map(LaunchRule::all), &self.episode.python, self.episode.reload)?;
        if let Some(name) = &self.condition {
            plan = plan.condition(name)?;
        }
        if self.repetition.repeat.is_none() {
            plan.check_single()?;
        }
        // The rules of the file are only those of its conditions that have none of their own.
        if plan.conditions.is_empty() {
            self.adjust(&mut plan)?;
        }
        plan.conditions.iter_mut().try_for_each(|(_, plan)| self.adjust(plan))?;
        Ok(plan)
    }

    /// Lets options override a plan.
    fn adjust(&self, plan: &mut Plan) -> anyhow::Result<()> {
        self.episode.adjust(plan)?;
        plan.steps = self.steps.unwrap_or(plan.steps);
        if plan.has_models() && matches!(plan.pace, Pace::RealTime { .. }) {
            // Otherwise the episode would be over before a model has thought once.
            plan.speed = plan.speed.or(Some(Speed::of(plan.pace)));
        }
        match plan.needs_server.as_ref().filter(|_| !self.page) {
            Some(why) => Err(wrong_usage(&anyhow!("{why}")).into()),
            None => Ok(()),
        }
    }
}

impl RecordingArguments {
    /// Begins an episode, and records it if the options say so.
    fn begin(&self, plan: &Plan, notes: bool, server_settings: Option<Settings>) -> anyhow::Result<Stage> {
        let Some(path) = &self.record else { return begin(plan, plan.seed, notes, None, server_settings) };
        let usual = RecorderSettings::default();
        let checkpoint_every = self.checkpoint_every.unwrap_or(usual.checkpoint_every);
        let recorder = McapRecorder::create(path, RecorderSettings { percepts: !self.no_percepts, checkpoint_every })?;
        begin(plan, plan.seed, notes, Some(recorder), server_settings).inspect_err(|_| {
            // The file is empty, and would prevent the next attempt.
            let _ = fs::remove_file(path);
        })
    }
}

/// The way in which a run is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Show {
    /// Drawn on the terminal.
    Screen,
    /// A line of JSON for each step.
    Lines,
    /// Results only, for people.
    Results,
    /// Results only, as JSON.
    Summary,
    /// Results only, as CSV.
    Rows,
}

impl Show {
    fn of(quiet: bool, format: Option<repeat::Format>) -> Self {
        match (quiet, format, io::stdout().is_terminal()) {
            (false, _, true) => Show::Screen,
            (false, _, false) => Show::Lines,
            (true, Some(repeat::Format::Text), _) | (true, None, true) => Show::Results,
            (true, Some(repeat::Format::Json), _) | (true, None, false) => Show::Summary,
            (true, Some(repeat::Format::Csv), _) => Show::Rows,
        }
    }

    /// Returns whether the events of each step are shown.
    fn needs_notes(self) -> bool {
        matches!(self, Show::Screen | Show::Lines)
    }

    /// Returns the default speed for an environment with this pace.
    fn speed(self, pace: Pace) -> Speed {
        match (self, pace) {
            (Show::Screen, Pace::RealTime { .. }) => Speed::of(pace),
            (Show::Screen, _) => Speed::hertz(DEFAULT_SPEED),
            _ => Speed::MAX,
        }
    }

    fn open(self, stage: &mut Stage) -> anyhow::Result<Box<dyn Audience>> {
        Ok(match self {
            Show::Screen => Box::new(Screen::open(stage).context("cannot draw on this terminal; try --quiet")?),
            Show::Lines => Box::new(Lines::begin(&Header::of(stage))?),
            Show::Results => Box::new(Results),
            Show::Summary => Box::new(Summary { header: Header::of(stage) }),
            Show::Rows => Box::new(Rows),
        })
    }
}

fn warn_of_rules(plan: &Plan, stage: &mut Stage) {
    plan.warnings_of_unused_rules(&stage.read(|interface| interface.entities()))
        .iter()
        .for_each(|rule| eprintln!("warning: {rule}"));
}
