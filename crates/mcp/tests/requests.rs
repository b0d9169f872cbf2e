//! Requests as programs of models send them, and the answers that models read.

use std::convert::Infallible;
use std::sync::Arc;

use bytes::Bytes;
use http::{Request, StatusCode};
use http_body_util::{BodyExt, Full};
use serde_json::{Value, json};
use situated::interface::Command;
use situated_hub::{Hub, HubSettings, Kinds, Owner, Rights, Tempo};
use situated_mcp::McpGateway;
use situated_registry::shipped;
use tokio::runtime::Handle;

/// A server with one environment, which has the name of its kind.
struct Server {
    gateway: McpGateway,
    environment: &'static str,
}

impl Server {
    fn with(environment: &'static str) -> Self {
        let registry = shipped();
        let kind = registry.find(environment).expect("it ships");
        let hub: Arc<Hub> = Hub::new(HubSettings::default(), Kinds::new(), Handle::current());
        let owner = Owner::new((kind.interface)(), Tempo::of(&kind.ontology));
        let init = Command::Init { parameters: [].into(), seed: 1 };
        hub.add(environment, owner, vec![init, Command::Start]).expect("it begins");
        Self { gateway: McpGateway::new(hub, false), environment }
    }

    /// Sends a body with these headers. Returns the status, the type of the answer, and the answer.
    async fn send(&self, headers: &[(&str, &str)], body: &str) -> (StatusCode, String, String) {
        let mut request = Request::post("/mcp").header("host", "localhost").header("content-type", "application/json");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.body(Full::<Bytes>::from(body.to_owned())).expect("valid headers");
        let response = self.gateway.answer(self.environment, Rights::ALL, request).await.expect("there is one");
        let (head, body) = response.into_parts();
        let body = body.collect().await.unwrap_or_else(|never: Infallible| match never {}).to_bytes();
        let kind = head.headers.get("content-type").map_or("", |kind| kind.to_str().expect("text"));
        (head.status, kind.to_owned(), String::from_utf8(body.to_vec()).expect("text"))
    }

    /// Sends a request of an official client. Returns the result.
    async fn request(&self, method: &str, params: Value) -> Value {
        let accept = ("accept", "application/json, text/event-stream");
        let (_, _, answer) = self.send(&[accept], &message(method, params).to_string()).await;
        let answer: Value = serde_json::from_str(&answer).expect("JSON");
        answer["result"].clone()
    }

    /// Calls a tool. Returns its text and its data, which are null if the call failed.
    async fn call(&self, tool: &str, arguments: Value) -> (String, Value) {
        let result = self.request("tools/call", json!({ "name": tool, "arguments": arguments })).await;
        assert_eq!(result["isError"] == true, result["structuredContent"].is_null(), "{result}");
        (result["content"][0]["text"].as_str().expect("a text").to_owned(), result["structuredContent"].clone())
    }

    /// Takes a free entity. Returns the seat and what the model was told.
    async fn join(&self) -> (String, String) {
        let (told, joined) = self.call("join", json!({})).await;
        (joined["seat"].as_str().expect("a seat").to_owned(), told)
    }

    async fn tools(&self) -> Vec<Value> {
        self.request("tools/list", json!({})).await["tools"].as_array().expect("a list").clone()
    }
}

fn message(method: &str, params: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": 7, "method": method, "params": params })
}

/// Checks that each property in a schema has a type.
fn check_types(schema: &Value, of: &str) {
    if let Some(properties) = schema["properties"].as_object() {
        for (name, property) in properties {
            assert!(!property["type"].is_null(), "{of}: `{name}` has no type: {property}");
        }
    }
    match schema {
        Value::Object(parts) => parts.values().for_each(|part| check_types(part, of)),
        Value::Array(parts) => parts.iter().for_each(|part| check_types(part, of)),
        _ => {}
    }
}

#[tokio::test]
async fn every_property_of_a_tool_has_a_type_and_no_tool_is_there_twice() {
    for environment in ["blocks-world", "tower", "bw4t", "cows", "elevator", "find-goals", "vacuum", "wumpus"] {
        let tools = Server::with(environment).tools().await;
        let letters = |tool: &Value| tool["name"].as_str().expect("a name").replace('_', "").to_lowercase();
        let mut names: Vec<String> = tools.iter().map(letters).collect();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), tools.len(), "{environment}: {tools:?}");
        tools.iter().for_each(|tool| check_types(&tool["inputSchema"], &format!("{environment}: {}", tool["name"])));
    }
}

