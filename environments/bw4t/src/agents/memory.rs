//! A robot's memory of the rooms: from its own percepts and from messages.

use std::collections::{BTreeMap, BTreeSet};

use situated::iil::EcoString;

use super::body::Body;
use crate::Color;
use crate::geometry::Point;
use crate::map::DROP_ZONE;

/// Maximum number of blocks of a colour that a robot believes to be in a room from messages alone.
const MOST_HEARD: usize = 20;

/// The memory of a robot.
#[derive(Clone, Debug, Default)]
pub(super) struct RobotMemory {
    /// The rooms that can contain blocks.
    rooms: BTreeMap<EcoString, Room>,
    /// The colours of all blocks that it has ever seen, by their numbers.
    colors: BTreeMap<u32, Color>,
}

/// The memory of a room.
#[derive(Clone, Debug, Default)]
pub(super) struct Room {
    /// Whether somebody has seen all of its contents.
    pub(super) checked: bool,
    /// The known blocks in it.
    pub(super) blocks: Vec<Sighting>,
    /// The step at which it was last seen.
    pub(super) seen: u64,
    /// The step until which the robot avoids it.
    pub(super) shunned_until: u64,
}

/// A block in a room.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Sighting {
    pub(super) color: Color,
    /// Its position, if the robot has seen it.
    pub(super) position: Option<Point>,
}

/// The contents of a room, which a robot can be given beforehand.
#[derive(Clone, Debug, PartialEq)]
pub struct Contents {
    /// The name of the room.
    pub room: EcoString,
    /// The colours and positions of its blocks.
    pub blocks: Vec<(Color, Point)>,
}

impl RobotMemory {
    /// Learns the rooms: they are the zones among the objects whose positions are perceived. So are blockades, which
    /// robots notice when they bump into them.
    pub(super) fn learn_rooms(&mut self, body: &Body) {
        if !self.rooms.is_empty() {
            return;
        }
        let is_fixture = |id: &u32| body.positions.contains_key(id);
        let rooms = body.zones.iter().filter(|(name, zone)| *name != DROP_ZONE && is_fixture(&zone.id));
        self.rooms = rooms.map(|(name, _)| (name.clone(), Room::default())).collect();
    }

    /// Removes a zone that is not a room.
    pub(super) fn remove(&mut self, room: &str) {
        self.rooms.remove(room);
    }

    /// Adds the given contents of rooms that it has not seen yet.
    pub(super) fn believe(&mut self, told: &[Contents]) {
        for Contents { room, blocks } in told {
            let Some(room) = self.rooms.get_mut(room).filter(|room| !room.checked) else { continue };
            room.checked = true;
            let sighting = |(color, position): &(Color, Point)| Sighting { color: *color, position: Some(*position) };
            room.blocks = blocks.iter().map(sighting).collect();
        }
    }

    pub(super) fn rooms(&self) -> impl Iterator<Item = (&EcoString, &Room)> {
        self.rooms.iter()
    }

    pub(super) fn room_mut(&mut self, room: &str) -> Option<&mut Room> {
        self.rooms.get_mut(room)
    }

    pub(super) fn color_of(&self, block: u32) -> Option<Color> {
        self.colors.get(&block).copied()
    }

    /// Remembers the contents of the room in which the robot is.
    pub(super) fn look(&mut self, body: &Body) {
        if body.color_blind {
            return;
        }
        self.colors.extend(&body.colors);
        for name in &body.rooms {
            let Some(room) = self.rooms.get_mut(name) else { continue };
            (room.checked, room.seen) = (true, body.step);
            room.blocks.clear();
            let sighting =
                |(id, color): (&u32, &Color)| Sighting { color: *color, position: body.positions.get(id).copied() };
            room.blocks.extend(body.colors.iter().map(sighting));
        }
    }

    /// Notes a report about the number of blocks of a colour in a room.
    pub(super) fn hear_of(&mut self, room: &str, color: Color, number: usize) {
        let Some(room) = self.rooms.get_mut(room) else { return };
        if room.count(color) == number {
            return;
        }
        room.blocks.retain(|block| block.color != color);
        let blocks = std::iter::repeat_n(Sighting { color, position: None }, number.min(MOST_HEARD));
        room.blocks.extend(blocks);
    }

    /// Notes a report that all contents of a room are known.
    pub(super) fn hear_checked(&mut self, room: &str, empty: bool, step: u64) {
        let Some(room) = self.rooms.get_mut(room) else { return };
        (room.checked, room.seen) = (true, step);
        if empty {
            room.blocks.clear();
        }
    }

    /// Notes a report that somebody has taken a block from a room.
    pub(super) fn hear_taken(&mut self, room: &str, color: Color) {
        let Some(room) = self.rooms.get_mut(room) else { return };
        let taken = room.blocks.iter().position(|block| block.color == color);
        if let Some(taken) = taken {
            room.blocks.remove(taken);
        }
    }
}

impl Room {
    /// Returns the known number of blocks of a colour.
    pub(super) fn count(&self, color: Color) -> usize {
        self.blocks.iter().filter(|block| block.color == color).count()
    }

    /// Returns the colours of its blocks.
    pub(super) fn colors(&self) -> BTreeSet<Color> {
        self.blocks.iter().map(|block| block.color).collect()
    }
}
