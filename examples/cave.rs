//! The world of the Wumpus in 150 lines: a dark cave with pits, a monster and gold, its picture and its menu.
//! `cargo run -p situated-cli --example cave -- serve cave`

// ANCHOR: state
use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use situated::prelude::*;
use situated_grid::{Board, Grid, Heading, Place, beside};

#[derive(Clone, Copy, PartialEq, Serialize, Deserialize)]
enum Cell {
    Ground,
    Pit,
    Wumpus,
    Gold,
}

#[derive(Serialize, Deserialize)]
struct Cave {
    cells: Grid<Cell>,
    place: Place,
    heading: Heading,
    visited: BTreeSet<Place>,
    ending: Option<Ending>,
    score: i64,
}

#[derive(Clone, Debug, InitParameters)]
struct Parameters {
    /// The number of cells from one wall of the cave to the other, from 3 to 20.
    #[parameter(default = 4, range = 3..=20)]
    size: i32,
}

impl Cave {
    fn is_beside(&self, place: Place, cell: Cell) -> bool {
        beside(place).into_iter().any(|one| self.cells.get(one) == Some(&cell))
    }
}
// ANCHOR_END: state

// ANCHOR: words
#[derive(Clone, Copy, Debug, PartialEq, Action)]
enum Act {
    /// Goes to the cell ahead, unless there is a wall.
    Forward,
    /// Turns left by 90 degrees.
    Left,
    /// Turns right by 90 degrees.
    Right,
    /// Picks up the gold.
    Grab,
    /// Climbs out of the cave, at the entrance.
    Climb,
}

#[derive(Clone, Debug, Percept)]
#[percept(on_change_with_negation)]
enum Sense {
    /// There is a pit in a cell beside this one.
    Breeze,
    /// The Wumpus is in a cell beside this one.
    Stench,
    /// There is gold in this cell.
    Glitter,
}
// ANCHOR_END: words

impl Environment for Cave {
    type Parameters = Parameters;
    type Action = Act;
    type Percept = Sense;

    // ANCHOR: rules
    fn ontology() -> Ontology {
        Self::ontology_builder("cave", "1.0", "Find the gold, and climb out alive.")
            .entity_type("explorer", "Somebody who looks for gold.")
            .build()
    }

    fn init(&Parameters { size }: &Parameters, context: &mut Context<Sense>) -> Result<Self, Failure> {
        context.add_entity("explorer", "explorer")?;
        let pits = |place| if place != (0, 0) && context.random.chance(0.15) { Cell::Pit } else { Cell::Ground };
        let mut cells = Grid::new(size, size, pits);
        let mut places: Vec<Place> = cells.places().skip(1).collect();
        context.random.shuffle(&mut places);
        for (place, cell) in places.into_iter().zip([Cell::Wumpus, Cell::Gold]) {
            cells.set(place, cell);
        }
        let (place, visited) = ((0, 0), BTreeSet::from([(0, 0)]));
        Ok(Cave { cells, place, heading: Heading::East, visited, ending: None, score: 0 })
    }

    fn act(&mut self, _: EntityId, action: &Act, _: &mut Context<Sense>) -> Result<(), Failure> {
        let ahead = self.heading.from(self.place);
        match (action, self.cells.get(ahead)) {
            (Act::Left, _) => self.heading = self.heading.left(),
            (Act::Right, _) => self.heading = self.heading.right(),
            (Act::Forward, None) => return Err(Failure::new("there is a wall")),
            (Act::Forward, Some(cell)) => {
                if matches!(cell, Cell::Pit | Cell::Wumpus) {
                    (self.ending, self.score) = (Some(Ending::Terminated), self.score - 1000);
                }
                self.place = ahead;
                self.visited.insert(ahead);
            }
            (Act::Grab, _) => match self.cells.get_mut(self.place) {
                Some(cell @ Cell::Gold) => (*cell, self.score) = (Cell::Ground, self.score + 1000),
                _ => return Err(Failure::new("there is no gold here")),
            },
            (Act::Climb, _) if self.place == (0, 0) => self.ending = Some(Ending::Terminated),
            (Act::Climb, _) => return Err(Failure::new("the entrance is elsewhere")),
        }
        self.score -= 1;
        Ok(())
    }

    fn percepts(&self, _: EntityId, _: &Context<Sense>, percepts: &mut Percepts<'_, Sense>) {
        percepts.extend(self.is_beside(self.place, Cell::Pit).then_some(Sense::Breeze));
        percepts.extend(self.is_beside(self.place, Cell::Wumpus).then_some(Sense::Stench));
        percepts.extend((self.cells.get(self.place) == Some(&Cell::Gold)).then_some(Sense::Glitter));
    }

    fn ending(&self) -> Option<Ending> {
        self.ending
    }

    fn results(&self, _: &Context<Sense>) -> Vec<Measure> {
        vec![Measure::new("explorer", "score", self.score)]
    }
    // ANCHOR_END: rules

    // ANCHOR: scene
    fn scene(&self, viewer: Option<EntityId>, _: &Context<Sense>) -> Scene {
        let (width, height) = self.cells.size();
        let mut board = Board::new((-1, -1), (width + 2, height + 2), Color(44, 42, 50));
        let is_known = |place: &Place| viewer.is_none() || self.visited.contains(place);
        for place in self.cells.places().filter(is_known) {
            board.tile(place, Color(232, 224, 208));
            for (cell, at, color) in [(Cell::Pit, (0.2, 0.8), Color::BLUE), (Cell::Wumpus, (0.8, 0.8), Color::GREEN)] {
                if self.is_beside(place, cell) {
                    board.dot(place, at, 0.12, color);
                }
            }
            match self.cells.get(place) {
                Some(Cell::Pit) => board.dot(place, (0.5, 0.5), 0.38, Color::BLACK).label = "pit".into(),
                Some(Cell::Wumpus) => board.dot(place, (0.5, 0.5), 0.36, Color::RED).label = "wumpus".into(),
                Some(Cell::Gold) => board.dot(place, (0.5, 0.2), 0.16, Color::YELLOW).label = "gold".into(),
                _ => {}
            }
        }
        board.piece(self.place, self.heading, Color::BLUE, "explorer");
        board.into_scene()
    }
    // ANCHOR_END: scene

    // ANCHOR: menu
    fn menu(&self, _: EntityId, _: &MenuRequest, _: &Context<Sense>) -> Menu<Act> {
        let items = [
            ("Go forward", Act::Forward),
            ("Turn left", Act::Left),
            ("Turn right", Act::Right),
            ("Grab the gold", Act::Grab),
            ("Climb out", Act::Climb),
        ];
        let items = items.map(|(label, action)| MenuItem::direct(label, action));
        Menu { subject: "the explorer".into(), items: items.into() }
    }
    // ANCHOR_END: menu
}

// ANCHOR: main
fn main() -> std::process::ExitCode {
    situated_cli::main(situated_cli::Registry::new().with(situated_cli::environment::<Cave>()))
}
// ANCHOR_END: main
