//! The tally of all changes, and the file with it. The file is beside the database, so that it does not get lost
//! together with changes.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

/// The number of the current format of the database and of this file.
pub(crate) const FORMAT: i64 = 3;

/// The distance between the two places in the file, in bytes. A power failure damages at most the place that is being
/// written.
const PLACE: u64 = 4096;

/// The tally of all changes up to one of them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Tally {
    /// The number of the change.
    pub(crate) change: u64,
    /// The wrapping sum of the checksums of all rows in the database.
    pub(crate) sum: u64,
    /// The number of rows, by kind of document. Those of journals have a [kind](crate::JOURNAL) of their own.
    pub(crate) rows: BTreeMap<String, u64>,
}

impl Tally {
    /// Adds a row with this checksum.
    pub(crate) fn add(&mut self, kind: &str, checksum: u64) {
        self.sum = self.sum.wrapping_add(checksum);
        match self.rows.get_mut(kind) {
            Some(rows) => *rows += 1,
            None => drop(self.rows.insert(kind.into(), 1)),
        }
    }

    /// Removes a row with this checksum.
    pub(crate) fn remove(&mut self, kind: &str, checksum: u64) {
        self.sum = self.sum.wrapping_sub(checksum);
        if let Some(rows) = self.rows.get_mut(kind) {
            *rows = rows.saturating_sub(1);
        }
    }
}

/// The file with the tally.
pub(crate) struct TallyFile {
    file: File,
    /// Whether the next tally goes to the second place.
    is_second_next: bool,
    /// The bytes of the tally that was written last.
    buffer: Vec<u8>,
}

/// The contents of the file with the tally.
#[derive(Debug, PartialEq)]
pub(crate) enum Found {
    /// The file is empty.
    Nothing,
    /// Neither of the two places has a tally of this format.
    Damaged,
    /// The latest tally.
    Tally(Tally),
}

impl TallyFile {
    pub(crate) fn new(file: File) -> Self {
        Self { file, is_second_next: false, buffer: Vec::new() }
    }

    /// Reads the file. Tallies are then written to the other place.
    pub(crate) fn read(&mut self) -> io::Result<Found> {
        let mut contents = Vec::new();
        self.file.rewind()?;
        // Nothing is behind the two places.
        (&self.file).take(2 * PLACE).read_to_end(&mut contents)?;
        if contents.is_empty() {
            return Ok(Found::Nothing);
        }
        let (first, second) = contents.split_at(contents.len().min(PLACE as usize));
        let (first, second) = (parse(first), parse(second));
        let change = |tally: &Option<Tally>| tally.as_ref().map(|tally| tally.change);
        self.is_second_next = change(&first) > change(&second);
        let latest = if self.is_second_next { first } else { second };
        Ok(latest.map_or(Found::Damaged, Found::Tally))
    }

    /// Writes a tally. A process that is killed leaves either this tally or the one before.
    pub(crate) fn write(&mut self, tally: &Tally) -> io::Result<()> {
        self.buffer.clear();
        serde_json::to_writer(&mut self.buffer, &(FORMAT, tally))?;
        let checksum = xxh3_64(&self.buffer);
        // The line break separates it from the rest of a longer tally before.
        writeln!(self.buffer, " {checksum:016x}")?;
        self.file.seek(SeekFrom::Start(if self.is_second_next { PLACE } else { 0 }))?;
        self.file.write_all(&self.buffer)?;
        self.is_second_next = !self.is_second_next;
        Ok(())
    }

    /// Waits until the file is on the disk.
    pub(crate) fn sync(&self) -> io::Result<()> {
        self.file.sync_all()
    }
}

/// Reads the tally at the beginning of these bytes. Returns `None` if it is damaged.
fn parse(place: &[u8]) -> Option<Tally> {
    let line = place.split(|byte| *byte == b'\n').next()?;
    let (json, checksum) = line.split_at_checked(line.len().checked_sub(16)?)?;
    let json = json.strip_suffix(b" ")?;
    let checksum = u64::from_str_radix(std::str::from_utf8(checksum).ok()?, 16).ok()?;
    if checksum != xxh3_64(json) {
        return None;
    }
    let (format, tally) = serde_json::from_slice::<(i64, Tally)>(json).ok()?;
    (format == FORMAT).then_some(tally)
}
