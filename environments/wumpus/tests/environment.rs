//! Tests the environment through the interface: rules, level files, random caves, and the built-in agent.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use situated::agent::Agent;
use situated::environment::{Ending, EntityId, Environment};
use situated::interface::{AgentId, Form, Interface, Since};
use situated::ontology::typed::TypedPercept;
use situated::random::Random;
use situated_testkit::Settings;
use situated_wumpus::cave::{Cave, Cell, End};
use situated_wumpus::explorer::Explorer;
use situated_wumpus::{Action, Parameters, Side, Wumpus, level};

const LEFT: Action = Action::Turn { side: Side::Left };
const RIGHT: Action = Action::Turn { side: Side::Right };

struct Run {
    interface: Interface<Wumpus>,
    agent: AgentId,
    entity: EntityId,
}

fn random(size: u8, pits: f64) -> Parameters {
    Parameters { file: None, size, pits, gui: false }
}

impl Run {
    fn new(parameters: Parameters, seed: u64) -> Self {
        let mut interface = Interface::new();
        interface.init(parameters, seed).expect("the parameters are valid");
        interface.start().expect("it is paused");
        let entity = interface.episode().expect("it runs").context().find_entity("caveExplorer").expect("an entity");
        let agent = interface.register("ada").expect("the name is free");
        interface.associate(agent, entity).expect("the entity is free");
        Self { interface, agent, entity }
    }

    /// A cave in rows from the north: wall `#`, ground `.`, pit `p`, Wumpus `w`, gold `g`, explorer `e`.
    fn in_cave(rows: &[&str]) -> Self {
        Self::new(Parameters { file: Some(base64(&wld(rows)).as_str().into()), ..random(4, 0.2) }, 1)
    }

    fn cave(&self) -> &Cave {
        &self.interface.episode().expect("it runs").environment().cave
    }

    fn act(&mut self, action: Action) {
        self.interface.act(self.agent, self.entity, &action).expect("the game is not over");
        self.interface.step().expect("it runs");
    }

    fn percepts(&mut self) -> Vec<String> {
        let seen = self.interface.perceive(self.agent, self.entity, Form::Snapshot, Since::LastCall).expect("it runs");
        seen.add.iter().map(|percept| percept.to_iil().to_string()).collect()
    }

    /// Lets the built-in agent play until the end.
    fn play(&mut self) {
        let mut explorer = Explorer::default();
        while self.cave().end.is_none() {
            let seen =
                self.interface.perceive(self.agent, self.entity, Form::Update, Since::LastCall).expect("it runs");
            let action = explorer.decide(&seen).expect("it always acts");
            self.act(action);
            assert!(self.cave().time < 20_000, "the explorer does not come to an end");
        }
    }
}

/// Returns a level file as the original's editor writes it.
fn wld(rows: &[&str]) -> Vec<u8> {
    let cells: Vec<(i32, i32, i32)> = rows
        .iter()
        .rev()
        .enumerate()
        .flat_map(|(y, row)| row.bytes().enumerate().map(move |(x, byte)| (x as i32 - 1, y as i32 - 1, byte)))
        .map(|(x, y, byte)| {
            let contents = match byte {
                b'#' => 1 | 8,
                b'p' => 1 | 2,
                b'w' => 1 | 32,
                b'g' => 1 | 4,
                b'e' => 1 | 16 | 64 | 128,
                _ => 1,
            };
            (x, y, contents)
        })
        .collect();
    let mut bytes = b"\0\x18WumpusWorldModelFile0.9\n".to_vec();
    bytes.extend((cells.len() as i32).to_be_bytes());
    for (x, y, contents) in cells {
        [x, y, contents].into_iter().for_each(|number| bytes.extend(number.to_be_bytes()));
    }
    bytes
}

fn base64(bytes: &[u8]) -> String {
    BASE64_STANDARD.encode(bytes)
}

const CAVE: [&str; 6] = ["######", "#....#", "#w.p.#", "#..g.#", "#e...#", "######"];

#[test]
fn follows_the_rules_for_environments() {
    situated_testkit::check_encoded_environment::<Wumpus>();
    let settings = Settings { seeds: 1..=3, ..Settings::default() }.parameter("size", 8).parameter("pits", 0.1);
    settings.check_encoded::<Wumpus>().expect("the parameters are valid").assert_passed();
}

#[test]
fn percepts_and_scores_are_those_of_the_original() {
    let mut run = Run::in_cave(&CAVE);
    assert_eq!(run.percepts(), ["time(0)"]);
    run.act(RIGHT);
    run.act(Action::Forward);
    assert_eq!(run.percepts(), ["bump", "time(2)"]);
    run.act(LEFT);
    run.act(LEFT);
    run.act(Action::Forward);
    assert_eq!(run.percepts(), ["stench", "time(5)"]);
    run.act(Action::Shoot);
    assert_eq!(run.percepts(), ["stench", "scream", "time(6)"]);
    assert_eq!(run.cave().score, -16);
    run.act(RIGHT);
    run.act(Action::Forward);
    run.act(Action::Forward);
    assert_eq!(run.percepts(), ["breeze", "glitter", "time(9)"]);
    run.act(Action::Grab);
    assert_eq!((run.percepts(), run.cave().score), (vec!["breeze".to_owned(), "time(10)".to_owned()], 980));
    run.act(Action::Climb);
    assert_eq!(run.cave().end, None);
    run.act(LEFT);
    run.act(Action::Forward);
    assert_eq!((run.cave().end, run.cave().score), (Some(End::Died), -23));
    assert_eq!(run.interface.episode().expect("it runs").environment().ending(), Some(Ending::Terminated));
    assert!(run.percepts().is_empty());
    let error = run.interface.act(run.agent, run.entity, &Action::Forward).expect_err("the game is over");
    assert!(error.to_string().contains("the game is over"), "{error}");
}

