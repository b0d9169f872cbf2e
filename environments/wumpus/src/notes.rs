//! What an explorer has found out about a cave, and what follows from it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use situated_grid::{Place, beside};

/// The visited cells and the known walls.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Notes {
    notes: BTreeMap<Place, Note>,
}

/// A known cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Note {
    /// The explorer ran into it.
    Wall,
    /// The explorer was there.
    Visited {
        /// Whether it felt a breeze.
        breeze: bool,
        /// Whether it smelled a stench.
        stench: bool,
    },
}

impl Notes {
    /// Notes a visited cell.
    pub fn visit(&mut self, place: Place, breeze: bool, stench: bool) {
        self.notes.insert(place, Note::Visited { breeze, stench });
    }

    /// Notes a wall.
    pub fn wall(&mut self, place: Place) {
        self.notes.insert(place, Note::Wall);
    }

    /// Returns the known cells.
    pub fn cells(&self) -> impl Iterator<Item = (Place, Note)> {
        self.notes.iter().map(|(place, note)| (*place, *note))
    }

    /// Returns whether the explorer was there.
    pub fn has_visited(&self, place: Place) -> bool {
        matches!(self.notes.get(&place), Some(Note::Visited { .. }))
    }

    /// Returns the unknown cells beside visited ones that are safe: one of the visited cells beside them has no
    /// breeze, and the stenches show that the Wumpus is not there.
    pub fn frontier(&self) -> Vec<Place> {
        let visited = self.cells().filter(|(_, note)| matches!(note, Note::Visited { .. }));
        let mut frontier: Vec<Place> = visited.flat_map(|(place, _)| beside(place)).collect();
        frontier.sort_unstable();
        frontier.dedup();
        frontier
            .retain(|place| !self.notes.contains_key(place) && self.has_no_pit(*place) && self.has_no_wumpus(*place));
        frontier
    }

    fn has_no_pit(&self, place: Place) -> bool {
        beside(place).iter().any(|one| matches!(self.notes.get(one), Some(Note::Visited { breeze: false, .. })))
    }

    /// There is one Wumpus, so it is beside all cells with a stench and beside no other visited cell.
    fn has_no_wumpus(&self, place: Place) -> bool {
        let explains = |at: Place, note: Note| match note {
            Note::Visited { stench, .. } => beside(at).contains(&place) == stench,
            Note::Wall => true,
        };
        !self.cells().all(|(at, note)| explains(at, note))
    }
}
