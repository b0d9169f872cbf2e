//! `situated replay`: runs a recording again and compares every state.

use std::io::{self, IsTerminal, Write};
use std::net::Ipv4Addr;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use clap::ValueEnum;
use indicatif::{ProgressBar, ProgressStyle};
use situated::interface::Moment;
use situated_acl::Message;
use situated_recording::{Entry, Recording, RecordingError, RemarkMade, Report, replay};
use situated_server::{PORT, Server, Settings};

use crate::arguments::PortArgument;
use crate::environments::{self, kinds};
use crate::serve::stop_signal;
use crate::unless_closed;

#[derive(clap::Args)]
#[command(mut_arg("port", |port| port.requires("page")), after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Recording made by `situated run --record`.
    file: PathBuf,
    /// Begin at the last checkpoint at or before this step of the last episode [default: the beginning].
    #[arg(long, value_name = "STEP")]
    from: Option<u64>,
    /// Then start a server whose page shows the messages and the calls of language models of the recording, until
    /// Ctrl-C.
    #[arg(long)]
    page: bool,
    #[command(flatten)]
    port: PortArgument,
    /// Format of the report.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Text for people.
    Text,
    /// JSON for programs.
    Json,
}

const EXAMPLES: &str = "\
Examples:
  situated run find-goals --quiet --record maze.mcap && situated replay maze.mcap
  situated replay maze.mcap --from 500
  situated replay maze.mcap --format json

Exit codes:
  0  the replay agrees with the recording
  1  it differs, or could not be made";

/// Replays a recording. The exit code says whether the replay agrees.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let Arguments { file, from, format, .. } = arguments;
    let name = || format!("cannot replay `{}`", file.display());
    let mut recording = Recording::open(file)?;
    let bar = progress();
    let make = |environment: &str| environments::find(environment).map(|registered| (registered.interface)());
    let report = replay(&mut recording, make, *from, |step, _| bar.set_position(step));
    bar.finish_and_clear();
    let agrees = match report {
        // Its messages can be shown anyway.
        Err(error @ RecordingError::Hosted { .. }) if arguments.page => {
            eprintln!("warning: {error}");
            true
        }
        report => {
            let report = report.with_context(name)?;
            unless_closed(print(&report, *format))?;
            report.agrees()
        }
    };
    if arguments.page {
        show(&mut recording, arguments.port.or(PORT)).with_context(name)?;
    }
    Ok(if agrees { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Shows the messages and remarks of a recording on the page of a server, until a signal stops it.
fn show(recording: &mut Recording, port: u16) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let settings = Settings { address: (Ipv4Addr::LOCALHOST, port).into(), ..Settings::default() };
        let server = Server::bind(settings, kinds()).await?;
        let environment = recording.beginning()?.map(|begun| begun.environment).unwrap_or_default();
        for recorded in recording.entries()? {
            match recorded?.entry {
                Entry::Message(sent) => {
                    server.hub().conversations().recall(Message::try_from(*sent.message)?, sent.violations, sent.time);
                }
                Entry::Remark(RemarkMade { episode, step, time, agent, remark }) => {
                    let moment = Moment { episode, step, time };
                    server.hub().recall_remark(&environment, moment, agent, remark, time);
                }
                _ => {}
            }
        }
        // A signal that arrives as soon as the address is printed must count, too.
        let stop = stop_signal()?;
        eprintln!("Page: http://{}/#messages", server.address());
        server.serve(stop).await;
        Ok(())
    })
}

fn print(report: &Report, format: Format) -> io::Result<()> {
    let mut out = io::stdout().lock();
    match format {
        Format::Text => writeln!(out, "{}", report.to_string().trim_end()),
        Format::Json => {
            serde_json::to_writer(&mut out, report)?;
            writeln!(out)
        }
    }
}

/// Shows the current step on a terminal. The total number of steps is not known in advance.
fn progress() -> ProgressBar {
    if !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{spinner} step {pos}, {per_sec}");
    ProgressBar::no_length().with_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()))
}
