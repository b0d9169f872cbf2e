//! Recordings: files that contain episodes. A [`McapRecorder`] writes a file, a [`Recording`] reads it, [`replay`]
//! runs it again and compares, [`export`] converts it to lines of JSON or a table.
//!
//! A recording is an MCAP file. Each [`Entry`] is one of its messages: JSON on a channel that has a schema. The inputs
//! of the environment are enough to run the episode again; percepts are recorded for people.

mod channel;
mod difference;
mod entries;
mod entry;
mod export;
mod file;
mod index;
mod output;
mod recorder;
mod records;
mod replay;
mod report;
mod scenes;

use std::io;
use std::path::PathBuf;

pub use difference::{Differences, ValueDifference};
pub use entries::Entries;
pub use entry::{
    Acted, Checkpoint, Crash, Entry, EpisodeBegun, EpisodeOutcome, InputGiven, MessageSent, PerceptsTold, Recorded,
    RemarkMade, SceneChanged,
};
pub use export::{CSV_COLUMNS, ExportFormat, export};
pub use file::Recording;
pub use recorder::{McapRecorder, RecorderSettings};
pub use replay::replay;
pub use report::{Difference, Disagreement, Point, Report, Versions};
pub use scenes::SCENE_LIMIT;

/// The profile in the header of recordings.
const PROFILE: &str = "situated";

/// The largest size of an entry, in bytes. Readers refuse larger ones, so recorders do not write them.
pub const ENTRY_LIMIT: usize = 64 << 20;

/// The reason why a recording cannot be written or read.
#[derive(Debug, thiserror::Error)]
pub enum RecordingError {
    /// The file already exists.
    #[error("`{}` exists already, and recordings are not overwritten; name another file, or remove it first", path.display())]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// The file cannot be opened.
    #[error("`{}` cannot be opened: {reason}", path.display())]
    Open {
        /// The file.
        path: PathBuf,
        /// The reason.
        reason: io::Error,
    },
    /// The file cannot be written, and is incomplete from then on.
    #[error("the recording could not be written: {0}; it ends with what was written before")]
    Write(io::Error),
    /// A message is larger than the limit of readers; nothing has been recorded since.
    #[error(
        "a message on {channel} has {bytes} bytes, and a recording takes at most {ENTRY_LIMIT}; it ends before that \
         message"
    )]
    TooLarge {
        /// The channel.
        channel: &'static str,
        /// The size of the message.
        bytes: usize,
    },
    /// The file cannot be read.
    #[error("the recording could not be read: {0}")]
    Read(io::Error),
    /// It is not an MCAP file.
    #[error("this is not an MCAP file, as recordings are")]
    NotMcap,
    /// It is an MCAP file of another program.
    #[error(
        "this MCAP file is not a recording of situated: its profile is `{profile}`, not `{PROFILE}`, and it was written by \
         `{library}`"
    )]
    Foreign {
        /// The profile in the file.
        profile: String,
        /// The program that wrote it.
        library: String,
    },
    /// A part of the file is damaged.
    #[error("the recording is damaged at byte {offset}: {reason}")]
    Damaged {
        /// The offset of the damaged record in bytes.
        offset: u64,
        /// The problem.
        reason: String,
    },
    /// A message does not conform to its schema.
    #[error("message {sequence} of the recording, on {channel}, is not what its schema says: {reason}")]
    Entry {
        /// The channel.
        channel: &'static str,
        /// The number of the message in the file.
        sequence: u32,
        /// The problem.
        reason: String,
    },
    /// The recording contains no episode.
    #[error("there is nothing to replay: no episode has begun in this recording")]
    NoEpisode,
    /// The recording contains no checkpoint.
    #[error(
        "the last episode of this recording has no checkpoint at or before step {step}; replay it from the beginning"
    )]
    NoCheckpoint {
        /// The requested step.
        step: u64,
    },
    /// The last episode ends before the requested step.
    #[error("the last episode of this recording ends with step {last}, before step {step}; name an earlier step")]
    BeyondEnd {
        /// The requested step.
        step: u64,
        /// The last step.
        last: u64,
    },
    /// The environment of the recording is unknown here.
    #[error("the recording is one of environment `{environment}`, which is not known here")]
    UnknownEnvironment {
        /// The environment's name.
        environment: String,
    },
    /// A host ran the environment, so it cannot be replayed.
    #[error(
        "environment `{environment}` was run elsewhere, by a host, when this was recorded: it cannot be run again from \
         the recording; an export lists what has happened, and draws it if the host reported scenes"
    )]
    Hosted {
        /// The environment's name.
        environment: String,
    },
    /// The state in a checkpoint cannot be loaded.
    #[error("the state recorded at step {step} cannot be loaded: {reason}; replay the recording from the beginning")]
    State {
        /// The step of the checkpoint.
        step: u64,
        /// The reason.
        reason: Box<situated::interface::Error>,
    },
    /// The export could not be written.
    #[error("the export could not be written")]
    Export(#[source] io::Error),
}
