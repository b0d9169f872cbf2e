//! Hosted environments with lost connections.

use std::future::IntoFuture;
use std::time::Duration;

use situated::environment::Environment;
use situated::host::{HostRequest, HostTask, Provider};
use situated::iil::Action;
use situated::interface::Command;
use situated_client::{Agent, Client, Error, ToHost, host};
use situated_wire::Code;
use situated_wire::methods::{Host, Role};
use tokio::time::{sleep, timeout};

use crate::mill::{Mill, miller, turned};
use crate::server::TestServer;
use crate::wire_cutter::WireCutter;

const GRACE: Duration = Duration::from_secs(20);

/// Turns the wheel by hand. Returns whether the answer came in time.
async fn turn(agent: &Agent) -> bool {
    match agent.act(Action::new("turn", [0.into()])).await.and_then(|acted| acted.check()) {
        Ok(_) => true,
        Err(Error::Refused(error)) if error.code() == Some(Code::HostTimeout) => false,
        Err(error) => panic!("{error}"),
    }
}

#[tokio::test]
async fn sends_the_whole_state_after_reconnecting() {
    for scheme in ["tcp", "ws"] {
        let server = TestServer::open(GRACE);
        let cutter = WireCutter::before(server.address);
        let through = format!("{scheme}://{}", cutter.address);
        let hosting = tokio::spawn(async move { host::<Mill>(&through).await });
        let mut ada = miller(&server, "ada", "mill").await;
        assert!(turn(&ada).await);
        for deaf in [false, true] {
            // Requests that are lost have no effect; later ones do.
            cutter.deafen(deaf);
            if deaf {
                assert!(!turn(&ada).await, "the host does not receive it");
            }
            cutter.deafen(false);
            cutter.cut();
            while !turn(&ada).await {}
            ada.perceive().await.expect("it runs");
        }
        let believed = ada.beliefs("miller").to_vec();
        let found = ada.act(Action::new("look", [])).await.expect("it runs").check().expect("it can look");
        assert_eq!(believed[0].parameters, found[0].parameters);
        assert_ne!(believed, [turned(1)]);
        hosting.abort();
    }
}

#[tokio::test]
async fn sends_changes_made_without_a_connection() {
    let server = TestServer::open(GRACE);
    let cutter = WireCutter::before(server.address);
    let through = format!("tcp://{}", cutter.address);
    let clock = Duration::from_millis(10);
    let hosting = tokio::spawn(async move { host::<Mill>(&through).clock(clock).await });
    let mut ada = miller(&server, "ada", "mill").await;
    for _ in 0..5 {
        cutter.close(true);
        cutter.cut();
        tokio::time::sleep(10 * clock).await;
        let before = ada.perceive().await.expect("it is there");
        drop(before);
        let believed = ada.beliefs("miller").to_vec();
        cutter.close(false);
        while ada.beliefs("miller") == believed {
            ada.perceive().await.expect("it is there");
            tokio::time::sleep(clock).await;
        }
    }
    let manager = Client::connect(&server.addresses()[0]).role(Role::Observer).await.expect("the server listens");
    let environment = manager.environment("mill");
    environment.manage(Command::Pause).await.expect("it runs");
    ada.perceive().await.expect("it is there");
    let turns = environment.status().await.expect("it is there").moment.step;
    assert_eq!(ada.beliefs("miller"), [turned(turns)]);
    let entities = environment.entities().await.expect("it is there").entities.into_iter().map(|known| known.entity);
    assert_eq!(entities.collect::<Vec<_>>(), ["miller".into(), format!("guest{turns}").as_str().into()]);
    hosting.abort();
}

#[tokio::test]
async fn begins_an_episode_that_was_lost_with_the_connection() {
    // The connection returns while the server waits for the answer, or when it does not wait any more.
    for (begin_timeout, away) in [(5000, 0), (50, 300)] {
        let server = TestServer::open(GRACE);
        let cutter = WireCutter::before(server.address);
        let through = format!("tcp://{}", cutter.address);
        let client = Client::connect(&through).role(Role::Host).await.expect("the server listens");
        let announced = Host { begin_timeout_ms: Some(begin_timeout), ..Host::new(Mill::ontology()) };
        let hosted = client.host(announced).await.expect("there is room");
        let ToHost::Call(HostRequest { task: missed, .. }) = hosted.receive().await.expect("it is called") else {
            panic!("the first message is a request")
        };
        sleep(Duration::from_millis(away)).await;
        cutter.cut();
        assert_eq!(hosted.receive().await, Ok(ToHost::Resumed));
        let mut provider = Provider::<Mill>::new();
        let mut tasks = Vec::new();
        for _ in 0..2 {
            let received = timeout(Duration::from_secs(5), hosted.receive()).await.expect("it is called again");
            let Ok(ToHost::Call(call)) = received else { panic!("{received:?}") };
            tasks.push(call.task.clone());
            hosted.say(provider.answer(call)).await.expect("the server listens");
        }
        assert_eq!(tasks, [missed, HostTask::Start]);
        server.wait_for("mill").await;
    }
}

#[tokio::test]
async fn reports_a_session_that_has_ended() {
    let server = TestServer::open(Duration::from_millis(200));
    let cutter = WireCutter::before(server.address);
    let through = format!("ws://{}", cutter.address);
    let hosting = tokio::spawn(async move { host::<Mill>(&through).await });
    server.wait_for("mill").await;
    cutter.close(true);
    cutter.cut();
    assert!(server.has_removed("mill", Duration::from_secs(5)).await);
    cutter.close(false);
    let ended = hosting.await.expect("no panic").expect_err("there is no session");
    assert_eq!(ended.code(), Some(Code::SessionEnded), "{ended}");
}

#[tokio::test]
async fn hosting_ends_with_the_server() {
    let mut server = TestServer::open(GRACE);
    let hosting = tokio::spawn(host::<Mill>(&server.addresses()[0]).into_future());
    server.wait_for("mill").await;
    tokio::task::spawn_blocking(move || server.close()).await.expect("it closes");
    let ended = timeout(Duration::from_secs(5), hosting).await.expect("it is over").expect("no panic");
    // It receives the request to kill its environment, unless the connection is lost before.
    assert!(ended.as_ref().err().is_none_or(|error| error.code() == Some(Code::ShuttingDown)), "{ended:?}");
}
