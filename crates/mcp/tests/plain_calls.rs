//! Calls that the gateway answers itself get the same response as from the library. It answers all requests whose
//! `accept` header lists the types in another order.

use std::convert::Infallible;

use bytes::Bytes;
use http::{HeaderMap, HeaderName, Request, StatusCode};
use http_body_util::{BodyExt, Full};
use serde_json::{Value, json};
use situated::interface::Command;
use situated_hub::{Hub, HubSettings, Kinds, Owner, Rights, Tempo};
use situated_mcp::McpGateway;
use situated_registry::shipped;
use tokio::runtime::Handle;

const BY_GATEWAY: &str = "application/json, text/event-stream";
const BY_LIBRARY: &str = "text/event-stream, application/json";

const NEW: &str = "2026-07-28";
const OLD: &str = "2025-11-25";

/// A model in a cave of its own, with the same seed for all.
struct Model {
    gateway: McpGateway,
    accept: &'static str,
    seat: String,
}

/// The parts of a response that a client sees. The handle of the seat is left out.
type Seen = (StatusCode, HeaderMap, String);

impl Model {
    async fn begin(accept: &'static str) -> Self {
        let registry = shipped();
        let cave = registry.find("wumpus").expect("it ships");
        let hub = Hub::new(HubSettings::default(), Kinds::new(), Handle::current());
        let owner = Owner::new((cave.interface)(), Tempo::of(&cave.ontology));
        let init = Command::Init { parameters: [].into(), seed: 1 };
        hub.add("cave", owner, vec![init, Command::Start]).expect("it begins");
        let mut model = Self { gateway: McpGateway::new(hub, false), accept, seat: String::new() };
        let (_, _, joined) = model.send(&call(NEW, "join", json!({}))).await;
        let joined: Value = serde_json::from_str(&joined).expect("JSON");
        model.seat = joined["result"]["structuredContent"]["seat"].as_str().expect("a seat").to_owned();
        model
    }

    async fn send(&self, (headers, body): &Sent) -> Seen {
        let body = body.replace("SEAT", &self.seat);
        let mut request = Request::post("/mcp/cave").header("host", "localhost");
        for (name, value) in headers {
            request = request.header(name, if name == "accept" { self.accept } else { value });
        }
        let request = request.body(Full::<Bytes>::from(body)).expect("valid headers");
        let rights = Rights::ALL;
        let response = self.gateway.answer("cave", rights, request).await.expect("there is a cave");
        let (head, body) = response.into_parts();
        let body = body.collect().await.unwrap_or_else(|never: Infallible| match never {}).to_bytes();
        let mut text = String::from_utf8(body.to_vec()).expect("text");
        if !self.seat.is_empty() {
            text = text.replace(&self.seat, "SEAT");
        }
        (head.status, head.headers, text)
    }
}

/// The headers and the body of a request.
type Sent = (Vec<(HeaderName, String)>, String);

fn call(version: &str, tool: &str, arguments: Value) -> Sent {
    let mut params = json!({ "name": tool, "arguments": arguments });
    let mut headers =
        vec![("accept", BY_GATEWAY), ("content-type", "application/json"), ("mcp-protocol-version", version)];
    if version == NEW {
        headers.extend([("mcp-method", "tools/call"), ("mcp-name", tool)]);
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": version,
            "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
            "io.modelcontextprotocol/clientCapabilities": {},
        });
    }
    let headers = headers.into_iter().map(|(name, value)| (HeaderName::from_static(name), value.to_owned()));
    (headers.collect(), json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params }).to_string())
}

fn with_header((mut headers, body): Sent, name: &'static str, value: Option<&str>) -> Sent {
    headers.retain(|(known, _)| known != name);
    headers.extend(value.map(|value| (HeaderName::from_static(name), value.to_owned())));
    (headers, body)
}

fn with_body((headers, body): Sent, pointer: &str, value: Value) -> Sent {
    let mut body: Value = serde_json::from_str(&body).expect("JSON");
    let (parent, name) = pointer.rsplit_once('/').expect("a pointer");
    body.pointer_mut(parent).expect("it exists")[name] = value;
    (headers, body.to_string())
}

/// Calls that are right, wrong, and unusual, in an order in which they mean something.
fn calls() -> Vec<Sent> {
    let seat = || json!({ "seat": "SEAT" });
    let look = |version| call(version, "look", seat());
    let mut calls = Vec::new();
    for version in [NEW, OLD, "2025-06-18", "2024-11-05", "1999-01-01", "2030-01-01", "nonsense"] {
        calls.extend([
            look(version),
            call(version, "forward", seat()),
            call(version, "turn", json!({ "seat": "SEAT", "side": "left" })),
            call(version, "turn", json!({ "seat": "SEAT", "side": 7 })),
            call(version, "look", json!({ "seat": "SEAT", "picture": true })),
            call(version, "look", json!({ "seat": "SEAT", "about": "cell" })),
            call(version, "wait_until", json!({ "seat": "SEAT", "percept": "(", "seconds": 0 })),
            call(version, "fly", seat()),
            call(version, "look", json!({})),
            call(version, "look", json!({ "seat": "nobody's" })),
            call(version, "look", json!({ "seat": 5 })),
            with_body(look(version), "/id", json!("seven")),
            with_body(look(version), "/id", json!(7.5)),
            with_body(look(version), "/id", Value::Null),
            with_body(look(version), "/jsonrpc", json!("1.0")),
            with_body(look(version), "/method", json!("tools/list")),
            with_body(look(version), "/params/arguments", json!([])),
            with_body(look(version), "/params/task", json!({})),
            with_body(look(version), "/more", json!(1)),
            with_body(look(version), "/params/_meta", json!({})),
            with_body(look(version), "/params/_meta", json!({ "progressToken": 1 })),
            with_header(look(version), "mcp-protocol-version", None),
            with_header(look(version), "mcp-name", Some("forward")),
            with_header(look(version), "mcp-method", Some("tools/list")),
            with_header(look(version), "mcp-method", None),
            with_header(look(version), "content-type", Some("text/plain")),
            with_header(look(version), "mcp-param-about", Some("cell")),
            (look(version).0, "{".into()),
            (look(version).0, format!("[{}]", look(version).1)),
        ]);
    }
    calls.extend([call(NEW, "leave", seat()), look(NEW), look(OLD)]);
    calls
}

#[tokio::test]
async fn a_call_is_answered_as_by_the_library() {
    let (ours, theirs) = (Model::begin(BY_GATEWAY).await, Model::begin(BY_LIBRARY).await);
    let mut done = 0;
    for sent in calls() {
        let (answer, expected) = (ours.send(&sent).await, theirs.send(&sent).await);
        assert_eq!(answer, expected, "{sent:?}");
        done += usize::from(answer.2.contains("Done."));
    }
    // The agent goes and turns in each version that there is.
    assert_eq!(done, 8);
}

#[tokio::test]
async fn a_request_that_is_too_long_is_refused() {
    let model = Model::begin(BY_GATEWAY).await;
    let (headers, _) = call(OLD, "look", json!({}));
    let (status, _, text) = model.send(&(headers, " ".repeat(1 << 20))).await;
    assert_eq!((status, text.as_str()), (StatusCode::PAYLOAD_TOO_LARGE, "a request has at most 262144 bytes\n"));
}
