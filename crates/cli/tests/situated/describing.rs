//! `list` and `describe`.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::{Finished, printed, situated};

#[test]
fn environments_are_listed_with_their_entity_types_and_summaries() {
    let list = printed("list");
    let row = list.lines().find(|line| line.starts_with("find-goals ")).expect("it is listed");
    assert!(row.contains("walker") && row.ends_with('.'), "{row}");
}

#[test]
fn environments_are_listed_in_groups() {
    let list = printed("list");
    let names: Vec<&str> = list.lines().map(|line| line.split("  ").next().unwrap_or_default()).collect();
    let alone = ["One entity", "blocks-world", "tower", "wumpus"];
    let teams = ["Teams", "bw4t", "cows", "elevator", "find-goals", "vacuum"];
    assert_eq!(names, [&["NAME", ""], &alone[..], &[""], &teams].concat());
}

#[test]
fn describe_prints_text_for_people() {
    let text = printed("describe find-goals");
    for expected in ["find-goals ", "Parameters", "walker", "What they can do", "see(", "Types"] {
        assert!(text.contains(expected), "{expected} is missing in\n{text}");
    }
    assert!(!text.contains("files check"), "it takes no files");
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    assert!(!text.contains('\x1b'), "the output is not a terminal");
}

#[test]
fn describe_names_the_agents_and_the_commands_for_files() {
    let text = printed("describe bw4t");
    for expected in [
        "situated files check bw4t --map FILE ",
        "situated files draw bw4t --team FILE ",
        "  explorer  A robot works alone, and finds out where blocks are.",
    ] {
        assert!(text.contains(expected), "{expected} is missing in\n{text}");
    }
}

#[test]
fn programs_read_json() {
    let ontology: Value = serde_json::from_str(&printed("describe find-goals --format json")).expect("it prints JSON");
    assert_eq!(ontology["name"], "find-goals");
    assert_eq!(ontology["entityTypes"][0]["name"], "walker");
}

/// After a change of an ontology, `UPDATE=1 cargo test -p situated-cli` updates its page.
#[test]
fn the_reference_pages_of_the_book_are_up_to_date() {
    for environment in ["blocks-world", "bw4t", "cows", "elevator", "find-goals", "tower", "vacuum", "wumpus"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../docs/src/reference/{environment}.md"));
        let page = printed(&format!("describe {environment} --format markdown"));
        if std::env::var_os("UPDATE").is_some() {
            fs::write(&path, &page).expect("the book can be written");
        }
        let in_the_book = fs::read_to_string(&path).expect("the book has the page");
        assert_eq!(page, in_the_book, "the page is stale; UPDATE=1 updates it");
    }
}

#[test]
fn printed_maps_can_be_run_as_files() {
    let folder = crate::fresh_directory("maps");
    for map in ["Rainbow", "Banana"] {
        let text = printed(&format!("query bw4t map --map {map}"));
        let file = folder.join(format!("{map}.map"));
        fs::write(&file, &text).expect("there is room");
        assert_eq!(printed(&format!("query bw4t map --map {}", file.display())), text);
        assert!(text.contains("<name>DropZone</name>"), "{text}");
    }
    let Finished { code, err, .. } = situated("query bw4t mpa");
    let expected = "environment `bw4t` has no property `mpa`; it has `map`, `log`, `name`, `version`, `requiredVersion`; \
                    did you mean `map`?";
    assert_eq!((code, err.contains(expected)), (2, true), "{err}");
    let Finished { code, err, out, .. } = situated("run bw4t --steps 1 --query lgo");
    assert_eq!((code, err.contains("did you mean `log`?"), out), (2, true, String::new()), "{err}");
    let Finished { code, err, .. } = situated("query bw4t log");
    assert_eq!((code, err.contains("the property `log` of bw4t has no value at this time")), (1, true), "{err}");
}

#[test]
fn a_description_lists_the_properties() {
    let described = printed("describe bw4t");
    assert!(described.contains("\nProperties\n  map  The map, in the file format"), "{described}");
}
