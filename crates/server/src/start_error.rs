//! Reasons why a server cannot start.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

/// The reason why a server cannot start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// Everyone in the network could do everything.
    #[error(
        "{address} can be reached from other machines, and there are no tokens: every client could do everything; \
         give tokens (--token-file), listen on 127.0.0.1, or say --exposed if that is what you want"
    )]
    Exposed {
        /// The requested address.
        address: SocketAddr,
    },
    /// The server cannot listen at the address.
    #[error("cannot listen on {address}: {reason}; is there another server? try --port")]
    Listen {
        /// The requested address.
        address: SocketAddr,
        /// The error of the system.
        reason: io::Error,
    },
    /// The folder for recordings cannot be created.
    #[error("cannot record in the folder {}: {reason}; give --record another one", folder.display())]
    Record {
        /// The folder.
        folder: PathBuf,
        /// The error of the system.
        reason: io::Error,
    },
    /// The data cannot be used.
    #[error(transparent)]
    Data(#[from] situated_store::OpenError),
    /// A document in the data is damaged.
    #[error(transparent)]
    Damaged(#[from] situated_store::Damaged),
    /// The certificate or key cannot be used.
    #[error("cannot use {} for encrypted connections: {reason}", file.display())]
    Tls {
        /// The file.
        file: PathBuf,
        /// The problem.
        reason: String,
    },
}
