//! Settings of the allocator of glibc, by which servers give the memory of environments that have ended back to the
//! system.

use std::os::unix::process::CommandExt;
use std::process::Command;
use std::{env, io};

/// Number of bytes from which the allocator gives free memory back. Without a value, the threshold grows up to 64 MiB
/// for each thread as a program frees memory.
const THRESHOLD: &str = "4194304";

/// The settings, which a user may have made differently.
const SETTINGS: [&str; 2] = ["MALLOC_TRIM_THRESHOLD_", "MALLOC_MMAP_THRESHOLD_"];

/// Tells a process that it was started again. The system may hide the settings from it, if it has special rights.
const STARTED_AGAIN: &str = "SITUATED_STARTED_AGAIN";

/// Starts the process of a server again with these settings: the allocator reads them only when a process starts.
pub(crate) fn set_up() {
    let is_server = env::args_os().nth(1).is_some_and(|word| word == "serve");
    if is_server && SETTINGS.iter().chain([&STARTED_AGAIN]).all(|name| env::var_os(name).is_none()) {
        // Without the settings, the server needs more memory.
        let _ = start_again();
    }
}

/// Replaces this process by one with the settings. Returns only if that is impossible.
fn start_again() -> io::Result<()> {
    let mut words = env::args_os();
    let name = words.next().unwrap_or_default();
    let mut again = Command::new(env::current_exe()?);
    again.arg0(name).args(words).envs(SETTINGS.map(|name| (name, THRESHOLD))).env(STARTED_AGAIN, "1");
    Err(again.exec())
}
