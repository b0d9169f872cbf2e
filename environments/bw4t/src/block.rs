//! Blocks, and where they are.

use serde::{Deserialize, Serialize};
use situated::environment::EntityId;

use crate::Color;
use crate::geometry::Point;
use crate::ground::ZoneIndex;

/// The number of a block, in the order of creation.
pub type BlockIndex = usize;

/// A block.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Block {
    /// Its number among all objects.
    pub id: u32,
    /// Its colour.
    pub color: Color,
    /// Where it is.
    pub place: BlockPlace,
}

/// Where a block is.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum BlockPlace {
    /// In a room.
    Lying(Point, ZoneIndex),
    /// In the gripper of this robot.
    Held(EntityId),
    /// Delivered: its colour was needed.
    Delivered,
    /// Out of the world: put down in a hall, or delivered when another colour was needed.
    Lost,
}

impl Block {
    /// Where it lies, if it does.
    pub fn position(&self) -> Option<Point> {
        if let BlockPlace::Lying(position, _) = self.place { Some(position) } else { None }
    }
}
