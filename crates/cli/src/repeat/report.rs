//! The results of many runs: each measure over all of them.

use std::collections::BTreeMap;

use serde::Serialize;
use situated::environment::{Ending, Measure};
use situated::iil::{EcoString, Numeral, Parameter};

use super::sample::Sample;
use super::{Ran, Seeds, Subject};

/// The results of many runs.
pub(super) struct Report<'a> {
    pub(super) subject: &'a Subject,
    pub(super) seeds: Seeds,
    pub(super) endings: Endings,
    /// In the order in which the runs, sorted by seed, first have them.
    pub(super) measures: Vec<Summary>,
    pub(super) runs: Vec<(u64, Ran)>,
}

/// Number of episodes for each kind of ending.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Endings {
    pub(super) terminated: u64,
    pub(super) truncated: u64,
    pub(super) not_over: u64,
}

/// One measure over all runs that have it.
#[derive(Clone, Debug)]
pub(super) struct Summary {
    pub(super) of: EcoString,
    pub(super) name: EcoString,
    /// Its finite numeric values.
    pub(super) sample: Option<Sample>,
    /// Whether all of these are integers.
    pub(super) whole: bool,
    /// Number of occurrences of each other value.
    pub(super) values: BTreeMap<Parameter, u64>,
}

/// The subject of the measures that every run has, in any environment.
const RUN: &str = "run";

impl<'a> Report<'a> {
    pub(super) fn new(subject: &'a Subject, seeds: Seeds, runs: Vec<(u64, Ran)>) -> Self {
        let mut endings = Endings::default();
        let (mut of_runs, mut results) = (Summaries::default(), Summaries::default());
        for (_, ran) in &runs {
            endings.count(ran.outcome.ending);
            Self::measures_of_run(ran).iter().for_each(|measure| of_runs.add(measure));
            ran.outcome.results.iter().for_each(|measure| results.add(measure));
        }
        let measures = of_runs.all.into_iter().chain(results.all).collect();
        Self { subject, seeds, endings, measures, runs }
    }

    /// Returns the measures of a run that every environment has.
    pub(super) fn measures_of_run(ran: &Ran) -> [Measure; 2] {
        let of_run = |name, number| Measure::new(RUN, name, count(number));
        [of_run("steps", ran.steps), of_run("failed actions", ran.failures)]
    }

    /// Returns a measure over all runs.
    pub(super) fn find(&self, of: &str, name: &str) -> Option<&Summary> {
        self.measures.iter().find(|summary| summary.of == of && summary.name == name)
    }

    /// Returns whether several runs all had the same results.
    pub(super) fn is_without_chance(&self) -> bool {
        self.runs.len() > 1 && self.runs.windows(2).all(|pair| pair[0].1 == pair[1].1)
    }
}

impl Endings {
    fn count(&mut self, ending: Option<Ending>) {
        let counter = match ending {
            Some(Ending::Terminated) => &mut self.terminated,
            Some(Ending::Truncated) => &mut self.truncated,
            None => &mut self.not_over,
        };
        *counter += 1;
    }
}

/// Summaries under construction.
#[derive(Default)]
struct Summaries {
    all: Vec<Summary>,
    by_name: BTreeMap<(EcoString, EcoString), usize>,
}

impl Summaries {
    fn add(&mut self, Measure { of, name, value }: &Measure) {
        let end = self.all.len();
        let index = *self.by_name.entry((of.clone(), name.clone())).or_insert(end);
        if index == end {
            let (of, name) = (of.clone(), name.clone());
            self.all.push(Summary { of, name, sample: None, whole: true, values: BTreeMap::new() });
        }
        self.all[index].add(value);
    }
}

impl Summary {
    fn add(&mut self, value: &Parameter) {
        match number(value) {
            Some(number) => {
                self.whole &= matches!(value, Parameter::Numeral(Numeral::Integer(_)));
                self.add_number(number);
            }
            None => *self.values.entry(value.clone()).or_default() += 1,
        }
    }

    fn add_number(&mut self, number: f64) {
        match &mut self.sample {
            Some(sample) => sample.add(number),
            None => self.sample = Some(Sample::new(number)),
        }
    }
}

