//! Addresses of servers: `ws://`, `wss://`, `tcp://` and `tls://`.

use std::fmt;
use std::str::FromStr;

use crate::Error;

/// The port of a server if an address over TCP or TLS names none. Over WebSocket it is 80 or 443, as for all of HTTP.
pub const PORT: u16 = 7467;

/// Where the WebSocket of a server is if an address names no path.
pub const PATH: &str = "/ws";

/// The address of a server: `"tcp://localhost".parse::<Address>()` is `tcp://localhost:7467`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    pub(crate) way: Way,
    pub(crate) host: String,
    pub(crate) port: u16,
    path: String,
}

/// How a server is spoken to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Way {
    scheme: &'static str,
    pub(crate) websocket: bool,
    pub(crate) encrypted: bool,
    port: u16,
}

const WAYS: [Way; 4] = [
    Way { scheme: "ws", websocket: true, encrypted: false, port: 80 },
    Way { scheme: "wss", websocket: true, encrypted: true, port: 443 },
    Way { scheme: "tcp", websocket: false, encrypted: false, port: PORT },
    Way { scheme: "tls", websocket: false, encrypted: true, port: PORT },
];

impl FromStr for Address {
    type Err = Error;

    /// Reads an address. An error says how to write it.
    fn from_str(text: &str) -> Result<Self, Error> {
        let Some((scheme, rest)) = text.split_once("://") else {
            return Err(wrong(text, "it does not say how to speak to it", WAYS[0]));
        };
        let Some(way) = WAYS.into_iter().find(|way| way.scheme == scheme) else {
            let way = WAYS[usize::from(scheme == "https")];
            return Err(wrong(text, "there are ws, wss, tcp and tls", way));
        };
        let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        let (host, port) = host_and_port(authority).ok_or_else(|| wrong(text, "that is no host and port", way))?;
        let path = match path {
            "" | "/" => PATH,
            _ if !way.websocket => return Err(wrong(text, "only WebSockets have a path", way)),
            path => path,
        };
        Ok(Self { way, host: host.into(), port: port.unwrap_or(way.port), path: path.into() })
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { way, host, port, path } = self;
        let path = if way.websocket { path } else { "" };
        match host.contains(':') {
            true => write!(f, "{}://[{host}]:{port}{path}", way.scheme),
            false => write!(f, "{}://{host}:{port}{path}", way.scheme),
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

fn wrong(address: &str, why: &str, way: Way) -> Error {
    Error::Address { address: address.into(), why: why.into(), scheme: way.scheme }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_out_is_as_usual() {
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
    fn what_is_no_address_is_refused_with_what_could_be_meant() {
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
            let Err(error) = text.parse::<Address>() else { panic!("{text} is read") };
            assert!(error.to_string().ends_with(&format!("write it as {scheme}://HOST:PORT")), "{error}");
        }
    }
}
