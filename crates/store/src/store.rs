//! The store: it makes changes in memory and writes them in groups.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use parking_lot::{Condvar, Mutex, MutexGuard};
use serde::Serialize;

use crate::change::{Change, Queue};
use crate::contents::Contents;
use crate::folder::{Folder, OpenError};
use crate::inspection::{Inspection, inspect};
use crate::writer::Writer;

/// Maximum time until a change is written that no thread waits for.
const MAX_DELAY: Duration = Duration::from_millis(50);

/// The time between two attempts to write after one has failed.
const RETRY: Duration = Duration::from_millis(500);

/// Number of waiting bytes from which a thread that makes a change writes them.
const WAITING_BYTES: usize = 4 << 20;

/// Maximum number of bytes that wait while the store cannot write. It drops changes of documents beyond that.
const FAILED_BYTES: usize = 16 << 20;

/// The data that a server keeps in a folder.
pub struct Store {
    shared: Arc<Shared>,
    thread: Mutex<Option<thread::JoinHandle<()>>>,
}

struct Shared {
    queue: Mutex<Queue>,
    writer: Mutex<Writer>,
    /// The number of the latest change.
    made: AtomicU64,
    /// The number of the latest change that is written.
    written: AtomicU64,
    waiting: Mutex<Vec<Arc<dyn Bell>>>,
    /// The reason why the latest attempt to write failed, if it did.
    failure: Mutex<Option<Arc<str>>>,
    has_failed: AtomicBool,
    is_closed: Mutex<bool>,
    closing: Condvar,
    /// Whether the store is closed; it then keeps no further changes.
    is_over: AtomicBool,
}

/// A point in the sequence of changes. A thread can wait until all changes up to it are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mark(u64);

/// Changes of documents: the store keeps either all of them or none.
#[derive(Debug, Default)]
pub struct Batch(Vec<Change>);

impl Batch {
    /// Creates or replaces the document with this kind and key.
    pub fn put(&mut self, kind: &'static str, key: &str, document: &impl Serialize) {
        // Documents are plain data, so this does not fail.
        let Ok(body) = serde_json::to_vec(document) else { return };
        self.0.push(Change::Put { kind, key: key.into(), body });
    }

    /// Removes a document.
    pub fn remove(&mut self, kind: &'static str, key: &str) {
        self.0.push(Change::Remove { kind, key: key.into() });
    }
}

/// Gets a notice when changes have been written.
pub trait Bell: Send + Sync {
    /// Says that further changes have been written, or that writing failed.
    fn ring(&self);
}

impl Store {
    /// Opens the store in a folder, and creates the folder if it does not exist. Only the owner of its files can read
    /// them. With `sync`, the store waits until the disk has the data, so that they survive a power failure. `holder`
    /// describes this process to others.
    ///
    /// # Errors
    /// Returns an error if another process uses the folder, or if it cannot be read or written.
    pub fn open(folder: &Path, sync: bool, holder: &str) -> Result<(Self, Contents), OpenError> {
        let mut opened = Folder::open(folder, holder)?;
        let Inspection { contents, tally, damages, .. } = inspect(&mut opened)?;
        if !damages.is_empty() {
            return Err(OpenError::Damaged { folder: folder.into(), damages });
        }
        let writer = Writer::open(opened, tally, sync)?;
        let shared = Arc::new(Shared {
            queue: Mutex::default(),
            writer: Mutex::new(writer),
            made: AtomicU64::new(0),
            written: AtomicU64::new(0),
            waiting: Mutex::default(),
            failure: Mutex::default(),
            has_failed: AtomicBool::new(false),
            is_closed: Mutex::new(false),
            closing: Condvar::new(),
            is_over: AtomicBool::new(false),
        });
        let failed = |reason| OpenError::Folder { path: folder.into(), reason };
        let behind = shared.clone();
        let thread = thread::Builder::new().name("situated-store".into()).spawn(move || behind.write_in_background());
        Ok((Self { shared, thread: Mutex::new(Some(thread.map_err(failed)?)) }, contents))
    }

    /// Creates or replaces the document with this kind and key.
    pub fn put(&self, kind: &'static str, key: &str, document: &impl Serialize) {
        // Documents are plain data, so this does not fail.
        let Ok(body) = serde_json::to_vec(document) else { return };
        self.shared.change_documents([Change::Put { kind, key: key.into(), body }]);
    }

    /// Removes a document.
    pub fn remove(&self, kind: &'static str, key: &str) {
        self.shared.change_documents([Change::Remove { kind, key: key.into() }]);
    }

    /// Makes several changes.
    pub fn change(&self, Batch(changes): Batch) {
        // Nobody would write a mark without a change.
        if !changes.is_empty() {
            self.shared.change_documents(changes);
        }
    }

    /// Starts a journal again with a checkpoint and a state, which replace its earlier contents.
    pub(crate) fn begin(&self, journal: &Arc<str>, checkpoint: Vec<u8>, state: Option<Vec<u8>>) {
        self.shared.make(|queue| queue.push(Change::Begin { journal: journal.clone(), checkpoint, state }));
    }

    /// Appends records to a journal: either all of them are kept, or none.
    /// `first` is the number of the first of them.
    pub(crate) fn append(&self, journal: &Arc<str>, first: u64, records: &[u8]) {
        self.shared.make(|queue| queue.append(journal, first, records));
    }

