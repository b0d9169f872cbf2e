//! Settings for messages between this server and other platforms.

use std::path::PathBuf;

use situated_hub::Token;
use situated_platform::transport::{Form, Platform};

/// The path of the address for other platforms.
pub(crate) const PLATFORM_PATH: &str = "/acc";

/// The name of this server among platforms, and the platforms with which it exchanges messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlatformSettings {
    /// The name of this platform.
    pub name: String,
    /// The URL at which others reach it, if that is not the address at which the server listens.
    pub address: Option<String>,
    /// The other platforms. The server connects to these and no others, and accepts messages only from them.
    pub peers: Vec<PeerPlatform>,
    /// The certificates, in a PEM file, by one of which those of peers with `https` are signed. By default, these are the
    /// public certificate authorities that Mozilla trusts.
    pub peer_certificates: Option<PathBuf>,
}

/// Another platform.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PeerPlatform {
    /// Its name.
    pub name: String,
    /// The URL at which it gets messages.
    pub address: String,
    /// The form in which it gets them.
    pub form: Form,
    /// The proof that a request comes from it.
    pub proof: Proof,
    /// Whether its agents can register services in the directory of this server. They can always search it.
    pub registers: bool,
}

/// The proof that a request comes from a platform.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Proof {
    /// A secret that only the two servers know. Both send it as `Authorization: Bearer`, so it has only ASCII characters
    /// that can be seen. Each pair of servers needs one of its own: a platform can write in the name of another one that
    /// has the same.
    Secret(Token),
    /// The address of the connection, which is that of the host in the URL of the platform. Any program on that host can
    /// write in the name of its agents. JADE cannot send a secret.
    Address,
}

impl PlatformSettings {
    /// The platform of a server that listens here.
    pub(crate) fn platform(&self, listens: &str) -> Platform {
        let address = self.address.clone().unwrap_or_else(|| format!("{listens}{PLATFORM_PATH}"));
        Platform { name: self.name.clone(), address }
    }
}
