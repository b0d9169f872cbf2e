//! Handles: how a program reaches an environment that somebody else owns. A handle is cheap to clone, can be used from any
//! thread and from asynchronous code, and never keeps the environment waiting.

use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use situated::iil::{Action, EcoString};
use situated::interface::{ActionResult, Command, EnvironmentInterface, Form, Moment, Perception, Since, Version};
use situated::ontology::Ontology;
use tokio::sync::{mpsc, oneshot};

use crate::error::Error;
use crate::input::{Effect, Input};
use crate::panic::what_panicked;
use crate::request::{Answered, Reply, Request, Status};
use crate::speed::Speed;

/// How many requests can wait for their owner at the most.
pub const REQUESTS_WAITING: usize = 1024;

/// A way to an environment. What is asked is done in the order in which it was asked; each method returns at once, with an
/// [`Answer`] to wait for. When the last handle is dropped, the environment's thread ends.
#[derive(Clone)]
pub struct Handle {
    owner: mpsc::Sender<Message>,
    ontology: Arc<Ontology>,
}

/// What a handle sends to the owner.
pub(crate) enum Message {
    Request(Request, oneshot::Sender<Answered>),
    Look(Look),
}

/// Something to be found out from an environment.
pub(crate) type Look = Box<dyn FnOnce(&dyn EnvironmentInterface) + Send>;

/// An answer that may be still to come: `wait` for it, or `.await` it. Who drops it does not take back what was asked.
#[must_use = "an answer says whether it was done"]
pub struct Answer<R>(Source<R>);

enum Source<R> {
    /// It was refused at once.
    Refused(Option<Error>),
    Reply(oneshot::Receiver<Answered>, fn(Reply) -> Option<R>),
    Look(oneshot::Receiver<Result<R, Error>>),
}

impl Handle {
    pub(crate) fn new(ontology: Ontology) -> (Self, mpsc::Receiver<Message>) {
        let (owner, messages) = mpsc::channel(REQUESTS_WAITING);
        (Self { owner, ontology: Arc::new(ontology) }, messages)
    }

    /// What the environment declares about itself.
    pub fn ontology(&self) -> &Ontology {
        &self.ontology
    }

    /// Inits, starts, pauses, resets or kills the environment.
    pub fn manage(&self, command: Command) -> Answer<()> {
        self.input(Input::Manage(command))
    }

    /// Registers an agent under a name of its own.
    pub fn register(&self, agent: &str) -> Answer<()> {
        self.input(Input::Register { agent: agent.into() })
    }

    /// Unregisters an agent and frees its entities.
    pub fn unregister(&self, agent: &str) -> Answer<()> {
        self.input(Input::Unregister { agent: agent.into() })
    }

    /// Associates an agent with an entity.
    pub fn associate(&self, agent: &str, entity: &str) -> Answer<()> {
        self.input(Input::Associate { agent: agent.into(), entity: entity.into() })
    }

    /// Ends the association of an agent with an entity.
    pub fn free_pair(&self, agent: &str, entity: &str) -> Answer<()> {
        self.input(Input::FreePair { agent: agent.into(), entity: entity.into() })
    }

    /// Frees an entity from all its agents.
    pub fn free_entity(&self, entity: &str) -> Answer<()> {
        self.input(Input::FreeEntity { entity: entity.into() })
    }

    /// Frees all entities of an agent.
    pub fn free_agent(&self, agent: &str) -> Answer<()> {
        self.input(Input::FreeAgent { agent: agent.into() })
    }

    /// Asks for a body of a type, perhaps under a name; its name is the answer.
    pub fn request_entity(&self, agent: &str, entity_type: &str, name: Option<&str>) -> Answer<EcoString> {
        let (agent, entity_type, name) = (agent.into(), entity_type.into(), name.map(EcoString::from));
        let request = Request::Input(Input::RequestEntity { agent, entity_type, name });
        self.ask(request, |reply| if let Reply::Effect(Effect::Entity(name)) = reply { Some(name) } else { None })
    }

    /// An agent acts through its entities: those named, or all. The answer comes when the action is done: in lockstep, when
    /// the step is over.
    pub fn act(&self, agent: &str, action: Action, entities: &[&str]) -> Answer<Vec<(EcoString, ActionResult)>> {
        self.act_once(agent, action, entities, None)
    }

    /// The same under a number, greater than those of the agent's actions before: the action with one number is done once,
    /// however often it is asked for.
    pub fn act_once(
        &self,
        agent: &str,
        action: Action,
        entities: &[&str],
        number: Option<u64>,
    ) -> Answer<Vec<(EcoString, ActionResult)>> {
        let request = Request::Act { agent: agent.into(), action, entities: names(entities), number };
        self.ask(
            request,
            |reply| if let Reply::Effect(Effect::Results(results)) = reply { Some(results) } else { None },
        )
    }

    /// An agent does nothing in this step. In lockstep, the answer comes when the step is over.
    pub fn pass(&self, agent: &str, entities: &[&str]) -> Answer<()> {
        self.ask(Request::Pass { agent: agent.into(), entities: names(entities) }, |_| Some(()))
    }

