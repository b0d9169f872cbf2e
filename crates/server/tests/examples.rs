//! Runs the agents in other languages against a real server.

use std::fs;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use situated::interface::{EnvironmentInterface, Interface};
use situated_find_goals::FindGoals;
use situated_server::{Kinds, Server, Settings};
use situated_wire::methods::CreateEnvironment;

/// Number of steps of the agents.
const STEPS: &str = "100";

/// The points that both win if each understands its percepts and the actions of the other.
const WON: &str = "1781";

/// Time limit of the agents.
const PATIENCE: Duration = Duration::from_secs(60);

#[test]
fn agents_in_python_and_in_javascript_reach_their_goals_together() {
    let runtime = tokio::runtime::Runtime::new().expect("the system has threads");
    let address = runtime.block_on(serve()).to_string();
    let play = |program: &str, file: &str, entity: &str| {
        let arguments = [&*example(file).to_string_lossy(), entity, STEPS, &address].map(str::to_owned);
        let begun = Command::new(program).args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        begun.unwrap_or_else(|error| panic!("this test needs {program} (see its package or its site): {error}"))
    };
    let red = play("python3", "find_goals_agent.py", "red");
    let blue = play("node", "find_goals_agent.mjs", "blue");
    for (entity, agent) in [("red", red), ("blue", blue)] {
        assert_eq!(output_of(agent), format!("{entity} has seen both win {WON} points in {STEPS} steps.\n"));
    }
}

#[test]
fn examples_are_shorter_than_fifty_lines() {
    for file in ["find_goals_agent.py", "find_goals_agent.mjs"] {
        let text = fs::read_to_string(example(file)).expect("the example");
        assert!(text.lines().count() < 50, "{file} has {} lines", text.lines().count());
    }
}

/// A server with an environment whose time runs.
async fn serve() -> SocketAddr {
    let settings = Settings { address: (Ipv4Addr::LOCALHOST, 0).into(), ..Settings::default() };
    let new = || Box::new(Interface::<FindGoals>::new()) as Box<dyn EnvironmentInterface>;
    let kinds = Kinds::new().with(new().ontology().clone(), new);
    let server = Server::bind(settings, kinds).await.expect("there is a free port");
    let find_goals = CreateEnvironment {
        kind: "find-goals".into(),
        environment: None,
        parameters: [].into(),
        seed: None,
        pace: None,
        speed: None,
        patience_ms: None,
        start: true,
        agents: Vec::new(),
    };
    server.create(find_goals).expect("it can be created");
    let address = server.address();
    tokio::spawn(server.serve(std::future::pending()));
    address
}

/// Returns the output of a program that succeeds.
fn output_of(mut program: Child) -> String {
    let begin = Instant::now();
    while program.try_wait().expect("it runs").is_none() {
        if begin.elapsed() > PATIENCE {
            program.kill().expect("it runs");
        }
        thread::sleep(Duration::from_millis(10));
    }
    let output = program.wait_with_output().expect("it has run");
    assert!(output.status.success(), "{}: {}", output.status, String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

fn example(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(file)
}