#[tokio::test]
async fn tools_are_those_of_the_entities_that_there_are() {
    let tools = Server::with("bw4t").tools().await;
    let names: Vec<&str> = tools.iter().map(|tool| tool["name"].as_str().expect("a name")).collect();
    let expected = [
        "join",
        "look",
        "wait_until",
        "send_mail",
        "goTo",
        "goToBlock",
        "pickUp",
        "putDown",
        "sendMessage",
        "navigateObstacles",
        "leave",
    ];
    assert_eq!(names, expected);
    assert!(!tools.iter().any(|tool| tool["description"].as_str().expect("a text").contains("Only entities")));
}

#[tokio::test]
async fn a_model_reads_the_rules_once() {
    let server = Server::with("find-goals");
    let begun = server.request(
        "initialize",
        json!({ "protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": { "name": "test", "version": "1" } }),
    );
    let instructions = begun.await["instructions"].as_str().expect("a text").to_owned();
    let (_, told) = server.join().await;
    assert!(told.contains("You are `model1` and control `red`, a walker."), "{told}");
    let rules = "its goal is (8, 2)";
    assert_eq!((instructions.matches(rules).count(), told.matches(rules).count()), (0, 1), "{instructions}\n{told}");
    assert!(instructions.starts_with("Two walkers in a narrow maze try to reach their goals"), "{instructions}");
}

#[tokio::test]
async fn values_in_quotes_are_accepted_where_others_are_declared() {
    let server = Server::with("bw4t");
    let (seat, _) = server.join().await;
    let (told, _) = server.call("goTo", json!({ "seat": seat, "x": "10.5", "y": "20" })).await;
    assert!(told.starts_with("Done."), "{told}");
    let (told, _) = server.call("wait_until", json!({ "seat": seat, "percept": "in", "seconds": "0" })).await;
    assert!(told.contains("Step "), "{told}");
    let look = json!({ "name": "look", "arguments": { "seat": seat, "picture": "true" } });
    let content = server.request("tools/call", look).await["content"].clone();
    assert_eq!((content[0]["type"].as_str(), content[1]["type"].as_str()), (Some("text"), Some("image")));
}

#[tokio::test]
async fn wrong_arguments_are_refused_by_all_tools() {
    let server = Server::with("bw4t");
    let (seat, _) = server.join().await;
    for (tool, arguments, expected) in [
        ("look", json!({ "abuot": "at" }), "`look` has no argument `abuot`; its arguments: about"),
        (
            "look",
            json!({ "about": "colour" }),
            "there is no percept `colour`; did you mean `color`? (a bot perceives: ",
        ),
        ("look", json!({ "about": 3 }), "`about` must be a text"),
        ("look", json!({ "picture": "perhaps" }), "`picture` must be true or false"),
        ("wait_until", json!({ "percept": "inside(RoomA1)" }), "there is no percept `inside`"),
        ("wait_until", json!({ "percept": "in(RoomA1,3)" }), "in expects"),
        ("wait_until", json!({ "seconds": 31 }), "`seconds` must be a number from 0 to 30"),
        ("wait_until", json!({ "seconds": "soon" }), "`seconds` must be a number from 0 to 30"),
        ("send_mail", json!({ "to": "ada", "text": "Hello" }), "`to` must be a list of texts"),
        ("leave", json!({ "at": "once" }), "`leave` has no argument `at`; its arguments: none"),
        ("goTo", json!({ "x": "far", "y": 2 }), "goTo expects"),
    ] {
        let mut given = arguments.clone();
        given["seat"] = json!(seat);
        let (told, data) = server.call(tool, given).await;
        assert!(data.is_null() && told.contains(expected), "{tool} {arguments}: {told}");
    }
    let (told, _) = server.call("join", json!({ "entity": 7 })).await;
    assert_eq!(told, "`entity` must be a text");
    let server = Server::with("wumpus");
    let (seat, told) = server.join().await;
    assert!(told.contains("control `caveExplorer`, an explorer."), "{told}");
    let (told, _) = server.call("look", json!({ "seat": seat, "about": "breezes" })).await;
    assert_eq!(
        told,
        "there is no percept `breezes`; did you mean `breeze`? (an explorer perceives: breeze, stench, bump, scream, \
         glitter, time)"
    );
}

