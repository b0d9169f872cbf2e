//! Tests `run --page`: a run with a server, to which programs in other processes connect.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::{Finished, fresh_directory, get, situated, started};

const EXAMPLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples");

#[test]
fn commands_of_a_team_control_entities() {
    let file = format!(
        "environment = 'find-goals'\nsteps = 60\n\
         [[agents]]\nentity = 'red'\ncommand = ['python3', '{EXAMPLES}/find_goals_agent.py', 'red', '60']\n\
         [[agents]]\nentity = 'blue'\ncommand = ['node', '{EXAMPLES}/find_goals_agent.mjs', 'blue', '60']\n"
    );
    let path = fresh_directory("commands").join("team.toml");
    fs::write(&path, file).expect("it can be written");
    let Finished { code, out, err } = situated(&format!("run {} --page --port 0 --quiet", path.display()));
    assert_eq!(code, 0, "are python3 and node there? {err}");
    let summary: Value = serde_json::from_str(&out).expect("it is JSON");
    assert_eq!(summary["steps"], 60);
    let goals = summary["outcome"]["results"].as_array().into_iter().flatten();
    let reached: i64 = goals.filter(|one| one["name"] == "goals").filter_map(|one| one["value"].as_i64()).sum();
    assert!(reached > 4, "{out}");
}

#[cfg(unix)]
#[test]
fn a_command_is_given_its_options() {
    let folder = fresh_directory("options_of_commands");
    let (path, given) = (folder.join("team.toml"), folder.join("given"));
    let file = format!(
        "environment = 'find-goals'\nspeed = 100\nsteps = 50\npace = {{ real-time = 100 }}\n[[agents]]\nentity = 'red'\n\
         command = ['sh', '-c', 'printf %s \"$SITUATED_OPTIONS\" > {}; \
         exec python3 {EXAMPLES}/find_goals_agent.py red 50']\n\
         options = {{ depth = 3 }}\n",
        given.display()
    );
    fs::write(&path, file).expect("it can be written");
    let Finished { code, err, .. } = situated(&format!("run {} --page --port 0 --quiet", path.display()));
    assert_eq!(code, 0, "{err}");
    assert_eq!(fs::read_to_string(&given).expect("the command has written it"), r#"{"depth":3}"#);
}

#[test]
fn a_command_that_cannot_be_started_is_named() {
    let path = fresh_directory("no_command").join("team.toml");
    let file = "environment = 'find-goals'\n[[agents]]\nentity = 'red'\ncommand = ['no-such-program']\n";
    fs::write(&path, file).expect("it can be written");
    let Finished { code, err, .. } = situated(&format!("run {} --page --port 0 --quiet", path.display()));
    assert_eq!(code, 1);
    assert!(err.contains("cannot start `no-such-program` for entity `red`"), "{err}");
}

#[test]
fn the_first_step_waits_until_commands_have_connected() {
    let folder = fresh_directory("late_command");
    let (path, agent, steps) = (folder.join("team.toml"), folder.join("agent.py"), folder.join("steps"));
    fs::write(&agent, LATE_AGENT).expect("it can be written");
    let file = format!(
        "environment = 'find-goals'\nsteps = 5\n[[agents]]\nentity = 'red'\ncommand = ['python3', '{}', '{}']\n\
         [[agents]]\nprogram = 'random'\n",
        agent.display(),
        steps.display()
    );
    fs::write(&path, file).expect("it can be written");
    let Finished { code, err, .. } = situated(&format!("run {} --page --port 0 --quiet", path.display()));
    assert_eq!(code, 0, "is python3 there? {err}");
    assert_eq!(fs::read_to_string(&steps).expect("the agent has taken steps"), "1 2 3 4 ");
    let warning = "warning: program `python3` for entity `red` has not connected yet; no step is made before\n";
    assert_eq!(err.matches(warning).count(), 1, "{err}");
}

/// Connects late, acts four times, and writes the number of the step after each.
const LATE_AGENT: &str = r#"
import json, os, socket, sys, time
time.sleep(7)
host, port = os.environ["SITUATED_URL"].removeprefix("tcp://").rsplit(":", 1)
stream = socket.create_connection((host, int(port))).makefile("rw")
def call(method, **params):
    stream.write(json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}) + "\n")
    stream.flush()
    return json.loads(stream.readline())
environment, agent = os.environ["SITUATED_ENVIRONMENT"], os.environ["SITUATED_AGENT"]
call("hello", protocol=2, role="agent")
call("register", environment=environment, agent=agent)
call("associate", environment=environment, agent=agent, entity=os.environ["SITUATED_ENTITY"])
with open(sys.argv[1], "w") as steps:
    for _ in range(4):
        call("step", environment=environment, agents=[{"agent": agent, "action": {"name": "wait"}}])
        moment = call("listEntities", environment=environment)["result"]["moment"]
        print(moment["step"], end=" ", file=steps, flush=True)
