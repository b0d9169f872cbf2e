//! The results of many runs for other programs: CSV and JSON. [`SCHEMA`] describes both.

use anyhow::Context;
use serde::{Serialize, Serializer};
use situated::environment::{Ending, Measure};
use situated::iil::Parameter;

use super::comparison::Comparison;
use super::report::{Endings, Report, Summary};
use super::{Ran, Seeds, Subject};

/// Describes the formats, for the help.
pub(crate) const SCHEMA: &str = "\
With --repeat or --quiet, --format csv prints a header and a row for each run and measure, with these columns:
  condition               name of the condition, empty without conditions
  seed, steps             seed of the run, and number of its steps
  failures                number of failed actions
  ending                  terminated, truncated, or empty if the episode is not over
  of, measure, value      subject, name and value of the measure; all are empty for a run without measures
With --repeat, --format json prints one object:
  {\"environment\", \"version\", \"generator\", \"parameters\": {NAME: VALUE}, \"pace\",
   \"agents\": {ENTITY: PROGRAM},
   \"seeds\": {\"first\", \"count\"},
   \"measures\": [{\"of\", \"name\", \"n\", \"mean\", \"low\", \"high\", \"deviation\", \"least\", \"greatest\"}],
   \"values\": [{\"of\", \"name\", \"value\", \"n\"}], \"endings\": {\"terminated\", \"truncated\", \"notOver\"},
   \"runs\": [{\"seed\", \"steps\", \"failures\", \"ending\", \"results\": [{\"of\", \"name\", \"value\"}]}]}
\"measures\" have the mean, the 95 % confidence interval around it (Student's t), and the standard deviation (of the
sample: with n - 1); \"run\" has the measures `steps` and `failed actions`. \"values\" count those that are not numbers.
Low, high and deviation are null where n is 1; \"ending\" is \"terminated\", \"truncated\" or null. Neither form depends
on --jobs.

For a team file with conditions, JSON is one object, whose differences are those from the first condition with the same
seed:
  {\"conditions\": [{\"name\", ...as above}],
   \"differences\": [{\"condition\", \"of\", \"name\", \"n\", \"mean\", \"low\", \"high\"}]}";

/// The columns of a table.
const COLUMNS: [&str; 8] = ["condition", "seed", "steps", "failures", "ending", "of", "measure", "value"];

/// A measure with numeric values.
#[derive(Serialize)]
struct Numbers<'a> {
    of: &'a str,
    name: &'a str,
    n: u64,
    mean: f64,
    low: Option<f64>,
    high: Option<f64>,
    deviation: Option<f64>,
    least: f64,
    greatest: f64,
}

/// A value of a measure that is not a number.
#[derive(Serialize)]
struct Value<'a> {
    of: &'a str,
    name: &'a str,
    value: &'a Parameter,
    n: u64,
}

/// The whole report.
#[derive(Serialize)]
struct Whole<'a> {
    #[serde(flatten)]
    subject: &'a Subject,
    seeds: Seeds,
    measures: Vec<Numbers<'a>>,
    values: Vec<Value<'a>>,
    endings: Endings,
    #[serde(serialize_with = "each")]
    runs: &'a [(u64, Ran)],
}

/// A comparison of conditions.
#[derive(Serialize)]
struct Comparing<'a> {
    conditions: Vec<Compared<'a>>,
    differences: Vec<Difference<'a>>,
}

/// A condition with its results.
#[derive(Serialize)]
struct Compared<'a> {
    name: &'a str,
    #[serde(flatten)]
    results: Whole<'a>,
}

/// By how much a condition has more of a measure than the first one.
#[derive(Serialize)]
struct Difference<'a> {
    condition: &'a str,
    of: &'a str,
    name: &'a str,
    n: u64,
    mean: f64,
    low: Option<f64>,
    high: Option<f64>,
}

/// One run.
#[derive(Serialize)]
struct Run<'a> {
    seed: u64,
    steps: u64,
    failures: u64,
    ending: Option<Ending>,
    results: &'a [Measure],
}

