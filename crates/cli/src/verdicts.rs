//! Reports of checks: a table with a verdict, a name and an explanation in each row, and details below it.

use std::env;
use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

use crossterm::style::Stylize;
use serde::Serialize;

use crate::table;

/// Prints a report, as JSON or as text, and returns the exit code.
pub(crate) fn print(
    report: &impl Serialize,
    json: bool,
    text: impl FnOnce() -> String,
    passed: bool,
) -> anyhow::Result<ExitCode> {
    let text = if json { serde_json::to_string_pretty(report)? + "\n" } else { text() };
    io::stdout().write_all(text.as_bytes())?;
    Ok(if passed { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Returns the rows as a table, with colours if standard output shows them.
pub(crate) fn table(rows: &[[String; 3]]) -> String {
    let table = table::render(rows, 0, table::columns());
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
