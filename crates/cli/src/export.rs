//! `situated export`: a recording as lines of JSON, as a table, or as an animated picture.

use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use anyhow::{Context, bail};
use clap::ValueEnum;
use situated::ontology::Pace;
use situated_recording::{CSV_COLUMNS, ExportFormat, Recording, RecordingError, export, replay};
use situated_render::Animation;
use situated_runtime::Speed;

use crate::program;
use crate::{environments, table};

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

/// Scenes per second of an animation, at most. Between them, shapes move on straight lines.
const SMOOTH: f64 = 25.0;

/// Steps per second of an animation of an environment without a speed of its own.
const DEFAULT_SPEED: f64 = 10.0;

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
        Format::Svg => out.write_all(animated(&mut recording, *speed).with_context(name)?.as_bytes())?,
    }
    out.flush()?;
    Ok(())
}

/// Replays a recording and draws it.
fn animated(recording: &mut Recording, speed: Option<Speed>) -> anyhow::Result<String> {
    let begun = recording.beginning()?.ok_or(RecordingError::NoEpisode)?;
    let own = match begun.pace {
        Pace::RealTime { steps_per_second } => steps_per_second,
        Pace::Reactive | Pace::Lockstep | Pace::Own => DEFAULT_SPEED,
    };
    let speed = speed.map_or(Some(own), Speed::steps_per_second).context("an animation needs a speed below `max`")?;
    let stride = (speed / SMOOTH).round().max(1.0);
    let mut animation = Animation::new(stride / speed);
    let mut skipped = None;
    let make = |environment: &str| environments::find(environment).map(|registered| (registered.interface)());
    let report = replay(recording, make, None, |step, environment| {
        // Another episode begins, so the last scene was the end of one.
        if let Some(end) = skipped.take().filter(|_| step == 0) {
            animation.add(&end);
        }
        match environment.scene(None) {
            Ok(scene) if step.is_multiple_of(stride as u64) => animation.add(&scene),
            scene => skipped = scene.ok(),
        }
    })?;
    if let Some(end) = skipped {
        animation.add(&end);
    }
    if !report.agrees() {
        bail!("its replay differs from the recording; `{} replay` shows where", program::name());
    }
    if report.steps == 0 {
        bail!("it has no steps to draw");
    }
    Ok(animation.svg())
}

/// Explains the columns of the table, for the help.
fn forms() -> String {
    let columns = CSV_COLUMNS.map(|(name, meaning)| [name.to_owned(), meaning.to_owned()]);
    format!("The columns of the table:\n{}", table::render(&columns, 2, 100))
}
