//! The wire protocol, as types: what agents, observers and hosts in other processes say to a server, and what it
//! answers. It is JSON-RPC 2.0, the same over WebSocket (a message a frame) and over TCP (a line a frame).
//!
//! Nothing here does I/O. [`rpc`] is the envelope; each of the [`methods`] is a type that knows its answer;
//! [`notifications`] are what is said without being asked; [`Error`] is how something is refused. A test makes the
//! JSON Schema of all of it and its reference page from these types, for which the feature `schema` derives their parts.

mod entity_perception;
mod error;
pub mod methods;
mod name;
pub mod notifications;
pub mod rpc;

pub use entity_perception::EntityPerception;
pub use error::{Code, Error};
pub use methods::{Call, Method};
pub use name::Name;
pub use notifications::Notification;

/// The version of the protocol. Both sides say it in their greetings; a server refuses another one.
pub const PROTOCOL: u32 = 2;
