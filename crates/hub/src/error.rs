//! Reasons for which the hub refuses requests.

mod codes;

use situated::iil::EcoString;
use situated::interface::{self, NAME_LENGTH};
use situated::names::{UnclearName, did_you_mean, nearest};
use situated_acl::Performative;
use situated_wire::{Needs, Right, Rights};

use crate::budget::NoRoom;

/// The reason why a request is refused. A refused request changes nothing.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Error {
    /// The environment or its owner rejected the request.
    #[error(transparent)]
    Owner(Box<situated_runtime::Error>),
    /// A parameter of the request is wrong.
    #[error("{0}")]
    Parameters(String),
    /// The session lacks a right.
    #[error("you may not do this; it needs the right to {needs}; use a token that grants it")]
    Forbidden {
        /// The rights of which one is needed.
        needs: Needs,
    },
    /// The agent belongs to another session.
    #[error("agent `{agent}` belongs to another session; act and perceive as the agents that you registered")]
    OthersAgent {
        /// The agent.
        agent: EcoString,
    },
    /// None of the session's agents is associated with the entity.
    #[error("you may not look through entity `{entity}`; associate one of your agents with it first")]
    OthersEntity {
        /// The entity.
        entity: EcoString,
    },
    /// Another session hosts the environment, or none does.
    #[error("you do not host environment `{environment}`")]
    NotHost {
        /// The environment.
        environment: EcoString,
    },
    /// The server requires a token.
    #[error("this server requires a token; send the one that you were given")]
    TokenMissing,
    /// The server does not know the token.
    #[error("the server does not know this token; ask the person who runs the server for a valid token")]
    TokenUnknown,
    /// The token does not grant the wanted right.
    #[error("this token does not grant the right to {wanted}; use another token")]
    TokenWithout {
        /// The wanted right.
        wanted: Right,
        /// The rights that the token grants.
        granted: Rights,
    },
    /// The session has begun already.
    #[error("you have already sent `hello`")]
    AlreadyGreeted,
    /// The session has ended.
    #[error("the session has ended; begin a new one")]
    SessionEnded,
    /// The server is shutting down.
    #[error("the server is shutting down")]
    ShuttingDown,
    /// There is no such environment.
    #[error("there is no environment `{}` on this server{}", shortened(name), did_you_mean(nearest.as_deref()))]
    NoSuchEnvironment {
        /// The name in the request.
        name: EcoString,
        /// A similar name that exists.
        nearest: Option<EcoString>,
    },
    /// The environment has been removed.
    #[error("environment `{name}` has ended")]
    EnvironmentEnded {
        /// Its name.
        name: EcoString,
    },
    /// The name of an environment is too short or too long.
    #[error("the name of an environment has 1 to {NAME_LENGTH} bytes")]
    EnvironmentName,
    /// The name of an environment could look like another one.
    #[error("an environment cannot have the name {0}; choose another name")]
    UnclearEnvironment(UnclearName),
    /// Another environment has this name.
    #[error("there is an environment `{name}` already; choose another name")]
    EnvironmentTaken {
        /// The name.
        name: EcoString,
    },
    /// There is no such kind of environment.
    #[error("there is no kind of environment `{}`{}", shortened(name), did_you_mean(nearest.as_deref()))]
    NoSuchKind {
        /// The name in the request.
        name: EcoString,
        /// A similar name that exists.
        nearest: Option<EcoString>,
    },
    /// A kind of environments has no built-in agent of this name.
    #[error(
        "{kind} has no built-in agent `{}`, {}",
        shortened(name),
        match known.join(", ").as_str() {
            "" => "and ships with none".to_owned(),
            all => format!("expected one of: {all}{}", did_you_mean(nearest(name, known.iter().copied()))),
        }
    )]
    NoSuchAgentOfKind {
        /// The kind.
        kind: EcoString,
        /// The name in the request.
        name: EcoString,
        /// The names of its agents.
        known: Vec<&'static str>,
    },
    /// Another session has an agent of this name.
    #[error(
        "another session{} has an agent `{agent}`; choose another name{}",
        place(environment.as_deref()), hint_to_resume(*resumable)
    )]
    AgentTaken {
        /// The name.
        agent: EcoString,
        /// The environment; `None` for an agent that only has a mailbox.
        environment: Option<EcoString>,
        /// Whether the client of the other session is disconnected, and may resume the session.
        resumable: bool,
    },
    /// The name is reserved for services of the server.
    #[error("the name `{agent}` is reserved for a service of the server; choose another name")]
    ReservedName {
        /// The name.
        agent: EcoString,
    },
    /// The name is one of an agent on another platform.
    #[error("agent `{agent}` cannot have a name with `@`, which separates the name of a platform; choose another name")]
    ForeignName {
        /// The name.
        agent: EcoString,
    },
    /// The name of an agent is too short or too long.
    #[error("the name of an agent has 1 to {NAME_LENGTH} bytes")]
    AgentName,
    /// The name of an agent could look like another one.
    #[error("an agent cannot have the name {0}; choose another name")]
    UnclearAgent(UnclearName),
    /// The name looks like that of an agent with that of its environment.
    #[error(
        "agent `{agent}` cannot have a name with `~`, which separates the name of an environment; choose another name"
    )]
    NameLikeAddress {
        /// The name.
        agent: EcoString,
    },
    /// A message or an acknowledgement of messages was refused.
    #[error(transparent)]
    Mail(#[from] situated_platform::mail::MailRefused),
    /// A question to the directory is for another agent.
    #[error("only the directory is asked this way: set the receiver to the agent `ams` or `df`, and no other")]
    NotADirectory,
    /// The directory answers no messages of this act.
    #[error("the directory does not answer `{act}`; ask it with `request`, `subscribe` or `cancel`")]
    NoAnswer {
        /// The act.
        act: Performative,
    },
    /// A later subscription replaced this one.
    #[error("a later subscription to the mail of agent `{agent}` has replaced this one; use that one")]
    SubscriptionReplaced {
        /// The agent.
        agent: EcoString,
    },
    /// The session has no such subscription.
    #[error("you have no subscription {subscription}")]
    NoSuchSubscription {
        /// The number in the request.
        subscription: u64,
    },
    /// The session has as many agents as it may have.
    #[error("agents of a session: at most {limit}; unregister one first")]
    TooManyAgents {
        /// The limit.
        limit: usize,
    },
    /// A limit is reached.
    #[error("{what}: at most {limit}; {remedy}")]
    Limit {
        /// The things that are limited.
        what: &'static str,
        /// The limit.
        limit: usize,
        /// The advice to the caller.
        remedy: &'static str,
    },
    /// An answer or a notification about an environment is larger than its client can get.
    #[error("{}: {size}", about(environment.as_deref()))]
    TooLarge {
        /// The environment.
        environment: Option<EcoString>,
        /// The size.
        size: TooLarge,
    },
    /// The server would keep too much.
    #[error("the server cannot keep {what}: {reason}")]
    NoRoom {
        /// What would be kept.
        what: String,
        /// The limit that is reached.
        reason: NoRoom,
    },
    /// The host of an environment sent an update that contradicts its ontology or what it sent before.
    #[error("{0}")]
    Host(Box<situated_runtime::Error>),
    /// A host wants more time than agents can wait.
    #[error(transparent)]
    TooSlow(#[from] situated::host::TooSlow),
    /// A recording could not be started.
    #[error("the environment cannot be recorded: {reason}")]
    Recording {
        /// The error of the recorder.
        reason: String,
    },
    /// The change cannot be written to the data, so it could get lost.
    #[error("the server cannot store this change: {reason}; nothing was done, try again later")]
    NotKept {
        /// The error of the store.
        reason: String,
    },
    /// A stored environment cannot be restored.
    #[error(
        "environment `{name}` cannot be restored from the data: {reason}; start the version of the program that stored it (version {version} of the environment), or start without the data"
    )]
    NotRestored {
        /// The environment.
        name: EcoString,
        /// The stored version of the environment.
        version: String,
        /// The reason.
        reason: String,
    },
    /// The hub did not answer the request.
    #[error("the server did not answer this request; please report this to the authors")]
    Unanswered,
}

