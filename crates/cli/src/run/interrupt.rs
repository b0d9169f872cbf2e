//! Being asked from outside to end: by Ctrl-C where it is no key, by `kill`, or because the terminal is gone.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Says whether somebody has asked to end.
#[derive(Clone)]
pub(super) struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// From now on, a signal no longer ends the process at once.
    pub(super) fn listen() -> io::Result<Self> {
        let raised = Arc::new(AtomicBool::new(false));
        watch(raised.clone())?;
        Ok(Self(raised))
    }

    pub(super) fn is_raised(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Who asks a second time does not wait for it, and has the terminal back all the same.
#[cfg(unix)]
fn watch(raised: Arc<AtomicBool>) -> io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
    use signal_hook::iterator::Signals;

    let mut signals = Signals::new([SIGHUP, SIGINT, SIGQUIT, SIGTERM])?;
    let wait = move || {
        for signal in signals.forever() {
            if raised.swap(true, Ordering::Relaxed) {
                super::terminal::give_back();
                std::process::exit(128 + signal);
            }
        }
    };
    std::thread::Builder::new().name("signals".into()).spawn(wait).map(drop)
}

#[cfg(not(unix))]
fn watch(raised: Arc<AtomicBool>) -> io::Result<()> {
    use signal_hook::consts::{SIGINT, SIGTERM};

    for signal in [SIGINT, SIGTERM] {
        signal_hook::flag::register(signal, raised.clone())?;
    }
    Ok(())
}
