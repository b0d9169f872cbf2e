//! Settings of a server.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use situated_hub::Access;
use situated_recording::RecorderSettings;
use situated_wire::methods::Limits;

/// The default port of a server.
pub const PORT: u16 = 7467;

/// Settings of a server.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Where it listens.
    pub address: SocketAddr,
    /// Whether it may listen beyond this machine although everybody may do everything.
    pub exposed: bool,
    /// Tokens and their rights.
    pub access: Access,
    /// The origins of pages of others that may connect, such as `https://example.org`; its own page always may.
    pub origins: Vec<String>,
    /// Certificate chain and private key, in PEM files, for encrypted connections.
    pub tls: Option<TlsFiles>,
    /// The limits of a connection.
    pub limits: Limits,
    /// How many connections there can be. Beyond them, those that have not said hello make room for newcomers; if all
    /// have, newcomers are refused with the reason.
    pub connections: usize,
    /// How many of them can come from one address (of IPv6, one network of 64 bits).
    pub connections_per_address: usize,
    /// How many bytes all clients together can make the server keep, and those of one address half of it: unfinished
    /// frames, answers that nobody reads, calls that wait. Beyond it, clients that owe much are read more slowly, and then
    /// those that owe most are disconnected. By default, an eighth of the machine's memory.
    pub memory: Option<usize>,
    /// How many environments there can be.
    pub environments: usize,
    /// How long a connection may take to say hello.
    pub greeting: Duration,
    /// How long a frame may take from its first byte to its last.
    pub finishing: Duration,
    /// The time within which each client must send something, if that is demanded of them.
    pub heartbeat: Option<Duration>,
    /// How long a session outlives its connection.
    pub grace: Duration,
    /// The folder in which all episodes are recorded, and what of them.
    pub record: Option<(PathBuf, RecorderSettings)>,
    /// Whether environments pause as long as they cannot be recorded.
    pub pause_unrecorded: bool,
    /// Where environments and sessions are kept, if they are.
    pub data: Option<DataSettings>,
}

/// Where environments and sessions are kept, so that a server that starts again goes on with them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataSettings {
    /// The folder. One server at a time uses it.
    pub folder: PathBuf,
    /// Whether what is kept survives a power failure, and not only the end of the process. Each write waits for the disk.
    pub sync: bool,
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
            data: None,
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
