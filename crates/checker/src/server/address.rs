//! Addresses of servers.

use std::fmt;
use std::str::FromStr;

/// The address of a server, with the transport: `ws://HOST:PORT/ws` or `tcp://HOST:PORT`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    /// The transport of frames.
    pub transport: Transport,
    /// Host and port.
    pub authority: String,
    /// The path of the WebSocket; empty for lines.
    pub path: String,
}

/// The transport of frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transport {
    /// Lines over TCP.
    Lines,
    /// Messages of a WebSocket.
    WebSocket,
}

/// The reason why nothing can be checked.
#[derive(Debug, thiserror::Error)]
pub enum Unreachable {
    /// The text is not an address of a server.
    #[error("`{0}` is no address of a server; it is ws://HOST:PORT/ws or tcp://HOST:PORT (without encryption)")]
    Address(String),
    /// No server answers at the address.
    #[error("cannot connect to {address}: {reason}")]
    Connect {
        /// The address.
        address: Address,
        /// The error.
        reason: String,
    },
    /// The server does not accept a token, or requires one.
    #[error("{address} does not let the checks in: {reason} ({option})")]
    Token {
        /// The address.
        address: Address,
        /// The error of the server.
        reason: String,
        /// The option of the command that gives the token.
        option: &'static str,
    },
    /// There is no such check.
    #[error("there is no check whose name begins with `{0}`; `--list` lists them")]
    Check(String),
}

impl FromStr for Address {
    type Err = Unreachable;

    fn from_str(text: &str) -> Result<Self, Unreachable> {
        let wrong = || Unreachable::Address(text.to_owned());
        let (scheme, rest) = text.split_once("://").ok_or_else(wrong)?;
        let (authority, path) = rest.find('/').map_or((rest, ""), |slash| rest.split_at(slash));
        let port = authority.rsplit_once(':').and_then(|(host, port)| Some((host, port.parse::<u16>().ok()?)));
        port.filter(|(host, _)| !host.is_empty()).ok_or_else(wrong)?;
        let (transport, path) = match (scheme, path) {
            ("tcp", "" | "/") => (Transport::Lines, ""),
            ("ws", "" | "/") => (Transport::WebSocket, "/ws"),
            ("ws", path) => (Transport::WebSocket, path),
            _ => return Err(wrong()),
        };
        Ok(Self { transport, authority: authority.to_owned(), path: path.to_owned() })
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = match self.transport {
            Transport::Lines => "tcp",
            Transport::WebSocket => "ws",
        };
        write!(f, "{scheme}://{}{}", self.authority, self.path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_and_prints_addresses() {
        for (text, written) in [
            ("ws://localhost:7467", "ws://localhost:7467/ws"),
            ("ws://[::1]:7467/other", "ws://[::1]:7467/other"),
            ("tcp://127.0.0.1:7467/", "tcp://127.0.0.1:7467"),
        ] {
            let address: Address = text.parse().expect(text);
            assert_eq!(address.to_string(), written);
        }
        for text in
            ["localhost:7467", "http://localhost:7467", "tcp://localhost", "tcp://:1", "tcp://a:1/b", "wss://a:1"]
        {
            assert!(text.parse::<Address>().is_err(), "{text}");
        }
    }
}
