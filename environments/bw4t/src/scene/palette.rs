//! The colours of a scene. Wherever red and green differ, brightness differs as well.

use situated::scene::Color as Paint;

use crate::Color;
use crate::ground::Site;
use crate::map::{DROP_ZONE, ZoneKind};

/// Free space, where there are no zones.
pub(super) const GROUND: Paint = Paint(208, 210, 214);
/// The walls of rooms.
pub(super) const WALL: Paint = Paint(62, 64, 70);
/// Halls, and the background of robots' names.
pub(super) const HALL: Paint = Paint(240, 241, 244);
/// A door through which robots can go.
pub(super) const OPEN: Paint = Paint(64, 200, 110);
/// The door of a room in which there is a robot.
pub(super) const CLOSED: Paint = Paint(176, 16, 24);
/// A door whose state the viewer does not know.
pub(super) const DOOR: Paint = Paint(112, 114, 120);
/// Robots, and the frames of objects.
pub(super) const BODY: Paint = Paint(18, 18, 20);
/// The ways that robots have planned.
pub(super) const PATH: Paint = Paint(128, 62, 176);
/// An e-partner that nobody carries.
pub(super) const FREE_PARTNER: Paint = Paint(255, 214, 10);
/// An e-partner that a robot carries.
pub(super) const HELD_PARTNER: Paint = Paint(64, 200, 110);

/// The colour of a block, or of its appearance.
pub(super) fn of_block(color: Color) -> Paint {
    match color {
        Color::Red => Paint(214, 30, 36),
        Color::Orange => Paint(255, 136, 0),
        Color::Yellow => Paint(255, 230, 30),
        Color::Green => Paint(0, 140, 60),
        Color::Blue => Paint(20, 80, 200),
        Color::Pink => Paint(255, 158, 206),
        Color::White => Paint(255, 255, 255),
        Color::Cyan => Paint(60, 210, 235),
        Color::Magenta => Paint(196, 0, 170),
        Color::DarkGray => Paint(64, 64, 64),
    }
}

/// The colour of a zone.
pub(super) fn of_zone(zone: &Site) -> Paint {
    match zone.kind {
        ZoneKind::Room if zone.name == DROP_ZONE => Paint(158, 112, 66),
        ZoneKind::Room => Paint(158, 160, 164),
        ZoneKind::Corridor => HALL,
        ZoneKind::ChargingZone => Paint(16, 104, 62),
        ZoneKind::Blockade => Paint(104, 10, 18),
    }
}

/// The colour of a battery with this charge in percent.
pub(super) fn of_charge(charge: f64) -> Paint {
    if charge < 25.0 {
        of_block(Color::Red)
    } else if charge < 50.0 {
        of_block(Color::Orange)
    } else {
        OPEN
    }
}
