//! Reads the messages of a recording in order. One chunk of them is in memory at a time.

use std::collections::HashMap;

use mcap::records::op;
use mcap::sans_io::{LinearReadEvent, LinearReader, LinearReaderOptions};
use serde::de::DeserializeOwned;
use situated::reading;

use crate::channel::Channel;
use crate::records::{Fields, RECORD_LIMIT, Record, Records, damaged};
use crate::{Entry, Recorded, RecordingError};

/// Records that contain messages, or after which there are none.
const KINDS: [u8; 5] = [op::CHUNK, op::CHANNEL, op::MESSAGE, op::DATA_END, op::FOOTER];

/// The messages of a recording, in order. They end with the last whole chunk, or with the first error.
pub struct Entries<'a> {
    records: &'a mut Records,
    /// Takes chunks apart, one record at a time.
    chunks: LinearReader,
    channels: Channels,
    /// If set, messages on other channels are skipped.
    only: Option<Channel>,
    /// If set, the messages end with the chunk that begins at this position.
    within: Option<u64>,
    place: MessagePlace,
    over: bool,
}

/// The channels by their numbers in the file; `None` for unknown channels.
pub(crate) type Channels = HashMap<u16, Option<Channel>>;

/// The place of a message in a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct MessagePlace {
    /// The position of its chunk.
    pub(crate) chunk: u64,
    /// The number of messages before it in the chunk, including skipped ones.
    pub(crate) before: usize,
}

impl Iterator for Entries<'_> {
    type Item = Result<Recorded, RecordingError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.over {
            return None;
        }
        let next = self.advance().transpose();
        self.over = !matches!(next, Some(Ok(_)));
        next
    }
}

impl<'a> Entries<'a> {
    /// Reads entries from the current position of the records.
    pub(crate) fn new(records: &'a mut Records, channels: Channels) -> Self {
        let options = LinearReaderOptions::default()
            .with_skip_start_magic(true)
            .with_skip_end_magic(true)
            .with_prevalidate_chunk_crcs(true)
            .with_record_length_limit(RECORD_LIMIT);
        let chunks = LinearReader::new_with_options(options);
        Self { records, chunks, channels, only: None, within: None, place: MessagePlace::default(), over: false }
    }

    /// Restricts the messages to one channel.
    pub(crate) fn only(self, channel: Channel) -> Self {
        Self { only: Some(channel), ..self }
    }

    /// Restricts the messages to the chunk that begins at this position.
    pub(crate) fn within_chunk(self, offset: u64) -> Self {
        Self { within: Some(offset), ..self }
    }

    /// Returns the place of the message after the last one.
    pub(crate) fn place(&self) -> MessagePlace {
        self.place
    }

    /// Returns the channels that have been declared so far.
    pub(crate) fn into_channels(self) -> Channels {
        self.channels
    }

    fn advance(&mut self) -> Result<Option<Recorded>, RecordingError> {
        loop {
            let offset = self.place.chunk;
            match self.chunks.next_event() {
                Some(Ok(LinearReadEvent::Record { opcode: op::MESSAGE, data })) => {
                    self.place.before += 1;
                    if let Some(entry) = read_entry(data, &self.channels, self.only, offset)? {
                        return Ok(Some(entry));
                    }
                }
                Some(Ok(LinearReadEvent::Record { opcode: op::CHANNEL, data })) => {
                    let (number, channel) = read_channel(data).ok_or_else(|| damaged(offset, "a broken channel"))?;
                    self.channels.insert(number, channel);
                }
                Some(Ok(LinearReadEvent::Record { .. })) => {}
                Some(Ok(LinearReadEvent::ReadRequest(_))) => {
                    if !self.load()? {
                        return Ok(None);
                    }
                }
                Some(Err(error)) => return Err(damaged(offset, error)),
                None => return Ok(None),
            }
        }
    }