/// Returns the value of a measure if it is a finite number.
pub(super) fn number(value: &Parameter) -> Option<f64> {
    match value {
        Parameter::Numeral(Numeral::Integer(number)) => Some(*number as f64),
        Parameter::Numeral(Numeral::Float(number)) if number.is_finite() => Some(*number),
        _ => None,
    }
}

fn count(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

#[cfg(test)]
pub(super) mod tests {
    use std::num::NonZeroU64;

    use situated::environment::Outcome;
    use situated::ontology::Pace;

    use super::*;

    pub(in crate::repeat) fn subject() -> Subject {
        Subject {
            environment: "maze".into(),
            version: "1.0".into(),
            generator: "dice".into(),
            parameters: [("view".into(), "global".into())].into(),
            pace: Pace::Lockstep,
            agents: [("red".into(), "random".into())].into(),
        }
    }

    pub(in crate::repeat) fn seeds(first: u64, count: usize) -> Seeds {
        let count = u64::try_from(count).ok().and_then(NonZeroU64::new);
        Seeds::new(first, count.expect("there is one")).expect("there are so many")
    }

    pub(in crate::repeat) fn ran(ending: Option<Ending>, results: &[(&str, &str, Parameter)]) -> Ran {
        let measure = |(of, name, value): &(&str, &str, Parameter)| Measure::new(*of, *name, value.clone());
        let results = results.iter().map(measure).collect();
        Ran { steps: 10, outcome: Outcome { ending, results }, failures: 2 }
    }

    /// Returns a report on these runs, with seeds from 1.
    pub(in crate::repeat) fn report(subject: &Subject, runs: Vec<Ran>) -> Report<'_> {
        Report::new(subject, seeds(1, runs.len()), (1..).zip(runs).collect())
    }

    #[test]
    fn each_measure_has_its_own_number_of_runs() {
        let subject = subject();
        let one = ran(None, &[("red", "goals", 3.into()), ("red", "share", 0.5.into())]);
        let other = ran(None, &[("red", "goals", 4.into())]);
        let report = report(&subject, vec![other, one]);
        let found = |summary: &Summary| {
            let sample = summary.sample.expect("all are numbers");
            (summary.name.to_string(), sample.n, sample.mean, summary.whole)
        };
        let expected = [
            ("steps".into(), 2, 10.0, true),
            ("failed actions".into(), 2, 2.0, true),
            ("goals".into(), 2, 3.5, true),
            ("share".into(), 1, 0.5, false),
        ];
        assert_eq!(report.measures.iter().map(found).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn values_that_are_not_numbers_are_counted() {
        let subject = subject();
        let runs = ["stuck".into(), "home".into(), "stuck".into(), f64::NAN.into(), 1.into()];
        let runs = runs.map(|value: Parameter| ran(None, &[("red", "end", value)]));
        let report = report(&subject, runs.into());
        let end = report.measures.last().expect("there is one");
        let values: Vec<_> = end.values.iter().map(|(value, count)| (value.to_string(), *count)).collect();
        assert_eq!(values, [("home".into(), 1), ("stuck".into(), 2), ("1.5NaN".into(), 1)]);
        assert_eq!(end.sample.map(|sample| sample.n), Some(1));
    }

    #[test]
    fn runs_that_came_to_the_same_used_no_chance() {
        let subject = subject();
        let one = || ran(None, &[("red", "goals", 3.into())]);
        assert!(report(&subject, vec![one(), one(), one()]).is_without_chance());
        assert!(!report(&subject, vec![one(), ran(None, &[("red", "goals", 4.into())])]).is_without_chance());
        assert!(!report(&subject, vec![one()]).is_without_chance(), "one run does not show whether seeds matter");
    }

    #[test]
    fn endings_are_counted() {
        let subject = subject();
        let endings = [Some(Ending::Terminated), None, Some(Ending::Truncated), Some(Ending::Terminated)];
        let report = report(&subject, endings.map(|ending| ran(ending, &[])).into());
        assert_eq!(report.endings, Endings { terminated: 2, truncated: 1, not_over: 1 });
    }
}
