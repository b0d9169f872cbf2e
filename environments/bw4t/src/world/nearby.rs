//! A spatial index of robots, for finding those near a point.

use crate::geometry::Point;
use crate::robot::{Robot, STRIDE, TOUCH};

/// The least edge of the squares of the index, in units.
const SQUARE: f64 = 8.0;

/// The robots by their positions at the beginning of a tick. No robot moves further than a stride in a tick, so the
/// index can be used throughout the tick.
#[derive(Default)]
pub(super) struct Nearby {
    division: Division,
    /// The robots by square.
    robots: Vec<Place>,
    /// The beginning of each square among the robots, and the end of the last one.
    begins: Vec<usize>,
    /// The edge of the largest robot.
    pub(super) largest: f64,
}

/// The place of a robot at the beginning of the tick.
#[derive(Clone, Copy, Default)]
struct Place {
    position: Point,
    robot: usize,
}

/// How the area of the robots is divided into squares, row after row. There are at most four for each robot.
#[derive(Default)]
struct Division {
    corner: Point,
    edge: f64,
    columns: usize,
    rows: usize,
}

impl Nearby {
    pub(super) fn of(robots: &[Robot]) -> Self {
        let division = Division::over(robots);
        let square_of = |robot: &Robot| {
            let (column, row) = division.at(robot.position);
            row * division.columns + column
        };
        // From the end of each square back to its beginning.
        let mut begins = vec![0; division.columns * division.rows + 1];
        robots.iter().for_each(|robot| begins[square_of(robot)] += 1);
        for square in 1..begins.len() {
            begins[square] += begins[square - 1];
        }
        let mut sorted = vec![Place::default(); robots.len()];
        for (number, robot) in robots.iter().enumerate().rev() {
            let begin = &mut begins[square_of(robot)];
            *begin -= 1;
            sorted[*begin] = Place { position: robot.position, robot: number };
        }
        let largest = robots.iter().map(|robot| robot.build.size).fold(0.0, f64::max);
        Self { division, robots: sorted, begins, largest }
    }

    /// Returns all robots within this distance from a point in each direction, and some slightly beyond, by index, in
    /// no particular order.
    pub(super) fn close_to(&self, point: Point, distance: f64) -> impl Iterator<Item = usize> + '_ {
        let distance = distance + STRIDE + TOUCH;
        let (left, top) = self.division.at(Point::new(point.x - distance, point.y - distance));
        let (right, bottom) = self.division.at(Point::new(point.x + distance, point.y + distance));
        let row = move |row: usize| {
            let first = row * self.division.columns;
            &self.robots[self.begins[first + left]..self.begins[first + right + 1]]
        };
        let is_close = move |place: &&Place| place.position.apart(point) <= distance;
        (top..=bottom).flat_map(row).filter(is_close).map(|place| place.robot)
    }
}

impl Division {
    fn over(robots: &[Robot]) -> Self {
        let (least, most) = (f64::INFINITY, f64::NEG_INFINITY);
        let (mut corner, mut end) = (Point::new(least, least), Point::new(most, most));
        for Robot { position: Point { x, y }, .. } in robots {
            corner = Point::new(corner.x.min(*x), corner.y.min(*y));
            end = Point::new(end.x.max(*x), end.y.max(*y));
        }
        let (width, height, count) = (end.x - corner.x, end.y - corner.y, robots.len() as f64);
        let edge = SQUARE.max((width * height / count).sqrt()).max(width.max(height) / count);
        let along = |length: f64| (length / edge) as usize + 1;
        Self { corner, edge, columns: along(width), rows: along(height) }
    }

    /// Returns the column and the row of the square that contains a point, or of the nearest one.
    fn at(&self, point: Point) -> (usize, usize) {
        let along = |distance: f64, count: usize| ((distance / self.edge) as usize).min(count - 1);
        (along(point.x - self.corner.x, self.columns), along(point.y - self.corner.y, self.rows))
    }
}
