//! Clients that make the server use much memory: unfinished frames, unread answers, pongs, pages.

use std::io;
use std::time::Duration;

use serde_json::{Value, json};
use situated_server::{LIMITS, Settings};
use situated_wire::methods::Limits;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};

use crate::client::{Client, Resident};
use crate::server::{PATIENCE, Running, settings, start};

/// Number of bytes that a client can write before the buffers of both systems are full.
const BUFFERS: usize = 32 << 20;

/// Settings with short time limits.
fn hasty() -> Settings {
    Settings { limits: Limits { read_timeout_ms: 300, ..LIMITS }, ..settings() }
}

/// Writes a text repeatedly without reading, until the connection ends. Returns the number of bytes written.
async fn write_until_it_ends(stream: &TcpStream, text: &[u8]) -> usize {
    let mut written = 0;
    let writing = async {
        loop {
            match stream.try_write(text) {
                Ok(more) => written += more,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => sleep(Duration::from_millis(5)).await,
                Err(_) => return,
            }
            assert!(written < BUFFERS, "the server never stops reading");
        }
    };
    timeout(PATIENCE, writing).await.expect("the connection ends");
    written
}

/// A WebSocket over which nothing has been sent.
async fn websocket(server: &Running) -> TcpStream {
    let mut stream = TcpStream::connect(server.address).await.expect("the server listens");
    let request = format!(
        "GET /ws HTTP/1.1\r\nHost: {}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
         Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
        server.address
    );
    stream.write_all(request.as_bytes()).await.expect("the server reads");
    let mut answer = [0; 12];
    stream.read_exact(&mut answer).await.expect("the server answers");
    assert_eq!(&answer, b"HTTP/1.1 101");
    stream
}

/// A WebSocket frame of a client, with a zero mask.
fn frame(kind: u8, payload: &[u8]) -> Vec<u8> {
    let length = u8::try_from(payload.len()).expect("it is short");
    assert!(length < 126);
    [&[0x80 | kind, 0x80 | length, 0, 0, 0, 0], payload].concat()
}

#[tokio::test(flavor = "multi_thread")]
async fn stops_reading_from_a_client_that_sends_pings_and_reads_no_pongs() {
    let server = start(hasty()).await;
    let mut resident = Resident::new(&server).await;
    let pings = frame(9, &[0; 125]).repeat(1000);
    let silent = websocket(&server).await;
    write_until_it_ends(&silent, &pings).await;
    let mut greeted = websocket(&server).await;
    let hello = json!({ "jsonrpc": "2.0", "method": "hello", "params": { "protocol": 2, "role": "agent" } });
    greeted.write_all(&frame(1, hello.to_string().as_bytes())).await.expect("the server reads");
    write_until_it_ends(&greeted, &pings).await;
    resident.check().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_pings_between_the_parts_of_a_frame() {
    let server = start(Settings { finishing: Duration::from_millis(300), ..settings() }).await;
    let mut client = websocket(&server).await;
    for _ in 0..50 {
        client.write_all(&frame(9, b"here")).await.expect("the server reads");
        let mut pong = [0; 6];
        // The response to the upgrade ends somewhere before the first pong.
        loop {
            client.read_exact(&mut pong[..1]).await.expect("the server answers");
            if pong[0] == 0x8a {
                break;
            }
        }
        client.read_exact(&mut pong[1..]).await.expect("the server answers");
        assert_eq!(&pong, b"\x8a\x04here");
        sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn disconnects_a_browser_that_does_not_read_the_page() {
    let server = start(hasty()).await;
    let mut resident = Resident::new(&server).await;
    let browser = TcpStream::connect(server.address).await.expect("the server listens");
    let requests = format!("GET / HTTP/1.1\r\nHost: {}\r\n\r\n", server.address).repeat(100);
    write_until_it_ends(&browser, requests.as_bytes()).await;
    resident.check().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn disconnects_clients_that_never_finish_a_frame() {
    let server = start(Settings { finishing: Duration::from_millis(200), ..settings() }).await;
    let mut resident = Resident::new(&server).await;
    let mut client = Client::platform(&server).await;
    sleep(Duration::from_millis(400)).await;
    client.get("ping", json!({})).await;
    client.send("{\"jsonrpc\":").await;
    assert_eq!(client.frame().await, None);
    resident.check().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn limits_the_memory_for_unfinished_frames() {
    const MEMORY: usize = 4 << 20;
    let server = start(Settings { memory: Some(MEMORY), ..settings() }).await;
    let mut resident = Resident::new(&server).await;
    let mut hoarders = Vec::new();
    let part = "x".repeat(64 << 10);
    for number in 0..60 {
        let mut hoarder =
            if number % 2 == 0 { Client::connect(&server).await } else { Client::platform(&server).await };
        for _ in 0..14 {
            // The server reads no more from slowed or closed connections.
            let _ = timeout(Duration::from_millis(5), hoarder.stream.get_mut().write_all(part.as_bytes())).await;
        }
        hoarders.push(hoarder);
        resident.check().await;
        let kept = usize::try_from(server.metric("situated_connection_bytes").await).expect("not less than nothing");
        assert!(kept <= MEMORY, "{kept} bytes are kept");
    }
    drop(hoarders);
    server.comes_back_to(1, 1).await;
    assert_eq!(server.metric("situated_connection_bytes").await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn limits_the_memory_for_waiting_answers() {
    const MEMORY: usize = 2 << 20;
    let server = start(Settings { memory: Some(MEMORY), grace: Duration::from_millis(100), ..settings() }).await;
    let mut resident = Resident::new(&server).await;
    let call = |method: &str, params: Value| json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
    // The answers of a batch wait for the last of them, which never comes.
    let after = json!({ "episode": 1000, "step": 0, "time": 0 });
    let mut batch = vec![call("wait", json!({ "environment": "home", "after": after }))];
    batch.resize(200, call("describe", json!({ "environment": "home" })));
    let batch = format!("{}\n", json!(batch));
    let mut deaf = Vec::new();
    let mut most = 0;
    for _ in 0..16 {
        let mut client = Client::platform(&server).await;
        client.send(&batch).await;
        deaf.push(client);
        resident.check().await;
        let kept = usize::try_from(server.metric("situated_connection_bytes").await).expect("not less than nothing");
        assert!(kept <= MEMORY, "{kept} bytes are kept");
        most = most.max(kept);
    }
    assert!(most > MEMORY / 4, "the answers used too little memory for this test: {most} bytes");
    drop(deaf);
    server.comes_back_to(1, 1).await;
    assert_eq!(server.metric("situated_connection_bytes").await, 0);
}
