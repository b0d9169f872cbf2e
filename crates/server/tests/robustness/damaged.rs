//! Runs the properties of connections, which cargo-fuzz also checks, on a fixed set of damaged inputs.

#[path = "../../../../fuzz/src/connections.rs"]
pub mod connections;
#[path = "../../../../fuzz/src/damage.rs"]
pub mod damage;

/// The messages of clients, from `hello` to `bye`.
const LINES: &str = concat!(
    r#"{"jsonrpc":"2.0","id":1,"method":"hello","params":{"protocol":2,"role":"platform"}}"#,
    "\n",
    r#"{"jsonrpc":"2.0","id":2,"method":"createEnvironment","params":{"kind":"find-goals","environment":"maze","start":true}}"#,
    "\n",
    r#"[{"jsonrpc":"2.0","id":3,"method":"register","params":{"environment":"maze","agent":"ada"}},"#,
    r#"{"jsonrpc":"2.0","id":4,"method":"associate","params":{"environment":"maze","agent":"ada","entity":"red"}}]"#,
    "\n",
    r#"{"jsonrpc":"2.0","id":5,"method":"step","params":{"environment":"maze","agents":[{"agent":"ada","action":"move(north)"}]}}"#,
    "\n",
    r#"{"jsonrpc":"2.0","id":6,"method":"removeEnvironment","params":{"environment":"maze"}}"#,
    "\n",
    r#"{"jsonrpc":"2.0","id":7,"method":"bye"}"#,
    "\n",
);

const UPGRADE: &str = "GET /ws HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
    Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";

const PAGES: &str = "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\nGET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\n\
    Authorization: Bearer x\r\nConnection: close\r\n\r\n";

/// A WebSocket connection: the upgrade, each line as a message with a zero mask, a ping, and the end.
fn websocket() -> Vec<u8> {
    let mut bytes = UPGRADE.as_bytes().to_vec();
    for line in LINES.lines() {
        let length = u16::try_from(line.len()).expect("it is short").to_be_bytes();
        bytes.extend([0x81, 0x80 | 126]);
        bytes.extend(length.into_iter().chain([0; 4]).chain(line.bytes()));
    }
    bytes.extend(*b"\x89\x84\0\0\0\0here\x88\x80\0\0\0\0");
    bytes
}

#[test]
fn damaged_connections() {
    let documents = [LINES.as_bytes().to_vec(), websocket(), PAGES.as_bytes().to_vec()];
    damage::try_damaged(&documents, 2_000, connections::connection);
}
