//! Plays the same random actions in the original programs and here, and compares percepts and refusals. The originals
//! are not part of this repository. Without them or without Java the tests are skipped, unless `GOLDEN_DATA=required` is
//! set.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use situated::environment::Environment;
use situated::random::Random;
use situated_blocks::{BlocksWorld, Tower, blocks_world, tower};
use situated_testkit::Game;

/// The number of actions.
const ACTIONS: usize = 1_000;

/// Runs a driver with an original on its class path, and returns the lines that it prints; `None` if something is
/// missing.
fn original(driver: &str, jars: &[&str], input: &str) -> Option<Vec<String>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let jars: Vec<_> = jars.iter().map(|jar| root.join("../../../shared/java").join(jar)).collect();
    let missing = jars.iter().find(|jar| !jar.exists()).map(|jar| format!("there is no {}", jar.display()));
    let missing = missing.or_else(|| {
        let version = Command::new("javac").arg("-version").output();
        version.is_err().then(|| "there is no JDK; install one, such as default-jdk-headless".to_owned())
    });
    if let Some(missing) = missing {
        let required = std::env::var("GOLDEN_DATA").is_ok_and(|value| value == "required");
        assert!(!required, "{missing}");
        println!("skipped: {missing}");
        return None;
    }
    let mut java = Command::new("java");
    java.arg("-Djava.awt.headless=true").arg("-cp").arg(std::env::join_paths(&jars).expect("paths without colons"));
    java.arg(root.join("tests/original").join(driver)).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut process = java.spawn().expect("Java runs");
    process.stdin.take().expect("a pipe").write_all(input.as_bytes()).expect("it reads");
    let output = process.wait_with_output().expect("it ends");
    assert!(output.status.success(), "{driver} has failed");
    Some(String::from_utf8(output.stdout).expect("text").lines().map(str::to_owned).collect())
}

/// The percepts that hold, in alphabetical order.
fn percepts<E: Environment>(ours: &mut Game<E>) -> String {
    let mut percepts = ours.percepts(0);
    percepts.sort();
    percepts.join(" ")
}

#[test]
fn blocks_world_gives_the_percepts_and_refusals_of_the_original() {
    let mut random = Random::new(7);
    let mut moves = Vec::new();
    while moves.len() < ACTIONS {
        // The original lets a block stand on itself, and nobody can move it from then on.
        let (block, onto) = (random.index(10), random.index(20));
        if block != onto {
            let place = if onto >= 10 { "table".to_owned() } else { format!("b{onto}") };
            moves.push((format!("b{block}"), place));
        }
    }
    let lines: Vec<String> = moves.iter().map(|(block, place)| format!("{block} {place}\n")).collect();
    let start = "0 5 1 0 4 0 0 7";
    let jars = ["eis-0.7.0.jar", "blocksworld.jar"];
    let Some(expected) = original("BlocksWorldOriginal.java", &jars, &format!("{start}\n{}", lines.concat())) else {
        return;
    };
    let parameters = blocks_world::Parameters { start: start.into(), goal: "none".into(), blocks: 8, gui: false };
    let mut ours = Game::<BlocksWorld>::begin(parameters, 1);
    assert_eq!((expected.len(), expected[0].clone()), (ACTIONS + 1, format!("ok {}", percepts(&mut ours))));
    let mut refused = 0;
    for ((block, place), expected) in moves.iter().zip(&expected[1..]) {
        let action = blocks_world::Action::Move {
            block: blocks_world::Block(block.as_str().into()),
            place: blocks_world::Place(place.as_str().into()),
        };
        // EIS gives actions that fail the type 7.
        let result = if ours.try_act(0, &action).is_ok() { "ok" } else { "7" };
        ours.steps(1);
        assert_eq!(format!("{result} {}", percepts(&mut ours)), *expected, "after move({block},{place})");
        refused += usize::from(result != "ok");
    }
    assert!((ACTIONS / 10..ACTIONS * 9 / 10).contains(&refused), "{refused} of {ACTIONS} actions are refused");
}

#[test]
fn tower_gives_the_percepts_of_the_original_at_each_moment() {
    const BLOCKS: u8 = 5;
    let mut random = Random::new(8);
    let name = |block: usize| char::from(b'a' + block as u8).to_string();
    let actions: Vec<(String, u32)> = (0..ACTIONS)
        .map(|_| {
            let (block, other) = (name(random.index(BLOCKS.into())), name(random.index(BLOCKS.into())));
            let action = match random.index(7) {
                0..=2 => format!("pickup {block}"),
                3 | 4 => format!("putdown {block} {other}"),
                5 => format!("putdown {block} table"),
                _ => "nil".to_owned(),
            };
            (action, 1 + random.index(90) as u32)
        })
        .collect();
    let lines: Vec<String> = actions.iter().map(|(action, steps)| format!("{action} {steps}\n")).collect();
    let input = format!("{BLOCKS}\n{}", lines.concat());
    let Some(expected) = original("TowerOriginal.java", &["tower.jar"], &input) else { return };
    assert_eq!(expected.len(), ACTIONS);
    let parameters = tower::Parameters { start: "table".into(), goal: "none".into(), blocks: BLOCKS };
    let mut ours = Game::<Tower>::begin(parameters, 1);
    let (mut before, mut changes) = (percepts(&mut ours), 0);
    for ((action, steps), expected) in actions.iter().zip(&expected) {
        let block = |name: &str| tower::Block(name.into());
        let act = match action.split(' ').collect::<Vec<_>>()[..] {
            ["pickup", one] => tower::Action::Pickup { block: block(one) },
            ["putdown", one, place] => tower::Action::Putdown { block: block(one), place: tower::Place(place.into()) },
            _ => tower::Action::Nil,
        };
        ours.act(0, &act);
        ours.steps(*steps);
        let now = percepts(&mut ours);
        assert_eq!(now, *expected, "after {action} and {steps} steps");
        changes += usize::from(now != before);
        before = now;
    }
    assert!(changes > 50, "only {changes} of {ACTIONS} actions changed something");
}
