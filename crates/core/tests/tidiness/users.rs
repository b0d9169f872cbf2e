//! Public items of the crates that are no API have users outside of these crates.

use std::collections::{BTreeMap, BTreeSet};

use crate::sources::{Source, extension, folder, packages, sources};
use crate::{Finding, assert_tidy};

/// Packages whose public items are for the programs of others.
const APIS: [&str; 9] = [
    "bindings/python",
    "crates/acl",
    "crates/checker",
    "crates/client",
    "crates/core",
    "crates/grid",
    "crates/macros",
    "crates/registry",
    "environments",
];

/// Packages with public items that nobody uses.
const NOT_YET: [&str; 0] = [];

/// The beginnings of items after `pub `, before their names.
const KINDS: [&str; 10] =
    ["async fn ", "const fn ", "const ", "enum ", "fn ", "mod ", "static ", "struct ", "trait ", "type "];

#[test]
fn public_items_have_users() {
    let sources = sources();
    let packages = packages(&sources);
    // The book has programs, too.
    let of_programs = sources.iter().filter(|source| ["rs", "md"].contains(&extension(&source.path)));
    let found = unused(&packages, &of_programs.collect::<Vec<_>>());
    let is_api = |package: &str| APIS.iter().any(|api| package == *api || folder(package) == *api);
    let found: Vec<Finding> = found.into_iter().filter(|finding| !is_api(&finding.path)).collect();
    assert_tidy(&found, &NOT_YET);
}

/// Finds the public items whose names occur in no file outside of the folder `src` of their packages. A name in a
/// public signature of the package counts as used.
fn unused(packages: &[&str], sources: &[&Source]) -> Vec<Finding> {
    let package = |source: &Source| {
        let (package, _) = source.path.split_once("/src/")?;
        packages.iter().find(|known| **known == package).copied()
    };
    let mut users: BTreeMap<&str, BTreeSet<Option<&str>>> = BTreeMap::new();
    let mut signatures: BTreeMap<(Option<&str>, &str), usize> = BTreeMap::new();
    for source in sources {
        let package = package(source);
        for word in words(&source.text) {
            users.entry(word).or_default().insert(package);
        }
        for word in source.text.lines().filter(|line| is_signature(line)).flat_map(words) {
            *signatures.entry((package, word)).or_default() += 1;
        }
    }
    let items = sources.iter().flat_map(|source| {
        let package = package(source).into_iter();
        package.flat_map(|package| public_items(source).map(move |(name, place)| (package, name, place)))
    });
    // The declaration of an item is a signature, too.
    let unused = items.filter(|(package, name, _)| {
        users[name].iter().all(|user| *user == Some(package)) && signatures[&(Some(*package), *name)] == 1
    });
    let finding = |(package, name, place): (&str, &str, String)| Finding {
        path: package.to_owned(),
        text: format!(": no other package uses `{name}` ({place}); make it `pub(crate)`, or remove it"),
    };
    unused.map(finding).collect()
}

/// Returns whether a line is a part of the signature of a public item.
fn is_signature(line: &str) -> bool {
    let item = line.trim_start().strip_prefix("pub ");
    item.is_some_and(|item| !item.starts_with("use ")) || line.contains("-> ")
}

/// Returns the names of the public items of a file, each with its place.
fn public_items(source: &Source) -> impl Iterator<Item = (&str, String)> {
    (1..).zip(source.text.lines()).filter_map(|(number, line)| {
        let item = line.trim_start().strip_prefix("pub ")?;
        let after = KINDS.iter().find_map(|kind| item.strip_prefix(kind))?;
        Some((words(after).next()?, format!("{}:{number}", source.path)))
    })
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|character: char| !character.is_alphanumeric() && character != '_').filter(|word| !word.is_empty())
}

#[test]
fn items_without_users_are_found() {
    let source = |path: &str, text: &str| Source { path: path.to_owned(), text: text.to_owned() };
    let own = "pub struct Used(pub Part);\npub enum Part {}\npub const fn lonely() {}\npub(crate) fn inner() {}\n";
    let (own, user) = (source("a/src/lib.rs", own), source("b/src/lib.rs", "use a::Used;\n"));
    let found = unused(&["a", "b"], &[&own, &user]);
    let [Finding { path, text }] = &found[..] else { panic!("{} findings", found.len()) };
    let expected = ": no other package uses `lonely` (a/src/lib.rs:3); make it `pub(crate)`, or remove it";
    assert_eq!((path.as_str(), text.as_str()), ("a", expected));
}
