//! `run --record`, `replay` and `export`.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use situated::host::{HostAnswer, HostReport, HostTerms, HostUpdate};
use situated::interface::{Command as HostedCommand, Input, Time};
use situated::ontology::Ontology;
use situated::scene::{Color, Scene, Shape};
use situated_recording::{McapRecorder, RecorderSettings};
use situated_runtime::{Owner, Tempo};

use crate::{Finished, SITUATED, fresh_directory, printed, situated};

/// A recording of 300 steps.
fn recorded(directory: &Path) -> String {
    let file = directory.join("run.mcap").display().to_string().replace(' ', "_");
    fs::create_dir_all(Path::new(&file).parent().expect("a directory")).expect("there is room");
    printed(&format!("run find-goals --agents random --steps 300 --quiet --record {file}"));
    file
}

fn replayed(arguments: &str) -> Value {
    serde_json::from_str(&printed(&format!("replay {arguments} --format json"))).expect("it prints JSON")
}

#[test]
fn a_replay_agrees_with_the_recording() {
    let file = recorded(&fresh_directory("replays"));
    let text = printed(&format!("replay {file}"));
    assert!(text.contains("1 episode, 300 steps") && text.ends_with("All agree.\n"), "{text}");
    let report = replayed(&file);
    assert_eq!((&report["steps"], &report["hashes"]), (&300.into(), &4.into()), "{report}");
    assert_eq!(report["difference"], Value::Null);
}

#[test]
fn a_replay_can_begin_in_the_middle() {
    let file = recorded(&fresh_directory("replays_from"));
    let report = replayed(&format!("{file} --from 250"));
    assert_eq!((&report["from"]["step"], &report["steps"]), (&200.into(), &100.into()), "{report}");
    assert_eq!(report["difference"], Value::Null);
}

#[test]
fn a_replay_from_a_step_after_the_end_is_an_error() {
    let file = recorded(&fresh_directory("replays_beyond"));
    assert_eq!(replayed(&format!("{file} --from 300"))["difference"], Value::Null);
    let Finished { code, out, err } = situated(&format!("replay {file} --from 301"));
    assert_eq!((code, out.as_str()), (1, ""), "{err}");
    assert!(err.contains("ends with step 300, before step 301"), "{err}");
}

#[test]
fn files_are_not_overwritten_and_a_run_that_cannot_begin_leaves_none() {
    let directory = fresh_directory("overwriting");
    let file = recorded(&directory);
    let before = fs::read(&file).expect("it is there");
    let again = situated(&format!("run find-goals --quiet --record {file}"));
    assert_eq!(again.code, 1);
    assert!(again.err.contains("exists already") && again.err.contains("name another file"), "{}", again.err);
    assert_eq!(fs::read(&file).expect("it is there"), before);
    let other = directory.join("other.mcap");
    let wrong = situated(&format!("run find-goals --param veiw=local --record {}", other.display()));
    assert_eq!(wrong.code, 2);
    assert!(!other.exists());
}

#[test]
fn options_select_what_is_recorded() {
    let directory = fresh_directory("choosing");
    let record = |name: &str, options: &str| {
        let file = directory.join(name);
        printed(&format!("run find-goals --steps 50 --quiet --record {} {options}", file.display()));
        printed(&format!("export {} --format jsonl", file.display()))
    };
    let count = |lines: &str, channel: &str| lines.matches(&format!("{{\"channel\":\"{channel}\"")).count();
    let (all, few) = (record("all", ""), record("few", "--no-percepts --checkpoint-every 10"));
    assert_eq!((count(&all, "/percepts"), count(&all, "/checkpoints")), (100, 2));
    assert_eq!((count(&few, "/percepts"), count(&few, "/checkpoints")), (0, 6));
    assert_eq!(count(&all, "/inputs"), count(&few, "/inputs"));
}

#[test]
fn a_table_has_a_row_for_each_action() {
    let file = recorded(&fresh_directory("tables"));
    let table = printed(&format!("export {file} --format csv"));
    let mut rows = table.lines();
    assert_eq!(rows.next(), Some("episode,step,time,kind,agent,entity,name,arguments,value"));
    let acts = rows.filter(|row| row.split(',').nth(3) == Some("act")).count();
    assert_eq!(acts, 600);
}

