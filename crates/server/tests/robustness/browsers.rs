//! Requests that foreign pages can make a browser send.

use futures_util::StreamExt;
use serde_json::{Value, json};
use situated_server::Settings;
use tokio_tungstenite::connect_async;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::http::HeaderValue;
use tokio_tungstenite::tungstenite::{Error, Message};

use crate::client::Resident;
use crate::server::{Running, settings, start};

/// Opens a WebSocket like a page of this origin that uses this host name. If the server rejects it, returns the
/// status of the response.
async fn open(server: &Running, origin: Option<&str>, host: Option<&str>) -> Result<(), u16> {
    let mut request = format!("ws://{}/ws", server.address).into_client_request().expect("it is an address");
    for (name, value) in [("Origin", origin), ("Host", host)] {
        if let Some(value) = value {
            request.headers_mut().insert(name, HeaderValue::from_str(value).expect("a header"));
        }
    }
    match connect_async(request).await {
        Ok(_) => Ok(()),
        Err(Error::Http(response)) => Err(response.status().as_u16()),
        Err(error) => panic!("{error}"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn rejects_pages_of_other_origins() {
    let server = start(Settings { origins: vec!["https://friend.example".into()], ..settings() }).await;
    let mut resident = Resident::new(&server).await;
    let port = server.address.port();
    let (own, rebound) = (format!("http://127.0.0.1:{port}"), format!("evil.example:{port}"));
    assert_eq!(open(&server, None, None).await, Ok(()));
    assert_eq!(open(&server, Some(&own), None).await, Ok(()));
    assert_eq!(open(&server, Some("https://friend.example"), None).await, Ok(()));
    assert_eq!(open(&server, Some("http://evil.example"), None).await, Err(403));
    assert_eq!(open(&server, Some("null"), None).await, Err(403));
    assert_eq!(open(&server, Some(&format!("http://{rebound}")), Some(&rebound)).await, Err(403));
    resident.check().await;
    server.comes_back_to(1, 1).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn ignores_calls_that_a_form_posts() {
    let server = start(settings()).await;
    let mut resident = Resident::new(&server).await;
    let hello =
        json!({ "jsonrpc": "2.0", "id": 1, "method": "hello", "params": { "protocol": 2, "role": "observer" } });
    let remove =
        json!({ "jsonrpc": "2.0", "id": 2, "method": "removeEnvironment", "params": { "environment": "home" } });
    let entity = format!("{hello}\n{remove}\n");
    for path in ["/", "/ws"] {
        let length = entity.len();
        let request = format!(
            "POST {path} HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{entity}"
        );
        let answer = server.http(&request).await;
        assert!(answer.starts_with("HTTP/1.1 405"), "{answer}");
    }
    resident.check().await;
    server.comes_back_to(1, 1).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn sends_messages_of_every_length_whole_and_in_order() {
    let server = start(settings()).await;
    let (mut socket, _) = connect_async(format!("ws://{}/ws", server.address)).await.expect("the server listens");
    let hello = json!({ "jsonrpc": "2.0", "id": "", "method": "hello", "params": { "protocol": 2, "role": "agent" } });
    let mut calls = vec![hello];
    for length in [1, 125, 126, 300, 16_000, 16_380, 20_000, 2, 65_535, 66_000, 200_000, 3] {
        calls.push(json!({ "jsonrpc": "2.0", "id": "x".repeat(length), "method": "ping", "params": {} }));
    }
    for call in &calls {
        futures_util::SinkExt::send(&mut socket, Message::text(call.to_string())).await.expect("the server reads");
    }
    for call in &calls {
        let answer = socket.next().await.expect("the server answers").expect("no connection breaks");
        let answer: Value = serde_json::from_str(answer.to_text().expect("it is text")).expect("it is JSON");
        assert!(answer["id"] == call["id"] && answer["error"].is_null(), "{}", call["id"]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn closes_a_websocket_with_a_reason() {
    let server = start(settings()).await;
    let (mut socket, _) = connect_async(format!("ws://{}/ws", server.address)).await.expect("the server listens");
    futures_util::SinkExt::send(&mut socket, Message::text("{}")).await.expect("the server reads");
    let mut heard = Vec::new();
    while let Some(message) = socket.next().await {
        heard.push(message.expect("no connection breaks"));
    }
    assert!(matches!(heard.as_slice(), [Message::Text(_), Message::Text(_), Message::Close(_)]), "{heard:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn serves_metrics_only_under_names_of_this_machine() {
    let server = start(Settings { origins: vec!["https://friend.example".into()], ..settings() }).await;
    let port = server.address.port();
    for (host, expected) in [
        (format!("127.0.0.1:{port}"), "HTTP/1.1 200"),
        (format!("localhost:{port}"), "HTTP/1.1 200"),
        ("friend.example".to_owned(), "HTTP/1.1 200"),
        (format!("evil.example:{port}"), "HTTP/1.1 403"),
    ] {
        let request = format!("GET /metrics HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
        let answer = server.http(&request).await;
        assert!(answer.starts_with(expected), "{host}: {answer}");
    }
}
