//! Small environments that the tests of several crates share. An environment that only one test can use stays in that test.
//!
//! - [`yard`]: entities come and go, percepts of all five deliveries, sections, menus, a scene.
//! - [`mill`]: any call of it can be made to panic, and it writes down what was done.

// Their actions and percepts are named after what they do.
#![allow(missing_docs)]

pub mod mill;
mod seeds;
pub mod yard;

pub use seeds::try_seeds;
