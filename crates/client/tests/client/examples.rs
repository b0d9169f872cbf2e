//! Runs the examples: agents and hosts in Rust, Python and JavaScript.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use situated::iil::{Action, Percept};
use situated::interface;
use situated_client::{Acted, Agent, Client};
use situated_find_goals::optimum::best_return;
use situated_wire::methods::{CreateEnvironment, Role};

use crate::server::{FIND_GOALS, TestServer};

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

#[test]
fn agents_in_python_and_in_javascript_reach_their_goals_together() {
    // The points that both win if each understands its percepts and the actions of the other.
    const WON: &str = "1781";
    let server = TestServer::open(Duration::from_secs(5));
    let manager = Client::connect(&server.addresses()[0]).role(Role::Observer).wait().expect("the server listens");
    manager.environment(FIND_GOALS).remove().wait().expect("it may");
    let local = CreateEnvironment { start: true, ..CreateEnvironment::new(FIND_GOALS) };
    manager.create(local).wait().expect("the name is free again");
    let address = server.address.to_string();
    let red = script("python3", "find_goals_agent.py", &["red", "100", &address]);
    let blue = script("node", "find_goals_agent.mjs", &["blue", "100", &address]);
    for (entity, agent) in [("red", red), ("blue", blue)] {
        let run = agent.wait_with_output().expect("it has begun");
        let wanted = format!("{entity} has seen both win {WON} points in 100 steps.\n");
        assert_eq!(String::from_utf8_lossy(&run.stdout), wanted, "{run:?}");
    }
}

#[tokio::test]
async fn an_agent_walks_in_a_corridor_in_python_until_its_host_dies() {
    const GRACE: Duration = Duration::from_millis(300);
    let server = TestServer::open(GRACE);
    let mut host = script("python3", "corridor_host.py", &[&server.address.to_string()]);
    server.wait_for("corridor").await;
    let client = Client::connect(&server.addresses()[1]).await.expect("the server listens");
    let mut agent = client.environment("corridor").register("ada").await.expect("the name is free");
    agent.associate("ann").await.expect("it is free");
    let at = |cell: i64| Percept::new("at", [cell.into()]);
    let first = agent.perceive().await.expect("it has an entity");
    assert!(first[0].1.resync && first[0].1.add == [at(0)], "{first:?}");
    assert_eq!(walk(&agent, 3).await, Ok(vec![]));
    let then = agent.perceive().await.expect("it has an entity");
    assert!(then[0].1.add == [at(3)] && then[0].1.delete == [at(0)], "{then:?}");

    let refused = walk(&agent, 6).await.expect_err("bob is there");
    assert!(refused.contains("cell 9 is taken or outside"), "{refused}");
    let refused = walk(&agent, -4).await.expect_err("the corridor ends there");
    assert!(refused.contains("cell -1 is taken or outside"), "{refused}");
    let refused = walk(&agent, 12).await.expect_err("too far");
    assert!(refused.contains("walk") && refused.contains('9'), "the ontology limits it: {refused}");
    let status = client.environment("corridor").status().await.expect("it is there");
    assert_eq!(status.moment.step, 1, "a failed action makes no step");

    let begin = Instant::now();
    host.kill().expect("it runs");
    host.wait().expect("it has begun");
    assert!(server.has_removed("corridor", Duration::from_secs(20)).await);
    assert!(begin.elapsed() > GRACE / 2, "a host has time to reconnect");
    let refused = walk(&agent, 1).await.expect_err("there is no corridor");
    assert!(refused.contains("there is no environment `corridor`"), "{refused}");
}

/// Walks, and returns the percepts that the action returns.
async fn walk(agent: &Agent, cells: i64) -> Result<Vec<Percept>, String> {
    let acted = agent.act(Action::new("walk", [cells.into()])).await;
    acted.and_then(Acted::check).map_err(|error| error.to_string())
}

#[test]
fn examples_in_other_languages_are_short() {
    for (file, most) in [("find_goals_agent.py", 50), ("find_goals_agent.mjs", 50), ("corridor_host.py", 70)] {
        let text = fs::read_to_string(examples().join(file)).expect("the example");
        assert!(text.lines().count() < most, "{file} has {} lines", text.lines().count());
    }
    let host = fs::read_to_string(examples().join("corridor_host.py")).expect("the example");
    let imported = host.lines().filter(|line| line.starts_with("import") || line.starts_with("from"));
    assert_eq!(imported.collect::<Vec<_>>(), ["import json, os, socket, sys"], "the standard library is enough");
}

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples")
}

/// Starts an example in another language.
fn script(program: &str, file: &str, arguments: &[&str]) -> Child {
    let mut command = Command::new(program);
    command.arg(examples().join(file)).args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().unwrap_or_else(|error| panic!("this test needs {program} (see its package or its site): {error}"))
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
