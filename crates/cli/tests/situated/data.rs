//! Tests that with `serve --data`, environments, sessions and numbered actions continue after the server is killed.

mod damage;
mod mail;

use std::fs;
use std::io::{BufReader, Read};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle, sleep};
use std::time::Duration;

use serde_json::{Value, json};
use situated::iil::{Action, Percept};
use situated::ontology::Pace;
use situated_client::{Agent, Client, Error, host};
use situated_find_goals::FindGoals;
use situated_wire::Code;

use crate::run_page::Manager;
use crate::{SITUATED, announced, fresh_directory, get};

/// Number of times that the server is killed.
const KILLS: usize = 100;

/// Number of environments, each with two agents.
const ENVIRONMENTS: usize = 4;

/// A server that keeps its data, and can be killed and started again at the same address.
struct Kept {
    arguments: String,
    folder: PathBuf,
    address: String,
    child: Child,
    /// Kept open, because the server must be able to print.
    listener: Option<BufReader<ChildStdout>>,
}

impl Kept {
    /// Serves with these arguments on any port that is free, keeping its data in a fresh folder of this name.
    fn start(arguments: &str, folder: &str) -> Self {
        Self::start_by(Command::new(SITUATED), arguments, folder, 0)
    }

    /// Serves on this port.
    fn start_at(port: u16, arguments: &str, folder: &str) -> Self {
        Self::start_by(Command::new(SITUATED), arguments, folder, port)
    }

    /// Starts the server with a command that runs the command in its arguments.
    fn start_by(command: Command, arguments: &str, folder: &str, port: u16) -> Self {
        let folder = fresh_directory(folder).join("data");
        let mut child = spawn(command, arguments, &folder, &port.to_string());
        let mut listener = BufReader::new(child.stdout.take().expect("it is piped"));
        let (_, address) = announced(&mut listener);
        Self { arguments: arguments.into(), folder, address, child, listener: Some(listener) }
    }

    /// Kills it at once, and starts it again.
    fn kill_and_restart(&mut self) {
        self.kill();
        self.restart();
    }

    fn kill(&mut self) {
        self.child.kill().expect("it runs");
        self.child.wait().expect("it ends");
    }

    /// Starts it again at the same address.
    fn restart(&mut self) {
        let port = self.address.rsplit_once(':').expect("it has a port").1.to_owned();
        self.child = spawn(Command::new(SITUATED), &self.arguments, &self.folder, &port);
        // The server prints little, which the pipe can hold.
        self.listener = None;
    }

    /// Waits until it listens.
    fn manager(&mut self) -> Manager {
        for _ in 0..1000 {
            if std::net::TcpStream::connect(&self.address).is_ok() {
                return Manager::connect(&self.address);
            }
            if self.child.try_wait().expect("it was started").is_some() {
                let mut err = String::new();
                let read = self.child.stderr.take().expect("it is piped").read_to_string(&mut err);
                panic!("it has ended ({read:?}): {err}");
            }
            sleep(Duration::from_millis(20));
        }
        panic!("it does not listen");
    }

    fn status(&mut self, environment: &str) -> Value {
        self.manager().call("status", &json!({ "environment": environment }))["result"]["status"].clone()
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        // The server may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn spawn(mut command: Command, arguments: &str, folder: &Path, port: &str) -> Child {
    command.arg("serve").args(arguments.split_whitespace()).args(["--port", port, "--log-level", "error", "--data"]);
    command.arg(folder).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the binary can be started")
}

/// An agent that moves up and down in its alcove of Find the Goals until it must stop, one action after another.
struct Walker {
    agent: Agent,
    entity: &'static str,
    /// Number of its actions that the server has acknowledged.
    acknowledged: u64,
    /// Number of events that it has received, including those reported as lost.
    events: u64,
}

impl Walker {
    fn enter(address: &str, environment: &str, entity: &'static str) -> Self {
        let client = Client::connect(&format!("tcp://{address}")).wait().expect("it listens");
        let mut agent = client.environment(environment).register(entity).wait().expect("the name is free");
        agent.associate(entity).wait().expect("it is free");
        Self { agent, entity, acknowledged: 0, events: 0 }
    }

    fn walk_until(mut self, stop: &AtomicBool) -> Self {
        while !stop.load(Ordering::Relaxed) {
            self.step();
        }
        self
    }

