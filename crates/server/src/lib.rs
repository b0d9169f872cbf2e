//! The server: it lets agents into environments from outside the process, in any language, and lets people watch. It speaks
//! the wire protocol over WebSocket and over TCP, on one port, and serves the page that shows any world.
//!
//! A [`Server`] has environments (`instance`), each with its owner, and sessions: whoever has said hello. A connection reads
//! frames (`connection`), calls find their way (`dispatch`) to the server's own business (`hub`) or to an environment,
//! and what is to be sent waits in the session's `outbox`. Nothing here knows a rule of any environment.

mod access;
mod agent_names;
mod batch;
mod called;
mod caller;
mod catalogue;
mod connection;
mod dispatch;
mod driven;
mod http;
mod hub;
mod instance;
mod listing;
mod metrics;
mod origin;
mod outbox;
mod page;
mod refusal;
mod server;
mod session;
mod settings;
mod start_error;
mod tls;

pub use access::Access;
pub use catalogue::Catalogue;
pub use driven::Driven;
pub use instance::Ticket;
pub use server::{Server, Watch};
pub use settings::{LIMITS, PORT, Settings, TlsFiles};
pub use start_error::StartError;
