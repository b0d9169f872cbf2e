//! Tests the environment through the interface: rules, level files, random caves, and the built-in agent.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use situated::environment::{Ending, Environment};
use situated::random::Random;
use situated_checker::{Game, Settings};
use situated_vector::{Actions, Observations, Outputs, Settings as VectorSettings, vector};
use situated_wumpus::cave::{Cave, Cell, End};
use situated_wumpus::explorer::Explorer;
use situated_wumpus::{Action, Parameters, Side, Wumpus, level};

const LEFT: Action = Action::Turn { side: Side::Left };
const RIGHT: Action = Action::Turn { side: Side::Right };

fn random(size: u8, pits: f64) -> Parameters {
    Parameters { file: None, size, pits, gui: false }
}

/// A cave in rows from the north: wall `#`, ground `.`, pit `p`, Wumpus `w`, gold `g`, explorer `e`.
fn in_cave(rows: &[&str]) -> Game<Wumpus> {
    Game::begin(Parameters { file: Some(base64(&wld(rows)).as_str().into()), ..random(4, 0.2) }, 1)
}

fn cave(run: &Game<Wumpus>) -> &Cave {
    &run.environment().cave
}

fn act(run: &mut Game<Wumpus>, action: Action) {
    run.act(0, &action);
    run.steps(1);
}

