//! Formats the results of many runs as a table for people.

use situated::ontology::Pace;

use super::comparison::Comparison;
use super::report::{Endings, Report, Summary};
use super::sample::Sample;
use crate::table;

/// The number of blanks before the tables.
const INDENT: usize = 2;

/// The column with the names of measures.
const NAME: usize = 1;

/// Returns tables of at most `width` columns, if wrapping the names of measures can make them so narrow.
pub(super) fn render(report: &Report<'_>, width: usize) -> String {
    let mut text = format!("{}\n", title(report));
    for part in [numbers(&report.measures, width), values(&report.measures, width)] {
        if !part.is_empty() {
            text += &format!("\n{part}");
        }
    }
    if report.is_without_chance() {
        text +=
            "\nAll seeds gave the same results: neither the environment nor these agents seem to use random numbers.\n";
    }
    text
}

fn title(report: &Report<'_>) -> String {
    let (name, first, last) = (&report.subject.environment, report.seeds.first, report.seeds.last());
    let runs = match report.seeds.count.get() {
        1 => format!("1 run, seed {first}"),
        count => format!("{count} runs, seeds {first} to {last}"),
    };
    format!("{name}{}, {runs}: {}", pace(report.subject.pace), endings(&report.endings))
}

/// Returns tables that compare conditions, of at most `width` columns if that is possible.
pub(super) fn render_comparison(comparison: &Comparison<'_>, width: usize) -> String {
    let mut text = String::new();
    for (name, report) in &comparison.conditions {
        text += &format!("{name}: {}\n", title(report));
    }
    let first = comparison.conditions.first().map_or("", |(name, _)| name);
    let more = format!("more than {first}");
    let heading = ["of", "measure", "condition", "mean", "95 % interval", &more, "95 % interval", "n"];
    let mut rows = vec![heading.map(str::to_owned)];
    let mut others = vec![["of", "measure", "condition", "runs", "value"].map(str::to_owned)];
    for (of, name) in &comparison.measures {
        let mut is_first = true;
        for (number, (condition, report)) in comparison.conditions.iter().enumerate() {
            let Some(summary) = report.find(of, name) else { continue };
            if let Some(sample) = &summary.sample {
                let [_, _, mean, interval, _, _, _, n] = number_row(summary, sample);
                let difference = comparison.difference(number, of, name);
                let more = difference.map(|sample| with_sign(sample.mean)).unwrap_or_default();
                let reach = difference.and_then(|sample| Some(format!("± {}", rounded(sample.reach()?, false))));
                // A measure is named once, so that its conditions stand together.
                let [of, name] = [of, name].map(|text| if is_first { text.to_string() } else { String::new() });
                is_first = false;
                rows.push([of, name, (*condition).to_owned(), mean, interval, more, reach.unwrap_or_default(), n]);
            }
            for (value, count) in &summary.values {
                let row = [of.as_str(), name, condition, &count.to_string(), &value.to_string()];
                others.push(row.map(str::to_owned));
            }
        }
    }
    text += &format!("\n{}", table::render_wrapped(&rows, INDENT, width, NAME));
    if others.len() > 1 {
        text += &format!("\n{}", table::render(&others, INDENT, width));
    }
    text
}

fn with_sign(number: f64) -> String {
    if number > 0.0 { format!("+{}", rounded(number, false)) } else { rounded(number, false) }
}

/// Whether the environment waited for its agents.
fn pace(pace: Pace) -> String {
    match pace {
        Pace::Lockstep => " in lockstep".to_owned(),
        Pace::RealTime { steps_per_second } => format!(" in real time ({steps_per_second} steps per second)"),
        Pace::Reactive | Pace::Own => String::new(),
    }
}

fn endings(endings: &Endings) -> String {
    let Endings { terminated, truncated, not_over } = *endings;
    let counts = [(terminated, "terminated"), (truncated, "truncated"), (not_over, "not over")];
    let occurred = counts.into_iter().filter(|(count, _)| *count > 0);
    occurred.map(|(count, ending)| format!("{count} {ending}")).collect::<Vec<_>>().join(", ")
}

/// The measures that have numbers.
fn numbers(measures: &[Summary], width: usize) -> String {
    let row = |summary: &Summary| Some(number_row(summary, summary.sample.as_ref()?));
    let heading = ["of", "measure", "mean", "95 % interval", "deviation", "least", "greatest", "n"];
    let rows: Vec<_> = [heading.map(str::to_owned)].into_iter().chain(measures.iter().filter_map(row)).collect();
    table::render_wrapped(&rows, INDENT, width, NAME)
}

fn number_row(Summary { of, name, whole, .. }: &Summary, sample: &Sample) -> [String; 8] {
    // A mean of whole numbers is whole by chance only, unless all are the same.
    let constant = *whole && sample.least == sample.greatest;
    let or_missing = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
    [
        of.to_string(),
        name.to_string(),
        rounded(sample.mean, constant),
        or_missing(sample.reach().map(|reach| format!("± {}", rounded(reach, constant)))),
        or_missing(sample.deviation().map(|deviation| rounded(deviation, constant))),
        rounded(sample.least, *whole),
        rounded(sample.greatest, *whole),
        sample.n.to_string(),
    ]
}

