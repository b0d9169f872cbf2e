//! How sessions end.

use std::time::{Duration, Instant};

use situated_client::{Client, End, Error};
use situated_wire::Code;
use situated_wire::methods::{Ping, Role};

use crate::house::{House, WORLD};
use crate::wire_cutter::WireCutter;

/// So long that no session ends by itself.
const GRACE: Duration = Duration::from_secs(600);

async fn agents(house: &House) -> usize {
    let client = Client::connect(&house.ways()[0]).role(Role::Observer).await.expect("the server listens");
    client.environment(WORLD).status().await.expect("it is there").agents
}

#[tokio::test]
async fn an_agent_that_is_dropped_is_unregistered() {
    let house = House::open(GRACE);
    let client = Client::connect(&house.ways()[0]).await.expect("the server listens");
    let agent = client.environment(WORLD).register("ada").await.expect("the name is free");
    assert_eq!(agents(&house).await, 1);
    drop(agent);
    client.call(Ping {}).await.expect("the session goes on");
    assert_eq!(agents(&house).await, 0);
}

#[tokio::test]
async fn a_session_ends_when_nobody_has_it_any_more() {
    let house = House::open(GRACE);
    for way in house.ways() {
        let client = Client::connect(&way).await.expect("the server listens");
        let mut agent = client.environment(WORLD).register("ada").await.expect("the name is free");
        drop(client);
        agent.associate("red").await.expect("an agent has the session as well");
        drop(agent);
        let begin = Instant::now();
        while agents(&house).await > 0 {
            assert!(begin.elapsed() < Duration::from_secs(5), "the server has not heard goodbye");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }
}

#[tokio::test]
async fn who_closes_a_session_closes_it_for_all() {
    let house = House::open(GRACE);
    let client = Client::connect(&house.ways()[1]).await.expect("the server listens");
    let agent = client.environment(WORLD).register("ada").await.expect("the name is free");
    client.close().await.expect("it can be closed at any time");
    assert_eq!(agents(&house).await, 0);
    assert_eq!(agent.pass().await, Err(Error::Ended(End::Closed)));
}

#[test]
fn who_waits_is_gone_when_the_last_handle_is_dropped() {
    let house = House::open(GRACE);
    let client = Client::connect(&house.ways()[0]).wait().expect("the server listens");
    let agent = client.environment(WORLD).register("ada").wait().expect("the name is free");
    drop((client, agent));
    let client = Client::connect(&house.ways()[0]).wait().expect("the server listens");
    client.environment(WORLD).register("ada").wait().expect("the name is free again, at once");
}

#[test]
fn a_client_that_is_cut_off_can_be_dropped_at_once() {
    let house = House::open(GRACE);
    let cutter = WireCutter::before(house.address);
    let client = Client::connect(&format!("tcp://{}", cutter.address)).wait().expect("the server listens");
    cutter.close(true);
    cutter.cut();
    std::thread::sleep(Duration::from_millis(300));
    let begin = Instant::now();
    drop(client);
    assert!(begin.elapsed() < Duration::from_secs(1), "{:?}", begin.elapsed());
}

#[test]
fn the_end_of_a_server_is_the_end_of_its_sessions() {
    let mut house = House::open(GRACE);
    let client = Client::connect(&house.ways()[0]).wait().expect("the server listens");
    let mut agent = client.environment(WORLD).register("ada").wait().expect("the name is free");
    agent.associate("red").wait().expect("it is free");
    house.close();
    let error = agent.pass().wait().expect_err("there is no server");
    assert_eq!(error.code(), Some(Code::ShuttingDown), "{error}");
}
