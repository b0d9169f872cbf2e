//! Many connections.

use std::time::Duration;

use serde_json::json;
use situated_server::Settings;
use tokio::io::AsyncReadExt;
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use crate::client::{Client, Resident};
use crate::server::{PATIENCE, settings, start};

#[tokio::test(flavor = "multi_thread")]
async fn a_thousand_connections_leave_nothing_behind() {
    let server = start(Settings { grace: Duration::from_millis(100), ..settings() }).await;
    let mut resident = Resident::new(&server).await;
    for round in 0..20 {
        for number in 0..50 {
            let mut client = Client::connect(&server).await;
            match number % 4 {
                0 => {}
                1 => client.send("{\"jsonrpc\":").await,
                2 => drop(
                    client
                        .call("hello", json!({ "protocol": 2, "role": "agent" }))
                        .await
                        .expect("the server accepts it"),
                ),
                _ => {
                    client.get("hello", json!({ "protocol": 2, "role": "agent" })).await;
                    let agent = format!("guest{round}-{number}");
                    client.get("register", json!({ "environment": "home", "agent": agent })).await;
                }
            }
        }
        resident.check().await;
    }
    server.comes_back_to(1, 1).await;
    let listed = resident.client.get("listEntities", json!({ "environment": "home" })).await;
    assert_eq!(listed["agents"], json!(["resident"]));
}

#[tokio::test(flavor = "multi_thread")]
async fn closes_connections_without_hello_to_make_room() {
    const LIMIT: usize = 100;
    // The time limit for `hello` must not close connections while others still connect.
    let server = start(Settings { connections: LIMIT, greeting: 4 * PATIENCE, ..settings() }).await;
    let mut resident = Resident::new(&server).await;
    let mut comers = JoinSet::new();
    for _ in 0..300 {
        comers.spawn(TcpStream::connect(server.address));
    }
    let mut staying = JoinSet::new();
    for stream in comers.join_all().await {
        let mut stream = stream.expect("the system lets it in");
        staying.spawn(async move {
            let mut said = String::new();
            // The server sends nothing to connections within the limit that send nothing.
            stream.read_to_string(&mut said).await.expect("it says text");
            said
        });
    }
    for _ in LIMIT..300 {
        let said = timeout(PATIENCE, staying.join_next()).await.expect("those beyond are closed");
        let said = said.expect("there are more").expect("no panic");
        assert!(said.contains("no room left for connections that have not sent `hello`"), "{said}");
    }
    // The server still serves a new client.
    Client::platform(&server).await.get("ping", json!({})).await;
    resident.check().await;
    drop(staying);
    server.comes_back_to(1, 1).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn rejects_connections_beyond_the_limit_with_a_reason() {
    let server = start(Settings { connections: 3, connections_per_address: 3, ..settings() }).await;
    let _clients = [Client::platform(&server).await, Client::platform(&server).await, Client::platform(&server).await];
    let mut newcomer = Client::connect(&server).await;
    newcomer.send("{").await;
    assert_eq!(newcomer.closing().await, "limit");
    let page = server.get("/").await;
    assert!(page.starts_with("HTTP/1.1 503"), "{page}");
    assert!(page.ends_with("your address already has 3 connections; close some first\n"), "{page}");
}

#[tokio::test(flavor = "multi_thread")]
async fn disconnects_clients_that_send_too_slowly() {
    let server = start(Settings { greeting: Duration::from_millis(200), ..settings() }).await;
    let mut resident = Resident::new(&server).await;
    let beginnings: [&[u8]; 5] =
        [b"", b"{", b"GET ", b"GET /ws HTTP/1.1\r\nHost: x\r\n", b"POST / HTTP/1.1\r\nContent-Length: 100\r\n\r\nx"];
    let mut slow = Vec::new();
    for beginning in beginnings {
        for _ in 0..10 {
            let mut client = Client::connect(&server).await;
            client.send(std::str::from_utf8(beginning).expect("text")).await;
            slow.push((client, beginning));
        }
    }
    resident.check().await;
    for (client, beginning) in &mut slow {
        let mut rest = Vec::new();
        let closed = timeout(PATIENCE, client.stream.read_to_end(&mut rest)).await;
        assert!(closed.is_ok(), "still open: {:?}", String::from_utf8_lossy(beginning));
    }
    resident.check().await;
    server.comes_back_to(1, 1).await;
    // A client that has sent `hello` may be silent for longer than that.
    sleep(Duration::from_millis(300)).await;
    resident.check().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn handles_pipelined_calls_in_order() {
    let server = start(settings()).await;
    let mut manager = Client::platform(&server).await;
    manager.get("createEnvironment", json!({ "kind": "find-goals", "environment": "maze", "start": true })).await;
    let mut comers = JoinSet::new();
    for number in 0..32 {
        let mut client = Client::platform(&server).await;
        comers.spawn(async move {
            let agent = json!({ "environment": "maze", "agent": format!("guest{number}") });
            let pass = json!({ "environment": "maze", "agents": [{ "agent": format!("guest{number}") }] });
            for _ in 0..50 {
                let registered = client.begin("register", agent.clone()).await;
                let seen = client.begin("perceive", agent.clone()).await;
                let stepped = client.begin("step", pass.clone()).await;
                let left = client.begin("unregister", agent.clone()).await;
                client.answer(registered).await.expect("the name is its own");
                let refused = client.answer(seen).await.expect_err("it has no entity");
                assert_eq!(refused["data"]["kind"], "noEntities", "{refused}");
                let stepped = client.answer(stepped).await.expect("a step");
                assert_eq!(stepped["agents"][0]["error"]["data"]["kind"], "noEntities", "{stepped}");
                client.answer(left).await.expect("it was there");
            }
        });
    }
    comers.join_all().await;
    let listed = manager.get("listEntities", json!({ "environment": "maze" })).await;
    assert_eq!(listed["agents"], json!([]));
}
