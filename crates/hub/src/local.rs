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
use situated::iil::{Action, EcoString};
use situated::interface::{Form, Since};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::oneshot;

use crate::answers::{ActionResults, Answer, Done, Perceived};
use crate::error::Error;
use crate::hub::{Hub, HubSettings};
use crate::kinds::Kinds;
use crate::notifications::Notification;
use crate::requests::{Act, Associate, Pass, Perceive, Register, Request};
use crate::rights::Rights;
use crate::session::{Receiver, ReplyToken, Session, SessionLimits};

/// The maximum number of requests of a local session that wait for answers.
pub const REQUESTS_WAITING: usize = 1024;

/// A hub with an executor of its own, for programs that have none. Dropping it closes the hub.
pub struct LocalHub {
    hub: Arc<Hub>,
    executor: Option<Runtime>,
}

/// A session of a program in the same process. Clones are the same session, which ends with the last of them. It gets no
/// notifications, so it cannot subscribe; a program that wants them opens a session with a [`Receiver`].
#[derive(Clone)]
pub struct LocalSession(Arc<Inner>);

/// An agent of a local session.
#[derive(Clone)]
pub struct LocalAgent {
    session: LocalSession,
    environment: EcoString,
    name: EcoString,
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
    mailbox: Arc<Mailbox>,
}

/// The requests that wait for answers.
#[derive(Default)]
struct Mailbox(Mutex<Waiting>);

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
        let mailbox = Arc::new(Mailbox::default());
        let limits = SessionLimits { subscriptions: 0, ..SessionLimits::default() };
        let session = hub.open_session(rights, limits, mailbox.clone())?;
        Ok(Self(Arc::new(Inner { hub: hub.clone(), session, mailbox })))
    }

    /// Makes a request.
    pub fn ask<R: Request>(&self, request: R) -> Answering<R::Answer> {
        let Inner { hub, session, mailbox } = &*self.0;
        let answer = mailbox.open().map_err(Some).map(|(token, answer)| {
            hub.submit(session, token, request);
            answer
        });
        Answering { answer, kind: PhantomData }
    }

    /// Returns an agent of this session. [Register](LocalAgent::register) it first.
    pub fn agent(&self, environment: &str, name: &str) -> LocalAgent {
        LocalAgent { session: self.clone(), environment: environment.into(), name: name.into() }
    }
}

impl LocalAgent {
    /// Registers the agent.
    pub fn register(&self) -> Answering<Done> {
        let (environment, agent) = self.names();
        self.session.ask(Register { environment, agent })
    }

    /// Associates the agent with an entity.
    pub fn associate(&self, entity: &str) -> Answering<Done> {
        let (environment, agent) = self.names();
        self.session.ask(Associate { environment, agent, entity: entity.into() })
    }

    /// Acts through all entities of the agent.
    pub fn act(&self, action: Action) -> Answering<ActionResults> {
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
        let (entities, form, since) = (Vec::new(), Form::Update, Since::LastCall);
        self.session.ask(Perceive { environment, agent, entities, form, since })
    }

    fn names(&self) -> (EcoString, EcoString) {
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

impl Mailbox {
    /// Creates a token for a request, and the receiver of its answer.
    fn open(&self) -> Result<(ReplyToken, oneshot::Receiver<Result<Answer, Error>>), Error> {
        let mut waiting = self.0.lock();
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

impl Receiver for Mailbox {
    fn answer(&self, token: ReplyToken, answer: Result<Answer, Error>) {
        let sender = self.0.lock().by_token.remove(&token.0);
        if let Some(sender) = sender {
            // The program may have dropped the answer.
            let _ = sender.send(answer);
        }
    }

    fn notify(&self, _: Notification<'_>) {}

    fn has_room(&self) -> bool {
        false
    }

    fn close(&self, _: Error) {
        self.0.lock().by_token.clear();
    }
}
