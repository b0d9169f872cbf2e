//! The help, and the completions.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::{Finished, SITUATED, printed};

const COMMANDS: [&str; 5] = ["", "list", "describe", "run", "completions"];

#[test]
fn every_example_of_the_help_works() {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("examples");
    fs::create_dir_all(&directory).expect("there is room");
    let path = std::env::var("PATH").expect("there is a path");
    let binaries = Path::new(SITUATED).parent().expect("it is in a directory").display();
    let helps = COMMANDS.map(|command| printed(&format!("{command} --help")));
    let examples: Vec<&str> =
        helps.iter().flat_map(|help| help.lines()).filter(|line| line.starts_with("  situated ")).collect();
    assert!(examples.len() >= 10, "{examples:?}");
    for example in examples {
        let mut shell = Command::new("sh");
        shell.args(["-c", example]).current_dir(&directory).env("PATH", format!("{binaries}:{path}"));
        let Finished { code, err, .. } = shell.output().expect("there is a shell").into();
        assert_eq!((code, err.as_str()), (0, ""), "{example}");
    }
}

#[test]
fn the_help_says_what_exit_codes_mean_and_what_the_lines_are() {
    assert!(printed("--help").contains("Exit codes:"));
    assert!(printed("run --help").contains("\"percepts\""));
    assert!(!printed("run -h").contains("\"percepts\""));
}

#[test]
fn shells_get_completions() {
    for shell in ["bash", "zsh", "fish"] {
        let script = printed(&format!("completions {shell}"));
        assert!(script.contains("describe") && script.contains("agents"), "{shell}:\n{script}");
    }
}
