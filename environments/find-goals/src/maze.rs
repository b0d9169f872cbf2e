//! The rules alone: the map, the two walkers on it, and the effect of a pair of actions. The whole state of the game
//! is one small value that can be copied, compared and counted.
//!
//! The map, the actions and the rewards are those of the Find the Goals document, sections "Scene Description" and
//! "Class Organization". Where the document is silent (the order in which the walkers move, the cost of a blocked
//! move, two walkers in one cell), the rules follow the original program of October 2018.

use serde::{Deserialize, Serialize};
use situated::{Action, ParameterType};

/// Cells from left to right.
pub const WIDTH: u8 = 10;

/// Cells from bottom to top.
pub const HEIGHT: u8 = 4;

/// The joint reward for each walker that reaches its goal.
pub const GOAL_REWARD: i32 = 100;

/// The joint reward for each walker that does anything but wait.
pub const MOVE_REWARD: i32 = -1;

/// Walls (`#`) and free cells, row by row from the top (the document's figures 1 and 3).
const MAP: &[u8; WIDTH as usize * HEIGHT as usize] = b"##########\
                                                       #........#\
                                                       ###.##.###\
                                                       ##########";

/// The cells that are walls, as a set of [bits](Cell::bit).
const WALLS: u64 = walls();

/// The state of the game: the positions of the walkers, and the cells that count as taken.
///
/// Usually a walker's cell counts as taken. But a walker that is sent back to its start shares that cell with any
/// walker that stands there. The first of the two to leave clears the cell's mark; the other one then blocks no walker
/// until it has moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Maze {
    cells: [Cell; 2],
    taken: u64,
}

/// One of the two walkers: the document's agent 1 and agent 2.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Body {
    /// Agent 1, from (3, 1) to (8, 2).
    Red,
    /// Agent 2, from (6, 1) to (1, 2).
    Blue,
}

/// A cell of the map.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "u8")]
pub struct Cell(u8);

/// An action of a walker in a step, in the order of the document's figure 12.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Action)]
pub enum Action {
    /// Moves to the cell above: y, which grows upwards, increases by 1. It costs 1, and has no other effect if a wall
    /// or the other walker is there. Red moves before blue in each step: blue can enter the cell that red is leaving,
    /// but red cannot enter the cell that blue is leaving.
    Up,
    /// Moves to the cell below: y decreases by 1. It costs as much as `up`, and is blocked in the same cases.
    Down,
    /// Moves to the cell on the left: x decreases by 1. It costs as much as `up`, and is blocked in the same cases.
    Left,
    /// Moves to the cell on the right: x increases by 1. It costs as much as `up`, and is blocked in the same cases.
    Right,
    /// Stays in the cell. It costs nothing, and is the default action.
    Wait,
}

/// The direction of a neighbouring cell, in the order of the document's figure 10.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, ParameterType)]
#[parameter(all)]
pub enum Direction {
    /// Above on the left.
    NorthWest,
    /// Above.
    North,
    /// Above on the right.
    NorthEast,
    /// On the left.
    West,
    /// On the right.
    East,
    /// Below on the left.
    SouthWest,
    /// Below.
    South,
    /// Below on the right.
    SouthEast,
}

/// The contents of a cell as a walker sees it; the numbers are those of the document's observations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, ParameterType)]
pub enum Sight {
    /// A free cell.
    Free = 0,
    /// A wall.
    Wall = 1,
    /// The other walker.
    Other = 2,
}

/// The result of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reward {
    /// The sum over both walkers: 0, -1, -2, 98, 99 or 198.
    pub joint: i32,
    /// Whether red and blue have reached their goals.
    pub goals: [bool; 2],
}

impl Maze {
    /// Both walkers at their starts.
    pub const START: Maze = Maze {
        cells: [Body::Red.start(), Body::Blue.start()],
        taken: Body::Red.start().bit() | Body::Blue.start().bit(),
    };

    /// Returns the position of a walker.
    pub const fn cell(&self, body: Body) -> Cell {
        self.cells[body as usize]
    }

    /// Returns whether the cell counts as taken by a walker, so that none can enter it.
    pub const fn is_taken(&self, cell: Cell) -> bool {
        self.taken & cell.bit() != 0
    }

    /// Both walkers act, red first. Then those on their goals are sent back to their starts, even if the other one
    /// stands there.
    #[inline]
    pub fn step(&mut self, red: Action, blue: Action) -> Reward {
        let moves = self.act(Body::Red, red) + self.act(Body::Blue, blue);
        let goals = [self.return_from_goal(Body::Red), self.return_from_goal(Body::Blue)];
        let reached = i32::from(goals[0]) + i32::from(goals[1]);
        Reward { joint: MOVE_REWARD * moves + GOAL_REWARD * reached, goals }
    }

    /// Returns what a walker sees around it, in the order of [`Direction::ALL`]. It does not see its own cell, so
    /// another walker in that cell is invisible.
    #[inline]
    pub fn sees(&self, body: Body) -> [Sight; 8] {
        let (own, other) = (self.cell(body), self.cell(body.other()));
        let (walls, other) = (own.surroundings(WALLS), own.surroundings(other.bit()));
        Direction::ALL.map(|direction| match direction.bit() {
            bit if other & bit != 0 => Sight::Other,
            bit if walls & bit != 0 => Sight::Wall,
            _ => Sight::Free,
        })
    }

