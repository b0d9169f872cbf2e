//! The rules alone: the map, the two bodies on it, and what a pair of actions does to them. The whole state of the
//! game is one small value, so that it can be copied, compared and counted.
//!
//! The map, the actions and the rewards are those of the Find the Goals document, sections "Scene Description" and
//! "Class Organization". What the document leaves open (the order in which the bodies move, the price of a move
//! that is blocked, two bodies in one cell) is as the original program of October 2018 behaves.

use serde::{Deserialize, Serialize};
use situated::{Action, ParameterType};

/// Cells from left to right.
pub const WIDTH: u8 = 10;

/// Cells from bottom to top.
pub const HEIGHT: u8 = 4;

/// What each body that reaches its goal adds to the joint reward.
pub const GOAL_REWARD: i32 = 100;

/// What each body that does anything but wait adds to the joint reward.
pub const MOVE_REWARD: i32 = -1;

/// Walls (`#`) and free cells, row by row from the top (the document's figures 1 and 3).
const MAP: &[u8; WIDTH as usize * HEIGHT as usize] = b"##########\
                                                       #........#\
                                                       ###.##.###\
                                                       ##########";

/// The cells that are walls, as a set of [bits](Cell::bit).
const WALLS: u64 = walls();

/// The state of the game: where the bodies are, and which cells count as taken by them.
///
/// As a rule a body's cell counts as taken. But a body that is sent back to its start shares that cell with
/// whoever stands there, and the first of the two to leave takes the cell's mark with it: the one that remains is
/// in nobody's way until it has moved itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Maze {
    cells: [Cell; 2],
    taken: u64,
}

/// One of the two bodies: the document's agent 1 and agent 2.
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

/// What a body can do in a step; the order is that of the document's figure 12.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Action)]
pub enum Action {
    /// Move to the cell above: y, which grows upwards, becomes greater by 1. It costs 1, and has no other effect if a
    /// wall or the other body is there. Red moves before blue in each step: blue can enter the cell that red is just
    /// leaving, red cannot enter the one that blue is just leaving.
    Up,
    /// Move to the cell below: y becomes less by 1. It costs as much and is blocked as `up` is.
    Down,
    /// Move to the cell on the left: x becomes less by 1. It costs as much and is blocked as `up` is.
    Left,
    /// Move to the cell on the right: x becomes greater by 1. It costs as much and is blocked as `up` is.
    Right,
    /// Stay where you are. It costs nothing, and is what happens to a body for which nothing is chosen.
    Wait,
}

/// Where a neighbouring cell lies; the order is that of the document's figure 10.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, ParameterType)]
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

/// What a body sees on a cell; the numbers are those of the document's observations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, ParameterType)]
pub enum Sight {
    /// Nothing.
    Free = 0,
    /// A wall.
    Wall = 1,
    /// The other body.
    Other = 2,
}

/// What a step brings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reward {
    /// The sum over both bodies: 0, -1, -2, 98, 99 or 198.
    pub joint: i32,
    /// Whether red, and whether blue, has reached its goal.
    pub goals: [bool; 2],
}

impl Maze {
    /// Both bodies on their starts.
    pub const START: Maze = Maze {
        cells: [Body::Red.start(), Body::Blue.start()],
        taken: Body::Red.start().bit() | Body::Blue.start().bit(),
    };

    /// Where a body is.
    pub const fn cell(&self, body: Body) -> Cell {
        self.cells[body as usize]
    }

    /// Whether the cell counts as taken by a body, so that nobody can enter it.
    pub const fn is_taken(&self, cell: Cell) -> bool {
        self.taken & cell.bit() != 0
    }

    /// Both bodies act, red first; then those that are on their goals are sent back to their starts, even if somebody
    /// stands there.
    pub fn step(&mut self, red: Action, blue: Action) -> Reward {
        let moves = self.act(Body::Red, red) + self.act(Body::Blue, blue);
        let goals = [self.return_from_goal(Body::Red), self.return_from_goal(Body::Blue)];
        let reached = i32::from(goals[0]) + i32::from(goals[1]);
        Reward { joint: MOVE_REWARD * moves + GOAL_REWARD * reached, goals }
    }

    /// What a body sees around it, in the order of [`Direction::ALL`]. It sees nothing of its own cell, so that another
    /// body in it is invisible.
    pub fn sees(&self, body: Body) -> [Sight; 8] {
        let (own, other) = (self.cell(body), self.cell(body.other()));
        let (walls, other) = (own.surroundings(WALLS), own.surroundings(other.bit()));
        Direction::ALL.map(|direction| match direction.bit() {
            bit if other & bit != 0 => Sight::Other,
            bit if walls & bit != 0 => Sight::Wall,
            _ => Sight::Free,
        })
    }

