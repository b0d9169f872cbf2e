//! Ways for one robot through obstacles: along their edges, where a shortest way runs if there is one.
//!
//! Each other robot, room and blockade is a rectangle in which the centre of the robot cannot be. The lines along the
//! edges of these rectangles form a grid, on which a search finds a way whenever there is one. The way is then
//! straightened.

use crate::frontier::{Frontier, trace};
use crate::geometry::{Point, Rectangle};
use crate::ground::Site;

/// Distance of a way from the obstacles around which it leads, in units.
const MARGIN: f64 = 0.01;

/// Minimum distance from an edge of a point that is not on it, in units.
pub(super) const EDGE: f64 = 1e-9;

/// Maximum number of crossings in a search.
const MOST_CROSSINGS: usize = 250_000;

/// Factor for lengths on the left of the straight line, so that two robots that meet pass on the right.
const LEFT: f64 = 1.3;

/// The obstacles around a robot.
pub(super) struct Maze<'a> {
    /// Ways stay within this rectangle.
    pub(super) bounds: Rectangle,
    /// Rooms, blockades and other zones that can be entered only through doors, or not at all.
    pub(super) walls: Vec<Wall<'a>>,
    /// The areas that other robots close to the centre of the robot. Their edges are free.
    pub(super) others: Vec<Rectangle>,
}

/// A zone with a wall around it.
pub(super) struct Wall<'a> {
    pub(super) site: &'a Site,
    /// Whether it can be entered through its doors.
    pub(super) open: bool,
}

impl Wall<'_> {
    /// Whether a robot that goes straight from one point to another in steps of this length stays on one side of the
    /// wall, or passes by a door.
    pub(super) fn lets_pass(&self, from: Point, to: Point, stride: f64) -> bool {
        let Some((first, last)) = part_inside(&with_edges(&self.site.bounds), from, to) else { return true };
        let at = |share: f64| Point::new(from.x + share * (to.x - from.x), from.y + share * (to.y - from.y));
        let enters = || {
            // The robot must be on the door before the step that takes it inside.
            let (edge, before) = (at(first), at(first).towards(from, stride));
            self.open && self.site.doors.iter().any(|door| door.contains(edge) && door.contains(before))
        };
        (self.site.bounds.contains(from) || enters())
            && (self.site.bounds.contains(to) || self.site.has_door_at(at(last)))
    }
}

impl Maze<'_> {
    /// Whether the robot could be there.
    pub(super) fn has_place_at(&self, point: Point) -> bool {
        let closed = |wall: &Wall<'_>| !wall.open && wall.site.bounds.contains(point);
        !self.others.iter().any(|other| is_inside(other, point)) && !self.walls.iter().any(closed)
    }

    /// Whether the robot can go straight from one point to another in steps of this length. It can pass walls only by
    /// doors.
    pub(super) fn is_clear(&self, from: Point, to: Point, stride: f64) -> bool {
        !self.others.iter().any(|other| crosses(other, from, to))
            && self.walls.iter().all(|wall| wall.lets_pass(from, to, stride))
    }

    /// Whether the robot can go straight from one point to another without passing a wall or a door.
    pub(super) fn is_free(&self, from: Point, to: Point) -> bool {
        let in_the_way = |wall: &Wall<'_>| {
            let bounds = &wall.site.bounds;
            crosses(&with_edges(bounds), from, to) && !(wall.open && bounds.contains(from) && bounds.contains(to))
        };
        !self.others.iter().any(|other| crosses(other, from, to)) && !self.walls.iter().any(in_the_way)
    }

    /// Returns a short way from one point to another, without the first point, if there is one.
    pub(super) fn way(&self, from: Point, to: Point) -> Option<Vec<Point>> {
        if self.is_free(from, to) {
            return Some(vec![to]);
        }
        let crossings = Search::new(self, from, to)?.run()?;
        Some(self.straighten(&crossings))
    }

    /// Removes the first point of a way, and points between which the robot can go straight.
    fn straighten(&self, way: &[Point]) -> Vec<Point> {
        let mut straight = Vec::new();
        let mut at = 0;
        while at + 1 < way.len() {
            let furthest = (at + 2..way.len()).rev().find(|next| self.is_free(way[at], way[*next]));
            at = furthest.unwrap_or(at + 1);
            straight.push(way[at]);
        }
        straight
    }

    /// Whether the robot can go along a line from one point to the next crossing.
    fn is_passable(&self, from: Point, to: Point) -> bool {
        let is_wall = |wall: &Wall<'_>| {
            let lets_in = |point: Point| wall.site.bounds.contains(point) || wall.site.has_door_at(point);
            crosses(&with_edges(&wall.site.bounds), from, to) && !(wall.open && lets_in(from) && lets_in(to))
        };
        !self.others.iter().any(|other| crosses(other, from, to)) && !self.walls.iter().any(is_wall)
    }
}

/// A search for the shortest way on the grid.
struct Search<'a> {
    maze: &'a Maze<'a>,
    from: Point,
    to: Point,
    columns: Vec<f64>,
    rows: Vec<f64>,
    /// The length of the shortest known way to each crossing, and the crossing before it on that way.
    known: Vec<(f64, usize)>,
}

