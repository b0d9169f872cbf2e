//! `check-environment`: an environment is played at random, and held to the rules for environments.

use serde_json::Value;

use crate::check::{check_python_host, says};
use crate::serve::Serving;
use crate::{Finished, printed, situated};

const HOST: &str = include_str!("../../../../examples/corridor_host.py");

#[test]
fn passes_an_environment_that_ships() {
    let report = printed("check-environment find-goals --seeds 1 --steps 20 --view global");
    assert!(says(&report, "passed", "determinism") && says(&report, "passed", "masks"), "{report}");
    assert!(report.ends_with("\nfind-goals: 15 passed, 0 failed, 0 not applicable\n"), "{report}");
}

#[test]
fn prints_the_same_report_for_the_same_seeds() {
    let command = "check-environment find-goals --seed 7 --seeds 1 --steps 10 --json";
    let report = printed(command);
    assert_eq!(report, printed(command));
    let report: Value = serde_json::from_str(&report).expect("it prints JSON");
    assert_eq!((&report["environment"], &report["rules"][2]["rule"]), (&"find-goals".into(), &"determinism".into()));
}

#[test]
fn checks_an_environment_on_a_server() {
    let serving = Serving::start("find-goals");
    let report = printed(&format!("check-environment tcp://{} find-goals --seeds 1 --steps 10", serving.address));
    assert!(says(&report, "passed", "determinism") && says(&report, "passed", "forbidden"), "{report}");
    assert!(says(&report, "n/a", "saving"), "{report}");
}

#[test]
fn a_token_without_the_right_to_manage_is_not_the_fault_of_the_environment() {
    let serving = Serving::start("find-goals --token act=token-of-an-agent --token manage=token-of-a-manager");
    let check = format!("check-environment tcp://{} find-goals --token token-of-an-agent", serving.address);
    let Finished { code, out, err } = situated(&check);
    assert_eq!((code, out.as_str()), (1, ""), "{err}");
    assert!(err.contains("needs the right to manage") && err.contains("--token"), "{err}");
}

#[test]
fn checks_the_host_of_an_environment() {
    let command = ["check-environment", "--host", "--port", "0", "--seeds", "2", "--steps", "20"];
    let Finished { code, out, err } = check_python_host(&command, "sound_environment", HOST);
    assert_eq!(code, 0, "is python3 there?\n{out}{err}");
    assert!(says(&out, "passed", "determinism") && says(&out, "passed", "refusals"), "{out}");

    let faulty = HOST.replace("cells.update(ann=0, bob=9)", "cells.update(ann=0, bob=cells.get('bob', 9))");
    assert_ne!(faulty, HOST);
    let Finished { code, out, .. } = check_python_host(&command, "leftover_state", &faulty);
    assert_eq!(code, 1, "{out}");
    assert!(says(&out, "FAILED", "determinism") && out.contains("\n  seed 1, step 0: "), "{out}");
}

/// Checks a host that differs from the example in these places.
fn check_variant(name: &str, changes: &[(&str, &str)]) -> Finished {
    let host = changes.iter().fold(HOST.to_owned(), |host, (from, to)| {
        assert!(host.contains(from), "{from}");
        host.replace(from, to)
    });
    let command = ["check-environment", "--host", "--port", "0", "--seeds", "1", "--steps", "12"];
    check_python_host(&command, name, &host)
}

/// Without this option, two answers of a host in a row take 40 ms.
const AT_ONCE: (&str, &str) =
    ("int(port)))\n", "int(port)))\nconnection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)\n");

const LOCKSTEP: (&str, &str) = ("\"pace\": \"reactive\"", "\"pace\": \"lockstep\"");

#[test]
fn correct_hosts_pass() {
    let two = "[{\"name\": \"at\", \"args\": [cells[walker]]}, {\"name\": \"at\", \"args\": [9 - cells[walker]]}]";
    let shuffled = format!("__import__(\"random\").sample({two}, 2)");
    let wet = "{\"name\": \"wet\", \"documentation\": \"\", \"delivery\": \"onChange\", \"parameters\": []}";
    let growing = format!(
        "{{\"update\": {{\"ontology\": {{\"entityTypes\": [{{\"name\": \"walker\", \"documentation\": \"\", \
         \"actions\": [], \"percepts\": [{wet}]}}]}}, \"percepts\": [at(walker), {{\"entity\": walker, \"add\": \
         [{{\"name\": \"wet\", \"args\": []}}]}}]}}}}"
    );
    let acted = "{\"update\": {\"percepts\": [at(walker)]}}";
    for (name, changes) in [
        ("other_order", vec![("[{\"name\": \"at\", \"args\": [cells[walker]]}]", shuffled.as_str())]),
        ("lockstep", vec![LOCKSTEP, AT_ONCE]),
        (
            "percepts_on_request",
            vec![
                ("\"percepts\": [at(walker) for walker in cells]", "\"percepts\": []"),
                (
                    "    return {}\n",
                    "    if kind == \"perceive\":\n        __import__('time').sleep(0.002)\n        \
                     return {\"update\": {\"percepts\": [at(params[\"entity\"])]}}\n    return {}\n",
                ),
            ],
        ),
        ("open", vec![("\"types\": {},", "\"types\": {}, \"open\": True,")]),
        ("new_percepts", vec![(acted, growing.as_str())]),
    ] {
        let Finished { code, out, err } = check_variant(name, &changes);
        assert_eq!(code, 0, "{name}: {out}{err}");
        for rule in ["determinism", "percepts", "actions", "refusals"] {
            assert!(says(&out, "passed", rule), "{name}: {out}");
        }
    }
}

