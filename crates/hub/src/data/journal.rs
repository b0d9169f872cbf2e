//! The journal of an environment.

use std::sync::Arc;

use situated_runtime::{Checkpoint, Journal, Record};
use situated_store::Store;

/// Number of records after which a checkpoint is due.
const RECORDS: usize = 4096;

/// Number of bytes after which a checkpoint is due.
const BYTES: usize = 4 << 20;

/// Time in milliseconds between the first and the last input after which a checkpoint is due.
const TIME: u64 = 30_000;

/// The journal of an environment. It regularly asks for a checkpoint, which bounds the size of the journal and the
/// time that restoring takes.
pub(crate) struct EnvironmentJournal {
    journal: situated_store::Journal,
    records: usize,
    bytes: usize,
    /// The times of the first and the last input.
    time: Option<(u64, u64)>,
    /// The reason why the store could not be written when the current unit began.
    refusal: Option<String>,
}

impl EnvironmentJournal {
    pub(crate) fn new(store: Arc<Store>, key: &str) -> Self {
        Self { journal: situated_store::Journal::new(store, key), records: 0, bytes: 0, time: None, refusal: None }
    }

    fn find_refusal(&self) -> Option<String> {
        let store = self.journal.store();
        if store.is_closed() {
            return Some("the server is shutting down".into());
        }
        store.failure().map(|reason| reason.to_string())
    }

    fn is_long(&self) -> bool {
        let took = self.time.map_or(0, |(first, last)| last.saturating_sub(first));
        self.records >= RECORDS || self.bytes >= BYTES || took >= TIME
    }
}

impl Journal for EnvironmentJournal {
    fn note(&mut self, record: &Record<'_>) {
        match record {
            Record::Input { time, .. } => self.time = Some((self.time.map_or(*time, |(first, _)| first), *time)),
            // Agents can perceive while the store cannot be written, so these records would grow without limit.
            Record::Heard { .. } if self.journal.store().has_failed() => return,
            _ => {}
        }
        self.records += 1;
        self.journal.note(record);
    }

    fn seal(&mut self) -> bool {
        let bytes = self.journal.seal();
        self.bytes += bytes;
        self.refusal = self.find_refusal();
        bytes > 0 && self.refusal.is_none() && self.is_long()
    }

    fn begin(&mut self, checkpoint: &Checkpoint, state: Option<Vec<u8>>) {
        (self.records, self.bytes, self.time) = (0, 0, None);
        self.journal.begin(checkpoint, state);
    }

    /// Constant within a unit, which is written as a whole or not at all.
    fn refusal(&self) -> Option<String> {
        self.refusal.clone()
    }
}
