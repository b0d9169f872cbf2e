//! The output of a recorder, shared with a thread that flushes it when nobody else does: while a step or a decision takes
//! long, nothing else is written, and what was written before must be safe all the same.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;
use std::{io, sync};

use super::output::Output;

/// How often the thread looks. What it finds waiting for the second time it flushes, so within a second.
const LOOK: Duration = Duration::from_millis(400);

/// An output that several threads have.
pub(super) struct Shared(Arc<Mutex<Output>>);

impl Shared {
    pub(super) fn new(output: Output) -> Self {
        Self(Arc::new(Mutex::new(output)))
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Output> {
        lock(&self.0)
    }

    /// From now on a thread flushes what waits, until this is dropped.
    ///
    /// # Errors
    /// When the system starts no thread.
    pub(super) fn watch(&self) -> io::Result<()> {
        let output = Arc::downgrade(&self.0);
        thread::Builder::new().name("recording".into()).spawn(move || flush_what_waits(&output)).map(drop)
    }
}

fn flush_what_waits(output: &sync::Weak<Mutex<Output>>) {
    let mut found = None;
    loop {
        thread::sleep(LOOK);
        let Some(output) = output.upgrade() else { return };
        let mut output = lock(&output);
        let waits = output.deadline();
        if waits.is_some() && waits == found {
            output.flush();
        }
        found = output.deadline();
    }
}

/// Nothing is left undone in an output when somebody panics.
fn lock(output: &Mutex<Output>) -> MutexGuard<'_, Output> {
    output.lock().unwrap_or_else(PoisonError::into_inner)
}
