//! The name under which this command was started. It is another one for the command of another author.

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::sync::OnceLock;

static PROGRAM: OnceLock<String> = OnceLock::new();

/// Sets the name of the command from the path under which it was started.
pub(crate) fn set_name(path: Option<&OsString>) {
    if let Some(name) = path.and_then(|path| Path::new(path).file_stem()).and_then(OsStr::to_str) {
        PROGRAM.get_or_init(|| name.to_owned());
    }
}

/// The name under which this command was started.
pub(crate) fn name() -> &'static str {
    PROGRAM.get().map_or("situated", String::as_str)
}
