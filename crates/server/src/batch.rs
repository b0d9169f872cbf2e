//! The answers to the calls of one frame, which go out in one frame.

use std::io::{self, Write};
use std::sync::Arc;

use parking_lot::Mutex;

use crate::session::Session;

/// The answers to the calls of one frame. Until the last has come they count among what waits in the outbox.
pub(crate) struct Batch {
    session: Arc<Session>,
    connection: u64,
    gathered: Mutex<Gathered>,
}

struct Gathered {
    /// One for each call; empty if there is none yet, or none is wanted.
    answers: Vec<Vec<u8>>,
    missing: usize,
}

impl Batch {
    /// The answers to so many calls.
    pub(crate) fn new(session: Arc<Session>, connection: u64, calls: usize) -> Arc<Self> {
        let gathered = Mutex::new(Gathered { answers: vec![Vec::new(); calls], missing: calls });
        Arc::new(Self { session, connection, gathered })
    }

    /// One of the calls is answered so.
    pub(crate) fn answer(&self, place: usize, write: impl FnOnce(&mut Vec<u8>) -> io::Result<()>) {
        let mut answer = Vec::new();
        if write(&mut answer).is_ok() {
            self.session.outbox().hold(self.connection, answer.len());
            self.gathered.lock().answers[place] = answer;
        }
    }

    /// One of the calls is done with. After the last, all answers go out, if any was wanted.
    pub(crate) fn close_one(&self) {
        let mut gathered = self.gathered.lock();
        gathered.missing -= 1;
        if gathered.missing > 0 {
            return;
        }
        let answers = std::mem::take(&mut gathered.answers);
        let outbox = self.session.outbox();
        outbox.let_go(self.connection, answers.iter().map(Vec::len).sum());
        let mut answers = answers.iter().filter(|answer| !answer.is_empty()).peekable();
        if answers.peek().is_none() {
            return;
        }
        outbox.write(Some(self.connection), |out| {
            let mut separator = b"[";
            for answer in answers {
                out.write_all(separator)?;
                out.write_all(answer)?;
                separator = b",";
            }
            out.write_all(b"]")
        });
    }
}
