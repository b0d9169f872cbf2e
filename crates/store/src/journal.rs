//! Journals: a checkpoint, and the records since then.

use std::sync::Arc;

use serde::Serialize;

use crate::contents::count_records;
use crate::store::Store;

/// A journal that is being written. Its records are grouped in units: either all records of a unit are kept, or none.
pub struct Journal {
    store: Arc<Store>,
    key: Arc<str>,
    /// The records of the current unit, one per line.
    unit: Vec<u8>,
    /// The number of the first record of the current unit. The first record after a checkpoint has number 1.
    first: u64,
}

impl Journal {
    /// Returns the journal with this key of a store. It is empty until it [begins](Self::begin) with a checkpoint.
    pub fn new(store: Arc<Store>, key: &str) -> Self {
        Self { store, key: key.into(), unit: Vec::new(), first: 1 }
    }

    /// The store.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// Starts the journal again with a checkpoint and a state, which replace its earlier contents.
    pub fn begin(&mut self, checkpoint: &impl Serialize, state: Option<Vec<u8>>) {
        self.unit.clear();
        self.first = 1;
        // Checkpoints and records are plain data, so this does not fail.
        let Ok(checkpoint) = serde_json::to_vec(checkpoint) else { return };
        self.store.begin(&self.key, checkpoint, state);
    }

    /// Adds a record to the current unit.
    pub fn note(&mut self, record: &impl Serialize) {
        let end = self.unit.len();
        match serde_json::to_writer(&mut self.unit, record) {
            Ok(()) => self.unit.push(b'\n'),
            Err(_) => self.unit.truncate(end),
        }
    }

    /// Completes the current unit. Returns its size in bytes.
    pub fn seal(&mut self) -> usize {
        let bytes = self.unit.len();
        if bytes > 0 {
            self.store.append(&self.key, self.first, &self.unit);
            self.first += count_records(&self.unit);
            self.unit.clear();
        }
        bytes
    }
}
