//! Why a server cannot start.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

/// Why a server cannot start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// Everybody in the network could do everything.
    #[error(
        "{address} can be reached from other machines, and there are no tokens: everybody could do everything; \
         give tokens (--token-file), listen on 127.0.0.1, or say --exposed if that is what you want"
    )]
    Exposed {
        /// Where it was to listen.
        address: SocketAddr,
    },
    /// The address cannot be listened on.
    #[error("cannot listen on {address}: {reason}; is there another server? try --port")]
    Listen {
        /// Where it was to listen.
        address: SocketAddr,
        /// The error of the system.
        reason: io::Error,
    },
    /// The folder for recordings cannot be made.
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
    /// Something in the data cannot be understood.
    #[error(transparent)]
    Damaged(#[from] situated_store::Damaged),
    /// Certificate or key cannot be used.
    #[error("cannot use {} for encrypted connections: {reason}", file.display())]
    Tls {
        /// The file.
        file: PathBuf,
        /// The problem.
        reason: String,
    },
}
