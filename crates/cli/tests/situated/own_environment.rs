//! The commands of other authors: the example `own-environment`, built outside of this workspace, and the environment
//! that the second tutorial builds, the example `cave`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use serde_json::Value;

use crate::{Finished, SITUATED, fresh_directory, outside};

/// The command of the example, built in a folder of its own.
static ELEVATOR: LazyLock<PathBuf> = LazyLock::new(|| {
    let root = outside::root();
    let copy = Path::new(env!("CARGO_TARGET_TMPDIR")).join("own-environment");
    fs::create_dir_all(copy.join("src")).expect("there is room");
    for file in ["Cargo.toml", "src/lib.rs", "src/main.rs"] {
        fs::copy(root.join("examples/own-environment").join(file), copy.join(file)).expect("there is room");
    }
    outside::share_builds(&copy);
    assert!(outside::cargo(&copy, &["build"]).status().expect("cargo can be started").success());
    outside::built("elevator")
});

fn elevator(arguments: &str) -> Finished {
    let output = Command::new(&*ELEVATOR).args(arguments.split_whitespace()).output();
    Finished::from(output.expect("the binary can be started"))
}

fn printed(arguments: &str) -> String {
    let Finished { code, out, err } = elevator(arguments);
    assert_eq!((code, err.as_str()), (0, ""), "elevator {arguments}");
    out
}

#[test]
fn it_lists_the_authors_environments() {
    assert!(printed("list").ends_with("elevator  car       An elevator in a house.\n"));
    let page = printed("describe elevator --format markdown");
    assert!(page.contains("The number of floors, 2 to 100."), "{page}");
    assert_eq!(elevator("run find-goals").code, 2);
}

#[test]
fn its_help_and_errors_name_the_command_and_its_environment() {
    for arguments in ["--help", "run --help", "serve --help"] {
        let help = printed(arguments);
        assert!(help.contains("  elevator ") && !help.contains("situated ") && !help.contains("find-goals"), "{help}");
    }
    let error = elevator("run elevator --floors 1 --quiet").err;
    assert!(error.contains("`floors` is 1; it must be from 2 to 100"), "{error}");
    assert!(error.contains("`elevator describe elevator`"), "{error}");
}

#[test]
fn its_built_in_agent_serves_calls_in_every_run() {
    let table = printed("run elevator --agents nearest --steps 100 --repeat 3 --format json");
    let table: Value = serde_json::from_str(&table).expect("it prints JSON");
    assert_eq!(table["agents"]["car"], "nearest", "{table}");
    let runs = table["runs"].as_array().expect("there are runs");
    assert_eq!(runs.len(), 3);
    for run in runs {
        assert!(run["results"][0]["value"].as_u64().is_some_and(|served| served > 5), "{run}");
    }
}

#[test]
fn it_replays_its_recordings() {
    let file = fresh_directory("elevator").join("run.mcap").display().to_string();
    printed(&format!("run elevator --agents random --steps 200 --quiet --record {file}"));
    let report = printed(&format!("replay {file}"));
    assert!(report.contains("200 steps") && report.ends_with("All agree.\n"), "{report}");
}

#[cfg(unix)]
#[test]
fn its_server_has_the_page() {
    let server = crate::serve::Serving::start_by(Command::new(&*ELEVATOR), "elevator");
    let answer = crate::get(&server.address, "/");
    assert!(answer.starts_with("HTTP/1.1 200") && answer.contains("<html"), "{answer}");
}

fn cave(arguments: &str) -> Finished {
    let built = Path::new(SITUATED).parent().expect("the folder of the build");
    let command = built.join("examples").join(format!("cave{}", std::env::consts::EXE_SUFFIX));
    Finished::from(
        Command::new(command).args(arguments.split_whitespace()).output().expect("cargo builds the examples"),
    )
}

#[test]
fn it_is_an_environment() {
    let Finished { code, out, .. } = cave("check-environment cave");
    assert_eq!(code, 0, "{out}");
    assert!(out.contains("0 failed"), "{out}");
}

#[test]
fn it_is_as_long_as_its_title_says() {
    let program = include_str!("../../../../examples/cave.rs");
    let is_code = |line: &&str| !line.trim().is_empty() && !line.trim_start().starts_with("//");
    assert!(program.lines().filter(is_code).count() <= 150);
}

#[test]
fn its_picture_is_drawn_by_the_commands_of_the_page() {
    let folder = fresh_directory("tutorial");
    let recording = folder.join("cave.mcap");
    let Finished { code, out, .. } =
        cave(&format!("run cave --agents random --seed 4 --quiet --record {}", recording.display()));
    assert_eq!(code, 0, "{out}");
    let Finished { code, out, .. } = cave(&format!("export {} --format svg --speed 2", recording.display()));
    assert_eq!(code, 0);
    assert_eq!(out, include_str!("../../../../docs/src/cave.svg"));
}
