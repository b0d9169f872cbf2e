//! Whoever has called a method and is to be answered, once.

use std::io;
use std::sync::Arc;

use serde::Serialize;
use situated_wire::rpc::{self, Id};
use situated_wire::{Code, Error};

use crate::batch::Batch;
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
            Some((batch, place)) => batch.answer(*place, write),
        }
    }

    fn finish(&mut self) {
        self.answered = true;
        if let Some((batch, _)) = self.batch.take() {
            batch.close_one();
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