impl<'a> Search<'a> {
    /// Returns `None` if there are too many lines.
    fn new(maze: &'a Maze<'a>, from: Point, to: Point) -> Option<Self> {
        let (mut columns, mut rows) = (vec![from.x, to.x], vec![from.y, to.y]);
        for edges in maze.walls.iter().map(|wall| &wall.site.bounds).chain(&maze.others) {
            columns.extend([edges.left() - MARGIN, edges.right() + MARGIN]);
            rows.extend([edges.top() - MARGIN, edges.bottom() + MARGIN]);
        }
        for door in maze.walls.iter().filter(|wall| wall.open).flat_map(|wall| &wall.site.doors) {
            if door.width > door.height { columns.push(door.center.x) } else { rows.push(door.center.y) }
        }
        let bounds = &maze.bounds;
        sort(&mut columns, bounds.left(), bounds.right());
        sort(&mut rows, bounds.top(), bounds.bottom());
        let count = columns.len() * rows.len();
        let known = || vec![(f64::INFINITY, usize::MAX); count];
        (count <= MOST_CROSSINGS).then(|| Self { maze, from, to, known: known(), columns, rows })
    }

    fn run(mut self) -> Option<Vec<Point>> {
        let [start, end] = [self.from, self.to].map(|point| self.crossing_at(point));
        let (start, end) = (start?, end?);
        self.known[start].0 = 0.0;
        let mut frontier = Frontier::at(start);
        while let Some((crossing, length)) = frontier.take() {
            if crossing == end {
                return Some(trace(&self.known, start, end).into_iter().map(|crossing| self.point(crossing)).collect());
            }
            if length > self.known[crossing].0 {
                continue;
            }
            for neighbour in self.neighbours(crossing).into_iter().flatten() {
                let (here, there) = (self.point(crossing), self.point(neighbour));
                let length = length + self.cost(here, there);
                if length < self.known[neighbour].0 && self.maze.is_passable(here, there) {
                    self.known[neighbour] = (length, crossing);
                    let left = (there.x - self.to.x).abs() + (there.y - self.to.y).abs();
                    frontier.add(neighbour, length, length + left);
                }
            }
        }
        None
    }

    /// Returns the costs of a part of a way.
    fn cost(&self, here: Point, there: Point) -> f64 {
        let length = (here.x - there.x).abs() + (here.y - there.y).abs();
        let (x, y) = (self.to.x - self.from.x, self.to.y - self.from.y);
        let (aside_x, aside_y) = ((here.x + there.x) / 2.0 - self.from.x, (here.y + there.y) / 2.0 - self.from.y);
        let is_left = x * aside_y - y * aside_x < -MARGIN;
        if is_left { length * LEFT } else { length }
    }

    fn neighbours(&self, crossing: usize) -> [Option<usize>; 4] {
        let count = self.columns.len();
        let column = crossing % count;
        [
            (column + 1 < count).then(|| crossing + 1),
            column.checked_sub(1).map(|_| crossing - 1),
            Some(crossing + count).filter(|below| *below < self.known.len()),
            crossing.checked_sub(count),
        ]
    }

    fn point(&self, crossing: usize) -> Point {
        Point::new(self.columns[crossing % self.columns.len()], self.rows[crossing / self.columns.len()])
    }

    fn crossing_at(&self, point: Point) -> Option<usize> {
        let place = |lines: &[f64], at: f64| lines.iter().position(|line| *line == at);
        Some(place(&self.rows, point.y)? * self.columns.len() + place(&self.columns, point.x)?)
    }
}

/// Sorts lines, and removes those beyond the bounds.
fn sort(lines: &mut Vec<f64>, least: f64, most: f64) {
    lines.retain(|line| (least..=most).contains(line));
    lines.sort_unstable_by(f64::total_cmp);
    lines.dedup();
}

/// Returns a rectangle that also contains the left and the upper edge, which belong to the zone.
fn with_edges(bounds: &Rectangle) -> Rectangle {
    let center = Point::new(bounds.center.x - EDGE / 2.0, bounds.center.y - EDGE / 2.0);
    Rectangle::around(center, bounds.width + EDGE, bounds.height + EDGE)
}

/// Whether a point is inside a rectangle, and not on its edge.
pub(super) fn is_inside(rectangle: &Rectangle, point: Point) -> bool {
    crosses(rectangle, point, point)
}

/// Whether the straight line between two points has a part inside a rectangle, not only on its edge.
fn crosses(rectangle: &Rectangle, from: Point, to: Point) -> bool {
    part_inside(rectangle, from, to).is_some()
}

/// Returns the part of the straight line between two points that is inside a rectangle, as shares of its length.
fn part_inside(rectangle: &Rectangle, from: Point, to: Point) -> Option<(f64, f64)> {
    let across = within(from.x, to.x, rectangle.left(), rectangle.right())?;
    let down = within(from.y, to.y, rectangle.top(), rectangle.bottom())?;
    let (first, last) = (across.0.max(down.0), across.1.min(down.1));
    (first < last || (from == to && first <= last)).then_some((first, last))
}

/// Returns the part of the way from one number to another that is between two limits, as shares of its length.
fn within(from: f64, to: f64, least: f64, most: f64) -> Option<(f64, f64)> {
    let length = to - from;
    if length == 0.0 {
        return (least < from && from < most).then_some((0.0, 1.0));
    }
    let (one, other) = ((least - from) / length, (most - from) / length);
    let (first, last) = (one.min(other).max(0.0), one.max(other).min(1.0));
    (first < last).then_some((first, last))
}