# The last step of the run ends it.
call("step", environment=environment, agents=[{"agent": agent, "action": {"name": "wait"}}])
"#;

#[test]
fn a_command_that_ends_before_it_connects_ends_the_run() {
    let path = fresh_directory("early_end").join("team.toml");
    let file = "environment = 'find-goals'\n[[agents]]\nentity = 'red'\ncommand = ['python3', '-c', 'exit(3)']\n\
                [[agents]]\nprogram = 'random'\n";
    fs::write(&path, file).expect("it can be written");
    let Finished { code, err, .. } = situated(&format!("run {} --page --port 0 --quiet", path.display()));
    assert_eq!(code, 1, "{err}");
    assert!(err.contains("program `python3` for entity `red` ended before it connected: exit status: 3"), "{err}");
}

#[test]
fn a_run_ends_when_its_commands_have_ended() {
    let path = fresh_directory("commands_that_end").join("team.toml");
    let file = format!(
        "environment = 'find-goals'\nsteps = 60\n\
         [[agents]]\nentity = 'red'\ncommand = ['python3', '{EXAMPLES}/find_goals_agent.py', 'red', '2']\n\
         [[agents]]\nentity = 'blue'\ncommand = ['python3', '{EXAMPLES}/find_goals_agent.py', 'blue', '3']\n"
    );
    fs::write(&path, file).expect("it can be written");
    let Finished { code, out, err } = situated(&format!("run {} --page --port 0 --quiet", path.display()));
    assert_eq!(code, 0, "is python3 there? {err}");
    assert!(err.ends_with("The run ended because its programs have ended and no agent acts any more.\n"), "{err}");
    let summary: Value = serde_json::from_str(&out).expect("it is JSON");
    assert_eq!(summary["steps"], 3);
}

#[test]
fn a_client_can_show_and_advance_the_run() {
    let arguments = ["run", "find-goals", "--steps", "1000000", "--speed", "100", "--page", "--port", "0"];
    let (mut run, _said, address) = started(&arguments, Stdio::null(), "Page: http://", "/#/find-goals");

    let html = get(&address, "/");
    assert!(html.starts_with("HTTP/1.1 200 OK") && html.contains("<!doctype html>"), "{html}");

    let mut manager = Manager::connect(&address);
    let paused = manager.call("manage", &json!({ "environment": "find-goals", "command": "pause" }));
    let step = paused["result"]["moment"]["step"].as_u64().expect("it is somewhere");
    let advanced = manager.call("advance", &json!({ "environment": "find-goals", "steps": 3 }));
    assert_eq!(advanced["result"]["moment"]["step"], step + 3);
    manager.call("manage", &json!({ "environment": "find-goals", "command": "kill" }));
    assert!(run.wait().expect("it was started").success());
}

#[test]
fn a_message_that_breaks_a_rule_ends_a_run_that_demands_it() {
    let path = fresh_directory("violations").join("team.toml");
    let agents = "[[agents]]\nprogram = 'idle'\n";
    let end = |violations: &str| {
        let file =
            format!("environment = 'find-goals'\nspeed = 100\nsteps = 1000000\nviolations = '{violations}'\n{agents}");
        fs::write(&path, file).expect("it can be written");
        let arguments = ["run", path.to_str().expect("it is UTF-8"), "--quiet", "--page", "--port", "0"];
        let (run, mut said, address) = started(&arguments, Stdio::piped(), "Page: http://", "/#/find-goals");
        let mut manager = Manager::connect(&address);
        manager.call("openMailbox", &json!({ "agent": "ada" }));
        let send = |manager: &mut Manager, act: &str| {
            let message = json!({ "performative": act, "receivers": ["ada"],
                "protocol": "fipa-request", "conversationId": "c1" });
            manager.call("send", &json!({ "agent": "ada", "message": message }))
        };
        assert_eq!(send(&mut manager, "request")["error"], Value::Null);
        // The first message of the protocol cannot be this one.
        assert_eq!(send(&mut manager, "propose")["error"], Value::Null);
        if violations == "report" {
            manager.call("manage", &json!({ "environment": "find-goals", "command": "kill" }));
        }
        let mut rest = String::new();
        said.read_to_string(&mut rest).expect("it prints UTF-8");
        let output = run.wait_with_output().expect("it was started");
        let summary: Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
        let results = summary["outcome"]["results"].as_array().cloned().unwrap_or_default();
        let counted = results.into_iter().find(|one| one["name"] == "violations").map(|one| one["value"].clone());
        (output.status.code(), counted, rest)
    };
    let (code, counted, said) = end("end");
    assert_eq!((code, counted), (Some(3), Some(json!(1))), "{said}");
    let wanted =
        "The run ended because a message broke a rule of its protocol: `ada` in conversation `c1`: fipa-request";
    assert!(said.contains(wanted), "{said}");
    let (code, counted, said) = end("report");
    assert_eq!((code, counted), (Some(0), None), "{said}");
}

