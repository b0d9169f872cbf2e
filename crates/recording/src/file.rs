//! Reading a recording.

use std::fmt;
use std::fs::File;
use std::io::{Read, Seek};
use std::path::Path;

use mcap::records::op;

use crate::channel::Channel;
use crate::entries::{Channels, Entries, MessagePlace};
use crate::index::{Index, Resumption, look_up, search};
use crate::records::{Records, damaged};
use crate::{Entry, EpisodeBegun, PROFILE, RecordingError};

/// A recording, opened for reading. Only parts of it are in memory.
///
/// If the file was truncated, it is read up to its last whole chunk; see [`complete`](Self::complete). A complete file
/// that lacks a chunk is an error. Messages of more than [`ENTRY_LIMIT`](crate::ENTRY_LIMIT) bytes are an error, and so
/// are chunks that are more than 1 MiB larger than that.
pub struct Recording {
    records: Records,
    library: String,
    /// `None` if the file has no index, so the whole file must be searched.
    index: Option<Index>,
}

impl fmt::Debug for Recording {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (library, complete) = (&self.library, self.complete());
        f.debug_struct("Recording").field("library", library).field("complete", &complete).finish_non_exhaustive()
    }
}

impl Recording {
    /// Opens a file.
    ///
    /// # Errors
    /// Returns an error if it cannot be read, is not an MCAP file, or is not a recording of situated.
    pub fn open(path: &Path) -> Result<Self, RecordingError> {
        let file = File::open(path).map_err(|reason| RecordingError::Open { path: path.into(), reason })?;
        Self::from_reader(file)
    }

    /// Reads a file that is not on a disk. Data that are appended later are not read.
    ///
    /// # Errors
    /// Returns an error as [`open`](Self::open) does.
    pub fn from_reader(source: impl Read + Seek + Send + 'static) -> Result<Self, RecordingError> {
        let mut records = Records::open(Box::new(source))?;
        let library = read_library(&mut records)?;
        let index = match records.summary() {
            Some(place) if place > 0 => Index::read(&mut records, place)?,
            _ => None,
        };
        if let Some(index) = &index {
            records.expect_chunks(index.offsets());
        }
        Ok(Self { records, library, index })
    }

    /// Returns the program that wrote the file: `situated 0.1.0`.
    pub fn library(&self) -> &str {
        &self.library
    }

    /// Returns whether the file is complete. An incomplete file lacks its end: the writer crashed or is still
    /// writing, or the file was truncated.
    pub fn complete(&self) -> bool {
        self.records.summary().is_some()
    }

    /// Returns all messages, in the order in which they were written.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read. Each message can be an error, if the file is damaged there or the
    /// message does not match its schema; then it is the last one.
    pub fn entries(&mut self) -> Result<Entries<'_>, RecordingError> {
        self.records.rewind()?;
        Ok(Entries::new(&mut self.records, Channels::new()))
    }

    /// Returns the beginning of the first episode; `None` without an episode.
    ///
    /// # Errors
    /// Returns an error as [`entries`](Self::entries) does.
    pub fn beginning(&mut self) -> Result<Option<EpisodeBegun>, RecordingError> {
        let mut entries = self.entries()?.only(Channel::Episode);
        match entries.next().transpose()?.map(|recorded| recorded.entry) {
            Some(Entry::Episode(begun)) => Ok(Some(begun)),
            _ => Ok(None),
        }
    }

    /// Returns the last checkpoint of the last episode at or before a step, or `None`.
    pub(crate) fn resumption(&mut self, step: u64) -> Result<Option<Resumption>, RecordingError> {
        match &self.index {
            Some(index) => look_up(&mut self.records, index, step),
            None => search(self.entries()?, step),
        }
    }

    /// Returns the messages from a place on.
    pub(crate) fn entries_from(
        &mut self,
        place: MessagePlace,
        channels: Channels,
    ) -> Result<Entries<'_>, RecordingError> {
        self.records.seek(place.chunk)?;
        let mut entries = Entries::new(&mut self.records, channels);
        while entries.place() != place {
            if entries.next().transpose()?.is_none() {
                break;
            }
        }
        Ok(entries)
    }
}

/// Returns the program that wrote the file, if it is a recording.
fn read_library(records: &mut Records) -> Result<String, RecordingError> {
    records.rewind()?;
    let header = records.next(&[op::HEADER])?;
    let header = header.ok_or_else(|| damaged(0, "it ends before its header, so that nothing is recorded"))?;
    let mut fields = header.fields();
    let (profile, library) = fields.text().zip(fields.text()).ok_or_else(|| header.damaged("a broken header"))?;
    if profile != PROFILE {
        return Err(RecordingError::Foreign { profile: profile.into(), library: library.into() });
    }
    Ok(library.into())
}
