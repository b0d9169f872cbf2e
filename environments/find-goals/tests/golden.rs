//! Replays episodes that were recorded with the original program of October 2018, and compares every step. The
//! recordings are not part of this repository. Without them the test is skipped, unless `GOLDEN_DATA=required` is
//! set.

use std::path::{Path, PathBuf};

use serde_json::Value;
use situated::encoding::{Buffers, Encode};
use situated::environment::{EntityId, Episode};
use situated_find_goals::maze::Cell;
use situated_find_goals::{Action, Body, FindGoals, Parameters, Percept};

/// The data after a step.
#[derive(Debug, PartialEq)]
struct Row {
    places: [(u8, u8); 2],
    /// Whether each free cell is taken, in the order that the recording declares.
    taken: String,
    /// The observation of each walker, as digits.
    seen: [String; 2],
    reward: i64,
}

#[test]
fn recorded_episodes_are_replayed_to_the_step() {
    let path = recording();
    let Ok(text) = std::fs::read_to_string(&path) else {
        let required = std::env::var("GOLDEN_DATA").is_ok_and(|value| value == "required");
        assert!(!required, "there are no recorded episodes at {}", path.display());
        println!("skipped: there are no recorded episodes at {}", path.display());
        return;
    };
    let mut lines = text.lines().map(|line| serde_json::from_str(line).expect("a line of JSON"));
    let cells = free_cells(&lines.next().expect("a line that describes the recording"));
    let mut episode = begin();
    let (mut episodes, mut steps) = (0, 0);
    for line in lines {
        match line.get("a") {
            None => {
                episode = begin();
                episodes += 1;
            }
            Some(actions) => {
                step(&mut episode, actions);
                steps += 1;
            }
        }
        let rows = [encoded(&episode, &cells), perceived(&episode, &cells)];
        let expected = recorded(&line);
        assert!(rows.iter().all(|row| *row == expected), "{line}: {rows:#?}");
    }
    println!("{episodes} episodes, {steps} steps");
    assert!(episodes > 0 && steps > 0);
}

fn recording() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/find-goals/episodes-B.jsonl")
}

fn free_cells(description: &Value) -> Vec<Cell> {
    let places = description["free_cells_order_of_occ"].as_array().expect("a list of cells");
    places.iter().map(place).map(|(x, y)| Cell::new(x, y).expect("a cell of the map")).collect()
}

fn recorded(line: &Value) -> Row {
    let both = |name: &str| [line[name][0].clone(), line[name][1].clone()];
    Row {
        places: both("p").map(|value| place(&value)),
        taken: text(&line["occ"]),
        seen: both("o").map(|value| text(&value)),
        reward: line.get("r").map_or(0, |reward| reward.as_i64().expect("a number")),
    }
}

fn place(value: &Value) -> (u8, u8) {
    let coordinate = |index: usize| value[index].as_u64().expect("a number") as u8;
    (coordinate(0), coordinate(1))
}

fn text(value: &Value) -> String {
    value.as_str().expect("a text").to_owned()
}

fn begin() -> Episode<FindGoals> {
    Episode::init(&Parameters::default(), 0).expect("the parameters are valid")
}

fn entities(episode: &Episode<FindGoals>) -> Vec<EntityId> {
    episode.context().entities().map(|(id, _)| id).collect()
}

fn step(episode: &mut Episode<FindGoals>, actions: &Value) {
    for (index, entity) in entities(episode).into_iter().enumerate() {
        let number = actions[index].as_u64().expect("a number") as usize;
        let action: Action = episode.environment().decode(entity, number).expect("an action");
        episode.act(entity, &action).expect("one action a step is accepted");
    }
    episode.step();
}

fn encoded(episode: &Episode<FindGoals>, cells: &[Cell]) -> Row {
    let (mut observations, mut rewards) = ([0; 16], [0.0; 2]);
    let (mut masks, mut terminated, mut truncated) = ([false; 10], [true; 2], [true; 2]);
    let buffers = Buffers {
        observations: &mut observations,
        masks: &mut masks,
        rewards: &mut rewards,
        terminated: &mut terminated,
        truncated: &mut truncated,
    };
    episode.environment().encode(&entities(episode), buffers);
    assert_eq!((masks, terminated, truncated), ([true; 10], [false; 2], [false; 2]));
    assert_eq!(rewards[0], rewards[1]);
    let digits = |row: &[u8]| row.iter().map(ToString::to_string).collect();
    row(episode, cells, [digits(&observations[..8]), digits(&observations[8..])], rewards[0] as i64)
}

fn perceived(episode: &Episode<FindGoals>, cells: &[Cell]) -> Row {
    let entities = entities(episode);
    let seen = |index: usize| {
        let percepts = episode.percepts(entities[index]);
        percepts.iter().map(|percept| digit(percept).to_string()).collect()
    };
    let received = episode.events().iter().map(|(entity, percept)| match percept {
        Percept::Reward { joint } => (*entity, i64::from(*joint)),
        other => panic!("{other:?} is not an event"),
    });
    let received: Vec<(EntityId, i64)> = received.collect();
    let reward = received.first().map_or(0, |(_, joint)| *joint);
    if episode.context().step() > 0 {
        assert_eq!(received, [(entities[0], reward), (entities[1], reward)]);
    }
    row(episode, cells, [seen(0), seen(1)], reward)
}

fn digit(percept: &Percept) -> u8 {
    match percept {
        Percept::See { what, .. } => *what as u8,
        other => panic!("{other:?} does not belong to the local view"),
    }
}

fn row(episode: &Episode<FindGoals>, cells: &[Cell], seen: [String; 2], reward: i64) -> Row {
    let maze = episode.environment().maze();
    let places = Body::ALL.map(|body| (maze.cell(body).x(), maze.cell(body).y()));
    let taken = cells.iter().map(|cell| if maze.is_taken(*cell) { '1' } else { '0' }).collect();
    Row { places, taken, seen, reward }
}
