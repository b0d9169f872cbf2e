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

use anyhow::Context;
use clap::ValueEnum;
use serde::{Deserialize, Serialize};
use situated::environment::Outcome;
use situated::iil::{EcoString, Parameter};
use situated::ontology::Pace;

use crate::table;
use comparison::Comparison;
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
    /// CSV: one row per measure, with a header.
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

    fn last(self) -> u64 {
        self.first + (self.count.get() - 1)
    }

    /// Returns the seed with this index, counted from 0.
    fn get(self, number: u64) -> Option<u64> {
        (number < self.count.get()).then(|| self.first + number)
    }
}

/// Runs each seed and prints the results.
///
/// # Errors
/// Returns the error of the lowest seed that failed; nothing is printed then.
pub(crate) fn repeat(
    repetition: &Repetition,
    subject: &Subject,
    run: impl Fn(u64) -> anyhow::Result<Ran> + Sync,
) -> anyhow::Result<()> {
    let &Repetition { seeds, jobs, format } = repetition;
    let runs = hands::run_all(seeds, jobs, run)?;
    let report = Report::new(subject, seeds, runs);
    io::stdout().write_all(write(&report, format)?.as_bytes())?;
    Ok(())
}

/// Runs each seed under each condition, which has a name and a subject, and prints a table that compares them. `run` gets
/// the number of the condition.
///
/// # Errors
/// Returns the error of the lowest seed that failed under the first condition that did; nothing is printed then.
pub(crate) fn compare(
    repetition: &Repetition,
    conditions: &[(&str, Subject)],
    run: impl Fn(usize, u64) -> anyhow::Result<Ran> + Sync,
) -> anyhow::Result<()> {
    let &Repetition { seeds, jobs, format } = repetition;
    let mut ran = Vec::new();
    for (number, (name, subject)) in conditions.iter().enumerate() {
        let runs = hands::run_all(seeds, jobs, |seed| run(number, seed));
        ran.push((*name, subject, runs.with_context(|| format!("condition `{name}`"))?));
    }
    let comparison = Comparison::new(seeds, ran);
    let table = match format {
        Format::Text => text::render_comparison(&comparison, table::columns()),
        Format::Csv => data::csv_of_comparison(&comparison)?,
        Format::Json => data::json_of_comparison(&comparison)?,
    };
    io::stdout().write_all(table.as_bytes())?;
    Ok(())
}

/// Returns the table of a report.
fn write(report: &Report<'_>, format: Format) -> anyhow::Result<String> {
    match format {
        Format::Text => Ok(text::render(report, table::columns())),
        Format::Csv => data::csv(report),
        Format::Json => data::json(report),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seeds(first: u64, count: u64) -> anyhow::Result<Seeds> {
        Seeds::new(first, NonZeroU64::new(count).expect("there is one"))
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
