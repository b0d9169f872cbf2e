//! The rules: a cave and the explorer in it. Places are counted from the entrance, x to the east and y to the north.

use serde::{Deserialize, Serialize};
use situated::ParameterType;
use situated::random::Random;
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cave {
    /// The cells, row by row from the south. All others are walls.
    cells: Vec<Cell>,
    width: i32,
    /// The south-western cell.
    corner: Place,
    gold: Option<Place>,
    wumpus: Option<Place>,
    is_wumpus_alive: bool,
    place: Place,
    heading: Heading,
    has_arrow: bool,
    has_gold: bool,
    bump: bool,
    scream: bool,
    end: Option<End>,
    time: u64,
    score: i64,
}

impl Side {
    /// Returns the heading after a quarter turn to this side.
    pub fn turn(self, heading: Heading) -> Heading {
        if self == Side::Left { heading.left() } else { heading.right() }
    }
}

impl Cave {
    /// Creates a cave. `cells` are its rows from the south, each of this width, and `corner` is the first cell.
    pub(crate) fn new(cells: Vec<Cell>, width: i32, corner: Place, gold: Option<Place>, wumpus: Option<Place>) -> Self {
        Self {
            cells,
            width,
            corner,
            gold,
            wumpus,
            is_wumpus_alive: true,
            place: (0, 0),
            heading: Heading::East,
            has_arrow: true,
            has_gold: false,
            bump: false,
            scream: false,
            end: None,
            time: 0,
            score: 0,
        }
    }

    /// Creates a square cave with the entrance in the south-western corner, in which the gold can be found without
    /// taking a risk. Gold and Wumpus are elsewhere, each cell equally likely.
    pub(crate) fn random(size: u8, pits: f64, random: &mut Random) -> Self {
        let size = i32::from(size);
        for attempt in 0.. {
            let pits = if attempt < ATTEMPTS { pits } else { pits * f64::from(ATTEMPTS) / f64::from(attempt + 1) };
            let mut place = || 1 + random.index((size * size - 1) as usize) as i32;
            let [gold, wumpus] = [place(), place()].map(|cell| (cell % size, cell / size));
            let cell = |at: i32| if at > 0 && random.chance(pits) { Cell::Pit } else { Cell::Ground };
            let cells = (0..size * size).map(cell).collect();
            let cave = Self::new(cells, size, (0, 0), Some(gold), Some(wumpus));
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
        let (x, y) = (x - self.corner.0, y - self.corner.1);
        let is_inside = (0..self.width).contains(&x) && y >= 0;
        if is_inside { self.cells.get((y * self.width + x) as usize).copied().unwrap_or_default() } else { Cell::Wall }
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

    /// Returns whether the last action ran into a wall.
    pub fn bump(&self) -> bool {
        self.bump
    }

    /// Returns whether the last action killed the Wumpus.
    pub fn scream(&self) -> bool {
        self.scream
    }

    /// Returns the width and the height in cells.
    pub fn size(&self) -> (i32, i32) {
        (self.width, self.cells.len() as i32 / self.width)
    }

    /// Returns the south-western cell.
    pub fn corner(&self) -> Place {
        self.corner
    }

    /// Returns the place of the gold, until somebody has it.
    pub fn gold(&self) -> Option<Place> {
        self.gold
    }

    /// Returns the place of the Wumpus, and whether it is alive.
    pub fn wumpus(&self) -> Option<(Place, bool)> {
        self.wumpus.map(|place| (place, self.is_wumpus_alive))
    }

    /// Returns the place of the explorer.
    pub fn place(&self) -> Place {
        self.place
    }

    /// Returns the direction in which the explorer looks.
    pub fn heading(&self) -> Heading {
        self.heading
    }

    /// Returns the place ahead of the explorer.
    pub fn ahead(&self) -> Place {
        self.heading.from(self.place)
    }

    /// Returns whether the explorer has the arrow.
    pub fn has_arrow(&self) -> bool {
        self.has_arrow
    }

    /// Returns whether the explorer has the gold.
    pub fn has_gold(&self) -> bool {
        self.has_gold
    }

    /// Returns how the game ended.
    pub fn end(&self) -> Option<End> {
        self.end
    }

    /// Returns the number of actions.
    pub fn time(&self) -> u64 {
        self.time
    }

    /// Returns the score.
    pub fn score(&self) -> i64 {
        self.score
    }
}
