//! A conformance suite for the wire protocol: whoever writes a server, in any language, can hold it against this. It
//! speaks raw frames, over WebSocket or TCP, and knows no environment: which actions there are it learns from the
//! server.
//!
//! [`run`] goes through the [`checks`] and comes to a [`Report`]. Each check begins with connections, agents and, where it
//! may manage, an environment of its own, and takes all of it away again. `situated check` is this on the command line.
//!
//! ```no_run
//! # async fn hold() -> Result<(), situated_testkit::server::Unreachable> {
//! use situated_testkit::server::{Plan, run};
//!
//! let plan = Plan::new("tcp://127.0.0.1:7467".parse()?);
//! let report = run(&plan, |_| ()).await?;
//! assert!(report.passed());
//! # Ok(())
//! # }
//! ```

mod address;
mod beliefs;
mod checks;
mod client;
mod environment;
mod frames;
mod ontology;
mod report;
mod stage;
mod stop;

pub use address::{Address, Transport, Unreachable};
pub use checks::{Check, checks, checks_of_hosts};
pub use report::{Plan, Report, Verdict, Verified, run};
