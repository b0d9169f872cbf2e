//! `situated run`: an environment with an agent for each of its entities. On a terminal its world is drawn while it
//! moves, otherwise each step is a line of JSON; at the end come the results.

mod employed;
mod inhabited;
mod lines;
mod pace;
mod results;
mod screen;
mod step;
mod terminal;
mod view;

use std::fmt;
use std::io::{self, IsTerminal};
use std::str::FromStr;
use std::time::Instant;

use anyhow::Context;
use clap::ValueEnum;
use clap::error::ErrorKind;
use situated::iil::Parameter;
use situated::interface::Error;
use situated::ontology::{Field, Ontology, Pace};

use crate::environments::{self, Known};
use inhabited::Inhabited;
use lines::{Header, Lines, Summary};
use pace::{Clock, Speed};
use results::Results;
use screen::Screen;
use step::Step;

#[derive(clap::Args)]
#[command(after_help = EXAMPLES, after_long_help = format!("{EXAMPLES}\n\n{}", lines::SCHEMA))]
pub(crate) struct Arguments {
    /// The environment.
    #[arg(value_parser = environments::parser())]
    environment: Known,
    /// Who decides for the entities.
    #[arg(long, value_enum, default_value_t = Program::Builtin)]
    agents: Program,
    /// How many steps to make at the most; fewer if the episode is over before.
    #[arg(long, value_name = "N", default_value_t = 1000)]
    steps: u64,
    /// Where all randomness comes from: the same seed gives the same run.
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Steps a second, or `max` [default: where it is drawn the pace of the environment, elsewhere max].
    #[arg(long, value_name = "HZ|max")]
    speed: Option<Speed>,
    /// A parameter of the environment; `situated describe` lists them. May be given several times.
    #[arg(long = "param", value_name = "KEY=VALUE", value_parser = parameter)]
    parameters: Vec<(String, Parameter)>,
    /// Show the results only.
    #[arg(long)]
    quiet: bool,
}

const EXAMPLES: &str = "\
Examples:
  situated run find-goals
  situated run find-goals --agents random --steps 200 --seed 7
  situated run find-goals --speed max --param view=global
  situated run find-goals --quiet
  situated run find-goals --steps 3 | head -n 2

On a terminal, q and Ctrl-C end the run and show its results. NO_COLOR=1 draws with plain characters.";

/// Who decides for the entities.
#[derive(Clone, Copy, ValueEnum)]
enum Program {
    /// The agents that ship with the environment.
    Builtin,
    /// Agents that do anything that they can do.
    Random,
    /// Agents that do nothing.
    Idle,
}

impl fmt::Display for Program {
    /// As it is written on the command line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.to_possible_value().map_or(Ok(()), |value| f.write_str(value.get_name()))
    }
}

/// Whoever a run is shown to.
trait Audience {
    /// A step has been made.
    fn tell(&mut self, _world: &Inhabited, _step: &Step) -> io::Result<()> {
        Ok(())
    }

    /// Waits until then, or until somebody asks to stop: then it is false.
    fn wait(&mut self, until: Instant) -> io::Result<bool> {
        pace::sleep_until(until);
        Ok(true)
    }

    /// The speed at which it is to be shown a world of this pace.
    fn speed(&self, _pace: Pace) -> Speed {
        Speed::MAX
    }

    /// There are no more steps.
    fn end(self: Box<Self>, world: &Inhabited) -> io::Result<()>;
}

/// Runs the environment and shows the results.
pub(crate) fn run(arguments: Arguments) -> anyhow::Result<()> {
    let Arguments { environment, agents, steps, seed, speed, parameters, quiet } = arguments;
    let ontology = &environment.ontology;
    let parameters = parameters.into_iter().collect();
    let mut world = Inhabited::new(&environment, agents, parameters, seed).map_err(|error| refusal(error, ontology))?;

    let header = Header::new(ontology, &world);
    let mut audience: Box<dyn Audience> = match (quiet, io::stdout().is_terminal()) {
        (false, true) => Box::new(Screen::open(&world, steps).context("cannot draw here, but --quiet may help")?),
        (false, false) => Box::new(Lines::begin(&header)?),
        (true, true) => Box::new(Results { steps }),
        (true, false) => Box::new(Summary { header }),
    };
    let speed = speed.unwrap_or_else(|| audience.speed(ontology.pace));
    play(&mut world, steps, Clock::new(speed), &mut *audience)?;
    audience.end(&world)?;
    Ok(())
}

/// Makes steps until there are enough, the episode is over, or the audience has enough.
fn play(world: &mut Inhabited, steps: u64, mut clock: Clock, audience: &mut dyn Audience) -> anyhow::Result<()> {
    while world.steps() < steps && !world.is_over() {
        if !audience.wait(clock.next(Instant::now()))? {
            break;
        }
        let step = world.step()?;
        audience.tell(world, &step)?;
    }
    Ok(())
}

/// Reads `key=value`, where the value is in the interface intermediate language, or else an identifier.
fn parameter(text: &str) -> Result<(String, Parameter), String> {
    let (name, value) = text.split_once('=').ok_or("expected KEY=VALUE, such as `view=global`")?;
    let value = Parameter::from_str(value).unwrap_or_else(|_| value.into());
    Ok((name.to_owned(), value))
}

/// Wrong parameters are wrong usage; everything else is something that failed.
fn refusal(error: anyhow::Error, ontology: &Ontology) -> anyhow::Error {
    let Some(Error::Parameters(mismatch)) = error.downcast_ref() else { return error };
    let choice = |field: &Field| format!("  {}={}\n", field.name, ontology.resolve(&field.of));
    let choices: String = ontology.parameters.iter().map(choice).collect();
    let name = &ontology.name;
    let message =
        format!("{mismatch}\n\nParameters of {name}:\n{choices}\n`situated describe {name}` says what they mean.\n");
    clap::Error::raw(ErrorKind::ValueValidation, message).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_terms_or_else_identifiers() {
        let value = |text| parameter(text).expect("there is a value").1;
        assert_eq!(value("n=3"), Parameter::from(3));
        assert_eq!(value("a=[1,b]").to_string(), "[1,b]");
        assert_eq!(value("map=Rainbow.map"), Parameter::from("Rainbow.map"));
        assert_eq!(value("text=a=b"), Parameter::from("a=b"));
        assert!(parameter("view").is_err());
    }
}
