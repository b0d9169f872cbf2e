//! Frames that must not be sent before the changes that they report are written.

use std::collections::VecDeque;
use std::sync::Arc;

use situated_store::{Mark, Store};
use situated_wire::{Code, Error};

/// The frames of an outbox that must not be sent yet.
pub(super) struct Unwritten {
    store: Arc<Store>,
    /// For each part of the frames, its end and the changes that must be written before it is sent.
    parts: VecDeque<(usize, Mark)>,
}

impl Unwritten {
    pub(super) fn new(store: Arc<Store>) -> Self {
        Self { store, parts: VecDeque::new() }
    }

    /// Whether changes cannot be written at present.
    pub(super) fn has_failed(&self) -> bool {
        self.store.has_failed()
    }

    /// Holds back the frames up to this end until the current changes are written, if they must wait for that.
    pub(super) fn hold_back(&mut self, end: usize, waits: bool) {
        let mark = if waits { self.store.mark() } else { Mark::default() };
        match self.parts.back_mut() {
            // Frames are sent in order.
            Some((last, before)) if *before >= mark => *last = end,
            None if self.store.is_written(mark) => {}
            _ => self.parts.push_back((end, mark)),
        }
    }

    /// Releases frames whose changes are written. Returns `None` if all may be sent. Otherwise returns the number of
    /// bytes that may be sent, and the changes that the others wait for, or the reason why these cannot be written.
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
                format!(
                    "{reason}; the server executed your calls but could not store the changes, so resume the session and repeat the calls"
                ),
            )),
            None => Ok(last),
        };
        Some((released, waits))
    }

    pub(super) fn clear(&mut self) {
        self.parts.clear();
    }
}
