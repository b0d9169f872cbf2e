//! Random robots on random maps. After every tick the state is sound, the beliefs of each agent are true, and the
//! same seed leads to the same states.
//!
//! `SIMULATION_SEED=7 cargo test -p situated-bw4t simulation` plays only that seed, and longer.
//! `SIMULATION_TICKS=1000000 cargo test --release -p situated-bw4t simulation` plays seeds up to a million ticks.

use std::collections::{BTreeMap, BTreeSet};

use situated::environment::{EntityId, Episode};
use situated::iil::Action as Said;
use situated::iil::{EcoString, Parameter, Percept as Told};
use situated::interface::{Command, EnvironmentInterface, Form, Interface, Since};
use situated::random::Random;
use situated_bw4t::Bw4t;
use situated_bw4t::block::BlockPlace;
use situated_bw4t::geometry::{Area, Point};
use situated_bw4t::map::{Map, ZoneKind};
use situated_bw4t::robot::{State, TOUCH};
use situated_bw4t::world::World;
use situated_checker::Settings;

/// Default number of ticks of each seed: some seconds in a debug build.
const TICKS: u64 = 1_500;
const ALL_TICKS: u64 = 24 * TICKS;
/// Number of ticks of a requested seed.
const LONG: u64 = 40_000;

struct Simulated {
    seed: u64,
    random: Random,
    interface: Interface<Bw4t>,
    /// The beliefs of each agent about its entity, which has the same name.
    beliefs: BTreeMap<String, Vec<Told>>,
    /// The last destination of each robot.
    wanted: BTreeMap<EcoString, Point>,
    places: Vec<String>,
    next: u64,
}

impl Simulated {
    fn begin(seed: u64) -> Self {
        let mut random = Random::new(seed);
        let parameters = some_parameters(&mut random);
        let mut interface = Interface::<Bw4t>::new();
        interface.manage(Command::Init { parameters, seed }).expect("a sound world");
        interface.manage(Command::Start).expect("it can run");
        let zones = world(&interface).ground().zones().iter();
        let places = zones.map(|zone| zone.name.to_string()).collect();
        Self { seed, random, interface, beliefs: BTreeMap::new(), wanted: BTreeMap::new(), places, next: 0 }
    }

    fn run(&mut self, ticks: u64) {
        for tick in 0..ticks {
            if self.random.chance(0.02) {
                self.come_or_go();
            }
            self.act();
            self.interface.step().expect("it runs");
            if tick % 5 == 0 {
                self.perceive();
            }
            if tick % 10 == 0 {
                self.check();
            }
        }
    }

    fn agents(&self) -> Vec<String> {
        self.beliefs.keys().cloned().collect()
    }

    /// Lets an agent request an entity, or leave.
    fn come_or_go(&mut self) {
        let agents = self.agents();
        let agent = self.random.choose(&agents).cloned().filter(|_| self.random.chance(0.4));
        if let Some(agent) = agent {
            self.beliefs.remove(&agent);
            for entity in self.interface.by_name().associated_entities(&agent).expect("it is there") {
                self.wanted.remove(&entity);
            }
            return self.interface.by_name().unregister_agent(&agent).expect("it is there");
        }
        self.next += 1;
        let agent = format!("agent{}", self.next);
        self.interface.by_name().register_agent(&agent).expect("a free name");
        let of = ["bot", "bot", "human", "epartner"][self.random.index(4)];
        match self.interface.by_name().request_entity(&agent, of, None) {
            Ok(_) => drop(self.beliefs.insert(agent, Vec::new())),
            Err(_) => self.interface.by_name().unregister_agent(&agent).expect("it is there"),
        }
    }

    fn act(&mut self) {
        for agent in self.agents() {
            if !self.random.chance(0.03) {
                continue;
            }
            let action = self.some_action(&agent);
            let goal = goal(world(&self.interface), &action);
            // Rejected actions change nothing, as the checker of environments tests.
            let results = self.interface.by_name().perform_action(&agent, &action, &[]).expect("it has a body");
            if let (Some(goal), [(robot, Ok(_))]) = (goal, &results[..]) {
                self.wanted.insert(robot.clone(), goal);
            }
        }
    }

