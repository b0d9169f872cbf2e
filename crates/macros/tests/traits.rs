//! The compiler's errors for types that lack a trait of `situated`. Its own words change from version to version, so
//! only the words of this project are compared.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use std::{env, fs};

use serde_json::Value;

#[test]
fn missing_traits_are_explained() {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    let crates = tests.parent().and_then(Path::parent).expect("a folder with all packages");
    let package = Path::new(env!("CARGO_TARGET_TMPDIR")).join("wrong");
    fs::create_dir_all(&package).expect("a folder for the package");
    let lock = crates.with_file_name("Cargo.lock");
    fs::copy(lock, package.join("Cargo.lock")).expect("the versions of this workspace");
    let (program, situated) = (tests.join("traits/wrong.rs"), crates.join("core"));
    let manifest = format!(
        "[package]\nname = 'wrong'\nedition = '2024'\n[workspace]\n[lib]\npath = '{}'\n\
         [dependencies]\nsituated.path = '{}'\nserde = {{ version = '1', features = ['derive'] }}\n",
        program.display(),
        situated.display()
    );
    fs::write(package.join("Cargo.toml"), manifest).expect("the package");

    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["check", "--offline", "--message-format=json"]).current_dir(&package);
    cargo.env("CARGO_TARGET_DIR", package.join("target"));
    let output = cargo.output().expect("cargo runs");
    let lines = String::from_utf8(output.stdout).expect("JSON");
    let messages = lines.lines().map(|line| serde_json::from_str(line).expect("JSON"));
    let errors: BTreeSet<(u64, String)> = messages.filter_map(|message: Value| error(&message["message"])).collect();
    let said: String = errors.into_iter().map(|(line, error)| format!("line {line}: {error}\n")).collect();

    let wanted = tests.join("traits/wrong.txt");
    if env::var_os("UPDATE").is_some() {
        fs::write(&wanted, &said).expect("the file can be written");
    }
    let log = String::from_utf8_lossy(&output.stderr);
    assert_eq!(said, fs::read_to_string(wanted).unwrap_or_default(), "UPDATE=1 writes this anew; cargo said: {log}");
}

/// Returns the line of an error, its message, its label and the notes of this project.
fn error(message: &Value) -> Option<(u64, String)> {
    let place = message["spans"].as_array()?.iter().find(|span| span["is_primary"] == true)?;
    let mut error = format!("{}\n    {}\n", message["message"].as_str()?, place["label"].as_str()?);
    for note in message["children"].as_array()?.iter().filter(|child| child["level"] == "note") {
        let text = note["message"].as_str()?;
        if !text.starts_with("required") && !text.contains("originates in") {
            error += &format!("    {text}\n");
        }
    }
    Some((place["line_start"].as_u64()?, error))
}
