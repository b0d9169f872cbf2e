//! Ends of sessions.

use std::time::{Duration, Instant};

use situated_client::{Client, End, Error};
use situated_wire::Code;
use situated_wire::methods::{Ping, Role};

use crate::server::{FIND_GOALS, TestServer};
use crate::wire_cutter::WireCutter;

/// Longer than any test.
const GRACE: Duration = Duration::from_secs(600);

async fn agents(server: &TestServer) -> usize {
    let client = Client::connect(&server.addresses()[0]).role(Role::Observer).await.expect("the server listens");
    client.environment(FIND_GOALS).status().await.expect("it is there").agents
}

#[tokio::test]
async fn unregisters_dropped_agents() {
    let server = TestServer::open(GRACE);
    let client = Client::connect(&server.addresses()[0]).await.expect("the server listens");
    let agent = client.environment(FIND_GOALS).register("ada").await.expect("the name is free");
    assert_eq!(agents(&server).await, 1);
    drop(agent);
    client.call(Ping {}).await.expect("the session continues");
    assert_eq!(agents(&server).await, 0);
}

#[tokio::test]
async fn ends_the_session_with_the_last_handle() {
    let server = TestServer::open(GRACE);
    for address in server.addresses() {
        let client = Client::connect(&address).await.expect("the server listens");
        let mut agent = client.environment(FIND_GOALS).register("ada").await.expect("the name is free");
        drop(client);
        agent.associate("red").await.expect("the agent keeps the session open");
        drop(agent);
        let begin = Instant::now();
        while agents(&server).await > 0 {
            assert!(begin.elapsed() < Duration::from_secs(5), "the session has not ended");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }
}

#[tokio::test]
async fn closing_ends_the_session_for_all() {
    let server = TestServer::open(GRACE);
    let client = Client::connect(&server.addresses()[1]).await.expect("the server listens");
    let agent = client.environment(FIND_GOALS).register("ada").await.expect("the name is free");
    client.close().await.expect("it can be closed at any time");
    assert_eq!(agents(&server).await, 0);
    assert_eq!(agent.pass().await, Err(Error::Ended(End::Closed)));
}

#[test]
fn ends_the_session_before_drop_returns() {
    let server = TestServer::open(GRACE);
    let client = Client::connect(&server.addresses()[0]).wait().expect("the server listens");
    let agent = client.environment(FIND_GOALS).register("ada").wait().expect("the name is free");
    drop((client, agent));
    let client = Client::connect(&server.addresses()[0]).wait().expect("the server listens");
    client.environment(FIND_GOALS).register("ada").wait().expect("the name is free again, at once");
}

#[test]
fn drop_does_not_hang_without_a_connection() {
    let server = TestServer::open(GRACE);
    let cutter = WireCutter::before(server.address);
    let client = Client::connect(&format!("tcp://{}", cutter.address)).wait().expect("the server listens");
    cutter.close(true);
    cutter.cut();
    std::thread::sleep(Duration::from_millis(300));
    let begin = Instant::now();
    drop(client);
    assert!(begin.elapsed() < Duration::from_secs(1), "{:?}", begin.elapsed());
}

#[test]
fn reports_a_server_that_has_stopped() {
    let mut server = TestServer::open(GRACE);
    let client = Client::connect(&server.addresses()[0]).wait().expect("the server listens");
    let mut agent = client.environment(FIND_GOALS).register("ada").wait().expect("the name is free");
    agent.associate("red").wait().expect("it is free");
    server.close();
    let error = agent.pass().wait().expect_err("there is no server");
    assert_eq!(error.code(), Some(Code::ShuttingDown), "{error}");
}