/// The reason why a client does not get an answer or a notification.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "it has {} KiB, of at most {} KiB{}; ask for less at once, such as fewer entities, or tell the host of the \
     environment",
    bytes >> 10, limit >> 10, part(largest.as_ref())
)]
pub struct TooLarge {
    /// The number of bytes, or of those that were made before the rest was given up.
    pub bytes: usize,
    /// The limit.
    pub limit: usize,
    /// The entity whose perception is the largest part, with the number of bytes of that part.
    pub largest: Option<(EcoString, usize)>,
}

fn about(environment: Option<&str>) -> String {
    let environment = environment.map(|name| format!(" about environment `{}`", shortened(name)));
    format!("the server cannot send you what it says{}", environment.unwrap_or_default())
}

fn part(largest: Option<&(EcoString, usize)>) -> String {
    largest
        .map(|(entity, bytes)| format!(", and entity `{entity}` makes {} KiB of it", bytes >> 10))
        .unwrap_or_default()
}

impl From<situated_runtime::Error> for Error {
    fn from(error: situated_runtime::Error) -> Self {
        Error::Owner(Box::new(error))
    }
}

impl From<interface::Error> for Error {
    fn from(error: interface::Error) -> Self {
        situated_runtime::Error::from(error).into()
    }
}

impl Error {
    /// The error for an agent that is not registered.
    pub(crate) fn not_registered(agent: &str) -> Self {
        interface::Error::NotRegistered { agent: agent.into(), nearest: None }.into()
    }
}

fn place(environment: Option<&str>) -> String {
    environment.map_or_else(|| " on this server".into(), |name| format!(" in environment `{name}`"))
}

fn hint_to_resume(resumable: bool) -> &'static str {
    if resumable { ", or resume that session, which has lost its connection, if it is yours" } else { "" }
}

/// Returns the first characters of a text from outside, so that errors and log lines stay short.
pub(crate) fn shortened(text: &str) -> String {
    text.chars().take(256).collect()
}
