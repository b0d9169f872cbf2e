//! The wire protocol as types: the messages between a server and the agents, observers and hosts in other processes.
//! It is JSON-RPC 2.0, the same over WebSocket (one message per frame) and over TCP (one line per frame).
//!
//! This crate does no I/O. [`rpc`] is the envelope; each of the [`methods`] is a type that knows its response;
//! [`notifications`] come without a request; [`Error`] is the response to a failed request. A test makes the JSON
//! Schema and the reference page from these types, whose parts the feature `schema` derives.

mod error;
pub mod methods;
mod name;
pub mod notifications;
mod request;
mod rights;
pub mod rpc;

pub use error::{Code, Error};
pub use methods::EntityPerception;
pub use methods::{Answer, Call};
pub use name::Name;
pub use notifications::Notification;
pub use request::{Method, Request, Subject};
pub use rights::{Needs, Right, Rights};
pub use situated_acl::json::{
    AclAgent, AclBytes, AclContent, AclIdentifier, AclMessage, AclOther, AclParameter, AclValue, InvalidMessage,
};

/// The version of the protocol. Client and server exchange it in `hello`; a server refuses other versions.
pub const PROTOCOL: u32 = 2;
