//! The calls that wait for their answers, and what becomes of them when the connection is lost.

use std::collections::BTreeMap;

use serde_json::value::RawValue;
use situated_wire as wire;
use tokio::sync::{mpsc, oneshot};

use crate::line::Line;
use crate::repeat::ASKED_AT_MOST;
use crate::{End, Error};

/// How many calls can wait for their answers, and how many can wait to be sent while there is no connection. One more fails
/// at once ([`Error::Busy`]).
pub const CALLS_WAITING: usize = 1024;

/// What a call has come to.
pub(crate) type Answered = Result<Box<RawValue>, Error>;

/// A call, or something else that is to be said.
pub(crate) struct Order {
    /// Its line, and the lines that must come before it.
    pub(crate) lines: String,
    /// None if no answer is wanted.
    pub(crate) call: Option<Call>,
}

/// Somebody who waits for an answer.
pub(crate) struct Call {
    pub(crate) number: i64,
    pub(crate) method: &'static str,
    pub(crate) repeatable: bool,
    pub(crate) answer: oneshot::Sender<Answered>,
    pub(crate) taker: Option<Taker>,
}

/// Where notifications are sent for somebody who takes them, as they are.
pub(crate) type Listener = mpsc::Sender<Box<RawValue>>;

/// Who takes what the server says later on because of a call.
pub(crate) enum Taker {
    /// Whoever listens to the subscription that it asks for.
    Listener(Listener),
    /// The host that it announces.
    Host(Line),
}

/// The calls that wait, in the order in which they were asked.
#[derive(Default)]
pub(crate) struct Calls {
    waiting: BTreeMap<i64, Waiting>,
}

struct Waiting {
    call: Call,
    lines: String,
    asked: u32,
}

impl Calls {
    pub(crate) fn len(&self) -> usize {
        self.waiting.len()
    }

    /// A call has been asked, with these lines.
    pub(crate) fn begin(&mut self, call: Call, lines: String) {
        let lines = if call.repeatable { lines } else { String::new() };
        self.waiting.insert(call.number, Waiting { call, lines, asked: 1 });
    }

    /// A call is answered. If the server will say more because of it, its answer and who takes that are returned.
    pub(crate) fn answer<'a>(
        &mut self,
        number: i64,
        answered: Result<&'a RawValue, wire::Error>,
    ) -> Option<(&'a RawValue, Taker)> {
        let Waiting { call, .. } = self.waiting.remove(&number)?;
        let taker = answered.as_ref().ok().copied().zip(call.taker);
        // Who no longer waits has been heard all the same.
        let _ = call.answer.send(answered.map(RawValue::to_owned).map_err(Error::from));
        taker
    }

    /// The connection is lost: what cannot be asked again fails, and what nobody waits for is forgotten.
    pub(crate) fn interrupt(&mut self, reason: &str) {
        let fails = |_: &i64, one: &mut Waiting| {
            !one.call.repeatable || one.asked >= ASKED_AT_MOST || one.call.answer.is_closed()
        };
        for (_, Waiting { call, .. }) in self.waiting.extract_if(.., fails) {
            let _ = call.answer.send(Err(Error::Uncertain { method: call.method, reason: reason.into() }));
        }
    }

    /// The lines of all that is asked again.
    pub(crate) fn ask_again(&mut self) -> String {
        let mut lines = String::new();
        for one in self.waiting.values_mut() {
            one.asked += 1;
            lines.push_str(&one.lines);
        }
        lines
    }

    /// Nothing will be answered any more.
    pub(crate) fn end(&mut self, end: &End) {
        for Waiting { call, .. } in std::mem::take(&mut self.waiting).into_values() {
            let _ = call.answer.send(Err(Error::Ended(end.clone())));
        }
    }
}
