//! `new`: folders with environments of authors, which work at once.

use std::path::PathBuf;
use std::process::Command;

use crate::{Finished, SITUATED, fresh_directory, outside};

fn new(folder: &PathBuf, arguments: &str) -> Finished {
    let mut command = Command::new(SITUATED);
    command.arg("new").args(arguments.split_whitespace()).current_dir(folder);
    Finished::from(command.output().expect("the binary can be started"))
}

#[test]
fn an_environment_in_rust_is_tested_and_runs() {
    let folder = fresh_directory("new_in_rust");
    let Finished { code, out, err } = new(&folder, "shop-floor");
    assert_eq!((code, err.as_str()), (0, ""));
    assert!(out.contains("cd shop-floor"), "{out}");
    let package = folder.join("shop-floor");
    let tree = outside::cargo(&package, &["tree", "--edges", "normal,dev", "--prefix", "none"]).output();
    let tree = String::from_utf8(tree.expect("cargo can be started").stdout).expect("it prints UTF-8");
    assert!(tree.contains("situated-checker ") && !tree.contains("tokio"), "it needs the core alone: {tree}");

    outside::share_builds(&package);
    let tested = outside::cargo(&package, &["test", "--features", "command"]).output().expect("cargo can be started");
    let report = String::from_utf8_lossy(&tested.stdout);
    assert!(
        tested.status.success() && report.contains("3 passed"),
        "{report}{}",
        String::from_utf8_lossy(&tested.stderr)
    );
    let ran = Command::new(outside::built("shop-floor")).args(["run", "shop-floor", "--quiet"]).output();
    let Finished { code, out, err } = Finished::from(ran.expect("it is built"));
    assert_eq!((code, err.as_str()), (0, ""));
    assert!(out.contains("\"ending\":\"terminated\""), "{out}");
}

#[test]
fn wrong_usage_is_explained() {
    let folder = fresh_directory("new_wrong");
    let clone = outside::root();
    for (arguments, code, expected) in [
        ("Shop", 2, "expected small letters, digits and `-`, such as shop or shop-floor"),
        ("match", 2, "it has a meaning in Rust or Python"),
        ("shop --path .", 2, ". is not a clone of"),
        ("shop --python --path .", 2, "cannot be used with"),
        (&format!("shop --path {}", clone.display()), 0, ""),
        ("shop --python", 1, "cannot make the folder shop"),
    ] {
        let finished = new(&folder, arguments);
        assert_eq!(finished.code, code, "situated new {arguments}\n{}", finished.err);
        assert!(finished.err.contains(expected), "situated new {arguments}\n{}", finished.err);
    }
}
