//! The frames that were exchanged in a check, so that whoever reads that it failed sees what was said.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

/// How many frames are shown at the most, which are the last.
const SHOWN: usize = 24;

/// How much of a frame is shown.
const LENGTH: usize = 600;

/// What all connections of a check have said and heard.
#[derive(Clone, Default)]
pub(crate) struct Exchange(Arc<Mutex<VecDeque<String>>>);

impl Exchange {
    /// Notes a frame that was sent on a connection.
    pub(crate) fn said(&self, connection: u32, frame: &str) {
        self.note(connection, '→', frame);
    }

    /// Notes a frame that came.
    pub(crate) fn heard(&self, connection: u32, frame: &str) {
        self.note(connection, '←', frame);
    }

    /// All that is remembered.
    pub(crate) fn frames(&self) -> Vec<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }

    fn note(&self, connection: u32, way: char, frame: &str) {
        let mut shown: String = frame.chars().take(LENGTH).collect();
        if shown.len() < frame.len() {
            shown += &format!("… ({} bytes)", frame.len());
        }
        let mut frames = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if frames.len() == SHOWN {
            frames.pop_front();
        }
        frames.push_back(format!("{connection} {way} {shown}"));
    }
}
