//! Being asked from outside to end: by Ctrl-C where it is no key, or by `kill`.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

/// Says whether somebody has asked to end. Who asks a second time does not wait for it.
#[derive(Clone)]
pub(super) struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// From now on, a signal no longer ends the process at once.
    pub(super) fn listen() -> io::Result<Self> {
        let raised = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGTERM] {
            // In this order: the second signal finds the flag raised.
            flag::register_conditional_shutdown(signal, 128 + signal, raised.clone())?;
            flag::register(signal, raised.clone())?;
        }
        Ok(Self(raised))
    }

    pub(super) fn is_raised(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
