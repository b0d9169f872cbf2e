//! Runs the examples: two agents, and a host.

use std::process::{Child, Command, Stdio};
use std::time::Duration;

use situated::iil::{Action, Percept};
use situated::interface;
use situated_client::Client;
use situated_find_goals::optimum::best_return;
use situated_wire::methods::Role;

use crate::server::TestServer;

#[test]
fn two_agent_processes_play_as_a_team() {
    let server = TestServer::open(Duration::from_secs(5));
    let [websocket, tcp] = server.addresses();
    let team = [begin("red", &websocket), begin("blue", &tcp)];
    let received = team.map(|agent| {
        let run = agent.wait_with_output().expect("it has begun");
        assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
        String::from_utf8(run.stdout).expect("text")
    });
    let points = |received: &str| -> i64 {
        let number = received.split_ascii_whitespace().nth(5).and_then(|number| number.parse().ok());
        number.unwrap_or_else(|| panic!("unexpected output of an agent: {received}"))
    };
    let won = [points(&received[0]), points(&received[1])];
    assert_eq!(won[0], won[1], "both agents receive the same rewards");
    assert!(20 * won[0] > 19 * best_return(100), "a team without losses wins more than {}", won[0]);
}

#[tokio::test]
async fn an_agent_acts_in_a_hosted_environment() {
    let server = TestServer::open(Duration::from_secs(5));
    let [websocket, tcp] = server.addresses();
    let host = run("remote_host", &["maze", &websocket]);
    server.wait_for("maze").await;
    let client = Client::connect(&tcp).role(Role::Platform).await.expect("the server listens");
    let mut agent = client.environment("maze").register("ada").await.expect("the name is free");
    agent.associate("red").await.expect("it is free");
    let stepped = agent.step(Some(Action::new("up", []))).await.expect("it runs");
    assert_eq!(stepped.acted.check(), Ok(vec![]));
    assert!(agent.beliefs("red").contains(&Percept::new("at", [3.into(), 2.into()])));
    let manager = Client::connect(&websocket).role(Role::Observer).await.expect("the server listens");
    manager.environment("maze").manage(interface::Command::Kill).await.expect("it may");
    let received = host.wait_with_output().expect("it has begun");
    assert_eq!(String::from_utf8_lossy(&received.stdout), "maze is over.\n", "{received:?}");
}

#[test]
fn a_buyer_and_a_seller_exchange_messages() {
    let server = TestServer::open(Duration::from_secs(5));
    let run = run("messages", &[&server.addresses()[0]]).wait_with_output().expect("it has begun");
    let wanted = "ams: failure ((action (agent-identifier :name buyer) (query-ref :receiver (set (agent-identifier :name \
                  nobody)) :conversation-id plums :reply-with q1)) not-registered)\nseller: inform 3 euros\n";
    assert_eq!(String::from_utf8_lossy(&run.stdout), wanted, "{run:?}");
}

#[test]
fn a_buyer_finds_a_seller_in_the_directory() {
    let server = TestServer::open(Duration::from_secs(5));
    let run = run("directory", &[&server.addresses()[1]]).wait_with_output().expect("it has begun");
    let wanted = "found ada, who has plums\nada: inform 3 euros\n";
    assert_eq!(String::from_utf8_lossy(&run.stdout), wanted, "{run:?}");
}

fn begin(entity: &str, address: &str) -> Child {
    run("remote_agent", &[entity, "100", address])
}

fn run(example: &str, arguments: &[&str]) -> Child {
    let this = std::env::current_exe().expect("this test");
    let built = this.ancestors().nth(2).expect("the folder of the build");
    let example = built.join("examples").join(format!("{example}{}", std::env::consts::EXE_SUFFIX));
    let mut command = Command::new(example);
    command.args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().expect("cargo test builds the examples")
}
