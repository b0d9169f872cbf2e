//! Small environments that the tests of several crates share. An environment that only one test can use stays in that
//! test.
//!
//! - [`yard`]: entities appear and disappear; percepts of all five deliveries, sections, menus, a scene.
//! - [`mill`]: tests can make any call of it panic, and it logs all actions and steps.
//! - [`square`]: all entities see each other, and all percepts change in each step.

// The names of actions and percepts document them.
#![allow(missing_docs)]

pub mod mill;
mod seeds;
pub mod square;
pub mod yard;

pub use seeds::try_seeds;
