//! Recordings of real runs: written, read, replayed, exported; cut off, tampered with, and crashed.

mod broken_files;
mod crashes;
mod entries;
mod exporting;
/// The properties that cargo-fuzz searches.
#[path = "../../../../fuzz/src/recordings.rs"]
pub mod fuzz;
mod hosted;
mod replaying;
mod run;
mod schemas;
mod writing;