    /// Returns the number of moves: one, even if it is blocked, or none for waiting.
    fn act(&mut self, body: Body, action: Action) -> i32 {
        let from = self.cell(body);
        let to = from.towards(action);
        let moves = action != Action::Wait;
        let succeeds = moves & ((WALLS | self.taken) & to.bit() == 0);
        // With random play, a branch would be expensive here.
        let effective = u64::from(succeeds).wrapping_neg();
        self.taken = self.taken & !(from.bit() & effective) | to.bit() & effective;
        self.cells[body as usize] = if succeeds { to } else { from };
        i32::from(moves)
    }

    /// Returns whether the walker was on its goal.
    fn return_from_goal(&mut self, body: Body) -> bool {
        let (goal, start) = (body.goal(), body.start());
        let reached = self.cell(body) == goal;
        if reached {
            self.taken = self.taken & !goal.bit() | start.bit();
            self.cells[body as usize] = start;
        }
        reached
    }
}

impl Body {
    /// Both walkers, in the order in which they move.
    pub const ALL: [Body; 2] = [Body::Red, Body::Blue];

    /// Returns the name of its entity.
    pub const fn name(self) -> &'static str {
        match self {
            Body::Red => "red",
            Body::Blue => "blue",
        }
    }

    /// Returns the other walker.
    pub const fn other(self) -> Body {
        match self {
            Body::Red => Body::Blue,
            Body::Blue => Body::Red,
        }
    }

    /// Returns the cell where it begins, and begins again after each goal.
    pub const fn start(self) -> Cell {
        match self {
            Body::Red => Cell::at(3, 1),
            Body::Blue => Cell::at(6, 1),
        }
    }

    /// Returns its goal.
    pub const fn goal(self) -> Cell {
        match self {
            Body::Red => Cell::at(8, 2),
            Body::Blue => Cell::at(1, 2),
        }
    }
}

impl Cell {
    /// Returns the cell with these coordinates, or `None` if they lie outside of the map.
    pub fn new(x: u8, y: u8) -> Option<Cell> {
        (x < WIDTH && y < HEIGHT).then_some(Cell::at(x, y))
    }

    /// Returns all cells of the map, row by row from the bottom.
    pub fn all() -> impl Iterator<Item = Cell> {
        (0..WIDTH * HEIGHT).map(Cell)
    }

    /// Returns the number of cells to the left of it: 0 to 9.
    pub const fn x(self) -> u8 {
        self.0 % WIDTH
    }

    /// Returns the number of cells below it: 0 to 3.
    pub const fn y(self) -> u8 {
        self.0 / WIDTH
    }

    /// Returns whether it is a wall.
    pub const fn is_wall(self) -> bool {
        WALLS & self.bit() != 0
    }

    /// Returns its index among [all cells](Self::all).
    pub(crate) const fn index(self) -> usize {
        self.0 as usize
    }

    pub(crate) const fn at(x: u8, y: u8) -> Cell {
        Cell(y * WIDTH + x)
    }

    /// Returns the set of this cell alone: a bit for each cell of the map, row by row from the bottom.
    const fn bit(self) -> u64 {
        1 << self.0
    }

    // Walkers are never on the edge of the map, so all cells around them are on it.

    /// Returns the cell to which an action leads.
    fn towards(self, action: Action) -> Cell {
        const ROW: i8 = WIDTH as i8;
        const OFFSETS: [i8; Action::ALL.len()] = [ROW, -ROW, -1, 1, 0];
        Cell(self.0.wrapping_add_signed(OFFSETS[action as usize]))
    }

    /// Returns the cells of a set that surround this one, as a set of [bits](Direction::bit).
    fn surroundings(self, cells: u64) -> u64 {
        cells >> (self.0 - WIDTH - 1)
    }
}

impl TryFrom<u8> for Cell {
    type Error = &'static str;

    /// Reads the cell of a walker in a serialised state.
    fn try_from(number: u8) -> Result<Self, Self::Error> {
        let cell = Cell::new(number % WIDTH, number / WIDTH);
        cell.filter(|cell| !cell.is_wall()).ok_or("no body can be in this cell of the maze")
    }
}

impl Action {
    /// All actions, in the order of their numbers in the document.
    pub const ALL: [Action; 5] = [Action::Up, Action::Down, Action::Left, Action::Right, Action::Wait];
}

impl Direction {
    /// Returns the bit of the cell in this direction, seen from the cell whose [surroundings](Cell::surroundings)
    /// these are.
    const fn bit(self) -> u64 {
        let (x, y) = self.offset();
        Cell::at(x, y).bit()
    }

    /// Returns the distance to the right of, and above, the neighbour in the southwest.
    pub(crate) const fn offset(self) -> (u8, u8) {
        match self {
            Direction::NorthWest => (0, 2),
            Direction::North => (1, 2),
            Direction::NorthEast => (2, 2),
            Direction::West => (0, 1),
            Direction::East => (2, 1),
            Direction::SouthWest => (0, 0),
            Direction::South => (1, 0),
            Direction::SouthEast => (2, 0),
        }
    }
}

const fn walls() -> u64 {
    let mut walls = 0;
    let mut index = 0;
    while index < MAP.len() {
        let (column, row) = (index as u8 % WIDTH, index as u8 / WIDTH);
        if MAP[index] == b'#' {
            walls |= Cell::at(column, HEIGHT - 1 - row).bit();
        }
        index += 1;
    }
    walls
}
