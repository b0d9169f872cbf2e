//! What can be set about a server.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use situated_hub::Access;
use situated_recording::RecorderSettings;
use situated_wire::methods::Limits;

/// The port at which a server listens if nothing else is said.
pub const PORT: u16 = 7467;

/// What can be set about a server.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Where it listens.
    pub address: SocketAddr,
    /// Whether it may listen beyond this machine although everybody may do everything.
    pub exposed: bool,
    /// Who may do what.
    pub access: Access,
    /// The origins of pages of others that may connect, such as `https://example.org`; its own page always may.
    pub origins: Vec<String>,
    /// Certificate chain and private key, in PEM files, if connections are to be encrypted.
    pub tls: Option<TlsFiles>,
    /// What it bears from one connection.
    pub limits: Limits,
    /// How many connections there can be. Those beyond are closed at once.
    pub connections: usize,
    /// How many environments there can be.
    pub environments: usize,
    /// How long a connection may take to say hello.
    pub greeting: Duration,
    /// How long a session outlives its connection.
    pub grace: Duration,
    /// The folder in which all episodes are recorded, and what of them.
    pub record: Option<(PathBuf, RecorderSettings)>,
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
            environments: 256,
            greeting: Duration::from_secs(10),
            grace: Duration::from_secs(10),
            record: None,
        }
    }
}

/// What a server bears from one connection if nothing else is said.
pub const LIMITS: Limits = Limits {
    frame_bytes: 1 << 20,
    requests_per_second: 100_000,
    pending_requests: 1024,
    agents: 10_000,
    subscriptions: 1024,
    read_timeout_ms: 10_000,
};
