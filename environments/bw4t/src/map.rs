//! Maps: the initial contents of an environment.
//!
//! A [`Map`] is read from a file of the original ([`Map::from_xml`]), is one of the original's five maps
//! ([`Standard`]), or is generated in any size ([`Map::generated`]). [`Map::check`] checks whether an episode can
//! begin on it, and [`Map::fill`] places its blocks.

pub mod check;
mod examine;
pub mod filling;
mod generated;
mod java;
mod standard;
mod xml;

pub use filling::{BLOCK_SIZE, Filling, PlacedBlock, ROOM_CAPACITY, place_in};
pub use generated::MOST_ROWS;
pub use standard::Standard;

use serde::{Deserialize, Serialize};

use crate::Color;
use crate::geometry::{Point, Rectangle};

/// The name of the room that is the drop zone.
pub const DROP_ZONE: &str = "DropZone";

/// The initial contents of an environment, as in a file of the original.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Map {
    /// The width and height of the map.
    pub area: Point,
    /// The points where robots begin, in the order in which they are used.
    pub spawns: Vec<Spawn>,
    /// Whether a corridor holds at most one robot.
    pub one_bot_per_corridor_zone: bool,
    /// Number of blocks that are added to rooms at random.
    pub random_blocks: u32,
    /// Number of random colours that are added to the sequence, and to rooms as blocks.
    pub random_sequence: u32,
    /// The seed of these random choices, if the map has one.
    pub seed: Option<i64>,
    /// The colours to deliver, in this order.
    pub sequence: Vec<Color>,
    /// The zones, in order.
    pub zones: Vec<Zone>,
}

/// A place where a robot begins.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Spawn {
    /// Its name, which has no meaning.
    pub name: String,
    /// Its position.
    pub position: Point,
    /// The type in the file, which has no meaning: `NORMAL` or `JAVA`.
    pub kind: String,
}

/// A zone: robots go from zone to zone.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Zone {
    /// Its name, unique on the map.
    pub name: String,
    /// The kind.
    pub kind: ZoneKind,
    /// Its area. Zones may overlap, and extend beyond the map.
    pub bounds: Rectangle,
    /// The colours of the blocks that lie in it at the beginning.
    pub blocks: Vec<Color>,
    /// Its doors; only rooms have any.
    pub doors: Vec<Door>,
    /// The names of the adjacent zones.
    pub neighbours: Vec<String>,
    /// Whether its name is shown.
    pub label_visible: bool,
}

/// The kind of a zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ZoneKind {
    /// A room: holds blocks, and at most one robot. Blocks are delivered in the room called `DropZone`.
    Room,
    /// A hall.
    Corridor,
    /// A hall in which batteries are charged.
    ChargingZone,
    /// An obstacle.
    Blockade,
}

/// The way into a room.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Door {
    /// Its centre, on the border of the room.
    pub position: Point,
    /// Its orientation.
    pub orientation: Orientation,
}

/// The orientation of a door.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Orientation {
    /// In a wall from left to right: 4 wide and 1 high.
    Horizontal,
    /// In a wall from top to bottom: 1 wide and 4 high.
    Vertical,
}

impl Zone {
    /// Whether blocks are delivered in it.
    pub fn is_drop_zone(&self) -> bool {
        self.kind == ZoneKind::Room && self.name == DROP_ZONE
    }

    /// Whether it can contain blocks. All rooms except the drop zone can.
    pub fn holds_blocks(&self) -> bool {
        self.kind == ZoneKind::Room && self.name != DROP_ZONE
    }
}

impl Door {
    /// Returns its area.
    pub fn bounds(&self) -> Rectangle {
        match self.orientation {
            Orientation::Horizontal => Rectangle::around(self.position, 4.0, 1.0),
            Orientation::Vertical => Rectangle::around(self.position, 1.0, 4.0),
        }
    }
}
