//! The server of the official package for Python.

use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use crate::client::Seat;
use crate::local;

/// A server whose tool does as the environment of this benchmark.
const PROGRAM: &str = r#"
import sys
from mcp.server import MCPServer

server = MCPServer("field")
places = {}

@server.tool()
def walk(seat: str, cells: int) -> dict:
    """Walks a number of cells."""
    places[seat] = places.get(seat, 0) + cells
    return {"now": [f"at({places[seat]})"]}

server.run(transport="streamable-http", port=int(sys.argv[1]), stateless_http=True, json_response=True)
"#;

/// A running server. Dropping this value stops it.
pub(crate) struct Rival {
    process: Child,
    port: u16,
}

impl Rival {
    /// Starts the server, if `MCP_PYTHON` names a Python.
    pub(crate) fn start() -> Option<Self> {
        let python = std::env::var("MCP_PYTHON").ok()?;
        let port = TcpListener::bind(local(0)).and_then(|listener| listener.local_addr()).expect("a free port").port();
        let mut command = Command::new(python);
        command.args(["-c", PROGRAM, &port.to_string()]).stdout(Stdio::null()).stderr(Stdio::null());
        let mut process = command.spawn().expect("it can be started");
        while TcpStream::connect(local(port)).is_err() {
            assert!(process.try_wait().is_ok_and(|ended| ended.is_none()), "it needs the package mcp");
            sleep(Duration::from_millis(50));
        }
        Some(Self { process, port })
    }

    /// A seat of its own.
    pub(crate) fn seat(&self, number: usize) -> Seat {
        Seat::at(local(self.port), "/mcp", &number.to_string())
    }

    pub(crate) fn id(&self) -> u32 {
        self.process.id()
    }
}

impl Drop for Rival {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
