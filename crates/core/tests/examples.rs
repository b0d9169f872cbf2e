//! Every Rust example is run, and everything that the book includes is there.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

#[test]
fn the_minimal_environment_runs() {
    let run = Command::new(example("minimal_environment")).output().expect("cargo test builds the examples");
    let told = String::from_utf8(run.stdout).expect("text");
    assert!(run.status.success());
    assert_eq!(told, TOLD);
}

/// What the tutorial says that the minimal environment prints.
const TOLD: &str = "\
now: [At { cell: 2 }]
walk(-1): at(1)
walk(5): walk(5) of entity `robot1` failed: there is a wall
walk(left): agent `ada`: walk expects (cells: integer), got walk(left); expected integer for cells, got left
";

/// The program that cargo has built from an example, which lies beside this test.
fn example(name: &str) -> PathBuf {
    let this = std::env::current_exe().expect("this test");
    let built = this.ancestors().nth(2).expect("the folder of the build");
    built.join("examples").join(format!("{name}{}", std::env::consts::EXE_SUFFIX))
}

#[test]
fn the_book_includes_what_exists() {
    let book = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/src");
    let mut includes = 0;
    let is_page = |file: &PathBuf| file.extension().is_some_and(|kind| kind == "md");
    for page in files(&book).into_iter().filter(is_page) {
        let text = fs::read_to_string(&page).expect("a page");
        for include in text.split("{{#include ").skip(1) {
            let (target, _) = include.split_once("}}").expect("an include ends");
            let (file, anchor) = target.split_once(':').unwrap_or((target, ""));
            let path = page.parent().expect("a folder").join(file);
            let included = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            // Lines by number need no anchor.
            let is_lines = anchor.chars().all(|one| one.is_ascii_digit() || one == ':');
            assert!(is_lines || included.contains(&format!("ANCHOR: {anchor}\n")), "{target}");
            includes += 1;
        }
    }
    assert!(includes > 0, "the tutorial includes its code");
    let tutorial = fs::read_to_string(book.join("tutorial/environment.md")).expect("the tutorial");
    assert!(tutorial.contains(TOLD), "the tutorial shows what the program prints");
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("the book").map(|entry| entry.expect("an entry").path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}
