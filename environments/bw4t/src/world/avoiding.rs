//! How robots make way for each other, if the rules ask for it.
//!
//! They keep right ([`super::lanes`]) and go through doors in turn ([`super::doors`]), so they seldom meet. If
//! another robot is nevertheless in its way, a robot waits a moment if that one is about to leave, and otherwise goes
//! around it. If there is no way around, it asks the robots in its way to leave ([`super::yielding`]).

use super::World;
use super::around::kept_from;
use super::maze::Maze;
use super::moving::Obstacle;
use super::nearby::Nearby;
use crate::geometry::{Point, Rectangle};
use crate::robot::{Robot, TOUCH};

/// Distance in units below which a point on the way from hall to hall counts as reached.
const PASSED: f64 = 0.75;

/// The same for a robot that cannot reach the point.
const PASSED_NEARLY: f64 = 3.5;

/// Distance within which a robot looks for a way around another one, in units on each side.
const SIGHT: f64 = 12.0;

/// Increase of [`crate::robot::Caution::stuck`] for each tick in which a robot is blocked.
const STUCK: u32 = 2;

/// The value of `stuck` from which a robot no longer waits for another one that goes its way.
pub(super) const PATIENCE: u32 = 8 * STUCK;

/// The value of `stuck` from which a robot asks others to leave even if there might be a way around them.
const URGENT: u32 = 40 * STUCK;

/// The value of `stuck` from which a robot gives up, if the robots in its way are parked there.
const HOPELESS: u32 = 100 * STUCK;

/// Minimum distance ahead on its way, in units, at which a robot returns to it after an evasion.
const NEAREST: usize = 2;

/// Number of points on its way to which it tries to return.
const TRIES: usize = 4;

/// Number of ticks between two searches for a way around other robots.
const LOOKS: u64 = 4;

impl World {
    /// Moves a robot on its way by a tick, or makes way.
    pub(super) fn go_on_among_others(&mut self, index: usize, nearby: &Nearby) {
        if self.pass_waypoints(index) {
            return;
        }
        let robot = &self.robots[index];
        let Some(waypoint) = robot.plan.front() else { return };
        let next = robot.position.towards(*waypoint, robot.stride());
        if next == robot.position {
            return self.robots[index].rest();
        }
        let escapes = self.robots[index].caution.escape > 0;
        let waits = self.has_to_wait(index, next) && !escapes;
        let request = self.request_of(index).filter(|request| waits || request.rank < self.rank(&self.robots[index]));
        if let Some(request) = request
            && self.get_out_of_the_way(index, next, &request, nearby)
        {
            return;
        }
        if waits {
            return self.wait_at_door(index, nearby);
        }
        match self.obstacle_on_ground(&self.robots[index], next) {
            None => self.go_or_meet(index, next, nearby),
            Some(Obstacle::Taken) if self.ground.map().one_bot_per_corridor_zone => {
                self.wait_for_hall(index, next, None)
            }
            Some(Obstacle::Taken) => self.wait_at_door(index, nearby),
            Some(obstacle) => self.find_back(index, &obstacle),
        }
    }

    /// Removes the points of its plan that a robot has reached. Returns whether that was the last one.
    fn pass_waypoints(&mut self, index: usize) -> bool {
        while let Some(waypoint) = self.robots[index].plan.front().copied() {
            let robot = &self.robots[index];
            if robot.position.distance(waypoint) >= self.passing_distance(robot) {
                return false;
            }
            let robot = &mut self.robots[index];
            robot.caution.detour = robot.caution.detour.saturating_sub(1);
            robot.caution.escape = robot.caution.escape.saturating_sub(1);
            robot.reach_waypoint();
        }
        true
    }

    /// Returns the distance at which the next point of its plan counts as reached. Points that lead around a robot or
    /// through a door, and the last point, must be reached exactly.
    fn passing_distance(&self, robot: &Robot) -> f64 {
        let (Some(waypoint), Some(after)) = (robot.plan.front(), robot.plan.get(1)) else { return TOUCH };
        if robot.caution.detour > 0 || robot.position.distance(*waypoint) > PASSED_NEARLY {
            return TOUCH;
        }
        let in_room = |point: Point| self.ground.zone_at(point).is_some_and(|zone| self.is_room(zone));
        if in_room(*waypoint) || in_room(*after) || in_room(robot.position) {
            return TOUCH;
        }
        if robot.caution.stuck > PATIENCE { PASSED_NEARLY } else { PASSED }
    }

