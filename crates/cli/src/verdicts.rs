//! The table of a report of checks: a verdict, a name and an explanation in each row.

use std::env;
use std::io::{self, IsTerminal};

use crossterm::style::Stylize;

use crate::table;

pub(crate) const PASSED: &str = "passed";
pub(crate) const FAILED: &str = "FAILED";
pub(crate) const SKIPPED: &str = "skipped";
pub(crate) const NOT_APPLICABLE: &str = "n/a";

/// The rows as a table, in colours if standard output shows them.
pub(crate) fn table(rows: &[[String; 3]]) -> String {
    let table = table::render(rows, 0, table::columns());
    let wanted = env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    // Colours come last, since they would count as width.
    if wanted && io::stdout().is_terminal() { table.lines().map(colored).collect() } else { table }
}

fn colored(line: &str) -> String {
    let (verdict, rest) = line.split_once(' ').unwrap_or((line, ""));
    match verdict {
        PASSED => format!("{} {rest}\n", PASSED.green()),
        FAILED => format!("{} {rest}\n", FAILED.red().bold()),
        SKIPPED => format!("{} {rest}\n", SKIPPED.yellow()),
        NOT_APPLICABLE => format!("{} {rest}\n", NOT_APPLICABLE.yellow()),
        _ => format!("{line}\n"),
    }
}
