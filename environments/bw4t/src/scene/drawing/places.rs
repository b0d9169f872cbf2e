//! Drawing what every player knows: the places, and the sequence.

use std::collections::BTreeSet;

use situated::scene::{Role, Shape};

use super::{Drawing, initial};
use crate::Color;
use crate::geometry::{Point, Rectangle};
use crate::ground::{Site, ZoneIndex};
use crate::map::{DROP_ZONE, ZoneKind};
use crate::scene::palette;

/// The width of the visible ground around a hall.
const SEAM: f64 = 0.06;

/// Minimum distance of a room's name from the walls.
const CLEARANCE: f64 = 0.5;

/// The vertical position of a zone's name, as a share of the zone's height. It is below the middle, where robots are,
/// with their names above them.
const FOOT: f64 = 0.3;

/// The height of a name, as a share of its zone's height, and its minimum if there is enough space.
const PRINT: f64 = 0.4;
const LEAST_PRINT: f64 = 4.0;

/// The size of a colour of the sequence, and of the mark that covers delivered ones, as shares of their space.
const GOAL: f64 = 0.8;
const COVER: f64 = 0.56;

/// The mark of delivered colours.
const DONE: &str = "✓";

/// The viewer's knowledge about doors.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::scene) enum Doors {
    /// It knows which are open.
    Known,
    /// It knows only where they are.
    Unknown,
}

impl Drawing<'_> {
    /// Draws the places, and the sequence with the delivered colours, in colours as the viewer sees them.
    pub(in crate::scene) fn map(&mut self, doors: Doors, looks: impl Fn(Color) -> Color) {
        let ground = self.world.ground();
        let Point { x, y } = ground.size();
        self.fill(&Rectangle::around(Point::new(x / 2.0, y / 2.0), x, y), palette::GROUND);
        let hidden = ground.map().zones.iter().filter(|zone| !zone.label_visible);
        let hidden: BTreeSet<&str> = hidden.map(|zone| zone.name.as_str()).collect();
        for (index, zone) in ground.zones().iter().enumerate() {
            self.zone(index, zone, !hidden.contains(zone.name.as_str()));
        }
        self.sequence(looks);
        let mut closed = vec![false; ground.zones().len()];
        self.world.occupied().for_each(|room| closed[room] = true);
        for (zone, closed) in ground.zones().iter().zip(closed) {
            self.doors(zone, (doors == Doors::Known).then_some(closed));
        }
    }

    fn zone(&mut self, index: ZoneIndex, zone: &Site, is_named: bool) {
        let (name, color) = (zone.name.as_str(), palette::of_zone(zone));
        let is_room = zone.kind == ZoneKind::Room;
        let inner = shrunk(&zone.bounds, if is_room { CLEARANCE } else { SEAM });
        let bounds = if is_room { &zone.bounds } else { &inner };
        let role = self.role_of(index, zone);
        let area = self.layout.rectangle(bounds, color).standing_for(name);
        self.shapes.push(Shape { role, ..area });
        if is_room {
            self.wall(bounds);
        }
        if is_named {
            let foot = self.layout.rectangle(&foot_of(&inner), color);
            self.shapes.push(foot.standing_for(name).labelled(name));
        }
    }

    /// A robot sees into the room in which it is. Halls are the ground on which robots go from place to place.
    fn role_of(&self, index: ZoneIndex, zone: &Site) -> Option<Role> {
        let is_unseen = self.viewer.is_some_and(|robot| !robot.zones.contains(&index));
        match zone.kind {
            ZoneKind::Room if is_unseen && zone.name != DROP_ZONE => Some(Role::UnseenPlace),
            ZoneKind::Room | ZoneKind::ChargingZone => Some(Role::Place),
            ZoneKind::Corridor | ZoneKind::Blockade => None,
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
            let role = if closed == Some(true) { Role::ClosedDoor } else { Role::Door };
            let door = self.layout.rectangle(door, color).labelled(label).as_a(role);
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
                self.shapes.extend([goal.as_a(Role::ReachedGoal), cover]);
            } else {
                self.shapes.push(goal.labelled(initial(color)).as_a(Role::Goal));
            }
        }
    }
}

/// Returns a zone shrunk by this distance on each side, if it is large enough.
fn shrunk(zone: &Rectangle, by: f64) -> Rectangle {
    zone.grown(-by.min(zone.width.min(zone.height) / 4.0))
}

/// Returns the part of a zone that contains its name.
fn foot_of(zone: &Rectangle) -> Rectangle {
    let height = (PRINT * zone.height).max(LEAST_PRINT).min(zone.height);
    let y = zone.bottom() - (FOOT * zone.height).max(height / 2.0);
    Rectangle::around(Point::new(zone.center.x, y), zone.width, height)
}
