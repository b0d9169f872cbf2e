//! Reads the data of a folder and checks that all changes that were ever written are there. This changes no file, so
//! that damaged files stay as they are.

use std::collections::BTreeMap;
use std::path::Path;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, Error, Row};

use crate::contents::{Contents, Journaled, count_records};
use crate::damage::{Damage, JOURNAL};
use crate::database::{document_checksum, journal_checksum};
use crate::folder::{DATABASE, Folder, OpenError, TALLY};
use crate::tally::{FORMAT, Found, Tally};

/// The data of a folder, with the damage that was found.
#[derive(Default)]
pub(crate) struct Inspection {
    /// Everything that is not damaged.
    pub(crate) contents: Contents,
    /// The tally of the rows that were found. If nothing is damaged, it is that of all changes.
    pub(crate) tally: Tally,
    pub(crate) damages: Vec<Damage>,
    /// Whether all rows are there, damaged or not.
    pub(crate) is_complete: bool,
}

/// A row as it was found.
struct Written {
    change: u64,
    total: u64,
    checksum: u64,
    /// The body of a document, or a checkpoint, or records.
    body: Vec<u8>,
    /// The state that belongs to a checkpoint.
    state: Option<Vec<u8>>,
}

/// The rows of a database, and the errors of SQLite while it read them.
#[derive(Default)]
struct Rows {
    /// By kind and key.
    documents: BTreeMap<(String, String), Written>,
    /// By key and number.
    journals: BTreeMap<(String, u64), Written>,
    /// The latest change as far as rows say, and the sum of all checksums after it.
    latest: (u64, u64),
    errors: Vec<String>,
}

/// Reads and checks the data of a folder.
///
/// # Errors
/// Returns an error if a file cannot be read, or if another version of this program wrote it.
pub(crate) fn inspect(folder: &mut Folder) -> Result<Inspection, OpenError> {
    let recorded = folder.read_tally()?;
    let is_empty = folder.is_database_empty()?;
    let mut rows = Rows::default();
    if is_empty && recorded == Found::Tally(Tally::default()) {
        return Ok(Inspection { is_complete: true, ..Inspection::default() });
    } else if is_empty {
        rows.errors.push("is missing or empty".into());
    } else {
        match read_format(folder.database()) {
            Ok((connection, FORMAT)) => rows.read(&connection),
            // The process ended when it had created the database and not yet the tables.
            Ok((_, 0)) if recorded == Found::Tally(Tally::default()) => {}
            // The files must agree on the format. Without the other file, there is no doubt about this one.
            Ok((_, found)) if !matches!(recorded, Found::Tally(_)) => {
                return Err(OpenError::Format { path: folder.database().into(), found, expected: FORMAT });
            }
            Ok((_, found)) => rows.errors.push(format!("claims to have format {found} instead of {FORMAT}")),
            Err(error) => rows.errors.push(error.to_string()),
        }
    }
    let mut inspection = Inspection::default();
    let (latest, errors) = (rows.latest, std::mem::take(&mut rows.errors));
    inspection.check_documents(rows.documents);
    inspection.check_journals(rows.journals);
    inspection.check_tally(&recorded, latest, errors);
    Ok(inspection)
}

/// Opens a database so that nothing changes it. Returns it with its format.
fn read_format(path: &Path) -> Result<(Connection, i64), Error> {
    let connection = Connection::open(path)?;
    // SQLite would otherwise move its log into the database and remove it.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    // It then reads what is left of a file that was cut short.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_WRITABLE_SCHEMA, true)?;
    // No other process uses the folder, so SQLite needs no file for sharing the log.
    connection.pragma_update(None, "locking_mode", "EXCLUSIVE")?;
    let format = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    Ok((connection, format))
}

impl Rows {
    fn read(&mut self, connection: &Connection) {
        match connection.query_row("PRAGMA quick_check(1)", [], |row| row.get::<_, String>(0)) {
            Ok(result) if result == "ok" => {}
            // Its first line only names the database.
            Ok(fault) => self.errors.push(format!("is damaged: {}", fault.lines().last().unwrap_or_default())),
            Err(error) => self.errors.push(error.to_string()),
        }
        let read = |row: &Row<'_>| ((text(row, 0), text(row, 1)), written(row, None));
        scan(connection, "document", ["kind", "key"], read, &mut self.documents, &mut self.errors);
        let read = |row: &Row<'_>| ((text(row, 0), number(row, 1)), written(row, bytes(row, 6)));
        scan(connection, "journal", ["key", "number"], read, &mut self.journals, &mut self.errors);
        let removal =
            connection.query_row("SELECT change, total FROM latest", [], |row| Ok((number(row, 0), number(row, 1))));
        match removal {
            Ok(removal) => self.latest = removal,
            Err(Error::QueryReturnedNoRows) => {}
            Err(error) => self.errors.push(error.to_string()),
        }
        let written = self.documents.values().chain(self.journals.values());
        let latest = written.map(|row| (row.change, row.total)).max();
        self.latest = self.latest.max(latest.unwrap_or_default());
    }
}

