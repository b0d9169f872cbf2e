//! The index at the end of a complete recording: which chunk has messages on which channels.

use mcap::records::op;

use super::RecordingError;
use super::messages::{Channels, read_channel};
use super::records::{Record, Records};
use super::schemas::Channel;

/// The index of a recording.
pub(super) struct Index {
    pub(super) channels: Channels,
    /// In order of their places.
    chunks: Vec<IndexedChunk>,
}

/// A chunk, as the index knows it.
pub(super) struct IndexedChunk {
    /// Where it begins in the file.
    pub(super) offset: u64,
    /// The numbers of the channels that it has messages on.
    channels: Vec<u16>,
}

impl Index {
    /// Reads the summary of a file; none if it does not say what is needed.
    pub(super) fn read(records: &mut Records, summary: u64) -> Result<Option<Self>, RecordingError> {
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

    /// The chunks that have messages on a channel.
    pub(super) fn chunks_with(&self, channel: Channel) -> impl Iterator<Item = &IndexedChunk> {
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
