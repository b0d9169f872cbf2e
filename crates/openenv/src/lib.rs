//! The gateway for learners that speak the protocol of [OpenEnv](https://github.com/huggingface/OpenEnv): `reset`, `step`,
//! `state` and `close` over one WebSocket, and descriptions over HTTP.
//!
//! Each session has a *world* of its own: an environment of the hub like the one that it names, in lockstep, which ends
//! with the session. A learner controls one entity of its world, or several; agents that ship with the environment
//! control the others. Observers and recorders see a world as they see every environment.
//!
//! The crate opens no socket. A server passes the messages of a connection to its [`Learner`] and sends what it
//! returns.

mod choices;
mod description;
mod error;
mod gateway;
mod learner;
mod messages;
mod options;
mod world;

pub use error::{Code, OpenEnvError};
pub use gateway::{NotOffered, OpenEnvGateway};
pub use learner::{Learner, Reply};
