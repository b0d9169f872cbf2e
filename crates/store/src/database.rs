//! The tables of the database, and how changes are made in them.
//!
//! Each row has a checksum, the number of the change that wrote it, and the sum of the checksums of all rows after that
//! change. So the row of the latest change says which sum all rows must have. If that change removed rows, the sum is
//! in the table `latest`.

use std::collections::HashMap;

use rusqlite::{Connection, Error, Params, params};
use xxhash_rust::xxh3::Xxh3Default;

use crate::change::Change;
use crate::damage::JOURNAL;
use crate::tally::{FORMAT, Tally};

// SQLite reads a row from its beginning. The long columns are the last ones, so that it need not read them for a
// checksum.
const TABLES: &str = "
    CREATE TABLE document (kind TEXT, key TEXT, change INTEGER NOT NULL, total INTEGER NOT NULL,
        checksum INTEGER NOT NULL, body BLOB NOT NULL, PRIMARY KEY (kind, key)) WITHOUT ROWID;
    CREATE TABLE journal (key TEXT, number INTEGER, change INTEGER NOT NULL, total INTEGER NOT NULL,
        checksum INTEGER NOT NULL, records BLOB NOT NULL, state BLOB, PRIMARY KEY (key, number)) WITHOUT ROWID;
    CREATE TABLE latest (id INTEGER PRIMARY KEY, change INTEGER NOT NULL, total INTEGER NOT NULL);
";

/// Creates the tables.
pub(crate) fn create_tables(connection: &Connection) -> Result<(), Error> {
    connection.execute_batch(&format!("BEGIN; {TABLES} PRAGMA user_version = {FORMAT}; COMMIT;"))
}

/// Returns the checksum of a document that a change wrote.
pub(crate) fn document_checksum(kind: &str, key: &str, change: u64, body: &[u8]) -> u64 {
    checksum(&[kind.as_bytes(), key.as_bytes(), &change.to_le_bytes(), body])
}

/// Returns the checksum of a row of a journal that a change wrote. The row has a checkpoint and its state, or records,
/// of which the first has this number.
pub(crate) fn journal_checksum(key: &str, number: u64, change: u64, records: &[u8], state: Option<&[u8]>) -> u64 {
    let has_state = [u8::from(state.is_some())];
    let numbers = [number.to_le_bytes(), change.to_le_bytes()];
    checksum(&[key.as_bytes(), numbers.as_flattened(), records, &has_state, state.unwrap_or_default()])
}

fn checksum(parts: &[&[u8]]) -> u64 {
    let mut hasher = Xxh3Default::new();
    for part in parts {
        // With the lengths, parts that were cut elsewhere have another checksum.
        hasher.update(&part.len().to_le_bytes());
        hasher.update(part);
    }
    hasher.digest()
}

/// The checksums of all documents, by kind and key. They are in memory, because reading them from the database before
/// each change would take as long as the change.
#[derive(Default)]
pub(crate) struct Checksums(HashMap<String, HashMap<String, u64>>);

impl Checksums {
    /// Reads the checksums of all documents in a database.
    pub(crate) fn read(connection: &Connection) -> Result<Self, Error> {
        let mut checksums = Self::default();
        let mut statement = connection.prepare("SELECT kind, key, checksum FROM document")?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            checksums.0.entry(row.get(0)?).or_default().insert(row.get(1)?, row.get::<_, i64>(2)? as u64);
        }
        Ok(checksums)
    }

    fn of(&mut self, kind: &str) -> &mut HashMap<String, u64> {
        if !self.0.contains_key(kind) {
            self.0.insert(kind.into(), HashMap::new());
        }
        self.0.get_mut(kind).unwrap_or_else(|| unreachable!("it was inserted"))
    }
}

/// The tables of a database that is being changed. Several changes need a transaction around them. After an error, the
/// tally and the checksums are of no use.
pub(crate) struct Tables<'a> {
    pub(crate) connection: &'a Connection,
    pub(crate) tally: &'a mut Tally,
    pub(crate) checksums: &'a mut Checksums,
}

impl Tables<'_> {
    /// Makes changes.
    pub(crate) fn apply(&mut self, changes: &[Change]) -> Result<(), Error> {
        changes.iter().try_for_each(|change| self.make(change))?;
        if let Some(Change::Remove { .. } | Change::End { .. }) = changes.last() {
            let latest = params![self.tally.change as i64, self.tally.sum as i64];
            self.execute("INSERT OR REPLACE INTO latest VALUES (0, ?1, ?2)", latest)?;
        }
        Ok(())
    }

    fn make(&mut self, change: &Change) -> Result<(), Error> {
        match change {
            Change::Put { kind, key, body } => self.put_document(kind, key, body),
            Change::Remove { kind, key } => {
                self.tally.change += 1;
                if let Some(checksum) = self.checksums.of(kind).remove(key) {
                    self.tally.remove(kind, checksum);
                }
                self.execute("DELETE FROM document WHERE kind = ?1 AND key = ?2", params![kind, key])
            }
            Change::Begin { journal, checkpoint, state } => {
                self.end_journal(journal)?;
                self.put_journal(journal, 0, checkpoint, state.as_deref())
            }
            Change::Append { journal, first, records } => self.put_journal(journal, *first, records, None),
            Change::End { journal } => {
                self.tally.change += 1;
                self.end_journal(journal)
            }
        }
    }

    /// Creates or replaces a document.
    pub(crate) fn put_document(&mut self, kind: &str, key: &str, body: &[u8]) -> Result<(), Error> {
        self.tally.change += 1;
        let checksum = document_checksum(kind, key, self.tally.change, body);
        match self.checksums.of(kind).get_mut(key) {
            Some(known) => self.tally.remove(kind, std::mem::replace(known, checksum)),
            None => drop(self.checksums.of(kind).insert(key.into(), checksum)),
        }
        self.tally.add(kind, checksum);
        let row = params![kind, key, self.tally.change as i64, self.tally.sum as i64, checksum as i64, body];
        self.execute("INSERT OR REPLACE INTO document VALUES (?1, ?2, ?3, ?4, ?5, ?6)", row)
    }

    /// Writes a row of a journal: a checkpoint under number 0, or records, of which the first has this number.
    pub(crate) fn put_journal(
        &mut self,
        key: &str,
        number: u64,
        records: &[u8],
        state: Option<&[u8]>,
    ) -> Result<(), Error> {
        self.tally.change += 1;
        let checksum = journal_checksum(key, number, self.tally.change, records, state);
        self.tally.add(JOURNAL, checksum);
        let (total, change) = (self.tally.sum as i64, self.tally.change as i64);
        let row = params![key, number as i64, change, total, checksum as i64, records, state];
        self.execute("INSERT INTO journal VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)", row)
    }

    fn end_journal(&mut self, key: &str) -> Result<(), Error> {
        let mut statement = self.connection.prepare_cached("SELECT checksum FROM journal WHERE key = ?1")?;
        let mut rows = statement.query([key])?;
        while let Some(row) = rows.next()? {
            self.tally.remove(JOURNAL, row.get::<_, i64>(0)? as u64);
        }
        self.execute("DELETE FROM journal WHERE key = ?1", [key])
    }

    fn execute(&self, statement: &str, parameters: impl Params) -> Result<(), Error> {
        self.connection.prepare_cached(statement)?.execute(parameters).map(drop)
    }
}
