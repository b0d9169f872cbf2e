//! Lists the files of the page, so that they travel in the program.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let folder = env::var("CARGO_MANIFEST_DIR").map_err(io::Error::other)?;
    let mut files = Vec::new();
    for entry in fs::read_dir(&folder)? {
        files.push(entry?.path());
    }
    let served = |file: &PathBuf| {
        file.extension().is_some_and(|kind| ["html", "css", "js", "svg"].iter().any(|one| kind == *one))
    };
    files.retain(served);
    files.sort();
    let mut list = String::from("/// The files by name.\nconst FILES: &[(&str, &[u8])] = &[\n");
    for file in files {
        let (name, path) = (file.file_name().unwrap_or_default(), file.canonicalize()?);
        list += &format!("    ({:?}, include_bytes!({:?})),\n", name.to_string_lossy(), path.to_string_lossy());
        println!("cargo::rerun-if-changed={}", path.display());
    }
    list += "];\n";
    fs::write(Path::new(&env::var("OUT_DIR").map_err(io::Error::other)?).join("files.rs"), list)
}
