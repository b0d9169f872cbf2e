//! The movement of robots: the effect of a tick, and obstacles.

use situated::environment::{EntityId, Failure};
use situated::iil::EcoString;

use super::nearby::Nearby;
use super::{Collisions, World};
use crate::geometry::{Point, Rectangle};
use crate::ground::{DOOR, ZoneIndex};
use crate::map::ZoneKind;
use crate::robot::{Robot, State, TOUCH, Uniform};

/// The reason why a robot cannot continue.
pub(super) enum Obstacle {
    /// A room or hall that holds one robot, and is taken.
    Taken,
    /// A wall, the edge of the world, or a door that is too narrow.
    Wall,
    /// A blockade.
    Blockade(ZoneIndex),
    /// Another robot, by index.
    Robot(usize),
}

impl World {
    /// Makes a tick: every robot moves. Each tick begins with another robot.
    pub fn tick(&mut self) {
        self.tick += 1;
        let count = self.robots.len();
        let first = (self.tick as usize).checked_rem(count).unwrap_or(0);
        let collide = self.rules.collisions != Collisions::Off;
        let nearby = if collide { Nearby::of(&self.robots) } else { Nearby::default() };
        for index in (first..count).chain(0..first) {
            self.make_step(index, &nearby);
            self.recharge(index);
        }
    }

    /// Places a robot in the zones that contain this point.
    pub(super) fn place(&mut self, index: usize, position: Point) {
        let mut zones = std::mem::take(&mut self.robots[index].zones);
        zones.clear();
        zones.extend(self.ground.zones_at(position));
        let entity = self.robots[index].entity;
        for zone in &zones {
            self.inside[*zone].push(entity);
            self.sights[*zone] += 1;
        }
        self.revisions.occupied += u64::from(zones.iter().any(|zone| self.is_room(*zone)));
        let robot = &mut self.robots[index];
        (robot.position, robot.zones) = (position, zones);
        robot.uniform = Uniform::default();
        robot.revision += 1;
    }

    /// Removes a robot from its zones.
    pub(super) fn leave_zones(&mut self, index: usize) {
        let entity = self.robots[index].entity;
        for place in 0..self.robots[index].zones.len() {
            let zone = self.robots[index].zones[place];
            self.inside[zone].retain(|inside| *inside != entity);
            self.sights[zone] += 1;
            self.revisions.occupied += u64::from(self.is_room(zone));
        }
    }

    pub(super) fn body(&self, entity: EntityId) -> Result<&Robot, Failure> {
        self.robot(entity).ok_or_else(no_robot)
    }

    pub(super) fn body_mut(&mut self, entity: EntityId) -> Result<&mut Robot, Failure> {
        let index = self.index(entity).ok_or_else(no_robot)?;
        Ok(&mut self.robots[index])
    }

    fn make_step(&mut self, index: usize, nearby: &Nearby) {
        let robot = &mut self.robots[index];
        let Some(waypoint) = robot.plan.front().copied() else { return robot.rest() };
        if robot.is_exhausted() {
            return robot.stop(None);
        }
        if self.rules.collisions == Collisions::Avoid {
            return self.go_on_among_others(index, nearby);
        }
        if robot.position.distance(waypoint) < TOUCH {
            return robot.reach_waypoint();
        }
        let next = robot.position.towards(waypoint, robot.stride());
        if next == robot.position {
            return robot.rest();
        }
        match self.obstacle(index, next, nearby) {
            None => self.move_to(index, next),
            Some(obstacle) => self.halt(index, &obstacle),
        }
    }

    /// Charges the battery of a robot in a charging zone.
    fn recharge(&mut self, index: usize) {
        let robot = &mut self.robots[index];
        if robot.used > 0.0 && robot.zones.iter().any(|zone| self.ground.zone(*zone).kind == ZoneKind::ChargingZone) {
            robot.used = 0.0;
            robot.revision += 1;
        }
    }

    pub(super) fn move_to(&mut self, index: usize, next: Point) {
        let robot = &mut self.robots[index];
        robot.deeds.distance += robot.position.distance(next);
        robot.use_battery();
        let stays = robot.uniform.0.contains(next);
        if stays || self.ground.zones_at(next).eq(robot.zones.iter().copied()) {
            if !stays {
                robot.uniform = Uniform(self.ground.uniform_around(next).unwrap_or_default());
            }
            robot.position = next;
            robot.moved += 1;
            // Outside of all zones, the nearest one can change.
            robot.revision += u64::from(robot.zones.is_empty());
            for zone in &robot.zones {
                self.sights[*zone] += 1;
            }
        } else {
            let entered = self.ground.zones_at(next).filter(|zone| !robot.zones.contains(zone));
            let rooms = entered.filter(|zone| self.ground.zone(*zone).kind == ZoneKind::Room).count();
            robot.deeds.rooms_entered += rooms as u64;
            self.leave_zones(index);
            self.place(index, next);
        }
        self.carry_partner(index);
    }