    /// Acts and perceives, and checks that the walker is where its acknowledged actions lead.
    fn step(&mut self) {
        let action = if self.acknowledged.is_multiple_of(2) { "up" } else { "down" };
        let stepped = self.agent.step(Some(Action::new(action, []))).wait().expect("the session continues");
        stepped.acted.check().expect("nothing is in the way");
        self.acknowledged += 1;
        for (_, perception) in &stepped.perceptions {
            self.events += perception.events.len() as u64 + perception.lost;
        }
        assert_eq!(self.agent.beliefs(self.entity).iter().find(|one| one.name == "at"), Some(&self.place()));
    }

    /// Returns the position after the acknowledged actions.
    fn place(&self) -> Percept {
        let x = if self.entity == "red" { 3 } else { 6 };
        let y = 1 + (self.acknowledged % 2) as i64;
        Percept::new("at", [x.into(), y.into()])
    }
}

#[test]
fn survives_a_hundred_kills_under_load() {
    let environments = "find-goals ".repeat(ENVIRONMENTS);
    let mut server = Kept::start(&format!("{environments} --pace reactive --view global --grace 60"), "kills");
    let names = (1..=ENVIRONMENTS).map(|n| if n == 1 { "find-goals".into() } else { format!("find-goals-{n}") });
    let names: Vec<String> = names.collect();
    let stop = Arc::new(AtomicBool::new(false));
    let entered: Vec<(String, Walker)> = names
        .iter()
        .flat_map(|name| ["red", "blue"].map(|entity| (name.clone(), Walker::enter(&server.address, name, entity))))
        .collect();
    let walkers: Vec<(String, JoinHandle<Walker>)> = entered
        .into_iter()
        .map(|(name, walker)| {
            let stop = stop.clone();
            (name, thread::spawn(move || walker.walk_until(&stop)))
        })
        .collect();
    for kill in 0..KILLS {
        // At a random moment: while the server starts, while it restores its data, or while it serves.
        sleep(Duration::from_millis(40 + random() % 400));
        assert!(!walkers.iter().any(|(_, walker)| walker.is_finished()), "an agent has ended after {kill} kills");
        server.kill_and_restart();
    }
    server.manager();
    stop.store(true, Ordering::Relaxed);
    let walkers: Vec<(String, Walker)> =
        walkers.into_iter().map(|(name, walker)| (name, walker.join().expect("all was as acknowledged"))).collect();
    for name in &names {
        let steps = server.status(name)["moment"]["step"].as_u64().expect("it is somewhere");
        let both = || walkers.iter().filter(|(of, _)| of == name).map(|(_, walker)| walker);
        // Each action is a step: none was done twice, and none was forgotten.
        assert_eq!(steps, both().map(|walker| walker.acknowledged).sum::<u64>(), "{name}");
        assert!(steps > KILLS as u64, "{name} was under load: {steps} steps");
    }
    for (name, mut walker) in walkers {
        // Each step is an event for both agents. Each event was received once, or counted as lost.
        let perceived = walker.agent.perceive().wait().expect("the session continues");
        let more = perceived.iter().map(|(_, told)| told.events.len() as u64 + told.lost).sum::<u64>();
        let steps = server.status(&name)["moment"]["step"].as_u64().expect("it is somewhere");
        assert_eq!(walker.events + more, steps, "{} of {name}", walker.entity);
        assert_eq!(walker.agent.beliefs(walker.entity).iter().find(|one| one.name == "at"), Some(&walker.place()));
    }
}

/// Returns a number that differs in each run.
fn random() -> u64 {
    use std::hash::{BuildHasher, RandomState};
    RandomState::new().hash_one(())
}

#[test]
fn environments_are_restored() {
    let mut server = Kept::start("find-goals --pace real-time=50 --paused", "as_they_were");
    let mut manager = server.manager();
    let create = json!({ "kind": "find-goals", "environment": "made", "pace": "reactive", "seed": 7 });
    manager.call("createEnvironment", &create);
    manager.call("advance", &json!({ "environment": "find-goals", "steps": 30, "atOnce": true }));
    manager.call("setSpeed", &json!({ "environment": "find-goals", "speed": 2.5 }));
    let properties = ["state", "pace", "speed", "kind"];
    let before = ["find-goals", "made"].map(|name| (server.status(name), name));
    server.kill_and_restart();
    for (status, name) in before {
        let again = server.status(name);
        assert_eq!(again["moment"]["step"], status["moment"]["step"], "{name}");
        for property in properties {
            assert_eq!(again[property], status[property], "{property} of {name}");
        }
        assert_eq!(again["data"], json!({}));
    }
    // A running environment continues, and a removed one does not come back.
    let mut manager = server.manager();
    manager.call("setSpeed", &json!({ "environment": "find-goals", "speed": 100.0 }));
    manager.call("manage", &json!({ "environment": "find-goals", "command": "start" }));
    manager.call("removeEnvironment", &json!({ "environment": "made" }));
    server.kill_and_restart();
    let step = |status: &Value| status["moment"]["step"].as_u64().expect("it is somewhere");
    let status = server.status("find-goals");
    assert_eq!((&status["state"], step(&status) >= 30), (&json!("running"), true));
    sleep(Duration::from_millis(300));
    assert!(step(&server.status("find-goals")) > step(&status));
    assert_eq!(server.status("made"), Value::Null);
}

#[test]
fn hosted_environments_wait_for_their_host() {
    let mut server = Kept::start("find-goals --grace 30", "hosted");
    let address = format!("tcp://{}", server.address);
    let hosting = host::<FindGoals>(&address).name("elsewhere").parameter("view", "global").pace(Pace::Reactive);
    thread::spawn(move || hosting.wait());
    while server.status("elsewhere")["state"] != "running" {
        sleep(Duration::from_millis(20));
    }
    let client = Client::connect(&address).wait().expect("it listens");
    let mut agent = client.environment("elsewhere").register("ada").wait().expect("the name is free");
    agent.associate("red").wait().expect("it is free");
    for (action, y) in [("up", 2), ("down", 1), ("up", 2), ("down", 1)] {
        let place = Percept::new("at", [3.into(), y.into()]);
        // The walker stays in front of a wall. The action can therefore be repeated if the host had not reconnected
        // in time.
        while !agent.beliefs("red").contains(&place) {
            match agent.step(Some(Action::new(action, []))).wait() {
                Ok(_) => {}
                Err(Error::Refused(error)) if error.code() == Some(Code::HostTimeout) => {}
                Err(error) => panic!("{error}"),
            }
        }
        server.kill_and_restart();
    }
    assert_eq!(server.status("elsewhere")["hosted"], true);
}

#[test]
fn subscriptions_continue() {
    let mut server = Kept::start("find-goals --pace reactive --view global --grace 30", "subscriptions");
    let enter = |agent: &str, entity: &str| {
        let client = Client::connect(&format!("tcp://{}", server.address)).wait().expect("it listens");
        let mut agent = client.environment("find-goals").register(agent).wait().expect("the name is free");
        agent.associate(entity).wait().expect("it is free");
        agent
    };
    let (mut ada, eve) = (enter("ada", "red"), enter("eve", "blue"));
    let mut percepts = ada.percepts().wait().expect("it can subscribe");
    percepts.receive().wait().expect("what holds");
    for _ in 0..3 {
        server.kill_and_restart();
        eve.act(Action::new("wait", [])).wait().expect("the session continues").check().expect("it can wait");
        let mut rewards = 0;
        while rewards == 0 {
            let told = percepts.receive().wait().expect("the subscription continues");
            rewards += told.iter().map(|(_, told)| told.events.len()).sum::<usize>();
        }
        assert_eq!(rewards, 1, "each event once");
    }
}

#[test]
fn calls_are_refused_while_the_disk_is_full() {
    let mut command = Command::new("bash");
    // No file can have more than 256 KiB, as on a disk that is full then.
    command.args(["-c", "trap '' XFSZ; ulimit -S -f 256; exec \"$0\" \"$@\"", SITUATED]);
    let mut server = Kept::start_by(command, "find-goals --pace reactive", "full_data", 0);
    let client = Client::connect(&format!("tcp://{}", server.address)).wait().expect("it listens");
    let mut agent = client.environment("find-goals").register("ada").wait().expect("the name is free");
    agent.associate("red").wait().expect("it is free");
    let act = || agent.act(Action::new("wait", [])).wait();
    let mut acknowledged = 0;
    let error = loop {
        match act() {
            Ok(_) => acknowledged += 1,
            Err(error) => break error,
        }
        assert!(acknowledged < 100_000, "256 KiB do not suffice");
    };
    // If the server made the step and could not write it, it reports the result as uncertain.
    let uncertain = match error {
        Error::Uncertain { reason, .. } => {
            assert!(reason.contains("data.db` cannot be written"), "{reason}");
            true
        }
        Error::Refused(error) => {
            assert_eq!(error.code(), Some(Code::NotKept), "{error}");
            false
        }
        error => panic!("{error}"),
    };
    let refused = act().expect_err("the disk is full");
    let expected = "cannot be written: disk I/O error; nothing was done, try again later";
    assert!(refused.to_string().contains(expected), "{refused}");
    agent.perceive().wait().expect("calls that only read are answered");
    let status = server.status("find-goals");
    let error = status["data"]["error"].as_str().expect("it says so");
    assert!(error.contains("data.db` cannot be written"), "{error}");
    assert!(get(&server.address, "/metrics").contains("situated_data_failed 1"));

    let unlimited =
        Command::new("prlimit").args(["--fsize=unlimited", "--pid", &server.child.id().to_string()]).status();
    assert!(unlimited.expect("there is `prlimit`").success());
    let act = || agent.act(Action::new("wait", [])).wait();
    while act().is_err() {
        sleep(Duration::from_millis(50));
    }
    for _ in 0..10 {
        act().expect("there is room").check().expect("it can wait");
    }
    acknowledged += 11;
    assert_eq!(server.status("find-goals")["data"], json!({}));
    server.kill_and_restart();
    act().expect("the session continues").check().expect("it can wait");
    let steps = &server.status("find-goals")["moment"]["step"];
    assert_eq!(steps.as_u64(), Some(acknowledged + 1 + u64::from(uncertain)));
}

#[test]
fn only_one_server_uses_a_folder_and_only_its_owner_can_read_it() {
    let mut server = Kept::start("find-goals", "one_server");
    server.manager();
    let second = spawn(Command::new(SITUATED), "find-goals", &server.folder, "0").wait_with_output().expect("it ends");
    let err = String::from_utf8(second.stderr).expect("it prints UTF-8");
    let holder = format!("is in use by the server at {} (process {})", server.address, server.child.id());
    assert!(!second.status.success() && err.contains(&holder), "{err}");
    let mode = |path: &Path| fs::metadata(path).expect("it is there").permissions().mode() & 0o777;
    assert_eq!(mode(&server.folder), 0o700);
    for file in fs::read_dir(&server.folder).expect("it is there") {
        let path = file.expect("a file").path();
        assert_eq!(mode(&path), 0o600, "{}", path.display());
    }
    assert!(get(&server.address, "/metrics").contains("situated_data_failed 0"));
}

/// Managers give built-in agents to entities. These agents continue after the server is killed.
#[test]
fn built_in_agents_continue() {
    let mut server = Kept::start("find-goals", "built-in-agents");
    let create = |agent: &str| {
        let rules = json!([{ "entity": "red", "agent": agent }]);
        json!({ "kind": "find-goals", "environment": "game", "start": true, "speed": 100, "agents": rules })
    };
    let mut manager = server.manager();
    let refused = manager.call("createEnvironment", &create("nobody"));
    let message = refused["error"]["message"].as_str().expect("it is refused").to_owned();
    assert!(message.contains("find-goals has no built-in agent `nobody`, expected one of: "), "{message}");
    let known = manager.call("describeKind", &json!({ "kind": "find-goals" }))["result"]["agents"][0].clone();
    let made = manager.call("createEnvironment", &create(known["name"].as_str().expect("it ships with one")));
    assert_eq!(made["result"]["status"]["agents"], 1, "{made}");
    server.kill_and_restart();
    assert_eq!(server.status("game")["agents"], 1);
    let steps = |server: &mut Kept| server.status("game")["moment"]["step"].as_u64().expect("a number");
    let before = steps(&mut server);
    for _ in 0..500 {
        if steps(&mut server) > before {
            return;
        }
        sleep(Duration::from_millis(20));
    }
    panic!("the agent does nothing");
}