/// A number as people like to read it.
fn rounded(number: f64, whole: bool) -> String {
    match number.abs() {
        1e15.. => format!("{number:.3e}"),
        _ if whole || number == 0.0 => format!("{number:.0}"),
        0.001.. => format!("{number:.3}"),
        _ => format!("{number:.1e}"),
    }
}

/// The measures that have other values.
fn values(measures: &[Summary], width: usize) -> String {
    let rows = measures.iter().flat_map(|Summary { of, name, values, .. }| {
        values
            .iter()
            .map(move |(value, count)| [of.to_string(), name.to_string(), count.to_string(), value.to_string()])
    });
    let mut rows: Vec<_> = rows.collect();
    if rows.is_empty() {
        return String::new();
    }
    rows.insert(0, ["of", "measure", "runs", "value"].map(str::to_owned));
    table::render(&rows, INDENT, width)
}

#[cfg(test)]
mod tests {
    use situated::environment::Ending;

    use super::super::Ran;
    use super::super::comparison::tests::compared;
    use super::super::report::tests::{ran, report, seeds, subject};
    use super::*;

    fn runs() -> Vec<Ran> {
        let share = "share of the best possible in percent";
        vec![
            ran(Some(Ending::Terminated), &[("team", share, 99.5.into()), ("red", "end", "home".into())]),
            ran(None, &[("team", share, 9.25.into()), ("red", "luck", 0.0001.into())]),
            ran(None, &[("team", share, 7.75.into()), ("red", "goals", 1.into()), ("red", "end", "stuck".into())]),
            ran(None, &[("red", "goals", 4.into()), ("red", "end", "stuck".into())]),
        ]
    }

    #[test]
    fn the_table_contains_confidence_intervals() {
        let expected = "\
maze in lockstep, 4 runs, seeds 1 to 4: 1 terminated, 3 not over

  of    measure                                  mean  95 % interval  deviation   least  greatest  n
  run   steps                                      10            ± 0          0      10        10  4
  run   failed actions                              2            ± 0          0       2         2  4
  team  share of the best possible in percent  38.833      ± 130.527     52.544   7.750    99.500  3
  red   luck                                   1.0e-4              -          -  1.0e-4    1.0e-4  1
  red   goals                                   2.500       ± 19.059      2.121       1         4  2

  of   measure  runs  value
  red  end         1  home
  red  end         2  stuck
";
        assert_eq!(render(&report(&subject(), runs()), usize::MAX), expected);
    }

    #[test]
    fn conditions_stand_below_each_other_with_their_differences() {
        let expected = "\
silent: maze in lockstep, 3 runs, seeds 1 to 3: 3 not over
talking: maze in lockstep, 3 runs, seeds 1 to 3: 3 not over

  of   measure         condition   mean  95 % interval  more than silent  95 % interval  n
  run  steps           silent        10            ± 0                                   3
                       talking       10            ± 0                 0            ± 0  3
  run  failed actions  silent         2            ± 0                                   3
                       talking        2            ± 0                 0            ± 0  3
  red  goals           silent     4.000        ± 6.572                                   3
                       talking    7.000        ± 4.968            +3.000        ± 2.484  3
  red  messages        talking        8              -                                   1

  of   measure  condition  runs  value
  red  end      silent        3  home
  red  end      talking       3  home
";
        assert_eq!(render_comparison(&compared(&subject()), usize::MAX), expected);
    }

    #[test]
    fn long_names_are_wrapped_so_that_the_table_fits() {
        let text = render(&report(&subject(), runs()), 80);
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
        let expected = "
  team  share of the best  38.833      ± 130.527     52.544   7.750    99.500  3
        possible in
        percent
  red   luck";
        assert!(text.contains(expected), "{text}");
    }

    #[test]
    fn one_run_has_no_interval() {
        let subject = subject();
        let report = Report::new(&subject, seeds(17, 1), vec![(17, ran(None, &[]))]);
        let expected = "\
maze in lockstep, 1 run, seed 17: 1 not over

  of   measure         mean  95 % interval  deviation  least  greatest  n
  run  steps             10              -          -     10        10  1
  run  failed actions     2              -          -      2         2  1
";
        assert_eq!(render(&report, 80), expected);
    }

    #[test]
    fn numbers_are_rounded_for_readers() {
        for (number, whole, expected) in [
            (1234.5678, false, "1234.568"),
            (-2.0, false, "-2.000"),
            (7.0, true, "7"),
            (0.0, false, "0"),
            (0.000_25, false, "2.5e-4"),
            (-1e300, false, "-1.000e300"),
            (1e18, true, "1.000e18"),
        ] {
            assert_eq!(rounded(number, whole), expected);
        }
    }
}
