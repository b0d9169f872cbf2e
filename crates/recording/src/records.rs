//! Reads the records of an MCAP file, one after another, as far as recordings need them. A broken file only causes an
//! error: lengths are checked before memory is allocated.

use std::io::{BufReader, Read, Seek, SeekFrom};

use mcap::MAGIC;
use mcap::records::op;

use crate::{ENTRY_LIMIT, RecordingError};

/// The largest record, and the largest chunk after decompression, in bytes. A recorder ends a chunk after the message
/// that makes it too large.
pub(crate) const RECORD_LIMIT: usize = ENTRY_LIMIT + (1 << 20);

/// Length of an operation code and the length of the record.
const HEAD: u64 = 1 + 8;

/// The footer with its head, and the magic bytes after it.
const FOOTER: u64 = HEAD + 8 + 8 + 4 + MAGIC.len() as u64;

/// A source of a recording.
pub(crate) trait Source: Read + Seek + Send {}

impl<T: Read + Seek + Send> Source for T {}

/// A file, and a position in it.
pub(crate) struct Records {
    source: BufReader<Box<dyn Source>>,
    length: u64,
    position: u64,
    content: Vec<u8>,
    /// The offset of the summary, 0 if it has none; `None` if the file was not finished.
    summary: Option<u64>,
    /// The offsets of the chunks that the file must have, in order.
    chunks: Vec<u64>,
}

/// A record.
#[derive(Clone, Copy)]
pub(crate) struct Record<'a> {
    /// The offset in the file.
    pub(crate) offset: u64,
    /// One of the [codes](op) of MCAP.
    pub(crate) kind: u8,
    pub(crate) content: &'a [u8],
}

impl Records {
    /// Reads the records of a file, from the first.
    pub(crate) fn open(source: Box<dyn Source>) -> Result<Self, RecordingError> {
        let mut source = BufReader::new(source);
        let length = source.seek(SeekFrom::End(0)).map_err(RecordingError::Read)?;
        let (content, chunks) = (Vec::new(), Vec::new());
        let mut records = Self { source, length, position: length, content, summary: None, chunks };
        records.seek(0)?;
        if length < MAGIC.len() as u64 || records.bytes::<8>()? != MAGIC {
            return Err(RecordingError::NotMcap);
        }
        records.summary = records.read_footer()?;
        Ok(records)
    }

    /// Returns the offset of the summary, if the file was finished; 0 if it has none.
    pub(crate) fn summary(&self) -> Option<u64> {
        self.summary
    }

    /// Sets the offsets of the chunks that the file must have, in order. A file without one of them is damaged.
    pub(crate) fn expect_chunks(&mut self, chunks: Vec<u64>) {
        self.chunks = chunks;
    }

    /// Moves to the first record.
    pub(crate) fn rewind(&mut self) -> Result<(), RecordingError> {
        self.seek(MAGIC.len() as u64)
    }

    /// Moves to a position in the file.
    pub(crate) fn seek(&mut self, to: u64) -> Result<(), RecordingError> {
        // Near positions are usually in the buffer already.
        match i64::try_from(i128::from(to) - i128::from(self.position)) {
            Ok(distance) => self.source.seek_relative(distance).map_err(RecordingError::Read)?,
            Err(_) => return Err(damaged(to, "a place in it is beyond the largest file")),
        }
        self.position = to;
        Ok(())
    }

