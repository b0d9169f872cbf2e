//! Frames that must not leave before the changes behind them are written.

use std::collections::VecDeque;
use std::sync::Arc;

use situated_store::{Mark, Store};
use situated_wire::{Code, Error};

/// The frames of an outbox that must not leave yet.
pub(super) struct Unwritten {
    store: Arc<Store>,
    /// For each part of the frames, where it ends, and the changes that must be written before it leaves.
    parts: VecDeque<(usize, Mark)>,
}

impl Unwritten {
    pub(super) fn new(store: Arc<Store>) -> Self {
        Self { store, parts: VecDeque::new() }
    }

    /// Whether nothing can be written at present.
    pub(super) fn has_failed(&self) -> bool {
        self.store.has_failed()
    }

    /// Notes that the frames up to this end must not leave before the present changes are written, if they wait for that.
    pub(super) fn hold_back(&mut self, end: usize, waits: bool) {
        let mark = if waits { self.store.mark() } else { Mark::default() };
        match self.parts.back_mut() {
            // Frames leave in order.
            Some((last, before)) if *before >= mark => *last = end,
            None if self.store.is_written(mark) => {}
            _ => self.parts.push_back((end, mark)),
        }
    }

    /// Releases the frames that may leave. None if all may; otherwise returns how many bytes may, and the changes that the
    /// others wait for, or why these cannot be written.
    pub(super) fn release(&mut self) -> Option<(usize, Result<Mark, Error>)> {
        let (_, last) = *self.parts.back()?;
        if self.store.is_written(last) {
            self.parts.clear();
            return None;
        }
        let mut released = 0;
        while let Some((end, mark)) = self.parts.front()
            && self.store.is_written(*mark)
        {
            released = *end;
            self.parts.pop_front();
        }
        self.parts.iter_mut().for_each(|(end, _)| *end -= released);
        let waits = match self.store.failure() {
            Some(reason) => Err(Error::new(
                Code::NotKept,
                format!("{reason}; what you have called for was done and is not kept, resume and call again"),
            )),
            None => Ok(last),
        };
        Some((released, waits))
    }

    pub(super) fn clear(&mut self) {
        self.parts.clear();
    }
}
