//! How many files the process can have open, which bounds how many clients can be connected.

/// The number of files that a server needs for other things: recordings, libraries, clients that it refuses.
#[cfg(unix)]
const OTHERS: usize = 256;

/// The number of connections, or fewer if the system lets the process open fewer files. It asks for as many as it may.
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
