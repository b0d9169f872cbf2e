//! Sessions of programs in the same process: each request returns a typed answer to wait for.

use std::collections::HashMap;
use std::future::Future;
use std::io;
use std::marker::PhantomData;
use std::ops::Deref;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use parking_lot::Mutex;
use situated::iil::Action;

use situated_platform::mail::Letter;
use situated_wire::methods::{Act, Acted, Answer, Associate, Done, Pass, Perceive, Perceived, Register, Registered};
use situated_wire::{Name, Request, Rights};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::{mpsc, oneshot};

use crate::error::{Error, TooLarge};
use crate::hub::{Hub, HubSettings};
use crate::kinds::Kinds;
use crate::limits::SessionLimits;
use crate::notifications::Notification;
use crate::session::{Receiver, ReplyToken, Session};

/// The maximum number of requests of a local session that wait for answers.
pub const REQUESTS_WAITING: usize = 1024;

/// A hub with an executor of its own, for programs that have none. Dropping it closes the hub.
pub struct LocalHub {
    hub: Arc<Hub>,
    executor: Option<Runtime>,
}

/// A session of a program in the same process. Clones are the same session, which ends with the last of them. It gets no
/// notifications except [mail](Self::open_with_mail); a program that wants others opens a session with a [`Receiver`].
#[derive(Clone)]
pub struct LocalSession(Arc<Inner>);

/// The messages for the agents of a local session that have subscribed to their mail. Few are kept here, since the hub
/// sends no more until some are [acknowledged](situated_wire::methods::AcknowledgeMail).
pub struct LocalMail(mpsc::UnboundedReceiver<Letter>);

/// An agent of a local session.
#[derive(Clone)]
pub struct LocalAgent {
    session: LocalSession,
    environment: Name,
    name: Name,
}

/// An answer that may come later. Call [`wait`](Self::wait) or `.await` it. Dropping it does not cancel the request.
#[must_use = "an answer says whether the request was done"]
pub struct Answering<A> {
    answer: Result<oneshot::Receiver<Result<Answer, Error>>, Option<Error>>,
    kind: PhantomData<fn() -> A>,
}

struct Inner {
    hub: Arc<Hub>,
    session: Arc<Session>,
    inbox: Arc<Inbox>,
}

/// What a session receives.
struct Inbox {
    waiting: Mutex<Waiting>,
    mail: Option<mpsc::UnboundedSender<Letter>>,
}

/// The requests that wait for answers.
#[derive(Default)]
struct Waiting {
    last: u64,
    by_token: HashMap<u64, oneshot::Sender<Result<Answer, Error>>>,
}

impl LocalHub {
    /// Starts a hub that can create environments of these kinds.
    ///
    /// # Errors
    /// Returns an error if the system cannot start a thread.
    pub fn new(kinds: Kinds) -> io::Result<Self> {
        let executor =
            Builder::new_multi_thread().worker_threads(1).thread_name("situated-hub").enable_time().build()?;
        let hub = Hub::new(HubSettings::default(), kinds, executor.handle().clone());
        Ok(Self { hub, executor: Some(executor) })
    }

    /// Opens a session with these rights.
    ///
    /// # Errors
    /// Returns an error if the hub is closing.
    pub fn session(&self, rights: Rights) -> Result<LocalSession, Error> {
        LocalSession::open(&self.hub, rights)
    }
}

impl Deref for LocalHub {
    type Target = Arc<Hub>;

    fn deref(&self) -> &Arc<Hub> {
        &self.hub
    }
}

impl Drop for LocalHub {
    fn drop(&mut self) {
        self.hub.close();
        if let Some(executor) = self.executor.take() {
            // The last task may drop this, so it must not block.
            executor.shutdown_background();
        }
    }
}

impl LocalSession {
    /// Opens a session with these rights in any hub.
    ///
    /// # Errors
    /// Returns an error if the hub is closing.
    pub fn open(hub: &Arc<Hub>, rights: Rights) -> Result<Self, Error> {
        let limits = SessionLimits { subscriptions: 0, ..SessionLimits::default() };
        Self::open_with(hub, rights, limits, None)
    }

    /// Opens a session whose agents can subscribe to their mail.
    ///
    /// # Errors
    /// Returns an error if the hub is closing.
    pub fn open_with_mail(hub: &Arc<Hub>, rights: Rights) -> Result<(Self, LocalMail), Error> {
        let (sender, receiver) = mpsc::unbounded_channel();
        let session = Self::open_with(hub, rights, SessionLimits::default(), Some(sender))?;
        Ok((session, LocalMail(receiver)))
    }

    fn open_with(
        hub: &Arc<Hub>,
        rights: Rights,
        limits: SessionLimits,
        mail: Option<mpsc::UnboundedSender<Letter>>,
    ) -> Result<Self, Error> {
        let inbox = Arc::new(Inbox { waiting: Mutex::default(), mail });
        let session = hub.open_session(rights, limits, inbox.clone())?;
        Ok(Self(Arc::new(Inner { hub: hub.clone(), session, inbox })))
    }

    /// Makes a request.
    pub fn ask<R: Request>(&self, request: R) -> Answering<R::Answer> {
        let Inner { hub, session, inbox } = &*self.0;
        let answer = inbox.open().map_err(Some).map(|(token, answer)| {
            hub.submit(session, token, request);
            answer
        });
        Answering { answer, kind: PhantomData }
    }

