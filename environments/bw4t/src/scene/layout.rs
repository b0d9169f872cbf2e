//! The layout of a scene: the map with a margin for objects that extend beyond it, and the sequence below it.

use situated::scene::{Color as Paint, Shape};

use crate::geometry::{Point, Rectangle};
use crate::world::World;

/// The distance by which robots and their loads can extend beyond the places where they can be.
const MARGIN: f64 = 3.0;

/// Maximum size of a colour of the sequence in each direction.
const CELL: f64 = 5.0;

/// Approximate maximum part of the map's height that the sequence takes.
const PART: f64 = 0.25;

/// The part of the plane that a scene shows, in units of the world.
pub(crate) struct Layout {
    shown: Rectangle,
    sequence: Shelf,
}

/// Equal cells for the colours of the sequence, row by row.
struct Shelf {
    left: f64,
    top: f64,
    cell: f64,
    columns: usize,
}

impl Layout {
    pub(crate) fn of(world: &World) -> Self {
        let map = extent(world);
        let count = world.sequence().len();
        let cell = CELL.min((map.width * map.height * PART / count as f64).sqrt());
        let columns = ((map.width / cell) as usize).clamp(1, count.max(1));
        let left = map.center.x - columns as f64 * cell / 2.0;
        let sequence = Shelf { left, top: map.bottom(), cell, columns };
        let rows = count.div_ceil(columns);
        let bottom = map.bottom() + rows as f64 * cell;
        Self { shown: between(map.left(), map.top(), map.right(), bottom), sequence }
    }

    /// Returns the width.
    pub(super) fn width(&self) -> f64 {
        self.shown.width
    }

    /// Returns the height.
    pub(super) fn height(&self) -> f64 {
        self.shown.height
    }

    /// Converts a point of the world to the scene.
    pub(super) fn place(&self, point: Point) -> (f64, f64) {
        (point.x - self.shown.left(), self.shown.bottom() - point.y)
    }

    /// Converts a point of the scene to the world.
    pub(crate) fn point(&self, x: f64, y: f64) -> Point {
        Point::new(x + self.shown.left(), self.shown.bottom() - y)
    }

    /// Converts a rectangle of the world to a shape of the scene.
    pub(super) fn rectangle(&self, bounds: &Rectangle, color: Paint) -> Shape {
        let (x, y) = self.place(Point::new(bounds.left(), bounds.bottom()));
        Shape::rectangle(x, y, bounds.width, bounds.height, color)
    }

    /// Returns the area of the sequence.
    pub(super) fn shelf(&self) -> Rectangle {
        let Shelf { left, top, cell, columns } = self.sequence;
        between(left, top, left + columns as f64 * cell, self.shown.bottom())
    }

    /// Returns the area of a colour of the sequence.
    pub(crate) fn cell(&self, index: usize) -> Rectangle {
        let Shelf { left, top, cell, columns } = self.sequence;
        let middle = |count: usize| (count as f64 + 0.5) * cell;
        let center = Point::new(left + middle(index % columns), top + middle(index / columns));
        Rectangle::around(center, cell, cell)
    }

    /// Returns the point nearest to this one around which an object of this width, at most that of the scene, is
    /// completely visible.
    pub(super) fn inside(&self, center: Point, width: f64) -> Point {
        let (left, right) = (self.shown.left() + width / 2.0, self.shown.right() - width / 2.0);
        // Rounding may make the left limit slightly greater than the right one.
        Point::new(center.x.min(right).max(left), center.y.max(self.shown.top()))
    }
}

/// Returns the area of all zones, and of everything that can be where robots can be.
fn extent(world: &World) -> Rectangle {
    let size = world.ground().size();
    let map = world.ground().map();
    let places = map.spawns.iter().map(|spawn| Rectangle::around(spawn.position, 0.0, 0.0).grown(MARGIN));
    let zones = map.zones.iter().map(|zone| zone.bounds);
    let doors = map.zones.iter().flat_map(|zone| &zone.doors).map(|door| door.bounds());
    places.chain(zones).chain(doors).fold(between(0.0, 0.0, size.x, size.y).grown(MARGIN), |all, one| {
        let (left, top) = (all.left().min(one.left()), all.top().min(one.top()));
        between(left, top, all.right().max(one.right()), all.bottom().max(one.bottom()))
    })
}

fn between(left: f64, top: f64, right: f64, bottom: f64) -> Rectangle {
    let center = Point::new((left + right) / 2.0, (top + bottom) / 2.0);
    Rectangle::around(center, right - left, bottom - top)
}
