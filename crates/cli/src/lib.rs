//! The command `situated` as a library: it lists, describes, runs, serves, records and replays the environments of a
//! registry, and it reads messages.
//!
//! An author gets the whole command for environments of their own:
//!
//! ```no_run
//! use std::process::ExitCode;
//!
//! use situated_cli::{Registry, environment};
//! # use situated_find_goals::FindGoals as Elevator;
//!
//! fn main() -> ExitCode {
//!     situated_cli::main(Registry::new().with(environment::<Elevator>().with_agents().with_encoding()))
//! }
//! ```
//!
//! The feature `shipped`, which is on by default, adds the environments that ship with situated to the dependencies.

mod acl;
mod check;
mod check_environment;
mod describe;
mod environments;
mod export;
mod help;
mod launch;
mod pace;
mod parameters;
mod plan;
mod query;
mod repeat;
mod replay;
mod run;
mod serve;
mod shorthand;
mod table;
mod team_file;
mod usage;
mod verdicts;

use std::error::Error;
use std::io::{self, Write};
use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use clap_complete::Shell;

use team_file::TeamFile;

pub use situated_registry::{Registration, Registry, environment};
use situated_server::Token;

/// Lets agents live in environments.
#[derive(Parser)]
#[command(name = "situated", version, after_help = HELP)]
struct CommandLine {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Lists the environments that there are.
    List,
    /// Says what an environment is about: its parameters, and what its entities can do and perceive.
    Describe(describe::Arguments),
    /// Prints a property of an environment, such as its map.
    Query(query::Arguments),
    /// Runs an environment with an agent for each of its entities, and shows what happens.
    Run(run::Arguments),
    /// Lets agents and observers in from outside: opens the doors of environments, and a page that shows them.
    Serve(serve::Arguments),
    /// Prints a random token, with which a server lets clients in.
    #[command(after_help = TOKEN_HELP)]
    Token,
    /// Holds a server against the wire protocol, in whatever language it is written.
    Check(check::Arguments),
    /// Plays an environment at random and checks that it follows the rules for environments.
    CheckEnvironment(check_environment::Arguments),
    /// Runs a recording again, and says whether it comes to the same.
    Replay(replay::Arguments),
    /// Turns a recording into lines of JSON or a table.
    Export(export::Arguments),
    /// Reads, converts and checks messages in FIPA ACL.
    Acl(acl::Arguments),
    /// Prints the completions of a shell.
    #[command(after_help = COMPLETIONS_HELP)]
    Completions {
        /// The shell.
        shell: Shell,
    },
}

const HELP: &str = "\
Examples:
  situated list
  situated describe find-goals
  situated run find-goals
  situated run find-goals --record episode.mcap
  situated serve find-goals
  situated acl --help
  situated run --help

Exit codes:
  0  done
  1  something failed while running
  2  wrong usage: an environment, a parameter or an option that does not exist, or parameters with which an environment
     cannot begin";

const TOKEN_HELP: &str = "\
Examples:
  situated token
  situated serve find-goals --token act=$(situated token)";

const COMPLETIONS_HELP: &str = "\
Examples:
  situated completions bash > situated.bash   # then: source situated.bash
  situated completions zsh > _situated        # in a directory of $fpath
  situated completions fish > situated.fish   # in ~/.config/fish/completions";

/// Runs the command with the arguments of this process, and returns its exit code.
///
/// A process has one registry: that of the first call.
pub fn main(registry: Registry) -> ExitCode {
    environments::register(|| registry);
    let done = |()| ExitCode::SUCCESS;
    let command = help::adapted(CommandLine::command());
    let words = shorthand::write_out(std::env::args_os(), &command).unwrap_or_else(|error| error.exit());
    let matches = command.get_matches_from(words);
    let arguments = CommandLine::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    let result = match arguments.command {
        Command::List => environments::list().map(done),
        Command::Describe(arguments) => describe::describe(&arguments).map(done),
        Command::Query(arguments) => query::run(&arguments).map(done),
        Command::Run(arguments) => run::run(arguments).map(done),
        Command::Serve(arguments) => serve::run(arguments).map(done),
        Command::Token => token().map(done),
        Command::Check(arguments) => check::run(arguments),
        Command::CheckEnvironment(arguments) => check_environment::run(arguments),
        Command::Replay(arguments) => replay::run(&arguments),
        Command::Export(arguments) => export::run(&arguments).map(done),
        Command::Acl(arguments) => acl::run(&arguments),
        Command::Completions { shell } => completions(shell).map(done),
    };
    result.unwrap_or_else(report)
}

fn token() -> anyhow::Result<()> {
    writeln!(io::stdout(), "{}", Token::random()?.as_str())?;
    Ok(())
}

/// Checks the text of a team file for the environments of a registry. As in [`main`], that of the first call counts.
///
/// # Errors
/// The first mistake in it, with its place.
pub fn check_team_file(text: &str, registry: impl FnOnce() -> Registry) -> Result<(), String> {
    environments::register(registry);
    TeamFile::parse(text).map(drop).map_err(|mistake| mistake.to_string())
}

/// Checks the text of a file with tokens.
///
/// # Errors
/// The first mistake in it.
pub fn check_token_file(text: &str) -> Result<(), String> {
    serve::access::read_tokens(text).map(drop).map_err(|mistake| format!("{mistake:#}"))
}

fn completions(shell: Shell) -> anyhow::Result<()> {
    // In memory first, since `generate` panics when a pipe is closed.
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut CommandLine::command(), help::program(), &mut script);
    io::stdout().write_all(&script)?;
    Ok(())
}

/// Says on stderr what went wrong, and with which code to exit.
fn report(error: anyhow::Error) -> ExitCode {
    match error.downcast::<clap::Error>() {
        Ok(wrong_usage) => wrong_usage.exit(),
        // Whoever reads has seen enough.
        Err(error) if error.chain().any(is_closed_pipe) => ExitCode::SUCCESS,
        Err(error) => {
            // Where nobody reads that, the exit code still tells it.
            let _ = writeln!(io::stderr(), "error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn is_closed_pipe(error: &(dyn Error + 'static)) -> bool {
    let error = error.downcast_ref::<io::Error>();
    error.is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definition_of_the_command_line_is_consistent() {
        CommandLine::command().debug_assert();
    }
}
