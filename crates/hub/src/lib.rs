//! The hub: the state that all gateways share. It keeps sessions with their rights, knows which agent belongs to
//! which session, runs environments with their owners, and notifies subscribers. It knows no protocol.
//!
//! A gateway translates between one protocol and the hub. For each client it [opens a session](Hub::open_session)
//! with a [`Receiver`], which takes answers and notifications. It submits [requests](Call), each with a [`ReplyToken`].
//! The answer comes back with this token, sometimes later and from another thread. One table declares everything about a
//! request type: its answer, where it is handled, the right that it needs, and its subject.
//!
//! Programs in the same process use a [`LocalHub`], where each request returns a typed answer to wait for.
//!
//! Besides `situated`, a program that embeds the hub needs no other crate: this one also has the requests with their
//! answers, the owners of environments, and the language of messages.

mod access;
mod budget;
mod conversations;
mod data;
mod environment;
mod error;
mod feed;
mod hub;
mod kinds;
mod limits;
mod local;
mod notifications;
mod post;
mod remarks;
mod reply;
mod session;
mod token;
mod watchers;

pub use access::{Access, Grant};
pub use budget::{Budget, Charge, NoRoom};
pub use conversations::Conversations;
pub use data::{HubData, described};
pub use environment::{Destination, DrivenEnvironment};
pub use error::{Error, TooLarge};
pub use hub::{Hub, HubSettings, NewRecorder};
pub use kinds::Kinds;
pub use limits::SessionLimits;
pub use local::{Answering, LocalAgent, LocalHub, LocalMail, LocalSession, REQUESTS_WAITING};
pub use notifications::{MessageSeen, Notification};
pub use post::{Neighbours, Outgoing, Post};
pub use session::{Receiver, ReplyToken, Session};
/// The language of the messages between agents.
pub use situated_acl as acl;
pub use situated_platform::mail::{Letter, MailRefused};
pub use situated_runtime::{
    ActionSeen, Answered, Error as OwnerError, Owner, Program, Recorder, Rule, Speed, Team, Tempo, Time,
};
pub use situated_wire::methods::*;
pub use situated_wire::notifications::RemarkSeen;
pub use situated_wire::{AclMessage, Name, Needs, Request, Right, Rights, Subject};
pub use token::{ShortToken, Token};
