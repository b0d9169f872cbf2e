//! The suite holds against the project's own server, and sees what is wrong with one that is not.

mod faulty;
mod ours;
mod proxy;
mod server;
