//! The same run with many seeds, several at a time, and a table of what came out: means with intervals. The table does
//! not depend on how many run at a time.

mod data;
mod hands;
mod report;
mod sample;
mod text;

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::num::{NonZeroU64, NonZeroUsize};

use anyhow::Context;
use clap::ValueEnum;
use serde::Serialize;
use situated::environment::Outcome;
use situated::iil::{EcoString, Parameter};

use crate::table;
use report::Report;

pub(crate) use data::SCHEMA;

/// Which runs are made, and how they are shown.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Repetition {
    pub(crate) seeds: Seeds,
    /// How many runs there are at a time at the most.
    pub(crate) jobs: NonZeroUsize,
    pub(crate) format: Format,
}

/// Seeds that follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Seeds {
    first: u64,
    count: NonZeroU64,
}

/// How the table is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people.
    Text,
    /// One row a measure, with a header.
    Csv,
    /// One object, with each run too.
    Json,
}

/// What all runs have in common.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Subject {
    /// The name of the environment.
    pub(crate) environment: String,
    pub(crate) version: String,
    /// What makes random numbers of seeds.
    pub(crate) generator: &'static str,
    pub(crate) parameters: BTreeMap<String, Parameter>,
    /// The names of the programs, by entity.
    pub(crate) agents: BTreeMap<EcoString, EcoString>,
}

/// What one run has come to.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Ran {
    pub(crate) steps: u64,
    pub(crate) outcome: Outcome,
    /// How many actions failed.
    pub(crate) failures: u64,
}

impl Seeds {
    /// So many seeds from the first one on.
    ///
    /// # Errors
    /// When there are not so many.
    pub(crate) fn new(first: u64, count: NonZeroU64) -> anyhow::Result<Self> {
        first.checked_add(count.get() - 1).map(|_| Self { first, count }).with_context(|| {
            let greatest = u64::MAX;
            format!(
                "there are no {count} seeds from {first} on, since the greatest is {greatest}; begin with a smaller one"
            )
        })
    }

    fn last(self) -> u64 {
        self.first + (self.count.get() - 1)
    }

    /// The seed of this number, counted from 0.
    fn get(self, number: u64) -> Option<u64> {
        (number < self.count.get()).then(|| self.first + number)
    }
}

/// Makes a run with each seed and prints what has come out.
///
/// # Errors
/// Those of the run with the least seed that failed; nothing is printed then.
pub(crate) fn repeat(
    repetition: &Repetition,
    subject: &Subject,
    run: impl Fn(u64) -> anyhow::Result<Ran> + Sync,
) -> anyhow::Result<()> {
    let &Repetition { seeds, jobs, format } = repetition;
    let runs = hands::run_all(seeds, jobs, run)?;
    let report = Report::new(subject, seeds, runs);
    let text = match format {
        Format::Text => text::render(&report, table::columns()),
        Format::Csv => data::csv(&report)?,
        Format::Json => data::json(&report)?,
    };
    io::stdout().write_all(text.as_bytes())?;
    Ok(())
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
        assert!(error.contains("no 3 seeds from 18446744073709551614 on"), "{error}");
        assert!(error.contains("begin with a smaller one"), "{error}");
    }
}
