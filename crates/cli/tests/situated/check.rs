//! `check`: a server is held against the protocol.

use serde_json::Value;

use crate::serve::Serving;
use crate::{Finished, printed, situated};

#[test]
fn checks_are_listed_with_what_must_be_true() {
    let list = printed("check --list");
    let row = list.lines().find(|line| line.starts_with("sessions-resume ")).expect("it is listed");
    assert!(row.contains("resume token") && row.ends_with("(Sessions)"), "{row}");
    assert!(list.lines().count() > 80, "{list}");
    let some = printed("check --list --only sessions");
    assert!(some.lines().skip(1).all(|line| line.starts_with("sessions-")), "{some}");
}

#[test]
fn our_own_server_passes() {
    let serving = Serving::start("find-goals --token act=a --token manage=m");
    let tokens = "--token a --manager-token m";
    let report = printed(&format!("check ws://{}/ws {tokens} --only envelope --only rights", serving.address));
    let row = report.lines().find(|line| line.contains(" rights-see ")).expect("it was made");
    assert!(row.starts_with("passed "), "{report}");
    assert!(report.trim_end().ends_with(" passed, 0 failed, 0 skipped"), "{report}");
    assert!(!report.contains('\x1b'), "nobody looks at colours");
}

#[test]
fn what_has_failed_is_told_with_its_frames_and_by_the_exit_code() {
    let serving = Serving::start("find-goals --token act=a --token manage=m");
    let Finished { code, out, err } =
        situated(&format!("check tcp://{} --token x --only envelope-ids", serving.address));
    assert_eq!((code, err.as_str()), (1, ""), "{out}");
    for expected in ["FAILED  envelope-ids", "expected: ", "got: ", "unauthorized", "0 → {", "0 passed, 1 failed"] {
        assert!(out.contains(expected), "{expected} is missing in\n{out}");
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
fn wrong_usage_and_that_nobody_is_there_are_told_apart() {
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
