//! Number of ticks that the built-in agents need on the standard maps, compared with the scripts that were run in the
//! original:
//!
//! ```sh
//! cargo run --release -p situated-bw4t --example scores -- 20 off
//! ```
//!
//! The first argument is the number of seeds for random maps, by default 10. The second one is the collision rule:
//! `off`, `stop` or `avoid`.

use std::fmt;

use situated::agent::Agent;
use situated::environment::Environment;
use situated::interface::{Form, Interface, Since};
use situated::ontology::typed::InitParameters;
use situated_bw4t::action::Action;
use situated_bw4t::agents::{Contents, Explorer, Teammate};
use situated_bw4t::map::Standard;
use situated_bw4t::percept::Percept;
use situated_bw4t::world::{Collisions, World};
use situated_bw4t::{Bw4t, Parameters};

/// Number of ticks after which a game is stopped.
const LONGEST: u64 = 20_000;

/// The players.
#[derive(Clone, Copy)]
enum Players {
    /// One robot that knows the contents of rooms.
    Informed,
    /// One robot that does not know them.
    Explorer,
    /// A team of this number of robots.
    Team(u32),
}

/// The numbers of ticks of some games; `None` for a stopped game.
struct Scores(Vec<Option<u64>>);

fn main() {
    let mut arguments = std::env::args().skip(1);
    let seeds = arguments.next().and_then(|seeds| seeds.parse().ok()).unwrap_or(10);
    let collisions = match arguments.next().as_deref() {
        Some("stop") => Collisions::Stop,
        Some("avoid") => Collisions::Avoid,
        _ => Collisions::Off,
    };
    println!("{:12}{:>22}{:>22}   the original's scripts, alone", "map", "players", "ticks");
    for map in Standard::ALL {
        for players in lineup(map) {
            let games = (1..=seeds).map(|seed| play(map, players, collisions, seed));
            let scores = Scores(games.collect());
            println!(
                "{:12}{:>22}{:>22}   {}",
                map.name(),
                players.to_string(),
                scores.to_string(),
                reference(map, players)
            );
        }
    }
}

/// The players on a map: at most as many as it has starting points.
fn lineup(map: Standard) -> Vec<Players> {
    let alone = [Players::Informed, Players::Explorer];
    let teams = [2, 3, 5, 10].into_iter().filter(|robots| *robots as usize <= map.map().spawns.len());
    alone.into_iter().chain(teams.map(Players::Team)).collect()
}

/// The results of the original's scripts; for random maps, with one filling.
fn reference(map: Standard, players: Players) -> &'static str {
    match (map, players) {
        (Standard::Rainbow, Players::Informed) => "3983",
        (Standard::Rainbow, Players::Explorer) => "5309",
        (Standard::Random, Players::Informed) => "4199 (another filling)",
        (Standard::Random, Players::Explorer) => "5781 (another filling)",
        (Standard::Banana, Players::Informed) => "4207",
        (Standard::Banana, Players::Explorer) => "4227 to 4267",
        (Standard::DutchFlag, Players::Informed) => "4011",
        (Standard::DutchFlag, Players::Explorer) => "4305 to 4351",
        _ => "",
    }
}

/// Plays a game. Returns its number of ticks.
fn play(map: Standard, players: Players, collisions: Collisions, seed: u64) -> Option<u64> {
    let robots = if let Players::Team(robots) = players { robots } else { 1 };
    let mut interface: Interface<Bw4t> = Interface::new();
    let parameters = Parameters { map: Some(map.name().into()), robots, collisions: Some(collisions), ..defaults() };
    interface.init(parameters, seed).expect("a sound world");
    interface.start().expect("it is paused");
    let entities: Vec<_> = interface.entities().collect();
    let mut seats = Vec::new();
    for entity in entities {
        let agent = interface.register(&interface.entity_name(entity)).expect("the name is free");
        interface.associate(agent, entity).expect("the entity is free");
        seats.push((agent, entity, program(players, world(&interface))));
    }
    for _ in 0..LONGEST {
        for (agent, entity, program) in &mut seats {
            let told = interface.perceive(*agent, *entity, Form::Update, Since::LastCall).expect("it is running");
            if let Some(action) = program.decide(&told) {
                // The program must notice rejected actions itself.
                _ = interface.act(*agent, *entity, &action);
            }
        }
        interface.step().expect("it is running");
        if let Some(tick) = world(&interface).completed() {
            return Some(tick);
        }
    }
    None
}

fn program(players: Players, world: &World) -> Box<dyn Agent<Action, Percept>> {
    match players {
        Players::Informed => Box::new(Explorer::informed(contents(world))),
        Players::Explorer => Box::new(Explorer::new()),
        Players::Team(_) => Box::new(Teammate::new()),
    }
}

/// The contents of the rooms.
fn contents(world: &World) -> Vec<Contents> {
    let lying = |zone| world.lying_in(zone).iter().map(|block| &world.blocks()[*block]);
    let blocks = |zone| lying(zone).filter_map(|block| Some((block.color, block.position()?))).collect();
    let zones = world.ground().zones().iter().enumerate();
    zones.map(|(zone, site)| Contents { room: site.name.clone(), blocks: blocks(zone) }).collect()
}

fn world(interface: &Interface<Bw4t>) -> &World {
    interface.episode().expect("it was begun").environment().world()
}

fn defaults() -> Parameters {
    let complete = Bw4t::ontology().complete_parameters(&[].into()).expect("all have defaults");
    Parameters::from_iil(&complete).expect("defaults fit")
}

impl fmt::Display for Players {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Players::Informed => write!(f, "1, informed"),
            Players::Explorer => write!(f, "1, explorer"),
            Players::Team(robots) => write!(f, "{robots}, team"),
        }
    }
}

impl fmt::Display for Scores {
    /// The average, the minimum and the maximum, and the number of stopped games.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let finished: Vec<u64> = self.0.iter().flatten().copied().collect();
        let (Some(least), Some(most)) = (finished.iter().min(), finished.iter().max()) else {
            return write!(f, "none finished");
        };
        let average = finished.iter().sum::<u64>() / finished.len() as u64;
        write!(f, "{average}")?;
        if least < most {
            write!(f, " ({least} to {most})")?;
        }
        let unfinished = self.0.len() - finished.len();
        if unfinished > 0 { write!(f, ", {unfinished} unfinished") } else { Ok(()) }
    }
}
