//! The environment that the second tutorial builds, the example `cave`.

use std::path::Path;
use std::process::Command;

use crate::{Finished, SITUATED, fresh_directory};

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
