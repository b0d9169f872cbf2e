//! What everybody knows: the places, and the goal sequence.

use std::collections::BTreeSet;

use situated::scene::Shape;

use super::{Drawing, initial};
use crate::Color;
use crate::geometry::{Point, Rectangle};
use crate::ground::Site;
use crate::map::ZoneKind;
use crate::scene::palette;

/// How much of the ground shows around a hall.
const SEAM: f64 = 0.06;

/// How far from the walls of a room its name keeps.
const CLEARANCE: f64 = 0.5;

/// How high the middle of the name of a zone is in it, as a part of its height: robots stand in its middle, and have their
/// names above them.
const FOOT: f64 = 0.3;

/// How high a name is, as a part of the height of its zone, and at the least where there is so much room.
const PRINT: f64 = 0.4;
const LEAST_PRINT: f64 = 4.0;

/// How large a colour of the sequence is, and what covers it when it has been delivered, as parts of the room that it has.
const GOAL: f64 = 0.8;
const COVER: f64 = 0.56;

/// What says so.
const DONE: &str = "✓";

/// What a viewer knows of doors.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::scene) enum Doors {
    /// Which are open.
    Known,
    /// Where they are.
    Unknown,
}

impl Drawing<'_> {
    /// The places, and the sequence with what has been delivered of it, in colours as they look to the viewer.
    pub(in crate::scene) fn map(&mut self, doors: Doors, looks: impl Fn(Color) -> Color) {
        let ground = self.world.ground();
        let Point { x, y } = ground.size();
        self.fill(&Rectangle::around(Point::new(x / 2.0, y / 2.0), x, y), palette::GROUND);
        let hidden = ground.map().zones.iter().filter(|zone| !zone.label_visible);
        let hidden: BTreeSet<&str> = hidden.map(|zone| zone.name.as_str()).collect();
        for zone in ground.zones() {
            self.zone(zone, !hidden.contains(zone.name.as_str()));
        }
        self.sequence(looks);
        let mut closed = vec![false; ground.zones().len()];
        self.world.occupied().for_each(|room| closed[room] = true);
        for (zone, closed) in ground.zones().iter().zip(closed) {
            self.doors(zone, (doors == Doors::Known).then_some(closed));
        }
    }

    fn zone(&mut self, zone: &Site, is_named: bool) {
        let (name, color) = (zone.name.as_str(), palette::of_zone(zone));
        let is_room = zone.kind == ZoneKind::Room;
        let inner = shrunk(&zone.bounds, if is_room { CLEARANCE } else { SEAM });
        let bounds = if is_room { &zone.bounds } else { &inner };
        self.shapes.push(self.layout.rectangle(bounds, color).standing_for(name));
        if is_room {
            self.wall(bounds);
        }
        if is_named {
            let foot = self.layout.rectangle(&foot_of(&inner), color);
            self.shapes.push(foot.standing_for(name).labelled(name));
        }
    }

    fn wall(&mut self, room: &Rectangle) {
        let (left, top) = self.layout.place(Point::new(room.left(), room.top()));
        let (right, bottom) = self.layout.place(Point::new(room.right(), room.bottom()));
        let corners = [(left, top), (right, top), (right, bottom), (left, bottom), (left, top)];
        self.shapes.push(Shape::line(corners, palette::WALL));
    }

    fn doors(&mut self, room: &Site, closed: Option<bool>) {
        let (color, label) = match closed {
            Some(true) => (palette::CLOSED, "closed"),
            Some(false) => (palette::OPEN, "open"),
            None => (palette::DOOR, ""),
        };
        for door in &room.doors {
            let door = self.layout.rectangle(door, color).labelled(label);
            self.shapes.push(door.standing_for(room.name.as_str()));
        }
    }

    fn sequence(&mut self, looks: impl Fn(Color) -> Color) {
        if !self.world.sequence().is_empty() {
            self.fill(&self.layout.shelf(), palette::GROUND);
        }
        for (index, color) in self.world.sequence().iter().map(|color| looks(*color)).enumerate() {
            let cell = self.layout.cell(index);
            if index == self.world.delivered() {
                self.fill(&cell, palette::BODY);
            }
            let square = |part: f64, paint| {
                let bounds = Rectangle::around(cell.center, part * cell.width, part * cell.height);
                self.layout.rectangle(&bounds, paint).standing_for(color.name())
            };
            let goal = square(GOAL, palette::of_block(color));
            if index < self.world.delivered() {
                let cover = square(COVER, palette::BODY).labelled(DONE);
                self.shapes.extend([goal, cover]);
            } else {
                self.shapes.push(goal.labelled(initial(color)));
            }
        }
    }
}

/// A zone with so much less on each side, if it is not too small for that.
fn shrunk(zone: &Rectangle, by: f64) -> Rectangle {
    zone.grown(-by.min(zone.width.min(zone.height) / 4.0))
}

/// The part of a zone that bears its name.
fn foot_of(zone: &Rectangle) -> Rectangle {
    let height = (PRINT * zone.height).max(LEAST_PRINT).min(zone.height);
    let y = zone.bottom() - (FOOT * zone.height).max(height / 2.0);
    Rectangle::around(Point::new(zone.center.x, y), zone.width, height)
}
