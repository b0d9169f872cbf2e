//! The suite passes on the project's own server, and detects faulty ones.

mod faulty;
mod ours;
mod proxy;
mod server;
