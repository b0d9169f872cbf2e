//! The bytes of a hosted environment: of its entities, and of its percepts, wherever they are: those that hold, and
//! those that the logs of entities remember.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::iil::EcoString;
use crate::size::Size;

/// The bytes of an entity without its name: it is in several tables, and has a log.
const ENTITY: usize = 1024;

/// The number of bytes of the percepts of a hosted environment. All its percepts share a counter; each adds its bytes
/// when it is made, and subtracts them when it is dropped.
#[derive(Clone, Debug, Default)]
pub(super) struct Counter(Arc<AtomicUsize>);

impl Counter {
    /// Adds bytes.
    pub(super) fn add(&self, bytes: usize) {
        self.0.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Subtracts bytes.
    pub(super) fn subtract(&self, bytes: usize) {
        self.0.fetch_sub(bytes, Ordering::Relaxed);
    }

    /// The number of bytes.
    pub(super) fn bytes(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}

/// The bytes of entities with these names. Their names are in several tables, which share them.
pub(super) fn entities<'a>(names: impl IntoIterator<Item = &'a EcoString>) -> usize {
    names.into_iter().map(|name| ENTITY + name.heap_bytes()).sum()
}
