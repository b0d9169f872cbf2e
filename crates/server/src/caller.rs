//! Whoever has called a method and is to be answered, once.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::Serialize;
use situated_wire::rpc::{self, Id};
use situated_wire::{Code, Error};

use crate::session::Session;

/// Whoever is to be answered. If nobody answers, it is told that the server is at fault.
pub(crate) struct Caller {
    session: Arc<Session>,
    connection: u64,
    /// None if no answer is wanted.
    id: Option<Id>,
    batch: Option<(Arc<Batch>, usize)>,
    answered: bool,
    _waiting: Waiting,
}

/// A call that waits for its answer; its connection counts them.
pub(crate) type Waiting = Arc<()>;

/// The answers to the calls of one frame, which go out in one frame.
pub(crate) struct Batch(Mutex<Gathered>);

struct Gathered {
    answers: Vec<Vec<u8>>,
    missing: usize,
}

impl Caller {
    pub(crate) fn new(
        session: Arc<Session>,
        connection: u64,
        id: Option<Id>,
        batch: Option<(Arc<Batch>, usize)>,
        waiting: Waiting,
    ) -> Self {
        Self { session, connection, id, batch, answered: false, _waiting: waiting }
    }

    /// Who has called.
    pub(crate) fn session(&self) -> &Arc<Session> {
        &self.session
    }

    /// Answers.
    pub(crate) fn answer(mut self, result: &impl Serialize) {
        if let Some(id) = self.id.take() {
            self.send(|out| rpc::write_answer(out, &id, result));
        }
        self.finish();
    }

    /// Refuses.
    pub(crate) fn refuse(mut self, error: &Error) {
        self.send_error(error);
        self.finish();
    }

    /// Answers or refuses.
    pub(crate) fn reply(self, answered: Result<impl Serialize, Error>) {
        match answered {
            Ok(result) => self.answer(&result),
            Err(error) => self.refuse(&error),
        }
    }

    fn send_error(&mut self, error: &Error) {
        self.session.count_error(error);
        if let Some(id) = self.id.take() {
            self.send(|out| rpc::write_error(out, Some(&id), error));
        }
    }

    fn send(&self, write: impl FnOnce(&mut Vec<u8>) -> io::Result<()>) {
        match &self.batch {
            None => self.session.outbox().write(Some(self.connection), write),
            Some((batch, place)) => {
                let mut answer = Vec::new();
                if write(&mut answer).is_ok() {
                    batch.lock().answers[*place] = answer;
                }
            }
        }
    }

    fn finish(&mut self) {
        self.answered = true;
        if let Some((batch, _)) = self.batch.take()
            && let Some(frame) = batch.close_one()
        {
            self.session.outbox().write(Some(self.connection), |out| out.write_all(&frame));
        }
    }
}

impl Drop for Caller {
    fn drop(&mut self) {
        if !self.answered {
            self.send_error(&Error::new(Code::Internal, "this call was not answered; please tell the authors"));
            self.finish();
        }
    }
}

impl Batch {
    /// The answers to so many calls.
    pub(crate) fn new(calls: usize) -> Arc<Self> {
        Arc::new(Self(Mutex::new(Gathered { answers: vec![Vec::new(); calls], missing: calls })))
    }

    /// One of the messages was no call.
    pub(crate) fn refuse(&self, place: usize, id: Option<&Id>, error: &Error) -> Option<Vec<u8>> {
        let mut answer = Vec::new();
        if rpc::write_error(&mut answer, id, error).is_ok() {
            self.lock().answers[place] = answer;
        }
        self.close_one()
    }

    fn lock(&self) -> MutexGuard<'_, Gathered> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One of the calls is done with. After the last, the frame of all answers; none if no answer was wanted.
    pub(crate) fn close_one(&self) -> Option<Vec<u8>> {
        let mut gathered = self.lock();
        gathered.missing -= 1;
        if gathered.missing > 0 {
            return None;
        }
        gathered.answers.retain(|answer| !answer.is_empty());
        (!gathered.answers.is_empty()).then(|| [b"[".as_slice(), &gathered.answers.join(&b','), b"]"].concat())
    }
}
