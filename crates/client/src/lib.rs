//! The client of the wire protocol, for agents and hosts in Rust.
//!
//! A [`Client`] is a session with a server. An [`Environment`] is one of the server's environments, and an [`Agent`] is
//! registered there, acts, perceives and has beliefs. Each call returns an [`Answer`], which asynchronous code awaits and other
//! code waits for: `agent.act(action).await` and `agent.act(action).wait()` are the same.
//!
//! ```no_run
//! # fn main() -> Result<(), situated_client::Error> {
//! use situated::iil::Action;
//! use situated_client::Client;
//!
//! let client = Client::connect("ws://127.0.0.1:7467").wait()?;
//! let mut agent = client.environment("find-goals").register("ada").wait()?;
//! agent.associate("red").wait()?;
//! for (entity, perception) in agent.perceive().wait()? {
//!     println!("{entity} perceives {:?}", perception.add);
//! }
//! agent.act(Action::new("up", [])).wait()?.check()?;
//! # Ok(())
//! # }
//! ```
//!
//! [`host`](host()) runs an environment in this process, for agents that connect to the server.
//!
//! The client reconnects and resumes its session after a lost connection; see [`Client`] for details and limits.

mod address;
mod agent;
mod answer;
mod calls;
mod client;
mod connect;
pub mod directory;
mod endpoint;
mod environment;
mod error;
mod hosting;
mod inbox;
mod link;
mod mail;
mod subscription;
mod transport;

pub use address::{Address, PATH, PORT};
pub use agent::{Acted, Agent, Heard, Percepts, Stepped};
pub use answer::Answer;
pub use calls::{ASKED_AT_MOST, CALLS_WAITING};
pub use client::Client;
pub use connect::{Connect, PATIENCE};
pub use directory::Directory;
pub use environment::Environment;
pub use error::{End, Error};
pub use hosting::{Hosted, Hosting, StatusAnswer, host};
pub use inbox::{CALLS_OF_HOST, ToHost};
pub use link::SILENCE;
pub use mail::{Mail, Mailbox};
pub use subscription::{NOTIFICATIONS_WAITING, Subscription};

/// The code of the book's page for agents is compiled with the tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/src/how-to/connect.md")]
struct Book;

/// The code of the book's page for hosts is compiled with the tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/src/how-to/host.md")]
struct BookOfHosts;
