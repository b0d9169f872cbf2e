//! A client: a session with a server.

use std::any::Any;
use std::collections::BTreeMap;
use std::fmt::Display;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use serde::Serialize;
use serde_json::value::RawValue;
use situated::reading;
use situated_wire::Method;
use situated_wire::methods::{Acknowledge, Call as Request, Environments, Greeting, ListEnvironments};
use tokio::sync::{mpsc, oneshot};

use crate::calls::{Answered, CALLS_WAITING, Call, Calls, Order, Taker, call_line, is_repeatable, line};
use crate::endpoint::Endpoint;
use crate::link::Link;
use crate::{Answer, End, Error};

/// A session with a server, for one agent or for many. It is cheap to clone, and can be used from any thread.
///
/// The client reconnects when the connection is lost, at once and then with pauses of 50 ms to 3 s. The session continues with
/// its agents and subscriptions, and calls wait. Calls without an answer are repeated where this is safe: calls that only
/// read, those that unregister an agent, and the actions of an [`Agent`](crate::Agent), each of which has a number and runs
/// once. Other calls fail with [`Error::Uncertain`], since they may have been done. If the server is silent, the client sends a ping, and reconnects if it
/// is not answered within 4 s ([`SILENCE`](crate::SILENCE)).
///
/// When the session has ended meanwhile, or the client could not reconnect in time
/// ([`Connect::patience`](crate::Connect::patience)), all current and later calls fail with [`Error::Ended`]. The
/// client never opens a new session by itself.
///
/// When the last client, agent and subscription of a session is dropped, the session ends and its agents are unregistered.
/// [`close`](Self::close) waits for that, for example before the runtime shuts down.
#[derive(Clone)]
pub struct Client(Arc<Shared>);

/// The state that all clients of a session share.
pub(crate) struct Shared {
    greeting: Greeting,
    orders: mpsc::Sender<Order>,
    next_number: AtomicI64,
    /// The number of the last message to other agents. It is locked while a message is sent.
    sent: Mutex<u64>,
    leave: Arc<tokio::sync::Notify>,
    end: Arc<OnceLock<End>>,
    /// The thread of the connection, if it has its own.
    thread: Option<JoinHandle<()>>,
}

impl Client {
    pub(crate) fn new(shared: Shared) -> Self {
        Self(Arc::new(shared))
    }

    /// The greeting of the server: the rights of this client, and the limits of the server.
    pub fn greeting(&self) -> &Greeting {
        &self.0.greeting
    }

    /// Calls any method of the protocol.
    pub fn call<M: Method>(&self, call: M) -> Answer<'static, M::Answer> {
        read_answer::<M>(self.answer(self.0.ask(M::NAME, &call, is_repeatable(M::NAME, &call), None)))
    }

    /// Calls a method by name, with parameters and answer as the protocol writes them.
    pub fn call_by_name(&self, method: &str, params: &RawValue) -> Answer<'static, Box<RawValue>> {
        let asked = Request::read(params.get(), method, Some(params)).map_err(Error::from).and_then(|request| {
            let typed: &dyn Any = match &request {
                Request::Act(act) => act,
                Request::Perceive(perceive) => perceive,
                Request::SendMessage(send) => send,
                Request::Step(step) => step,
                other => other,
            };
            let method = request.name();
            // A request is one line. In JSON, line ends occur only as white space.
            let params = params.get().replace('\n', " ");
            let params = RawValue::from_string(params).map_err(|error| misunderstood(method, &error))?;
            self.0.ask(method, &params, is_repeatable(method, typed), None)
        });
        self.answer(asked)
    }

    /// Acknowledges perceptions of an agent, without an answer.
    ///
    /// # Errors
    /// Returns an error if too many messages are waiting, or the session has ended.
    pub fn acknowledge(&self, acknowledged: &Acknowledge) -> Result<(), Error> {
        self.notify(acknowledged)
    }

    /// The environments, and the kinds of environments that can be created.
    pub fn environments(&self) -> Answer<'static, Environments> {
        self.call(ListEnvironments {})
    }

    /// Ends the session for all its clients and agents. The answer comes when it has ended.
    pub fn close(self) -> Answer<'static, ()> {
        self.0.leave.notify_one();
        Answer::new(async move {
            self.0.orders.closed().await;
            Ok(())
        })
    }

    /// Calls a method that is followed by later messages.
    pub(crate) fn call_and_take<M: Method>(&self, call: &M, taker: Taker) -> Answer<'static, M::Answer> {
        read_answer::<M>(self.ask_and_take(call, taker))
    }

    /// Version of [`call_and_take`](Self::call_and_take) with the answer as JSON.
    pub(crate) fn ask_and_take<M: Method>(&self, call: &M, taker: Taker) -> Answer<'static, Box<RawValue>> {
        self.answer(self.0.ask(M::NAME, call, is_repeatable(M::NAME, call), Some(taker)))
    }

    fn answer(&self, asked: Result<oneshot::Receiver<Answered>, Error>) -> Answer<'static, Box<RawValue>> {
        let end = self.0.end.clone();
        Answer::new(async move { asked?.await.unwrap_or_else(|_| Err(Error::Ended(reason(&end)))) })
    }

    /// Sends a message to other agents with the next number. Messages are sent in the order of their numbers.
    pub(crate) fn numbered<R>(&self, send: impl FnOnce(u64) -> R) -> R {
        let mut last = self.0.sent.lock().unwrap_or_else(PoisonError::into_inner);
        *last += 1;
        send(*last)
    }

    /// Sends a notification.
    pub(crate) fn notify<M: Method>(&self, call: &M) -> Result<(), Error> {
        self.0.order(M::NAME, Order { lines: call_line(None, call)?, call: None })
    }

    /// Sends lines as soon as the queue has room.
    pub(crate) async fn deliver(&self, lines: String) -> Result<(), Error> {
        self.0.orders.send(Order { lines, call: None }).await.map_err(|_| self.ended())
    }

    /// The error after the end of the session.
    pub(crate) fn ended(&self) -> Error {
        Error::Ended(reason(&self.0.end))
    }
}

