//! Robots that walk to random places of Rainbow, and 1,000 of them on a map of their own: ticks a second, without and with a
//! perception of each robot in each tick, without and with collisions. Then 5,000 robots that perceive once a second: how
//! long a perception takes, and how much memory there is for each. `cargo bench --profile wheel -p situated-bw4t --bench world`
//!
//! Goals: with perceptions of 1,000 robots, 1,500 ticks per second without collisions, and 1,000 if they make way; 40 KiB
//! for each of 5,000 robots.
//!
//! Where known, the original's rates are printed, in ticks per CPU second. They were measured on two shared cores, so
//! they are only an order of magnitude.

#![allow(clippy::disallowed_types, reason = "worlds read no clock, but this measures them")]

use std::collections::BTreeMap;
use std::hint::black_box;
use std::time::{Duration, Instant};

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use situated::environment::EntityId;
use situated::interface::{AgentId, Command, Form, Interface, Since};
use situated::random::Random;
use situated_bw4t::Bw4t;
use situated_bw4t::action::Action;
use situated_bw4t::geometry::Point;
use situated_bw4t::map::{Map, Spawn, Standard};
use situated_bw4t::robot::State;

/// Numbers of robots, and the best rates of the original in ticks per CPU second, only moving and with perceptions.
const RAINBOW: [(usize, f64, f64); 3] = [(1, 328_000.0, 40_500.0), (10, 30_900.0, 2_470.0), (50, 4_500.0, 120.0)];

/// Rows and columns of rooms of the large map, and the robots on it.
const LARGE: (usize, usize, usize) = (30, 30, 1_000);

/// Number of ticks after which the large map begins anew: its crowds grow, so later ticks take longer.
const EPISODE: u64 = 500;

/// Number of ticks between two checks for robots that have arrived.
const PAUSE: u64 = 10;

struct Walkers {
    interface: Interface<Bw4t>,
    robots: Vec<(AgentId, EntityId)>,
    places: Vec<Action>,
    random: Random,
    ticks: u64,
}

impl Walkers {
    fn new(map: Map, robots: usize, collisions: &str) -> Self {
        let parameters = BTreeMap::from([
            ("map".to_owned(), map.to_xml().as_str().into()),
            ("robots".to_owned(), (robots as i64).into()),
            ("collisions".to_owned(), collisions.into()),
        ]);
        let mut interface = Interface::<Bw4t>::new();
        interface.manage(Command::Init { parameters, seed: 1 }).expect("a sound world");
        interface.manage(Command::Start).expect("it can run");
        let places = map.zones.iter().map(|zone| Action::GoToPlace { place: zone.name.as_str().into() }).collect();
        let entities: Vec<EntityId> = interface.entities().collect();
        let register = |(number, entity): (usize, EntityId)| {
            let agent = interface.register(&format!("agent{number}")).expect("a free name");
            interface.associate(agent, entity).expect("a free robot");
            (agent, entity)
        };
        let robots = entities.into_iter().enumerate().map(register).collect();
        Self { interface, robots, places, random: Random::new(1), ticks: 0 }
    }

    fn tick(&mut self, perceiving: bool) {
        if self.ticks.is_multiple_of(PAUSE) {
            self.set_out();
        }
        self.ticks += 1;
        self.interface.step().expect("it runs");
        if perceiving {
            for (agent, entity) in &self.robots {
                let perception = self.interface.perceive(*agent, *entity, Form::Update, Since::LastCall);
                black_box(perception.expect("its own"));
            }
        }
    }

    /// Sends robots that have arrived to other places.
    fn set_out(&mut self) {
        for (agent, entity) in &self.robots {
            let world = self.interface.episode().expect("it was begun").environment().world();
            if world.robot(*entity).is_some_and(|robot| robot.state != State::Traveling) {
                let place = self.random.choose(&self.places).expect("there are places");
                self.interface.act(*agent, *entity, place).expect("there is a way");
            }
        }
    }
}

/// Rainbow with this number of starting points, spread over its halls.
fn rainbow(robots: usize) -> Map {
    let mut map = Standard::Rainbow.map();
    let halls: Vec<Point> =
        map.zones.iter().filter(|zone| zone.doors.is_empty()).map(|zone| zone.bounds.center).collect();
    let mut random = Random::new(1);
    map.spawns = (0..robots)
        .map(|robot| {
            let hall = halls[robot % halls.len()];
            let [x, y] = [hall.x, hall.y].map(|center| center + random.unit() * 8.0 - 4.0);
            Spawn { name: "-".into(), position: Point::new(x.max(1.0), y.max(1.0)), kind: "NORMAL".into() }
        })
        .collect();
    map
}

