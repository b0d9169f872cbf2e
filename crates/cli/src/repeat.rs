//! Runs a plan with many seeds, several at a time, and prints a table of means with intervals. The table does not
//! depend on the number of parallel runs.

mod comparison;
mod data;
mod hands;
mod join;
mod report;
mod sample;
mod text;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::num::{NonZeroU64, NonZeroUsize};
use std::ops::RangeInclusive;

use anyhow::Context;
use clap::ValueEnum;
use serde::{Deserialize, Serialize};
use situated::environment::Outcome;
use situated::iil::{EcoString, Parameter};
use situated::ontology::Pace;

use crate::{table, unless_closed};
use comparison::Comparison;
use hands::Runs;
use report::Report;

pub(crate) use data::SCHEMA;
pub use join::join_results;

/// Which seeds to run, and how to show the results.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Repetition {
    pub(crate) seeds: Seeds,
    /// Maximum number of parallel runs.
    pub(crate) jobs: NonZeroUsize,
    pub(crate) format: Format,
}

/// Consecutive seeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Seeds {
    first: u64,
    count: NonZeroU64,
}

/// Format of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Text for people.
    Text,
    /// CSV: a row for each run and measure, with a header.
    Csv,
    /// JSON: one object, with each run.
    Json,
}

/// The settings that all runs have in common.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Subject {
    /// Name of the environment.
    pub(crate) environment: String,
    pub(crate) version: String,
    /// The generator of random numbers.
    pub(crate) generator: Cow<'static, str>,
    pub(crate) parameters: BTreeMap<String, Parameter>,
    /// What advances its time: whether it waits for its agents.
    pub(crate) pace: Pace,
    /// Names of the programs, by entity.
    pub(crate) agents: BTreeMap<EcoString, EcoString>,
}

/// The result of one run.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Ran {
    pub(crate) steps: u64,
    pub(crate) outcome: Outcome,
    /// Number of failed actions.
    pub(crate) failures: u64,
}

impl Seeds {
    /// Returns `count` seeds, beginning with `first`.
    ///
    /// # Errors
    /// Returns an error if the seeds exceed the largest seed.
    pub(crate) fn new(first: u64, count: NonZeroU64) -> anyhow::Result<Self> {
        first.checked_add(count.get() - 1).map(|_| Self { first, count }).with_context(|| {
            let greatest = u64::MAX;
            format!("{count} seeds from {first} on would exceed the largest seed {greatest}; begin with a smaller one")
        })
    }

    /// Returns the seeds.
    pub(crate) fn range(self) -> RangeInclusive<u64> {
        self.first..=self.last()
    }

    fn last(self) -> u64 {
        self.first + (self.count.get() - 1)
    }

    /// Returns the seed with this index, counted from 0.
    fn get(self, number: u64) -> Option<u64> {
        (number < self.count.get()).then(|| self.first + number)
    }
}

/// Runs each seed and prints the results, up to the first seed that fails.
///
/// # Errors
/// Returns the error of the lowest seed that failed.
pub(crate) fn repeat(
    repetition: &Repetition,
    subject: &Subject,
    run: impl Fn(u64) -> anyhow::Result<Ran> + Sync,
) -> anyhow::Result<()> {
    let &Repetition { seeds, jobs, format } = repetition;
    let Runs { ran, failure } = hands::run_all(seeds, jobs, run)?;
    let ran_seeds = NonZeroU64::new(ran.len() as u64).map(|count| Seeds { count, ..seeds });
    if let Some(ran_seeds) = ran_seeds {
        print(&write(&Report::new(subject, ran_seeds, ran), format)?)?;
    }
    failure.map_or(Ok(()), |error| {
        let Some(ran) = ran_seeds else { return Err(error) };
        Err(error.context(format!(
            "only seeds {} to {} of {} to {} have run",
            seeds.first,
            ran.last(),
            seeds.first,
            seeds.last()
        )))
    })
}

