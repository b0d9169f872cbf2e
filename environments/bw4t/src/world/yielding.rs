//! How robots leave each other's way on request.
//!
//! The robot that has been on its way for longer goes first. The other steps aside, or away if it cannot, and passes
//! the request on to robots in its own way. If that does not help, it looks for a way out among all robots nearby.

use situated::environment::EntityId;

use super::World;
use super::moving::Obstacle;
use super::nearby::Nearby;
use crate::geometry::Point;
use crate::ground::ZoneIndex;
use crate::robot::{Request, Robot, STRIDE, TOUCH};

/// Number of ticks for which a robot tries to leave step by step, before it looks for a way out.
const ESCAPES: u64 = 12;

/// Maximum number of places that it then tries to reach.
const MOST_PLACES: usize = 8;

/// The directions in which a robot leaves.
const DIRECTIONS: [Point; 8] = [
    Point::new(1.0, 0.0),
    Point::new(DIAGONAL, DIAGONAL),
    Point::new(0.0, 1.0),
    Point::new(-DIAGONAL, DIAGONAL),
    Point::new(-1.0, 0.0),
    Point::new(-DIAGONAL, -DIAGONAL),
    Point::new(0.0, -1.0),
    Point::new(DIAGONAL, -DIAGONAL),
];

const DIAGONAL: f64 = std::f64::consts::FRAC_1_SQRT_2;

impl World {
    /// Asks the robots in the way of a robot to leave it.
    pub(super) fn ask(&mut self, index: usize, next: Point, met: &[usize]) {
        let robot = &self.robots[index];
        let distance = robot.position.distance(next);
        let heading = Point::new((next.x - robot.position.x) / distance, (next.y - robot.position.y) / distance);
        let rank = self.request_of(index).map_or(self.rank(robot), |request| request.rank.min(self.rank(robot)));
        let (from, tick) = (robot.position, self.tick);
        for other in met {
            let clearance = self.robots[index].clearance(&self.robots[*other]);
            let before = self.request_of(*other);
            let since = before.map_or(tick, |before| before.since);
            let request = Request { tick, since, from, heading, clearance, rank };
            if before.is_none_or(|before| rank <= before.rank) {
                self.robots[*other].caution.asked = Some(request);
            }
        }
    }

    /// Returns the recent request to a robot.
    pub(super) fn request_of(&self, index: usize) -> Option<Request> {
        self.robots[index].caution.asked.filter(|request| request.tick + 2 >= self.tick)
    }

    /// Returns the rank of a robot: the lower goes first. A robot that leaves a room goes before all others.
    pub(super) fn rank(&self, robot: &Robot) -> (u64, EntityId) {
        let in_room = |zone: &ZoneIndex| self.is_room(*zone);
        let comes_out = robot.caution.behind.is_some() || (robot.zones.iter().any(in_room) && !self.ends_here(robot));
        if comes_out { (0, robot.entity) } else { robot.rank() }
    }

    /// Whether a robot is in the zone in which its way ends.
    fn ends_here(&self, robot: &Robot) -> bool {
        robot.goal.is_none_or(|goal| self.ground.zones_at(goal).eq(robot.zones.iter().copied()))
    }

    /// Moves a robot out of another robot's way, if it is in it. Returns whether it was.
    pub(super) fn get_out_of_the_way(&mut self, index: usize, next: Point, request: &Request, nearby: &Nearby) -> bool {
        let robot = &self.robots[index];
        if robot.caution.escape > 0 {
            return false;
        }
        if !is_in_the_way(request, robot.position) {
            let goes_in = is_in_the_way(request, next);
            if goes_in {
                self.robots[index].rest();
            }
            return goes_in;
        }
        let asked_for = self.tick - request.since;
        if asked_for % ESCAPES == ESCAPES - 1
            && let Some(way) = self.way_out(index, request, nearby)
        {
            let robot = &mut self.robots[index];
            robot.caution.escape = way.len();
            robot.caution.detour += way.len();
            robot.plan = way.into_iter().chain(robot.plan.iter().copied()).collect();
            robot.rest();
            return true;
        }
        let steps = self.steps_aside(robot, request);
        let close: Vec<usize> = self.close_to(index, robot.position, STRIDE, nearby).collect();
        let mut crowded = None;
        let free = steps.into_iter().find(|step| match self.obstacle_among(index, *step, close.iter().copied()) {
            None => true,
            Some(Obstacle::Robot(_)) => {
                crowded.get_or_insert(*step);
                false
            }
            Some(_) => false,
        });
        if let Some(step) = free {
            self.go(index, step);
        } else {
            if let Some(step) = crowded {
                let met: Vec<usize> = self.met(index, step, close.into_iter()).collect();
                self.ask(index, step, &met);
            }
            self.robots[index].rest();
        }
        true
    }

