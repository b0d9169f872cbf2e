//! Robots that meet: they stop as in the original, or make way without ever freezing.

use crate::crowd::{Crowd, entity, fault, spawn, world};
use situated_bw4t::Map;
use situated_bw4t::geometry::{Point, Rectangle};
use situated_bw4t::map::{Standard, Zone, ZoneKind};
use situated_bw4t::robot::{Build, Robot, State};
use situated_bw4t::world::{Collisions, Rules, World};

/// Number of seeds for a property. Optimized builds have time for more.
const SEEDS: u64 = if cfg!(debug_assertions) { 3 } else { 40 };

/// Number of ticks.
const TICKS: u64 = if cfg!(debug_assertions) { 4_000 } else { 20_000 };

/// Number of ticks without an arrival after which a moving robot counts as frozen.
const FROZEN: u64 = 3_000;

const HALLS: &[ZoneKind] = &[ZoneKind::Corridor];
const ANYWHERE: &[ZoneKind] = &[ZoneKind::Corridor, ZoneKind::Room];

fn rules(collisions: Collisions) -> Rules {
    Rules { collisions, wait_at_doors: true, ..Rules::default() }
}

/// Rainbow with robots at these positions.
fn robots_at(places: &[(f64, f64)], collisions: Collisions) -> World {
    let mut map = Standard::Rainbow.map();
    map.spawns = places.iter().map(|(x, y)| spawn(Point::new(*x, *y))).collect();
    world(map, &vec![Build::default(); places.len()], Rules { collisions, ..Rules::default() })
}

fn go(world: &mut World, index: usize, x: f64, y: f64) {
    world.go_to_point(entity(index), Point::new(x, y)).expect("a way");
}

fn go_to(world: &mut World, index: usize, zone: &str) {
    let zone = world.ground().find(zone).expect("a zone");
    world.go_to_zone(entity(index), zone).expect("a way");
}

fn run(world: &mut World, ticks: u64) {
    (0..ticks).for_each(|_| world.tick());
}

/// Returns the number of ticks until a robot is no longer traveling.
fn ticks_until_it_stops(world: &mut World, index: usize, most: u64) -> u64 {
    let mut ticks = 0;
    while world.robots()[index].state == State::Traveling && ticks < most {
        world.tick();
        ticks += 1;
    }
    ticks
}

fn state(world: &World, index: usize) -> (State, Point) {
    let robot = &world.robots()[index];
    (robot.state, robot.position)
}

/// Checks that a robot has arrived, and is at its destination.
fn assert_arrived_at(world: &World, index: usize, x: f64, y: f64) {
    let (state, position) = state(world, index);
    let apart = position.distance(Point::new(x, y));
    assert!(state == State::Arrived && apart <= 0.001, "{state:?} at {position:?}, not arrived at ({x}, {y})");
}

fn assert_stops_at(world: &World, index: usize, x: f64, y: f64) {
    let (state, position) = state(world, index);
    assert_eq!(state, State::Collided);
    assert!(position.distance(Point::new(x, y)) <= 0.01, "{position:?}");
}

#[test]
fn check_20_a_hall_holds_one_robot() {
    let mut map = Standard::Rainbow.map();
    map.one_bot_per_corridor_zone = true;
    map.spawns = [(25.0, 65.0), (5.0, 65.0)].map(|(x, y)| spawn(Point::new(x, y))).into();
    let mut world = world(map, &vec![Build::default(); 2], Rules::default());
    go_to(&mut world, 0, "LeftHallD");
    run(&mut world, 62);
    assert_stops_at(&world, 0, 10.0, 65.0);
    assert!(world.robots()[0].bumped.is_empty());
    go_to(&mut world, 1, "LeftHallC");
    run(&mut world, 100);
    assert_stops_at(&world, 0, 10.0, 65.0);
    go_to(&mut world, 0, "LeftHallD");
    let ticks = ticks_until_it_stops(&mut world, 0, 200);
    assert_arrived_at(&world, 0, 5.0, 65.0);
    assert_eq!(ticks, 143);
}

