//! FIPA ACL, the language in which agents of different platforms exchange messages: messages, their encodings, and
//! the protocols of conversations. It does no I/O, reads no clock, and depends on no other crate of `situated`,
//! except with the feature `iil`.
//!
//! A [`Message`] is a [`Performative`] with parameters (FIPA SC00061, SC00037):
//!
//! ```
//! use situated_acl::{Message, Performative};
//!
//! let question = Message::query_ref().from("A").to("B").content("<products/>").language("XML").reply_with("q1");
//! let answer = question.reply(Performative::Inform).content("<products><product>plums</product></products>");
//! assert_eq!(answer.receivers[0].name, "A");
//! assert_eq!(answer.in_reply_to, question.reply_with);
//! ```
//!
//! An [`Encoding`] writes and reads messages: as text ([`string`]), as bytes ([`bit_efficient`]), or as [`xml`]. A
//! [`Dialect`] does so for platforms that deviate from the standard, such as JADE. An [`envelope`] contains the
//! addresses.
//!
//! A [`Protocol`] is a table of the legal messages in each state. A [`Conversation`] judges the messages of one agent
//! by it, a [`Monitor`] those of all agents, and a [`Responder`] answers for an agent. The agents interpret contents
//! themselves; [`content`] helps with this.

#[macro_use]
mod named;

mod agent_identifier;
pub mod bit_efficient;
pub mod content;
mod conversation;
mod dialect;
mod encoding;
pub mod envelope;
mod expression;
mod jade;
#[cfg(feature = "json")]
pub mod json;
mod message;
mod monitor;
mod number;
mod parameter;
mod performative;
mod protocol;
mod repair;
mod responder;
mod size;
pub mod string;
mod text_position;
mod time;
mod unencodable;
mod word;
pub mod xml;

pub use agent_identifier::{AgentIdentifier, UserParameter};
pub use content::Content;
pub use conversation::{Conversation, Judgement, Remark, Remarks};
pub use dialect::Dialect;
pub use encoding::{DecodeError, Encoding, RepairKind, UnknownEncoding};
pub use expression::Expression;
pub use message::{Message, Tokens};
pub use monitor::{Finding, Monitor, Problem};
pub use number::{NotANumber, Number};
pub use performative::{Performative, UnknownAct};
pub use protocol::{
    Answering, Effect, Phase, Profile, Protocol, Rivalry, Role, Row, Silence, State, Table, UnknownProtocol, Verdict,
};
pub use repair::{Repair, Repaired};
pub use responder::{Abilities, Clause, Heard, Objection, Outcome, Responder, TaskId, Truth, Understanding};
pub use text_position::TextPosition;
pub use time::{NotATime, Time, TimeKind};
pub use unencodable::Unencodable;
pub use word::{NotAWord, Word};

/// The code of the book is compiled with the tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/src/how-to/messages.md")]
struct Book;
