//! The text of the command without arguments, and help for the command of another author: the examples name that
//! command and one of its environments.

use std::io::{self, IsTerminal, Write};

use clap::Command;
use crossterm::style::Stylize;

use crate::environments::registry;
use crate::program;
use crate::table;

/// The environment that examples name.
const EXAMPLE: &str = "find-goals";

/// Parts of examples that work only with the environments of situated.
const ONLY_SHIPPED: [&str; 2] = ["bw4t", "--view"];

/// Adapts the help of a command to this program and its environments.
pub(crate) fn adapted(command: Command) -> Command {
    let environments: Vec<&str> = registry().environments().map(|one| one.ontology.name.as_str()).collect();
    adapt(command, &|text| reworded(text, program::name(), &environments))
}

fn adapt(mut command: Command, reword: &dyn Fn(&str) -> String) -> Command {
    if let Some(text) = command.get_after_help().map(ToString::to_string) {
        command = command.after_help(reword(&text));
    }
    if let Some(text) = command.get_after_long_help().map(ToString::to_string) {
        command = command.after_long_help(reword(&text));
    }
    command = command.mut_args(|argument| match argument.get_help().map(ToString::to_string) {
        Some(text) => argument.help(reword(&text)),
        None => argument,
    });
    command.mut_subcommands(|subcommand| adapt(subcommand, reword))
}

/// Replaces the name of the command in a text. Examples use the first environment if `EXAMPLE` is not registered.
fn reworded(text: &str, program: &str, environments: &[&str]) -> String {
    let text = text.replace("situated ", &format!("{program} "));
    match environments.first() {
        Some(first) if !environments.contains(&EXAMPLE) => {
            let fits = |line: &&str| !ONLY_SHIPPED.iter().any(|only| line.contains(only));
            let lines: Vec<&str> = text.lines().filter(fits).collect();
            lines.join("\n").replace(EXAMPLE, first)
        }
        _ => text,
    }
}

/// The environment to try first, and how to see it with a team.
const FIRST: (&str, &str) = ("bw4t", " --agents team --robots 3");

/// Shows three things to try.
pub(crate) fn welcome() -> anyhow::Result<()> {
    let program = program::name();
    let names: Vec<&str> = registry().environments().map(|one| one.ontology.name.as_str()).collect();
    let mut text = format!("{program} {}\n\n", env!("CARGO_PKG_VERSION"));
    let shipped = names.iter().copied().find(|name| *name == FIRST.0);
    if let Some(name) = shipped.or(names.first().copied()) {
        let team = if shipped.is_some() { FIRST.1 } else { "" };
        let tries = [
            (format!("{program} run {name}{team}"), "watch agents here in the terminal"),
            (format!("{program} serve {name}"), "open a page in your browser, and play yourself"),
            (format!("{program} describe {name}"), "read what agents can do and perceive"),
        ];
        let is_bold = io::stdout().is_terminal();
        let widest = tries.iter().map(|(command, _)| command.len()).max().unwrap_or_default();
        text += "Three things to try:\n";
        for (command, what) in tries {
            let space = " ".repeat(widest - command.len());
            let command = if is_bold { command.bold().to_string() } else { command };
            text += &format!("  {command}{space}  {what}\n");
        }
        text += "\n";
    }
    let more = match names.as_slice() {
        [] => format!("`{program} --help` lists all commands."),
        _ => format!("Environments: {}. `{program} --help` lists all commands.", names.join(", ")),
    };
    table::wrap(&more, table::columns().min(100)).into_iter().for_each(|line| text += &format!("{line}\n"));
    io::stdout().write_all(text.as_bytes())?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_name_the_command_and_its_environment() {
        let text = "Examples:\n  situated run find-goals\n  situated run find-goals --view global\n  situated run bw4t";
        assert_eq!(reworded(text, "lift", &["elevator", "crane"]), "Examples:\n  lift run elevator");
        assert_eq!(reworded(text, "situated", &["bw4t", "find-goals"]), text);
    }
}
