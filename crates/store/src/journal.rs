//! Journals: a checkpoint, and the records since.

use std::sync::Arc;

use serde::Serialize;

use crate::store::Store;

/// A journal that is written. Its records come in units: all records of a unit are kept, or none.
pub struct Journal {
    store: Arc<Store>,
    key: Arc<str>,
    /// The records of the present unit, one a line.
    unit: Vec<u8>,
}

impl Journal {
    /// The journal of this key in a store. It [begins](Self::begin) with a checkpoint.
    pub fn new(store: Arc<Store>, key: &str) -> Self {
        Self { store, key: key.into(), unit: Vec::new() }
    }

    /// The store.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// Begins again with a checkpoint and a state, which replace everything before.
    pub fn begin(&mut self, checkpoint: &impl Serialize, state: Option<Vec<u8>>) {
        self.unit.clear();
        // Checkpoints and records are plain data.
        let Ok(checkpoint) = serde_json::to_vec(checkpoint) else { return };
        self.store.begin(&self.key, checkpoint, state);
    }

    /// Adds a record to the present unit.
    pub fn note(&mut self, record: &impl Serialize) {
        let end = self.unit.len();
        match serde_json::to_writer(&mut self.unit, record) {
            Ok(()) => self.unit.push(b'\n'),
            Err(_) => self.unit.truncate(end),
        }
    }

    /// Ends the present unit. Returns its size in bytes.
    pub fn seal(&mut self) -> usize {
        let bytes = self.unit.len();
        if bytes > 0 {
            self.store.append(&self.key, &self.unit);
            self.unit.clear();
        }
        bytes
    }
}
