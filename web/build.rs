//! Lists the files of the page, compressed, so that they travel in the program: those of this folder as they are, and
//! the modules, which lie in folders by topic, as one script. A browser loads it several times as fast as its modules
//! one by one.

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
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(&folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if let Some("html" | "css" | "svg") = path.extension().and_then(|kind| kind.to_str()) {
            files.insert(name, read(&path)?);
        }
    }
    let mut script = Script { folder, text: String::new(), modules: BTreeMap::new() };
    script.text += "// All modules of the page, each as a function that returns what it exports.\n";
    script.append(MAIN)?;
    files.insert(MAIN.into(), script.text);

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
    fs::read_to_string(path).map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", path.display())))
}

/// The modules as one script.
struct Script {
    folder: PathBuf,
    text: String,
    /// The modules by their paths, and whether the text has them already. A module comes after those that it imports.
    modules: BTreeMap<String, bool>,
}

impl Script {
    /// Appends a module, unless it is there already. Modules are written uniformly: each import is a line, and
    /// declarations are exported where they are made.
    fn append(&mut self, module: &str) -> io::Result<()> {
        match self.modules.get(module) {
            Some(true) => return Ok(()),
            Some(false) => panic!("{module} imports a module that imports {module}; remove one of these imports"),
            None => self.modules.insert(module.into(), false),
        };
        let (mut body, mut exported) = (String::new(), Vec::new());
        for line in read(&self.folder.join(module))?.lines() {
            if let Some(import) = line.strip_prefix("import ") {
                let parts = import.strip_suffix("\";").and_then(|import| import.split_once(" from \""));
                let (names, from) =
                    parts.unwrap_or_else(|| panic!("{module}: import as `import {{ … }} from \"….js\";`: {line}"));
                let from = resolve(module, from);
                self.append(&from)?;
                body += &format!("const {} = {};", names.replace(" as ", ": "), variable(&from));
            } else if let Some(declaration) = line.strip_prefix("export ") {
                let mut words = declaration.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
                let name = words.find(|word| !["async", "function", "class", "const"].contains(word));
                exported.extend(name.map(String::from));
                body += declaration;
            } else {
                body += line;
            }
            body.push('\n');
        }
        let exported = exported.join(", ");
        self.text += &format!("const {} = (() => {{\n{body}return {{ {exported} }};\n}})();\n", variable(module));
        self.modules.insert(module.into(), true);
        Ok(())
    }
}

/// The path of a module from the folder of the page. Folders of modules have no folders in them.
fn resolve(importer: &str, import: &str) -> String {
    let folder = &importer[..importer.find('/').map_or(0, |end| end + 1)];
    match import.strip_prefix("../") {
        Some(path) => path.into(),
        None => format!("{folder}{}", import.trim_start_matches("./")),
    }
}

/// The variable with what a module exports.
fn variable(module: &str) -> String {
    format!("module_{}", module.trim_end_matches(".js").replace(['-', '/'], "_"))
}