#[test]
fn check_21_without_collisions_robots_swap_places() {
    let mut world = robots_at(&[(15.0, 65.0), (35.0, 65.0)], Collisions::Off);
    go(&mut world, 0, 35.0, 65.0);
    go(&mut world, 1, 15.0, 65.0);
    run(&mut world, 83);
    assert_arrived_at(&world, 0, 35.0, 65.0);
    assert_arrived_at(&world, 1, 15.0, 65.0);
    assert!(world.robots().iter().all(|robot| robot.bumped.is_empty()));
}

#[test]
fn check_21_with_collisions_both_stop() {
    let mut world = robots_at(&[(15.0, 65.0), (35.0, 65.0)], Collisions::Stop);
    go(&mut world, 0, 35.0, 65.0);
    go(&mut world, 1, 15.0, 65.0);
    run(&mut world, 35);
    assert!(world.robots().iter().all(|robot| robot.state == State::Traveling));
    run(&mut world, 1);
    assert_stops_at(&world, 0, 23.75, 65.0);
    assert_stops_at(&world, 1, 26.25, 65.0);
    assert_eq!(world.robots()[0].bumped, ["Bot_2"]);
    assert_eq!(world.robots()[1].bumped, ["Bot_1"]);
}

#[test]
fn check_22_around_a_parked_robot() {
    let mut world = robots_at(&[(22.5, 65.0), (25.0, 65.0)], Collisions::Stop);
    go_to(&mut world, 0, "RightHallD");
    run(&mut world, 5);
    assert_stops_at(&world, 0, 22.5, 65.0);
    assert_eq!(world.robots()[0].bumped, ["Bot_2"]);
    assert_eq!(world.robots()[1].bumped, ["Bot_1"]);
    world.navigate_obstacles(entity(0)).expect("it was sent somewhere");
    assert_eq!(world.robots()[0].state, State::Traveling);
    assert!(world.robots().iter().all(|robot| robot.bumped.is_empty()));
    ticks_until_it_stops(&mut world, 0, 150);
    assert_arrived_at(&world, 0, 45.0, 65.0);
    assert!(world.robots().iter().all(|robot| robot.bumped.is_empty()));
}

#[test]
fn check_22_around_a_parked_robot_to_a_point() {
    let mut world = robots_at(&[(15.0, 65.0), (25.0, 65.0)], Collisions::Stop);
    go(&mut world, 0, 38.0, 65.0);
    run(&mut world, 50);
    assert_stops_at(&world, 0, 22.5, 65.0);
    world.navigate_obstacles(entity(0)).expect("it was sent somewhere");
    ticks_until_it_stops(&mut world, 0, 150);
    assert_arrived_at(&world, 0, 38.0, 65.0);
}

#[test]
fn check_22_navigating_with_nothing_in_the_way_changes_nothing() {
    for collisions in [Collisions::Off, Collisions::Stop, Collisions::Avoid] {
        for pause in [0, 1, 10, 80] {
            let mut world = robots_at(&[(25.0, 65.0)], collisions);
            go(&mut world, 0, 30.0, 66.0);
            navigate_and_arrive(&mut world, pause, 30.0, 66.0);
            go_to(&mut world, 0, "RoomC1");
            navigate_and_arrive(&mut world, pause, 15.0, 55.0);
            go(&mut world, 0, 3.0, 20.0);
            navigate_and_arrive(&mut world, pause, 3.0, 20.0);
        }
    }
}

/// Lets the first robot look twice for a way around the obstacle, after this number of ticks, and checks that it
/// arrives.
fn navigate_and_arrive(world: &mut World, pause: u64, x: f64, y: f64) {
    for _ in 0..2 {
        run(world, pause);
        world.navigate_obstacles(entity(0)).expect("it was sent somewhere");
    }
    ticks_until_it_stops(world, 0, 600);
    assert_arrived_at(world, 0, x, y);
}

