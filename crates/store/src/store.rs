//! The store: changes that are made in memory, and written in groups.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use parking_lot::{Condvar, Mutex, MutexGuard};
use serde::Serialize;

use crate::change::{Change, Queue};
use crate::contents::Contents;
use crate::error::OpenError;
use crate::folder;
use crate::writer::Writer;

/// How long a change waits that nobody waits for.
const REST: Duration = Duration::from_millis(50);

/// The time between two attempts to write after one has failed.
const RETRY: Duration = Duration::from_millis(500);

/// Number of waiting bytes from which a thread that makes a change writes them.
const WAITING_BYTES: usize = 4 << 20;

/// Maximum number of bytes that wait while nothing can be written. Changes of documents beyond it are forgotten.
const FAILED_BYTES: usize = 16 << 20;

/// The data that a server keeps in a folder.
pub struct Store {
    shared: Arc<Shared>,
    thread: Mutex<Option<thread::JoinHandle<()>>>,
}

struct Shared {
    queue: Mutex<Queue>,
    writer: Mutex<Writer>,
    /// The number of the last change.
    made: AtomicU64,
    /// The number of the last change that is written.
    written: AtomicU64,
    waiting: Mutex<Vec<Arc<dyn Bell>>>,
    /// Why the last attempt to write has failed.
    failure: Mutex<Option<Arc<str>>>,
    has_failed: AtomicBool,
    is_closed: Mutex<bool>,
    closing: Condvar,
    /// Whether nothing more is kept.
    is_over: AtomicBool,
}

/// A change: those up to it can be waited for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mark(u64);

/// Somebody who waits for changes to be written.
pub trait Bell: Send + Sync {
    /// More is written, or writing has failed.
    fn ring(&self);
}

impl Store {
    /// Opens the store in a folder, which is made if it does not exist. Its files can be read by their owner only. With `sync`,
    /// what is written has reached the disk, and survives a power failure. `holder` describes this process to others.
    ///
    /// # Errors
    /// When another process uses the folder, or it cannot be read or written.
    pub fn open(folder: &Path, sync: bool, holder: &str) -> Result<(Self, Contents), OpenError> {
        let (lock, path) = folder::open(folder, holder)?;
        let (writer, contents) = Writer::open(&path, lock, sync)?;
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
        let thread = thread::Builder::new().name("situated-store".into()).spawn(move || behind.write_what_waits());
        Ok((Self { shared, thread: Mutex::new(Some(thread.map_err(failed)?)) }, contents))
    }

    /// Puts a document in the place of the one with this kind and key, if there is one.
    pub fn put(&self, kind: &'static str, key: &str, document: &impl Serialize) {
        // Documents are plain data.
        let Ok(body) = serde_json::to_vec(document) else { return };
        self.shared.change_document(Change::Put { kind, key: key.into(), body });
    }

    /// Removes a document.
    pub fn remove(&self, kind: &'static str, key: &str) {
        self.shared.change_document(Change::Remove { kind, key: key.into() });
    }

    /// Begins a journal again, with a checkpoint and a state, which replace everything before.
    pub(crate) fn begin(&self, journal: &Arc<str>, checkpoint: Vec<u8>, state: Option<Vec<u8>>) {
        self.shared.make(|queue| queue.push(Change::Begin { journal: journal.clone(), checkpoint, state }));
    }

    /// Appends records to a journal. All of them are kept or none.
    pub(crate) fn append(&self, journal: &Arc<str>, records: &[u8]) {
        self.shared.make(|queue| queue.append(journal, records));
    }

    /// Removes a journal.
    pub fn end_journal(&self, journal: &str) {
        self.shared.make(|queue| queue.push(Change::End { journal: journal.into() }));
    }

    /// The mark of the last change.
    pub fn mark(&self) -> Mark {
        Mark(self.shared.made.load(Ordering::SeqCst))
    }

    /// Whether the changes up to a mark are written.
    pub fn is_written(&self, mark: Mark) -> bool {
        mark.0 <= self.shared.written.load(Ordering::SeqCst)
    }

    /// Writes what is not written, if no other thread is about to. Returns whether the changes up to the mark are written;
    /// otherwise the bell rings when there is something new.
    pub fn settle(&self, mark: Mark, bell: &Arc<dyn Bell>) -> bool {
        self.shared.write();
        if self.is_written(mark) {
            return true;
        }
        self.shared.waiting.lock().push(bell.clone());
        // The thread that was writing may have rung before.
        self.shared.write();
        self.is_written(mark)
    }

    /// The reason why nothing can be written at present.
    pub fn failure(&self) -> Option<Arc<str>> {
        if !self.has_failed() {
            return None;
        }
        self.shared.failure.lock().clone()
    }

    /// Whether nothing can be written at present.
    pub fn has_failed(&self) -> bool {
        self.shared.has_failed.load(Ordering::SeqCst)
    }

    /// Writes everything. Changes that come later are not kept: this process ends.
    ///
    /// # Errors
    /// When not everything could be written.
    pub fn close(&self) -> Result<(), Arc<str>> {
        self.shared.is_over.store(true, Ordering::SeqCst);
        *self.shared.is_closed.lock() = true;
        self.shared.closing.notify_all();
        if let Some(thread) = self.thread.lock().take() {
            // It does not panic.
            let _ = thread.join();
        }
        self.failure().map_or(Ok(()), Err)
    }

    /// Whether the store is closed.
    pub fn is_closed(&self) -> bool {
        self.shared.is_over.load(Ordering::SeqCst)
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        // Callers that need the result close it themselves.
        let _ = self.close();
    }
}

impl Shared {
    /// Changes a document, unless too much waits already.
    fn change_document(&self, change: Change) {
        let has_room = !self.has_failed.load(Ordering::SeqCst) || self.queue.lock().bytes() < FAILED_BYTES;
        if has_room {
            self.make(|queue| queue.push(change));
        }
    }

    /// Makes a change.
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

    /// Writes what is not written, unless another thread is about to: that one looks again before it leaves. After a failure,
    /// only the thread of the store tries.
    fn write(&self) {
        while !self.queue.lock().is_empty() && !self.has_failed.load(Ordering::SeqCst) {
            let Some(writer) = self.writer.try_lock() else { return };
            self.write_as(writer);
        }
    }

    /// Writes one group.
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

    /// Writes what nobody waits for, until the store is closed.
    fn write_what_waits(&self) {
        loop {
            let is_over = {
                let mut is_closed = self.is_closed.lock();
                let rest = if self.has_failed.load(Ordering::SeqCst) { RETRY } else { REST };
                if !*is_closed {
                    self.closing.wait_for(&mut is_closed, rest);
                }
                *is_closed
            };
            if !self.queue.lock().is_empty() {
                self.write_as(self.writer.lock());
            }
            // If that fails, the log is longer for a while.
            let _ = self.writer.lock().shorten_log_if_due();
            if is_over {
                return;
            }
        }
    }
}
