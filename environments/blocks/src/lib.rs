//! Two environments in which towers of blocks are built on a table. They follow environments of the Environment
//! Interface Standard, with the same percepts and actions: [`BlocksWorld`] follows blocksworld, whose gripper moves a
//! block at once, and [`Tower`] follows tower, whose robot arm takes its time.
//!
//! [`towers`] contains what both share: what stands on what, and the next move towards a goal.

mod arm;
mod arrangement;
pub mod blocks_world;
mod drawing;
mod encoding;
pub mod tower;
pub mod towers;

pub use blocks_world::BlocksWorld;
pub use tower::Tower;

/// The type of the entity, and its name.
pub const GRIPPER: &str = "gripper";

/// The name of the table in percepts and actions.
pub const TABLE: &str = "table";
