//! The index at the end of a complete recording, which lists the channels of each chunk, and the search for the
//! checkpoint at which a replay resumes.

use mcap::records::op;

use crate::channel::Channel;
use crate::entries::{Channels, Entries, MessagePlace, read_channel};
use crate::records::{Record, Records};
use crate::{Checkpoint, Entry, EpisodeBegun, RecordingError};

/// The index of a recording.
pub(crate) struct Index {
    pub(crate) channels: Channels,
    /// The chunks, in order of their positions.
    chunks: Vec<IndexedChunk>,
}

/// A chunk, as described in the index.
pub(crate) struct IndexedChunk {
    /// Its offset in the file.
    pub(crate) offset: u64,
    /// The numbers of the channels of its messages.
    channels: Vec<u16>,
}

impl Index {
    /// Reads the summary of a file; returns `None` if it lacks necessary information.
    pub(crate) fn read(records: &mut Records, summary: u64) -> Result<Option<Self>, RecordingError> {
        let mut index = Self { channels: Channels::new(), chunks: Vec::new() };
        records.seek(summary)?;
        while let Some(record) = records.next(&[op::CHANNEL, op::CHUNK_INDEX, op::FOOTER])? {
            let read = match record.kind {
                op::CHANNEL => read_channel(record.content).map(|(number, channel)| {
                    index.channels.insert(number, channel);
                }),
                op::CHUNK_INDEX => read_chunk(record).map(|chunk| index.chunks.push(chunk)),
                _ => break,
            };
            if read.is_none() {
                return Ok(None);
            }
        }
        index.chunks.sort_by_key(|chunk| chunk.offset);
        let says_channels = index.chunks.iter().any(|chunk| !chunk.channels.is_empty());
        Ok(says_channels.then_some(index))
    }

    /// Returns the offsets of all chunks, in order.
    pub(crate) fn offsets(&self) -> Vec<u64> {
        self.chunks.iter().map(|chunk| chunk.offset).collect()
    }

    /// Returns the chunks that have messages on a channel.
    pub(crate) fn chunks_with(&self, channel: Channel) -> impl Iterator<Item = &IndexedChunk> {
        let has = move |number: &u16| self.channels.get(number) == Some(&Some(channel));
        self.chunks.iter().filter(move |chunk| chunk.channels.iter().any(has))
    }
}

fn read_chunk(record: Record<'_>) -> Option<IndexedChunk> {
    let mut fields = record.fields();
    let (_begin, _end, offset, _length) = (fields.u64()?, fields.u64()?, fields.u64()?, fields.u64()?);
    let mut places = fields.block()?;
    let mut channels = Vec::new();
    while !places.is_empty() {
        let (channel, _place) = (places.u16()?, places.u64()?);
        channels.push(channel);
    }
    Some(IndexedChunk { offset, channels })
}

/// The point from which to continue.
pub(crate) struct Resumption {
    pub(crate) begun: EpisodeBegun,
    pub(crate) checkpoint: Checkpoint,
    /// The place of the message after the checkpoint.
    pub(crate) place: MessagePlace,
    /// The channels of the file, which are declared only at its beginning.
    pub(crate) channels: Channels,
}

/// Finds the last checkpoint of the last episode at or before a step. It reads only a few chunks, because the numbers
/// of episodes and steps increase through the file.
pub(crate) fn look_up(records: &mut Records, index: &Index, step: u64) -> Result<Option<Resumption>, RecordingError> {
    let mut chunks = Chunks { records, index };
    let Some(begun) = chunks.last_episode()? else { return Ok(None) };
    let Some(chunk) = chunks.last_before((begun.episode, step))? else { return Ok(None) };
    let mut found = None;
    chunks.each(chunk, Channel::Checkpoints, |entry, place| match entry {
        Entry::Checkpoint(one) if one.episode == begun.episode && one.step <= step => found = Some((one, place)),
        _ => {}
    })?;
    let channels = index.channels.clone();
    Ok(found.map(|(checkpoint, place)| Resumption { begun, checkpoint, place, channels }))
}

/// Finds the same checkpoint by reading the whole file.
pub(crate) fn search(mut entries: Entries<'_>, step: u64) -> Result<Option<Resumption>, RecordingError> {
    let (mut begun, mut found) = (None, None);
    while let Some(recorded) = entries.next().transpose()? {
        match recorded.entry {
            Entry::Episode(episode) => (begun, found) = (Some(episode), None),
            Entry::Checkpoint(one) if one.step <= step => found = Some((one, entries.place())),
            _ => {}
        }
    }
    let channels = entries.into_channels();
    let found = begun.zip(found);
    Ok(found.map(|(begun, (checkpoint, place))| Resumption { begun, checkpoint, place, channels }))
}

/// The chunks of a file, each of which can be read separately.
struct Chunks<'a> {
    records: &'a mut Records,
    index: &'a Index,
}

impl<'a> Chunks<'a> {
    fn last_episode(&mut self) -> Result<Option<EpisodeBegun>, RecordingError> {
        let mut last = None;
        if let Some(chunk) = self.index.chunks_with(Channel::Episode).last() {
            self.each(chunk, Channel::Episode, |entry, _| {
                if let Entry::Episode(begun) = entry {
                    last = Some(begun);
                }
            })?;
        }
        Ok(last)
    }

    /// Returns the last chunk with a checkpoint at or before this episode and step.
    fn last_before(&mut self, moment: (u64, u64)) -> Result<Option<&'a IndexedChunk>, RecordingError> {
        let chunks: Vec<&IndexedChunk> = self.index.chunks_with(Channel::Checkpoints).collect();
        let (mut low, mut high) = (0, chunks.len());
        while low < high {
            let middle = low.midpoint(high);
            if self.first_checkpoint(chunks[middle])?.is_some_and(|first| first > moment) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        Ok(low.checked_sub(1).map(|last| chunks[last]))
    }

    /// Returns the episode and step of the first checkpoint of a chunk.
    fn first_checkpoint(&mut self, chunk: &IndexedChunk) -> Result<Option<(u64, u64)>, RecordingError> {
        let mut first = None;
        self.each(chunk, Channel::Checkpoints, |entry, _| {
            if let Entry::Checkpoint(checkpoint) = entry {
                first.get_or_insert((checkpoint.episode, checkpoint.step));
            }
        })?;
        Ok(first)
    }

    /// Calls a function with each message of a chunk on a channel, and the place after it.
    fn each(
        &mut self,
        chunk: &IndexedChunk,
        channel: Channel,
        mut call: impl FnMut(Entry, MessagePlace),
    ) -> Result<(), RecordingError> {
        self.records.seek(chunk.offset)?;
        let mut entries =
            Entries::new(self.records, self.index.channels.clone()).only(channel).within_chunk(chunk.offset);
        while let Some(recorded) = entries.next().transpose()? {
            call(recorded.entry, entries.place());
        }
        Ok(())
    }
}
