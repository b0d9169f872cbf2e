//! Clients that misbehave, by mistake or on purpose, disturb no other client and leave nothing behind.

mod browsers;
mod client;
mod crowds;
mod debts;
mod encryption;
mod environments;
mod filters;
pub mod garbage;
mod hosts;
mod lagging;
mod learners;
mod mailboxes;
mod models;
mod names;
mod namesakes;
mod rights;
mod searches;
mod server;
mod sessions;
mod shutdown;
mod simulation;
mod turns;