    fn some_action(&mut self, agent: &str) -> Said {
        let place = self.random.choose(&self.places).cloned().unwrap_or_default();
        let coordinate = |random: &mut Random| Parameter::from(random.unit() * 100.0 - 10.0);
        let seen = self.beliefs[agent].iter().filter(|percept| percept.name == "color");
        let seen: Vec<Parameter> = seen.map(|percept| percept.parameters[0].clone()).collect();
        let block = self.random.choose(&seen).cloned().unwrap_or_else(|| 50.into());
        match self.random.index(12) {
            0..3 => Said::new("goTo", [Parameter::Identifier(place.into())]),
            3 => Said::new("goTo", [coordinate(&mut self.random), coordinate(&mut self.random)]),
            4 | 5 => Said::new("goToBlock", [block]),
            6..9 => Said::new("pickUp", [block]),
            9 => Said::new("putDown", []),
            10 => Said::new(["navigateObstacles", "pickUpEPartner", "dropEPartner"][self.random.index(3)], []),
            _ => Said::new("sendMessage", [Parameter::Identifier("all".into()), place.as_str().into()]),
        }
    }

    /// Checks that the accumulated updates of agents equal their current percepts.
    fn perceive(&mut self) {
        for (agent, beliefs) in &mut self.beliefs {
            let received = self.interface.perceive_of(agent, Form::Update);
            for (_, received) in received {
                received.apply(beliefs);
            }
            if !self.random.chance(0.1) {
                continue;
            }
            for (_, whole) in self.interface.perceive_of(agent, Form::Snapshot) {
                let [believed, true_now] = [&*beliefs, &whole.add].map(|all| all.iter().map(Told::to_string).collect());
                let (believed, true_now): (BTreeSet<String>, BTreeSet<String>) = (believed, true_now);
                assert_eq!(believed, true_now, "seed {}: {agent}", self.seed);
            }
        }
    }

    fn check(&self) {
        let seed = self.seed;
        let world = world(&self.interface);
        for (index, zone) in world.ground().zones().iter().enumerate() {
            let inside = world.inside(index).count();
            assert!(zone.kind != ZoneKind::Room || inside <= 1, "seed {seed}: {inside} in {}", zone.name);
            assert!(zone.kind != ZoneKind::Blockade || inside == 0, "seed {seed}: somebody is in {}", zone.name);
        }
        for robot in world.robots() {
            let size = world.ground().size();
            let charge = robot.charge();
            assert!((0.0..=100.0).contains(&charge), "seed {seed}: {} is charged {charge} %", robot.name);
            assert!(robot.load.len() <= robot.build.grippers, "seed {seed}: {} holds too much", robot.name);
            let there = world.ground().zones_at(robot.position);
            assert!(there.eq(robot.zones.iter().copied()), "seed {seed}: {} is not where it is", robot.name);
            let Area { left, top, right, bottom } = robot.uniform.0;
            let corners = [
                (left, top),
                (left, bottom.next_down()),
                (right.next_down(), top),
                (right.next_down(), bottom.next_down()),
            ];
            // The default contains nothing.
            for (x, y) in corners.into_iter().filter(|_| left < right) {
                let there = world.ground().zones_at(Point::new(x, y));
                assert!(there.eq(robot.zones.iter().copied()), "seed {seed}: {robot:?} is in other zones at {x}, {y}");
            }
            if let Some(wanted) = self.wanted.get(&robot.name).filter(|_| robot.state == State::Arrived) {
                let apart = robot.position.distance(*wanted);
                assert!(apart < TOUCH, "seed {seed}: {robot:?} says that it has arrived at {wanted:?}");
            }
            let (x, y) = (robot.position.x, robot.position.y);
            assert!(x >= 0.0 && y >= 0.0 && x <= size.x && y <= size.y, "seed {seed}: {} is at {x}, {y}", robot.name);
        }
        let mut spawns: Vec<usize> = world.robots().iter().map(|robot| robot.spawn).collect();
        spawns.extend(world.partners().iter().filter_map(|partner| partner.spawn));
        let used = spawns.len();
        spawns.sort_unstable();
        spawns.dedup();
        assert_eq!(spawns.len(), used, "seed {seed}: a place to begin is used twice");
        for (index, block) in world.blocks().iter().enumerate() {
            let held: Vec<EntityId> =
                world.robots().iter().filter(|robot| robot.load.contains(&index)).map(|robot| robot.entity).collect();
            let zones = 0..world.ground().zones().len();
            let lying: Vec<usize> = zones.filter(|zone| world.lying_in(*zone).contains(&index)).collect();
            match block.place {
                BlockPlace::Lying(position, zone) => {
                    assert!(world.ground().zone(zone).bounds.contains(position), "seed {seed}: block {}", block.id);
                    assert_eq!((held, lying), (vec![], vec![zone]), "seed {seed}: block {}", block.id);
                }
                BlockPlace::Held(robot) => {
                    assert_eq!((held, lying), (vec![robot], vec![]), "seed {seed}: block {}", block.id);
                }
                BlockPlace::Delivered | BlockPlace::Lost => {
                    assert_eq!((held, lying), (vec![], vec![]), "seed {seed}: block {}", block.id);
                }
            }
        }
    }
}

