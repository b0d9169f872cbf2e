//! `situated new`: writes a folder with an environment of the user's own, which runs at once.

use std::env;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};

use crate::usage::wrong_usage;

#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Name of the environment, and of its folder, which is created here: small letters, digits and `-`.
    #[arg(value_parser = name)]
    name: String,
    /// Write it in Python instead of Rust.
    #[arg(long)]
    python: bool,
    /// Clone of the repository of situated. Environments in Rust use the packages in it until they are published
    /// [default: the clone in which this command was built].
    #[arg(long, value_name = "FOLDER", conflicts_with = "python")]
    path: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  situated new shop
  situated new shop --path ~/situated
  situated new shop --python";

/// A file of a skeleton: its path in the new folder, and its text.
type File = (&'static str, &'static str);

// The skeletons are an environment `my-world` with the type `MyWorld`. Those in Rust use the packages in `CLONE`.
const RUST: [File; 7] = [
    ("Cargo.toml", include_str!("../skeletons/rust/manifest.toml")),
    ("src/lib.rs", include_str!("../skeletons/rust/src/lib.rs")),
    ("src/agent.rs", include_str!("../skeletons/rust/src/agent.rs")),
    ("src/main.rs", include_str!("../skeletons/rust/src/main.rs")),
    ("tests/rules.rs", include_str!("../skeletons/rust/tests/rules.rs")),
    ("README.md", include_str!("../skeletons/rust/README.md")),
    (".gitignore", include_str!("../skeletons/rust/ignored")),
];
const PYTHON: [File; 4] = [
    ("my_world.py", include_str!("../skeletons/python/my_world.py")),
    ("agent.py", include_str!("../skeletons/python/agent.py")),
    ("test_my_world.py", include_str!("../skeletons/python/test_my_world.py")),
    ("README.md", include_str!("../skeletons/python/README.md")),
];

/// Writes the folder, and says what can be done in it.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let Arguments { name, python, path } = arguments;
    let folder = Path::new(name);
    if *python {
        write(folder, &PYTHON, name, Path::new(""))?;
        let module = name.replace('-', "_");
        writeln!(io::stdout(), "Made {name}/. Now:\n\n  cd {name}\n  situated run {module}.py")?;
    } else {
        let clone = clone_at(path.as_deref())?;
        write(folder, &RUST, name, &clone)?;
        writeln!(io::stdout(), "Made {name}/. Now:\n\n  cd {name}\n  cargo test\n  cargo run")?;
    }
    writeln!(io::stdout(), "\n{name}/README.md says what else you can do.")?;
    Ok(())
}

fn write(folder: &Path, files: &[File], name: &str, clone: &Path) -> anyhow::Result<()> {
    let cannot = || format!("cannot make the folder {}", folder.display());
    fs::create_dir(folder).with_context(cannot)?;
    let clone = clone.display().to_string().replace('\\', "/");
    let ours = |text: &str| {
        let text = text.replace("my-world", name).replace("my_world", &name.replace('-', "_"));
        text.replace("MyWorld", &type_name(name)).replace("CLONE", &clone)
    };
    for (path, text) in files {
        let path = folder.join(ours(path));
        let written = path.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(&path, ours(text)));
        written.with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

/// Returns the clone with the packages that an environment in Rust uses.
fn clone_at(path: Option<&Path>) -> anyhow::Result<PathBuf> {
    let is_clone = |folder: &&Path| folder.join("crates/core/Cargo.toml").is_file();
    let Some(path) = path else {
        let command = env::current_exe()?.canonicalize()?;
        let clone = command.ancestors().find(is_clone).map(Path::to_owned);
        return clone.ok_or_else(|| {
            wrong_usage(&anyhow!(
                "the packages for Rust are not published yet, so an environment in Rust needs a clone of the \
                 repository:\n\n  git clone {REPOSITORY}\n  situated new NAME --path situated\n\nAn environment in \
                 Python needs none: situated new NAME --python"
            ))
            .into()
        });
    };
    if !is_clone(&path) {
        let folder = path.display();
        return Err(wrong_usage(&anyhow!("{folder} is not a clone of {REPOSITORY}: it has no crates/core")).into());
    }
    Ok(path.canonicalize()?)
}

const REPOSITORY: &str = env!("CARGO_PKG_REPOSITORY");

/// `shop-floor` is the type `ShopFloor`.
fn type_name(name: &str) -> String {
    let capital = |word: &str| word[..1].to_uppercase() + &word[1..];
    name.split('-').map(capital).collect()
}

/// Words that cannot be the names of modules and packages in Rust or Python.
const RESERVED: [&str; 77] = [
    "abstract", "agent", "alloc", "and", "as", "assert", "async", "await", "become", "box", "break", "class", "const",
    "continue", "core", "crate", "def", "del", "do", "dyn", "elif", "else", "enum", "except", "extern", "false",
    "final", "finally", "fn", "for", "from", "gen", "global", "if", "impl", "import", "in", "is", "lambda", "let",
    "loop", "macro", "match", "mod", "move", "mut", "nonlocal", "not", "or", "override", "pass", "priv", "pub",
    "raise", "ref", "return", "self", "serde", "situated", "static", "std", "struct", "super", "test", "trait", "true",
    "try", "type", "typeof", "unsafe", "unsized", "use", "virtual", "where", "while", "with", "yield",
];

fn name(text: &str) -> Result<String, String> {
    let is_word = |word: &str| {
        word.starts_with(|first: char| first.is_ascii_lowercase())
            && word.chars().all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit())
    };
    if !text.split('-').all(is_word) {
        return Err("expected small letters, digits and `-`, such as shop or shop-floor".to_owned());
    }
    if RESERVED.contains(&text) {
        return Err("it has a meaning in Rust or Python".to_owned());
    }
    Ok(text.to_owned())
}
