//! Keeping right: ways beside the line between the centres of zones, so that robots in opposite directions pass each
//! other.

use std::iter::once;

use super::World;
use crate::geometry::Point;
use crate::robot::Robot;

/// Distance from its ends at which a robot is in its lane, in units.
const MERGE: f64 = 3.0;

/// Minimum distance of a lane from the walls, in units.
const KERB: f64 = 0.5;

/// A part of a way, between two consecutive points.
struct Leg {
    from: Point,
    /// Its direction, as a step of one unit.
    heading: Point,
    length: f64,
    /// The distance of its lane to the right.
    lane: f64,
}

impl World {
    /// Returns the points of a way, moved to the right between halls, unless walls leave no space.
    pub(super) fn keep_right(&self, robot: &Robot, way: Vec<Point>) -> Vec<Point> {
        let legs = self.legs(robot, &way);
        if self.ground.map().one_bot_per_corridor_zone || legs.iter().all(|leg| leg.lane == 0.0) {
            return way;
        }
        let Some(goal) = way.last().copied() else { return way };
        let mut moved = Vec::new();
        for pair in legs.windows(2) {
            moved.push(corner(&pair[0], &pair[1]));
        }
        if let Some(last) = legs.last().filter(|leg| leg.lane != 0.0 && leg.length > 2.0 * MERGE) {
            moved.push(last.at(last.length - MERGE));
        }
        moved.push(goal);
        self.merge(robot, &legs, &mut moved);
        let legs = once(&robot.position).chain(&moved).zip(&moved);
        let is_on_ground = |point: &Point| self.ground.has(*point) || *point == goal;
        let is_lane = legs.into_iter().all(|(from, to)| is_on_ground(to) && self.is_walkable(robot, *from, *to));
        if is_lane { moved } else { way }
    }

    /// Returns the parts of a way, without those of length 0.
    fn legs(&self, robot: &Robot, way: &[Point]) -> Vec<Leg> {
        let mut legs: Vec<Leg> = Vec::new();
        let mut from = robot.position;
        for to in way {
            let length = from.distance(*to);
            if length > KERB {
                let heading = Point::new((to.x - from.x) / length, (to.y - from.y) / length);
                legs.push(Leg { from, heading, length, lane: self.lane(robot, from, *to) });
                from = *to;
            }
        }
        legs
    }

    /// Returns the distance of the lane to the right of the line between two points: 0 within a zone, and into or out
    /// of a room.
    fn lane(&self, robot: &Robot, from: Point, to: Point) -> f64 {
        let zones = [from, to].map(|point| self.ground.zone_at(point).map(|zone| (zone, self.ground.zone(zone))));
        let [Some((one, from)), Some((other, to))] = zones else { return 0.0 };
        if one == other || !from.is_hall() || !to.is_hall() {
            return 0.0;
        }
        let room = [from, to].map(|site| site.bounds.width.min(site.bounds.height) / 2.0 - KERB);
        (robot.build.size / 2.0 + 1.0).min(room[0]).min(room[1]).max(0.0)
    }

    /// Leads straight into the lane at the beginning, instead of over the centre of the zone.
    fn merge(&self, robot: &Robot, legs: &[Leg], way: &mut Vec<Point>) {
        let Some(first) = legs.iter().position(|leg| leg.lane != 0.0).filter(|first| *first <= 1) else { return };
        let leg = &legs[first];
        let done = leg.along(robot.position) + MERGE;
        let into = leg.at(done.max(0.0));
        if done <= leg.length - MERGE && self.is_walkable(robot, robot.position, into) {
            way.splice(..first, [into]);
        }
    }
}

impl Leg {
    /// Returns the point of its lane at this distance from its beginning.
    fn at(&self, distance: f64) -> Point {
        let right = self.right();
        Point::new(
            self.from.x + distance * self.heading.x + self.lane * right.x,
            self.from.y + distance * self.heading.y + self.lane * right.y,
        )
    }

    /// Returns the distance of a point from its beginning, along it.
    fn along(&self, point: Point) -> f64 {
        (point.x - self.from.x) * self.heading.x + (point.y - self.from.y) * self.heading.y
    }

    /// Returns a step of one unit to its right.
    fn right(&self) -> Point {
        Point::new(-self.heading.y, self.heading.x)
    }
}

/// Returns the point where the lanes of two legs meet.
fn corner(leg: &Leg, next: &Leg) -> Point {
    let turn = leg.heading.x * next.heading.y - leg.heading.y * next.heading.x;
    if turn.abs() < 0.2 {
        return next.at(0.0);
    }
    let (one, other) = (leg.right(), next.right());
    let further = (leg.lane * (one.x * other.x + one.y * other.y) - next.lane) / turn;
    leg.at(leg.length + further)
}
