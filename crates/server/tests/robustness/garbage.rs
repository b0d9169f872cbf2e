//! Bytes that no client should send, and the properties of connections that cargo-fuzz checks, with a fixed set of
//! damaged inputs.

use serde_json::json;
use situated_server::{LIMITS, Settings};
use situated_wire::methods::Limits;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::client::{Client, Resident};
use crate::server::{PATIENCE, settings, start};

#[tokio::test(flavor = "multi_thread")]
async fn rejects_garbage_without_disturbing_others() {
    let server = start(settings()).await;
    let mut resident = Resident::new(&server).await;
    let long = vec![b'['; 3 << 20];
    let not_text: Vec<u8> = (128..=255).chain(0..=255).chain([b'\n']).collect();
    for garbage in [
        b"\0\0\0\0\n".as_slice(),
        &not_text,
        &long,
        b"{}\n{}\n{}\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"XYZ\r\n\r\n",
        b"HELLO there\n",
        b"\n\n\n\n",
        b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"hello\"",
    ] {
        let mut stream = TcpStream::connect(server.address).await.expect("the server listens");
        // The server may close the connection before it has read everything.
        let _ = stream.write_all(garbage).await;
        let _ = stream.shutdown().await;
        let mut answer = Vec::new();
        let closed = timeout(PATIENCE, stream.read_to_end(&mut answer)).await;
        assert!(closed.is_ok(), "{:?}", &garbage[..garbage.len().min(20)]);
        resident.check().await;
    }
    server.comes_back_to(1, 1).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn reports_a_frame_that_is_too_long_before_reading_all_of_it() {
    let limits = Limits { frame_bytes: 1000, ..LIMITS };
    let server = start(Settings { limits, ..settings() }).await;
    let mut resident = Resident::new(&server).await;
    for _ in 0..20 {
        let mut client = Client::platform(&server).await;
        client.begin("ping", json!({})).await;
        let _ = client.stream.get_mut().write_all(&vec![b' '; 1 << 20]).await;
        let answer = client.frame().await.expect("what came before is answered");
        assert!(answer["result"]["time"].is_u64(), "{answer}");
        assert_eq!(client.closing().await, "limit");
    }
    resident.check().await;
    server.comes_back_to(1, 1).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_valid_calls_in_a_packet_with_an_invalid_one() {
    let server = start(settings()).await;
    let mut client = Client::platform(&server).await;
    let ping = |id: i64| json!({ "jsonrpc": "2.0", "id": id, "method": "ping" }).to_string();
    let bytes = [format!("{}\n{}\n", ping(101), ping(102)).as_bytes(), b"\xff\xff\n"].concat();
    client.stream.get_mut().write_all(&bytes).await.expect("the server reads");
    for id in [101, 102] {
        assert_eq!(client.frame().await.expect("an answer")["id"], id);
    }
    assert_eq!(client.closing().await, "parse");
}

#[tokio::test(flavor = "multi_thread")]
async fn errors_name_the_place_in_the_frame_and_the_nearest_name() {
    let server = start(settings()).await;
    let mut client = Client::platform(&server).await;
    client.get("createEnvironment", json!({ "kind": "find-goals", "environment": "game", "start": true })).await;
    client.get("register", json!({ "environment": "game", "agent": "ada" })).await;
    client.get("associate", json!({ "environment": "game", "agent": "ada", "entity": "red" })).await;
    for (method, params, expected) in [
        ("createEnvironment", json!({ "kind": "Find-Goals", "environment": "other" }), "; did you mean `find-goals`?"),
        ("status", json!({ "environment": "gaem" }), "; did you mean `game`?"),
        ("perceive", json!({ "environment": "game", "agent": "aad" }), "; did you mean `ada`?"),
        (
            "manage",
            json!({ "environment": "game", "command": 5 }),
            " (`params.command`): found `5`, expected one of `init`, ",
        ),
    ] {
        let answer = client.call(method, params).await;
        let said = answer.map_or_else(|error| error.to_string(), |answer| answer.to_string());
        assert!(said.contains(expected), "{method}: {said}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn accepts_a_frame_byte_by_byte() {
    let server = start(settings()).await;
    let mut client = Client::connect(&server).await;
    let hello =
        json!({ "jsonrpc": "2.0", "id": 1, "method": "hello", "params": { "protocol": 2, "role": "platform" } });
    for byte in format!("{hello}\r\n").bytes() {
        client.stream.get_mut().write_all(&[byte]).await.expect("the server reads");
        tokio::task::yield_now().await;
    }
    assert_eq!(client.answer(1).await.expect("a greeting")["protocol"], 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_clients_that_have_closed_their_sending_side() {
    let server = start(settings()).await;
    let mut client = Client::platform(&server).await;
    for _ in 0..100 {
        client.begin("ping", json!({})).await;
    }
    client.stream.get_mut().shutdown().await.expect("it is open");
    for id in 2..=101 {
        assert_eq!(client.frame().await.expect("an answer")["id"], id);
    }
    server.comes_back_to(0, 0).await;
}

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
