//! Errors of opening and reading a store.

use std::io;
use std::path::PathBuf;

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
