//! Packages outside of the workspace, as authors have them. They share the dependencies compiled for the tests.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::SITUATED;

/// Features of dependencies that the tests of the workspace use, and the command of the example does not. With them, it
/// shares the dependencies that are compiled for the tests.
const FEATURES_OF_TESTS: &str = r#"
num-traits = { version = "0.2", default-features = false, features = ["std"] }
rustix = { version = "1", features = ["fs", "pty"] }
situated-acl = { path = "../../crates/acl", features = ["iil", "schema"] }
situated-recording = { path = "../../crates/recording", features = ["schema"] }
situated-wire = { path = "../../crates/wire", features = ["schema"] }
tokio = { version = "1", features = ["test-util"] }
toml = "1"
zerocopy = { version = "0.8", features = ["derive"] }
"#;

/// The repository.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository")
}

/// Gives a package the features, the profile and the versions of dependencies that this workspace uses, so that they
/// are not compiled again.
pub(crate) fn share_builds(package: &Path) {
    let root = root();
    let read = |path: PathBuf| fs::read_to_string(path).expect("it is text");
    let workspace = read(root.join("Cargo.toml"));
    let profile = workspace.split_once("[profile.dev]").and_then(|(_, after)| after.split_once("[profile.release]"));
    let (profile, _) = profile.expect("the profiles of the workspace");
    let manifest = read(package.join("Cargo.toml"));
    let manifest =
        manifest.replace("[workspace]", &format!("{FEATURES_OF_TESTS}\n[workspace]\n[profile.dev]{profile}"));
    let crates = root.join("crates").display().to_string().replace('\\', "/");
    fs::write(package.join("Cargo.toml"), manifest.replace("../../crates", &crates)).expect("there is room");
    fs::copy(root.join("Cargo.lock"), package.join("Cargo.lock")).expect("there is room");
}

/// A command of cargo for a package. It builds into the folder of the tests.
pub(crate) fn cargo(package: &Path, arguments: &[&str]) -> Command {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(arguments).args(["--quiet", "--offline"]).current_dir(package).env("CARGO_TARGET_DIR", target());
    // What cargo tells this test of its package would compile ring again, and all that needs it.
    for (name, _) in std::env::vars_os() {
        if ["CARGO_MANIFEST_", "CARGO_PKG_", "OUT_DIR"].iter().any(|start| name.to_string_lossy().starts_with(start)) {
            cargo.env_remove(name);
        }
    }
    cargo
}

/// A binary that was built.
pub(crate) fn built(name: &str) -> PathBuf {
    target().join("debug").join(format!("{name}{}", std::env::consts::EXE_SUFFIX))
}

fn target() -> &'static Path {
    Path::new(SITUATED).parent().and_then(Path::parent).expect("the folder of the build")
}
