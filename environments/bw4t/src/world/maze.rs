//! Ways for one robot through obstacles: along their edges, where a shortest way runs if there is one.
//!
//! Each other robot, room and blockade is a rectangle in which the centre of the robot cannot be. The lines along the
//! edges of these rectangles form a grid, on which a search finds a way whenever there is one. The way is then
//! straightened.

use std::ops::Range;

use super::crossings::Crossings;
use crate::geometry::{Point, Rectangle};
use crate::ground::Site;
use crate::ways::Ways;

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
            // The robot must be on the door before the step that takes it inside. The longest step begins on the outer
            // edge of the door, or closer.
            let (edge, before) = (at(first), at(first).towards(from, stride - 2.0 * EDGE));
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
        self.way_to_first(from, &[to]).map(|(_, way)| way)
    }

    /// Returns the number of the first of some places to which there is a way, and a short way there.
    pub(super) fn way_to_first(&self, from: Point, places: &[Point]) -> Option<(usize, Vec<Point>)> {
        let mut search = None;
        for (number, to) in places.iter().copied().enumerate() {
            if self.is_free(from, to) {
                return Some((number, vec![to]));
            }
            let search = match &mut search {
                Some(search) => search,
                none => none.insert(Search::new(self, from, places)?),
            };
            if search.reaches(to) {
                return Some((number, self.straighten(&search.run(to)?)));
            }
        }
        None
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
}

/// Searches for the shortest ways on the grid from one point.
struct Search {
    from: Point,
    columns: Vec<f64>,
    rows: Vec<f64>,
    crossings: Crossings,
    /// For each crossing, whether there is a way to it.
    reachable: Vec<bool>,
}

impl Search {
    /// Prepares searches for ways to some places. Returns `None` if there are too many lines.
    fn new(maze: &Maze<'_>, from: Point, places: &[Point]) -> Option<Self> {
        let lines = || Vec::with_capacity(1 + places.len() + 2 * (maze.walls.len() + maze.others.len()));
        let (mut columns, mut rows) = (lines(), lines());
        for end in places.iter().chain([&from]) {
            columns.push(end.x);
            rows.push(end.y);
        }
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
        if columns.len() * rows.len() > MOST_CROSSINGS {
            return None;
        }
        let crossings = Crossings::new(columns.len(), rows.len());
        let mut search = Self { from, columns, rows, crossings, reachable: Vec::new() };
        maze.others.iter().for_each(|other| search.close(other));
        for Wall { site, open } in &maze.walls {
            if *open { search.close_walls(site) } else { search.close(&with_edges(&site.bounds)) }
        }
        let start = search.crossing_at(from)?;
        search.reachable = search.crossings.reachable(start);
        Some(search)
    }

    /// Closes what is inside a rectangle, and not on its edge.
    fn close(&mut self, area: &Rectangle) {
        let (columns, rows) = self.inside(area);
        // A part begins at the crossing before it, which can be outside.
        let beginning = |lines: &Range<usize>| lines.start.saturating_sub(1)..lines.end;
        rows.clone().for_each(|row| self.crossings.close_right(row, beginning(&columns)));
        beginning(&rows).for_each(|row| self.crossings.close_below(row, columns.clone()));
    }

    /// Closes the walls around a zone, but not its doors.
    fn close_walls(&mut self, site: &Site) {
        let (columns, rows) = self.inside(&with_edges(&site.bounds));
        let lets_in = |point: Point| site.bounds.contains(point) || site.has_door_at(point);
        // The part that leads in, and the one that leads out, as far as they are between the first and the last line.
        let across = |lines: &Range<usize>, count: usize| {
            let parts = [lines.start.checked_sub(1), lines.end.checked_sub(1)];
            parts.into_iter().flatten().filter(move |part| part + 1 < count)
        };
        for row in rows.clone() {
            for column in across(&columns, self.columns.len()) {
                if ![column, column + 1].into_iter().all(|end| lets_in(self.point(row, end))) {
                    self.crossings.close_right(row, column..column + 1);
                }
            }
        }
        for row in across(&rows, self.rows.len()) {
            for column in columns.clone() {
                if ![row, row + 1].into_iter().all(|end| lets_in(self.point(end, column))) {
                    self.crossings.close_below(row, column..column + 1);
                }
            }
        }
    }

    /// Whether there is a way to one of the places. Most searches fail, and exploring takes less time than searching for
    /// the shortest way.
    fn reaches(&self, to: Point) -> bool {
        self.crossing_at(to).is_some_and(|end| self.reachable[end])
    }

    /// Returns the crossings of the shortest way to one of the places.
    fn run(&self, to: Point) -> Option<Vec<Point>> {
        let (start, end) = (self.crossing_at(self.from)?, self.crossing_at(to)?);
        let parts = |crossing| {
            let neighbours = self.crossings.neighbours(crossing);
            neighbours
                .map(move |neighbour| (neighbour, self.cost(self.place_of(crossing), self.place_of(neighbour), to)))
        };
        let left = |crossing| {
            let here = self.place_of(crossing);
            (here.x - to.x).abs() + (here.y - to.y).abs()
        };
        let ways = Ways::search(self.columns.len() * self.rows.len(), start, Some(end), parts, left);
        Some(ways.way(end)?.into_iter().map(|crossing| self.place_of(crossing)).collect())
    }

    /// Returns the costs of a part of a way to one of the places.
    fn cost(&self, here: Point, there: Point, to: Point) -> f64 {
        let length = (here.x - there.x).abs() + (here.y - there.y).abs();
        let (x, y) = (to.x - self.from.x, to.y - self.from.y);
        let (aside_x, aside_y) = ((here.x + there.x) / 2.0 - self.from.x, (here.y + there.y) / 2.0 - self.from.y);
        let is_left = x * aside_y - y * aside_x < -MARGIN;
        if is_left { length * LEFT } else { length }
    }

    fn place_of(&self, crossing: usize) -> Point {
        self.point(crossing / self.columns.len(), crossing % self.columns.len())
    }

    fn point(&self, row: usize, column: usize) -> Point {
        Point::new(self.columns[column], self.rows[row])
    }

    /// Returns the columns and the rows that run through a rectangle, and not only along its edge.
    fn inside(&self, area: &Rectangle) -> (Range<usize>, Range<usize>) {
        let between = |lines: &[f64], least: f64, most: f64| {
            let first = lines.partition_point(|line| *line <= least);
            first..lines.partition_point(|line| *line < most).max(first)
        };
        (between(&self.columns, area.left(), area.right()), between(&self.rows, area.top(), area.bottom()))
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
fn is_inside(rectangle: &Rectangle, point: Point) -> bool {
    (rectangle.left() < point.x && point.x < rectangle.right())
        && (rectangle.top() < point.y && point.y < rectangle.bottom())
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
