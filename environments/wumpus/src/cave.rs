//! The rules: a cave and the explorer in it. Places are counted from the entrance, x to the east and y to the north.

use serde::{Deserialize, Serialize};
use situated::ParameterType;
use situated::random::Random;
use situated_grid::Grid;
pub use situated_grid::{Heading, Place, beside};

use crate::Action;
use crate::notes::Notes;

/// The number of attempts to make a random cave. After these, it has fewer and fewer pits.
const ATTEMPTS: u32 = 200;

/// A side of the explorer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ParameterType)]
pub enum Side {
    /// Counterclockwise.
    Left,
    /// Clockwise.
    Right,
}

/// The end of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum End {
    /// The explorer has left the cave.
    ClimbedOut,
    /// The explorer has died.
    Died,
}

/// The contents of a cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Cell {
    /// A wall.
    #[default]
    Wall,
    /// Ground.
    Ground,
    /// A pit.
    Pit,
}

/// A cave, and the explorer in it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cave {
    /// The cells. All others are walls.
    cells: Grid<Cell>,
    /// The south-western cell.
    pub corner: Place,
    /// The place of the gold, until somebody has it.
    pub gold: Option<Place>,
    /// The place of the Wumpus.
    pub wumpus: Option<Place>,
    /// Whether the Wumpus is alive.
    pub is_wumpus_alive: bool,
    /// The place of the explorer.
    pub place: Place,
    /// The direction in which the explorer looks.
    pub heading: Heading,
    /// Whether the explorer has the arrow.
    pub has_arrow: bool,
    /// Whether the explorer has the gold.
    pub has_gold: bool,
    /// Whether the last action ran into a wall.
    pub bump: bool,
    /// Whether the last action killed the Wumpus.
    pub scream: bool,
    /// How the game ended.
    pub end: Option<End>,
    /// The number of actions.
    pub time: u64,
    /// The score.
    pub score: i64,
}

impl Side {
    /// Returns the heading after a quarter turn to this side.
    pub fn turn(self, heading: Heading) -> Heading {
        if self == Side::Left { heading.left() } else { heading.right() }
    }
}

impl Cave {
    /// Creates a cave with the explorer at (0, 0), facing east.
    pub(crate) fn new(cells: Grid<Cell>, corner: Place, gold: Option<Place>, wumpus: Option<Place>) -> Self {
        Self { cells, corner, gold, wumpus, is_wumpus_alive: true, has_arrow: true, ..Self::default() }
    }

    /// Creates a square cave with the entrance in the south-western corner, in which the gold can be found without
    /// taking a risk. Gold and Wumpus are elsewhere, each cell equally likely.
    pub(crate) fn random(size: u8, pits: f64, random: &mut Random) -> Self {
        let side = i32::from(size);
        for attempt in 0.. {
            let pits = if attempt < ATTEMPTS { pits } else { pits * f64::from(ATTEMPTS) / f64::from(attempt + 1) };
            let mut place = || 1 + random.index((side * side - 1) as usize) as i32;
            let [gold, wumpus] = [place(), place()].map(|cell| Some((cell % side, cell / side)));
            let cell = |at| if at != (0, 0) && random.chance(pits) { Cell::Pit } else { Cell::Ground };
            let cave = Self::new(Grid::new(side, side, cell), (0, 0), gold, wumpus);
            if cave.is_safe() {
                return cave;
            }
        }
        unreachable!("a cave without pits comes up sooner or later")
    }

    /// Returns whether somebody who visits only cells that are [safe](Notes::frontier) finds the gold.
    fn is_safe(&self) -> bool {
        let mut notes = Notes::default();
        notes.visit((0, 0), self.is_beside_pit((0, 0)), self.is_beside_wumpus((0, 0)));
        loop {
            let frontier = notes.frontier();
            if frontier.is_empty() {
                return self.gold.is_some_and(|gold| notes.has_visited(gold));
            }
            for place in frontier {
                match self.cell(place) {
                    Cell::Wall => notes.wall(place),
                    _ => notes.visit(place, self.is_beside_pit(place), self.is_beside_wumpus(place)),
                }
            }
        }
    }

    /// Performs an action.
    pub(crate) fn act(&mut self, action: Action) {
        self.time += 1;
        self.score -= 1;
        (self.bump, self.scream) = (false, false);
        match action {
            Action::Forward => match self.cell(self.ahead()) {
                Cell::Wall => self.bump = true,
                _ => self.place = self.ahead(),
            },
            Action::Turn { side } => self.heading = side.turn(self.heading),
            Action::Grab => {
                if self.glitter() {
                    self.gold = None;
                    self.has_gold = true;
                    self.score += 1000;
                }
            }
            Action::Shoot => self.shoot(),
            Action::Climb => {
                if self.place == (0, 0) {
                    self.end = Some(End::ClimbedOut);
                }
            }
        }
        let meets_wumpus = self.is_wumpus_alive && self.wumpus == Some(self.place);
        if meets_wumpus || self.cell(self.place) == Cell::Pit {
            self.end = Some(End::Died);
            self.score -= 1000;
        }
    }

    fn shoot(&mut self) {
        if !std::mem::replace(&mut self.has_arrow, false) {
            return;
        }
        self.score -= 10;
        let mut arrow = self.ahead();
        while self.is_wumpus_alive && self.cell(arrow) != Cell::Wall {
            if self.wumpus == Some(arrow) {
                (self.is_wumpus_alive, self.scream) = (false, true);
            }
            arrow = self.heading.from(arrow);
        }
    }

    /// Returns the contents of a cell.
    pub fn cell(&self, (x, y): Place) -> Cell {
        self.cells.get((x - self.corner.0, y - self.corner.1)).copied().unwrap_or_default()
    }

    pub(crate) fn is_beside_pit(&self, place: Place) -> bool {
        beside(place).into_iter().any(|beside| self.cell(beside) == Cell::Pit)
    }

    pub(crate) fn is_beside_wumpus(&self, place: Place) -> bool {
        beside(place).into_iter().any(|beside| self.wumpus == Some(beside))
    }

    /// Returns whether the explorer perceives a breeze.
    pub fn breeze(&self) -> bool {
        self.is_beside_pit(self.place)
    }

    /// Returns whether the explorer perceives a stench.
    pub fn stench(&self) -> bool {
        self.is_beside_wumpus(self.place)
    }

    /// Returns whether the explorer perceives glitter.
    pub fn glitter(&self) -> bool {
        self.gold == Some(self.place)
    }

    /// Returns the width and the height in cells.
    pub fn size(&self) -> (i32, i32) {
        self.cells.size()
    }

    /// Returns the place ahead of the explorer.
    pub fn ahead(&self) -> Place {
        self.heading.from(self.place)
    }
}
