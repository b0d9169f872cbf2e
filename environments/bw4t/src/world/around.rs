//! Finding another way for a robot to its destination, around obstacles.

use std::iter::once;

use situated::environment::{EntityId, Failure};

use super::World;
use super::maze::{Maze, Wall};
use crate::geometry::{Point, Rectangle};
use crate::ground::{DOOR, Site};
use crate::map::ZoneKind;
use crate::robot::Robot;

/// Maximum distance of other robots that a robot takes into account, in units in each direction.
const SIGHT: f64 = 30.0;

/// Distance beyond the goal within which a robot first looks for ways, in units on each side, before it searches the
/// whole world.
const MARGIN: f64 = 30.0;

/// Maximum length of a way that soon returns to the usual one, relative to the shortest way.
const USUAL: f64 = 1.25;

impl World {
    /// Looks for another way to a robot's last destination, around the obstacles that it bumped into and around
    /// robots nearby. If there is a way, the robot takes it, and forgets the obstacles, as they forget it. Otherwise
    /// it notes that there is none, and nothing else changes.
    ///
    /// # Errors
    /// Returns an error if the robot was never sent anywhere.
    pub fn navigate_obstacles(&mut self, entity: EntityId) -> Result<(), Failure> {
        let robot = self.body(entity)?;
        let goal = robot.goal.ok_or_else(|| Failure::new(format!("{} has no destination yet", robot.name)))?;
        let (name, bumped) = (robot.name.clone(), robot.bumped.clone());
        let Some(plan) = self.way_around(robot, goal) else {
            let robot = self.body_mut(entity)?;
            robot.unreachable = true;
            robot.revision += 1;
            return Ok(());
        };
        let exact = plan.len();
        self.send_exactly(entity, plan)?;
        self.body_mut(entity)?.caution.detour = exact;
        for other in self.robots.iter_mut().filter(|other| bumped.contains(&other.name)) {
            other.bumped.retain(|bumped| *bumped != name);
            other.revision += 1;
        }
        Ok(())
    }

    /// Returns the points of a way to a goal around the robots and blockades that block a robot.
    pub(super) fn way_around(&self, robot: &Robot, goal: Point) -> Option<Vec<Point>> {
        let is_near = |other: &&Robot| robot.position.apart(other.position) <= SIGHT;
        let stands = |other: &&Robot| other.is_parked() || robot.bumped.contains(&other.name);
        let others = self.robots.iter().filter(|other| other.entity != robot.entity).filter(is_near).filter(stands);
        let others: Vec<Rectangle> = others.map(|other| kept_from(robot, other)).collect();
        let usual: Vec<Point> = [&robot.plan, &robot.left]
            .into_iter()
            .find(|plan| !plan.is_empty())
            .map_or_else(|| vec![goal], |plan| plan.iter().copied().collect());
        let world = self.ground.bounds();
        let near = Rectangle::around_both(robot.position, goal).grown(MARGIN);
        let tries = [(near.common(&world), false), (world, false), (world, true)];
        tries.into_iter().find_map(|(bounds, through_rooms)| {
            let mut maze = self.maze(robot, goal, bounds, others.clone());
            if through_rooms {
                self.open_empty_rooms(robot, &mut maze);
            }
            plan_around(&maze, robot, &usual)
        })
    }

    /// Returns the obstacles around a robot within some bounds: walls, and these other robots. Rooms on its way are
    /// open.
    pub(super) fn maze(&self, robot: &Robot, goal: Point, bounds: Rectangle, others: Vec<Rectangle>) -> Maze<'_> {
        let one_robot = self.ground.map().one_bot_per_corridor_zone;
        let walls = self.ground.zones_in(&bounds).into_iter().filter_map(|zone| {
            let site = self.ground.zone(zone);
            let mut way = robot.plan.iter().chain(&robot.left).chain([&goal]);
            let mut is_on_way = || robot.zones.contains(&zone) || way.any(|point| site.bounds.contains(*point));
            match site.kind {
                ZoneKind::Room => Some(Wall { site, open: robot.build.size < DOOR && is_on_way() }),
                ZoneKind::Blockade => Some(Wall { site, open: false }),
                ZoneKind::Corridor if one_robot && !self.inside[zone].is_empty() && !is_on_way() => {
                    Some(Wall { site, open: false })
                }
                ZoneKind::Corridor | ZoneKind::ChargingZone => None,
            }
        });
        Maze { bounds, walls: walls.collect(), others }
    }

    /// Allows ways through empty rooms.
    fn open_empty_rooms(&self, robot: &Robot, maze: &mut Maze<'_>) {
        let is_empty = |room: &Site| self.ground.find(&room.name).is_none_or(|room| self.inside[room].is_empty());
        for wall in maze.walls.iter_mut().filter(|wall| wall.site.kind == ZoneKind::Room) {
            wall.open |= robot.build.size < DOOR && is_empty(wall.site);
        }
    }
}

/// Returns a way to the end of the usual one that rejoins it behind the obstacle, or a much shorter way.
fn plan_around(maze: &Maze<'_>, robot: &Robot, usual: &[Point]) -> Option<Vec<Point>> {
    let goal = *usual.last()?;
    let direct = maze.way(robot.position, goal)?;
    let (back, rest) = clear_end(maze, robot, usual);
    if back == robot.position {
        return Some(usual.to_vec());
    }
    let plan = maze.way(robot.position, back).map(|way| way.into_iter().chain(rest.iter().copied()).collect());
    let plan = plan.filter(|plan: &Vec<Point>| length(robot.position, plan) <= USUAL * length(robot.position, &direct));
    Some(plan.unwrap_or(direct))
}

/// Returns the first point on a way after which nothing blocks it, searched in steps of a unit, and the points of the
/// way after it.
fn clear_end<'a>(maze: &Maze<'_>, robot: &Robot, way: &'a [Point]) -> (Point, &'a [Point]) {
    let mut at = way.len() - 1;
    let before = |at: usize| if at == 0 { robot.position } else { way[at - 1] };
    let is_clear = |from: Point, to: Point| maze.is_clear(from, to, robot.stride());
    while at > 0 && is_clear(before(at), way[at]) {
        at -= 1;
    }
    let (mut back, end) = (way[at], before(at));
    loop {
        let next = back.towards(end, 1.0);
        if next == back || !is_clear(next, back) {
            return (back, &way[at + usize::from(back == way[at])..]);
        }
        back = next;
    }
}

/// Returns the area that another robot closes to the centre of a robot. If the centre is already inside, the robot
/// can only not come closer.
pub(super) fn kept_from(robot: &Robot, other: &Robot) -> Rectangle {
    let nearest = robot.clearance(other).min(robot.position.apart(other.position));
    Rectangle::around(other.position, 2.0 * nearest, 2.0 * nearest)
}

/// Returns the length of a way.
fn length(from: Point, way: &[Point]) -> f64 {
    once(&from).chain(way).zip(way).map(|(here, there)| here.distance(*there)).sum()
}