    /// Returns a way around all robots nearby to a place where the robot is not in the asker's way.
    fn way_out(&self, index: usize, request: &Request, nearby: &Nearby) -> Option<Vec<Point>> {
        let robot = &self.robots[index];
        let maze = self.maze_of_others(index, nearby);
        let (at, step) = (robot.position, request.clearance);
        let places = (1..=4).flat_map(|far| {
            let distance = f64::from(far) * step;
            DIRECTIONS.map(|direction| Point::new(at.x + direction.x * distance, at.y + direction.y * distance))
        });
        let places = places.filter(|place| maze.bounds.contains(*place) && !is_in_the_way(request, *place));
        let places = places.filter(|place| maze.has_place_at(*place) && !self.leads_into_room(robot, *place));
        let places: Vec<Point> = places.take(MOST_PLACES).collect();
        maze.way_to_first(at, &places).map(|(_, way)| way)
    }

    /// Returns the steps by which a robot can leave the way of another one, the best first: to the side, or else away
    /// from it.
    fn steps_aside(&self, robot: &Robot, request: &Request) -> Vec<Point> {
        let (at, stride) = (robot.position, robot.stride());
        let steps = DIRECTIONS.map(|direction| Point::new(at.x + direction.x * stride, at.y + direction.y * stride));
        let worth_of = |point: Point| (worth(request, point), request.from.apart(point));
        let now = worth_of(at);
        let steps = steps.into_iter().map(|step| (worth_of(step), step));
        let better = steps.filter(|(worth, _)| worth.0 > now.0 || worth.1 > now.1);
        let mut steps: Vec<_> = better.filter(|(_, step)| !self.leads_into_room(robot, *step)).collect();
        steps.sort_by(|((one, one_apart), _), ((other, other_apart), _)| {
            let aside = (*other > now.0).cmp(&(*one > now.0));
            let further = if *one > now.0 { other.total_cmp(one) } else { other_apart.total_cmp(one_apart) };
            aside.then(further)
        });
        steps.into_iter().map(|(_, step)| step).collect()
    }

    fn leads_into_room(&self, robot: &Robot, next: Point) -> bool {
        !robot.uniform.0.contains(next)
            && self.ground.zones_at(next).any(|zone| self.is_room(zone) && !robot.zones.contains(&zone))
    }
}

/// Whether a robot at this point is in the asker's way.
fn is_in_the_way(request: &Request, point: Point) -> bool {
    // Diagonally, a square is wider than along the axes.
    let width = request.clearance * (request.heading.x.abs() + request.heading.y.abs());
    let (aside, ahead) = from_way(request, point);
    aside < width + TOUCH && ahead > -request.clearance
}

/// Returns the value of a point for a robot that leaves the way: further aside is better, and further ahead is
/// slightly better.
fn worth(request: &Request, point: Point) -> f64 {
    let (aside, ahead) = from_way(request, point);
    aside + 0.1 * ahead
}

/// Returns the distance of a point to the side of the asker's way, and ahead of the asker.
fn from_way(request: &Request, point: Point) -> (f64, f64) {
    let (x, y) = (point.x - request.from.x, point.y - request.from.y);
    let aside = (x * request.heading.y - y * request.heading.x).abs();
    (aside, x * request.heading.x + y * request.heading.y)
}
