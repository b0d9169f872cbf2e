//! A drawing of the world under construction.

mod places;
mod things;

use situated::scene::{Color as Paint, Scene, Shape};

use super::layout::Layout;
use crate::Color;
use crate::geometry::Rectangle;
use crate::robot::Robot;
use crate::world::World;

pub(super) use places::Doors;

/// The shapes that have been drawn so far. Later shapes cover earlier ones.
pub(super) struct Drawing<'a> {
    world: &'a World,
    layout: Layout,
    /// The robot that views the scene; `None` for the whole, and for an e-partner.
    viewer: Option<&'a Robot>,
    shapes: Vec<Shape>,
}

impl<'a> Drawing<'a> {
    pub(super) fn of(world: &'a World, viewer: Option<&'a Robot>) -> Self {
        // A room is an area, a wall, a name and doors.
        let shapes = Vec::with_capacity(4 * world.ground().zones().len());
        Self { world, layout: Layout::of(world), viewer, shapes }
    }

    pub(super) fn finish(self) -> Scene {
        Scene { width: self.layout.width(), height: self.layout.height(), shapes: self.shapes }
    }

    fn fill(&mut self, bounds: &Rectangle, color: Paint) {
        self.shapes.push(self.layout.rectangle(bounds, color));
    }
}

/// The letter for a colour, as in the original's logs; empty for an appearance that is not a colour.
fn initial(color: Color) -> &'static str {
    match color {
        Color::DarkGray => "",
        _ => &color.name()[..1],
    }
}
