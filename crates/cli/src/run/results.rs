//! The results of a run: as a table for people, and as CSV.

use std::io::{self, Write};

use situated::environment::{Ending, Measure};
use situated::iil::{EcoString, Numeral, Parameter};

use situated_runtime::Failures;

use super::audience::Audience;
use super::ran;
use super::stage::Stage;
use crate::repeat::csv_of_run;
use crate::table;

/// An audience that sees only the results.
pub(super) struct Results;

impl Audience for Results {
    fn end(self: Box<Self>, stage: &mut Stage) -> io::Result<()> {
        io::stdout().write_all(Self::text(stage).as_bytes())
    }
}

impl Results {
    /// Returns the table of the results, with the number of steps and failed actions.
    pub(super) fn text(stage: &mut Stage) -> String {
        let outcome = stage.outcome();
        let (name, seed, status) = (stage.ontology().name.clone(), stage.seed(), stage.status());
        let (ending, missed, made) = (ending(outcome.ending), missed(status.missed), status.moment.step);
        let mut text = format!("{name}, seed {seed}: {made} of {} steps{ending}{missed}\n", stage.steps);
        let rows: Vec<_> = outcome.results.iter().map(row).collect();
        for part in [table::render(&rows, 2, usize::MAX), failures(stage)] {
            if !part.is_empty() {
                text += &format!("\n{part}");
            }
        }
        text
    }
}

/// An audience that sees only the results, as CSV.
pub(super) struct Rows;

impl Audience for Rows {
    fn end(self: Box<Self>, stage: &mut Stage) -> io::Result<()> {
        let rows = csv_of_run(stage.seed(), ran(stage)).map_err(io::Error::other)?;
        io::stdout().write_all(rows.as_bytes())
    }
}

fn ending(ending: Option<Ending>) -> &'static str {
    match ending {
        Some(Ending::Terminated) => "; the episode has ended: terminated",
        Some(Ending::Truncated) => "; the episode has ended: truncated",
        None => "",
    }
}

fn missed(steps: u64) -> String {
    if steps == 0 { String::new() } else { format!("; {steps} were skipped for lack of time") }
}

fn row(measure: &Measure) -> [String; 3] {
    [measure.of.to_string(), measure.name.to_string(), amount(&measure.value)]
}

fn failures(stage: &mut Stage) -> String {
    let failures = stage.failures().into_iter();
    let line = |(entity, Failures { count, last }): (EcoString, Failures)| {
        format!("  {count} actions of {entity} failed, the last one because {last}\n")
    };
    failures.map(line).collect()
}

/// Formats a value for people.
pub(super) fn amount(value: &Parameter) -> String {
    match value {
        Parameter::Numeral(Numeral::Float(value)) => format!("{value:.3}"),
        other => other.to_string(),
    }
}
