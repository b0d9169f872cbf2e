//! Robots that go to random places, one after another.
#![allow(dead_code, reason = "the example `journeys` does not need all of it")]

use situated::environment::EntityId;
use situated::random::Random;
use situated_bw4t::Map;
use situated_bw4t::geometry::Point;
use situated_bw4t::ground::{Ground, ZoneIndex};
use situated_bw4t::map::{Spawn, Standard, ZoneKind};
use situated_bw4t::robot::{Build, Robot, State, TOUCH};
use situated_bw4t::world::{Collisions, Rules, World};

/// An environment with robots, and statistics about them.
pub(crate) struct Crowd {
    pub(crate) world: World,
    pub(crate) random: Random,
    /// The kinds of zones to which robots go.
    pub(crate) goals: Vec<ZoneKind>,
    /// Whether a blocked robot looks for a way around the obstacle before it gets another destination.
    pub(crate) navigates: bool,
    /// Number of arrivals of all robots.
    pub(crate) journeys: usize,
    /// Number of arrivals of each robot.
    pub(crate) arrivals: Vec<usize>,
    /// The destination of each robot.
    pub(crate) wanted: Vec<Option<Point>>,
}

impl Crowd {
    /// Creates robots with these properties in the middle of random halls, in different ones if there are enough.
    pub(crate) fn new(mut map: Map, builds: &[Build], rules: Rules, goals: &[ZoneKind], seed: u64) -> Self {
        let mut random = Random::new(seed);
        let halls = map.zones.iter().filter(|zone| zone.kind == ZoneKind::Corridor);
        let mut halls: Vec<Point> = halls.map(|zone| zone.bounds.center).collect();
        random.shuffle(&mut halls);
        map.spawns = halls.into_iter().cycle().take(builds.len()).map(spawn).collect();
        let (arrivals, wanted) = (vec![0; builds.len()], vec![None; builds.len()]);
        Self {
            world: world(map, builds, rules),
            random,
            goals: goals.to_vec(),
            navigates: false,
            journeys: 0,
            arrivals,
            wanted,
        }
    }

    /// Creates this number of default robots in the halls of Rainbow.
    pub(crate) fn in_halls(count: usize, collisions: Collisions, seed: u64) -> Self {
        let rules = Rules { collisions, ..Rules::default() };
        Self::new(Standard::Rainbow.map(), &vec![Build::default(); count], rules, &[ZoneKind::Corridor], seed)
    }

    pub(crate) fn run(&mut self, ticks: u64) {
        (0..ticks).for_each(|_| self.step());
    }

    pub(crate) fn step(&mut self) {
        self.give_goals();
        self.world.tick();
    }

    /// Sends robots without a destination to new ones.
    pub(crate) fn give_goals(&mut self) {
        for index in 0..self.world.robots().len() {
            let robot = &self.world.robots()[index];
            if robot.state == State::Traveling {
                continue;
            }
            if robot.state == State::Collided && self.navigates && self.finds_way(index) {
                continue;
            }
            let robot = &self.world.robots()[index];
            if robot.state == State::Arrived
                && let Some(wanted) = self.wanted[index]
            {
                assert!(robot.position.distance(wanted) < TOUCH, "it did not arrive at {wanted:?}: {robot:?}");
                self.journeys += 1;
                self.arrivals[index] += 1;
            }
            let zone = self.draw_goal(robot.zones.first().copied());
            self.send(index, zone);
        }
    }

    /// Sends a robot to the centre of a zone.
    pub(crate) fn send(&mut self, index: usize, zone: ZoneIndex) {
        self.wanted[index] = Some(self.world.ground().zone(zone).bounds.center);
        self.world.go_to_zone(self.world.robots()[index].entity, zone).expect("a way");
    }

    fn finds_way(&mut self, index: usize) -> bool {
        self.world.navigate_obstacles(entity(index)).expect("it was sent somewhere");
        self.world.robots()[index].state == State::Traveling
    }

    fn draw_goal(&mut self, from: Option<ZoneIndex>) -> ZoneIndex {
        let random = &mut self.random;
        let zones = self.world.ground().zones();
        loop {
            let zone = random.index(zones.len());
            if self.goals.contains(&zones[zone].kind) && Some(zone) != from {
                return zone;
            }
        }
    }
}

/// Creates an environment without blocks on a map, with a robot of each build at the map's starting points.
pub(crate) fn world(map: Map, builds: &[Build], rules: Rules) -> World {
    let filling = Map { random_blocks: 0, random_sequence: 0, ..map.clone() }.fill(&mut Random::new(0));
    let mut world = World::new(Ground::from(map), filling, rules);
    for (index, build) in builds.iter().enumerate() {
        world.add_robot(entity(index), format!("Bot_{}", index + 1).into(), build.clone(), index, false);
    }
    world
}

/// The entity of this number.
pub(crate) fn entity(index: usize) -> EntityId {
    serde_json::from_value(index.into()).expect("a number")
}

pub(crate) fn spawn(position: Point) -> Spawn {
    Spawn { name: "-".to_owned(), position, kind: "NORMAL".to_owned() }
}

/// Returns the fault in the transition between two successive states, if there is one.
pub(crate) fn fault(before: &[Robot], world: &World) -> Option<String> {
    let ground = world.ground();
    for (index, robot) in world.robots().iter().enumerate() {
        let was = &before[index];
        for (other, other_was) in world.robots()[..index].iter().zip(before) {
            let apart = |one: &Robot, other: &Robot| {
                let (x, y) = (one.position.x - other.position.x, one.position.y - other.position.y);
                x.abs().max(y.abs())
            };
            let (now, then) = (apart(robot, other), apart(was, other_was));
            if now < robot.clearance(other) - 1e-9 && now < then - 1e-9 {
                return Some(format!("{} and {} are {now} apart", robot.name, other.name));
            }
        }
        for zone in robot.zones.iter().chain(&was.zones) {
            let site = ground.zone(*zone);
            let crossed = robot.zones.contains(zone) != was.zones.contains(zone);
            let by_door = site.has_door_at(robot.position) || site.has_door_at(was.position);
            if site.kind == ZoneKind::Blockade || (site.kind == ZoneKind::Room && crossed && !by_door) {
                return Some(format!("{} goes through the wall of {}", robot.name, site.name));
            }
            if site.kind == ZoneKind::Room && world.inside(*zone).count() > 1 {
                return Some(format!("more than one robot is in {}", site.name));
            }
        }
    }
    None
}
