//! Tables, wrapped text, and reports of checks, for people.

use std::env;
use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

use comfy_table::presets::NOTHING;
use comfy_table::{CellAlignment, ColumnConstraint, ContentArrangement, Table, Width};
use crossterm::style::Stylize;
use serde::Serialize;

use crate::unless_closed;

/// Returns the width for printed text: that of the terminal, or unlimited if standard output is not a terminal.
pub(crate) fn columns() -> usize {
    if io::stdout().is_terminal() { window().0 } else { usize::MAX }
}

/// Returns the columns and rows of the terminal's window.
pub(crate) fn window() -> (usize, usize) {
    // A pseudo-terminal without a size reports 0.
    match crossterm::terminal::size() {
        Ok((columns @ 1.., rows @ 1..)) => (columns.into(), rows.into()),
        _ => (80, 24),
    }
}

/// Minimum width of a wrapped column. A table becomes wider than asked rather than narrower than this.
const NARROWEST: u16 = 12;

/// Returns rows in aligned columns. Columns of numbers are right-aligned; the last column is wrapped so that the
/// table is at most `width` wide.
pub(crate) fn render<R: AsRef<[String]>>(rows: &[R], indent: usize, width: usize) -> String {
    let last = rows.iter().map(|row| row.as_ref().len()).max().unwrap_or_default().saturating_sub(1);
    render_wrapped(rows, indent, width, last)
}

/// Like [`render`], but wraps another column.
pub(crate) fn render_wrapped<R: AsRef<[String]>>(rows: &[R], indent: usize, width: usize, wrapped: usize) -> String {
    let mut table = Table::new();
    table.load_style(NOTHING).set_content_arrangement(ContentArrangement::Dynamic);
    table.add_rows(rows.iter().map(|row| row.as_ref().iter().map(|cell| cell.replace('\n', " "))));
    if let Ok(width) = u16::try_from(width.saturating_sub(indent)) {
        table.set_width(width);
    }
    let last = table.column_count().saturating_sub(1);
    for column in table.column_iter_mut() {
        column.set_padding((0, if column.index == last { 0 } else { 2 }));
        if has_numbers(rows, column.index) {
            column.set_cell_alignment(CellAlignment::Right);
        }
        if column.index != wrapped {
            column.set_constraint(ColumnConstraint::ContentWidth);
        } else if wrapped != last {
            let longest = rows.iter().filter_map(|row| row.as_ref().get(wrapped)).map(|cell| length(cell)).max();
            let narrowest = u16::try_from(longest.unwrap_or_default()).unwrap_or(u16::MAX).min(NARROWEST);
            column.set_constraint(ColumnConstraint::LowerBoundary(Width::Fixed(narrowest)));
        }
    }
    table.lines().map(|line| format!("{:indent$}{line}", "").trim_end().to_owned() + "\n").collect()
}

/// Prints rows below a heading.
pub(crate) fn print<const N: usize>(heading: [&str; N], rows: impl Iterator<Item = [String; N]>) -> io::Result<()> {
    let rows: Vec<_> = [heading.map(str::to_owned)].into_iter().chain(rows).collect();
    io::stdout().write_all(render(&rows, 0, columns()).as_bytes())
}

/// Returns whether all cells below the heading of a column are numbers, such as `7`, `± 0.5` or `-` for a missing one.
fn has_numbers<R: AsRef<[String]>>(rows: &[R], column: usize) -> bool {
    let cells = rows.iter().skip(1).filter_map(|row| row.as_ref().get(column));
    let mut filled = cells.filter(|cell| !cell.is_empty()).peekable();
    let is_number = |cell: &String| cell == "-" || cell.trim_start_matches("± ").parse::<f64>().is_ok();
    filled.peek().is_some() && filled.all(is_number)
}

/// Wraps a text to lines of at most `width` characters.
pub(crate) fn wrap(text: &str, width: usize) -> Vec<String> {
    flow(text.split_whitespace(), " ", width)
}

/// Joins items into lines of at most `width` characters; a longer item gets a line of its own.
pub(crate) fn flow<T: AsRef<str>>(items: impl IntoIterator<Item = T>, separator: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut used = 0;
    for item in items {
        let item = item.as_ref();
        let needed = length(separator) + length(item);
        match lines.last_mut() {
            Some(line) if line.is_empty() => {
                line.push_str(item);
                used = length(item);
            }
            Some(line) if used + needed <= width => {
                *line += separator;
                *line += item;
                used += needed;
            }
            _ => {
                lines.push(item.to_owned());
                used = length(item);
            }
        }
    }
    lines
}

fn length(text: &str) -> usize {
    text.chars().count()
}

/// Prints a report, as JSON or as text, and returns the exit code.
pub(crate) fn print_report(
    report: &impl Serialize,
    json: bool,
    text: impl FnOnce() -> String,
    passed: bool,
) -> anyhow::Result<ExitCode> {
    let text = if json { serde_json::to_string_pretty(report)? + "\n" } else { text() };
    unless_closed(io::stdout().write_all(text.as_bytes()))?;
    Ok(if passed { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Returns the rows as a table, with colours if standard output shows them.
pub(crate) fn verdicts(rows: &[[String; 3]]) -> String {
    let table = render(rows, 0, columns());
    let wanted = env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    // Colours come last, because they would count as width.
    if wanted && io::stdout().is_terminal() { table.lines().map(colored).collect() } else { table }
}

fn colored(line: &str) -> String {
    let (verdict, rest) = line.split_once(' ').unwrap_or((line, ""));
    match verdict {
        "passed" => format!("{} {rest}\n", verdict.green()),
        "FAILED" => format!("{} {rest}\n", verdict.red().bold()),
        "skipped" | "n/a" => format!("{} {rest}\n", verdict.yellow()),
        _ => format!("{line}\n"),
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    fn rows<const N: usize>(rows: &[[&str; N]]) -> Vec<[String; N]> {
        rows.iter().map(|row| row.map(str::to_owned)).collect()
    }

    #[test]
    fn columns_are_aligned_and_numbers_are_right_aligned() {
        let rows = rows(&[["", "goals", "reward"], ["red", "7", ""], ["the team", "", "-12.5"]]);
        let expected = "          goals  reward\nred           7\nthe team          -12.5\n";
        assert_eq!(render(&rows, 0, 80), expected);
    }

    #[test]
    fn the_last_column_is_wrapped_under_itself() {
        let rows = rows(&[["a", "one two three"], ["bcd", "four"]]);
        assert_eq!(render(&rows, 2, 14), "  a    one two\n       three\n  bcd  four\n");
    }

    #[test]
    fn items_stay_together() {
        assert_eq!(flow(["red 1", "blue 2", "3"], ", ", 11), ["red 1", "blue 2, 3"]);
    }

    #[test]
    fn a_word_that_is_too_long_gets_a_line_of_its_own() {
        assert_eq!(wrap("a windowsill b", 4), ["a", "windowsill", "b"]);
        assert_eq!(wrap("", 4), [""]);
    }
    #[test]
    fn long_text_takes_time_in_proportion_to_its_length() {
        // This would take minutes if each word cost as much as the line before it.
        let text = "word ".repeat(200_000);
        let begin = Instant::now();
        assert_eq!(wrap(&text, usize::MAX).len(), 1);
        assert!(render(&rows(&[["content", text.as_str()]]), 2, usize::MAX).len() > text.len());
        assert!(begin.elapsed() < Duration::from_secs(60));
    }
}
