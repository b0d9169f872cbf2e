//! `situated run`: an environment with programs in its entities. On a terminal its environment is drawn while it moves,
//! otherwise each step is a line of JSON; at the end come the results.

mod audience;
mod home;
mod lines;
mod results;
mod screen;
mod stage;
mod step;
mod terminal;
mod view;

use std::io::{self, IsTerminal};
use std::net::Ipv4Addr;
use std::num::{NonZeroU64, NonZeroUsize};
use std::path::PathBuf;
use std::str::FromStr;
use std::{fs, thread};

use anyhow::Context;
use situated::iil::Parameter;
use situated::ontology::Pace;
use situated_recording::{McapRecorder, RecorderSettings};
use situated_runtime::Speed;
use situated_server::{PORT, Settings};

use crate::parameters::parameter;
use crate::plan::{Plan, Target, TargetParser};
use crate::query;
use crate::repeat::{self, Ran, Repetition, Seeds};
use crate::team_file::{LaunchProgram, LaunchRule};
use crate::usage::{refusal, wrong_usage};
use audience::{Audience, Interrupt, play};
use lines::{Header, Lines, Summary};
use results::Results;
use screen::Screen;
use stage::Stage;

#[derive(clap::Args)]
#[command(after_help = EXAMPLES, after_long_help = format!("{EXAMPLES}\n\n{}\n\n{}", lines::SCHEMA, repeat::SCHEMA))]
pub(crate) struct Arguments {
    /// An environment, or the file of a team (*.toml): the environment, and who controls what in it.
    #[arg(value_name = "ENVIRONMENT|FILE", value_parser = TargetParser)]
    target: Target,
    /// Who decides for all entities [default: what the file says, or builtin].
    #[arg(long, value_name = "AGENTS", value_parser = LaunchProgram::parser())]
    agents: Option<LaunchProgram>,
    /// How many steps to make at the most; fewer if the episode is over before [default: 1000, or 10 minutes in real time].
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    steps: Option<u64>,
    /// Where all randomness comes from: the same seed gives the same run [default: 1].
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    seed: Option<u64>,
    /// Steps a second, or `max` [default: max; where it is drawn that of an environment in real time, or 10].
    #[arg(long, value_name = "HZ|max")]
    speed: Option<Speed>,
    /// A parameter of the environment; `situated describe` lists them. One that takes a file is given its
    /// path. May be given several times. `--KEY VALUE` is the same, in small letters with hyphens.
    #[arg(long = "param", value_name = "KEY=VALUE", value_parser = parameter)]
    parameters: Vec<(String, Parameter)>,
    /// Show the results only.
    #[arg(long)]
    quiet: bool,
    /// Print this property of the environment at the end; which there are, its environment knows.
    #[arg(long, value_name = "PROPERTY")]
    query: Option<String>,
    /// Open the doors meanwhile, for agents and for a page that shows the environment.
    #[arg(long)]
    page: bool,
    /// The port of the doors; 0 means any that is free [default: 7467].
    #[arg(long, value_name = "N", requires = "page")]
    port: Option<u16>,
    #[command(flatten)]
    recording: RecordingArguments,
    #[command(flatten)]
    repetition: RepetitionArguments,
}

/// Whether and how the run is recorded.
#[derive(clap::Args)]
#[command(next_help_heading = "Recording")]
struct RecordingArguments {
    /// Record all that happens in this new file, for `situated replay` and `situated export`.
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// After how many steps to record the whole state and its hash [default: 100].
    #[arg(long, value_name = "N", requires = "record", value_parser = at_least_one::<NonZeroU64>)]
    checkpoint_every: Option<NonZeroU64>,
    /// Do not record what agents are told. Replays do not need it.
    #[arg(long, requires = "record")]
    no_percepts: bool,
}

/// Whether it is run many times.
#[derive(clap::Args)]
#[command(next_help_heading = "Repetition")]
struct RepetitionArguments {
    /// Run so many seeds, from the seed on, and show a table of what came out.
    #[arg(long, value_name = "N", value_parser = at_least_one::<NonZeroU64>, conflicts_with_all = ["record", "checkpoint_every", "no_percepts", "speed", "quiet", "page", "query"])]
    repeat: Option<NonZeroU64>,
    /// How many runs at the same time [default: as many as there are processors].
    #[arg(long, value_name = "M", requires = "repeat", value_parser = at_least_one::<NonZeroUsize>)]
    jobs: Option<NonZeroUsize>,
    /// The form of the table.
    #[arg(long, value_enum, requires = "repeat", default_value_t = repeat::Format::Text)]
    format: repeat::Format,
}

/// Reads a number that is not 0.
fn at_least_one<T: FromStr>(text: &str) -> Result<T, &'static str> {
    text.parse().map_err(|_| "expected a whole number, 1 or greater")
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

On a terminal: space pauses and goes on, s makes a single step, + and - change the speed, r begins a new episode with the
next seed, q and Ctrl-C end the run and show its results. NO_COLOR=1 draws with plain characters.";

/// The speed of an environment that does not run in real time, where it is drawn, so that one can follow it.
const PLEASANT: f64 = 10.0;

