//! `check`: a server is held against the protocol.

use std::fs;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::serve::Serving;
use crate::{Finished, fresh_directory, printed, situated, started};

#[test]
fn checks_are_listed_with_their_rules() {
    let list = printed("check --list");
    let row = list.lines().find(|line| line.starts_with("sessions-resume ")).expect("it is listed");
    assert!(row.contains("resume token") && row.ends_with("(Sessions)"), "{row}");
    assert!(list.lines().count() > 80, "{list}");
    let some = printed("check --list --only sessions");
    assert!(some.lines().skip(1).all(|line| line.starts_with("sessions-")), "{some}");
}

#[test]
fn our_own_server_passes() {
    let serving = Serving::start("find-goals --token act=token-of-an-agent --token manage=token-of-a-manager");
    let tokens = "--token token-of-an-agent --manager-token token-of-a-manager";
    let report = printed(&format!("check ws://{}/ws {tokens} --only envelope --only rights", serving.address));
    let row = report.lines().find(|line| line.contains(" rights-see ")).expect("it was made");
    assert!(row.starts_with("passed "), "{report}");
    assert!(report.trim_end().ends_with(" passed, 0 failed, 0 skipped"), "{report}");
    assert!(!report.contains('\x1b'), "the output is not a terminal");
}

#[test]
fn tokens_that_the_server_refuses_end_the_check_before_it_begins() {
    let serving = Serving::start("find-goals --token act=token-of-an-agent --token manage=token-of-a-manager");
    for (tokens, expected) in [
        ("", "this server requires a token; send the one that you were given (--token)"),
        ("--token x", "does not know this token"),
        ("--token token-of-an-agent --manager-token x", "(--manager-token)"),
    ] {
        let Finished { code, out, err } = situated(&format!("check tcp://{} {tokens}", serving.address));
        assert_eq!((code, out.as_str()), (1, ""), "{err}");
        assert!(err.contains(expected) && err.lines().count() == 1, "{err}");
    }
}

#[test]
fn programs_read_json() {
    let serving = Serving::start("find-goals");
    let report = printed(&format!("check tcp://{} --only greeting --json", serving.address));
    let report: Value = serde_json::from_str(&report).expect("it prints JSON");
    let verdict = |name: &str| {
        let found = report["checks"].as_array().into_iter().flatten().find(|check| check["name"] == name);
        found.expect("it was made")["verdict"].clone()
    };
    assert_eq!(verdict("greeting-first"), "passed");
    assert_eq!(verdict("greeting-token"), "skipped");
}

#[test]
fn wrong_usage_and_unreachable_servers_have_different_exit_codes() {
    for (arguments, expected_code, expected) in [
        ("check", 2, "<URL>"),
        ("check http://localhost:1/", 2, "tcp://HOST:PORT"),
        ("check tcp://127.0.0.1:1 --only nothing", 2, "--list"),
        ("check tcp://127.0.0.1:1", 1, "cannot connect to tcp://127.0.0.1:1"),
    ] {
        let Finished { code, err, .. } = situated(arguments);
        assert_eq!(code, expected_code, "situated {arguments}\n{err}");
        assert!(err.contains(expected), "situated {arguments}\n{err}");
    }
}

#[test]
fn the_host_in_python_passes() {
    let host = include_str!("../../../../examples/corridor_host.py");
    let Finished { code, out, err } = check_host("good_host", host);
    assert_eq!(code, 0, "is python3 there?\n{out}{err}");
    assert!(says(&out, "passed", "hosting-acts") && says(&out, "passed", "hosting-reset"), "{out}");
}

#[test]
fn a_host_that_breaks_the_protocol_fails() {
    let host = include_str!("../../../../examples/corridor_host.py");
    for (name, right, wrong, check) in [
        ("late", "if kind == \"act\":", "if kind == \"act\" and not __import__('time').sleep(2):", "hosting-acts"),
        ("silent", "\"percepts\": [at(walker) for walker in cells]", "\"percepts\": []", "hosting-percepts"),
    ] {
        let faulty = host.replace(right, wrong);
        assert_ne!(faulty, host, "{right}");
        let Finished { code, out, .. } = check_host(name, &faulty);
        assert_eq!(code, 1, "{out}");
        assert!(says(&out, "FAILED", check), "{out}");
        for expected in ["expected: ", "got: ", " → {", " ← {", " passed, "] {
            assert!(out.contains(expected), "{expected} is missing in\n{out}");
        }
    }
}

pub(crate) fn says(report: &str, verdict: &str, check: &str) -> bool {
    let row = |line: &&str| line.split_whitespace().take(2).eq([verdict, check]);
    report.lines().any(|line| row(&line))
}

fn check_host(name: &str, program: &str) -> Finished {
    check_python_host(&["check", "--host", "--port", "0", "--only", "hosting"], name, program)
}

/// Runs a command that waits for a host, which is this program in Python.
pub(crate) fn check_python_host(command: &[&str], name: &str, program: &str) -> Finished {
    let path = fresh_directory(name).join("host.py");
    fs::write(&path, program).expect("it can be written");
    let (check, _said, address) = started(command, Stdio::piped(), "Waiting for a host at ", ",");
    let mut host = Command::new("python3")
        .arg(&path)
        .arg(address)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("python3");
    let output = check.wait_with_output().expect("it was started");
    // The host may have ended with its server.
    let _ = host.kill();
    let _ = host.wait();
    output.into()
}
