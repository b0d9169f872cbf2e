//! The command `situated` as a library. It lists, describes, runs, serves, records and replays the environments of a
//! registry, and reads, sends and receives FIPA ACL messages.
//!
//! An author gets the whole command for their own environments:
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
//! The feature `shipped`, on by default, adds the environments that ship with situated to the dependencies.

mod acl;
mod arguments;
#[cfg_attr(not(feature = "conformance"), path = "check/left_out.rs")]
mod check;
mod check_environment;
mod connected_host;
mod describe;
mod environments;
mod export;
mod files;
mod help;
mod launch;
mod mail;
mod mcp;
mod models;
mod new;
mod pace;
mod parameters;
mod plan;
mod program;
mod python;
mod query;
mod repeat;
mod replay;
mod run;
mod serve;
mod shorthand;
mod table;
mod team_file;
mod terminal;
mod usage;

use std::error::Error;
use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use clap_complete::Shell;

use team_file::TeamFile;

pub use repeat::join_results;
pub use situated_registry::{Registration, Registry, environment};
use situated_server::Token;

/// Connects agents with environments.
#[derive(Parser)]
#[command(name = "situated", version, after_help = HELP)]
struct CommandLine {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    /// Writes a folder with an environment of your own, which runs at once.
    New(new::Arguments),
    /// Lists the environments.
    List,
    /// Describes an environment: its parameters, and what its entities can do and perceive.
    Describe(describe::Arguments),
    /// Prints a property of an environment, such as its map.
    Query(query::Arguments),
    /// Checks and draws files for environments, such as maps.
    Files(files::Arguments),
    /// Runs an environment with an agent for each entity, and shows what happens.
    Run(run::Arguments),
    /// Starts a server that agents, hosts and browsers can connect to.
    #[command(after_help = serve::EXAMPLES)]
    Serve(Box<serve::Arguments>),
    /// Lets a language model play, whose program starts this command (Model Context Protocol over stdio).
    #[command(after_help = mcp::EXAMPLES)]
    Mcp(Box<mcp::Arguments>),
    /// Prints a random token for access to a server.
    #[command(after_help = TOKEN_HELP)]
    Token,
    /// Tests whether a server, in any language, conforms to the wire protocol.
    #[cfg_attr(not(feature = "conformance"), command(hide = true))]
    Check(check::Arguments),
    /// Plays an environment at random and checks that it follows the rules for environments.
    CheckEnvironment(check_environment::Arguments),
    /// Runs a recording again and compares every state.
    Replay(replay::Arguments),
    /// Converts a recording to JSON, a table, or an animated picture.
    Export(export::Arguments),
    /// Reads, converts and checks messages in FIPA ACL.
    Acl(acl::Arguments),
    /// Sends and receives messages of agents.
    Mail(mail::Arguments),
    /// Prints a completion script for a shell.
    #[command(after_help = COMPLETIONS_HELP)]
    Completions {
        /// Shell.
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
  situated new shop
  situated acl --help
  situated run --help

Exit codes:
  0  success
  1  a failure while running
  2  wrong usage: an unknown environment, parameter or option, or parameters with which an environment cannot begin";

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
/// A process has one registry: that of the first call. Later calls ignore theirs.
pub fn main(registry: Registry) -> ExitCode {
    main_with(registry, std::env::args_os().collect())
}

/// Runs the command with the arguments `words`, for a process that is not started as the command, such as Python. The
/// first word is the name of the command. As in [`main`], the registry of the first call counts.
pub fn main_with(registry: Registry, words: Vec<OsString>) -> ExitCode {
    environments::register(|| registry);
    program::set_name(words.first());
    let done = |()| ExitCode::SUCCESS;
    let command = help::adapted(CommandLine::command());
    let words = shorthand::write_out(words.into_iter(), &command).unwrap_or_else(|error| error.exit());
    let matches = command.clone().try_get_matches_from(words);
    let matches = matches.unwrap_or_else(|error| usage::with_suggestion(error, &command).exit());
    let arguments = CommandLine::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    let Some(command) = arguments.command else { return help::welcome().map_or_else(report, done) };
    let result = match command {
        Command::New(arguments) => new::run(&arguments).map(done),
        Command::List => environments::list().map(done),
        Command::Describe(arguments) => describe::describe(&arguments).map(done),
        Command::Query(arguments) => query::run(&arguments).map(done),
        Command::Files(arguments) => files::run(&arguments),
        Command::Run(arguments) => run::run(arguments),
        Command::Serve(arguments) => serve::run(*arguments).map(done),
        Command::Mcp(arguments) => mcp::run(&arguments).map(done),
        Command::Token => token().map(done),
        Command::Check(arguments) => check::run(arguments),
        Command::CheckEnvironment(arguments) => check_environment::run(arguments),
        Command::Replay(arguments) => replay::run(&arguments),
        Command::Export(arguments) => export::run(&arguments).map(done),
        Command::Acl(arguments) => acl::run(&arguments),
        Command::Mail(arguments) => mail::run(arguments).map(done),
        Command::Completions { shell } => completions(shell).map(done),
    };
    result.unwrap_or_else(report)
}

fn token() -> anyhow::Result<()> {
    writeln!(io::stdout(), "{}", Token::random()?.as_str())?;
    Ok(())
}

/// Checks the text of a team file against the environments of a registry. As in [`main`], the registry of the first
/// call counts.
///
/// # Errors
/// Returns the first mistake, with its line and column.
pub fn check_team_file(text: &str, registry: impl FnOnce() -> Registry) -> Result<(), String> {
    environments::register(registry);
    TeamFile::parse(text).map(drop).map_err(|mistake| mistake.to_string())
}

/// Checks the text of a token file.
///
/// # Errors
/// Returns the first mistake.
pub fn check_token_file(text: &str) -> Result<(), String> {
    serve::access::read_tokens(text).map(drop).map_err(|mistake| format!("{mistake:#}"))
}

fn completions(shell: Shell) -> anyhow::Result<()> {
    // Buffered, because `generate` panics when a pipe is closed.
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut CommandLine::command(), program::name(), &mut script);
    io::stdout().write_all(&script)?;
    Ok(())
}

/// Prints an error to standard error and returns the exit code.
fn report(error: anyhow::Error) -> ExitCode {
    match error.downcast::<clap::Error>() {
        Ok(wrong_usage) => wrong_usage.exit(),
        // The reader of the output closed the pipe, which is not an error.
        Err(error) if error.chain().any(is_closed_pipe) => ExitCode::SUCCESS,
        Err(error) => {
            // If standard error is closed, the exit code still reports the failure.
            let _ = writeln!(io::stderr(), "error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Ignores that the reader of the output closed the pipe, for commands whose exit code is a verdict.
fn unless_closed(printed: io::Result<()>) -> io::Result<()> {
    printed.or_else(|error| if is_closed_pipe(&error) { Ok(()) } else { Err(error) })
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
