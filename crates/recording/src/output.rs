//! Writes the MCAP file of a recorder, so that it lacks at most the last half second if the process ends.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::thread;
use std::time::Duration;

use mcap::records::MessageHeader;
use mcap::write::NoSeek;
use mcap::{Compression, McapError, WriteOptions, Writer};
use serde::Serialize;
use situated_runtime::Time;

use crate::channel::Channel;
use crate::{ENTRY_LIMIT, PROFILE, RecordingError};

/// Maximum time until a message is passed to the operating system.
const WAIT: Duration = Duration::from_millis(500);

/// Interval at which the thread of a [`SharedOutput`] checks for messages. It flushes messages that it finds twice,
/// so within a second.
const LOOK: Duration = Duration::from_millis(400);

/// A chunk is ended when it is larger than this, in bytes before compression.
const CHUNK_SIZE: u64 = 256 << 10;

/// The library that the file names as its writer.
const LIBRARY: &str = concat!("situated ", env!("CARGO_PKG_VERSION"));

type File = Writer<NoSeek<Box<dyn Write + Send>>>;

/// An MCAP file that is being written, until the first error.
pub(crate) struct Output {
    /// `None` after an error.
    file: Option<File>,
    error: Option<RecordingError>,
    /// The numbers of the channels in the file.
    channels: [u16; Channel::ALL.len()],
    message: Vec<u8>,
    sequence: u32,
    log_time: u64,
    /// The time at which written messages must be flushed; `None` if all are.
    flush_at: Option<Duration>,
}

impl Output {
    /// Writes the beginning of a file.
    pub(crate) fn begin(out: Box<dyn Write + Send>) -> Result<Self, RecordingError> {
        let (file, channels) = begin(out).map_err(failed)?;
        let message = Vec::with_capacity(1024);
        Ok(Self { file: Some(file), error: None, channels, message, sequence: 0, log_time: 0, flush_at: None })
    }

    /// Appends a message.
    pub(crate) fn write(&mut self, channel: Channel, message: &impl Serialize, now: Time) {
        self.write_within(usize::MAX, channel, message, now);
    }

    /// Appends a message if it has at most this many bytes. Returns its size, or `None` if it is larger.
    pub(crate) fn write_within(
        &mut self,
        room: usize,
        channel: Channel,
        message: &impl Serialize,
        now: Time,
    ) -> Option<usize> {
        if self.file.is_none() {
            return Some(0);
        }
        self.message.clear();
        let written =
            serde_json::to_writer(&mut self.message, message).map_err(|error| RecordingError::Write(error.into()));
        let bytes = self.message.len();
        if bytes > room {
            return None;
        }
        let result = written.and_then(|()| self.append(channel, now));
        self.keep(result);
        self.flush_if_due(now);
        Some(bytes)
    }

    /// Returns the monotonic time at which to call [`flush_if_due`](Self::flush_if_due).
    pub(crate) fn deadline(&self) -> Option<Duration> {
        self.flush_at
    }

    /// Flushes written messages if they have waited long enough.
    pub(crate) fn flush_if_due(&mut self, now: Time) {
        if self.flush_at.is_some_and(|at| at <= now.monotonic) {
            self.flush();
        }
    }

    /// Ends the chunk and passes everything to the operating system.
    pub(crate) fn flush(&mut self) {
        self.flush_at = None;
        if let Some(file) = &mut self.file {
            let result = file.flush().map_err(failed);
            self.keep(result);
        }
    }

    /// Ends the file; readers recognise a complete file by its end.
    pub(crate) fn finish(&mut self) -> Result<(), RecordingError> {
        self.flush_at = None;
        if let Some(mut file) = self.file.take() {
            file.finish().map_err(failed)?;
        }
        self.error.take().map_or(Ok(()), Err)
    }

    pub(crate) fn error(&self) -> Option<&RecordingError> {
        self.error.as_ref()
    }

    fn append(&mut self, channel: Channel, now: Time) -> Result<(), RecordingError> {
        let bytes = self.message.len();
        if bytes > ENTRY_LIMIT {
            return Err(RecordingError::TooLarge { channel: channel.topic(), bytes });
        }
        // The wall clock can be set back, but log times must not decrease.
        self.log_time = self.log_time.max(now.wall.saturating_mul(1_000_000));
        let header = MessageHeader {
            channel_id: self.channels[channel as usize],
            sequence: self.sequence,
            log_time: self.log_time,
            publish_time: self.log_time,
        };
        if let Some(file) = &mut self.file {
            file.write_to_known_channel(&header, &self.message).map_err(failed)?;
        }
        self.sequence = self.sequence.wrapping_add(1);
        self.flush_at.get_or_insert(now.monotonic + WAIT);
        Ok(())
    }

    /// Stops writing at the first error.
    fn keep(&mut self, result: Result<(), RecordingError>) {
        if let Err(error) = result {
            self.error = Some(error);
            self.abandon();
        }
    }

    /// Drops the file without the end of a complete file, which the writer would otherwise add.
    fn abandon(&mut self) {
        self.flush_at = None;
        if let Some(file) = self.file.take() {
            drop(file.into_inner());
        }
    }
}

/// A recording that was not finished stays readable, and is marked as incomplete.
impl Drop for Output {
    fn drop(&mut self) {
        self.flush();
        self.abandon();
    }
}

/// An output that is shared with a thread. The thread flushes messages while no other call does, for example during a
/// long step.
pub(crate) struct SharedOutput(Arc<Mutex<Output>>);

impl SharedOutput {
    pub(crate) fn new(output: Output) -> Self {
        Self(Arc::new(Mutex::new(output)))
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, Output> {
        lock(&self.0)
    }

    /// Starts a thread that flushes waiting messages until this value is dropped.
    ///
    /// # Errors
    /// Returns an error if the system cannot start a thread.
    pub(crate) fn watch(&self) -> io::Result<()> {
        let output = Arc::downgrade(&self.0);
        thread::Builder::new().name("recording".into()).spawn(move || flush_regularly(&output)).map(drop)
    }
}

fn flush_regularly(output: &Weak<Mutex<Output>>) {
    let mut found = None;
    loop {
        thread::sleep(LOOK);
        let Some(output) = output.upgrade() else { return };
        let mut output = lock(&output);
        let waits = output.deadline();
        if waits.is_some() && waits == found {
            output.flush();
        }
        found = output.deadline();
    }
}

/// An output is always in a consistent state, even if a thread panics.
fn lock(output: &Mutex<Output>) -> MutexGuard<'_, Output> {
    output.lock().unwrap_or_else(PoisonError::into_inner)
}

fn begin(out: Box<dyn Write + Send>) -> Result<(File, [u16; Channel::ALL.len()]), McapError> {
    let options = WriteOptions::new()
        .profile(PROFILE)
        .library(LIBRARY)
        .compression(Some(Compression::Zstd))
        .compression_threads(0)
        .chunk_size(Some(CHUNK_SIZE))
        // A chunk is written only when it is whole, so that no file has a broken one in its middle.
        .disable_seeking(true);
    let mut file = options.create(NoSeek::new(out))?;
    file.flush()?;
    let mut channels = [0; Channel::ALL.len()];
    for channel in Channel::ALL {
        let (topic, name, schema) = channel.declared();
        let schema = file.add_schema(name, "jsonschema", schema.as_bytes())?;
        channels[channel as usize] = file.add_channel(schema, topic, "json", &BTreeMap::new())?;
    }
    Ok((file, channels))
}

fn failed(error: McapError) -> RecordingError {
    RecordingError::Write(match error {
        McapError::Io(error) => error,
        other => io::Error::other(other),
    })
}
