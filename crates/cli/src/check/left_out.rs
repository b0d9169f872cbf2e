//! `situated check` in a build without the feature `conformance`: says how to get it.

use std::process::ExitCode;

use anyhow::bail;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[arg(allow_hyphen_values = true)]
    words: Vec<String>,
}

/// Returns an error.
pub(crate) fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let words = arguments.words.join(" ");
    bail!(
        "this build has no conformance suite for servers; use a released command, or build it from a clone: \
         cargo run --release --features conformance -- check {words}"
    )
}