    fn go_or_meet(&mut self, index: usize, next: Point, nearby: &Nearby) {
        let met: Vec<usize> = self.met(index, next, self.close_to(index, next, 0.0, nearby)).collect();
        if met.is_empty() { self.go(index, next) } else { self.meet(index, next, &met, nearby) }
    }

    pub(super) fn go(&mut self, index: usize, next: Point) {
        let occupied = self.revisions.occupied;
        let zones = self.robots[index].zones.clone();
        self.move_to(index, next);
        self.look_behind(index, &zones);
        let robot = &mut self.robots[index];
        robot.caution.stuck = robot.caution.stuck.saturating_sub(1);
        if self.revisions.occupied != occupied {
            let entity = self.robots[index].entity;
            self.look_ahead(entity);
        }
    }

    fn wait_at_door(&mut self, index: usize, nearby: &Nearby) {
        let robot = &self.robots[index];
        let (position, request) = (robot.position, self.request_of_door(robot));
        if request.is_some_and(|request| self.get_out_of_the_way(index, position, &request, nearby)) {
            return;
        }
        let robot = &self.robots[index];
        if self.rules.wait_at_doors || !self.is_taken_ahead(robot) {
            self.robots[index].rest();
        } else {
            self.halt(index, &Obstacle::Taken);
        }
    }

    fn wait_for_hall(&mut self, index: usize, next: Point, met: Option<usize>) {
        let robot = &mut self.robots[index];
        robot.caution.stuck = (robot.caution.stuck + STUCK).min(2 * HOPELESS);
        let (stuck, looks) = (robot.caution.stuck, (self.tick + u64::from(robot.id)).is_multiple_of(LOOKS));
        if looks && stuck >= PATIENCE {
            self.enter_taken_hall(index, next, met, stuck >= HOPELESS);
        } else {
            robot.rest();
        }
    }

    /// Handles robots where a robot wants to go: it waits, goes around them, asks them to leave, or gives up.
    fn meet(&mut self, index: usize, next: Point, met: &[usize], nearby: &Nearby) {
        if self.ground.map().one_bot_per_corridor_zone && self.robots[index].caution.stuck >= URGENT {
            return self.wait_for_hall(index, next, met.first().copied());
        }
        self.forget_escape(index);
        let caution = &mut self.robots[index].caution;
        caution.stuck = (caution.stuck + STUCK).min(2 * HOPELESS);
        let stuck = caution.stuck;
        let robot = &self.robots[index];
        if stuck < PATIENCE && met.iter().all(|other| goes_along(robot, &self.robots[*other])) {
            return self.robots[index].rest();
        }
        let pause = if stuck < URGENT { LOOKS } else { 4 * LOOKS };
        let looks = stuck == STUCK || (self.tick + u64::from(robot.id)).is_multiple_of(pause);
        if looks && let Some((plan, detour)) = self.way_past(index, nearby) {
            let robot = &mut self.robots[index];
            (robot.plan, robot.caution.detour, robot.caution.escape) = (plan.into(), detour, 0);
            let entity = robot.entity;
            self.look_ahead(entity);
            if stuck < URGENT {
                return self.robots[index].rest();
            }
        }
        if stuck >= HOPELESS && looks && self.gives_up(index, met) {
            return;
        }
        self.ask(index, next, met);
        self.robots[index].rest();
    }

    /// Removes a robot's plan to get out of another robot's way.
    fn forget_escape(&mut self, index: usize) {
        let robot = &mut self.robots[index];
        let escape = std::mem::take(&mut robot.caution.escape);
        robot.plan.drain(..escape);
        robot.caution.detour = robot.caution.detour.saturating_sub(escape);
    }