/// Runs each seed under each condition, which has a name and a subject, and prints a table that compares them, up to
/// the first condition with a seed that fails. `run` gets the number of the condition.
///
/// # Errors
/// Returns the error of the lowest seed that failed under the first condition that did.
pub(crate) fn compare(
    repetition: &Repetition,
    conditions: &[(&str, Subject)],
    run: impl Fn(usize, u64) -> anyhow::Result<Ran> + Sync,
) -> anyhow::Result<()> {
    let &Repetition { seeds, jobs, format } = repetition;
    let (mut complete, mut failed) = (Vec::new(), None);
    for (number, (name, subject)) in conditions.iter().enumerate() {
        let Runs { ran, failure } = hands::run_all(seeds, jobs, |seed| run(number, seed))?;
        if let Some(error) = failure {
            failed = Some(error.context(format!("condition `{name}`")));
            break;
        }
        complete.push((*name, subject, ran));
    }
    if !complete.is_empty() {
        print_comparison(&Comparison::new(seeds, complete), format)?;
    }
    failed.map_or(Ok(()), Err)
}

/// Returns a single run as CSV.
///
/// # Errors
/// Returns an error if it cannot be written.
pub(crate) fn csv_of_run(seed: u64, ran: Ran) -> anyhow::Result<String> {
    data::csv([("", [(seed, ran)].as_slice())])
}

/// Prints the table of a comparison.
fn print_comparison(comparison: &Comparison<'_>, format: Format) -> anyhow::Result<()> {
    print(&match format {
        Format::Text => text::render_comparison(comparison, table::columns()),
        Format::Csv => data::csv(comparison.conditions.iter().map(|(name, report)| (*name, report.runs.as_slice())))?,
        Format::Json => data::json_of_comparison(comparison)?,
    })
}

/// Prints a table. A closed pipe does not hide that a seed failed.
fn print(table: &str) -> anyhow::Result<()> {
    Ok(unless_closed(io::stdout().write_all(table.as_bytes()))?)
}

/// Returns the table of a report.
fn write(report: &Report<'_>, format: Format) -> anyhow::Result<String> {
    match format {
        Format::Text => Ok(text::render(report, table::columns())),
        Format::Csv => data::csv([("", report.runs.as_slice())]),
        Format::Json => data::json(report),
    }
}

#[cfg(test)]
mod tests {
    use anyhow::anyhow;

    use super::*;

    fn seeds(first: u64, count: u64) -> anyhow::Result<Seeds> {
        Seeds::new(first, NonZeroU64::new(count).expect("there is one"))
    }

    #[test]
    fn an_error_names_the_seeds_that_have_run() {
        let jobs = NonZeroUsize::new(2).expect("two");
        let repetition = Repetition { seeds: seeds(4, 20).expect("so many"), jobs, format: Format::Csv };
        let failing = |fails: u64| {
            let run = |seed| if seed == fails { Err(anyhow!("too dark")) } else { Ok(report::tests::ran(None, &[])) };
            format!("{:#}", repeat(&repetition, &report::tests::subject(), run).expect_err("one fails"))
        };
        assert_eq!(failing(7), "only seeds 4 to 6 of 4 to 23 have run: seed 7: too dark");
        assert_eq!(failing(4), "seed 4: too dark");
    }

    #[test]
    fn the_greatest_seed_is_the_last() {
        let all = seeds(u64::MAX - 1, 2).expect("there are two");
        assert_eq!((all.get(0), all.get(1), all.get(2)), (Some(u64::MAX - 1), Some(u64::MAX), None));
        assert_eq!(all.last(), u64::MAX);
        let error = seeds(u64::MAX - 1, 3).expect_err("there are but two").to_string();
        assert!(error.contains("3 seeds from 18446744073709551614 on would exceed"), "{error}");
        assert!(error.contains("begin with a smaller one"), "{error}");
    }
}
