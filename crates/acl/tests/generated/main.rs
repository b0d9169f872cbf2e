//! Checks that the book's page about protocols, and its diagrams, match the tables.
//!
//! After a change of a table, `UPDATE=1 cargo test -p situated-acl --test generated` updates them.

mod diagram;
mod page;

use std::fs;
use std::path::{Path, PathBuf};

use situated_acl::Protocol;

#[test]
fn the_page_matches_the_tables() {
    assert_committed("protocols.md", &page::page());
}

#[test]
fn the_diagrams_match_the_tables() {
    for protocol in Protocol::ALL {
        assert_committed(&format!("protocols/{protocol}.svg"), &diagram::svg(protocol));
    }
}

#[test]
fn each_diagram_belongs_to_a_protocol() {
    for entry in fs::read_dir(reference().join("protocols")).expect("there are diagrams") {
        let name = entry.expect("it can be listed").file_name().into_string().expect("a name");
        assert!(name.strip_suffix(".svg").is_some_and(|token| token.parse::<Protocol>().is_ok()), "{name}");
    }
}

fn reference() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/src/reference")
}

fn assert_committed(file: &str, made: &str) {
    let path = reference().join(file);
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&path, made).expect("the file can be written");
    }
    let committed = fs::read_to_string(&path).unwrap_or_default();
    assert!(committed == made, "{file} is stale; `UPDATE=1 cargo test -p situated-acl --test generated` updates it");
}