/// Reads all rows of a table in the order of its key. After an error, it reads from the end, so that only rows between
/// the first and the last damaged page are missing.
fn scan<K: Ord>(
    connection: &Connection,
    table: &str,
    [first, second]: [&str; 2],
    read: impl Fn(&Row<'_>) -> (K, Written),
    found: &mut BTreeMap<K, Written>,
    errors: &mut Vec<String>,
) {
    for order in ["ASC", "DESC"] {
        let query = format!("SELECT * FROM {table} ORDER BY {first} {order}, {second} {order}");
        let mut read_all = || -> Result<(), Error> {
            let mut statement = connection.prepare(&query)?;
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                found.extend([read(row)]);
            }
            Ok(())
        };
        match read_all() {
            Ok(()) => return,
            Err(error) => errors.push(error.to_string()),
        }
    }
}

/// The columns that both tables have.
fn written(row: &Row<'_>, state: Option<Vec<u8>>) -> Written {
    let [change, total, checksum] = [2, 3, 4].map(|column| number(row, column));
    Written { change, total, checksum, body: bytes(row, 5).unwrap_or_default(), state }
}

// In a damaged row, a column can have any type. Its checksum then does not match.

fn number(row: &Row<'_>, column: usize) -> u64 {
    row.get::<_, i64>(column).unwrap_or_default() as u64
}

fn bytes(row: &Row<'_>, column: usize) -> Option<Vec<u8>> {
    Some(row.get_ref(column).ok()?.as_bytes().ok()?.to_vec())
}

fn text(row: &Row<'_>, column: usize) -> String {
    String::from_utf8_lossy(&bytes(row, column).unwrap_or_default()).into_owned()
}

impl Inspection {
    fn check_documents(&mut self, rows: BTreeMap<(String, String), Written>) {
        for ((kind, key), row) in rows {
            self.tally.add(&kind, row.checksum);
            if row.checksum == document_checksum(&kind, &key, row.change, &row.body) {
                self.contents.documents.entry(kind).or_default().insert(key, row.body);
            } else {
                self.damages.push(Damage::Document { kind, key });
            }
        }
    }

    fn check_journals(&mut self, rows: BTreeMap<(String, u64), Written>) {
        let mut faults: BTreeMap<String, String> = BTreeMap::new();
        // The number that the next row of each journal must have.
        let mut numbers: BTreeMap<String, u64> = BTreeMap::new();
        for ((key, number), row) in rows {
            self.tally.add(JOURNAL, row.checksum);
            let checksum = journal_checksum(&key, number, row.change, &row.body, row.state.as_deref());
            let next = numbers.entry(key.clone()).or_default();
            let fault = if row.checksum != checksum {
                Some(describe(number, count_records(&row.body)) + " differs from what was written")
            } else if number != *next {
                Some(describe(*next, number.saturating_sub(*next)) + " is missing")
            } else {
                None
            };
            *next = number + if number == 0 { 1 } else { count_records(&row.body) };
            if let Some(fault) = fault {
                faults.entry(key).or_insert(fault);
            } else if number == 0 {
                self.contents.journals.insert(key, Journaled::begin(row.body, row.state));
            } else if let Some(journal) = self.contents.journals.get_mut(&key) {
                journal.append(&row.body);
            }
        }
        for (key, reason) in faults {
            self.contents.journals.remove(&key);
            self.damages.push(Damage::Journal { key, reason });
        }
    }

    /// Compares the rows that were found with the latest change and with the tally in the other file.
    fn check_tally(&mut self, recorded: &Found, (latest, total): (u64, u64), errors: Vec<String>) {
        self.tally.change = latest;
        let damaged = |name, reason: &str| Damage::File { name, reason: reason.into() };
        let is_readable = errors.is_empty();
        self.damages.extend(errors.first().map(|error| damaged(DATABASE, error)));
        let recorded = match recorded {
            Found::Nothing => return self.damages.push(damaged(TALLY, "is missing or empty")),
            Found::Damaged => return self.damages.push(damaged(TALLY, "differs from what was written")),
            Found::Tally(recorded) => recorded,
        };
        // The process may have ended after it wrote the database and before it wrote the tally.
        let expected = if recorded.change == latest { recorded.sum } else { total };
        if self.tally.sum == expected && latest >= recorded.change {
            self.is_complete = true;
            return;
        }
        let before = self.damages.len();
        if self.tally.sum == expected && is_readable {
            self.damages.push(Damage::Earlier { changes: recorded.change - latest });
        }
        for (kind, written) in &recorded.rows {
            let missing = written.saturating_sub(self.tally.rows.get(kind).copied().unwrap_or(0));
            if missing > 0 {
                self.damages.push(Damage::Missing { kind: kind.clone(), missing, written: *written });
            }
        }
        if is_readable && self.damages.len() == before {
            self.damages.push(damaged(DATABASE, "contains rows that are not the latest ones"));
        }
    }
}

/// Names records of a journal, the first of them by its number. Number 0 is the checkpoint.
fn describe(first: u64, count: u64) -> String {
    match (first, count) {
        (0, _) => "its checkpoint".into(),
        (_, 0 | 1) => format!("record {first}"),
        _ => format!("one of the records {first} to {}", first + count - 1),
    }
}