    /// An agent perceives through its entities: those named, or all.
    pub fn perceive(
        &self,
        agent: &str,
        entities: &[&str],
        form: Form,
        since: Since,
    ) -> Answer<Vec<(EcoString, Perception)>> {
        let request = Request::Perceive { agent: agent.into(), entities: names(entities), form, since };
        self.ask(request, |reply| if let Reply::Perceptions(told) = reply { Some(told) } else { None })
    }

    /// An agent has received what it was told of an entity up to this version.
    pub fn acknowledge(&self, agent: &str, entity: &str, version: Version) -> Answer<()> {
        let request = Request::Acknowledge { agent: agent.into(), entity: entity.into(), version };
        self.ask(request, |_| Some(()))
    }

    /// Is answered when the world is further than this.
    pub fn wait(&self, after: Moment) -> Answer<Moment> {
        self.ask(Request::Wait { after }, moment)
    }

    /// From pause, time runs for so many steps, and is paused then.
    pub fn advance(&self, steps: u64) -> Answer<Moment> {
        self.ask(Request::Advance { steps }, moment)
    }

    /// From now on, steps are made at this speed at the most.
    pub fn set_speed(&self, speed: Speed) -> Answer<()> {
        self.ask(Request::SetSpeed(speed), |_| Some(()))
    }

    /// How things stand.
    pub fn status(&self) -> Answer<Status> {
        self.ask(Request::Status, |reply| if let Reply::Status(status) = reply { Some(status) } else { None })
    }

    /// Asks the environment something that does not change it: `handle.look(|interface| interface.entities())`. The
    /// environment waits meanwhile, so it should not take long. A panic in it is told to whoever asks, and to nobody else:
    /// looking changes nothing.
    pub fn look<R: Send + 'static>(
        &self,
        look: impl FnOnce(&dyn EnvironmentInterface) -> R + Send + 'static,
    ) -> Answer<R> {
        let (sender, receiver) = oneshot::channel();
        let look: Look = Box::new(move |interface| {
            let looked = catch_unwind(AssertUnwindSafe(|| look(interface)));
            let looked = looked.map_err(|panic| Error::Panicked { reason: what_panicked(&*panic) });
            // Who asked may no longer want to know; what nobody wants to know is dropped, and may panic at that.
            let _ = catch_unwind(AssertUnwindSafe(|| drop(sender.send(looked))));
        });
        self.send(Message::Look(look), Source::Look(receiver))
    }

    fn input(&self, input: Input) -> Answer<()> {
        self.ask(Request::Input(input), |_| Some(()))
    }

    fn ask<R>(&self, request: Request, read: fn(Reply) -> Option<R>) -> Answer<R> {
        let (sender, receiver) = oneshot::channel();
        self.send(Message::Request(request, sender), Source::Reply(receiver, read))
    }

    fn send<R>(&self, message: Message, source: Source<R>) -> Answer<R> {
        Answer(match self.owner.try_send(message) {
            Ok(()) => source,
            Err(mpsc::error::TrySendError::Full(_)) => {
                Source::Refused(Some(Error::Busy { what: "too many requests wait", limit: REQUESTS_WAITING }))
            }
            Err(mpsc::error::TrySendError::Closed(_)) => Source::Refused(Some(Error::Ended)),
        })
    }
}

impl<R> Answer<R> {
    /// Waits for the answer on this thread. Asynchronous code awaits it instead.
    ///
    /// # Errors
    /// When what was asked is refused, or nobody owns the environment any more.
    ///
    /// # Panics
    /// Within asynchronous code, whose thread must not wait.
    pub fn wait(self) -> Result<R, Error> {
        match self.0 {
            Source::Refused(error) => Err(error.unwrap_or(Error::Ended)),
            Source::Reply(receiver, read) => read_reply(receiver.blocking_recv(), read),
            Source::Look(receiver) => receiver.blocking_recv().unwrap_or(Err(Error::Ended)),
        }
    }
}

impl<R> Future for Answer<R> {
    type Output = Result<R, Error>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        match &mut self.0 {
            Source::Refused(error) => Poll::Ready(Err(error.take().unwrap_or(Error::Ended))),
            Source::Reply(receiver, read) => {
                let read = *read;
                Pin::new(receiver).poll(context).map(|received| read_reply(received, read))
            }
            Source::Look(receiver) => {
                Pin::new(receiver).poll(context).map(|received| received.unwrap_or(Err(Error::Ended)))
            }
        }
    }
}

fn read_reply<R>(
    received: Result<Answered, oneshot::error::RecvError>,
    read: fn(Reply) -> Option<R>,
) -> Result<R, Error> {
    let reply = received.unwrap_or(Err(Error::Ended))?;
    Ok(read(reply).expect("an owner answers what it was asked"))
}

fn moment(reply: Reply) -> Option<Moment> {
    if let Reply::Moment(moment) = reply { Some(moment) } else { None }
}

fn names(entities: &[&str]) -> Vec<EcoString> {
    entities.iter().map(|entity| EcoString::from(*entity)).collect()
}