    /// Removes a journal.
    pub fn end_journal(&self, journal: &str) {
        self.shared.make(|queue| queue.push(Change::End { journal: journal.into() }));
    }

    /// Returns the mark of the latest change.
    pub fn mark(&self) -> Mark {
        Mark(self.shared.made.load(Ordering::SeqCst))
    }

    /// Returns whether the changes up to a mark are written.
    pub fn is_written(&self, mark: Mark) -> bool {
        mark.0 <= self.shared.written.load(Ordering::SeqCst)
    }

    /// Writes the waiting changes, unless another thread is about to. Returns whether the changes up to the mark are
    /// written; if not, the store rings the bell as soon as that may have changed.
    pub fn settle(&self, mark: Mark, bell: &Arc<dyn Bell>) -> bool {
        self.shared.write();
        if self.is_written(mark) {
            return true;
        }
        self.shared.waiting.lock().push(bell.clone());
        // The thread that was writing may have rung before this bell was added.
        self.shared.write();
        self.is_written(mark)
    }

    /// Returns why the store cannot write at present, or `None` if it can.
    pub fn failure(&self) -> Option<Arc<str>> {
        if !self.has_failed() {
            return None;
        }
        self.shared.failure.lock().clone()
    }

    /// Returns whether the store cannot write at present.
    pub fn has_failed(&self) -> bool {
        self.shared.has_failed.load(Ordering::SeqCst)
    }

    /// Writes all changes. The store does not keep later ones, since the process is about to end.
    ///
    /// # Errors
    /// Returns the reason if not all changes could be written.
    pub fn close(&self) -> Result<(), Arc<str>> {
        self.shared.is_over.store(true, Ordering::SeqCst);
        *self.shared.is_closed.lock() = true;
        self.shared.closing.notify_all();
        if let Some(thread) = self.thread.lock().take() {
            // The thread does not panic.
            let _ = thread.join();
        }
        self.failure().map_or(Ok(()), Err)
    }

    /// Returns whether the store is closed.
    pub fn is_closed(&self) -> bool {
        self.shared.is_over.load(Ordering::SeqCst)
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        // Callers that need the result call `close` themselves.
        let _ = self.close();
    }
}

impl Shared {
    /// Changes documents, unless too many bytes wait already.
    fn change_documents(&self, changes: impl IntoIterator<Item = Change>) {
        let has_room = !self.has_failed.load(Ordering::SeqCst) || self.queue.lock().bytes() < FAILED_BYTES;
        if has_room {
            self.make(|queue| changes.into_iter().for_each(|change| queue.push(change)));
        }
    }

    /// Adds a change to the queue.
    fn make(&self, change: impl FnOnce(&mut Queue)) {
        if self.is_over.load(Ordering::SeqCst) {
            return;
        }
        let bytes = {
            let mut queue = self.queue.lock();
            change(&mut queue);
            self.made.fetch_add(1, Ordering::SeqCst);
            queue.bytes()
        };
        if bytes > WAITING_BYTES && !self.has_failed.load(Ordering::SeqCst) {
            self.write_as(self.writer.lock());
        }
    }

    /// Writes the waiting changes, unless another thread is about to; that thread checks for new changes before it
    /// stops. After a failure, only the background thread tries again.
    fn write(&self) {
        while !self.queue.lock().is_empty() && !self.has_failed.load(Ordering::SeqCst) {
            let Some(writer) = self.writer.try_lock() else { return };
            self.write_as(writer);
        }
    }

    /// Writes one group of changes.
    fn write_as(&self, mut writer: MutexGuard<'_, Writer>) {
        let (changes, last) = {
            let mut queue = self.queue.lock();
            (queue.take(), self.made.load(Ordering::SeqCst))
        };
        if !changes.is_empty() {
            match writer.write(&changes) {
                Ok(()) => {
                    self.written.store(last, Ordering::SeqCst);
                    self.has_failed.store(false, Ordering::SeqCst);
                }
                Err(error) => {
                    let reason = format!("`{}` cannot be written: {error}", writer.path().display());
                    self.queue.lock().put_back(changes);
                    *self.failure.lock() = Some(reason.into());
                    self.has_failed.store(true, Ordering::SeqCst);
                }
            }
        }
        drop(writer);
        let waiting = std::mem::take(&mut *self.waiting.lock());
        waiting.iter().for_each(|bell| bell.ring());
    }

    /// Writes the changes that no thread waits for, until the store is closed.
    fn write_in_background(&self) {
        loop {
            let is_over = {
                let mut is_closed = self.is_closed.lock();
                let rest = if self.has_failed.load(Ordering::SeqCst) { RETRY } else { MAX_DELAY };
                if !*is_closed {
                    self.closing.wait_for(&mut is_closed, rest);
                }
                *is_closed
            };
            if !self.queue.lock().is_empty() {
                self.write_as(self.writer.lock());
            }
            let long_log = self.writer.lock().long_log();
            if let Some(log) = long_log {
                // Threads that write wait while the log is shortened, so most of it goes to the disk before. If
                // anything fails, the log only stays long until the next attempt.
                let _ = File::open(log).and_then(|log| log.sync_data());
                let _ = self.writer.lock().shorten_log();
            }
            if is_over {
                return;
            }
        }
    }
}