    /// Returns the obstacle for a robot that moves to this point.
    fn obstacle(&self, index: usize, next: Point, nearby: &Nearby) -> Option<Obstacle> {
        if self.rules.collisions == Collisions::Off {
            return self.obstacle_on_ground(&self.robots[index], next);
        }
        self.obstacle_among(index, next, self.close_to(index, next, 0.0, nearby))
    }

    /// Returns the same, where only these other robots can be met.
    pub(super) fn obstacle_among(
        &self,
        index: usize,
        next: Point,
        others: impl Iterator<Item = usize>,
    ) -> Option<Obstacle> {
        let met = || self.met(index, next, others).min().map(Obstacle::Robot);
        self.obstacle_on_ground(&self.robots[index], next).or_else(met)
    }

    /// Returns what the map has in the way of a robot that moves to this point.
    pub(super) fn obstacle_on_ground(&self, robot: &Robot, next: Point) -> Option<Obstacle> {
        if robot.uniform.0.contains(next) {
            return None;
        }
        if !self.ground.has(next) {
            return Some(Obstacle::Wall);
        }
        let mut entered = self.ground.zones_at(next).filter(|zone| !robot.zones.contains(zone));
        let obstacle = entered.find_map(|zone| self.obstacle_of(robot, zone));
        obstacle.or_else(|| self.wall_behind(robot, next))
    }

    /// Returns the obstacle for a robot that enters a zone.
    fn obstacle_of(&self, robot: &Robot, zone: ZoneIndex) -> Option<Obstacle> {
        let site = self.ground.zone(zone);
        let taken = || (!self.inside[zone].is_empty()).then_some(Obstacle::Taken);
        match site.kind {
            ZoneKind::Blockade => Some(Obstacle::Blockade(zone)),
            ZoneKind::Room if !site.has_door_at(robot.position) || robot.build.size >= DOOR => Some(Obstacle::Wall),
            ZoneKind::Room => taken(),
            ZoneKind::Corridor if self.ground.map().one_bot_per_corridor_zone => taken(),
            ZoneKind::Corridor | ZoneKind::ChargingZone => None,
        }
    }

    /// Returns the wall of a room, if the robot would leave the room through it.
    fn wall_behind(&self, robot: &Robot, next: Point) -> Option<Obstacle> {
        let left = robot.zones.iter().map(|zone| self.ground.zone(*zone));
        let mut rooms = left.filter(|site| site.kind == ZoneKind::Room && !site.bounds.contains(next));
        rooms.any(|site| !site.has_door_at(robot.position) && !site.has_door_at(next)).then_some(Obstacle::Wall)
    }

    /// Returns those of some robots to which a robot would come too close at this point, by index.
    pub(super) fn met(
        &self,
        index: usize,
        next: Point,
        others: impl Iterator<Item = usize>,
    ) -> impl Iterator<Item = usize> {
        let robot = &self.robots[index];
        let around = Rectangle::around(next, robot.build.size + 1.0, robot.build.size + 1.0);
        // A robot that overlaps another one may move away from it.
        others.filter(move |other| {
            let other = &self.robots[*other];
            other.entity != robot.entity
                && around.overlaps(&other.body())
                && next.apart(other.position) < robot.position.apart(other.position)
        })
    }

    /// Returns the robots that a robot can meet within this distance from a point, and some others, by index.
    pub(super) fn close_to<'a>(
        &self,
        index: usize,
        point: Point,
        distance: f64,
        nearby: &'a Nearby,
    ) -> impl Iterator<Item = usize> + use<'a> {
        let reach = (self.robots[index].build.size + nearby.largest + 1.0) / 2.0;
        nearby.close_to(point, reach + distance)
    }

    pub(super) fn halt(&mut self, index: usize, obstacle: &Obstacle) {
        if matches!(obstacle, Obstacle::Taken) && self.rules.wait_at_doors {
            return self.robots[index].rest();
        }
        let name = match obstacle {
            Obstacle::Taken | Obstacle::Wall => None,
            Obstacle::Blockade(zone) => Some(self.ground.zone(*zone).name.clone()),
            Obstacle::Robot(other) => Some(self.hit(*other, self.robots[index].name.clone())),
        };
        self.robots[index].stop(name);
    }

    /// Notes that a robot was hit by another one of this name. Returns its own name.
    fn hit(&mut self, index: usize, by: EcoString) -> EcoString {
        let robot = &mut self.robots[index];
        if robot.state == State::Traveling {
            robot.stop(Some(by));
        } else {
            robot.bump_into(Some(by));
        }
        robot.name.clone()
    }

    pub(super) fn is_room(&self, zone: ZoneIndex) -> bool {
        self.ground.zone(zone).kind == ZoneKind::Room
    }
}

fn no_robot() -> Failure {
    Failure::unsupported("only robots can move")
}
