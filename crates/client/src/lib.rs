//! The other end of the wire protocol: agents in Rust that live in environments on a server.
//!
//! A [`Client`] is a session with a server. [`Environment`] is a way to one of its environments, and [`Agent`] to one of
//! the agents that were registered there, which acts, perceives and remembers what it believes. Whatever is asked is answered
//! with an [`Answer`], which asynchronous code awaits and other code waits for: `agent.act(action).await` and
//! `agent.act(action).wait()` are the same.
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
//! Who has a world instead of an agent [hosts](host()) it: then others live in it.
//!
//! A connection that is lost is made again, and the session goes on. See [`Client`] for what that means, and for all bounds.

mod address;
mod agent;
mod answer;
mod calls;
mod client;
mod connect;
mod door;
mod environment;
mod error;
mod hosting;
mod line;
mod link;
mod repeat;
mod subscription;
#[cfg(feature = "tls")]
mod tls;
mod transport;

pub use address::{Address, PATH, PORT};
pub use agent::{Acted, Agent, Heard, Percepts, Stepped};
pub use answer::Answer;
pub use calls::CALLS_WAITING;
pub use client::Client;
pub use connect::{Connect, PATIENCE};
pub use environment::Environment;
pub use error::{End, Error};
pub use hosting::{Hosted, Hosting, StatusAnswer, host};
pub use line::{CALLS_OF_HOST, ToHost};
pub use link::SILENCE;
pub use repeat::ASKED_AT_MOST;
pub use subscription::{NOTIFICATIONS_WAITING, Subscription};

/// The code of the book is compiled with the tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/src/how-to/connect.md")]
struct Book;

/// That about hosts as well.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/src/how-to/host.md")]
struct BookOfHosts;