#[test]
fn messages_are_in_the_recording_of_a_run_and_replay_brings_them_back() {
    let file = fresh_directory("recorded_messages").join("run.mcap");
    let file = file.to_str().expect("it is UTF-8");
    let arguments =
        ["run", "find-goals", "--steps", "1000000", "--speed", "100", "--page", "--port", "0", "--record", file];
    let (mut run, _said, address) = started(&arguments, Stdio::null(), "Page: http://", "/#/find-goals");
    let mut manager = Manager::connect(&address);
    manager.call("openMailbox", &json!({ "agent": "ada" }));
    let message = |act: &str, content: &str| {
        json!({ "performative": act, "receivers": ["ada"], "content": content, "protocol": "fipa-request",
            "conversationId": "c1",
            "parameters": [{ "name": "X-box", "value": { "list": ["a", { "number": "7" }] } }] })
    };
    for (act, content) in [("request", "plums, \"ripe\""), ("inform", "no")] {
        let sent = manager.call("send", &json!({ "agent": "ada", "message": message(act, content) }));
        assert_eq!(sent["error"], Value::Null);
    }
    manager.call("manage", &json!({ "environment": "find-goals", "command": "kill" }));
    assert!(run.wait().expect("it was started").success());

    let Finished { out, .. } = situated(&format!("export {file} --format jsonl"));
    let lines = out.lines().map(|line| serde_json::from_str::<Value>(line).expect("it is JSON"));
    let sent: Vec<Value> = lines.filter(|entry| entry["channel"] == "/messages").collect();
    let mut request = message("request", "plums, \"ripe\"");
    request["sender"] = json!("ada");
    assert_eq!((&sent[0]["message"], &sent[0]["violations"], sent.len()), (&request, &json!([]), 2));
    let violation = sent[1]["violations"][0].as_str().expect("it breaks a rule");
    assert!(violation.starts_with("`ada` in conversation `c1`: fipa-request, Requested: `inform`"), "{violation}");
    assert_eq!(sent[1]["episode"], 1);
    let Finished { out, .. } = situated(&format!("export {file} --format csv"));
    let row = out.lines().find(|row| row.contains(",message,")).expect("there is one");
    assert!(row.ends_with(",message,ada,c1,request,ada,"), "{row}");

    let Finished { code, out, err } = situated(&format!("replay {file}"));
    assert!(out.contains("The recording has 2 messages, 1 violation.") && out.contains("All agree."), "{out}{err}");
    assert_eq!(code, 0);

    // Observers get them again.
    let arguments = ["replay", file, "--page", "--port", "0"];
    let (mut replay, _said, address) = started(&arguments, Stdio::null(), "Page: http://", "/#messages");
    let mut observer = Manager::connect(&address);
    observer.call("subscribe", &json!({ "to": { "conversations": { "protocol": "fipa-request" } } }));
    let mut seen = Vec::new();
    while seen.len() < 2 {
        let mut line = String::new();
        observer.lines.read_line(&mut line).expect("it is told");
        let told: Value = serde_json::from_str(&line).expect("it is JSON");
        seen.extend(told["params"]["messages"].as_array().cloned().unwrap_or_default());
    }
    for (seen, sent) in seen.iter().zip(&sent) {
        assert_eq!((&seen["message"], &seen["time"]), (&sent["message"], &sent["time"]));
    }
    assert_eq!((&seen[0]["violations"], &seen[1]["violations"]), (&Value::Null, &sent[1]["violations"]));
    replay.kill().expect("it runs");
    replay.wait().expect("it was started");
}

/// A client with the right to manage, which sends lines of JSON over TCP.
pub(crate) struct Manager {
    lines: BufReader<TcpStream>,
}

impl Manager {
    pub(crate) fn connect(address: &str) -> Self {
        let mut manager = Self { lines: BufReader::new(TcpStream::connect(address).expect("the server listens")) };
        manager.call("hello", &json!({ "protocol": 2, "role": "observer" }));
        manager
    }

    pub(crate) fn call(&mut self, method: &str, params: &Value) -> Value {
        let call = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        writeln!(self.lines.get_mut(), "{call}").expect("it listens");
        let mut line = String::new();
        self.lines.read_line(&mut line).expect("it answers");
        serde_json::from_str(&line).expect("it is JSON")
    }
}
