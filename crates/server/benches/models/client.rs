//! A client for the Model Context Protocol that does as little as it can: one connection, which stays open.

use std::cell::RefCell;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};

/// What each request says of the client.
const META: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"bench","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}"#;

/// A seat, with a connection of its own.
pub(crate) struct Seat {
    connection: RefCell<BufReader<TcpStream>>,
    /// The request that walks by a cell.
    walk: Vec<u8>,
}

impl Seat {
    /// Takes an entity.
    pub(crate) fn join(server: SocketAddr, path: &str) -> Self {
        let mut connection = connect(server);
        let answer = exchange(&mut connection, &request(server, path, "join", "{}"));
        let seat = answer.split("\"seat\":\"").nth(1).and_then(|rest| rest.split('"').next()).expect("it has a seat");
        Self::with(connection, server, path, seat)
    }

    /// A seat that needs no `join`.
    pub(crate) fn at(server: SocketAddr, path: &str, seat: &str) -> Self {
        Self::with(connect(server), server, path, seat)
    }

    fn with(connection: BufReader<TcpStream>, server: SocketAddr, path: &str, seat: &str) -> Self {
        let walk = request(server, path, "walk", &format!(r#"{{"seat":"{seat}","cells":1}}"#));
        Self { connection: RefCell::new(connection), walk }
    }

    /// Walks, and reads what is perceived then.
    pub(crate) fn walk(&self) {
        let answer = exchange(&mut self.connection.borrow_mut(), &self.walk);
        assert!(answer.contains("at(") && answer.contains("\"isError\":false"), "{answer}");
    }
}

fn connect(server: SocketAddr) -> BufReader<TcpStream> {
    let connection = TcpStream::connect(server).expect("it listens");
    connection.set_nodelay(true).expect("it is open");
    BufReader::new(connection)
}

fn request(server: SocketAddr, path: &str, tool: &str, arguments: &str) -> Vec<u8> {
    let body = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"{tool}","arguments":{arguments},{META}}}}}"#
    );
    let head = format!(
        "POST {path} HTTP/1.1\r\nhost: {server}\r\naccept: application/json, text/event-stream\r\n\
         content-type: application/json\r\nmcp-protocol-version: 2026-07-28\r\nmcp-method: tools/call\r\n\
         mcp-name: {tool}\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    (head + &body).into_bytes()
}

/// Sends a request, and returns the body of the response.
fn exchange(connection: &mut BufReader<TcpStream>, request: &[u8]) -> String {
    connection.get_mut().write_all(request).expect("it is open");
    let mut length = 0;
    let mut line = String::new();
    loop {
        line.clear();
        connection.read_line(&mut line).expect("it is open");
        if line == "\r\n" {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().expect("a number");
        }
    }
    let mut body = vec![0; length];
    connection.read_exact(&mut body).expect("it is open");
    String::from_utf8(body).expect("text")
}
