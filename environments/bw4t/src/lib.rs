//! Blocks World for Teams: robots fetch coloured blocks from rooms and deliver them to the drop zone, in a given
//! order. The contract is the Agent-Environment Interface Specification of BW4T3 (25 February 2016).
//!
//! [`Bw4t`] is the environment: a [`world`] on the [`ground`] of a [`map`], with a [`team`] of robots.
//! [`action::Action`] are their actions, [`percept::Percept`] their percepts, and [`messages`] contains the language
//! in which they talk. [`encoding`] is the numeric interface for learners.

pub mod action;
pub mod agents;
pub mod block;
pub mod encoding;
pub mod environment;
pub mod geometry;
pub mod ground;
mod log;
pub mod map;
mod menu;
pub mod messages;
mod parameters;
mod perceiving;
pub mod percept;
mod places;
pub mod robot;
mod scene;
mod squares;
mod standing;
pub mod team;
mod ways;
pub mod world;
mod xml;

pub use block::Color;
pub use environment::Bw4t;
pub use map::Map;
pub use parameters::{Names, Parameters};
pub use xml::FileError;
