//! The directory.

mod federation;
mod requests;
mod simulation;
