//! Mailboxes for messages between agents. [`Mail`] accepts FIPA ACL messages, keeps them in the mailboxes of their
//! receivers, and removes them when the receivers have acknowledged them. It does no I/O and reads no clock: its caller
//! passes the time, hands messages over, and writes [`Change`]s if mailboxes must survive the process.
//!
//! ```
//! use situated_acl::Message;
//! use situated_mail::{Limits, Mail};
//!
//! let mut mail = Mail::new(Limits::default());
//! let is_agent = |name: &str| ["ada", "bob"].contains(&name);
//! mail.send(&"ada".into(), None, Message::inform().to("bob").content("done"), is_agent, 0)?;
//! let letter = mail.waiting("bob", 0).next().expect("it has arrived");
//! assert_eq!(letter.message.sender_name(), Some("ada"));
//! let number = letter.number;
//! mail.acknowledge("bob", number)?;
//! assert_eq!(mail.waiting("bob", 0).count(), 0);
//! # Ok::<(), situated_mail::Refused>(())
//! ```
//!
//! An accepted message is delivered, or comes back to its sender as a `failure` with the reason ([`AMS`] sends it).
//! The messages of one sender to one receiver keep their order.

mod failure;
mod mail;
mod mailbox;
mod refused;

pub use failure::AMS;
pub use mail::{Mail, Routed};
pub use mailbox::{Change, KeptMailbox, Letter, STREAM_BITS, Sent};
pub use refused::{Limits, Refused};
