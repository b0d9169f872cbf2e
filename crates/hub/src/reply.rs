//! Replies that the hub must send: each request is answered exactly once.

use std::marker::PhantomData;
use std::sync::Arc;

use situated::interface::Moment;
use situated_runtime::wall_clock;
use situated_wire::Request;
use situated_wire::methods::{Answer, ServerTime, Step, TurnTaken};

use crate::error::{Error, TooLarge};
use crate::session::{ReplyToken, Session};

/// A reply that a session waits for. If it is dropped, the session gets an error.
pub(crate) struct PendingReply {
    session: Arc<Session>,
    token: ReplyToken,
    is_answered: bool,
}

/// A reply to a request of this type.
pub(crate) struct Reply<R> {
    pending: PendingReply,
    request: PhantomData<fn() -> R>,
}

impl PendingReply {
    pub(crate) fn new(session: Arc<Session>, token: ReplyToken) -> Self {
        Self { session, token, is_answered: false }
    }

    /// The session that waits.
    pub(crate) fn session(&self) -> &Arc<Session> {
        &self.session
    }

    /// Sends the answer, or the error. Returns the reason if the answer is larger than its client can get.
    pub(crate) fn send(mut self, answer: Result<Answer, Error>) -> Option<TooLarge> {
        self.is_answered = true;
        self.session.receiver().answer(self.token, answer)
    }

    /// Sends the reason why the request is refused.
    pub(crate) fn refuse(self, error: Error) {
        self.send(Err(error));
    }
}

impl Drop for PendingReply {
    fn drop(&mut self) {
        if !self.is_answered {
            self.session.receiver().answer(self.token, Err(Error::Unanswered));
        }
    }
}

impl<R> Reply<R> {
    pub(crate) fn new(pending: PendingReply) -> Self {
        Self { pending, request: PhantomData }
    }

    /// The session that waits.
    pub(crate) fn session(&self) -> &Arc<Session> {
        self.pending.session()
    }

    /// Sends the reason why the request is refused.
    pub(crate) fn refuse(self, error: Error) {
        self.pending.refuse(error);
    }

    /// Removes the type of the request.
    pub(crate) fn into_pending(self) -> PendingReply {
        self.pending
    }
}

impl Reply<Step> {
    /// Sends the turns of a step. Each turn is made when the session takes it, and all of them are made even if the
    /// session takes fewer. Returns the reason if the answer is larger than its client can get.
    pub(crate) fn answer_step(
        mut self,
        moment: Moment,
        mut turns: impl Iterator<Item = TurnTaken>,
    ) -> Option<TooLarge> {
        self.pending.is_answered = true;
        let too_large = self.pending.session.receiver().answer_step(self.pending.token, moment, &mut turns);
        turns.for_each(drop);
        too_large
    }
}

impl<R: Request<Answer = ServerTime>> Reply<R> {
    /// Sends the time of the server, or the error.
    pub(crate) fn send_time(self, done: Result<(), Error>) {
        self.send(done.map(|()| ServerTime { time: wall_clock() }));
    }
}

impl<R: Request> Reply<R> {
    /// Sends the answer.
    pub(crate) fn answer(self, answer: R::Answer) {
        self.pending.send(Ok(answer.into()));
    }

    /// Sends the answer, or the error. Returns the reason if the answer is larger than its client can get.
    pub(crate) fn send(self, answer: Result<R::Answer, Error>) -> Option<TooLarge> {
        self.pending.send(answer.map(Into::into))
    }
}
