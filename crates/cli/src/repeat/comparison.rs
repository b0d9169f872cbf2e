//! The results of several conditions with the same seeds, and how each differs from the first one.

use std::collections::BTreeMap;

use situated::iil::EcoString;

use super::report::{Report, number};
use super::sample::Sample;
use super::{Ran, Seeds, Subject};

/// The results of conditions.
pub(super) struct Comparison<'a> {
    /// The name of each condition with its results, in the order of the team file.
    pub(super) conditions: Vec<(&'a str, Report<'a>)>,
    /// Each measure of any condition, in the order of the first condition that has it.
    pub(super) measures: Vec<(EcoString, EcoString)>,
}

/// A condition: its name, its settings, and its runs by seed.
pub(super) type Condition<'a> = (&'a str, &'a Subject, Vec<(u64, Ran)>);

impl<'a> Comparison<'a> {
    pub(super) fn new(seeds: Seeds, ran: Vec<Condition<'a>>) -> Self {
        let report = |(name, subject, runs)| (name, Report::new(subject, seeds, runs));
        let conditions: Vec<(&str, Report<'_>)> = ran.into_iter().map(report).collect();
        let mut measures: Vec<(EcoString, EcoString)> = Vec::new();
        for summary in conditions.iter().flat_map(|(_, report)| &report.measures) {
            let key = (summary.of.clone(), summary.name.clone());
            if !measures.contains(&key) {
                measures.push(key);
            }
        }
        Self { conditions, measures }
    }

    /// Returns by how much a condition has more of a measure than the first one, with the same seed each time. `None`
    /// for the first condition, and without a seed for which both have a number.
    pub(super) fn difference(&self, condition: usize, of: &str, name: &str) -> Option<Sample> {
        let numbers = |condition: usize| -> Option<BTreeMap<u64, f64>> {
            let (_, report) = self.conditions.get(condition)?;
            Some(report.runs.iter().filter_map(|(seed, ran)| Some((*seed, value(ran, of, name)?))).collect())
        };
        let (first, other) = (numbers(0)?, numbers(condition).filter(|_| condition > 0)?);
        let mut differences = other.iter().filter_map(|(seed, number)| Some(number - first.get(seed)?));
        let mut sample = Sample::new(differences.next()?);
        differences.for_each(|difference| sample.add(difference));
        Some(sample)
    }
}

/// Returns a measure of a run as a number.
fn value(ran: &Ran, of: &str, name: &str) -> Option<f64> {
    let of_run = Report::measures_of_run(ran);
    let mut all = of_run.iter().chain(&ran.outcome.results);
    number(&all.find(|measure| measure.of == of && measure.name == name)?.value)
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::report::tests::{ran, seeds, subject};
    use super::*;

    pub(in crate::repeat) fn compared(subject: &Subject) -> Comparison<'_> {
        let runs = |goals: [i64; 3]| {
            let ran = goals.map(|goals| ran(None, &[("red", "goals", goals.into()), ("red", "end", "home".into())]));
            (1..).zip(ran).collect::<Vec<_>>()
        };
        let mut talking = runs([5, 7, 9]);
        talking[0].1.outcome.results.push(situated::environment::Measure::new("red", "messages", 8));
        Comparison::new(seeds(1, 3), vec![("silent", subject, runs([1, 5, 6])), ("talking", subject, talking)])
    }

    #[test]
    fn differences_are_between_runs_with_the_same_seed() {
        let subject = subject();
        let comparison = compared(&subject);
        let names: Vec<&str> = comparison.measures.iter().map(|(_, name)| name.as_str()).collect();
        assert_eq!(names, ["steps", "failed actions", "goals", "end", "messages"]);
        let more = comparison.difference(1, "red", "goals").expect("both have numbers");
        assert_eq!((more.n, more.mean, more.least, more.greatest), (3, 3.0, 2.0, 4.0));
        // Smaller than the deviations of both, since they vary together.
        assert!((more.deviation().expect("there are three") - 1.0).abs() < 1e-12);
        assert_eq!(comparison.difference(0, "red", "goals"), None);
        assert_eq!(comparison.difference(1, "red", "messages"), None);
        assert_eq!(comparison.difference(1, "red", "end"), None);
        assert_eq!(comparison.difference(1, "run", "steps").map(|sample| sample.mean), Some(0.0));
    }
}
