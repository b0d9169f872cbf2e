//! Addresses of servers: `ws://`, `wss://`, `tcp://` and `tls://`.

use std::fmt;
use std::str::FromStr;

use crate::Error;

/// Default port of `tcp` and `tls`. The defaults of `ws` and `wss` are 80 and 443, as in HTTP.
pub const PORT: u16 = 7467;

/// Default path of the WebSocket of a server.
pub const PATH: &str = "/ws";

/// The address of a server: `"tcp://localhost".parse::<Address>()` is `tcp://localhost:7467`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    pub(crate) scheme: Scheme,
    pub(crate) host: String,
    pub(crate) port: u16,
    path: String,
}

/// A scheme of addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Scheme {
    name: &'static str,
    pub(crate) websocket: bool,
    pub(crate) encrypted: bool,
    port: u16,
}

const SCHEMES: [Scheme; 4] = [
    Scheme { name: "ws", websocket: true, encrypted: false, port: 80 },
    Scheme { name: "wss", websocket: true, encrypted: true, port: 443 },
    Scheme { name: "tcp", websocket: false, encrypted: false, port: PORT },
    Scheme { name: "tls", websocket: false, encrypted: true, port: PORT },
];

impl FromStr for Address {
    type Err = Error;

    /// Parses an address.
    fn from_str(text: &str) -> Result<Self, Error> {
        let Some((name, rest)) = text.split_once("://") else {
            return Err(wrong(text, "the scheme is missing", SCHEMES[0]));
        };
        let Some(scheme) = SCHEMES.into_iter().find(|scheme| scheme.name == name) else {
            let scheme = SCHEMES[usize::from(name == "https")];
            return Err(wrong(text, "its scheme is not ws, wss, tcp or tls", scheme));
        };
        let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        let (host, port) = host_and_port(authority).ok_or_else(|| wrong(text, "host and port are invalid", scheme))?;
        let path = match path {
            "" | "/" => PATH,
            _ if !scheme.websocket => return Err(wrong(text, "only WebSockets have a path", scheme)),
            path => path,
        };
        Ok(Self { scheme, host: host.into(), port: port.unwrap_or(scheme.port), path: path.into() })
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { scheme, host, port, path } = self;
        let path = if scheme.websocket { path } else { "" };
        match host.contains(':') {
            true => write!(f, "{}://[{host}]:{port}{path}", scheme.name),
            false => write!(f, "{}://{host}:{port}{path}", scheme.name),
        }
    }
}

/// The parts of `host`, `host:port`, `[::1]` and `[::1]:port`.
fn host_and_port(authority: &str) -> Option<(&str, Option<u16>)> {
    let (host, port) = match authority.strip_prefix('[') {
        Some(bracketed) => bracketed.split_once(']')?,
        None => authority.split_at(authority.find(':').unwrap_or(authority.len())),
    };
    if host.is_empty() || host.contains('@') {
        return None;
    }
    match port.strip_prefix(':') {
        Some(port) => Some((host, Some(port.parse().ok()?))),
        None => port.is_empty().then_some((host, None)),
    }
}

fn wrong(address: &str, why: &str, scheme: Scheme) -> Error {
    Error::Address { address: address.into(), why: why.into(), scheme: scheme.name }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_addresses_with_defaults() {
        for (text, whole) in [
            ("ws://127.0.0.1:7467", "ws://127.0.0.1:7467/ws"),
            ("ws://example.org", "ws://example.org:80/ws"),
            ("wss://example.org/", "wss://example.org:443/ws"),
            ("wss://example.org/lab/ws", "wss://example.org:443/lab/ws"),
            ("tcp://localhost", "tcp://localhost:7467"),
            ("tls://[::1]:99", "tls://[::1]:99"),
            ("tcp://[::1]", "tcp://[::1]:7467"),
        ] {
            assert_eq!(text.parse().map(|address: Address| address.to_string()), Ok(whole.into()), "{text}");
        }
    }

    #[test]
    fn rejects_other_text_and_suggests_a_scheme() {
        for (text, scheme) in [
            ("127.0.0.1:7467", "ws"),
            ("http://localhost:7467", "ws"),
            ("https://localhost", "wss"),
            ("tcp://localhost:7467/ws", "tcp"),
            ("tcp://localhost:port", "tcp"),
            ("tcp://", "tcp"),
            ("ws://[::1", "ws"),
            ("ws://me@localhost", "ws"),
        ] {
            let Err(error) = text.parse::<Address>() else { panic!("{text} was parsed") };
            assert!(error.to_string().ends_with(&format!("write it as {scheme}://HOST:PORT")), "{error}");
        }
    }
}
