//! Something uses every file: a module, an import, the summary of the book, a test, a page, or a tool that finds it.

use crate::sources::{Source, extension, folder, name, paths, sources};
use crate::{Finding, assert_tidy};

/// Names that tools look for.
const FOUND_BY_NAME: [&str; 15] = [
    "Cargo.lock",
    "Cargo.toml",
    "README.md",
    "__init__.py",
    "__main__.py",
    "_native.pyi",
    "book.toml",
    "build.rs",
    "clippy.toml",
    "conftest.py",
    "lib.rs",
    "main.rs",
    "package-info.java",
    "package.json",
    "py.typed",
];

#[test]
fn files_are_used() {
    let sources = sources();
    let unused = paths().into_iter().filter(|path| !is_found_by_tools(path) && !is_used(path, &sources));
    let finding = |path: String| {
        let text = match extension(&path) {
            "rs" => ": no module declares this file; add `mod`, or remove it",
            _ => ": no other file names this one; use it, or remove it",
        };
        Finding { text: text.to_owned(), path }
    };
    assert_tidy(&unused.map(finding).collect::<Vec<_>>(), &[]);
}

#[test]
fn pages_are_in_the_summary_of_the_book() {
    let sources = sources();
    let summary = sources.iter().find(|source| source.path == "docs/src/SUMMARY.md").expect("the book has a summary");
    let pages = sources.iter().filter_map(|source| source.path.strip_prefix("docs/src/"));
    let missing = pages
        .filter(|page| page.ends_with(".md") && *page != "SUMMARY.md" && !summary.text.contains(&format!("({page})")));
    let finding = |page| Finding { path: format!("docs/src/{page}"), text: ": add this page to SUMMARY.md".to_owned() };
    assert_tidy(&missing.map(finding).collect::<Vec<_>>(), &[]);
}

/// Returns whether people or tools find a file by its place or its name.
fn is_found_by_tools(path: &str) -> bool {
    let (name, of_folder) = (name(path), self::name(folder(path)));
    let is_hidden = path.split('/').any(|part| part.starts_with('.'));
    let is_target = extension(path) == "rs" && ["benches", "examples", "tests"].contains(&of_folder);
    let is_test = name.starts_with("test_") || name.ends_with(".test.js") || name.ends_with("Test.java");
    let by_folder = ["proptest-regressions", "stages"].contains(&of_folder);
    folder(path).is_empty() || is_hidden || is_target || is_test || by_folder || FOUND_BY_NAME.contains(&name)
}

/// Returns whether another file uses the file at this path, or all files of its folder.
fn is_used(path: &str, sources: &[Source]) -> bool {
    let (folder, name) = (folder(path), name(path));
    let (stem, of_folder) = (name.split('.').next().unwrap_or(name), self::name(folder));
    let is_named = |key: &str| sources.iter().any(|source| source.path != path && has_word(&source.text, key));
    let is_used = match extension(path) {
        // A target of Cargo declares it.
        "rs" if name == "mod.rs" => is_named(&format!("mod {of_folder}")),
        "rs" => is_declared(folder, stem, sources) || is_named(&format!("{of_folder}/{name}")),
        "py" | "java" => is_named(stem),
        _ => is_named(name),
    };
    let folder_beside = format!("\"{of_folder}\"");
    let mut beside = sources.iter().filter(|source| self::folder(&source.path) == self::folder(folder));
    is_used || is_named(&format!("{of_folder}/*")) || beside.any(|source| has_word(&source.text, &folder_beside))
}

/// Returns whether the file of the module with this folder declares a module.
fn is_declared(folder: &str, module: &str, sources: &[Source]) -> bool {
    let parents = ["/lib.rs", "/main.rs", "/mod.rs", ".rs"].map(|end| format!("{folder}{end}"));
    let mut parents = sources.iter().filter(|source| parents.contains(&source.path));
    parents.any(|parent| has_word(&parent.text, &format!("mod {module}")))
}

/// Returns whether a text has a word that is not a part of a longer name.
fn has_word(text: &str, word: &str) -> bool {
    let is_part = |character: char| character.is_alphanumeric() || ['_', '-'].contains(&character);
    text.match_indices(word)
        .any(|(start, _)| !text[..start].ends_with(is_part) && !text[start + word.len()..].starts_with(is_part))
}

#[test]
fn unused_files_are_found() {
    let source = |path: &str, text: &str| Source { path: path.to_owned(), text: text.to_owned() };
    let sources = [
        source("a/src/lib.rs", "mod used;\n#[path = \"other/place.rs\"]\nmod place;\n"),
        source("a/src/used.rs", "mod inner;\n"),
        source("a/tests/maps.rs", "include_str!(\"maps/small.map\")"),
        source("web/main.js", "import { Scene } from \"./scene.js\";"),
    ];
    for (path, used) in [
        ("a/src/used.rs", true),
        ("a/src/used/inner.rs", true),
        ("a/src/other/place.rs", true),
        ("a/src/lost.rs", false),
        ("a/src/inner.rs", false),
        ("a/src/use.rs", false),
        ("a/tests/maps/small.map", true),
        ("a/tests/maps/large.map", false),
        ("web/scene.js", true),
        ("web/main.js", false),
        ("web/ene.js", false),
    ] {
        assert_eq!(is_used(path, &sources), used, "{path}");
    }
}
