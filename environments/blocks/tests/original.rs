//! Repeats random actions that were played in the original programs, and compares results and percepts. The recordings
//! are not part of this repository. Without them the tests are skipped, unless `GOLDEN_DATA=required` is set.

use std::path::Path;

use serde::Deserialize;
use situated::environment::Environment;
use situated_blocks::{BlocksWorld, Tower, blocks_world, tower};
use situated_checker::Game;

/// The number of actions in each recording.
const ACTIONS: usize = 1_000;

/// The first line of a recording of the blocks world.
#[derive(Deserialize)]
struct BlocksWorldStart {
    /// The parameter `start`.
    start: String,
    percepts: Vec<String>,
}

#[derive(Debug, Deserialize)]
struct BlocksWorldMove {
    /// The block and the place.
    #[serde(rename = "move")]
    moved: [String; 2],
    /// `ok`, or the type of EIS's `ActException`.
    result: String,
    percepts: Vec<String>,
}

/// The first line of a recording of Tower, in which all blocks are on the table.
#[derive(Deserialize)]
struct TowerStart {
    blocks: u8,
}

#[derive(Debug, Deserialize)]
struct TowerAction {
    action: Vec<String>,
    /// The number of steps after the action and before the percepts.
    steps: u32,
    percepts: Vec<String>,
}

/// Returns the first line of a recording and the lines for its actions; `None` if it is missing.
fn recording<S: for<'a> Deserialize<'a>, A: for<'a> Deserialize<'a>>(name: &str) -> Option<(S, Vec<A>)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/eis").join(name);
    let Ok(text) = std::fs::read_to_string(&path) else {
        let required = std::env::var("GOLDEN_DATA").is_ok_and(|value| value == "required");
        assert!(!required, "there is no recording at {}", path.display());
        println!("skipped: there is no recording at {}", path.display());
        return None;
    };
    let (start, actions) = text.split_once('\n').expect("more than one line");
    let actions: Vec<A> =
        actions.lines().map(|line| serde_json::from_str(line).expect("a line for an action")).collect();
    assert_eq!(actions.len(), ACTIONS);
    Some((serde_json::from_str(start).expect("a line for the start"), actions))
}

/// The percepts that hold, in alphabetical order.
fn percepts<E: Environment>(ours: &mut Game<E>) -> Vec<String> {
    let mut percepts = ours.percepts(0);
    percepts.sort();
    percepts
}

fn blocks_world_repeats(name: &str) {
    let Some((first, moves)) = recording::<BlocksWorldStart, BlocksWorldMove>(name) else { return };
    let blocks = first.percepts.len() as u8;
    let start = first.start.as_str().into();
    let parameters = blocks_world::Parameters { start, goal: "none".into(), blocks, gui: false };
    let mut ours = Game::<BlocksWorld>::begin(parameters, 1);
    assert_eq!(percepts(&mut ours), first.percepts);
    for line in &moves {
        let [block, place] = line.moved.each_ref().map(|name| name.as_str().into());
        let action =
            blocks_world::Action::Move { block: blocks_world::Block(block), place: blocks_world::Place(place) };
        // EIS gives actions that fail the type 7.
        let result = if ours.try_act(0, &action).is_ok() { "ok" } else { "7" };
        ours.steps(1);
        assert_eq!((result, percepts(&mut ours)), (line.result.as_str(), line.percepts.clone()), "after {line:?}");
    }
}

fn tower_repeats(name: &str) {
    let Some((TowerStart { blocks }, actions)) = recording::<_, TowerAction>(name) else { return };
    let parameters = tower::Parameters { start: "table".into(), goal: "none".into(), blocks };
    let mut ours = Game::<Tower>::begin(parameters, 1);
    for line in &actions {
        let block = |name: &str| tower::Block(name.into());
        let action = match line.action.iter().map(String::as_str).collect::<Vec<_>>()[..] {
            ["pickup", one] => tower::Action::Pickup { block: block(one) },
            ["putdown", one, place] => tower::Action::Putdown { block: block(one), place: tower::Place(place.into()) },
            _ => tower::Action::Nil,
        };
        ours.act(0, &action);
        ours.steps(line.steps);
        assert_eq!(percepts(&mut ours), line.percepts, "after {line:?}");
    }
}

#[test]
fn blocks_world_gives_the_results_and_percepts_of_the_original() {
    for name in ["blocksworld-1.jsonl", "blocksworld-2.jsonl"] {
        blocks_world_repeats(name);
    }
}

#[test]
fn tower_gives_the_percepts_of_the_original_at_each_moment() {
    for name in ["tower-1.jsonl", "tower-2.jsonl"] {
        tower_repeats(name);
    }
}
