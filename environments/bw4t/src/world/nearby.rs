//! A spatial index of robots, for finding those near a point.

use crate::geometry::Point;
use crate::robot::{Robot, STRIDE, TOUCH};

/// The edge of the squares of the index, in units.
const SQUARE: f64 = 8.0;

/// The robots by their positions at the beginning of a tick. No robot moves further than a stride in a tick, so the
/// index can be used throughout the tick.
#[derive(Default)]
pub(super) struct Nearby {
    /// The robots by bucket.
    robots: Vec<Place>,
    /// The beginning of each bucket, and the end of the last one.
    begins: Vec<usize>,
    /// The edge of the largest robot.
    pub(super) largest: f64,
}

/// A square: its column and row.
type Square = (u32, u32);

/// The place of a robot at the beginning of the tick.
#[derive(Clone, Copy)]
struct Place {
    /// Squares share buckets.
    square: Square,
    position: Point,
    robot: usize,
}

impl Nearby {
    pub(super) fn of(robots: &[Robot]) -> Self {
        let buckets = robots.len().next_power_of_two();
        let mut begins = vec![0; buckets + 1];
        let place_of = |(robot, position): (usize, Point)| Place { square: square_at(position), position, robot };
        let places: Vec<Place> = robots.iter().map(|robot| robot.position).enumerate().map(place_of).collect();
        for place in &places {
            begins[bucket(place.square, buckets) + 1] += 1;
        }
        for bucket in 0..buckets {
            begins[bucket + 1] += begins[bucket];
        }
        let mut next = begins.clone();
        let mut sorted = places.clone();
        for place in places {
            let next = &mut next[bucket(place.square, buckets)];
            sorted[*next] = place;
            *next += 1;
        }
        let largest = robots.iter().map(|robot| robot.build.size).fold(0.0, f64::max);
        Self { robots: sorted, begins, largest }
    }

    /// Returns all robots within this distance from a point in each direction, and some beyond, by index, in no
    /// particular order.
    pub(super) fn around(&self, point: Point, distance: f64) -> impl Iterator<Item = usize> + '_ {
        self.places_around(point, distance + STRIDE).map(|place| place.robot)
    }

    /// The same, without those that are certainly beyond.
    pub(super) fn close_to(&self, point: Point, distance: f64) -> impl Iterator<Item = usize> + '_ {
        let distance = distance + STRIDE + TOUCH;
        let is_close = move |place: &&Place| place.position.apart(point) <= distance;
        self.places_around(point, distance).filter(is_close).map(|place| place.robot)
    }

    /// Returns the robots in the squares within this distance from a point in each direction.
    fn places_around(&self, point: Point, distance: f64) -> impl Iterator<Item = &Place> + '_ {
        let (left, top) = square_at(Point::new(point.x - distance, point.y - distance));
        let (right, bottom) = square_at(Point::new(point.x + distance, point.y + distance));
        let squares = (top..=bottom).flat_map(move |row| (left..=right).map(move |column| (column, row)));
        squares.flat_map(|square| {
            let bucket = bucket(square, self.begins.len() - 1);
            let robots = &self.robots[self.begins[bucket]..self.begins[bucket + 1]];
            robots.iter().filter(move |place| place.square == square)
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
