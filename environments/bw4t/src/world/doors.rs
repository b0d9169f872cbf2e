//! Turns at doors, if robots make way for each other: they go through one after another, and waiting robots stand
//! aside.

use situated::environment::EntityId;

use super::World;
use crate::geometry::{Point, Rectangle};
use crate::ground::ZoneIndex;
use crate::map::ZoneKind;
use crate::robot::{Request, Robot};

/// Distance from a door at which a robot joins its queue, in units on each axis.
const AT_DOOR: f64 = 10.0;

/// Depth of the space before a door in which no robot waits, in units.
const DEPTH: f64 = 8.0;

/// Extra width of this space on each side of a robot, in units.
const WIDTH: f64 = 1.5;

impl World {
    /// Notes the next room on a robot's way.
    pub(super) fn look_ahead(&mut self, entity: EntityId) {
        let Some(index) = self.index(entity) else { return };
        self.robots[index].caution.ahead = self.next_door(&self.robots[index]);
    }

    /// Whether a robot must stay where it is instead of moving to this point, because it is not its turn to enter the
    /// room ahead. It joins the queue when it is near.
    pub(super) fn has_to_wait(&mut self, index: usize, next: Point) -> bool {
        let robot = &self.robots[index];
        let Some((room, door)) = robot.caution.ahead else { return false };
        if !self.is_at_door(robot, room, door) {
            return false;
        }
        let entity = robot.entity;
        self.join_queue(entity, room);
        let is_first = self.queues[room].first() == Some(&entity);
        let robot = &self.robots[index];
        let is_before_door = |point| self.is_before_door(robot, room, door, point);
        // A hall for one robot has no queue.
        let is_its_turn = is_first || self.ground.map().one_bot_per_corridor_zone;
        !(is_its_turn && self.inside[room].is_empty()) && is_before_door(next)
    }

    /// Returns the request that a robot leaving the room would make to a robot that waits at the door, if that one is
    /// in its way.
    pub(super) fn request_of_door(&self, robot: &Robot) -> Option<Request> {
        let (room, door) = robot.caution.ahead?;
        if !self.is_before_door(robot, room, door, robot.position) {
            return None;
        }
        let site = self.ground.zone(room);
        let door = &site.doors[door];
        let (inside, from) = (site.bounds.center, door.center);
        let heading = if door.width > door.height {
            Point::new(0.0, if from.y < inside.y { -1.0 } else { 1.0 })
        } else {
            Point::new(if from.x < inside.x { -1.0 } else { 1.0 }, 0.0)
        };
        let (tick, clearance) = (self.tick, robot.build.size + WIDTH);
        Some(Request { tick, since: tick, from, heading, clearance, rank: robot.rank() })
    }

    /// Whether another robot is in the room ahead.
    pub(super) fn is_taken_ahead(&self, robot: &Robot) -> bool {
        robot.caution.ahead.is_some_and(|(room, _)| !self.inside[room].is_empty())
    }

    /// Returns the next room on a robot's way in which it is not yet, and the door by which it enters.
    fn next_door(&self, robot: &Robot) -> Option<(ZoneIndex, usize)> {
        let mut before = robot.position;
        for point in &robot.plan {
            let zone = self.ground.zone_at(*point).filter(|zone| self.ground.zone(*zone).kind == ZoneKind::Room);
            if let Some(room) = zone.filter(|room| !robot.zones.contains(room)) {
                let doors = self.ground.zone(room).doors.iter().map(|door| door.center);
                let detour = |door: &Point| door.distance(before) + door.distance(*point);
                let nearest = doors.enumerate().min_by(|(_, one), (_, other)| detour(one).total_cmp(&detour(other)));
                return nearest.map(|(door, _)| (room, door));
            }
            before = *point;
        }
        None
    }

    /// Adds a robot to the queue of a room, behind a robot inside, and removes those that have gone elsewhere.
    fn join_queue(&mut self, entity: EntityId, room: ZoneIndex) {
        let mut queue = std::mem::take(&mut self.queues[room]);
        queue.retain(|waiting| self.robot(*waiting).is_some_and(|robot| self.is_busy_with(robot, room)));
        let inside = self.inside[room].iter().filter(|inside| !queue.contains(inside)).copied();
        let inside: Vec<EntityId> = inside.collect();
        queue.splice(..0, inside);
        if !queue.contains(&entity) {
            queue.push(entity);
        }
        self.queues[room] = queue;
    }

    /// Whether a robot is in a room, has just left it, or is at its door to enter.
    fn is_busy_with(&self, robot: &Robot, room: ZoneIndex) -> bool {
        let is_at = |(ahead, door)| ahead == room && self.is_at_door(robot, room, door);
        robot.zones.contains(&room)
            || (!robot.is_parked()
                && (robot.caution.behind.is_some_and(|(behind, _)| behind == room)
                    || robot.caution.ahead.is_some_and(is_at)))
    }

    /// Notes the room that a robot has left, until it is no longer before the door. It was in these zones.
    pub(super) fn look_behind(&mut self, index: usize, was_in: &[ZoneIndex]) {
        let robot = &self.robots[index];
        let left = was_in.iter().copied().find(|zone| self.is_room(*zone) && !robot.zones.contains(zone));
        let behind = left.and_then(|room| {
            let doors = self.ground.zone(room).doors.iter();
            let door = doors.enumerate().min_by(|(_, one), (_, other)| {
                let distance = |door: &Rectangle| door.center.distance(robot.position);
                distance(one).total_cmp(&distance(other))
            });
            door.map(|(door, _)| (room, door))
        });
        let still =
            robot.caution.behind.filter(|(room, door)| self.is_before_door(robot, *room, *door, robot.position));
        self.robots[index].caution.behind = behind.or(still);
    }

    fn is_at_door(&self, robot: &Robot, room: ZoneIndex, door: usize) -> bool {
        let door = self.ground.zone(room).doors[door].center;
        (robot.position.x - door.x).abs() <= AT_DOOR && (robot.position.y - door.y).abs() <= AT_DOOR
    }

    /// Whether a point is in the space before a door in which no robot waits.
    fn is_before_door(&self, robot: &Robot, room: ZoneIndex, door: usize, point: Point) -> bool {
        let door = &self.ground.zone(room).doors[door];
        let (x, y) = ((point.x - door.center.x).abs(), (point.y - door.center.y).abs());
        let (aside, before) = if door.width > door.height { (x, y) } else { (y, x) };
        aside < robot.build.size + WIDTH && before < DEPTH
    }
}