#[test]
fn check_22_two_robots_pass_each_other_whichever_reacts_first() {
    for (delays, start) in [([0, 0], 0), ([0, 200], 0), ([200, 0], 0), ([1, 0], 1), ([0, 3], 1)] {
        let mut world = robots_at(&[(15.0, 65.0), (35.0, 65.0)], Collisions::Stop);
        go(&mut world, start, if start == 0 { 35.0 } else { 15.0 }, 65.0);
        go(&mut world, 1 - start, if start == 0 { 15.0 } else { 35.0 }, 65.0);
        let mut stopped = [0; 2];
        let mut ticks = 0;
        while world.robots().iter().any(|robot| robot.state != State::Arrived) && ticks < 700 {
            world.tick();
            ticks += 1;
            for index in [0, 1] {
                stopped[index] = if world.robots()[index].state == State::Collided { stopped[index] + 1 } else { 0 };
                if stopped[index] > delays[index] {
                    world.navigate_obstacles(entity(index)).expect("it was sent somewhere");
                }
            }
        }
        assert!(ticks < 500, "{ticks} ticks, reacting after {delays:?}: {:?}", world.robots());
        assert_arrived_at(&world, 0, 35.0, 65.0);
        assert_arrived_at(&world, 1, 15.0, 65.0);
    }
}

#[test]
fn check_22_there_is_no_way() {
    // Four robots block the hall.
    let mut world =
        robots_at(&[(22.5, 65.0), (25.0, 61.0), (25.0, 64.0), (25.0, 66.0), (25.0, 69.0)], Collisions::Stop);
    assert!(world.navigate_obstacles(entity(0)).is_err(), "it was never sent anywhere");
    go(&mut world, 0, 25.0, 65.0);
    run(&mut world, 5);
    let before = world.robots()[0].clone();
    assert_eq!(before.state, State::Collided);
    world.navigate_obstacles(entity(0)).expect("that there is no way is no error");
    let after = world.robots()[0].clone();
    assert_eq!(after, Robot { unreachable: true, revision: after.revision, ..before });
    go(&mut world, 0, 15.0, 65.0);
    assert!(!world.robots()[0].unreachable);
}

#[test]
fn check_22_around_the_block_where_a_hall_is_shut() {
    let mut world =
        robots_at(&[(22.5, 65.0), (25.0, 61.0), (25.0, 64.0), (25.0, 66.0), (25.0, 69.0)], Collisions::Stop);
    go_to(&mut world, 0, "RightHallD");
    run(&mut world, 5);
    world.navigate_obstacles(entity(0)).expect("it was sent somewhere");
    ticks_until_it_stops(&mut world, 0, 1000);
    assert_arrived_at(&world, 0, 45.0, 65.0);
}

#[test]
fn check_22_around_a_blockade() {
    let mut map = Standard::Rainbow.map();
    map.zones.push(Zone {
        name: "Blockade".to_owned(),
        kind: ZoneKind::Blockade,
        bounds: Rectangle::around(Point::new(35.0, 65.0), 2.0, 10.0),
        blocks: Vec::new(),
        doors: Vec::new(),
        neighbours: Vec::new(),
        label_visible: true,
    });
    map.spawns = vec![spawn(Point::new(25.0, 65.0))];
    for collisions in [Collisions::Off, Collisions::Stop, Collisions::Avoid] {
        let mut world = world(map.clone(), &[Build::default()], Rules { collisions, ..Rules::default() });
        go_to(&mut world, 0, "RightHallD");
        if collisions != Collisions::Avoid {
            run(&mut world, 100);
            assert_eq!(world.robots()[0].state, State::Collided);
            assert_eq!(world.robots()[0].bumped, ["Blockade"]);
            world.navigate_obstacles(entity(0)).expect("it was sent somewhere");
        }
        ticks_until_it_stops(&mut world, 0, 1000);
        assert_arrived_at(&world, 0, 45.0, 65.0);
    }
}

