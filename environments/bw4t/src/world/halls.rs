//! Making way from hall to hall, if a hall holds only one robot at a time: a robot whose next hall is taken takes
//! another way, or makes the robot in it leave.

use std::cmp::Ordering;

use situated::environment::EntityId;

use super::World;
use super::around::kept_from;
use super::avoiding::PATIENCE;
use super::moving::Obstacle;
use crate::geometry::{Point, Rectangle};
use crate::ground::ZoneIndex;
use crate::map::ZoneKind;
use crate::robot::Robot;

/// Maximum number of robots that must leave their halls in a chain.
const CHAIN: usize = 16;

/// Distance from the straight line within which a robot looks for a way out of its hall, in units.
const MARGIN: f64 = 10.0;

/// A robot that makes others leave their halls.
struct Asker {
    /// Its rank; the lower goes first.
    rank: (u64, EntityId),
    /// The halls on its way, which others must not enter.
    way: Vec<ZoneIndex>,
}

impl World {
    /// Handles a taken hall on a robot's way: the robot takes another way, makes the robot in it leave, or gives up
    /// if that one is parked there.
    pub(super) fn enter_taken_hall(&mut self, index: usize, next: Point, met: Option<usize>, is_hopeless: bool) {
        self.robots[index].rest();
        let robot = &self.robots[index];
        let Some(goal) = robot.plan.back().copied() else { return };
        let own = self.ground.nearest_zone(robot.position);
        let taken = || self.ground.zones_at(next).find_map(|zone| self.other_in(zone, robot));
        let Some(other) = met.or_else(taken) else { return };
        let (rank, other_rank) = (self.rank(robot), self.rank(&self.robots[other]));
        let parked = self.robots[other].is_parked();
        if parked || other_rank < rank {
            let open = |zone: ZoneIndex| {
                self.ground.zone(zone).kind != ZoneKind::Blockade && self.other_in(zone, robot).is_none()
            };
            if let Some(way) = self.ground.way_through(own, self.ground.nearest_zone(goal), open) {
                let centers = way.into_iter().map(|zone| self.ground.zone(zone).bounds.center);
                let plan = centers.chain([goal]).collect();
                return self.change_plan(index, plan);
            }
            if parked && is_hopeless {
                self.halt(index, &Obstacle::Robot(other));
            }
            return;
        }
        let way = [own].into_iter().chain(robot.plan.iter().take(3).filter_map(|point| self.ground.zone_at(*point)));
        let asker = Asker { rank, way: way.collect() };
        self.vacate(other, &asker, CHAIN);
    }

    /// Makes a robot leave its hall for one that is not on the asker's way, if there is one, and then continue. If
    /// all are taken, other robots leave theirs first.
    fn vacate(&mut self, index: usize, asker: &Asker, chain: usize) {
        let robot = &self.robots[index];
        let is_going = robot.caution.escape > 0 && robot.caution.stuck < PATIENCE;
        let own = self.ground.nearest_zone(robot.position);
        if robot.is_parked() || is_going || self.rank(robot) <= asker.rank || chain == 0 {
            return;
        }
        let goal = robot.plan.back().copied().unwrap_or(robot.position);
        let mut refuges: Vec<ZoneIndex> =
            self.ground.neighbours(own).filter(|zone| self.ground.zone(*zone).is_hall()).collect();
        refuges.retain(|zone| asker.way.first() != Some(zone));
        refuges.sort_by(|one, other| {
            let distance = |zone: &ZoneIndex| self.ground.zone(*zone).bounds.center.distance(goal);
            let taken = |zone: &ZoneIndex| self.other_in(*zone, robot).is_some();
            let in_the_way = |zone: &ZoneIndex| asker.way.contains(zone);
            let places = taken(one).cmp(&taken(other)).then(in_the_way(one).cmp(&in_the_way(other)));
            places.then(distance(one).partial_cmp(&distance(other)).unwrap_or(Ordering::Equal))
        });
        let Some(refuge) = refuges.first().copied() else { return };
        if let Some(other) = self.other_in(refuge, robot) {
            let way = [own].into_iter().chain(asker.way.iter().copied()).collect();
            return self.vacate(other, &Asker { rank: asker.rank, way }, chain - 1);
        }
        let [here, there] = [own, refuge].map(|zone| self.ground.zone(zone).bounds.center);
        let way = self.way_out_of_hall(robot, there).unwrap_or_else(|| vec![here, there]);
        let Some(on) = self.ground.way(refuge, self.ground.nearest_zone(goal), true) else {
            return;
        };
        let on: Vec<Point> = on.into_iter().map(|zone| self.ground.zone(zone).bounds.center).collect();
        let robot = &mut self.robots[index];
        (robot.caution.escape, robot.caution.detour, robot.caution.stuck) = (way.len(), way.len(), 0);
        robot.plan = way.into_iter().chain(on).chain([goal]).collect();
    }

    fn way_out_of_hall(&self, robot: &Robot, there: Point) -> Option<Vec<Point>> {
        let bounds = Rectangle::around_both(robot.position, there).grown(MARGIN).common(&self.ground.bounds());
        let others = self.robots.iter().filter(|other| other.entity != robot.entity && bounds.contains(other.position));
        let others = others.map(|other| kept_from(robot, other)).collect();
        self.maze(robot, there, bounds, others).way(robot.position, there)
    }

    /// Returns the other robot in a hall that holds one.
    fn other_in(&self, zone: ZoneIndex, robot: &Robot) -> Option<usize> {
        let is_corridor = self.ground.zone(zone).kind == ZoneKind::Corridor;
        let mut others = self.inside[zone].iter().filter(|entity| is_corridor && **entity != robot.entity);
        others.next().and_then(|entity| self.index(*entity))
    }
}
