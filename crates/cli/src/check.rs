//! `situated check`: tests whether a server, or the host of an environment, conforms to the wire protocol.

use std::io::{self, IsTerminal};
use std::process::ExitCode;

use clap::error::ErrorKind;
use situated_checker::server::{Address, Check, Plan, Unreachable, Verified, checks, checks_of_hosts};
use situated_server::PORT;

use crate::connected_host::wait_for_host;
use crate::table;

#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Address of the server: ws://HOST:PORT/ws or tcp://HOST:PORT.
    #[arg(value_name = "URL", required_unless_present_any = ["list", "host"])]
    server: Option<Address>,
    /// Test the host of an environment instead: starts a server and waits for the host to connect.
    #[arg(long, conflicts_with_all = ["server", "token", "manager_token", "kind"])]
    host: bool,
    /// Port that the host connects to; 0 means any free port [default: 7467].
    #[arg(long, value_name = "N", requires = "host")]
    port: Option<u16>,
    /// Token with the right to act, if the server requires tokens.
    #[arg(long, value_name = "TOKEN")]
    token: Option<String>,
    /// Token with the right to manage. With it, each check creates an environment of its own.
    #[arg(long, value_name = "TOKEN")]
    manager_token: Option<String>,
    /// Kind of environment to create [default: the first one that the server lists].
    #[arg(long, value_name = "KIND")]
    kind: Option<String>,
    /// Run only checks whose names begin with this text; can be repeated.
    #[arg(long, value_name = "NAME")]
    only: Vec<String>,
    /// List the checks without running them.
    #[arg(long)]
    list: bool,
    /// Print a report for programs (JSON).
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  situated check --list
  situated check --list --only sessions

Check a server that is already running:
  situated check ws://127.0.0.1:7467/ws
  situated check tcp://127.0.0.1:7467 --only perceiving --json

Check the host of an environment, which must connect to the address that the command prints:
  situated check --list --host

Exit codes:
  0  no check failed; checks that do not apply are skipped
  1  a check failed, or the server or host could not be reached
  2  wrong usage";

/// Runs the checks and prints the results.
pub(crate) fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    if arguments.list {
        return list(&arguments).map(|()| ExitCode::SUCCESS);
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let mut plan = match arguments.server {
        Some(server) => Plan::new(server),
        None => {
            let host = runtime.block_on(wait_for_host(arguments.port.unwrap_or(PORT)))?;
            let mut plan = Plan::new(host.server.parse()?);
            plan.hosted = Some(host.environment);
            plan
        }
    };
    (plan.token, plan.manager_token) = (arguments.token, arguments.manager_token);
    (plan.kind, plan.only) = (arguments.kind, arguments.only);
    let progress = io::stderr().is_terminal();
    let checked = runtime.block_on(situated_checker::server::run(&plan, |one| {
        if progress {
            eprint!("\r\x1b[K{}", one.name);
        }
    }));
    if progress {
        eprint!("\r\x1b[K");
    }
    let report = checked.map_err(unreachable)?;
    let row = |check: &Verified| [check.verdict.word().to_owned(), check.name.to_owned(), check.explanation()];
    let rows: Vec<_> = report.checks.iter().map(row).collect();
    let details: String = report.checks.iter().map(Verified::details).collect();
    let text = || table::verdicts(&rows) + &details + &format!("\n{}\n", report.summary());
    table::print_report(&report, arguments.json, text, report.passed())
}

fn list(arguments: &Arguments) -> anyhow::Result<()> {
    let is_wanted = |check: &&Check| {
        arguments.only.is_empty() || arguments.only.iter().any(|only| check.name.starts_with(only.as_str()))
    };
    let checks = if arguments.host { checks_of_hosts() } else { checks() };
    let rows = checks.iter().filter(is_wanted);
    let rows = rows.map(|check| [check.name.to_owned(), format!("{} ({})", check.rule, check.section)]);
    table::print(["CHECK", "WHAT MUST BE TRUE"], rows)?;
    Ok(())
}

/// An unknown check is wrong usage; a server that cannot be reached is a failure.
fn unreachable(error: Unreachable) -> anyhow::Error {
    match error {
        Unreachable::Connect { .. } | Unreachable::Token { .. } => error.into(),
        _ => clap::Error::raw(ErrorKind::ValueValidation, format!("{error}\n")).into(),
    }
}
