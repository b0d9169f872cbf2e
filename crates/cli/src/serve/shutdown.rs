//! Being told to stop.

use std::future::Future;
use std::io;

/// Is done when the process is told to stop. Who says so a second time does not wait.
#[cfg(unix)]
pub(super) fn asked_for() -> io::Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};

    let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    let mut next = async move || {
        tokio::select! {
            _ = interrupt.recv() => 2,
            _ = terminate.recv() => 15,
        }
    };
    Ok(async move {
        next().await;
        tokio::spawn(async move { std::process::exit(128 + next().await) });
    })
}

#[cfg(not(unix))]
pub(super) fn asked_for() -> io::Result<impl Future<Output = ()>> {
    Ok(async {
        // If there is no such signal, it is never asked for.
        let _ = tokio::signal::ctrl_c().await;
    })
}
