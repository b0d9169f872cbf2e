//! Finding the checkpoint from which to go on.

use super::index::{Index, IndexedChunk};
use super::messages::{Channels, Messages, Place};
use super::records::Records;
use super::schemas::Channel;
use super::{Checkpoint, EpisodeBegun, Message, RecordingError};

/// From where to go on.
pub(super) struct Resumption {
    pub(super) begun: EpisodeBegun,
    pub(super) checkpoint: Checkpoint,
    /// The place of the message after the checkpoint.
    pub(super) place: Place,
    /// The channels of the file, which it declares at its beginning only.
    pub(super) channels: Channels,
}

/// Finds the last checkpoint of the last episode at or before a step by looking into few chunks: the numbers of episodes
/// and steps grow through the file.
pub(super) fn look_up(records: &mut Records, index: &Index, step: u64) -> Result<Option<Resumption>, RecordingError> {
    let mut chunks = Chunks { records, index };
    let Some(begun) = chunks.last_episode()? else { return Ok(None) };
    let Some(chunk) = chunks.last_before((begun.episode, step))? else { return Ok(None) };
    let mut found = None;
    chunks.each(chunk, Channel::Checkpoints, |message, place| match message {
        Message::Checkpoint(one) if one.episode == begun.episode && one.step <= step => found = Some((one, place)),
        _ => {}
    })?;
    let channels = index.channels.clone();
    Ok(found.map(|(checkpoint, place)| Resumption { begun, checkpoint, place, channels }))
}

/// Finds the same by reading everything.
pub(super) fn search(mut messages: Messages<'_>, step: u64) -> Result<Option<Resumption>, RecordingError> {
    let (mut begun, mut found) = (None, None);
    while let Some(recorded) = messages.next().transpose()? {
        match recorded.message {
            Message::Episode(episode) => (begun, found) = (Some(episode), None),
            Message::Checkpoint(one) if one.step <= step => found = Some((one, messages.place())),
            _ => {}
        }
    }
    let channels = messages.into_channels();
    let found = begun.zip(found);
    Ok(found.map(|(begun, (checkpoint, place))| Resumption { begun, checkpoint, place, channels }))
}

/// The chunks of a file, each of which can be read by itself.
struct Chunks<'a> {
    records: &'a mut Records,
    index: &'a Index,
}

impl<'a> Chunks<'a> {
    fn last_episode(&mut self) -> Result<Option<EpisodeBegun>, RecordingError> {
        let mut last = None;
        if let Some(chunk) = self.index.chunks_with(Channel::Episode).last() {
            self.each(chunk, Channel::Episode, |message, _| {
                if let Message::Episode(begun) = message {
                    last = Some(begun);
                }
            })?;
        }
        Ok(last)
    }

    /// The last chunk with a checkpoint at or before this episode and step.
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

    /// The episode and step of a chunk's first checkpoint.
    fn first_checkpoint(&mut self, chunk: &IndexedChunk) -> Result<Option<(u64, u64)>, RecordingError> {
        let mut first = None;
        self.each(chunk, Channel::Checkpoints, |message, _| {
            if let Message::Checkpoint(checkpoint) = message {
                first.get_or_insert((checkpoint.episode, checkpoint.step));
            }
        })?;
        Ok(first)
    }

    /// Calls with each message of a chunk on a channel, and the place after it.
    fn each(
        &mut self,
        chunk: &IndexedChunk,
        channel: Channel,
        mut call: impl FnMut(Message, Place),
    ) -> Result<(), RecordingError> {
        self.records.seek(chunk.offset)?;
        let mut messages =
            Messages::new(self.records, self.index.channels.clone()).only(channel).within_chunk(chunk.offset);
        while let Some(recorded) = messages.next().transpose()? {
            call(recorded.message, messages.place());
        }
        Ok(())
    }
}
