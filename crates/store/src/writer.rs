//! The writer of a store. It owns the database and writes one group of changes at a time.

use std::path::{Path, PathBuf};
use std::{error, io};

use rusqlite::{Connection, Error, OptionalExtension};

use crate::change::Change;
use crate::database::{Checksums, Tables, create_tables};
use crate::folder::{Folder, OpenError};
use crate::tally::Tally;

/// Number of pages from which SQLite's log is long.
const LOGGED_PAGES: usize = 8192;

/// The size of a page in bytes.
const PAGE: usize = 4096;

/// The database of a store.
pub(crate) struct Writer {
    connection: Connection,
    folder: Folder,
    tally: Tally,
    /// The checksums of all documents; `None` after an error, until they are read again.
    checksums: Option<Checksums>,
    /// Whether the file has the current tally.
    is_tally_written: bool,
    /// The approximate number of pages in SQLite's log.
    logged: usize,
}

impl Writer {
    /// Opens the database of a folder, of which this is the tally. `sync` says whether each group must reach the disk.
    pub(crate) fn open(folder: Folder, tally: Tally, sync: bool) -> Result<Self, OpenError> {
        let path = folder.database().to_owned();
        let failed = |error: Error| OpenError::Database { path: path.clone(), reason: error.to_string() };
        let connection = Connection::open(&path).map_err(failed)?;
        // No other process uses the folder, so SQLite needs no locks of its own.
        for (pragma, value) in [
            ("locking_mode", "EXCLUSIVE"),
            ("journal_mode", "WAL"),
            ("synchronous", if sync { "FULL" } else { "NORMAL" }),
            ("wal_autocheckpoint", "0"),
        ] {
            connection.pragma_update(None, pragma, value).map_err(failed)?;
        }
        let format: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0)).map_err(failed)?;
        if format == 0 {
            create_tables(&connection).map_err(failed)?;
        }
        let mut writer = Self { connection, folder, tally, checksums: None, is_tally_written: false, logged: 0 };
        writer.shorten_log().map_err(failed)?;
        writer.write_tally().map_err(|error| OpenError::Database { path, reason: error.to_string() })?;
        Ok(writer)
    }

    /// Returns the path of the file with the data.
    pub(crate) fn path(&self) -> &Path {
        self.folder.database()
    }

    /// Writes changes: all of them, or none if there is an error.
    pub(crate) fn write(&mut self, changes: &[Change]) -> Result<(), Box<dyn error::Error>> {
        self.write_tally()?;
        let mut tally = self.tally.clone();
        let mut checksums = match self.checksums.take() {
            Some(checksums) => checksums,
            None => Checksums::read(&self.connection)?,
        };
        // A single statement is a transaction of its own.
        let is_group = changes.len() > 1 || !matches!(changes, [Change::Append { .. }]);
        if is_group {
            self.execute("BEGIN IMMEDIATE")?;
        }
        let mut tables = Tables { connection: &self.connection, tally: &mut tally, checksums: &mut checksums };
        let applied = tables.apply(changes);
        let written = applied.and_then(|()| if is_group { self.execute("COMMIT") } else { Ok(()) });
        if let Err(error) = written {
            if !self.connection.is_autocommit() {
                // If this fails, SQLite has rolled back already.
                let _ = self.execute("ROLLBACK");
            }
            return Err(error.into());
        }
        (self.tally, self.is_tally_written, self.checksums) = (tally, false, Some(checksums));
        self.logged += 1 + changes.iter().map(|change| 1 + change.bytes() / PAGE).sum::<usize>();
        // The changes are written, so an error here must not undo them. The next group is not written before this
        // tally.
        let _ = self.write_tally();
        Ok(())
    }

    /// Writes the tally into its file unless it is there.
    fn write_tally(&mut self) -> io::Result<()> {
        if !self.is_tally_written {
            self.folder.tally().write(&self.tally)?;
            self.is_tally_written = true;
        }
        Ok(())
    }

    fn execute(&self, statement: &str) -> Result<(), Error> {
        self.connection.prepare_cached(statement)?.execute([]).map(drop)
    }

    /// Returns the path of SQLite's log if it has become long.
    pub(crate) fn long_log(&self) -> Option<PathBuf> {
        (self.logged > LOGGED_PAGES).then(|| self.folder.log())
    }

    /// Moves SQLite's log into the database. This takes a while, since it waits for the disk.
    pub(crate) fn shorten_log(&mut self) -> Result<(), Error> {
        self.connection.query_row("PRAGMA wal_checkpoint", [], |_| Ok(())).optional()?;
        self.logged = 0;
        Ok(())
    }
}
