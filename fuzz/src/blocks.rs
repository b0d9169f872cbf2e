//! Properties of arrangements of blocks: reading them does not panic, errors have a reason, and both environments
//! accept the same ones.

use situated::environment::Episode;
use situated::iil::Parameter;
use situated_blocks::{BlocksWorld, Tower, blocks_world, tower};

/// Reads the data as the blocks at the beginning and, after a semicolon, as the goal: as terms, or as texts.
pub fn arrangement(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let (start, goal) = text.split_once(';').unwrap_or((&text, "none"));
    let [start, goal] = [start, goal].map(|text| text.parse::<Parameter>().unwrap_or_else(|_| text.into()));
    let parameters = blocks_world::Parameters { start: start.clone(), goal: goal.clone(), blocks: 8, gui: false };
    let flat = Episode::<BlocksWorld>::init(&parameters, 1);
    let tower = Episode::<Tower>::init(&tower::Parameters { start, goal, blocks: 8 }, 1);
    match (flat, tower) {
        (Ok(flat), Ok(tower)) => assert!(flat.scene(None).width > 0.0 && tower.scene(None).width > 0.0),
        (Err(error), other) => {
            assert!(!error.reason.is_empty() && error.reason.len() < 300 && other.is_err(), "{error}");
        }
        (Ok(flat), Err(_)) => assert!(flat.environment().towers.count() > 26, "an alphabet has room for them"),
    }
}
