//! Routes: the points through which robots go to their destinations.
//!
//! A route leads through the centres of the zones on the shortest way, as in the original. If a part of it would end
//! at a wall, it leads around the wall, if there is a way.

use situated::environment::{EntityId, Failure};

use super::maze::{EDGE, Maze, Wall};
use super::{Collisions, World};
use crate::geometry::{Point, Rectangle};
use crate::ground::{DOOR, ZoneIndex};
use crate::map::ZoneKind;
use crate::robot::Robot;

/// Distance from both ends of a part of a route within which a way around walls is first searched, in units on each
/// side.
const MARGIN: f64 = 30.0;

impl World {
    /// Sends a robot to a zone, through the centres of all zones on the shortest way, including its own.
    ///
    /// # Errors
    /// Returns an error if there is no way.
    pub fn go_to_zone(&mut self, entity: EntityId, zone: ZoneIndex) -> Result<(), Failure> {
        let goal = self.ground.zone(zone).bounds.center;
        let way = self.way(self.body(entity)?.position, zone)?;
        let centers = way.into_iter().map(|zone| self.ground.zone(zone).bounds.center);
        let plan: Vec<Point> = centers.chain([goal]).collect();
        self.send(entity, plan)
    }

    /// Sends a robot to a point: straight if it is in the same zone, and otherwise through the centres of the zones
    /// on the shortest way.
    ///
    /// # Errors
    /// Returns an error if there is no way.
    pub fn go_to_point(&mut self, entity: EntityId, goal: Point) -> Result<(), Failure> {
        let robot = self.body(entity)?;
        let (from, to) = (self.ground.nearest_zone(robot.position), self.ground.nearest_zone(goal));
        let mut plan = Vec::new();
        if from != to {
            let way = self.way(robot.position, to)?;
            let centers = way.iter().map(|zone| self.ground.zone(*zone).bounds.center);
            plan.extend(centers.filter(|center| *center != robot.position));
            if self.is_detour(robot, &way, goal) {
                plan.pop();
            }
        }
        plan.push(goal);
        self.send(entity, plan)
    }

    /// Sends a robot to a block in the same zone, over the centre of that zone.
    ///
    /// # Errors
    /// Returns an error if the robot does not see the block.
    pub fn go_to_block(&mut self, entity: EntityId, id: u32) -> Result<(), Failure> {
        let (_, position, zone) = self.visible_block(entity, id)?;
        let center = self.ground.zone(zone).bounds.center;
        self.send(entity, vec![center, position])
    }

    /// Sends a robot through these points, around walls, and on the right side if robots make way for each other.
    fn send(&mut self, entity: EntityId, plan: Vec<Point>) -> Result<(), Failure> {
        let robot = self.body(entity)?;
        let plan = self.around_walls(robot, plan);
        let avoid = self.rules.collisions == Collisions::Avoid;
        let plan = if avoid { self.keep_right(robot, plan) } else { plan };
        self.send_exactly(entity, plan)
    }

    /// Sends a robot through exactly these points.
    pub(super) fn send_exactly(&mut self, entity: EntityId, plan: Vec<Point>) -> Result<(), Failure> {
        let tick = self.tick;
        self.body_mut(entity)?.set_out(plan, tick);
        if self.rules.collisions == Collisions::Avoid {
            self.look_ahead(entity);
        }
        Ok(())
    }

    /// Returns the zones on the shortest way from a point to a zone.
    fn way(&self, from: Point, to: ZoneIndex) -> Result<Vec<ZoneIndex>, Failure> {
        let from = self.ground.nearest_zone(from);
        self.ground.way(from, to, self.rules.around_blockades).ok_or_else(|| {
            let [from, to] = [from, to].map(|zone| &self.ground.zone(zone).name);
            Failure::new(format!("there is no way from {from} to {to}"))
        })
    }

    /// Whether the last centre on a way is beyond the goal: the goal is closer to the centre before it, both are in
    /// line in halls, and no wall is between the goal and that centre.
    fn is_detour(&self, robot: &Robot, way: &[ZoneIndex], goal: Point) -> bool {
        let [.., before, last] = way else { return false };
        if self.is_room(*before) || self.is_room(*last) {
            return false;
        }
        let [before, center] = [before, last].map(|zone| self.ground.zone(*zone).bounds.center);
        let in_line = (before.x - center.x).abs() < 2.0 || (before.y - center.y).abs() < 2.0;
        in_line && goal.distance(before) < center.distance(before) && self.is_walkable(robot, before, goal)
    }

    /// Returns the points of a route that leads around the walls at which parts of this one would end, where
    /// possible. Leaves out points in blockades around which it leads.
    fn around_walls(&self, robot: &Robot, mut plan: Vec<Point>) -> Vec<Point> {
        let Some(goal) = plan.pop() else { return plan };
        let mut route = Vec::with_capacity(plan.len() + 1);
        let mut from = robot.position;
        for to in plan.into_iter().filter(|point| !self.is_avoided(*point)).chain([goal]) {
            let way = if self.is_walkable(robot, from, to) { None } else { self.way_between_walls(robot, from, to) };
            route.extend(way.unwrap_or_else(|| vec![to]));
            from = to;
        }
        route
    }

    /// Whether a robot can go straight from one point to another: there is no wall between them, or it passes by a
    /// door.
    pub(super) fn is_walkable(&self, robot: &Robot, from: Point, to: Point) -> bool {
        let mut near = self.ground.overlapping(&Rectangle::around_both(from, to).grown(EDGE));
        near.all(|zone| self.wall(robot, zone, from, to).is_none_or(|wall| wall.lets_pass(from, to, robot.stride())))
    }

    /// Whether a point is in a blockade around which ways are planned.
    fn is_avoided(&self, point: Point) -> bool {
        let mut zones = self.ground.zones_at(point).map(|zone| self.ground.zone(zone).kind);
        self.rules.around_blockades && zones.any(|kind| kind == ZoneKind::Blockade)
    }

    fn way_between_walls(&self, robot: &Robot, from: Point, to: Point) -> Option<Vec<Point>> {
        let world = self.ground.bounds();
        let near = Rectangle::around_both(from, to).grown(MARGIN).common(&world);
        [near, world].into_iter().find_map(|bounds| {
            let walls = self.walls(robot, &bounds, from, to);
            Maze { bounds, walls, others: Vec::new() }.way(from, to)
        })
    }

    /// Returns the walls within some bounds.
    fn walls(&self, robot: &Robot, bounds: &Rectangle, from: Point, to: Point) -> Vec<Wall<'_>> {
        self.ground.zones_in(bounds).into_iter().filter_map(|zone| self.wall(robot, zone, from, to)).collect()
    }

    /// Returns the wall around a zone, if it has one. A robot can enter rooms that contain one of these points.
    fn wall(&self, robot: &Robot, zone: ZoneIndex, from: Point, to: Point) -> Option<Wall<'_>> {
        let site = self.ground.zone(zone);
        let is_wall = match site.kind {
            ZoneKind::Room => true,
            ZoneKind::Blockade => self.rules.around_blockades,
            ZoneKind::Corridor | ZoneKind::ChargingZone => false,
        };
        let is_end = || site.bounds.contains(from) || site.bounds.contains(to);
        is_wall.then(|| Wall { site, open: robot.build.size < DOOR && is_end() })
    }
}
