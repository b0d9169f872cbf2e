//! Maps: what there is in a world before it begins.
//!
//! A [`Map`] is read from a file of the original ([`Map::from_xml`]), is one of the five that come with it
//! ([`Standard`]), or is made in any size ([`Map::generated`]). [`Map::check`] says whether a world can begin on it,
//! and [`Map::fill`] what lies where when it does.

pub mod check;
pub mod filling;
mod generated;
mod java;
mod standard;
mod xml;

pub use check::MapError;
pub use filling::{BLOCK_SIZE, Filling, PlacedBlock, ROOM_CAPACITY, place_in};
pub use generated::MOST_ROWS;
pub use standard::Standard;

use serde::{Deserialize, Serialize};

use crate::Color;
use crate::geometry::{Point, Rectangle};

/// The name of the room that is the drop zone.
pub const DROP_ZONE: &str = "DropZone";

/// What there is in a world before it begins, as a file of the original says it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Map {
    /// The size of the world, from left to right and from top to bottom.
    pub area: Point,
    /// Where robots begin, in the order in which they are used.
    pub spawns: Vec<Spawn>,
    /// Whether a corridor holds at most one robot.
    pub one_bot_per_corridor_zone: bool,
    /// How many blocks are added to rooms at random.
    pub random_blocks: u32,
    /// How many colours are added to the sequence at random, and to rooms as blocks.
    pub random_sequence: u32,
    /// From what these follow, if the map says so itself.
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
    /// Where it is.
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
    /// Where it is. Zones may overlap, and stick out of the world.
    pub bounds: Rectangle,
    /// The colours of the blocks that lie in it at the beginning.
    pub blocks: Vec<Color>,
    /// Its doors; only rooms have any.
    pub doors: Vec<Door>,
    /// The names of the zones to which one can go from it.
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
    /// Nobody can enter it.
    Blockade,
}

/// The way into a room.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Door {
    /// Its centre, on the border of the room.
    pub position: Point,
    /// How it lies.
    pub orientation: Orientation,
}

/// How a door lies.
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

    /// Whether blocks can lie in it: in all rooms but the drop zone.
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