    /// Sets whether a step in lockstep waits for the agents of this session without limit, as it does at first.
    pub fn set_attended(&self, is_attended: bool) {
        self.0.hub.set_attended(&self.0.session, is_attended);
    }

    /// Notes whether somebody waits for an entity of its agents. The hub notes that when it refuses an agent because its
    /// entity has one of this session.
    pub fn set_wanted(&self, is_wanted: bool) {
        self.0.session.set_wanted(is_wanted);
    }

    /// Returns whether somebody waits for an entity of its agents.
    pub fn is_wanted(&self) -> bool {
        self.0.session.is_wanted()
    }

    /// Returns an agent of this session. [Register](LocalAgent::register) it first.
    pub fn agent(&self, environment: &str, name: &str) -> LocalAgent {
        LocalAgent { session: self.clone(), environment: environment.into(), name: name.into() }
    }
}

impl LocalMail {
    /// Waits for the next message; `None` if the session has ended.
    pub async fn next(&mut self) -> Option<Letter> {
        self.0.recv().await
    }

    /// Returns the next message if it has arrived.
    pub fn next_now(&mut self) -> Option<Letter> {
        self.0.try_recv().ok()
    }
}

impl LocalAgent {
    /// Registers the agent.
    pub fn register(&self) -> Answering<Registered> {
        let (environment, agent) = self.names();
        self.session.ask(Register { environment, agent })
    }

    /// Associates the agent with an entity.
    pub fn associate(&self, entity: &str) -> Answering<Done> {
        let (environment, agent) = self.names();
        self.session.ask(Associate { environment, agent, entity: entity.into() })
    }

    /// Acts through all entities of the agent.
    pub fn act(&self, action: Action) -> Answering<Acted> {
        let (environment, agent) = self.names();
        self.session.ask(Act { environment, agent, action, entities: Vec::new(), number: None })
    }

    /// Passes in this step.
    pub fn pass(&self) -> Answering<Done> {
        let (environment, agent) = self.names();
        self.session.ask(Pass { environment, agent, entities: Vec::new() })
    }

    /// Perceives what has changed since the last call, through all entities of the agent.
    pub fn perceive(&self) -> Answering<Perceived> {
        let (environment, agent) = self.names();
        self.session.ask(Perceive::new(environment, agent))
    }

    fn names(&self) -> (Name, Name) {
        (self.environment.clone(), self.name.clone())
    }
}

impl<A: TryFrom<Answer>> Answering<A> {
    /// Blocks this thread until the answer comes. Asynchronous code uses `.await` instead.
    ///
    /// # Errors
    /// Returns an error if the request is refused, or if the session ends before the answer comes.
    ///
    /// # Panics
    /// Panics in asynchronous code, whose thread must not block.
    pub fn wait(self) -> Result<A, Error> {
        match self.answer {
            Ok(answer) => typed(answer.blocking_recv()),
            Err(error) => Err(error.unwrap_or(Error::Unanswered)),
        }
    }
}

impl<A: TryFrom<Answer>> Future for Answering<A> {
    type Output = Result<A, Error>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        match &mut self.answer {
            Ok(answer) => Pin::new(answer).poll(context).map(typed),
            Err(error) => Poll::Ready(Err(error.take().unwrap_or(Error::Unanswered))),
        }
    }
}

/// Converts the answer to the type that the request declares.
fn typed<A: TryFrom<Answer>>(received: Result<Result<Answer, Error>, oneshot::error::RecvError>) -> Result<A, Error> {
    let answer = received.unwrap_or(Err(Error::SessionEnded))?;
    A::try_from(answer).map_err(|_| Error::Unanswered)
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.hub.end_session(&self.session, Error::SessionEnded);
    }
}

impl Inbox {
    /// Creates a token for a request, and the receiver of its answer.
    fn open(&self) -> Result<(ReplyToken, oneshot::Receiver<Result<Answer, Error>>), Error> {
        let mut waiting = self.waiting.lock();
        if waiting.by_token.len() >= REQUESTS_WAITING {
            let (what, remedy) = ("requests that wait for answers", "wait for some answers first");
            return Err(Error::Limit { what, limit: REQUESTS_WAITING, remedy });
        }
        let (sender, receiver) = oneshot::channel();
        waiting.last += 1;
        let token = waiting.last;
        waiting.by_token.insert(token, sender);
        Ok((ReplyToken(token), receiver))
    }
}

impl Receiver for Inbox {
    fn answer(&self, token: ReplyToken, answer: Result<Answer, Error>) -> Option<TooLarge> {
        let sender = self.waiting.lock().by_token.remove(&token.0);
        if let Some(sender) = sender {
            // The program may have dropped the answer.
            let _ = sender.send(answer);
        }
        None
    }

    fn notify(&self, notification: Notification<'_>) -> Option<TooLarge> {
        if let (Some(mail), Notification::Mail { letters, .. }) = (&self.mail, notification) {
            for letter in letters {
                // The program may have dropped the receiver.
                let _ = mail.send(Letter::clone(letter));
            }
        }
        None
    }

    fn has_room(&self) -> bool {
        self.mail.is_some()
    }

    fn close(&self, _: Error) {
        self.waiting.lock().by_token.clear();
    }
}
