//! `situated acl`: reads, converts and checks FIPA ACL messages in files and pipes.

mod check;
mod convert;
mod form;
mod json;
mod parse;
mod source;

use std::fmt::Display;
use std::io::{self, Write};
use std::process::ExitCode;

use clap::Subcommand;

pub(crate) use parse::shown;

#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Reads messages and shows their contents.
    Parse(parse::Arguments),
    /// Reads messages in any encoding and writes them in another one.
    Convert(convert::Arguments),
    /// Checks whether conversations follow their protocols, and explains the first violation.
    Check(check::Arguments),
}

const EXAMPLES: &str = "\
Examples:
  echo '(request :sender A :receiver B :content <x/>)' | situated acl parse --lenient
  echo 'fa101301' | situated acl convert --to string
  situated acl check --help";

/// Runs the subcommand.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    match &arguments.command {
        Command::Parse(arguments) => parse::run(arguments),
        Command::Convert(arguments) => convert::run(arguments),
        Command::Check(arguments) => check::run(arguments),
    }
    .map(|()| ExitCode::SUCCESS)
}

/// Returns a text on one line, with control characters replaced by blanks.
fn printable(text: &str) -> String {
    text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect()
}

/// Prints a message to standard error. A closed standard error does not end the command.
fn complain(what: impl Display) {
    let _ = writeln!(io::stderr(), "{}", printable(&what.to_string()));
}