/// Lets the built-in agent play until the end.
fn play(run: &mut Game<Wumpus>) {
    let mut explorer = Explorer::default();
    while cave(run).end.is_none() {
        let before = cave(run).time;
        run.decide(0, &mut explorer);
        run.steps(1);
        assert!(cave(run).time > before, "it always acts");
        assert!(cave(run).time < 20_000, "the explorer does not come to an end");
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
    situated_checker::check_encoded_environment::<Wumpus>();
    let settings = Settings { seeds: 1..=3, ..Settings::default() }.parameter("size", 8).parameter("pits", 0.1);
    settings.check_encoded::<Wumpus>().expect("the parameters are valid").assert_passed();
}

/// Steps two explorers with random actions, and returns all that they observe and win.
fn played(tables: bool) -> (Vec<u8>, Vec<f32>, Vec<bool>) {
    let parameters = [("file".to_owned(), base64(&wld(&CAVE)).as_str().into())].into();
    let settings = VectorSettings { envs: 2, tables, max_steps: Some(50), parameters, ..VectorSettings::default() };
    let mut vector = vector::<Wumpus>(settings).expect("the parameters are valid");
    assert_eq!(vector.table().is_some(), tables);
    let (mut random, mut all) = (Random::new(1), (Vec::new(), Vec::new(), Vec::new()));
    for _ in 0..2_000 {
        let (mut observations, mut masks, mut rewards) = ([0; 22], [false; 12], [0.0; 2]);
        let (mut terminated, mut truncated) = ([false; 2], [false; 2]);
        let outputs = Outputs {
            observations: Observations::U8(&mut observations),
            masks: &mut masks,
            rewards: &mut rewards,
            terminated: &mut terminated,
            truncated: &mut truncated,
            finals: None,
        };
        let actions = [(); 2].map(|()| random.below(Action::ALL.len() as u64) as u8);
        vector.step(Actions::U8(&actions), outputs).expect("the actions exist");
        all.0.extend(observations);
        all.1.extend(rewards);
        all.2.extend(masks.into_iter().chain(terminated).chain(truncated));
    }
    all
}

#[test]
fn a_cave_from_a_file_becomes_a_table_that_equals_the_rules() {
    assert_eq!(played(true), played(false));
    let random = vector::<Wumpus>(VectorSettings::default()).expect("there are caves");
    assert!(random.table().is_none(), "a random cave is another one in each episode");
}

#[test]
fn percepts_and_scores_are_those_of_the_original() {
    let mut run = in_cave(&CAVE);
    assert_eq!(run.percepts(0), ["time(0)"]);
    act(&mut run, RIGHT);
    act(&mut run, Action::Forward);
    assert_eq!(run.percepts(0), ["bump", "time(2)"]);
    act(&mut run, LEFT);
    act(&mut run, LEFT);
    act(&mut run, Action::Forward);
    assert_eq!(run.percepts(0), ["stench", "time(5)"]);
    act(&mut run, Action::Shoot);
    assert_eq!(run.percepts(0), ["stench", "scream", "time(6)"]);
    assert_eq!(cave(&run).score, -16);
    act(&mut run, RIGHT);
    act(&mut run, Action::Forward);
    act(&mut run, Action::Forward);
    assert_eq!(run.percepts(0), ["breeze", "glitter", "time(9)"]);
    act(&mut run, Action::Grab);
    assert_eq!((run.percepts(0), cave(&run).score), (vec!["breeze".to_owned(), "time(10)".to_owned()], 980));
    act(&mut run, Action::Climb);
    assert_eq!(cave(&run).end, None);
    act(&mut run, LEFT);
    act(&mut run, Action::Forward);
    assert_eq!((cave(&run).end, cave(&run).score), (Some(End::Died), -23));
    assert_eq!(run.environment().ending(), Some(Ending::Terminated));
    assert!(run.percepts(0).is_empty());
    let error = run.try_act(0, &Action::Forward).expect_err("the game is over");
    assert!(error.contains("the game is over"), "{error}");
}

#[test]
fn a_click_turns_to_a_place_and_goes_there() {
    let mut run = Game::begin(random(5, 0.0), 1);
    let labels = |run: &Game<Wumpus>, at: Option<(f64, f64)>| {
        run.menu(0, at).items.iter().map(|item| item.label.to_string()).collect::<Vec<_>>()
    };
    // The scene begins one cell to the west and south of the explorer, which looks to the east.
    assert_eq!(labels(&run, None), ["Go forward", "Turn left", "Turn right", "Shoot the arrow", "Climb out"]);
    assert_eq!(labels(&run, Some((1.5, 1.5))), ["Climb out"]);
    assert_eq!(labels(&run, Some((2.5, 1.5))), ["Go forward"]);
    assert_eq!(labels(&run, Some((1.5, 2.5))), ["Turn left"]);
    assert_eq!(labels(&run, Some((1.5, 0.5))), ["Turn right"]);
    assert_eq!(labels(&run, Some((0.5, 1.5))), ["Turn right"]);
    act(&mut run, Action::Turn { side: Side::Left });
    assert_eq!(labels(&run, Some((1.5, 2.5))), ["Go forward"]);
}

#[test]
fn a_dead_wumpus_is_harmless_and_a_living_one_is_not() {
    for (shoots, end) in [(true, None), (false, Some(End::Died))] {
        let mut run = in_cave(&CAVE);
        act(&mut run, LEFT);
        if shoots {
            act(&mut run, Action::Shoot);
        }
        act(&mut run, Action::Forward);
        act(&mut run, Action::Forward);
        assert_eq!(cave(&run).end, end);
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
        let mut run = Game::begin(random(size, 0.05 * (seed % 7) as f64), seed);
        play(&mut run);
        let cave = cave(&run);
        assert!(cave.has_gold && cave.end == Some(End::ClimbedOut) && cave.score > 0, "seed {seed}");
    }
}

#[test]
fn the_built_in_agent_takes_no_risk() {
    let mut run = in_cave(&["#####", "#.pg#", "#epw#", "#####"]);
    play(&mut run);
    assert_eq!((cave(&run).end, cave(&run).has_gold), (Some(End::ClimbedOut), false));
}

#[test]
fn random_explorers_keep_the_laws_of_the_cave() {
    for seed in 1..=200 {
        let mut random_actions = Random::stream(seed, 1);
        let mut run = Game::begin(random(5, 0.1), seed);
        let mut expected = 0;
        while cave(&run).end.is_none() && cave(&run).time < 300 {
            let (before, had_arrow, had_gold) = (cave(&run).place, cave(&run).has_arrow, cave(&run).has_gold);
            let action = Action::ALL[random_actions.index(Action::ALL.len())];
            act(&mut run, action);
            let cave = cave(&run);
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