    /// Returns the next record of one of these kinds, or `None` if an unfinished file ends before or in it.
    pub(crate) fn next(&mut self, kinds: &[u8]) -> Result<Option<Record<'_>>, RecordingError> {
        loop {
            let offset = self.position;
            let Some(room) = self.length.checked_sub(offset).and_then(|rest| rest.checked_sub(HEAD)) else {
                return self.end(offset);
            };
            let (kind, length) = self.head()?;
            // A file system may leave zeros at the end of a file after a crash of the machine.
            if kind == 0 || length > room {
                return self.end(offset);
            }
            self.check_chunks(offset, kind, length)?;
            if !kinds.contains(&kind) {
                self.seek(offset + HEAD + length)?;
                continue;
            }
            let length = usize::try_from(length).ok().filter(|length| *length <= RECORD_LIMIT);
            let length = length.ok_or_else(|| damaged(offset, "it has a record larger than any of a recording"))?;
            self.fill(length)?;
            return Ok(Some(Record { offset, kind, content: &self.content }));
        }
    }

    /// Ends an unfinished file. A finished one ends with its footer.
    fn end(&self, offset: u64) -> Result<Option<Record<'_>>, RecordingError> {
        match self.summary {
            None => Ok(None),
            Some(_) => Err(damaged(offset, "there is no record, although the file does not end here")),
        }
    }

    /// Checks that no chunk begins in a record of this kind and length, or after the end of the chunks.
    fn check_chunks(&self, offset: u64, kind: u8, length: u64) -> Result<(), RecordingError> {
        let from = offset + u64::from(kind == op::CHUNK);
        let to = if matches!(kind, op::DATA_END | op::FOOTER) { self.length } else { offset + HEAD + length };
        let next = self.chunks.partition_point(|chunk| *chunk < from);
        match self.chunks.get(next) {
            Some(chunk) if *chunk < to => Err(damaged(*chunk, "the chunk that its index has here is missing")),
            _ => Ok(()),
        }
    }

    fn read_footer(&mut self) -> Result<Option<u64>, RecordingError> {
        let Some(footer) = self.length.checked_sub(FOOTER) else { return Ok(None) };
        self.seek(footer)?;
        let (kind, length) = self.head()?;
        let (summary, _offsets, _checksum) = (self.bytes::<8>()?, self.bytes::<8>()?, self.bytes::<4>()?);
        let finished = kind == op::FOOTER && HEAD + length + MAGIC.len() as u64 == FOOTER;
        let finished = finished && self.bytes::<8>()? == MAGIC;
        Ok(finished.then_some(u64::from_le_bytes(summary)))
    }

    fn head(&mut self) -> Result<(u8, u64), RecordingError> {
        let [kind] = self.bytes()?;
        Ok((kind, u64::from_le_bytes(self.bytes()?)))
    }

    fn bytes<const N: usize>(&mut self) -> Result<[u8; N], RecordingError> {
        let mut bytes = [0; N];
        self.source.read_exact(&mut bytes).map_err(RecordingError::Read)?;
        self.position += N as u64;
        Ok(bytes)
    }

    fn fill(&mut self, length: usize) -> Result<(), RecordingError> {
        self.content.resize(length, 0);
        self.source.read_exact(&mut self.content).map_err(RecordingError::Read)?;
        self.position += length as u64;
        Ok(())
    }
}

impl Record<'_> {
    /// Returns its fields, in order.
    pub(crate) fn fields(&self) -> Fields<'_> {
        Fields(self.content)
    }

    /// Returns the error for a problem in this record.
    pub(crate) fn damaged(&self, reason: impl ToString) -> RecordingError {
        damaged(self.offset, reason)
    }
}

/// The fields of a record that are not read yet; reading returns `None` at their end.
pub(crate) struct Fields<'a>(&'a [u8]);

impl<'a> Fields<'a> {
    /// Returns the fields in these bytes.
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    pub(crate) fn u16(&mut self) -> Option<u16> {
        self.array().map(u16::from_le_bytes)
    }

    pub(crate) fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }

    pub(crate) fn u64(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }

    pub(crate) fn text(&mut self) -> Option<&'a str> {
        std::str::from_utf8(self.block()?.0).ok()
    }

    /// Reads nested fields, after their length.
    pub(crate) fn block(&mut self) -> Option<Fields<'a>> {
        let length = usize::try_from(self.u32()?).ok()?;
        let (block, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(Fields(block))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn rest(self) -> &'a [u8] {
        self.0
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (array, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*array)
    }
}

/// Returns the error for a problem at this offset of the file.
pub(crate) fn damaged(offset: u64, reason: impl ToString) -> RecordingError {
    RecordingError::Damaged { offset, reason: reason.to_string() }
}
