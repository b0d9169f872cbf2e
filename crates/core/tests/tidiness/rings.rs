//! Modules of a folder form no ring of imports. A module and its own submodules may import each other: they are one
//! thing in several files.

use std::collections::{BTreeMap, BTreeSet};

use crate::sources::{Source, packages, sources};
use crate::{Finding, assert_tidy};

/// Packages with rings.
const NOT_YET: [&str; 1] = ["environments/bw4t"];

/// The path of a module in its crate: `["run", "screen"]`.
type Module = Vec<String>;

/// The modules that each module imports, each with one of the imports.
type Imports = BTreeMap<Module, BTreeMap<Module, String>>;

#[test]
fn modules_import_each_other_in_one_direction() {
    let sources = sources();
    let mut found = Vec::new();
    for package in packages(&sources) {
        let imports = imports_of(package, &sources);
        let rings = rings(&imports);
        found.extend(rings.iter().map(|ring| Finding { path: package.to_owned(), text: described(ring, &imports) }));
    }
    assert_tidy(&found, &NOT_YET);
}

/// Reads the imports of a package.
fn imports_of(package: &str, sources: &[Source]) -> Imports {
    let folder = format!("{package}/src/");
    let files = sources.iter().filter_map(|source| Some((module(source.path.strip_prefix(&folder)?)?, source)));
    let files: BTreeMap<Module, &Source> = files.collect();
    let mut imports = Imports::new();
    for (from, source) in &files {
        for path in used_paths(without_tests(&source.text)) {
            let Some(to) = resolve(&path, from, &files) else { continue };
            let shared = from.iter().zip(&to).take_while(|(one, other)| one == other).count();
            // Otherwise one of the modules contains the other.
            if shared < from.len() && shared < to.len() {
                let example = format!("{}: use {path}", source.path);
                imports.entry(from[..=shared].to_vec()).or_default().entry(to[..=shared].to_vec()).or_insert(example);
            }
        }
    }
    imports
}

/// Returns the module of a file in `src`: none for files that are not Rust, and for tests.
fn module(file: &str) -> Option<Module> {
    let mut module: Module = file.strip_suffix(".rs")?.split('/').map(str::to_owned).collect();
    match module.last()?.as_str() {
        "lib" | "main" | "mod" => drop(module.pop()),
        "tests" => return None,
        _ => {}
    }
    Some(module)
}

/// Returns the text before the tests at the end of a file.
fn without_tests(text: &str) -> &str {
    text.split("\n#[cfg(test)]\nmod tests {").next().unwrap_or(text)
}

/// Returns the paths of all imports, without braces: `a::{b, c}` is `a::b` and `a::c`.
fn used_paths(text: &str) -> Vec<String> {
    let statements = text.split(';').filter_map(|statement| statement.rsplit_once("use "));
    let imports = statements.filter(|(before, tree)| {
        let line = before.rsplit('\n').next().unwrap_or_default().trim();
        let of_import = |c: char| c.is_alphanumeric() || c.is_whitespace() || "_:{},*".contains(c);
        // In a macro or a text, other words may follow `use`.
        if !tree.chars().all(of_import) || tree.matches('{').count() != tree.matches('}').count() {
            return false;
        }
        line.is_empty() || line == "pub" || line.starts_with("pub(") && line.ends_with(')')
    });
    imports.flat_map(|(_, tree)| paths_of(tree.split_whitespace().collect())).collect()
}

/// Returns the paths of a tree of imports.
fn paths_of(mut tree: String) -> Vec<String> {
    // The first `}` ends a group that contains no other.
    while let Some(end) = tree.find('}') {
        let start = tree[..end].rfind('{').expect("an import has as many `{` as `}`");
        let begin = tree[..start].rfind(['{', ',']).map_or(0, |before| before + 1);
        let names = tree[start + 1..end].split(',').filter(|name| !name.is_empty());
        let paths: Vec<String> = names.map(|name| format!("{}{name}", &tree[begin..start])).collect();
        tree.replace_range(begin..=end, &paths.join(","));
    }
    tree.split(',').map(str::to_owned).collect()
}

/// Returns the module in whose file the item of a path is, if the path begins with `crate` or `super`.
fn resolve(path: &str, from: &Module, files: &BTreeMap<Module, &Source>) -> Option<Module> {
    let mut words = path.split("::").peekable();
    let mut module = match words.next()? {
        "crate" => Module::new(),
        "super" => from[..from.len().checked_sub(1)?].to_vec(),
        _ => return None,
    };
    while words.next_if_eq(&"super").is_some() {
        module.pop();
    }
    for word in words {
        module.push(word.to_owned());
        if !files.contains_key(&module) {
            module.pop();
            break;
        }
    }
    Some(module)
}

/// Returns the groups of modules that import each other, directly or through others.
fn rings(imports: &Imports) -> BTreeSet<BTreeSet<&Module>> {
    let reached: BTreeMap<&Module, BTreeSet<&Module>> =
        imports.keys().map(|module| (module, reachable(module, imports))).collect();
    let mut rings = BTreeSet::new();
    for (module, all) in &reached {
        let imports_it = |other: &&Module| reached.get(other).is_some_and(|all| all.contains(module));
        let ring: BTreeSet<&Module> = all.iter().copied().filter(imports_it).collect();
        if !ring.is_empty() {
            rings.insert(ring);
        }
    }
    rings
}

/// Returns the modules that a module imports, directly or through others.
fn reachable<'a>(module: &Module, imports: &'a Imports) -> BTreeSet<&'a Module> {
    let mut reached = BTreeSet::new();
    let mut next: Vec<&Module> = imports.get(module).into_iter().flat_map(BTreeMap::keys).collect();
    while let Some(module) = next.pop() {
        if reached.insert(module) {
            next.extend(imports.get(module).into_iter().flat_map(BTreeMap::keys));
        }
    }
    reached
}

fn described(ring: &BTreeSet<&Module>, imports: &Imports) -> String {
    let names: Vec<String> = ring.iter().map(|module| format!("`{}`", module.join("::"))).collect();
    let inside = ring.iter().flat_map(|from| imports[*from].iter()).filter(|(to, _)| ring.contains(to));
    let examples: String = inside.map(|(_, example)| format!("\n    {example}")).collect();
    format!(
        ": the modules {} import each other. Move what several of them need into the one to which it belongs, or into \
         a file of its own:{examples}",
        names.join(", ")
    )
}

#[test]
fn rings_are_found() {
    let source = |path: &str, text: &str| Source { path: format!("crate/src/{path}"), text: text.to_owned() };
    let mut sources = vec![
        source("lib.rs", "mod a;\nmod b;\nuse a::A;\n"),
        source("a.rs", "use std::fmt;\nuse crate::{\n    Main,\n    b::{self, C},\n};\n"),
        source("a/part.rs", "use super::A;\npub(crate) use super::super::b::B;\n"),
        source("b.rs", "use crate::b::inner::D;\n\n#[cfg(test)]\nmod tests {\n    use crate::a::A;\n}\n"),
    ];
    assert_eq!(rings(&imports_of("crate", &sources)), BTreeSet::new());
    sources.push(source("b/inner.rs", "use crate::a::part::Part;\n"));
    let imports = imports_of("crate", &sources);
    let rings = rings(&imports);
    assert_eq!(rings.len(), 1);
    let description = described(&rings.first().expect("there is one"), &imports);
    assert!(description.starts_with(": the modules `a`, `b` import each other."), "{description}");
    assert!(description.contains("\n    crate/src/b/inner.rs: use crate::a::part::Part"), "{description}");
}