#[test]
fn check_22_a_team_that_reacts_keeps_moving() {
    for seed in 0..SEEDS.div_ceil(10) {
        let mut crowd = Crowd { navigates: true, ..Crowd::in_halls(10, Collisions::Stop, seed) };
        crowd.run(5_000);
        assert!(crowd.journeys > 68, "seed {seed}: {}", crowd.journeys);
    }
}

#[test]
fn overlapping_robots_can_separate_with_collisions() {
    for collisions in [Collisions::Stop, Collisions::Avoid] {
        let mut world = robots_at(&[(25.0, 65.0), (25.5, 65.0)], collisions);
        go(&mut world, 0, 15.0, 65.0);
        go(&mut world, 1, 35.0, 65.0);
        run(&mut world, 200);
        assert_arrived_at(&world, 0, 15.0, 65.0);
        assert_arrived_at(&world, 1, 35.0, 65.0);
    }
}

#[test]
fn two_robots_in_a_hall_make_way_for_each_other() {
    for aside in 0..20 {
        let y = 65.0 + f64::from(aside) * 0.2;
        let mut world = robots_at(&[(15.0, 65.0), (35.0, y)], Collisions::Avoid);
        go(&mut world, 0, 35.0, 65.0);
        go(&mut world, 1, 15.0, y);
        run(&mut world, 140);
        assert_arrived_at(&world, 0, 35.0, 65.0);
        assert_arrived_at(&world, 1, 15.0, y);
    }
}

#[test]
fn making_way_costs_few_journeys() {
    for robots in [3, 5, 10] {
        for seed in 0..SEEDS {
            let [off, avoid] = [Collisions::Off, Collisions::Avoid].map(|collisions| {
                let mut crowd = Crowd::in_halls(robots, collisions, seed);
                crowd.run(TICKS);
                crowd.journeys
            });
            assert!(avoid * 10 >= off * 7, "{robots} robots, seed {seed}: {avoid} of {off}");
        }
    }
}

/// Checks for several seeds that no robot freezes, comes too close to another one, or goes through a wall.
fn assert_sound(name: &str, seeds: u64, make: impl Fn(u64) -> Crowd) {
    for seed in 0..seeds {
        let mut crowd = make(seed);
        let mut last: Vec<(u64, usize)> = vec![(0, 0); crowd.arrivals.len()];
        for tick in 0..TICKS {
            let before = crowd.world.robots().to_vec();
            crowd.step();
            if let Some(fault) = fault(&before, &crowd.world) {
                panic!("{name}, seed {seed}, tick {tick}: {fault}");
            }
            for (robot, (since, arrivals)) in crowd.world.robots().iter().zip(&mut last) {
                let arrived = crowd.arrivals[robot.entity.index()];
                if arrived > *arrivals || robot.state == State::Collided || robot.build.speed == 0.0 {
                    (*since, *arrivals) = (tick, arrived);
                }
                let patience = FROZEN as f64 / (2.0 * robot.build.speed).min(1.0);
                assert!(((tick - *since) as f64) < patience, "{name}, seed {seed}, tick {tick}: {robot:?} is frozen");
            }
        }
        assert!(crowd.journeys > 0);
    }
}

#[test]
fn no_robot_freezes_in_halls_and_rooms() {
    assert_sound("halls and rooms", SEEDS, |seed| {
        let builds = vec![Build::default(); 10];
        Crowd::new(Standard::Rainbow.map(), &builds, rules(Collisions::Avoid), ANYWHERE, seed)
    });
}

#[test]
fn no_robot_freezes_if_robots_give_up_at_doors() {
    assert_sound("giving up", SEEDS, |seed| {
        let rules = Rules { wait_at_doors: false, ..rules(Collisions::Avoid) };
        Crowd::new(Standard::Rainbow.map(), &vec![Build::default(); 10], rules, ANYWHERE, seed)
    });
}

