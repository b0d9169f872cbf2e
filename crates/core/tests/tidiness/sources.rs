//! The files of the repository.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A text file of the repository.
pub(crate) struct Source {
    /// Its path from the root of the repository, with `/`.
    pub(crate) path: String,
    pub(crate) text: String,
}

/// The root of the repository.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The paths of all files that git does not ignore, from the root of the repository.
pub(crate) fn paths() -> Vec<String> {
    let list = ["ls-files", "--cached", "--others", "--exclude-standard", "-z"];
    let listed = Command::new("git").args(list).current_dir(root()).output().expect("git is installed");
    assert!(listed.status.success(), "{}", String::from_utf8_lossy(&listed.stderr));
    let listed = String::from_utf8(listed.stdout).expect("paths are UTF-8");
    // Git also lists files that have been removed since the last commit.
    let paths = listed.split_terminator('\0').filter(|path| root().join(path).exists());
    paths.map(str::to_owned).collect()
}

/// The files that are text.
pub(crate) fn sources() -> Vec<Source> {
    let read = |path: String| fs::read_to_string(root().join(&path)).ok().map(|text| Source { path, text });
    paths().into_iter().filter_map(read).collect()
}

/// The folders of packages of Rust.
pub(crate) fn packages(sources: &[Source]) -> Vec<&str> {
    let manifests = sources.iter().filter(|source| name(&source.path) == "Cargo.toml");
    manifests.map(|source| folder(&source.path)).collect()
}

/// The last part of a path.
pub(crate) fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or_default()
}

/// A path without its last part; empty for a file in the root.
pub(crate) fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// The part of a path after the last dot of its name.
pub(crate) fn extension(path: &str) -> &str {
    name(path).rsplit_once('.').map_or("", |(_, extension)| extension)
}
