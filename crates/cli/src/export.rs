//! `situated export`: a recording as lines of JSON, as a table, or as an animated picture.

mod drawing;

use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use anyhow::Context;
use clap::ValueEnum;
use situated_recording::{CSV_COLUMNS, ExportFormat, Recording, export};
use situated_runtime::Speed;

use crate::table;

#[derive(clap::Args)]
#[command(after_help = EXAMPLES, after_long_help = format!("{EXAMPLES}\n\n{}", forms()))]
pub(crate) struct Arguments {
    /// Recording made by `situated run --record`.
    file: PathBuf,
    /// Output format.
    #[arg(long, value_enum)]
    format: Format,
    /// Steps per second in the animated picture [default: as in real time, or 10].
    #[arg(long, value_name = "HZ", allow_negative_numbers = true)]
    speed: Option<Speed>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// JSON, one object per line for each message.
    Jsonl,
    /// Table with a row for each action, percept, other input and result.
    Csv,
    /// Animated picture (SVG) of the whole environment; plays in browsers and on web pages, without scripts.
    Svg,
}

const EXAMPLES: &str = "\
Examples:
  situated run find-goals --quiet --steps 50 --record run.mcap
  situated export run.mcap --format csv > run.csv
  situated export run.mcap --format jsonl | head -n 3
  situated export run.mcap --format svg --speed 5 > run.svg";

/// Writes a recording to standard output.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let Arguments { file, format, speed } = arguments;
    let name = || format!("cannot export `{}`", file.display());
    let mut recording = Recording::open(file)?;
    if !recording.complete() {
        eprintln!("warning: `{}` is incomplete; the export ends where it ends", file.display());
    }
    let mut out = BufWriter::new(io::stdout().lock());
    match format {
        Format::Jsonl => drop(export(&mut recording, ExportFormat::Jsonl, &mut out).with_context(name)?),
        Format::Csv => drop(export(&mut recording, ExportFormat::Csv, &mut out).with_context(name)?),
        Format::Svg => out.write_all(drawing::animated(&mut recording, *speed).with_context(name)?.as_bytes())?,
    }
    out.flush()?;
    Ok(())
}

/// Explains the columns of the table, for the help.
fn forms() -> String {
    let columns = CSV_COLUMNS.map(|(name, meaning)| [name.to_owned(), meaning.to_owned()]);
    format!("The columns of the table:\n{}", table::render(&columns, 2, 100))
}