#[test]
fn a_killed_run_loses_at_most_its_last_second() {
    let file = fresh_directory("killed").join("run.mcap");
    let mut command = Command::new(SITUATED);
    command.args(["run", "find-goals", "--agents", "random", "--speed", "200", "--record"]).arg(&file);
    let mut child = command.stdout(Stdio::piped()).spawn().expect("it can be started");
    // More than a second: 300 steps at 200 per second.
    let lines = BufReader::new(child.stdout.take().expect("it is piped")).lines().take(301).count();
    assert_eq!(lines, 301);
    child.kill().expect("it runs");
    child.wait().expect("it ends");
    let report = replayed(&file.display().to_string());
    assert_eq!((&report["complete"], &report["difference"]), (&false.into(), &Value::Null), "{report}");
    assert!(report["steps"].as_u64() >= Some(100), "{report}");
    let Finished { code, err, .. } = situated(&format!("export {} --format csv", file.display()));
    assert_eq!(code, 0);
    assert!(err.contains("is incomplete"), "{err}");
}

#[test]
fn a_signal_completes_the_recording() {
    let file = fresh_directory("interrupted").join("run.mcap");
    let mut command = Command::new(SITUATED);
    command.args(["run", "find-goals", "--speed", "100", "--record"]).arg(&file);
    let mut child = command.stdout(Stdio::piped()).spawn().expect("it can be started");
    let mut lines = BufReader::new(child.stdout.take().expect("it is piped")).lines();
    assert!(lines.next().is_some());
    let signal = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(signal.expect("there is kill").success());
    let last = lines.last().expect("more lines").expect("text");
    assert!(last.contains("\"outcome\""), "{last}");
    assert!(child.wait().expect("it ends").success());
    assert_eq!(replayed(&file.display().to_string())["complete"], true);
}

#[test]
fn a_recording_is_neither_run_nor_served() {
    let file = recorded(&fresh_directory("neither_run_nor_served"));
    let renamed = file.replace("run.mcap", "run");
    fs::copy(&file, &renamed).expect("there is room");
    for arguments in [format!("run {file}"), format!("serve {file} --port 0"), format!("run {renamed}")] {
        let finished = situated(&arguments);
        assert_eq!((finished.code, finished.out.as_str()), (2, ""), "{}", finished.err);
        assert!(finished.err.contains(" is a recording; replay it with `situated replay "), "{}", finished.err);
    }
}

#[test]
fn other_files_are_not_recordings() {
    let directory = fresh_directory("no_recordings");
    let text = directory.join("text");
    fs::write(&text, "Once upon a time\n").expect("there is room");
    for command in ["replay", "export --format csv"] {
        for (file, expected) in [(text.as_path(), "not an MCAP file"), (Path::new("nowhere"), "cannot be opened")] {
            let finished = situated(&format!("{command} {}", file.display()));
            assert_eq!((finished.code, finished.out.as_str()), (1, ""));
            assert!(finished.err.contains(expected), "{}", finished.err);
        }
    }
}

#[cfg(unix)]
#[test]
fn a_full_disk_leaves_no_file_that_blocks_the_next_attempt() {
    let file = fresh_directory("full").join("run.mcap");
    let script = format!(
        "trap '' XFSZ; ulimit -f 0; exec {SITUATED} run find-goals --quiet --steps 1 --record {}",
        file.display()
    );
    let output = Command::new("sh").args(["-c", &script]).output().expect("sh");
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(!file.exists(), "{output:?}");
}

/// `UPDATE=1 cargo test -p situated-cli` draws the picture again.
#[test]
fn the_picture_in_the_readme_is_an_exported_episode() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let (players, picture) = (root.join("examples/players.toml"), root.join("docs/src/delivery.svg"));
    let file = fresh_directory("picture").join("delivery.mcap");
    let run = format!("run bw4t --team {} --agents team --quiet --record {}", players.display(), file.display());
    assert_eq!(situated(&run).code, 0);
    let drawn = printed(&format!("export {} --format svg --speed 130", file.display()));
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&picture, &drawn).expect("the book can be written");
    }
    assert_eq!(drawn, fs::read_to_string(&picture).expect("the book has the picture"), "UPDATE=1 draws it again");
    assert!(drawn.contains("Ann_1") && drawn.len() < 100_000, "{}", drawn.len());
}

