//! Lists the files of the page, compressed, so that they travel in the program.

use std::io::Write;
use std::path::PathBuf;
use std::{env, fs, io};

use flate2::Compression;
use flate2::write::GzEncoder;

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
    let out = PathBuf::from(env::var("OUT_DIR").map_err(io::Error::other)?);
    let mut list = String::from("/// The files by name, each as gzip.\nconst FILES: &[(&str, &[u8])] = &[\n");
    for file in files {
        println!("cargo::rerun-if-changed={}", file.display());
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let compressed = out.join(format!("{name}.gz"));
        let mut encoder = GzEncoder::new(fs::File::create(&compressed)?, Compression::best());
        encoder.write_all(&fs::read(&file)?)?;
        encoder.finish()?;
        list += &format!("    ({name:?}, include_bytes!({:?})),\n", compressed.to_string_lossy());
    }
    list += "];\n";
    fs::write(out.join("files.rs"), list)
}
