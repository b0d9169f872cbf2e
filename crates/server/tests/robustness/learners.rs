//! Learners, over real WebSockets and HTTP.

use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use situated_server::{Access, Right, Settings};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::http::HeaderValue;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

use crate::client::Resident;
use crate::server::{PATIENCE, Running, settings, start, token};

/// A learner.
struct Learner(WebSocketStream<MaybeTlsStream<TcpStream>>);

impl Learner {
    /// Opens a session, with these headers. If the server rejects it, returns the status of the response.
    async fn open(server: &Running, headers: &[(&'static str, &str)]) -> Result<Self, u16> {
        let address = format!("ws://{}/openenv/home/ws", server.address);
        let mut request = address.into_client_request().expect("it is an address");
        for (name, value) in headers {
            request.headers_mut().insert(*name, HeaderValue::from_str(value).expect("a header"));
        }
        match connect_async(request).await {
            Ok((socket, _)) => Ok(Self(socket)),
            Err(Error::Http(response)) => Err(response.status().as_u16()),
            Err(error) => panic!("{error}"),
        }
    }

    async fn say(&mut self, text: &str) {
        self.0.send(Message::text(text)).await.expect("the server reads");
    }

    /// Returns the next response, or `None` if the server closes the connection.
    async fn hear(&mut self) -> Option<Value> {
        loop {
            match timeout(PATIENCE, self.0.next()).await.expect("it answers in time")?.expect("no connection breaks") {
                Message::Text(text) => return Some(serde_json::from_str(&text).expect("JSON")),
                Message::Close(_) => return None,
                _ => {}
            }
        }
    }

    async fn ask(&mut self, message: Value) -> Value {
        self.say(&message.to_string()).await;
        self.hear().await.expect("the connection stays open")
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn learners_that_vanish_leave_no_world_behind() {
    let server = start(settings()).await;
    let mut resident = Resident::new(&server).await;
    let mut learners = Vec::new();
    for seed in 0..20 {
        let mut learner = Learner::open(&server, &[]).await.expect("it is let in");
        let begun = learner.ask(json!({ "type": "reset", "data": { "seed": seed, "entity": "red" } })).await;
        assert_eq!((&begun["type"], &begun["data"]["done"]), (&json!("observation"), &json!(false)), "{begun}");
        learners.push(learner);
    }
    assert!(server.get("/metrics").await.contains("home-learner-20"));
    // Of the last one, half a step has arrived.
    let last = learners.pop().expect("the last one");
    drop(learners);
    let mut stream = last.0.into_inner();
    tokio::io::AsyncWriteExt::write_all(&mut stream, &[0x81, 0xff]).await.expect("the server reads");
    drop(stream);
    resident.check().await;
    server.comes_back_to(1, 1).await;
    assert!(!server.get("/metrics").await.contains("learner"), "the worlds are gone");
}

#[tokio::test(flavor = "multi_thread")]
async fn learners_get_reasons_for_what_they_do_wrong() {
    let server = start(settings()).await;
    let mut resident = Resident::new(&server).await;
    let mut learner = Learner::open(&server, &[]).await.expect("it is let in");
    learner.say("{").await;
    assert_eq!(learner.hear().await.expect("an answer")["data"]["code"], "INVALID_JSON");
    let closed = learner.ask(json!({ "type": "step", "data": { "action": "up" } })).await;
    assert_eq!(closed["data"]["code"], "EXECUTION_ERROR");
    let begun = learner.ask(json!({ "type": "reset" })).await;
    assert_eq!(begun["type"], "observation", "it plays on: {begun}");
    learner.say(&format!("{{\"type\": \"{}\"}}", "x".repeat(2 << 20))).await;
    let refused = learner.hear().await.expect("a reason");
    assert_eq!(refused["data"]["code"], "SESSION_ERROR");
    assert_eq!(learner.hear().await, None);
    let mut closing = Learner::open(&server, &[]).await.expect("it is let in");
    closing.say(r#"{"type": "close"}"#).await;
    assert_eq!(closing.hear().await, None);
    resident.check().await;
    server.comes_back_to(1, 1).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn only_managers_and_own_pages_open_sessions() {
    let access = Access::open().with_token(token("act"), Right::Act).with_token(token("manage"), Right::Manage);
    let access = access.with_token(token("manage"), Right::Act);
    let server = start(Settings { access, ..settings() }).await;
    let bearer = |name: &str| format!("Bearer {}", token(name).as_str());
    let open = async |headers: &[(&'static str, &str)]| Learner::open(&server, headers).await.map(drop);
    assert_eq!(open(&[]).await, Err(401));
    assert_eq!(open(&[("Authorization", &bearer("act"))]).await, Err(401));
    assert_eq!(open(&[("Authorization", &bearer("guess"))]).await, Err(401));
    let managing = ("Authorization", &*bearer("manage"));
    assert_eq!(open(&[managing, ("Origin", "http://evil.example")]).await, Err(403));
    assert_eq!(open(&[managing]).await, Err(404), "there is no environment yet");
}

#[tokio::test(flavor = "multi_thread")]
async fn describes_environments_over_http_and_refuses_steps_without_a_session() {
    let server = start(settings()).await;
    let _resident = Resident::new(&server).await;
    let body = |answer: &str| -> Value {
        let (_, body) = answer.split_once("\r\n\r\n").expect("a body");
        serde_json::from_str(body).unwrap_or_else(|error| panic!("{error}: {answer}"))
    };
    let schema = server.get("/openenv/home/schema").await;
    assert_eq!(body(&schema)["action"]["required"], json!(["action"]));
    assert_eq!(body(&server.get("/openenv/home/metadata").await)["name"], "home");
    assert_eq!(body(&server.get("/openenv/home/health").await), json!({ "status": "healthy" }));
    let unknown = server.get("/openenv/hom/schema").await;
    assert!(unknown.starts_with("HTTP/1.1 404") && unknown.contains("`home`"), "{unknown}");
    assert!(server.get("/openenv/home/state").await.contains("WebSocket"));
    for (path, reason) in [("reset", "WebSocket"), ("step", "WebSocket"), ("mcp", "/mcp/ENVIRONMENT")] {
        let request = format!(
            "POST /openenv/home/{path} HTTP/1.1\r\nHost: {}\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{{}}",
            server.address
        );
        let answer = server.http(&request).await;
        assert!(answer.starts_with("HTTP/1.1 501") && answer.contains(reason), "{answer}");
    }
}