#[test]
fn an_animation_has_the_beginning_and_the_end() {
    let file = fresh_directory("whole").join("run.mcap");
    assert_eq!(situated(&format!("run find-goals --quiet --steps 10 --record {}", file.display())).code, 0);
    for (speed, seconds) in [
        // The steps 0 to 10 for 0.1 s each, and 2 s at the end.
        ("10", "3.10"),
        // The steps 0, 4, 8 and 10 for 0.04 s each.
        ("100", "2.16"),
    ] {
        let drawn = printed(&format!("export {} --format svg --speed {speed}", file.display()));
        assert!(drawn.contains(&format!("dur=\"{seconds}s\"")), "{drawn}");
    }
}

#[test]
fn an_animation_needs_steps_and_a_speed() {
    let file = fresh_directory("still").join("still.mcap");
    assert_eq!(situated(&format!("run find-goals --quiet --steps 0 --record {}", file.display())).code, 0);
    for (options, expected) in [("", "no steps to draw"), ("--speed max", "needs a speed below `max`")] {
        let Finished { code, err, .. } = situated(&format!("export {} --format svg {options}", file.display()));
        assert_eq!(code, 1, "{err}");
        assert!(err.contains(expected), "{err}");
    }
}

/// Records an environment with this pace that a host runs elsewhere, which makes these reports after the beginning.
fn record_hosted(file: &Path, pace: Value, reports: Vec<HostUpdate>) {
    let ontology = json!({
        "name": "field", "version": "1.0", "documentation": "A field.", "pace": pace,
        "relation": { "oneAgentPerEntity": false, "oneEntityPerAgent": false }, "parameters": [], "types": {},
        "entityTypes": [{ "name": "robot", "documentation": "A robot.", "actions": [], "percepts": [] }],
    });
    let ontology: Ontology = serde_json::from_value(ontology).expect("an ontology");
    let (tempo, now) = (Tempo::of(&ontology), Time::default());
    let recorder = McapRecorder::create(file, RecorderSettings::default()).expect("there is room");
    let owner = Owner::<()>::hosted(ontology, tempo, HostTerms::default()).expect("it is sound");
    let mut owner = owner.with_recorder(Box::new(recorder));
    owner.apply((), Input::Manage(HostedCommand::Init { parameters: [].into(), seed: 1 }), now);
    let number = owner.next_host_request().expect("the host has to begin").number;
    let (answer, update) = (HostAnswer::Done, HostUpdate::default());
    owner.hear(HostReport::Answer { number, answer, update }, now).expect("it has begun");
    for update in reports {
        owner.hear(HostReport::Update(update), now).expect("it is allowed");
    }
    owner.finish(now).expect("there is room");
}

#[test]
fn the_scenes_of_a_host_are_drawn() {
    let folder = fresh_directory("hosted_scenes");
    let at = |step: Option<u64>, x: f64| {
        let shapes = vec![Shape::rectangle(0.0, 0.0, 9.0, 9.0, Color::GREY), Shape::circle(x, 1.0, 0.5, Color::RED)];
        HostUpdate { step, scene: Some(Scene { width: 9.0, height: 9.0, shapes }), ..HostUpdate::default() }
    };
    let later = |step| HostUpdate { step: Some(step), ..HostUpdate::default() };
    for (name, pace, reports, seconds) in [
        // The scenes at the ends of the steps 0 to 4 for 0.1 s each, and 2 s at the end.
        ("steps", "reactive", vec![at(None, 1.0), at(Some(1), 2.0), at(None, 3.0), at(Some(3), 4.0), later(4)], "2.50"),
        // A clock without steps: three scenes.
        ("own", "own", vec![at(None, 1.0), at(None, 2.0), at(None, 3.0)], "2.30"),
    ] {
        let file = folder.join(name);
        record_hosted(&file, json!(pace), reports);
        let drawn = printed(&format!("export {} --format svg", file.display()));
        assert!(drawn.contains(&format!("dur=\"{seconds}s\"")), "{name}: {drawn}");
        let replay = situated(&format!("replay {}", file.display()));
        assert_eq!(replay.code, 1);
        assert!(replay.err.contains("draws it if the host reported scenes"), "{}", replay.err);
    }
    let file = folder.join("none");
    record_hosted(&file, json!("own"), vec![later(3)]);
    let Finished { code, err, .. } = situated(&format!("export {} --format svg", file.display()));
    assert_eq!(code, 1);
    assert!(err.contains("run by a host, which has reported no scene, so there is nothing to draw"), "{err}");
}
