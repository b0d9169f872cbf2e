//! Leaves the damaged parts out of the data of a folder.

use std::error::Error;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use rusqlite::Connection;

use crate::contents::{Contents, Journaled};
use crate::damage::{Discarded, LEFT_OUT, LeftOut};
use crate::database::{Checksums, Tables, create_tables};
use crate::folder::{Folder, OpenError, TALLY, failed, make_folder, private_file};
use crate::inspection::{Inspection, inspect};
use crate::tally::{Found, Tally};

/// The name of the new database while it is not complete.
const NEW: &str = "data.new";

/// Leaves the damaged parts out of the data of a folder, if there are any. A copy of the files from before remains in a
/// folder with the time in its name. A process that is killed meanwhile leaves the damaged files, or those without the
/// damaged parts.
///
/// # Errors
/// Returns an error if another process uses the folder, or if it cannot be read or written.
pub fn discard(folder: &Path, holder: &str) -> Result<Option<Discarded>, OpenError> {
    let mut folder = Folder::open(folder, holder)?;
    let Inspection { contents, mut tally, damages, is_complete } = inspect(&mut folder)?;
    if damages.is_empty() {
        return Ok(None);
    }
    // Numbers continue beyond that in the tally, so that the new database is not taken for an earlier one.
    if let Found::Tally(recorded) = folder.read_tally()? {
        tally.change = tally.change.max(recorded.change);
    }
    let mut tally = Tally { change: tally.change, ..Tally::default() };
    let copy = copy(&folder)?;
    let new = folder.path().join(NEW);
    let rebuilt = rebuild(&new, &contents, LeftOut { is_rest_complete: is_complete }, &mut tally);
    rebuilt.map_err(|error| OpenError::Database { path: new.clone(), reason: error.to_string() })?;
    replace(&folder, &new).map_err(failed(folder.database()))?;
    let written = folder.tally().write(&tally).and_then(|()| folder.tally().sync());
    written.map_err(failed(&folder.path().join(TALLY)))?;
    Ok(Some(Discarded { copy, damages }))
}

/// Copies the files with the data into a folder of their own. Returns its path.
fn copy(folder: &Folder) -> Result<PathBuf, OpenError> {
    let format = "SELECT strftime('damaged-%Y-%m-%dT%H-%M-%S', 'now')";
    let name = Connection::open_in_memory().and_then(|one| one.query_row(format, [], |row| row.get::<_, String>(0)));
    let name =
        name.map_err(|error| OpenError::Database { path: folder.database().into(), reason: error.to_string() })?;
    let copy = folder.path().join(name);
    make_folder(&copy).map_err(failed(&copy))?;
    for file in [folder.database().to_owned(), folder.log(), folder.path().join(TALLY)] {
        let Some(name) = file.file_name().filter(|_| file.exists()) else { continue };
        let to = copy.join(name);
        fs::copy(&file, &to).and_then(|_| File::open(&to)?.sync_all()).map_err(failed(&to))?;
    }
    Ok(copy)
}

/// Creates a database with these contents, and adds them to the tally.
fn rebuild(path: &Path, contents: &Contents, left_out: LeftOut, tally: &mut Tally) -> Result<(), Box<dyn Error>> {
    // It exists if an earlier process was killed here.
    private_file(path).and_then(|file| file.set_len(0))?;
    let connection = Connection::open(path)?;
    // Nobody uses this database unless it is complete.
    connection.pragma_update(None, "journal_mode", "OFF")?;
    create_tables(&connection)?;
    connection.execute_batch("BEGIN")?;
    let mut tables = Tables { connection: &connection, tally, checksums: &mut Checksums::default() };
    let left_out = serde_json::to_vec(&left_out)?;
    tables.put_document(LEFT_OUT, "", &left_out)?;
    for (kind, documents) in &contents.documents {
        for (key, body) in documents {
            tables.put_document(kind, key, body)?;
        }
    }
    for (key, Journaled { checkpoint, state, records }) in &contents.journals {
        tables.put_journal(key, 0, checkpoint, state.as_deref())?;
        if !records.is_empty() {
            tables.put_journal(key, 1, records, None)?;
        }
    }
    Ok(connection.execute_batch("COMMIT")?)
}

/// Replaces the database by a new one.
fn replace(folder: &Folder, new: &Path) -> io::Result<()> {
    File::open(new)?.sync_all()?;
    match fs::remove_file(folder.log()) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    fs::rename(new, folder.database())?;
    // Not all systems can open a folder like a file. Where they cannot, the order of changes of a folder is theirs.
    File::open(folder.path()).map_or(Ok(()), |folder| folder.sync_all())
}
