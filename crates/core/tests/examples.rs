//! Every Rust example runs, the book shows the examples as they are, and its links lead somewhere.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The test that the tutorial shows.
#[allow(dead_code)]
#[path = "../../../examples/minimal_environment.rs"]
mod minimal_environment;

#[test]
fn the_minimal_environment_runs() {
    let run = Command::new(example("minimal_environment")).output().expect("cargo test builds the examples");
    let received = String::from_utf8(run.stdout).expect("text");
    assert!(run.status.success());
    assert_eq!(received, TOLD);
}

/// The output of the minimal environment, as the tutorial shows it.
const TOLD: &str = "\
now: [At { cell: 2 }]
walk(-1): at(1)
walk(5): walk(5) of entity `robot1` failed: there is a wall
walk(left): agent `ada`: walk expects (cells: integer), got walk(left); expected integer for cells, got left
";

/// The program that cargo has built from an example, in the folder of this test.
fn example(name: &str) -> PathBuf {
    let this = std::env::current_exe().expect("this test");
    let built = this.ancestors().nth(2).expect("the folder of the build");
    built.join("examples").join(format!("{name}{}", std::env::consts::EXE_SUFFIX))
}

/// A page shows a file, or a part of one, in the code block after the comment `<!-- examples/FILE PART -->`. The part
/// is between the lines `// ANCHOR: PART` and `// ANCHOR_END: PART`. After a change of a file, `UPDATE=1 cargo test
/// -p situated --test examples` updates the pages.
#[test]
fn pages_show_the_current_examples() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let is_page = |file: &PathBuf| file.extension().is_some_and(|kind| kind == "md");
    let mut shown = 0;
    for page in files(&root.join("docs/src")).into_iter().filter(is_page) {
        let before = fs::read_to_string(&page).expect("a page");
        assert!(!before.contains("{{#include"), "{}: code forges do not build includes", page.display());
        let mut after = String::new();
        let mut rest = before.as_str();
        while let Some(place) = rest.find("<!-- examples/") {
            let (text, comment) = rest.split_at(place);
            let (comment, block) = comment.split_once("-->\n").expect("a comment ends");
            let mut words = comment.trim_start_matches("<!--").split_whitespace();
            let code = code(&root.join(words.next().expect("a file")), words.next());
            let (fence, old) = block.split_once('\n').expect("a code block follows");
            assert!(fence.starts_with("```"), "{}: {comment}", page.display());
            let (_, following) = old.split_once("```\n").expect("a code block ends");
            after += &format!("{text}{comment}-->\n{fence}\n{}\n```\n", code.trim());
            rest = following;
            shown += 1;
        }
        after += rest;
        if before != after && std::env::var_os("UPDATE").is_some() {
            fs::write(&page, &after).expect("the book can be written");
            continue;
        }
        assert_eq!(before, after, "{} is stale; UPDATE=1 updates it", page.display());
    }
    assert!(shown >= 6, "{shown}");
    let tutorial = fs::read_to_string(root.join("docs/src/tutorial/environment.md")).expect("the tutorial");
    assert!(tutorial.contains(TOLD), "the tutorial shows the output of the program");
}

/// A code forge shows the lines that rustdoc hides, so a block that is copied there would contain them.
#[test]
fn blocks_of_rust_hide_no_lines() {
    let book = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/src");
    for page in files(&book).into_iter().filter(|file| file.extension().is_some_and(|kind| kind == "md")) {
        let text = fs::read_to_string(&page).expect("a page");
        for block in text.split("\n```rust").skip(1).filter_map(|rest| rest.split("\n```").next()) {
            assert!(block.lines().all(|line| !line.starts_with("# ")), "{}: {block}", page.display());
        }
    }
}

/// The packages that the book names by their paths, for a package beside a clone, are there.
#[test]
fn packages_in_the_book_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let is_page = |file: &PathBuf| file.extension().is_some_and(|kind| kind == "md");
    let pages = files(&root.join("docs/src")).into_iter().filter(is_page);
    let text: String = pages.map(|page| fs::read_to_string(page).expect("a page")).collect();
    let mut named = 0;
    for (line, path) in text.lines().filter_map(|line| Some((line, line.split_once("path = \"../situated/")?.1))) {
        let (path, _) = path.split_once('"').expect("a path ends");
        let manifest = fs::read_to_string(root.join(path).join("Cargo.toml")).unwrap_or_default();
        let (name, _) = line.split_once(' ').expect("a name");
        assert!(manifest.contains(&format!("name = \"{name}\"")), "{line}");
        named += 1;
    }
    assert!(named > 5, "{named}");
}