#[test]
fn a_click_turns_to_a_place_and_goes_there() {
    let mut run = Run::new(random(5, 0.0), 1);
    let labels = |run: &Run, at: Option<(f64, f64)>| {
        let context = run.interface.episode().expect("it runs").context();
        let menu = run.interface.episode().expect("it runs").environment().menu(run.entity, &at.into(), context);
        menu.items.iter().map(|item| item.label.to_string()).collect::<Vec<_>>()
    };
    // The scene begins one cell to the west and south of the explorer, which looks to the east.
    assert_eq!(labels(&run, None), ["Go forward", "Turn left", "Turn right", "Shoot the arrow", "Climb out"]);
    assert_eq!(labels(&run, Some((1.5, 1.5))), ["Climb out"]);
    assert_eq!(labels(&run, Some((2.5, 1.5))), ["Go forward"]);
    assert_eq!(labels(&run, Some((1.5, 2.5))), ["Turn left"]);
    assert_eq!(labels(&run, Some((1.5, 0.5))), ["Turn right"]);
    assert_eq!(labels(&run, Some((0.5, 1.5))), ["Turn right"]);
    run.act(Action::Turn { side: Side::Left });
    assert_eq!(labels(&run, Some((1.5, 2.5))), ["Go forward"]);
}

#[test]
fn a_dead_wumpus_is_harmless_and_a_living_one_is_not() {
    for (shoots, end) in [(true, None), (false, Some(End::Died))] {
        let mut run = Run::in_cave(&CAVE);
        run.act(LEFT);
        if shoots {
            run.act(Action::Shoot);
        }
        run.act(Action::Forward);
        run.act(Action::Forward);
        assert_eq!(run.cave().end, end);
    }
}

#[test]
fn base64_may_have_line_feeds() {
    let text = base64(&wld(&["####", "#e.#", "####"]));
    let lines: Vec<&str> = text.as_bytes().chunks(76).map(|line| str::from_utf8(line).expect("ASCII")).collect();
    let cave = level::read(&lines.join("\n")).expect("it is a level");
    assert_eq!(
        [(-1, 0), (0, 0), (1, 0), (2, 0)].map(|place| cave.cell(place)),
        [Cell::Wall, Cell::Ground, Cell::Ground, Cell::Wall]
    );
}

#[test]
fn wrong_levels_are_refused() {
    let whole = wld(&CAVE);
    for (bytes, expected) in [
        (b"WumpusWorldModelFile".to_vec(), "begins with the header"),
        (whole[..whole.len() - 1].to_vec(), "in the middle of a number"),
        (whole[..whole.len() - 4].to_vec(), "in the middle of a cell"),
        (whole[..whole.len() - 12].to_vec(), "should have 36 cells and has 35"),
        (wld(&["###", "#.#", "###"]), "no explorer"),
    ] {
        let error = level::read(&base64(&bytes)).expect_err("it is wrong");
        assert!(error.contains(expected), "{error}");
    }
    assert!(level::read("cave.wld").expect_err("it is no base64").contains("base64"));
}

#[test]
fn the_built_in_agent_solves_every_random_cave() {
    for seed in 1..=300 {
        let size = 3 + (seed % 6) as u8;
        let mut run = Run::new(random(size, 0.05 * (seed % 7) as f64), seed);
        run.play();
        let cave = run.cave();
        assert!(cave.has_gold && cave.end == Some(End::ClimbedOut) && cave.score > 0, "seed {seed}");
    }
}

#[test]
fn the_built_in_agent_takes_no_risk() {
    let mut run = Run::in_cave(&["#####", "#.pg#", "#epw#", "#####"]);
    run.play();
    assert_eq!((run.cave().end, run.cave().has_gold), (Some(End::ClimbedOut), false));
}

#[test]
fn random_explorers_keep_the_laws_of_the_cave() {
    for seed in 1..=200 {
        let mut random_actions = Random::stream(seed, 1);
        let mut run = Run::new(random(5, 0.1), seed);
        let mut expected = 0;
        while run.cave().end.is_none() && run.cave().time < 300 {
            let (before, had_arrow, had_gold) = (run.cave().place, run.cave().has_arrow, run.cave().has_gold);
            let action = Action::ALL[random_actions.index(Action::ALL.len())];
            run.act(action);
            let cave = run.cave();
            let (x, y) = cave.place;
            let moved = (x - before.0).abs() + (y - before.1).abs();
            assert_eq!(moved, i32::from(action == Action::Forward && !cave.bump), "seed {seed}");
            assert!((0..5).contains(&x) && (0..5).contains(&y), "seed {seed}: through a wall");
            let is_deadly = cave.cell((x, y)) == Cell::Pit || (cave.is_wumpus_alive && cave.wumpus == Some((x, y)));
            assert_eq!(cave.end == Some(End::Died), is_deadly, "seed {seed}");
            expected -= 1 + 1000 * i64::from(is_deadly) + 10 * i64::from(had_arrow && !cave.has_arrow);
            expected += 1000 * i64::from(cave.has_gold && !had_gold);
            assert_eq!(cave.score, expected, "seed {seed}");
        }
    }
}
