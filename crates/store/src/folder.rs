//! The folder of a store, and the reasons for which it cannot be used. Only its owner can read its files, and only one
//! process at a time uses it.

use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

use crate::damage::{self, Damage};
use crate::tally::{Found, Tally, TallyFile};

/// The name of the database.
pub(crate) const DATABASE: &str = "data.db";

/// The end of the name of SQLite's log, after that of the database.
const LOG: &str = "-wal";

/// The name of the file with the tally of all changes.
pub(crate) const TALLY: &str = "data.tally";

/// The name of the file that the process locks. It contains the description of that process.
const LOCK: &str = "lock";

/// The folder of a store, locked for this process.
pub(crate) struct Folder {
    path: PathBuf,
    database: PathBuf,
    tally: TallyFile,
    /// The lock is held while this file is open.
    lock: File,
}

impl Folder {
    /// Creates the folder if it does not exist, and locks it for this process, which `holder` describes.
    pub(crate) fn open(path: &Path, holder: &str) -> Result<Self, OpenError> {
        make_folder(path).map_err(failed(path))?;
        let lock_path = path.join(LOCK);
        let mut lock = private_file(&lock_path).map_err(failed(&lock_path))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut holder = String::new();
                lock.read_to_string(&mut holder).map_err(failed(&lock_path))?;
                return Err(OpenError::InUse { folder: path.to_owned(), holder });
            }
            Err(TryLockError::Error(reason)) => return Err(failed(&lock_path)(reason)),
        }
        let tally_path = path.join(TALLY);
        let tally = TallyFile::new(private_file(&tally_path).map_err(failed(&tally_path))?);
        let database = path.join(DATABASE);
        private_file(&database).map_err(failed(&database))?;
        let mut folder = Self { path: path.to_owned(), database, tally, lock };
        folder.begin(holder)?;
        Ok(folder)
    }

    /// Writes the first tally of a new folder, and then the holder into the lock. So a folder whose lock is not empty
    /// has had a tally.
    fn begin(&mut self, holder: &str) -> Result<(), OpenError> {
        let is_new = self.read_tally()? == Found::Nothing && self.is_database_empty()?;
        let lock_path = self.path.join(LOCK);
        let was_held = self.lock.metadata().map_err(failed(&lock_path))?.len() > 0;
        if is_new && !was_held {
            let written = self.tally.write(&Tally::default()).and_then(|()| self.tally.sync());
            written.map_err(failed(&self.path.join(TALLY)))?;
        }
        let lock = &mut self.lock;
        let noted = lock.set_len(0).and_then(|()| lock.rewind()).and_then(|()| lock.write_all(holder.as_bytes()));
        noted.map_err(failed(&lock_path))
    }

    /// The path of the folder.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The path of the database.
    pub(crate) fn database(&self) -> &Path {
        &self.database
    }

    /// The path of SQLite's log.
    pub(crate) fn log(&self) -> PathBuf {
        let mut path = self.database.clone().into_os_string();
        path.push(LOG);
        path.into()
    }

    /// Whether there is no database.
    pub(crate) fn is_database_empty(&self) -> Result<bool, OpenError> {
        let database = fs::metadata(&self.database).map_err(failed(&self.database))?;
        Ok(database.len() == 0)
    }

    /// The file with the tally.
    pub(crate) fn tally(&mut self) -> &mut TallyFile {
        &mut self.tally
    }

    /// Reads the tally.
    pub(crate) fn read_tally(&mut self) -> Result<Found, OpenError> {
        self.tally.read().map_err(failed(&self.path.join(TALLY)))
    }
}

/// Returns the error about a file or folder.
pub(crate) fn failed(path: &Path) -> impl FnOnce(io::Error) -> OpenError + use<> {
    let path = path.to_owned();
    move |reason| OpenError::Folder { path, reason }
}

/// Creates a folder that only its owner can read, unless it exists.
pub(crate) fn make_folder(folder: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Opens a file that only its owner can read; creates it if it does not exist.
pub(crate) fn private_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(path)?;
    #[cfg(unix)]
    fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o600))?;
    Ok(file)
}

/// The reason why a store cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The folder or a file in it cannot be created or opened.
    #[error("cannot use `{}`: {reason}", path.display())]
    Folder {
        /// The folder or file.
        path: PathBuf,
        /// The error of the operating system.
        reason: io::Error,
    },
    /// Another process uses the folder.
    #[error("`{}` is in use by {holder}; stop that server first, or name another folder", folder.display())]
    InUse {
        /// The folder.
        folder: PathBuf,
        /// The process, as it has described itself.
        holder: String,
    },
    /// Changes that were written are no longer there.
    #[error("the data in `{}` are damaged: {}", folder.display(), damage::list(damages))]
    Damaged {
        /// The folder.
        folder: PathBuf,
        /// The damaged parts, at least one.
        damages: Vec<Damage>,
    },
    /// The database cannot be read or written.
    #[error("cannot read `{}`: {reason}", path.display())]
    Database {
        /// The file.
        path: PathBuf,
        /// The error of the database.
        reason: String,
    },
    /// The file was written by another version of this program.
    #[error(
        "`{}` has format {found}, and this version of situated reads format {expected}; use the version that wrote it, or \
         name another folder",
        path.display()
    )]
    Format {
        /// The file.
        path: PathBuf,
        /// The number in the file.
        found: i64,
        /// The number that this version writes.
        expected: i64,
    },
}

/// A document or journal of the store that this version of the program cannot read.
#[derive(Debug, thiserror::Error)]
#[error("{what} `{key}` in the data cannot be read: {reason}; use the version of situated that wrote it")]
pub struct Unreadable {
    /// The kind of document, or that it is a journal.
    pub what: &'static str,
    /// Its key.
    pub key: String,
    /// The fault.
    pub reason: String,
}
