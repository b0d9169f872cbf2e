//! Clients that misbehave, by mistake or on purpose, disturb no other client and leave nothing behind.

mod browsers;
mod client;
mod crowds;
pub mod damaged;
mod debts;
mod encryption;
mod environments;
mod filters;
mod garbage;
mod lagging;
mod learners;
mod rights;
mod server;
mod sessions;
mod shutdown;
mod simulation;
mod slowness;
mod tokens;