/// Perceives through all entities of an agent.
trait Perceiving {
    fn perceive_of(
        &mut self,
        agent: &str,
        form: Form,
    ) -> Vec<(situated::iil::EcoString, situated::interface::Perception)>;
}

impl Perceiving for Interface<Bw4t> {
    fn perceive_of(
        &mut self,
        agent: &str,
        form: Form,
    ) -> Vec<(situated::iil::EcoString, situated::interface::Perception)> {
        EnvironmentInterface::perceive(self, agent, &[], form, Since::LastCall).expect("it has a body")
    }
}

/// Returns the destination of an action, if it has one.
fn goal(world: &World, action: &Said) -> Option<Point> {
    let number = |parameter: &Parameter| parameter.to_string().parse::<f64>().ok();
    match (&*action.name, &action.parameters[..]) {
        ("goTo", [Parameter::Identifier(place)]) => {
            Some(world.ground().zone(world.ground().find(place)?).bounds.center)
        }
        ("goTo", [x, y]) => Some(Point::new(number(x)?, number(y)?)),
        ("goToBlock", [id]) => {
            let block = world.blocks().iter().find(|block| number(id) == Some(f64::from(block.id)));
            block.and_then(|block| block.position())
        }
        _ => None,
    }
}

fn world(interface: &Interface<Bw4t>) -> &World {
    interface.episode().expect("it was begun").environment().world()
}

fn some_parameters(random: &mut Random) -> BTreeMap<String, Parameter> {
    let [rows, columns, blocks] = [1, 1, 2].map(|least| least + random.index(3));
    let mut map = Map::generated(rows, columns, 3 + random.index(6), blocks);
    map.one_bot_per_corridor_zone = random.chance(0.2);
    for zone in 0..map.zones.len() {
        let former = map.zones[zone].kind;
        if former == ZoneKind::Corridor && random.chance(0.2) {
            map.zones[zone].kind = if random.chance(0.5) { ZoneKind::ChargingZone } else { ZoneKind::Blockade };
            if map.check().is_err() {
                map.zones[zone].kind = former;
            }
        }
    }
    let collisions = ["off", "stop", "avoid"][random.index(3)];
    let robots = 1 + random.index(map.spawns.len() - 1) as i64;
    BTreeMap::from([
        ("map".to_owned(), map.to_xml().as_str().into()),
        ("robots".to_owned(), robots.into()),
        ("collisions".to_owned(), collisions.into()),
        ("waitAtDoors".to_owned(), random.chance(0.5).into()),
        ("aroundBlockades".to_owned(), random.chance(0.5).into()),
        ("names".to_owned(), if random.chance(0.5) { "code" } else { "specification" }.into()),
    ])
}

#[test]
fn follows_the_rules_for_environments() {
    for steps in ["tick", "decision"] {
        let settings = Settings { seeds: 1..=2, steps: 40, ..Settings::default() };
        let settings = settings.parameter("robots", 3).parameter("steps", steps).parameter("collisions", "stop");
        settings.check_encoded::<Bw4t>().expect("they fit").assert_passed();
    }
    for seed in 1..=4 {
        let parameters = some_parameters(&mut Random::new(seed));
        let settings = Settings { parameters, seeds: seed..=seed, steps: 60, ..Settings::default() };
        settings.check_encoded::<Bw4t>().expect("they fit").assert_passed();
    }
}

#[test]
fn the_state_stays_sound_for_all_actions() {
    let asked = |name| std::env::var(name).ok().map(|number| number.parse::<u64>().expect("a whole number"));
    let (seeds, ticks) = match (asked("SIMULATION_SEED"), asked("SIMULATION_TICKS")) {
        (Some(seed), _) => (seed..=seed, LONG),
        (None, all) => (1..=all.unwrap_or(ALL_TICKS).div_ceil(TICKS), TICKS),
    };
    for seed in seeds {
        println!("seed {seed}");
        let mut simulated = Simulated::begin(seed);
        simulated.run(ticks);
        let mut again = Simulated::begin(seed);
        again.run(ticks);
        let [one, other] = [&simulated, &again].map(|run| run.interface.episode().map(Episode::hash));
        assert_eq!(one, other, "seed {seed}");
    }
}