    /// Reads the next record into memory; returns false at the end.
    fn load(&mut self) -> Result<bool, RecordingError> {
        let Some(record) = self.records.next(&KINDS)? else { return Ok(false) };
        if matches!(record.kind, op::DATA_END | op::FOOTER) || self.within.is_some_and(|chunk| chunk != record.offset) {
            return Ok(false);
        }
        if record.kind == op::CHUNK {
            check_chunk(record)?;
        }
        self.place = MessagePlace { chunk: record.offset, before: 0 };
        let length = record.content.len() as u64;
        let parts = [&[record.kind][..], &length.to_le_bytes(), record.content];
        let total = parts.iter().map(|part| part.len()).sum();
        let mut room = self.chunks.insert(total);
        for part in parts {
            let (here, rest) = room.split_at_mut(part.len());
            here.copy_from_slice(part);
            room = rest;
        }
        self.chunks.notify_read(total);
        Ok(true)
    }
}

/// Returns an error for chunks that are too large to take apart safely.
fn check_chunk(chunk: Record<'_>) -> Result<(), RecordingError> {
    let mut fields = chunk.fields();
    let mut head = || {
        let (_begin, _end, size, _checksum) = (fields.u64()?, fields.u64()?, fields.u64()?, fields.u32()?);
        Some((size, fields.text()?))
    };
    let (size, compression) = head().ok_or_else(|| chunk.damaged("a broken chunk"))?;
    if compression != "zstd" {
        return Err(chunk.damaged(format!(
            "a chunk is compressed by `{compression}`, and recordings by `zstd`; `mcap compress` can change that"
        )));
    }
    if size > RECORD_LIMIT as u64 {
        return Err(chunk.damaged("it has a chunk larger than any of a recording"));
    }
    Ok(())
}

/// Returns the number of a channel in the file, and the channel.
pub(crate) fn read_channel(record: &[u8]) -> Option<(u16, Option<Channel>)> {
    let mut fields = Fields::new(record);
    let (number, _schema, topic) = (fields.u16()?, fields.u16()?, fields.text()?);
    Some((number, Channel::with_topic(topic)))
}

/// Reads a message; returns `None` if its channel is skipped.
fn read_entry(
    record: &[u8],
    channels: &Channels,
    only: Option<Channel>,
    offset: u64,
) -> Result<Option<Recorded>, RecordingError> {
    let mut fields = Fields::new(record);
    let mut head = || {
        let (number, sequence, log_time, _published) = (fields.u16()?, fields.u32()?, fields.u64()?, fields.u64()?);
        Some((number, sequence, log_time))
    };
    let (number, sequence, log_time) = head().ok_or_else(|| damaged(offset, "a broken message"))?;
    let Some(channel) = channels.get(&number) else {
        return Err(damaged(offset, format!("message {sequence} is on channel {number}, which it does not declare")));
    };
    let Some(channel) = channel.filter(|channel| only.is_none_or(|only| only == *channel)) else { return Ok(None) };
    let entry = parse(channel, fields.rest()).map_err(|reason| RecordingError::Entry {
        channel: channel.topic(),
        sequence,
        reason,
    })?;
    Ok(Some(Recorded { sequence, log_time, entry }))
}

fn parse(channel: Channel, text: &[u8]) -> Result<Entry, String> {
    fn read<T: DeserializeOwned>(text: &str, entry: fn(T) -> Entry) -> Result<Entry, String> {
        reading::json(text).map(entry).map_err(|unreadable| unreadable.to_string())
    }
    let text = str::from_utf8(text).map_err(|_| "it is not UTF-8 text".to_owned())?;
    match channel {
        Channel::Episode => read(text, Entry::Episode),
        Channel::Inputs => read(text, Entry::Input),
        Channel::Percepts => read(text, Entry::Percepts),
        Channel::Checkpoints => read(text, Entry::Checkpoint),
        Channel::Outcome => read(text, Entry::Outcome),
        Channel::Remarks => read(text, Entry::Remark),
        Channel::Messages => read(text, Entry::Message),
        Channel::Crash => read(text, Entry::Crash),
        Channel::Scenes => read(text, Entry::Scene),
    }
}
