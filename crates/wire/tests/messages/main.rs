//! Messages are read back as they were written, every input is read or refused, and no input crashes a reader.

mod depth;
mod documents;
mod frames;
/// The properties that cargo-fuzz searches.
#[path = "../../../../fuzz/src/frames.rs"]
pub mod fuzz;
mod reading;
mod scenes;
