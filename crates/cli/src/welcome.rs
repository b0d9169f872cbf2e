//! The text of the command without arguments.

use std::io::{self, IsTerminal, Write};

use crossterm::style::Stylize;

use crate::environments::registry;
use crate::{help, table};

/// The environment to try first, and how to see it with a team.
const FIRST: (&str, &str) = ("bw4t", " --agents team --robots 3");

/// Shows three things to try.
pub(crate) fn welcome() -> anyhow::Result<()> {
    let program = help::program();
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
