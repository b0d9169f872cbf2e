//! Being asked from outside to end: by Ctrl-C where it is no key, by `kill`, or because the terminal is gone.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Says whether somebody has asked to end.
#[derive(Clone)]
pub(super) struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// From now on, a signal no longer ends the process at once. That the terminal is gone counts only where it is drawn
    /// on, so that `nohup` does what it should.
    pub(super) fn listen(drawn: bool) -> io::Result<Self> {
        let raised = Arc::new(AtomicBool::new(false));
        watch(raised.clone(), drawn)?;
        Ok(Self(raised))
    }

    pub(super) fn is_raised(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Who asks a second time does not wait for it, and has the terminal back all the same.
#[cfg(unix)]
fn watch(raised: Arc<AtomicBool>, drawn: bool) -> io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
    use signal_hook::iterator::Signals;

    let mut signals = Signals::new([SIGINT, SIGTERM])?;
    if drawn {
        signals.add_signal(SIGHUP)?;
        signals.add_signal(SIGQUIT)?;
    }
    let wait = move || {
        for signal in signals.forever() {
            if raised.swap(true, Ordering::Relaxed) {
                end_now(signal);
            }
            if signal == SIGHUP {
                // Waiting for keys may never end where there are none any more.
                std::thread::sleep(GRACE);
                end_now(signal);
            }
        }
    };
    std::thread::Builder::new().name("signals".into()).spawn(wait).map(drop)
}

/// How long a run may take to end whose terminal is gone, and a terminal to be given back.
#[cfg(unix)]
const GRACE: std::time::Duration = std::time::Duration::from_millis(500);

/// Ends the process, even if its terminal takes nothing any more.
#[cfg(unix)]
fn end_now(signal: i32) -> ! {
    let (done, given_back) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        super::terminal::give_back();
        done.send(())
    });
    // Whether it is given back or not: there is nothing more to be done.
    let _ = given_back.recv_timeout(GRACE);
    std::process::exit(128 + signal)
}

#[cfg(not(unix))]
fn watch(raised: Arc<AtomicBool>, _: bool) -> io::Result<()> {
    use signal_hook::consts::{SIGINT, SIGTERM};

    for signal in [SIGINT, SIGTERM] {
        signal_hook::flag::register(signal, raised.clone())?;
    }
    Ok(())
}