    /// Returns how many moves it has made: one, even if it is blocked, unless it waits.
    fn act(&mut self, body: Body, action: Action) -> i32 {
        let from = self.cell(body);
        let to = from.towards(action);
        let moves = action != Action::Wait;
        let succeeds = moves & ((WALLS | self.taken) & to.bit() == 0);
        // Random play would make a branch expensive here.
        let effective = u64::from(succeeds).wrapping_neg();
        self.taken = self.taken & !(from.bit() & effective) | to.bit() & effective;
        self.cells[body as usize] = if succeeds { to } else { from };
        i32::from(moves)
    }

    /// Returns whether the body was on its goal.
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
    /// Both, in the order in which they move.
    pub const ALL: [Body; 2] = [Body::Red, Body::Blue];

    /// The name of its entity.
    pub const fn name(self) -> &'static str {
        match self {
            Body::Red => "red",
            Body::Blue => "blue",
        }
    }

    /// The one that it is not.
    pub const fn other(self) -> Body {
        match self {
            Body::Red => Body::Blue,
            Body::Blue => Body::Red,
        }
    }

    /// Where it begins, and begins again after each goal.
    pub const fn start(self) -> Cell {
        match self {
            Body::Red => Cell::at(3, 1),
            Body::Blue => Cell::at(6, 1),
        }
    }

    /// Where it is rewarded.
    pub const fn goal(self) -> Cell {
        match self {
            Body::Red => Cell::at(8, 2),
            Body::Blue => Cell::at(1, 2),
        }
    }
}

impl Cell {
    /// The cell with these coordinates; none if they lie outside of the map.
    pub fn new(x: u8, y: u8) -> Option<Cell> {
        (x < WIDTH && y < HEIGHT).then_some(Cell::at(x, y))
    }

    /// All of the map, row by row from the bottom.
    pub fn all() -> impl Iterator<Item = Cell> {
        (0..WIDTH * HEIGHT).map(Cell)
    }

    /// Cells to the left of it: 0 to 9.
    pub const fn x(self) -> u8 {
        self.0 % WIDTH
    }

    /// Cells below it: 0 to 3.
    pub const fn y(self) -> u8 {
        self.0 / WIDTH
    }

    /// Whether it is a wall.
    pub const fn is_wall(self) -> bool {
        WALLS & self.bit() != 0
    }

    const fn at(x: u8, y: u8) -> Cell {
        Cell(y * WIDTH + x)
    }

    /// The set of this cell alone: a bit for each cell of the map, row by row from the bottom.
    const fn bit(self) -> u64 {
        1 << self.0
    }

    // Bodies are never on the edge of the map, so that all cells around them are on it.

    /// The cell to which an action leads.
    fn towards(self, action: Action) -> Cell {
        const ROW: i8 = WIDTH as i8;
        const OFFSETS: [i8; Action::ALL.len()] = [ROW, -ROW, -1, 1, 0];
        Cell(self.0.wrapping_add_signed(OFFSETS[action as usize]))
    }

    /// What a set of cells has around this one, as a set of [bits](Direction::bit).
    fn surroundings(self, cells: u64) -> u64 {
        cells >> (self.0 - WIDTH - 1)
    }
}

impl TryFrom<u8> for Cell {
    type Error = &'static str;

    /// The cell as it is written down in a state of the game, where it is that of a body.
    fn try_from(number: u8) -> Result<Self, Self::Error> {
        let cell = Cell::new(number % WIDTH, number / WIDTH);
        cell.filter(|cell| !cell.is_wall()).ok_or("no body can be in this cell of the maze")
    }
}

impl Action {
    /// All of them, in the order of their numbers in the document.
    pub const ALL: [Action; 5] = [Action::Up, Action::Down, Action::Left, Action::Right, Action::Wait];
}

impl Direction {
    /// All of them, in the order of their numbers in the document.
    pub const ALL: [Direction; 8] = [
        Direction::NorthWest,
        Direction::North,
        Direction::NorthEast,
        Direction::West,
        Direction::East,
        Direction::SouthWest,
        Direction::South,
        Direction::SouthEast,
    ];

    /// The bit of the cell that lies there, seen from the cell in whose [surroundings](Cell::surroundings) it is.
    const fn bit(self) -> u64 {
        let (x, y) = self.offset();
        Cell::at(x, y).bit()
    }

    /// How far it is to the right of, and above, the neighbour in the southwest.
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
