//! Drawing movable objects: blocks, robots, and e-partners.

use situated::scene::{Role, Shape};

use super::{Drawing, initial};
use crate::Color;
use crate::block::Block;
use crate::geometry::{Point, Rectangle};
use crate::map::filling::BLOCK_SIZE;
use crate::robot::{Build, Robot};
use crate::scene::palette;
use crate::world::EPartner;

/// The width of the frame around a robot, relative to its size.
const FRAME: f64 = 0.1;

/// The width of a letter of a name, and the maximum width of a name.
const LETTER: f64 = 1.2;
const LONGEST_NAME: f64 = 14.0;

/// The distance of a robot's name above it, and of its battery below it.
const ABOVE: f64 = 1.0;
const BELOW: f64 = 0.3;

/// The height of a battery's bar.
const BAR: f64 = 0.4;

/// The radius of the points at which a planned way bends.
const BEND: f64 = 0.35;

/// The radius of an e-partner, and the share of it that has its colour.
const PARTNER: f64 = 0.5;
const TINTED: f64 = 0.8;

impl Drawing<'_> {
    /// Draws a block, if it lies in a room.
    pub(in crate::scene) fn block(&mut self, block: &Block, color: Color) {
        let Some(position) = block.position() else { return };
        let bounds = Rectangle::around(position, BLOCK_SIZE, BLOCK_SIZE);
        self.shapes.push(
            self.square(&bounds, block, color).labelled(format!("{}{}", initial(color), block.id)).as_a(Role::Thing),
        );
    }

    /// Draws the way of a robot to its destination.
    pub(in crate::scene) fn plan(&mut self, robot: &Robot) {
        if robot.plan.is_empty() {
            return;
        }
        let points: Vec<(f64, f64)> = robot.plan.iter().map(|point| self.within(*point)).collect();
        let dots = points.iter().map(|(x, y)| Shape::circle(*x, *y, BEND, palette::PATH).as_a(Role::Route));
        self.shapes.extend(dots);
        let way = [self.within(robot.position)].into_iter().chain(points);
        self.shapes.push(Shape::line(way, palette::PATH).as_a(Role::Route));
    }

    /// Returns a point of a way; outside of the scene, the nearest one inside.
    fn within(&self, point: Point) -> (f64, f64) {
        let (x, y) = self.layout.place(point);
        let inside = |place: f64, size: f64| place.min(size - BEND).max(BEND);
        (inside(x, self.layout.width()), inside(y, self.layout.height()))
    }

    /// Draws a robot with its load, in colours as the viewer sees them.
    pub(in crate::scene) fn robot(&mut self, robot: &Robot, looks: impl Fn(Color) -> Color) {
        self.battery(robot);
        let name = robot.name.as_str();
        let is_oneself = self.viewer.is_some_and(|viewer| viewer.entity == robot.entity);
        let role = if is_oneself { Role::Oneself } else { Role::Entity };
        let body = self.layout.rectangle(&robot.body(), palette::BODY).standing_for(name).as_a(role);
        let Some((top, others)) = robot.load.split_last() else {
            return self.shapes.push(body.labelled(name));
        };
        let blocks = self.world.blocks();
        let inner = robot.body().grown(-FRAME * robot.build.size);
        let [upper, lower] = halves(&inner);
        let color = palette::of_block(looks(blocks[*top].color));
        let load = self.layout.rectangle(if others.is_empty() { &inner } else { &upper }, color);
        self.shapes.extend([body, load.standing_for(name).labelled(name).as_a(role)]);
        let width = lower.width / others.len() as f64;
        for (place, block) in others.iter().map(|block| &blocks[*block]).enumerate() {
            let center = Point::new(lower.left() + (place as f64 + 0.5) * width, lower.center.y);
            let part = Rectangle { center, width, ..lower };
            self.shapes.push(self.square(&part, block, looks(block.color)));
        }
    }

    /// Draws the charge of a battery that runs down.
    fn battery(&mut self, robot: &Robot) {
        if robot.build.battery.is_none() {
            return;
        }
        let body = robot.body();
        let center = Point::new(body.center.x, body.bottom() + BELOW);
        let bar = Rectangle::around(center, body.width, BAR);
        self.fill(&bar, palette::BODY);
        let width = robot.charge() / 100.0 * bar.width;
        let center = Point::new(bar.left() + width / 2.0, center.y);
        self.fill(&Rectangle { center, width, ..bar }, palette::of_charge(robot.charge()));
    }

    /// Draws another robot in sight, of which the position is known, but not the size. It wears its name, so that a
    /// person sees who sends a message.
    pub(in crate::scene) fn other(&mut self, robot: &Robot) {
        let square = self.unknown(robot.position).standing_for(robot.name.as_str());
        self.shapes.push(square.labelled(robot.name.as_str()).as_a(Role::Entity));
    }

    /// Draws an object of which only the number and the position are known.
    pub(in crate::scene) fn somebody(&mut self, id: u32, position: Point) {
        let square = self.unknown(position).standing_for(i64::from(id));
        self.shapes.push(square.labelled(id.to_string()).as_a(Role::Entity));
    }

    fn unknown(&self, position: Point) -> Shape {
        let size = Build::default().size;
        self.layout.rectangle(&Rectangle::around(position, size, size), palette::BODY)
    }

    /// An e-partner.
    pub(in crate::scene) fn partner(&mut self, partner: &EPartner, is_held: bool, role: Role) {
        let (x, y) = self.layout.place(partner.position);
        let color = if is_held { palette::HELD_PARTNER } else { palette::FREE_PARTNER };
        self.shapes.push(Shape::circle(x, y, PARTNER, palette::BODY).standing_for(partner.name.as_str()).as_a(role));
        let inner = Shape::circle(x, y, TINTED * PARTNER, color).standing_for(partner.name.as_str());
        self.shapes.push(inner.labelled(partner.name.as_str()));
    }

    /// Draws the name of a robot above it, on a line, which can have a text of any size and hides little.
    pub(in crate::scene) fn name(&mut self, robot: &Robot) {
        let Robot { name, position, .. } = robot;
        let width = (LETTER * name.chars().count() as f64).min(LONGEST_NAME).min(self.layout.width());
        let center = Point::new(position.x, robot.body().top() - ABOVE);
        let (x, y) = self.layout.place(self.layout.inside(center, width));
        let line = Shape::line([(x - width / 2.0, y), (x + width / 2.0, y)], palette::HALL);
        self.shapes.push(line.labelled(name.as_str()));
    }

    fn square(&self, bounds: &Rectangle, block: &Block, color: Color) -> Shape {
        self.layout.rectangle(bounds, palette::of_block(color)).standing_for(i64::from(block.id))
    }
}

/// Returns the upper and the lower half of a rectangle.
fn halves(whole: &Rectangle) -> [Rectangle; 2] {
    [-0.25, 0.25].map(|down| {
        let center = Point::new(whole.center.x, whole.center.y + down * whole.height);
        Rectangle { center, height: whole.height / 2.0, ..*whole }
    })
}
