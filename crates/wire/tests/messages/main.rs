//! Whatever is written is read back equal, whatever comes in is read or refused, and nothing brings a reader down.

mod depth;
mod documents;
mod frames;
/// The properties that cargo-fuzz searches.
#[path = "../../../../fuzz/src/frames.rs"]
pub mod fuzz;
mod reading;
mod scenes;
