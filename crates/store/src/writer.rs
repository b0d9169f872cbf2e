//! The writer of a store. It owns the database and writes one group of changes at a time.

use std::fs::File;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, Error, OptionalExtension, ToSql, params};

use crate::change::Change;
use crate::contents::{Contents, Journaled};
use crate::folder::OpenError;

/// The number of the current format of the file.
const FORMAT: i64 = 1;

/// Number of pages from which SQLite's log is long.
const LOGGED_PAGES: usize = 8192;

/// The size of a page in bytes.
const PAGE: usize = 4096;

const TABLES: &str = "
    CREATE TABLE document (kind TEXT, key TEXT, body BLOB NOT NULL, PRIMARY KEY (kind, key)) WITHOUT ROWID;
    CREATE TABLE journal (key TEXT, number INTEGER, records BLOB NOT NULL, state BLOB, PRIMARY KEY (key, number))
        WITHOUT ROWID;
";

/// The database of a store.
pub(crate) struct Writer {
    connection: Connection,
    path: PathBuf,
    /// The number of the next row of a journal. The first row of a journal is its checkpoint.
    next: i64,
    /// The approximate number of pages in SQLite's log.
    logged: usize,
    /// The lock of the folder, which is held while this file is open.
    _lock: File,
}

impl Writer {
    /// Opens the database, and creates it if the file is empty. `sync` says whether each group must reach the disk.
    pub(crate) fn open(path: &Path, lock: File, sync: bool) -> Result<(Self, Contents), OpenError> {
        let failed = |error: Error| OpenError::Database { path: path.into(), reason: error.to_string() };
        let connection = Connection::open(path).map_err(failed)?;
        // No other process uses the folder, so SQLite needs no locks of its own.
        for (pragma, value) in [
            ("locking_mode", "EXCLUSIVE"),
            ("journal_mode", "WAL"),
            ("synchronous", if sync { "FULL" } else { "NORMAL" }),
            ("wal_autocheckpoint", "0"),
        ] {
            connection.pragma_update(None, pragma, value).map_err(failed)?;
        }
        let found = connection.pragma_query_value(None, "user_version", |row| row.get(0)).map_err(failed)?;
        match found {
            FORMAT => {}
            0 => {
                connection.execute_batch(TABLES).map_err(failed)?;
                connection.pragma_update(None, "user_version", FORMAT).map_err(failed)?;
            }
            found => return Err(OpenError::Format { path: path.into(), found, expected: FORMAT }),
        }
        let contents = read(&connection).map_err(failed)?;
        let next = connection.query_row("SELECT coalesce(max(number), 0) + 1 FROM journal", [], |row| row.get(0));
        let next = next.map_err(failed)?;
        let mut writer = Self { connection, path: path.into(), next, logged: 0, _lock: lock };
        writer.shorten_log().map_err(failed)?;
        Ok((writer, contents))
    }

    /// Returns the path of the file with the data.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Writes changes: all of them, or none if there is an error.
    pub(crate) fn write(&mut self, changes: &[Change]) -> Result<(), Error> {
        let mut next = self.next;
        // A single statement is a transaction of its own.
        let is_group = changes.len() > 1 || !matches!(changes, [Change::Append { .. }]);
        if is_group {
            self.execute("BEGIN IMMEDIATE")?;
        }
        let applied = changes.iter().try_for_each(|change| apply(&self.connection, change, &mut next));
        let written = applied.and_then(|()| if is_group { self.execute("COMMIT") } else { Ok(()) });
        if let Err(error) = written {
            if !self.connection.is_autocommit() {
                // If this fails, SQLite has rolled back already.
                let _ = self.execute("ROLLBACK");
            }
            return Err(error);
        }
        self.next = next;
        self.logged += 1 + changes.iter().map(|change| 1 + change.bytes() / PAGE).sum::<usize>();
        Ok(())
    }

    fn execute(&self, statement: &str) -> Result<(), Error> {
        self.connection.prepare_cached(statement)?.execute([]).map(drop)
    }

    /// Returns the path of SQLite's log if it has become long.
    pub(crate) fn long_log(&self) -> Option<PathBuf> {
        (self.logged > LOGGED_PAGES).then(|| {
            let mut path = self.path.clone().into_os_string();
            path.push("-wal");
            path.into()
        })
    }

    /// Moves SQLite's log into the database. This takes a while, since it waits for the disk.
    pub(crate) fn shorten_log(&mut self) -> Result<(), Error> {
        self.connection.query_row("PRAGMA wal_checkpoint", [], |_| Ok(())).optional()?;
        self.logged = 0;
        Ok(())
    }
}

fn apply(connection: &Connection, change: &Change, next: &mut i64) -> Result<(), Error> {
    let execute = |sql, values: &[&dyn ToSql]| connection.prepare_cached(sql)?.execute(values).map(drop);
    match change {
        Change::Put { kind, key, body } => {
            execute("INSERT OR REPLACE INTO document VALUES (?1, ?2, ?3)", params![kind, key, body])
        }
        Change::Remove { kind, key } => {
            execute("DELETE FROM document WHERE kind = ?1 AND key = ?2", params![kind, key])
        }
        Change::Begin { journal, checkpoint, state } => {
            execute("DELETE FROM journal WHERE key = ?1", params![journal])?;
            *next += 1;
            execute("INSERT INTO journal VALUES (?1, ?2, ?3, ?4)", params![journal, *next, checkpoint, state])
        }
        Change::Append { journal, records } => {
            *next += 1;
            execute("INSERT INTO journal VALUES (?1, ?2, ?3, NULL)", params![journal, *next, records])
        }
        Change::End { journal } => execute("DELETE FROM journal WHERE key = ?1", params![journal]),
    }
}

fn read(connection: &Connection) -> Result<Contents, Error> {
    let mut contents = Contents::default();
    let mut documents = connection.prepare("SELECT kind, key, body FROM document")?;
    let mut rows = documents.query([])?;
    while let Some(row) = rows.next()? {
        contents.documents.entry(row.get(0)?).or_default().insert(row.get(1)?, row.get(2)?);
    }
    let mut journals = connection.prepare("SELECT key, records, state FROM journal ORDER BY key, number")?;
    let mut rows = journals.query([])?;
    while let Some(row) = rows.next()? {
        let (key, records): (String, Vec<u8>) = (row.get(0)?, row.get(1)?);
        match contents.journals.get_mut(&key) {
            Some(journal) => journal.append(&records),
            None => drop(contents.journals.insert(key, Journaled::begin(records, row.get(2)?))),
        }
    }
    Ok(contents)
}
