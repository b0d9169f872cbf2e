//! A robot arrives at every destination: from any point where a robot can be to any other.

use crate::crowd::{entity, spawn, world};
use situated::random::Random;
use situated_bw4t::Map;
use situated_bw4t::geometry::{Point, Rectangle};
use situated_bw4t::ground::Ground;
use situated_bw4t::map::{Spawn, Standard, Zone, ZoneKind};
use situated_bw4t::robot::{Build, State, TOUCH};
use situated_bw4t::world::{Collisions, Rules, World};

/// Number of robots on each map, one after another. Optimized builds have time for more.
const ROBOTS: u64 = if cfg!(debug_assertions) { 4 } else { 100 };

/// Number of journeys of each robot.
const JOURNEYS: usize = 80;

const ALL: [Collisions; 3] = [Collisions::Off, Collisions::Stop, Collisions::Avoid];

/// Creates an environment with one robot at a place.
fn robot_at(map: Map, place: Point, build: Build, rules: Rules) -> World {
    world(Map { spawns: vec![spawn(place)], ..map }, &[build], rules)
}

/// Sends the robot to a point, and returns the number of ticks until it arrives.
fn go(world: &mut World, to: Point) -> u64 {
    let (from, begin) = (world.robots()[0].position, world.tick_count());
    world.go_to_point(entity(0), to).expect("a way");
    arrive(world, from, to);
    world.tick_count() - begin
}

fn arrive(world: &mut World, from: Point, to: Point) {
    let begin = world.tick_count();
    while world.robots()[0].state == State::Traveling && world.tick_count() < begin + 10_000 {
        world.tick();
    }
    let robot = &world.robots()[0];
    let is_there = robot.state == State::Arrived && robot.position.distance(to) < TOUCH;
    let how = (world.rules(), &robot.build);
    assert!(is_there, "from {from:?} to {to:?}: {:?} at {:?}, {how:?}", robot.state, robot.position);
}

#[test]
fn goes_out_of_a_room_to_a_point_beside_its_door() {
    let places = [
        ((11.0, 11.0), (11.0, 9.0)),
        ((15.0, 55.0), (11.0, 49.0)),
        ((15.0, 55.0), (19.0, 49.0)),
        ((15.0, 55.0), (12.0, 48.0)),
        ((15.0, 55.0), (11.0, 46.0)),
        ((25.0, 75.0), (30.0, 68.0)),
        ((25.0, 75.0), (20.0, 69.0)),
    ];
    for ((x, y), (to_x, to_y)) in places {
        for collisions in ALL {
            let rules = Rules { collisions, ..Rules::default() };
            let mut world = robot_at(Standard::Rainbow.map(), Point::new(x, y), Build::default(), rules);
            let ticks = go(&mut world, Point::new(to_x, to_y));
            // The original takes 24 ticks to the centre of the room, 41 to that of the hall, and 24 to the point.
            let as_in_the_original = (x, y) == (11.0, 11.0) && collisions != Collisions::Avoid;
            assert!(!as_in_the_original || ticks == 89, "{ticks} ticks, not 89");
        }
    }
}

/// Draws a point at which a robot can be: anywhere, near a door, or on the lines of the map.
fn draw_point(world: &World, random: &mut Random) -> Point {
    let (ground, size) = (world.ground(), world.ground().size());
    loop {
        let doors: Vec<&Rectangle> = ground.zones().iter().flat_map(|zone| &zone.doors).collect();
        let around = random.choose(&doors).filter(|_| random.chance(0.4));
        let mut draw = |center: Option<f64>, most: f64| match center {
            Some(center) => center + random.unit() * 12.0 - 6.0,
            None => random.unit() * most,
        };
        let (x, y) = (draw(around.map(|door| door.center.x), size.x), draw(around.map(|door| door.center.y), size.y));
        let point = if random.chance(0.5) { Point::new(x.round(), y.round()) } else { Point::new(x, y) };
        if can_stand_at(world, point) {
            return point;
        }
    }
}

fn can_stand_at(world: &World, point: Point) -> bool {
    let ground = world.ground();
    ground.has(point) && ground.zones_at(point).all(|zone| ground.zone(zone).kind != ZoneKind::Blockade)
}

fn travel(map: &Map, rules: Rules, seed: u64) {
    let mut random = Random::new(seed);
    let build =
        Build { size: 1.0 + random.index(3) as f64, speed: [0.5, 1.0, 0.3][random.index(3)], ..Build::default() };
    let start = map.spawns.first().map_or(Point::default(), |spawn: &Spawn| spawn.position);
    let mut world = robot_at(map.clone(), start, build, rules);
    for _ in 0..JOURNEYS {
        let to = draw_point(&world, &mut random);
        let zone = world.ground().nearest_zone(to);
        let (from, center) = (world.robots()[0].position, world.ground().zone(zone).bounds.center);
        if random.chance(0.7) || !can_stand_at(&world, center) {
            go(&mut world, to);
        } else {
            world.go_to_zone(entity(0), zone).expect("a way");
            arrive(&mut world, from, center);
        }
    }
}

#[test]
fn arrives_from_any_point_at_any_other() {
    for collisions in ALL {
        let rules = Rules { collisions, ..Rules::default() };
        for seed in 0..ROBOTS {
            travel(&Standard::Rainbow.map(), rules, seed);
            travel(&Map::generated(3, 2, 1, 0), rules, seed);
        }
    }
}

/// Ways are searched once for all destinations.
#[test]
fn remembers_the_ways_that_a_search_for_one_destination_finds() {
    for map in [Standard::Rainbow.map(), with_blockades(), Map::generated(5, 4, 1, 0)] {
        let ground = Ground::from(map);
        let zones = 0..ground.zones().len();
        for (from, to) in zones.clone().flat_map(|from| zones.clone().map(move |to| (from, to))) {
            let open = |zone: usize| ground.zone(zone).kind != ZoneKind::Blockade;
            assert_eq!(ground.way(from, to, false), ground.way_through(from, to, |_| true));
            assert_eq!(ground.way(from, to, true), ground.way_through(from, to, open));
        }
    }
}

#[test]
fn arrives_around_blockades_if_it_plans_around_them() {
    let map = with_blockades();
    for collisions in ALL {
        let rules = Rules { collisions, around_blockades: true, ..Rules::default() };
        (0..ROBOTS).for_each(|seed| travel(&map, rules, seed));
    }
}

fn with_blockades() -> Map {
    let mut map = Standard::Rainbow.map();
    for (x, y) in [(35.0, 62.0), (5.0, 30.0), (25.0, 3.0)] {
        map.zones.push(Zone {
            name: format!("Blockade{x}"),
            kind: ZoneKind::Blockade,
            bounds: Rectangle::around(Point::new(x, y), 4.0, 5.0),
            blocks: Vec::new(),
            doors: Vec::new(),
            neighbours: Vec::new(),
            label_visible: true,
        });
    }
    map
}
