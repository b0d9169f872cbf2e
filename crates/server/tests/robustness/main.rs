//! Whatever clients do, by mistake or on purpose, nobody else notices, and nothing is left behind.

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
mod rights;
mod server;
mod sessions;
mod shutdown;
mod simulation;
mod slowness;
mod tokens;
