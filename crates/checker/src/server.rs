//! A conformance suite for the wire protocol. It tests whether a server, in any language, conforms to the protocol.
//! It sends raw frames over WebSocket or TCP. It knows no environment, but learns from the server which actions
//! exist.
//!
//! [`run`] makes the [`checks`] and returns a [`Report`]. Each check opens its own connections, registers its own
//! agents and, if it may manage, creates its own environment. It removes all of them afterwards. `situated check` is
//! this suite on the command line.
//!
//! ```no_run
//! # async fn hold() -> Result<(), situated_checker::server::Unreachable> {
//! use situated_checker::server::{Plan, run};
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
mod plan;
mod report;
mod stage;
mod stop;

pub use address::{Address, Transport, Unreachable};
pub use checks::{Check, checks, checks_of_hosts};
pub use plan::Plan;
pub use report::{Report, Verdict, Verified, run};