/// Returns the report as one JSON object on a line.
pub(super) fn json(report: &Report<'_>) -> anyhow::Result<String> {
    Ok(serde_json::to_string(&whole(report))? + "\n")
}

fn whole<'a>(report: &'a Report<'_>) -> Whole<'a> {
    let &Report { subject, seeds, endings, .. } = report;
    let (measures, values) = (numbers(report).collect(), values(report).collect());
    Whole { subject, seeds, measures, values, endings, runs: &report.runs }
}

/// Returns the runs of each condition as CSV, with a header. The name of the only condition may be empty.
pub(super) fn csv<'a>(conditions: impl IntoIterator<Item = (&'a str, &'a [(u64, Ran)])>) -> anyhow::Result<String> {
    let mut rows = csv::WriterBuilder::new().has_headers(false).from_writer(Vec::new());
    rows.write_record(COLUMNS)?;
    for (condition, runs) in conditions {
        for (seed, Ran { steps, failures, outcome }) in runs {
            let run = (condition, seed, steps, failures, outcome.ending);
            for Measure { of, name, value } in &outcome.results {
                rows.serialize((run, of, name, value.to_string()))?;
            }
            if outcome.results.is_empty() {
                rows.serialize((run, [""; 3]))?;
            }
        }
    }
    let bytes = rows.into_inner().context("rows that are in memory cannot be lost")?;
    Ok(String::from_utf8(bytes)?)
}

/// Returns a comparison as one JSON object on a line.
pub(super) fn json_of_comparison(comparison: &Comparison<'_>) -> anyhow::Result<String> {
    let conditions = comparison.conditions.iter().map(|(name, report)| Compared { name, results: whole(report) });
    let compared = Comparing { conditions: conditions.collect(), differences: differences(comparison).collect() };
    Ok(serde_json::to_string(&compared)? + "\n")
}

fn differences<'a>(comparison: &'a Comparison<'_>) -> impl Iterator<Item = Difference<'a>> {
    let conditions = 1..comparison.conditions.len();
    comparison.measures.iter().flat_map(move |(of, name)| {
        conditions.clone().filter_map(move |number| difference(comparison, number, of, name))
    })
}

fn difference<'a>(comparison: &Comparison<'a>, number: usize, of: &'a str, name: &'a str) -> Option<Difference<'a>> {
    let sample = comparison.difference(number, of, name)?;
    let (mean, reach) = (sample.mean, sample.reach());
    let (low, high) = (reach.map(|reach| mean - reach), reach.map(|reach| mean + reach));
    Some(Difference { condition: comparison.conditions[number].0, of, name, n: sample.n, mean, low, high })
}

fn numbers<'a>(report: &'a Report<'_>) -> impl Iterator<Item = Numbers<'a>> {
    let of = |Summary { of, name, sample, .. }: &'a Summary| {
        let sample = sample.as_ref()?;
        let (mean, reach) = (sample.mean, sample.reach());
        Some(Numbers {
            of,
            name,
            n: sample.n,
            mean,
            low: reach.map(|reach| mean - reach),
            high: reach.map(|reach| mean + reach),
            deviation: sample.deviation(),
            least: sample.least,
            greatest: sample.greatest,
        })
    };
    report.measures.iter().filter_map(of)
}

fn values<'a>(report: &'a Report<'_>) -> impl Iterator<Item = Value<'a>> {
    let of = |Summary { of, name, values, .. }: &'a Summary| {
        values.iter().map(move |(value, n)| Value { of, name, value, n: *n })
    };
    report.measures.iter().flat_map(of)
}