/// Runs the environment and shows what comes of it.
pub(crate) fn run(arguments: Arguments) -> anyhow::Result<()> {
    let show = Show::of(arguments.quiet);
    let mut plan = arguments.plan()?;
    if let Some(count) = arguments.repetition.repeat {
        // There is nobody for whom one would have to wait.
        (plan.speed, plan.patience) = (None, None);
        return repeat_plan(&plan, count, &arguments.repetition);
    }
    plan.speed.get_or_insert(show.speed(plan.pace));
    let interrupt = Interrupt::listen(show == Show::Screen)?;
    let doors = arguments.doors();
    let mut stage = arguments.recording.begin(&plan, show.needs_notes(), doors)?;
    if let Some(page) = stage.page() {
        eprintln!("Page: {page}");
    }
    warn_of_rules(&plan, &mut stage);
    let mut audience = show.open(&mut stage)?;
    let played = play(&mut stage, &mut *audience, &interrupt);
    // However it has ended, what was recorded is kept and the terminal is given back.
    let finished = stage.finish();
    match played {
        Ok(()) => {
            audience.end(&mut stage)?;
            if let Some(property) = &arguments.query {
                let value = stage.read(|interface| interface.query_property(property));
                query::print(&stage.ontology().name, property, value)?;
            }
            if stage.is_idle() {
                eprintln!("It has ended since nobody does anything any more.");
            }
        }
        Err(error) => {
            drop(audience);
            return Err(error);
        }
    }
    finished
}

/// Runs the plan with many seeds.
fn repeat_plan(plan: &Plan, count: NonZeroU64, arguments: &RepetitionArguments) -> anyhow::Result<()> {
    let seeds = Seeds::new(plan.seed, count).map_err(|error| wrong_usage(&error))?;
    let jobs = arguments.jobs.or_else(|| thread::available_parallelism().ok()).unwrap_or(NonZeroUsize::MIN);
    // If there is no such environment, it is said before anything is begun.
    let mut first = begin(plan, plan.seed, false, None, None)?;
    warn_of_rules(plan, &mut first);
    let subject = Header::of(&mut first).subject;
    repeat::repeat(&Repetition { seeds, jobs, format: arguments.format }, &subject, |seed| {
        let mut stage = Stage::begin(plan, seed, false, None, None)?;
        while !stage.is_over() {
            stage.advance()?;
        }
        let failures = stage.failures().values().map(|failures| failures.count).sum();
        Ok(Ran { steps: stage.status().moment.step, outcome: stage.outcome(), failures })
    })
}

/// The environment at its beginning. Wrong parameters are wrong usage.
fn begin(
    plan: &Plan,
    seed: u64,
    notes: bool,
    recorder: Option<McapRecorder>,
    doors: Option<Settings>,
) -> anyhow::Result<Stage> {
    let begun = Stage::begin(plan, seed, notes, recorder, doors);
    begun.map_err(|error| refusal(error, &plan.environment.ontology))
}

impl Arguments {
    /// How the doors are opened, if they are to be.
    fn doors(&self) -> Option<Settings> {
        let address = (Ipv4Addr::LOCALHOST, self.port.unwrap_or(PORT)).into();
        self.page.then(|| Settings { address, ..Settings::default() })
    }

    /// What is to be run: what is said here counts more than what a file says.
    fn plan(&self) -> anyhow::Result<Plan> {
        let mut plan = self.target.clone().plan(self.agents.clone().map(LaunchRule::all))?;
        plan.seed = self.seed.unwrap_or(plan.seed);
        plan.steps = self.steps.unwrap_or(plan.steps);
        plan.speed = self.speed.or(plan.speed);
        plan.set_parameters(&self.parameters)?;
        match plan.needs_door.as_ref().filter(|_| !self.page) {
            Some(why) => Err(wrong_usage(&anyhow::anyhow!("{why}")).into()),
            None => Ok(plan),
        }
    }
}

impl RecordingArguments {
    /// The environment at its beginning, recorded if that is wanted.
    fn begin(&self, plan: &Plan, notes: bool, doors: Option<Settings>) -> anyhow::Result<Stage> {
        let Some(path) = &self.record else { return begin(plan, plan.seed, notes, None, doors) };
        let usual = RecorderSettings::default();
        let checkpoint_every = self.checkpoint_every.unwrap_or(usual.checkpoint_every);
        let recorder = McapRecorder::create(path, RecorderSettings { percepts: !self.no_percepts, checkpoint_every })?;
        begin(plan, plan.seed, notes, Some(recorder), doors).inspect_err(|_| {
            // There is nothing in the file, and it would be in the way.
            let _ = fs::remove_file(path);
        })
    }
}

/// How a run is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Show {
    /// It is drawn.
    Screen,
    /// Each step is a line of JSON.
    Lines,
    /// Its results only, for people.
    Results,
    /// Its results only, as JSON.
    Summary,
}

impl Show {
    fn of(quiet: bool) -> Self {
        match (quiet, io::stdout().is_terminal()) {
            (false, true) => Show::Screen,
            (false, false) => Show::Lines,
            (true, true) => Show::Results,
            (true, false) => Show::Summary,
        }
    }

    /// Whether it is shown what happens in each step.
    fn needs_notes(self) -> bool {
        matches!(self, Show::Screen | Show::Lines)
    }

    /// The speed at which an environment of this pace is shown so.
    fn speed(self, pace: Pace) -> Speed {
        match (self, pace) {
            (Show::Screen, Pace::RealTime { .. }) => Speed::of(pace),
            (Show::Screen, _) => Speed::hertz(PLEASANT),
            _ => Speed::MAX,
        }
    }

    fn open(self, stage: &mut Stage) -> anyhow::Result<Box<dyn Audience>> {
        Ok(match self {
            Show::Screen => Box::new(Screen::open(stage).context("cannot draw here, but --quiet may help")?),
            Show::Lines => Box::new(Lines::begin(&Header::of(stage))?),
            Show::Results => Box::new(Results),
            Show::Summary => Box::new(Summary { header: Header::of(stage) }),
        })
    }
}

fn warn_of_rules(plan: &Plan, stage: &mut Stage) {
    plan.rules_for_nobody(&stage.read(|interface| interface.entities()))
        .iter()
        .for_each(|rule| eprintln!("warning: {rule}"));
}
