//! What a run has come to, as a table for people.

use std::io::{self, Write};

use situated::environment::{Ending, Measure};
use situated::iil::{EcoString, Numeral, Parameter};

use super::Audience;
use super::inhabited::{Failures, Inhabited};
use crate::table;

/// An audience that is shown the results only.
pub(super) struct Results {
    /// How many steps were to be made.
    pub(super) steps: u64,
}

impl Audience for Results {
    fn end(self: Box<Self>, world: &Inhabited) -> io::Result<()> {
        io::stdout().write_all(self.text(world).as_bytes())
    }
}

impl Results {
    fn text(&self, world: &Inhabited) -> String {
        let (name, seed, outcome) = (&world.ontology().name, world.seed(), world.outcome());
        let ending = ending(outcome.ending);
        let mut text = format!("{name}, seed {seed}: {} of {} steps{ending}\n", world.steps(), self.steps);
        let rows: Vec<_> = outcome.results.iter().map(row).collect();
        for part in [table::render(&rows, 2, usize::MAX), failures(world)] {
            if !part.is_empty() {
                text += &format!("\n{part}");
            }
        }
        text
    }
}

fn ending(ending: Option<Ending>) -> &'static str {
    match ending {
        Some(Ending::Terminated) => ", and the episode is over: terminated",
        Some(Ending::Truncated) => ", and the episode is over: truncated",
        None => "",
    }
}

fn row(measure: &Measure) -> [String; 3] {
    [measure.of.to_string(), measure.name.to_string(), amount(&measure.value)]
}

fn failures(world: &Inhabited) -> String {
    let failures = world.failures().iter();
    let line = |(entity, Failures { count, last }): (&EcoString, &Failures)| {
        format!("  {count} actions of {entity} failed, the last because {last}\n")
    };
    failures.map(line).collect()
}

/// A value as people like to read it.
pub(super) fn amount(value: &Parameter) -> String {
    match value {
        Parameter::Numeral(Numeral::Float(value)) => format!("{value:.3}"),
        other => other.to_string(),
    }
}
