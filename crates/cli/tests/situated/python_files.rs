//! Python files with an environment, where Python or the package is missing. The tests of the package run them.

use std::env;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use crate::{Finished, situated};

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/python/treasure_hunt.py");

/// A Python without any packages.
fn bare_python() -> PathBuf {
    let python = env::temp_dir().join(format!("situated-{}-bare-python", std::process::id()));
    fs::write(&python, "#!/bin/sh\nexec python3 -I -S \"$@\"\n").expect("there is room");
    fs::set_permissions(&python, fs::Permissions::from_mode(0o755)).expect("it is ours");
    python
}

#[test]
fn a_python_without_the_package_is_named_with_the_way_to_install_it() {
    let python = bare_python();
    let shown = python.display();
    for command in ["run", "serve", "describe", "check-environment"] {
        let Finished { code, out, err } = situated(&format!("{command} {FILE} --python {shown}"));
        let expected = format!(
            "error: {shown} has no package `situated` of this version (No module named 'situated'); install it: {shown} \
             -m pip install --upgrade situated, or ./bindings/python in a clone; or name another Python: --python \
             PROGRAM\n"
        );
        assert_eq!((code, out.as_str(), err), (1, "", expected), "is python3 there?");
    }
    fs::remove_file(python).expect("it is there");
}

#[test]
fn a_missing_python_is_named() {
    let Finished { code, err, .. } = situated(&format!("run {FILE}:TreasureHunt --python /no/python"));
    assert_eq!(code, 1);
    assert!(err.starts_with("error: there is no Python at `/no/python`; install Python 3.10"), "{err}");
}

#[test]
fn only_a_python_file_can_be_loaded_again() {
    let Finished { code, err, .. } = situated("serve find-goals --reload");
    assert_eq!((code, err.as_str()), (2, "error: --reload needs the Python file of an environment, such as shop.py\n"));
    let Finished { code, err, .. } = situated("run missing.py");
    assert_eq!((code, err.as_str()), (2, "error: there is no file missing.py\n"));
    let Finished { code, err, .. } = situated("describe team.toml");
    assert_eq!((code, err.as_str()), (2, "error: team.toml is neither an environment nor a Python file\n"));
}
