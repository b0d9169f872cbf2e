//! A spatial index of robots, for finding those near a point.

use crate::geometry::Point;
use crate::robot::{Robot, STRIDE};

/// The edge of the squares of the index, in units.
const SQUARE: f64 = 8.0;

/// The robots by their positions at the beginning of a tick. No robot moves further than a stride in a tick, so the
/// index can be used throughout the tick.
#[derive(Default)]
pub(super) struct Nearby {
    /// The robots by bucket, each with its square, since squares share buckets.
    robots: Vec<(Square, usize)>,
    /// The beginning of each bucket, and the end of the last one.
    begins: Vec<usize>,
    /// The edge of the largest robot.
    pub(super) largest: f64,
}

/// A square: its column and row.
type Square = (u32, u32);

impl Nearby {
    pub(super) fn of(robots: &[Robot]) -> Self {
        let buckets = (robots.len() / 4).next_power_of_two();
        let mut begins = vec![0; buckets + 1];
        let squares: Vec<Square> = robots.iter().map(|robot| square_at(robot.position)).collect();
        for square in &squares {
            begins[bucket(*square, buckets) + 1] += 1;
        }
        for bucket in 0..buckets {
            begins[bucket + 1] += begins[bucket];
        }
        let mut next = begins.clone();
        let mut sorted = vec![((0, 0), 0); robots.len()];
        for (robot, square) in squares.into_iter().enumerate() {
            let place = &mut next[bucket(square, buckets)];
            sorted[*place] = (square, robot);
            *place += 1;
        }
        let largest = robots.iter().map(|robot| robot.build.size).fold(0.0, f64::max);
        Self { robots: sorted, begins, largest }
    }

    /// Returns the robots that may be within this distance from a point in each direction, by index, in no particular
    /// order.
    pub(super) fn around(&self, point: Point, distance: f64) -> impl Iterator<Item = usize> + '_ {
        let distance = distance + STRIDE;
        let (left, top) = square_at(Point::new(point.x - distance, point.y - distance));
        let (right, bottom) = square_at(Point::new(point.x + distance, point.y + distance));
        let squares = (top..=bottom).flat_map(move |row| (left..=right).map(move |column| (column, row)));
        squares.flat_map(|square| {
            let bucket = bucket(square, self.begins.len() - 1);
            let robots = &self.robots[self.begins[bucket]..self.begins[bucket + 1]];
            robots.iter().filter(move |(of, _)| *of == square).map(|(_, robot)| *robot)
        })
    }
}

/// Returns the square that contains a point; points outside the world belong to squares at its edge.
fn square_at(point: Point) -> Square {
    ((point.x / SQUARE) as u32, (point.y / SQUARE) as u32)
}

/// Returns the bucket of a square; the number of buckets is a power of two.
fn bucket((column, row): Square, buckets: usize) -> usize {
    let mixed = column.wrapping_mul(0x9E37_79B1) ^ row.wrapping_mul(0x85EB_CA77);
    (mixed ^ (mixed >> 15)) as usize & (buckets - 1)
}