    /// Returns a plan that leads past all robots nearby, and the number of its points until the usual way continues.
    fn way_past(&self, index: usize, nearby: &Nearby) -> Option<(Vec<Point>, usize)> {
        let robot = &self.robots[index];
        let maze = self.maze_of_others(index, nearby);
        let ahead = points_ahead(robot).take_while(|(_, point)| maze.bounds.contains(*point)).enumerate();
        let ahead = ahead.filter(|(steps, (done, _))| *steps >= NEAREST || *done == robot.plan.len());
        let free = ahead.map(|(_, point)| point).filter(|(_, point)| maze.has_place_at(*point));
        let (done, places): (Vec<usize>, Vec<Point>) = free.step_by(NEAREST).take(TRIES).unzip();
        let (place, mut way) = maze.way_to_first(robot.position, &places)?;
        let detour = way.len();
        way.extend(robot.plan.range(done[place]..));
        Some((way, detour))
    }

    /// Returns the obstacles around a robot within its sight: walls, and all other robots.
    pub(super) fn maze_of_others(&self, index: usize, nearby: &Nearby) -> Maze<'_> {
        let robot = &self.robots[index];
        let bounds = Rectangle::around(robot.position, 2.0 * SIGHT, 2.0 * SIGHT).common(&self.ground.bounds());
        let others = self.close_to(index, robot.position, SIGHT, nearby).filter(|other| *other != index);
        let areas = others.map(|other| kept_from(robot, &self.robots[other])).collect();
        self.maze(robot, robot.plan.back().copied().unwrap_or(robot.position), bounds, areas)
    }

    /// Finds another way to its destination for a robot that has left its way, or stops it.
    fn find_back(&mut self, index: usize, obstacle: &Obstacle) {
        let robot = &self.robots[index];
        let goal = robot.plan.back().copied();
        let looks = self.tick.is_multiple_of(LOOKS);
        self.robots[index].caution.stuck += 1;
        if !looks {
            return self.robots[index].rest();
        }
        let robot = &self.robots[index];
        match goal.and_then(|goal| self.way_around(robot, goal)) {
            Some(plan) if robot.caution.stuck < HOPELESS => self.change_plan(index, plan),
            _ => self.halt(index, obstacle),
        }
    }

    pub(super) fn change_plan(&mut self, index: usize, plan: Vec<Point>) {
        let robot = &mut self.robots[index];
        (robot.caution.detour, robot.caution.escape) = (plan.len(), 0);
        robot.plan = plan.into();
        robot.rest();
        let entity = robot.entity;
        self.look_ahead(entity);
    }

    /// If some of the robots in its way are parked, a robot takes a completely different way, or stops if there is
    /// none. Returns whether it did either.
    fn gives_up(&mut self, index: usize, met: &[usize]) -> bool {
        let parked = |other: &&usize| self.robots[**other].is_parked();
        let Some(first) = met.iter().filter(parked).min().copied() else { return false };
        let robot = &self.robots[index];
        let way = robot.plan.back().and_then(|goal| self.way_around(robot, *goal));
        match way {
            None => self.halt(index, &Obstacle::Robot(first)),
            Some(plan) if met.iter().all(|other| parked(&other)) => self.change_plan(index, plan),
            // The others may leave.
            Some(_) => return false,
        }
        self.robots[index].caution.stuck = 0;
        true
    }
}

/// Returns the points on the rest of a robot's way in steps of a unit, each with the number of points of its plan
/// before it.
fn points_ahead(robot: &Robot) -> impl Iterator<Item = (usize, Point)> + '_ {
    let (mut at, mut done) = (robot.position, 0);
    std::iter::from_fn(move || {
        let to = *robot.plan.get(done)?;
        at = at.towards(to, 1.0);
        done += usize::from(at == to);
        Some((done, at))
    })
}

/// Whether another robot moves in the same direction as this one, or crosses its way.
fn goes_along(robot: &Robot, other: &Robot) -> bool {
    let (Some(to), Some(other_to)) = (robot.plan.front(), other.plan.front()) else { return false };
    let one = Point::new(to.x - robot.position.x, to.y - robot.position.y);
    let two = Point::new(other_to.x - other.position.x, other_to.y - other.position.y);
    one.x * two.x + one.y * two.y >= 0.0 && other.stride() > 0.0
}