#[tokio::test]
async fn a_client_that_accepts_one_kind_of_answer_gets_json() {
    let server = Server::with("wumpus");
    let list = message("tools/list", json!({})).to_string();
    for headers in
        [&[("accept", "application/json")][..], &[("accept", "text/event-stream")], &[("accept", "*/*")], &[]]
    {
        let (status, kind, answer) = server.send(headers, &list).await;
        assert_eq!((status, kind.as_str()), (StatusCode::OK, "application/json"), "{headers:?}");
        assert!(answer.contains(r#""name":"forward""#), "{answer}");
    }
    let (status, _, _) = server.send(&[("accept", "text/html")], &list).await;
    assert_eq!(status, StatusCode::NOT_ACCEPTABLE);
}

#[tokio::test]
async fn what_is_no_message_gets_an_error_of_the_protocol() {
    let server = Server::with("wumpus");
    for (body, code, id) in [
        ("{", -32700, Value::Null),
        ("", -32700, Value::Null),
        ("3", -32600, Value::Null),
        (r#"{ "jsonrpc": "2.0", "id": 7 }"#, -32600, json!(7)),
        (r#"{ "jsonrpc": "1.0", "id": "a", "method": "ping" }"#, -32600, json!("a")),
        ("[", -32700, Value::Null),
        ("[]", -32600, Value::Null),
    ] {
        let (status, kind, answer) = server.send(&[("accept", "application/json")], body).await;
        assert_eq!((status, kind.as_str()), (StatusCode::BAD_REQUEST, "application/json"), "{body}: {answer}");
        let answer: Value = serde_json::from_str(&answer).expect("JSON");
        assert_eq!((&answer["error"]["code"], &answer["id"]), (&json!(code), &id), "{body}: {answer}");
    }
}

#[tokio::test]
async fn a_batch_is_answered_by_a_batch_in_the_version_that_has_them() {
    let server = Server::with("wumpus");
    let (seat, _) = server.join().await;
    let call = |id: u64, tool: &str| {
        let mut call = message("tools/call", json!({ "name": tool, "arguments": { "seat": seat } }));
        call["id"] = json!(id);
        call
    };
    let noted = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    let batch = json!([call(1, "forward"), noted, call(2, "fly"), call(3, "look"), 4]).to_string();
    let accept = ("accept", "application/json, text/event-stream");
    for headers in [&[accept][..], &[accept, ("mcp-protocol-version", "2025-03-26")]] {
        let (status, kind, answers) = server.send(headers, &batch).await;
        assert_eq!((status, kind.as_str()), (StatusCode::OK, "application/json"), "{answers}");
        let answers: Vec<Value> = serde_json::from_str(&answers).expect("a list");
        let ids: Vec<&Value> = answers.iter().map(|answer| &answer["id"]).collect();
        assert_eq!(ids, [&json!(1), &json!(2), &json!(3), &Value::Null]);
        let told = answers[0]["result"]["content"][0]["text"].as_str().expect("a text");
        assert!(told.starts_with("Done."), "{told}");
        assert_eq!((&answers[1]["error"]["code"], &answers[3]["error"]["code"]), (&json!(-32602), &json!(-32600)));
    }
    let (status, _, answer) = server.send(&[accept], &json!([noted, noted]).to_string()).await;
    assert_eq!((status, answer.as_str()), (StatusCode::ACCEPTED, ""));
    let (status, _, answer) = server.send(&[accept, ("mcp-protocol-version", "2025-11-25")], &batch).await;
    assert!(status == StatusCode::BAD_REQUEST && answer.contains("has no batches"), "{answer}");
    let (status, _, _) = server.send(&[("accept", "text/html")], &batch).await;
    assert_eq!(status, StatusCode::NOT_ACCEPTABLE);
    let many = json!(vec![noted; 101]).to_string();
    let (status, _, answer) = server.send(&[accept], &many).await;
    assert!(status == StatusCode::BAD_REQUEST && answer.contains("a batch has 1 to 100 messages"), "{answer}");
}
