//! Settings of a server.

mod platform;

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use situated_hub::Access;
use situated_recording::RecorderSettings;
use situated_wire::methods::Limits;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

pub(crate) use platform::PLATFORM_PATH;
pub use platform::{PeerPlatform, PlatformSettings, Proof};

/// The default port of a server.
pub const PORT: u16 = 7467;

/// Settings of a server.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The address at which it listens.
    pub address: SocketAddr,
    /// Whether it may listen beyond this machine although no token is required.
    pub exposed: bool,
    /// Tokens and their rights.
    pub access: Access,
    /// The origins of other pages that may connect, such as `https://example.org`. The server's own page always may.
    pub origins: Vec<String>,
    /// Certificate chain and private key, in PEM files, for encrypted connections.
    pub tls: Option<TlsFiles>,
    /// The limits of a connection.
    pub limits: Limits,
    /// Maximum number of connections. Above it, the server closes connections that have not sent `hello`. If all
    /// have, it rejects new connections with the reason.
    pub connections: usize,
    /// Maximum number of connections from one address (for IPv6, from one /64 network).
    pub connections_per_address: usize,
    /// Maximum number of bytes that all clients together make the server use. Half of it can be kept, such as
    /// environments, and an eighth for one session; beyond that, the server refuses to keep more. Connections have the
    /// rest: unfinished frames, unread answers, waiting calls; half of the whole for one address. Near that limit, the
    /// server reads more slowly from clients that use much; at the limit, it disconnects those that use most. The default
    /// is an eighth of the machine's memory.
    pub memory: Option<usize>,
    /// Maximum number of environments.
    pub environments: usize,
    /// Maximum time from the connection to `hello`.
    pub greeting: Duration,
    /// Maximum time from the first to the last byte of a frame.
    pub finishing: Duration,
    /// The interval within which each client must send something, if clients must.
    pub heartbeat: Option<Duration>,
    /// How long a session remains after its connection is lost.
    pub grace: Duration,
    /// The folder in which all episodes are recorded, and the settings of the recorder.
    pub record: Option<(PathBuf, RecorderSettings)>,
    /// Whether environments pause while they cannot be recorded.
    pub pause_unrecorded: bool,
    /// Whether language models read the documentation of hosted environments.
    pub trust_hosts: bool,
    /// The place where environments and sessions are stored, if they are.
    pub data: Option<DataSettings>,
    /// The name of this server among platforms, if it exchanges messages with others.
    pub platform: Option<PlatformSettings>,
}

/// The place where environments and sessions are stored, so that a restarted server continues them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataSettings {
    /// The folder. Only one server can use it at a time.
    pub folder: PathBuf,
    /// Whether stored changes survive a power failure, and not only the end of the process. Each write then waits for
    /// the disk.
    pub sync: bool,
    /// Whether damaged parts are left out. Otherwise a server does not start with them.
    pub discard: bool,
}

/// The files for encrypted connections.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TlsFiles {
    /// The certificate chain.
    pub certificate: PathBuf,
    /// Its private key.
    pub key: PathBuf,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            address: (Ipv4Addr::LOCALHOST, PORT).into(),
            exposed: false,
            access: Access::open(),
            origins: Vec::new(),
            tls: None,
            limits: LIMITS,
            connections: 16_384,
            connections_per_address: 12_288,
            memory: None,
            environments: 256,
            greeting: Duration::from_secs(10),
            finishing: Duration::from_secs(30),
            heartbeat: None,
            grace: Duration::from_secs(10),
            record: None,
            pause_unrecorded: false,
            trust_hosts: false,
            data: None,
            platform: None,
        }
    }
}

/// The default limits of a connection.
pub const LIMITS: Limits = Limits {
    frame_bytes: 1 << 20,
    requests_per_second: 100_000,
    pending_requests: 1024,
    agents: 10_000,
    subscriptions: 1024,
    read_timeout_ms: 10_000,
};

/// Number of damaged parts that an error lists.
const PARTS: usize = 20;

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
    /// Changes that were written are no longer in the data.
    #[error(
        "the data in `{}` are damaged:\n{}\nrestore a copy of the folder, or start once with --data-discard to go on \
         without the damaged parts; the damaged files are then kept in a folder in it",
        folder.display(), listed(parts)
    )]
    Damaged {
        /// The folder.
        folder: PathBuf,
        /// The damaged parts, at least one.
        parts: Vec<String>,
    },
    /// This version cannot read a document in the data.
    #[error(transparent)]
    Unreadable(#[from] situated_store::Unreadable),
    /// The certificate or key cannot be used.
    #[error("cannot use {} for encrypted connections: {reason}", file.display())]
    Tls {
        /// The file.
        file: PathBuf,
        /// The problem.
        reason: String,
    },
}

/// Lists damaged parts in lines of their own.
fn listed(parts: &[String]) -> String {
    let mut lines: Vec<String> = parts.iter().take(PARTS).map(|part| format!("- {part}")).collect();
    if parts.len() > PARTS {
        lines.push(format!("- and {} more", parts.len() - PARTS));
    }
    lines.join("\n")
}

fn wrong(file: &Path, reason: String) -> StartError {
    StartError::Tls { file: file.into(), reason }
}

/// Returns the certificates in a file, at least one.
pub(crate) fn certificates(file: &Path) -> Result<Vec<CertificateDer<'static>>, StartError> {
    let certificates = CertificateDer::pem_file_iter(file)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .map_err(|error| wrong(file, error.to_string()))?;
    if certificates.is_empty() {
        return Err(wrong(file, "there is no certificate in it".into()));
    }
    Ok(certificates)
}

/// Creates the acceptor of encrypted connections with this certificate.
pub(crate) fn acceptor(files: &TlsFiles) -> Result<TlsAcceptor, StartError> {
    let TlsFiles { certificate, key } = files;
    let certificates = certificates(certificate)?;
    let private = PrivateKeyDer::from_pem_file(key).map_err(|error| wrong(key, error.to_string()))?;
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .and_then(|builder| builder.with_no_client_auth().with_single_cert(certificates, private))
        .map_err(|error| wrong(key, error.to_string()))?;
    Ok(TlsAcceptor::from(Arc::new(config)))
}
