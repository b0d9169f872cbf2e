//! The folder of a store, and the reasons for which it cannot be used. Only its owner can read its files, and only one process
//! at a time uses it.

use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

/// The name of the file with the data.
const DATA: &str = "data.db";

/// The name of the file that the process locks. It contains the description of that process.
const LOCK: &str = "lock";

/// Creates the folder if it does not exist, and locks it for this process, which `holder` describes. Returns the
/// locked file and the path of the file with the data.
pub(crate) fn open(folder: &Path, holder: &str) -> Result<(File, PathBuf), OpenError> {
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |reason| OpenError::Folder { path, reason }
    };
    make_folder(folder).map_err(failed(folder))?;
    let path = folder.join(LOCK);
    let mut lock = private_file(&path).map_err(failed(&path))?;
    match lock.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            let mut holder = String::new();
            lock.read_to_string(&mut holder).map_err(failed(&path))?;
            return Err(OpenError::InUse { folder: folder.to_owned(), holder });
        }
        Err(TryLockError::Error(reason)) => return Err(failed(&path)(reason)),
    }
    let noted = lock.set_len(0).and_then(|()| lock.rewind()).and_then(|()| lock.write_all(holder.as_bytes()));
    noted.map_err(failed(&path))?;
    let data = folder.join(DATA);
    private_file(&data).map_err(failed(&data))?;
    Ok((lock, data))
}

fn make_folder(folder: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Opens a file that only its owner can read; creates it if it does not exist.
fn private_file(path: &Path) -> io::Result<File> {
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
    /// The file is not a store, or cannot be read.
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

/// A document or journal of the store that cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("{what} `{key}` in the data cannot be read: {reason}")]
pub struct Damaged {
    /// The kind of document, or that it is a journal.
    pub what: &'static str,
    /// Its key.
    pub key: String,
    /// The fault.
    pub reason: String,
}
