//! How many files the process can have open, which bounds how many clients can be connected.

/// What a server needs beside its connections: recordings, libraries, those who are told that there is no room.
#[cfg(unix)]
const OTHERS: usize = 256;

/// As many of these connections as the system lets the process have, after it has asked for as many files as it may.
#[cfg(unix)]
pub(super) fn connections_within(connections: usize) -> usize {
    use rustix::process::{Resource, getrlimit, setrlimit};

    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    // If that is refused, the limit stays as it is.
    let _ = setrlimit(Resource::Nofile, limit);
    let files = getrlimit(Resource::Nofile).current.and_then(|files| usize::try_from(files).ok());
    files.map_or(connections, |files| connections.min(files.saturating_sub(OTHERS).max(1)))
}

#[cfg(not(unix))]
pub(super) fn connections_within(connections: usize) -> usize {
    connections
}