/// A rejected action moves its walker, which shows with the next step: after an accepted one, or with the turn.
#[test]
fn hidden_changes_by_rejected_actions_are_found() {
    let hidden = ("raise ValueError", "cells[walker] += 1 if cells[walker] < 4 else 0\n            raise ValueError");
    let reported = "{\"update\": {\"step\": step, \"percepts\": [at(walker) for walker in cells]}}";
    let with_step = ("{\"update\": {\"step\": step}}", reported);
    for (name, changes) in
        [("hidden", vec![hidden, with_step]), ("hidden_in_lockstep", vec![hidden, with_step, LOCKSTEP, AT_ONCE])]
    {
        let Finished { code, out, .. } = check_variant(name, &changes);
        assert_eq!(code, 1, "{name}: {out}");
        assert!(says(&out, "FAILED", "refusals") && says(&out, "passed", "determinism"), "{name}: {out}");
        assert!(out.contains("an episode without the rejected actions"), "{name}: {out}");
    }
}

#[test]
fn the_report_gives_reasons_for_rules_that_are_not_applicable() {
    let Finished { code, out, err } = check_variant("nobody", &[("cells.update(ann=0, bob=9)", "cells.clear()")]);
    assert_eq!(code, 0, "{out}{err}");
    let nobody = "there was no free entity, and none for an agent that requested one";
    assert!(out.ends_with(&format!("\ncorridor: 3 passed, 0 failed, 12 not applicable; {nobody}\n")), "{out}");

    let Finished { code, out, err } = check_variant("own_clock", &[("\"reactive\"", "\"own\"")]);
    assert_eq!(code, 0, "{out}{err}");
    assert!(says(&out, "n/a", "refusals") && out.contains("so it also changes without an action"), "{out}");
    assert!(says(&out, "n/a", "determinism") && out.contains("no episode can be repeated"), "{out}");
}

#[test]
fn the_time_of_a_check_is_limited() {
    let Finished { code, out, err } = situated("check-environment find-goals --seeds 1000000 --time-limit 1");
    assert_eq!(code, 0, "{out}{err}");
    let (_, note) = out.trim_end().rsplit_once("; ").expect("it says so");
    assert!(note.starts_with("the time of 1 s was over with seed ") && note.ends_with(" of 1 to 1000000"), "{note}");
}

/// The host still starts its first episode when the check resets it.
#[test]
fn waits_for_a_host_that_is_busy() {
    let slow = HOST.replace(
        "\n    return {}\n",
        "\n    if kind == \"start\":\n        __import__('time').sleep(0.3)\n    return {}\n",
    );
    assert_ne!(slow, HOST);
    let command = ["check-environment", "--host", "--port", "0", "--seeds", "1", "--steps", "5"];
    let Finished { code, out, err } = check_python_host(&command, "busy_environment", &slow);
    assert_eq!(code, 0, "{out}{err}");
    assert!(says(&out, "passed", "runs"), "{out}");
}

#[test]
fn errors_say_what_to_correct() {
    for (arguments, expected_code, expected) in [
        ("check-environment", 2, "<ENVIRONMENT|FILE|URL>"),
        (
            "check-environment find-gaols",
            2,
            "there is no environment `find-gaols`, expected blocks-world, bw4t, cows, elevator, find-goals, tower, vacuum, \
             wumpus; did you mean `find-goals`?",
        ),
        ("check-environment find-goals --param vew=global", 2, "did you mean `view`?"),
        ("check-environment vacuum --level nowhere.lvl", 2, "there is no file nowhere.lvl for the parameter `level`"),
        ("check-environment find-goals --seed 18446744073709551615 --seeds 3", 2, "would exceed the largest seed"),
        ("check-environment find-goals red", 2, "which is not the address of a server"),
        ("check-environment tcp://127.0.0.1:1", 2, "Give its name after the address"),
        ("check-environment tcp://127.0.0.1:1 corridor", 1, "cannot connect to tcp://127.0.0.1:1"),
    ] {
        let Finished { code, err, .. } = situated(arguments);
        assert_eq!(code, expected_code, "situated {arguments}\n{err}");
        assert!(err.contains(expected), "situated {arguments}\n{err}");
    }
}
