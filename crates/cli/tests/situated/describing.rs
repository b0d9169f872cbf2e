//! `list` and `describe`.

use serde_json::Value;

use crate::printed;

#[test]
fn environments_are_listed_with_their_entity_types_and_summaries() {
    let list = printed("list");
    let row = list.lines().find(|line| line.starts_with("find-goals ")).expect("it is listed");
    assert!(row.contains("walker") && row.ends_with('.'), "{row}");
}

#[test]
fn people_read_what_entities_can_do_and_perceive() {
    let text = printed("describe find-goals");
    for expected in ["find-goals ", "Parameters", "walker", "What they can do", "see(", "Types"] {
        assert!(text.contains(expected), "{expected} is missing in\n{text}");
    }
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    assert!(!text.contains('\x1b'), "nobody looks at bold print");
}

#[test]
fn programs_read_json() {
    let ontology: Value = serde_json::from_str(&printed("describe find-goals --format json")).expect("it prints JSON");
    assert_eq!(ontology["name"], "find-goals");
    assert_eq!(ontology["entity_types"][0]["name"], "walker");
}

#[test]
fn the_reference_page_has_headings() {
    let page = printed("describe find-goals --format markdown");
    assert!(page.starts_with("# find-goals\n"));
    assert!(page.lines().filter(|line| line.starts_with("## ")).count() >= 2, "{page}");
}
