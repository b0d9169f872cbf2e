//! `situated export`: a recording as lines of JSON or as a table.

use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use anyhow::Context;
use clap::ValueEnum;
use situated_recording::{CSV_COLUMNS, ExportFormat, Recording, export};

use crate::table;

#[derive(clap::Args)]
#[command(after_help = EXAMPLES, after_long_help = format!("{EXAMPLES}\n\n{}", forms()))]
pub(crate) struct Arguments {
    /// The recording that `situated run --record` has made.
    file: PathBuf,
    /// In which form.
    #[arg(long, value_enum)]
    format: Format,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// One JSON object a message.
    Jsonl,
    /// A table with a row for each action, each percept told, each input and each result.
    Csv,
}

const EXAMPLES: &str = "\
Examples:
  situated run find-goals --quiet --steps 50 --record run.mcap
  situated export run.mcap --format csv > run.csv
  situated export run.mcap --format jsonl | head -n 3";

/// Writes a recording to the standard output.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let Arguments { file, format } = arguments;
    let name = || format!("cannot export `{}`", file.display());
    let mut recording = Recording::open(file)?;
    if !recording.complete() {
        eprintln!("warning: `{}` was cut off; this is what there is of it", file.display());
    }
    let format = match format {
        Format::Jsonl => ExportFormat::Jsonl,
        Format::Csv => ExportFormat::Csv,
    };
    let mut out = BufWriter::new(io::stdout().lock());
    export(&mut recording, format, &mut out).with_context(name)?;
    out.flush()?;
    Ok(())
}

/// What the rows of the table are, for the help.
fn forms() -> String {
    let columns = CSV_COLUMNS.map(|(name, meaning)| [name.to_owned(), meaning.to_owned()]);
    format!("The columns of the table:\n{}", table::render(&columns, 2, 100))
}
