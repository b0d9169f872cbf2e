//! The text that a server prints when it starts: its environments, its addresses, and the rights of clients.

use std::io::{self, IsTerminal};
use std::net::Ipv4Addr;

use situated_server::Server;

/// Returns the text with the addresses, and which clients and platforms can do what.
pub(super) fn text(server: &Server, open: bool, tls: bool, about_platforms: &str) -> String {
    let (listening, address) = (server.address(), server.reachable_address());
    let secure = if tls { "s" } else { "" };
    let mut text = String::new();
    for status in server.hub().statuses() {
        text += &format!("Environment {}: {}\n", status.environment, status.state);
    }
    let over = if tls { "TLS" } else { "TCP" };
    text += &format!(
        "Page:   http{secure}://{address}/\n\
         Agents: ws{secure}://{address}/ws, or lines of JSON over {over} at {address}\n\
         Models: http{secure}://{address}/mcp/ENVIRONMENT, for language models with the Model Context Protocol\n\
         Learners: http{secure}://{address}/openenv/ENVIRONMENT, for clients of OpenEnv\n"
    );
    if listening.ip().is_unspecified() {
        let (here, port) = (Ipv4Addr::LOCALHOST, listening.port());
        text += &format!("On this machine, {here}:{port} is the same server, also without a network.\n");
    }
    if listening.ip().is_loopback() {
        text += "Only this machine can connect.\n";
    }
    if open {
        text += "Without tokens, every client that can connect can do everything.\n";
    }
    text += about_platforms;
    if io::stdout().is_terminal() {
        text += "Press Ctrl-C to stop.\n";
    }
    text
}
