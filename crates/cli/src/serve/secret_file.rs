//! Files with tokens and secrets, which only their owner should be able to read.

use std::fs;
use std::path::Path;

use anyhow::Context;

/// Reads a file with `secrets`, such as "the tokens", and warns if other users of this machine can read it, too.
pub(super) fn read(file: &Path, secrets: &str) -> anyhow::Result<String> {
    let name = file.display();
    let text = fs::read_to_string(file).with_context(|| format!("cannot read {secrets} in {name}"))?;
    if is_readable_by_others(file) {
        eprintln!("warning: other users of this machine can read {secrets} in {name}; `chmod 600 {name}` prevents it");
    }
    Ok(text)
}

#[cfg(unix)]
fn is_readable_by_others(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;

    const GROUP_AND_OTHERS: u32 = 0o044;
    fs::metadata(file).is_ok_and(|of| of.permissions().mode() & GROUP_AND_OTHERS != 0)
}

#[cfg(not(unix))]
fn is_readable_by_others(_: &Path) -> bool {
    false
}
