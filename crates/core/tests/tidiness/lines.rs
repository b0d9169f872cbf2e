//! Lines of sources have at most 120 columns.

use crate::sources::{Source, extension, sources};
use crate::{Finding, assert_tidy};

/// Maximum number of columns.
const WIDEST: usize = 120;

/// Languages with lines that people break. The book breaks its paragraphs elsewhere.
const LANGUAGES: [&str; 7] = ["rs", "js", "css", "html", "py", "java", "sh"];

/// Folders with longer lines.
const NOT_YET: [&str; 8] = [
    "bindings/java",
    "crates/client",
    "crates/hub",
    "crates/server",
    "crates/wire",
    "environments/bw4t",
    "web/environment",
    "web/play",
];

#[test]
fn lines_fit() {
    let sources = sources();
    let found = sources.iter().filter(|source| LANGUAGES.contains(&extension(&source.path))).flat_map(too_long);
    let found: Vec<Finding> = found.collect();
    assert_tidy(&found, &NOT_YET);
}

fn too_long(source: &Source) -> impl Iterator<Item = Finding> {
    let lines = (1..).zip(source.text.lines()).filter(|(_, line)| line.chars().count() > WIDEST && !is_data(line));
    lines.map(|(number, line)| Finding {
        path: source.path.clone(),
        text: format!(":{number}: {} columns; break the line, it has room for {WIDEST}", line.chars().count()),
    })
}

/// Returns whether a line cannot be broken: it has an address, or half of it is in quotes.
fn is_data(line: &str) -> bool {
    let in_quotes: usize = line.split('"').skip(1).step_by(2).map(str::len).sum();
    line.contains("://") || in_quotes > WIDEST / 2
}

#[test]
fn long_lines_are_found() {
    let long = "word ".repeat(25);
    for (line, found) in [
        (format!("    {long}"), true),
        (format!("// {long}"), true),
        (format!("see(\"{long}\");"), false),
        (format!("// {long} https://example.org"), false),
        ("word ".repeat(24), false),
    ] {
        let source = Source { path: "a.rs".to_owned(), text: line.clone() };
        assert_eq!(too_long(&source).count() == 1, found, "{line}");
    }
}