/// The text of a file, or of a part of it.
fn code(file: &Path, part: Option<&str>) -> String {
    let text = fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let Some(part) = part else { return text };
    let (before, text) = text.split_once(&format!("// ANCHOR: {part}\n")).expect("the part begins");
    let (text, _) = text.split_once(&format!("// ANCHOR_END: {part}\n")).expect("the part ends");
    let indentation = before.rsplit('\n').next().unwrap_or_default();
    text.lines().map(|line| format!("{}\n", line.strip_prefix(indentation).unwrap_or(line))).collect()
}

/// Links lead to files that exist and to headings that they have.
#[test]
fn links_between_pages_lead_somewhere() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut pages = files(&root.join("docs/src"));
    pages.extend(["README.md", "ARCHITECTURE.md", "SECURITY.md"].map(|page| root.join(page)));
    let mut links = 0;
    for page in pages.into_iter().filter(|page| page.extension().is_some_and(|kind| kind == "md")) {
        let text = prose(&fs::read_to_string(&page).expect("a page"));
        for link in text.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(link, _)| link) {
            if link.contains("://") {
                continue;
            }
            let (file, heading) = link.split_once('#').unwrap_or((link, ""));
            let target = if file.is_empty() { page.clone() } else { page.parent().expect("a folder").join(file) };
            assert!(target.exists(), "{}: {link}", page.display());
            if !heading.is_empty() {
                let target = prose(&fs::read_to_string(&target).expect("a page"));
                let mut headings = target.lines().filter(|line| line.starts_with('#')).map(anchor);
                let named = target.contains(&format!("id=\"{heading}\""));
                assert!(named || headings.any(|one| one == heading), "{}: {link}", page.display());
            }
            links += 1;
        }
    }
    assert!(links > 100, "{links}");
}

/// Each promise names a test that exists, and so does each row of what a server keeps, if its test is named.
#[test]
fn promises_are_tested() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let is_rust = |file: &PathBuf| file.extension().is_some_and(|kind| kind == "rs");
    let code = files(&root.join("crates")).into_iter().filter(is_rust);
    let code: String = code.map(|file| fs::read_to_string(file).expect("a file")).collect();
    let tests = |text: &str| {
        let names = text.split('`').skip(1).step_by(2).filter(|name| name.contains('_') && !name.contains('/'));
        let names: Vec<&str> = names.collect();
        for name in &names {
            assert!(code.contains(&format!("fn {name}(")), "there is no test `{name}`");
        }
        names.len()
    };
    let security = fs::read_to_string(root.join("SECURITY.md")).expect("a page");
    let (_, promises) = security.split_once("## Promises").expect("the promises");
    let (promises, _) = promises.split_once("\n## ").expect("another heading");
    let promises: Vec<&str> = promises.split("\n- ").skip(1).collect();
    assert!(promises.len() > 5, "{promises:?}");
    promises.iter().for_each(|promise| assert!(tests(promise) > 0, "no test for: {promise}"));
    let model = fs::read_to_string(root.join("docs/src/reference/threat-model.md")).expect("a page");
    assert!(tests(&model) > 10);
}

/// A page without its code blocks.
fn prose(page: &str) -> String {
    let mut in_code = false;
    let is_prose = |line: &&str| {
        let is_fence = line.trim_start().starts_with("```");
        in_code ^= is_fence;
        !in_code && !is_fence
    };
    page.lines().filter(is_prose).collect::<Vec<_>>().join("\n")
}

/// The name by which links reach a heading.
fn anchor(heading: &str) -> String {
    let heading = heading.trim_start_matches('#').trim().to_lowercase().replace(' ', "-");
    heading.chars().filter(|letter| letter.is_alphanumeric() || "-_".contains(*letter)).collect()
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("the book").map(|entry| entry.expect("an entry").path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}