impl Shared {
    /// Creates the shared state, and the link that owns the connection.
    pub(crate) fn new(endpoint: Endpoint, greeting: Greeting, patience: Duration) -> (Self, Link) {
        let (sender, orders) = mpsc::channel(CALLS_WAITING);
        let leave = Arc::new(tokio::sync::Notify::new());
        let end = Arc::new(OnceLock::new());
        let link = Link {
            endpoint,
            resume: greeting.resume.clone(),
            heartbeat: greeting.heartbeat_ms.map(Duration::from_millis),
            patience,
            orders,
            leave: leave.clone(),
            end: end.clone(),
            calls: Calls::default(),
            listeners: BTreeMap::new(),
            hosts: BTreeMap::new(),
            lines: String::new(),
            pause: Duration::ZERO,
        };
        (
            Self {
                greeting,
                orders: sender,
                next_number: AtomicI64::new(1),
                sent: Mutex::new(0),
                leave,
                end,
                thread: None,
            },
            link,
        )
    }

    /// Sets the thread of the connection.
    pub(crate) fn set_thread(&mut self, thread: JoinHandle<()>) {
        self.thread = Some(thread);
    }

    fn ask(
        &self,
        method: &'static str,
        params: &impl Serialize,
        repeatable: bool,
        taker: Option<Taker>,
    ) -> Result<oneshot::Receiver<Answered>, Error> {
        let number = self.next_number.fetch_add(1, Ordering::Relaxed);
        let line = line(Some(number), method, params)?;
        let (length, limit) = (line.len(), self.greeting.limits.frame_bytes);
        if length > limit {
            return Err(Error::TooLong { method, length, limit });
        }
        let (answer, asked) = oneshot::channel();
        let call = Call { number, method, repeatable, answer, taker };
        self.order(method, Order { lines: line, call: Some(call) })?;
        Ok(asked)
    }

    fn order(&self, method: &'static str, order: Order) -> Result<(), Error> {
        self.orders.try_send(order).map_err(|error| match error {
            mpsc::error::TrySendError::Full(_) => Error::Busy { method, limit: CALLS_WAITING },
            mpsc::error::TrySendError::Closed(_) => Error::Ended(reason(&self.end)),
        })
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        self.leave.notify_one();
        if let Some(thread) = self.thread.take() {
            // The thread ends when it has sent `bye`, or when the connection is lost.
            let _ = thread.join();
        }
    }
}

fn read_answer<M: Method>(asked: Answer<'static, Box<RawValue>>) -> Answer<'static, M::Answer> {
    Answer::new(async { reading::json(asked.await?.get()).map_err(|error| misunderstood(M::NAME, &error)) })
}

fn misunderstood(about: &'static str, error: &dyn Display) -> Error {
    Error::Misunderstood { about, reason: error.to_string() }
}

/// The reason for the end of a session. Without a reason, its runtime has shut down.
fn reason(end: &OnceLock<End>) -> End {
    end.get().cloned().unwrap_or(End::Closed)
}
