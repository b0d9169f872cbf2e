//! Blocks World for Teams: robots fetch coloured blocks from rooms and bring them to the drop zone, in the order that is asked
//! for. The contract is the Agent-Environment Interface Specification of BW4T3 (25 February 2016).
//!
//! [`Bw4t`] is the environment: a [`world`] on the [`ground`] of a [`map`], with a [`team`] of robots. What they can do is
//! [`action::Action`], what they perceive is [`percept::Percept`], and [`messages`] is the language in which they talk.
//! For learners, [`encoding`] makes numbers of it.

pub mod action;
pub mod agents;
pub mod block;
pub mod encoding;
pub mod environment;
mod frontier;
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
mod standing;
pub mod team;
pub mod world;
mod xml;

pub use block::Color;
pub use environment::Bw4t;
pub use map::Map;
pub use parameters::{Names, Parameters};
