//! Lists the files of the page, compressed, so that they travel in the program. All modules travel as one script, which a
//! browser loads several times as fast as its modules one by one.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

use flate2::Compression;
use flate2::write::GzEncoder;

/// The module that runs the page.
const MAIN: &str = "main.js";

fn main() -> io::Result<()> {
    let folder = PathBuf::from(env::var("CARGO_MANIFEST_DIR").map_err(io::Error::other)?);
    let mut modules = BTreeMap::new();
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(&folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        match path.extension().and_then(|kind| kind.to_str()) {
            Some("js") => drop(modules.insert(name, Some(read(&path)?))),
            Some("html" | "css" | "svg") => drop(files.insert(name, read(&path)?)),
            _ => {}
        }
    }
    let mut script = String::from("// All modules of the page, each as a function that returns what it exports.\n");
    append(MAIN, &mut modules, &mut script);
    files.insert(MAIN.into(), script);

    let out = PathBuf::from(env::var("OUT_DIR").map_err(io::Error::other)?);
    let mut list = String::from("/// The files by name, each as gzip.\nconst FILES: &[(&str, &[u8])] = &[\n");
    for (name, content) in files {
        let compressed = out.join(format!("{name}.gz"));
        let mut encoder = GzEncoder::new(fs::File::create(&compressed)?, Compression::best());
        encoder.write_all(content.as_bytes())?;
        encoder.finish()?;
        list += &format!("    ({name:?}, include_bytes!({:?})),\n", compressed.to_string_lossy());
    }
    list += "];\n";
    fs::write(out.join("files.rs"), list)
}

fn read(path: &Path) -> io::Result<String> {
    println!("cargo::rerun-if-changed={}", path.display());
    fs::read_to_string(path)
}

/// Appends a module to the script, after those that it imports, unless it is there already. Modules are written uniformly:
/// each import is a line, and declarations are exported where they are made.
fn append(name: &str, modules: &mut BTreeMap<String, Option<String>>, script: &mut String) {
    let module = modules.get_mut(name).unwrap_or_else(|| panic!("there is no module {name}"));
    let Some(source) = module.take() else { return };
    let (mut body, mut exported) = (String::new(), Vec::new());
    for line in source.lines() {
        if let Some(import) = line.strip_prefix("import ") {
            let parts = import.strip_suffix("\";").and_then(|import| import.split_once(" from \"./"));
            let (names, from) =
                parts.unwrap_or_else(|| panic!("{name}: import as `import {{ … }} from \"./….js\";`: {line}"));
            append(from, modules, script);
            body += &format!("const {} = {};", names.replace(" as ", ": "), variable(from));
        } else if let Some(declaration) = line.strip_prefix("export ") {
            let mut words = declaration.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
            exported.extend(words.find(|word| !["async", "function", "class", "const"].contains(word)));
            body += declaration;
        } else {
            body += line;
        }
        body.push('\n');
    }
    let exported = exported.join(", ");
    *script += &format!("const {} = (() => {{\n{body}return {{ {exported} }};\n}})();\n", variable(name));
}

/// The variable with what a module exports.
fn variable(module: &str) -> String {
    format!("module_{}", module.trim_end_matches(".js").replace('-', "_"))
}
