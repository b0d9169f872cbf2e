//! Joins the results of runs that were made in several processes, on one machine or on many.

use std::collections::BTreeMap;
use std::num::NonZeroU64;

use anyhow::{Context, bail};
use clap::ValueEnum;
use serde::Deserialize;
use situated::environment::{Ending, Measure, Outcome};
use situated::reading;

use super::report::Report;
use super::{Format, Ran, Seeds, Subject, write};

/// The runs of a part.
#[derive(Deserialize)]
struct Runs {
    runs: Vec<Run>,
}

#[derive(Deserialize)]
struct Run {
    seed: u64,
    steps: u64,
    failures: u64,
    ending: Option<Ending>,
    results: Vec<Measure>,
}

/// Returns the table that `situated run --repeat` prints for all seeds. Each part is the output of that command with
/// `--format json` for some of the seeds; `format` is the name of the format of the table.
///
/// # Errors
/// Returns an error if a part is not such an output, if parts differ in their settings, or unless each seed occurs once
/// and all are consecutive.
pub fn join_results<'a>(parts: impl IntoIterator<Item = &'a str>, format: &str) -> anyhow::Result<String> {
    let Ok(format) = Format::from_str(format, false) else {
        bail!("unknown format `{format}`; use text, csv or json");
    };
    let mut subject: Option<Subject> = None;
    let mut all = BTreeMap::new();
    for part in parts {
        let invalid = "a part is not an output of `situated run --repeat --format json`";
        let settings: Subject = reading::json(part).context(invalid)?;
        if *subject.get_or_insert_with(|| settings.clone()) != settings {
            bail!("the parts differ in their settings; use the same version and the same files on all machines");
        }
        let Runs { runs } = reading::json(part).context(invalid)?;
        for Run { seed, steps, failures, ending, results } in runs {
            if all.insert(seed, Ran { steps, outcome: Outcome { ending, results }, failures }).is_some() {
                bail!("seed {seed} occurs twice");
            }
        }
    }
    let (Some(subject), Some((&first, _))) = (subject, all.first_key_value()) else { bail!("there are no runs") };
    let count = u64::try_from(all.len()).ok().and_then(NonZeroU64::new).context("there are no runs")?;
    if let Some((missing, _)) = (first..).zip(all.keys()).find(|(expected, seed)| expected != *seed) {
        bail!("seed {missing} is missing");
    }
    write(&Report::new(&subject, Seeds::new(first, count)?, all.into_iter().collect()), format)
}

#[cfg(test)]
mod tests {
    use super::super::data;
    use super::super::report::tests::{ran, subject};
    use super::*;

    fn runs(first: u64, count: u64) -> Vec<(u64, Ran)> {
        let seeds = first..first + count;
        let ran = |seed: u64| ran(None, &[("red", "goals", (seed as f64 / 2.0).into()), ("red", "end", "home".into())]);
        seeds.map(|seed| (seed, ran(seed))).collect()
    }

    fn part(first: u64, count: u64) -> String {
        let subject = subject();
        let seeds = Seeds::new(first, NonZeroU64::new(count).expect("it is positive")).expect("it is small");
        data::json(&Report::new(&subject, seeds, runs(first, count))).expect("it can be written")
    }

    fn join(parts: &[String], format: &str) -> anyhow::Result<String> {
        join_results(parts.iter().map(String::as_str), format)
    }

    #[test]
    fn parts_in_any_order_give_the_table_of_the_whole() {
        let parts = [part(9, 1), part(3, 4), part(7, 2)];
        assert_eq!(join(&parts, "json").expect("they fit"), part(3, 7));
        let csv = join(&parts, "csv").expect("they fit");
        assert_eq!(csv, join(&[part(3, 7)], "csv").expect("it is whole"));
        assert!(csv.contains("\n,9,10,2,,red,goals,4.5\n"), "{csv}");
        assert!(join(&parts, "text").expect("they fit").contains("goals"));
    }

    #[test]
    fn each_seed_counts_once() {
        let error = |parts: &[String]| join(parts, "csv").expect_err("they do not fit").to_string();
        assert_eq!(error(&[part(1, 3), part(3, 2)]), "seed 3 occurs twice");
        assert_eq!(error(&[part(1, 3), part(5, 2)]), "seed 4 is missing");
        assert_eq!(error(&[]), "there are no runs");
    }

    #[test]
    fn rejects_parts_with_other_settings() {
        let other = part(2, 1).replace("\"global\"", "\"local\"");
        let error = join(&[part(1, 1), other], "csv").expect_err("they differ").to_string();
        assert!(error.contains("differ in their settings"), "{error}");
        let error = join(&["{}".into()], "csv").expect_err("it is empty").to_string();
        assert!(error.contains("not an output of"), "{error}");
        let error = join(&[part(1, 1)], "xls").expect_err("it is unknown").to_string();
        assert_eq!(error, "unknown format `xls`; use text, csv or json");
    }
}