fn walk(criterion: &mut Criterion) {
    for collisions in ["off", "avoid"] {
        for perceiving in [false, true] {
            let what = if perceiving { "perceiving" } else { "moving" };
            let mut group = criterion.benchmark_group(format!("{what}, collisions {collisions}"));
            group.throughput(Throughput::Elements(1)).sample_size(20);
            group.warm_up_time(Duration::from_millis(500)).measurement_time(Duration::from_secs(2));
            for (robots, moving, with_percepts) in RAINBOW {
                let original = if collisions != "off" {
                    None
                } else if perceiving {
                    Some(with_percepts)
                } else {
                    Some(moving)
                };
                measure(&mut group, robots, original, perceiving, u64::MAX, || {
                    Walkers::new(rainbow(robots), robots, collisions)
                });
            }
            let (rows, columns, robots) = LARGE;
            measure(&mut group, robots, None, perceiving, EPISODE, || {
                Walkers::new(Map::generated(rows, columns, robots, 2), robots, collisions)
            });
            group.finish();
        }
    }
}

/// Measures ticks of worlds that `begin` returns; each makes at most this number of ticks.
fn measure(
    group: &mut criterion::BenchmarkGroup<'_, criterion::measurement::WallTime>,
    robots: usize,
    original: Option<f64>,
    perceiving: bool,
    episode: u64,
    begin: impl Fn() -> Walkers,
) {
    // In the first tick all robots set out, and perceive everything. It takes as long as a thousand others.
    let begin = || {
        let mut walkers = begin();
        walkers.tick(perceiving);
        walkers
    };
    let mut walkers = begin();
    let mut best = f64::INFINITY;
    group.bench_function(BenchmarkId::from_parameter(format!("{robots} robots")), |bencher| {
        bencher.iter_custom(|times| {
            let (mut left, mut took) = (times, Duration::ZERO);
            while left > 0 {
                if walkers.ticks == episode {
                    walkers = begin();
                }
                let ticks = left.min(episode - walkers.ticks);
                let begin = Instant::now();
                (0..ticks).for_each(|_| walkers.tick(perceiving));
                took += begin.elapsed();
                left -= ticks;
            }
            best = best.min(took.as_secs_f64() / times as f64);
            took
        });
    });
    let rate = 1.0 / best;
    let beside = original.map_or(String::new(), |original| format!(", {:.0} times the original", rate / original));
    println!("{robots:>5} robots: {rate:>12.0} ticks a second{beside}");
}

/// Each robot perceives once a second, one after another.
fn perceive_once_a_second(_: &mut Criterion) {
    const ROBOTS: usize = 5_000;
    const TICKS: usize = 50;
    let (rows, columns, _) = LARGE;
    let before = memory();
    let mut walkers = Walkers::new(Map::generated(rows, columns, ROBOTS, 2), ROBOTS, "off");
    let (mut times, mut resyncs) = (Vec::new(), 0);
    for tick in 0..4 * TICKS {
        walkers.tick(false);
        for (agent, entity) in walkers.robots.iter().skip(tick % TICKS).step_by(TICKS) {
            let begin = Instant::now();
            let perception = walkers.interface.perceive(*agent, *entity, Form::Update, Since::LastCall);
            let resync = black_box(perception.expect("its own")).resync;
            // The first perceptions contain everything.
            if tick >= TICKS {
                times.push(begin.elapsed());
                resyncs += usize::from(resync);
            }
        }
    }
    times.sort_unstable();
    let [half, most] = [times.len() / 2, times.len() * 99 / 100].map(|place| times[place]);
    println!("{ROBOTS} robots, once a second: half of the perceptions within {half:?}, 99 % within {most:?}");
    println!("{ROBOTS} robots, once a second: {resyncs} of {} perceptions tell everything again", times.len());
    if let (Some(before), Some(now)) = (before, memory()) {
        println!("{ROBOTS} robots, once a second: {} KiB each", (now - before) / ROBOTS as u64);
    }
}

/// The memory of this process in KiB, where available.
fn memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

criterion_group!(benches, perceive_once_a_second, walk);
criterion_main!(benches);