#[test]
fn no_robot_freezes_with_different_sizes_and_speeds() {
    assert_sound("sizes and speeds", SEEDS, |seed| {
        let build = |index: u64| {
            let mixed = index * 7 + seed * 3;
            let (size, speed) = ((1 + mixed % 3) as f64, (2 + mixed % 9) as f64 / 10.0);
            Build { size, speed, ..Build::default() }
        };
        let builds: Vec<Build> = (0..8).map(build).collect();
        Crowd::new(Standard::Rainbow.map(), &builds, rules(Collisions::Avoid), ANYWHERE, seed)
    });
}

#[test]
fn no_robot_freezes_among_parked_robots() {
    assert_sound("parked", SEEDS, |seed| {
        let build = |index: u64| Build { speed: if index < 3 { 0.0 } else { 0.5 }, ..Build::default() };
        let builds: Vec<Build> = (0..9).map(build).collect();
        Crowd::new(Standard::Rainbow.map(), &builds, rules(Collisions::Avoid), HALLS, seed)
    });
}

#[test]
fn no_robot_freezes_if_a_hall_holds_one() {
    assert_sound("one in a hall", SEEDS, |seed| {
        let map = Map { one_bot_per_corridor_zone: true, ..Standard::Rainbow.map() };
        Crowd::new(map, &vec![Build::default(); 3], rules(Collisions::Avoid), ANYWHERE, seed)
    });
}

#[test]
fn all_robots_enter_the_only_room_in_turn() {
    for seed in 0..SEEDS {
        let mut map = Map::generated(1, 1, 0, 0);
        map.zones.retain(|zone| zone.name != "RoomA1");
        map.zones.iter_mut().for_each(|zone| zone.neighbours.retain(|name| name != "RoomA1"));
        let mut crowd = Crowd::new(map, &vec![Build::default(); 6], rules(Collisions::Avoid), ANYWHERE, seed);
        let room = crowd.world.ground().find("DropZone").expect("a zone");
        let mut been = vec![false; 6];
        let mut ticks = 0;
        while been.contains(&false) {
            for (index, been) in been.iter_mut().enumerate() {
                let robot = &crowd.world.robots()[index];
                let arrived = robot.state == State::Arrived;
                if arrived && robot.zones.contains(&room) {
                    *been = true;
                    crowd.send(index, index % 3);
                } else if arrived {
                    crowd.send(index, room);
                }
            }
            crowd.world.tick();
            ticks += 1;
            assert!(ticks < 12_000, "seed {seed}: {been:?} {:?}", crowd.world.robots());
        }
    }
}

#[test]
fn waiting_robots_stand_beside_the_door() {
    let mut world = robots_at(&[(25.0, 65.0), (45.0, 65.0)], Collisions::Avoid);
    let rules = rules(Collisions::Avoid);
    let map = world.ground().map().clone();
    world = crate::crowd::world(map, &vec![Build::default(); 2], rules);
    go_to(&mut world, 0, "DropZone");
    run(&mut world, 60);
    go_to(&mut world, 1, "DropZone");
    run(&mut world, 300);
    let (state, position) = state(&world, 1);
    assert_eq!(state, State::Traveling);
    assert!((position.x - 25.0).abs() >= 3.0 && position.y < 70.0, "{position:?}");
    go_to(&mut world, 0, "LeftHallD");
    run(&mut world, 300);
    assert_arrived_at(&world, 0, 5.0, 65.0);
    assert_arrived_at(&world, 1, 25.0, 75.0);
}

#[test]
fn a_saved_episode_with_robots_making_way_continues_identically() {
    let mut crowd =
        Crowd::new(Standard::Rainbow.map(), &vec![Build::default(); 10], rules(Collisions::Avoid), ANYWHERE, 7);
    crowd.run(2_000);
    let saved = serde_json::to_string(&crowd.world).expect("a state");
    let mut copy: World = serde_json::from_str(&saved).expect("a state");
    run(&mut crowd.world, 500);
    run(&mut copy, 500);
    assert_eq!(crowd.world, copy);
}
