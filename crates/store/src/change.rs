//! Changes of the stored data, and the queue of changes that are not written yet.

use std::mem;
use std::sync::Arc;

/// The approximate size of a change in addition to its contents, in bytes.
const CHANGE_BYTES: usize = 64;

/// A change of the data.
#[derive(Debug, PartialEq)]
pub(crate) enum Change {
    /// Creates or replaces a document.
    Put { kind: &'static str, key: String, body: Vec<u8> },
    /// Removes a document.
    Remove { kind: &'static str, key: String },
    /// Starts a journal again with a checkpoint, and drops its earlier records.
    Begin { journal: Arc<str>, checkpoint: Vec<u8>, state: Option<Vec<u8>> },
    /// Appends records to a journal. `first` is the number of the first of them.
    Append { journal: Arc<str>, first: u64, records: Vec<u8> },
    /// Removes a journal.
    End { journal: Arc<str> },
}

/// The changes that are not written yet, in order.
#[derive(Default)]
pub(crate) struct Queue {
    changes: Vec<Change>,
    bytes: usize,
}

impl Queue {
    pub(crate) fn push(&mut self, change: Change) {
        self.bytes += change.bytes();
        self.changes.push(change);
    }

    /// Adds records to a journal. `first` is the number of the first of them.
    pub(crate) fn append(&mut self, journal: &Arc<str>, first: u64, records: &[u8]) {
        self.bytes += records.len();
        match self.changes.last_mut() {
            Some(Change::Append { journal: last, records: before, .. }) if Arc::ptr_eq(last, journal) => {
                before.extend_from_slice(records);
            }
            _ => self.changes.push(Change::Append { journal: journal.clone(), first, records: records.to_vec() }),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Takes all changes.
    pub(crate) fn take(&mut self) -> Vec<Change> {
        self.bytes = 0;
        mem::take(&mut self.changes)
    }

    /// Puts changes that could not be written back into the queue, before all changes that were made since.
    pub(crate) fn put_back(&mut self, mut changes: Vec<Change>) {
        changes.append(&mut self.changes);
        self.bytes = changes.iter().map(Change::bytes).sum();
        self.changes = changes;
    }
}

impl Change {
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Change::Put { key, body, .. } => CHANGE_BYTES + key.len() + body.len(),
            Change::Begin { checkpoint, state, .. } => checkpoint.len() + state.as_ref().map_or(0, Vec::len),
            Change::Append { records, .. } => records.len(),
            Change::Remove { key, .. } => CHANGE_BYTES + key.len(),
            Change::End { journal } => CHANGE_BYTES + journal.len(),
        }
    }
}