fn each<S: Serializer>(runs: &[(u64, Ran)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(runs.iter().map(|(seed, Ran { steps, outcome, failures })| Run {
        seed: *seed,
        steps: *steps,
        failures: *failures,
        ending: outcome.ending,
        results: &outcome.results,
    }))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::comparison::tests::compared;
    use super::super::report::tests::{ran, report, subject};
    use super::super::sample::Sample;
    use super::*;

    fn runs() -> Vec<Ran> {
        vec![
            ran(Some(Ending::Terminated), &[("red", "goals, all", 1.into()), ("red", "end", "home".into())]),
            ran(None, &[("red", "goals, all", 3.into()), ("red", "luck", 0.5.into())]),
        ]
    }

    /// The interval for 1 and 3, whose last digits may differ between platforms.
    fn interval() -> [f64; 2] {
        let mut sample = Sample::new(1.0);
        sample.add(3.0);
        let reach = sample.reach().expect("there are two");
        [2.0 - reach, 2.0 + reach]
    }

    #[test]
    fn csv_has_a_row_for_each_run_and_measure() {
        let expected = "\
condition,seed,steps,failures,ending,of,measure,value
,1,10,2,terminated,red,\"goals, all\",1
,1,10,2,terminated,red,end,home
,2,10,2,,red,\"goals, all\",3
,2,10,2,,red,luck,0.5
,3,10,2,,,,
";
        let runs: Vec<(u64, Ran)> = (1..).zip(runs().into_iter().chain([ran(None, &[])])).collect();
        assert_eq!(csv([("", runs.as_slice())]).expect("it can be written"), expected);
    }

    #[test]
    fn json_has_everything_on_one_line() {
        let text = json(&report(&subject(), runs())).expect("it can be written");
        assert_eq!(text.matches('\n').count(), 1);
        let [low, high] = interval();
        let constant = |name, value| {
            json!({"of": "run", "name": name, "n": 2, "mean": value, "low": value, "high": value,
                   "deviation": 0.0, "least": value, "greatest": value})
        };
        let goals = |value| json!({"of": "red", "name": "goals, all", "value": value});
        let expected = json!({
            "environment": "maze",
            "version": "1.0",
            "generator": "dice",
            "pace": "lockstep",
            "parameters": {"view": "global"},
            "agents": {"red": "random"},
            "seeds": {"first": 1, "count": 2},
            "measures": [
                constant("steps", 10.0),
                constant("failed actions", 2.0),
                {"of": "red", "name": "goals, all", "n": 2, "mean": 2.0, "low": low,
                 "high": high, "deviation": 2.0_f64.sqrt(), "least": 1.0, "greatest": 3.0},
                {"of": "red", "name": "luck", "n": 1, "mean": 0.5, "low": null, "high": null,
                 "deviation": null, "least": 0.5, "greatest": 0.5},
            ],
            "values": [{"of": "red", "name": "end", "value": "home", "n": 1}],
            "endings": {"terminated": 1, "truncated": 0, "notOver": 1},
            "runs": [
                {"seed": 1, "steps": 10, "failures": 2, "ending": "terminated",
                 "results": [goals(1), {"of": "red", "name": "end", "value": "home"}]},
                {"seed": 2, "steps": 10, "failures": 2, "ending": null,
                 "results": [goals(3), {"of": "red", "name": "luck", "value": 0.5}]},
            ],
        });
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).expect("it is JSON"), expected);
    }

    #[test]
    fn comparisons_have_differences() {
        let subject = subject();
        let comparison = compared(&subject);
        let text = json_of_comparison(&comparison).expect("it can be written");
        let written: serde_json::Value = serde_json::from_str(&text).expect("it is JSON");
        assert_eq!(written["conditions"][1]["name"], "talking");
        assert_eq!(written["conditions"][1]["runs"][2]["results"][0]["value"], 9);
        let differences = written["differences"].as_array().expect("a list");
        let goals = differences.iter().find(|one| one["name"] == "goals").expect("both have it");
        assert_eq!((&goals["condition"], &goals["n"], &goals["mean"]), (&json!("talking"), &json!(3), &json!(3.0)));
        let reach = goals["high"].as_f64().expect("a number") - 3.0;
        assert!((reach - 2.484).abs() < 0.001, "{goals}");
    }
}
