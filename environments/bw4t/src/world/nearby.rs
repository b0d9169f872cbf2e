//! The robots near a point.

use crate::geometry::{Area, Point};
use crate::robot::{Robot, STRIDE, TOUCH};
use crate::squares::Squares;

/// The least edge of the squares of the index, in units.
const SQUARE: f64 = 8.0;

/// The robots by their positions at the beginning of a tick. No robot moves further than a stride in a tick, so the
/// index can be used throughout the tick.
#[derive(Default)]
pub(super) struct Nearby {
    squares: Squares,
    positions: Vec<Point>,
    /// The edge of the largest robot.
    pub(super) largest: f64,
}

impl Nearby {
    pub(super) fn of(robots: &[Robot]) -> Self {
        let positions: Vec<Point> = robots.iter().map(|robot| robot.position).collect();
        let area = around_all(&positions);
        let (width, height, count) = (area.right - area.left, area.bottom - area.top, robots.len() as f64);
        // At most four squares for each robot.
        let edge = SQUARE.max((width * height / count).sqrt()).max(width.max(height) / count);
        let places = positions.iter().map(|Point { x, y }| Area { left: *x, top: *y, right: *x, bottom: *y });
        let squares = Squares::of(places, &area, edge);
        let largest = robots.iter().map(|robot| robot.build.size).fold(0.0, f64::max);
        Self { squares, positions, largest }
    }

    /// Returns all robots within this distance from a point in each direction, and some slightly beyond, by index, in
    /// no particular order.
    pub(super) fn close_to(&self, point: Point, distance: f64) -> impl Iterator<Item = usize> + '_ {
        let distance = distance + STRIDE + TOUCH;
        let Point { x, y } = point;
        let around = Area { left: x - distance, top: y - distance, right: x + distance, bottom: y + distance };
        self.squares.touching(&around).filter(move |robot| self.positions[*robot].apart(point) <= distance)
    }
}

/// Returns the smallest area with all these points.
fn around_all(points: &[Point]) -> Area {
    let (least, most) = (f64::INFINITY, f64::NEG_INFINITY);
    let nowhere = Area { left: least, top: least, right: most, bottom: most };
    points.iter().fold(nowhere, |area, Point { x, y }| Area {
        left: area.left.min(*x),
        top: area.top.min(*y),
        right: area.right.max(*x),
        bottom: area.bottom.max(*y),
    })
}
