//! The number of files that the process can have open, which limits the number of connections.

/// Number of files that a server needs for other purposes: recordings, libraries, refused clients.
#[cfg(unix)]
const OTHERS: usize = 256;

/// Returns the number of connections, or fewer if the system lets the process open fewer files. Raises the limit of
/// the process as far as allowed.
#[cfg(unix)]
pub(super) fn connections_within(connections: usize) -> usize {
    use rustix::process::{Resource, getrlimit, setrlimit};

    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    // If the system refuses, the limit stays as it is.
    let _ = setrlimit(Resource::Nofile, limit);
    let files = getrlimit(Resource::Nofile).current.and_then(|files| usize::try_from(files).ok());
    files.map_or(connections, |files| connections.min(files.saturating_sub(OTHERS).max(1)))
}

#[cfg(not(unix))]
pub(super) fn connections_within(connections: usize) -> usize {
    connections
}
