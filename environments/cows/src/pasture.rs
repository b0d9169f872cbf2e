//! The rules: cowboys, cows in herds, fences that stay open while somebody stands at their switch, and corrals. As in
//! the contest, (0, 0) is the north-western cell; x grows to the east, and y to the south.

use serde::{Deserialize, Serialize};
use situated::ParameterType;
use situated::random::Random;
use situated_grid::{Grid, Place};

/// The probability that a move fails.
const FAILURE: f64 = 0.05;

/// The number of steps in which a cow decides once.
const COW_SPEED: u64 = 3;

/// The distance up to which a cow judges the cells around the one to which it could go.
const COW_SIGHT: i32 = 4;

/// The distance within which a cow avoids other cows.
const PRIVATE: i32 = 3;

/// The difference in attraction that a cow does not notice.
const EPSILON: f64 = 0.2;

/// The most rounds in which fences that close push cowboys to the switches of others.
const ROUNDS: usize = 10;

/// A direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ParameterType)]
#[parameter(all)]
pub enum Direction {
    // Clockwise.
    /// To smaller y.
    North,
    /// To greater x and smaller y.
    Northeast,
    /// To greater x.
    East,
    /// To greater x and y.
    Southeast,
    /// To greater y.
    South,
    /// To smaller x and greater y.
    Southwest,
    /// To smaller x.
    West,
    /// To smaller x and y.
    Northwest,
}

/// A team.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Team {
    /// The team whose corral is in the west of a random pasture.
    Red,
    /// The team whose corral is in the east.
    Blue,
}

/// The part of a cell that does not move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Ground {
    /// Free ground.
    Grass,
    /// A tree or a wall.
    Obstacle,
    /// The corral of a team.
    Corral(Team),
    /// The switch of a fence.
    Switch,
    /// A part of the fence with this index.
    Fence(u16),
}

/// A cowboy or a cow, by its index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Being {
    /// A cowboy.
    Cowboy(u16),
    /// A cow.
    Cow(u16),
}

/// A rectangle of cells: its north-western and its south-eastern one.
pub type Corral = (Place, Place);

/// A fence: a straight line of cells that begins beside its switch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fence {
    pub(crate) switch: Place,
    pub(crate) direction: Direction,
    pub(crate) cells: Vec<Place>,
    pub(crate) is_open: bool,
}

/// A cowboy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cowboy {
    /// Its team.
    pub team: Team,
    pub(crate) place: Place,
    /// The move for the next step.
    pub(crate) choice: Option<Option<Direction>>,
    last: Option<Direction>,
}

/// A cow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Cow {
    place: Place,
    /// It decides in steps with this remainder.
    phase: u64,
    last: Option<Direction>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Cell {
    ground: Ground,
    being: Option<Being>,
}

/// The pasture.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pasture {
    pub(crate) cells: Grid<Cell>,
    corrals: [Corral; 2],
    pub(crate) fences: Vec<Fence>,
    pub(crate) cowboys: Vec<Cowboy>,
    cows: Vec<Cow>,
    /// The number of steps so far.
    pub steps: u64,
    /// The cows in each corral, and the sums of these over all steps.
    counts: [u32; 2],
    sums: [u64; 2],
}

impl Direction {
    /// The directions along rows and columns, clockwise.
    pub(crate) const STRAIGHT: [Direction; 4] = [Direction::North, Direction::East, Direction::South, Direction::West];

    /// Returns the place beside another one.
    pub fn from(self, (x, y): Place) -> Place {
        let (right, down) = [(0, -1), (1, -1), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1)][self as usize];
        (x + right, y + down)
    }

    /// Returns the direction to a place that is not this one, rounded to one of the eight.
    pub fn towards((x, y): Place, (to_x, to_y): Place) -> Option<Direction> {
        let (right, down) = (to_x - x, to_y - y);
        let part = |part: i32| if 2 * part.abs() > right.abs().max(down.abs()) { part.signum() } else { 0 };
        Self::ALL.into_iter().find(|one| one.from((0, 0)) == (part(right), part(down)))
    }

    /// Returns the opposite direction.
    pub fn back(self) -> Direction {
        Self::ALL[(self as usize + 4) % 8]
    }
}

impl Team {
    /// Both teams.
    pub const BOTH: [Team; 2] = [Team::Red, Team::Blue];

    /// Returns the other team.
    pub fn other(self) -> Team {
        Self::BOTH[1 - self as usize]
    }

    /// Returns the name: `red` or `blue`.
    pub fn name(self) -> &'static str {
        ["red", "blue"][self as usize]
    }
}

/// Returns the distance in moves, if nothing is in the way.
pub fn distance(from: Place, to: Place) -> i32 {
    (from.0 - to.0).abs().max((from.1 - to.1).abs())
}

impl Pasture {
    /// Creates a pasture. There must be more cells of grass than cowboys and cows, each of which has a place of its
    /// own.
    pub(crate) fn new(
        ground: &Grid<Ground>,
        corrals: [Corral; 2],
        fences: Vec<Fence>,
        cowboys: impl Iterator<Item = (Team, Place)>,
        cows: impl Iterator<Item = Place>,
        random: &mut Random,
    ) -> Self {
        let mut pasture = Self {
            cells: ground.map(|_, ground| Cell { ground: *ground, being: None }),
            corrals,
            fences,
            cowboys: cowboys.map(|(team, place)| Cowboy { team, place, choice: None, last: None }).collect(),
            cows: cows.map(|place| Cow { place, phase: random.below(COW_SPEED), last: None }).collect(),
            steps: 0,
            counts: [0; 2],
            sums: [0; 2],
        };
        let cowboys = (0..pasture.cowboys.len() as u16).map(Being::Cowboy);
        for being in cowboys.chain((0..pasture.cows.len() as u16).map(Being::Cow)) {
            let place = *pasture.body(being).0;
            pasture.put(being, place);
        }
        pasture.turn_fences(random);
        pasture
    }

    /// Performs a step with the moves that the cowboys have chosen.
    pub(crate) fn step(&mut self, random: &mut Random) {
        self.move_cowboys(random);
        self.move_cows(random);
        self.turn_fences(random);
        self.steps += 1;
        self.counts = [0; 2];
        for cow in &self.cows {
            if let Some(Ground::Corral(team)) = self.ground(cow.place) {
                self.counts[team as usize] += 1;
                self.sums[team as usize] += 1;
            }
        }
    }

    /// Moves the cowboys, in random order, to cells that were free before all of them moved.
    fn move_cowboys(&mut self, random: &mut Random) {
        let mut moves = Vec::with_capacity(self.cowboys.len());
        for index in 0..self.cowboys.len() {
            let chosen = self.cowboys[index].choice.take().flatten();
            let from = self.cowboys[index].place;
            if let Some(direction) = chosen.filter(|direction| self.can_go(from, *direction)) {
                moves.push((Being::Cowboy(index as u16), direction));
            }
        }
        random.shuffle(&mut moves);
        moves.retain(|_| !random.chance(FAILURE));
        self.apply(&moves);
    }

    /// Moves the cows that decide in this step. All decide before the first one moves.
    fn move_cows(&mut self, random: &mut Random) {
        let mut moves = Vec::with_capacity(self.cows.len());
        for (index, cow) in self.cows.iter().enumerate() {
            if self.steps % COW_SPEED == cow.phase {
                moves.extend(self.decide(cow.place, random).map(|direction| (Being::Cow(index as u16), direction)));
            }
        }
        random.shuffle(&mut moves);
        self.apply(&moves);
    }

    fn apply(&mut self, moves: &[(Being, Direction)]) {
        for &(being, direction) in moves {
            let to = direction.from(*self.body(being).0);
            if self.is_free(to) {
                self.put(being, to);
                *self.body(being).1 = Some(direction);
            }
        }
    }

    /// Returns the direction in which a cow moves: to the cell around which it likes best what it sees. It likes free
    /// ground and other cows, unless they come too near; it fears cowboys.
    fn decide(&self, cow: Place, random: &mut Random) -> Option<Direction> {
        const REACH: i32 = COW_SIGHT + 1;
        let mut weights = [[0; 2 * REACH as usize + 1]; 2 * REACH as usize + 1];
        for (down, row) in (-REACH..).zip(&mut weights) {
            for (right, weight) in (-REACH..).zip(row) {
                *weight = self.weight((cow.0 + right, cow.1 + down), cow);
            }
        }
        let attraction = |candidate: Place| {
            let mut rings = [0; COW_SIGHT as usize + 1];
            let (left, top) = ((candidate.0 - cow.0 + 1) as usize, (candidate.1 - cow.1 + 1) as usize);
            for (down, row) in (-COW_SIGHT..=COW_SIGHT).zip(&weights[top..]) {
                for (right, weight) in (-COW_SIGHT..=COW_SIGHT).zip(&row[left..]) {
                    rings[right.abs().max(down.abs()) as usize] += weight;
                }
            }
            rings.iter().zip(0u8..).skip(1).map(|(ring, distance)| f64::from(*ring) / f64::from(distance)).sum::<f64>()
        };
        let moves = Direction::ALL.map(|direction| {
            let to = direction.from(cow);
            self.is_free(to).then(|| (Some(direction), attraction(to)))
        });
        let candidates = [Some((None, attraction(cow)))].into_iter().chain(moves).flatten();
        let best = candidates.clone().map(|(_, attraction)| attraction).fold(f64::MIN, f64::max) - EPSILON;
        let mut good = candidates.filter(|(_, attraction)| *attraction >= best).map(|(direction, _)| direction);
        let chosen = random.index(good.clone().count());
        good.nth(chosen)?
    }

    /// Returns how much a cow likes a cell.
    fn weight(&self, place: Place, cow: Place) -> i32 {
        const EMPTY: i32 = 3;
        let Some(cell) = self.cells.get(place) else { return 0 };
        match (cell.being, cell.ground) {
            (Some(Being::Cowboy(_)), _) => -200,
            (Some(Being::Cow(_)), _) if place == cow => EMPTY,
            (Some(Being::Cow(_)), _) if distance(place, cow) < PRIVATE => -7,
            (Some(Being::Cow(_)), _) => 10,
            (None, Ground::Obstacle | Ground::Switch) => -4,
            (None, Ground::Fence(fence)) if !self.fences[usize::from(fence)].is_open => -4,
            (None, Ground::Fence(_) | Ground::Grass | Ground::Corral(_)) => EMPTY,
        }
    }

    /// Opens the fences at whose switches somebody stands, and closes the others. Those who stand in the line of a
    /// fence that closes have to leave, possibly to the switch of another one.
    fn turn_fences(&mut self, random: &mut Random) {
        for _ in 0..ROUNDS {
            let mut is_moved = false;
            for index in 0..self.fences.len() {
                let Fence { switch, direction, is_open: was_open, .. } = self.fences[index];
                let is_open = Direction::STRAIGHT
                    .into_iter()
                    .any(|side| side != direction && matches!(self.being(side.from(switch)), Some(Being::Cowboy(_))));
                self.fences[index].is_open = is_open;
                if is_open || !was_open {
                    continue;
                }
                for cell in 0..self.fences[index].cells.len() {
                    let place = self.fences[index].cells[cell];
                    if let Some(being) = self.being(place) {
                        let to = self.way_out(being, direction, random);
                        self.put(being, to);
                        is_moved |= matches!(being, Being::Cowboy(_));
                    }
                }
            }
            if !is_moved {
                return;
            }
        }
    }

    /// Returns where somebody goes whose fence closes: back, otherwise to a free cell nearby, otherwise anywhere.
    fn way_out(&mut self, being: Being, fence: Direction, random: &mut Random) -> Place {
        let (&mut place, &mut last) = self.body(being);
        let back = last.filter(|last| *last != fence && *last != fence.back()).map(|last| last.back().from(place));
        let beside = Direction::ALL.map(|direction| direction.from(place));
        let mut nearby: Vec<Place> = beside.into_iter().filter(|place| self.is_free(*place)).collect();
        if nearby.is_empty() {
            nearby = self.cells.places().filter(|place| self.is_free(*place)).collect();
        }
        let other = nearby[random.index(nearby.len())];
        back.filter(|place| self.is_free(*place)).unwrap_or(other)
    }

    /// Returns whether a cowboy can go in a direction. Nobody passes diagonally between a switch and its fence.
    pub(crate) fn can_go(&self, from: Place, direction: Direction) -> bool {
        let to = direction.from(from);
        let is_at = |place, ground| self.ground(place) == Some(ground);
        let cuts = matches!(self.ground(to), Some(Ground::Fence(_)))
            && (is_at((from.0, to.1), Ground::Switch) || is_at((to.0, from.1), Ground::Switch));
        self.is_free(to) && !cuts
    }

    /// Returns whether a cowboy or a cow could be there.
    pub(crate) fn is_free(&self, place: Place) -> bool {
        self.cells.get(place).is_some_and(|cell| match cell.ground {
            Ground::Obstacle | Ground::Switch => false,
            Ground::Fence(fence) => self.fences[usize::from(fence)].is_open && cell.being.is_none(),
            Ground::Grass | Ground::Corral(_) => cell.being.is_none(),
        })
    }

    fn put(&mut self, being: Being, to: Place) {
        let from = std::mem::replace(self.body(being).0, to);
        for (place, being) in [(from, None), (to, Some(being))] {
            self.cells.get_mut(place).expect("it is in the grid").being = being;
        }
    }

    /// Returns the place of a cowboy or a cow, and its last move.
    fn body(&mut self, being: Being) -> (&mut Place, &mut Option<Direction>) {
        match being {
            Being::Cowboy(index) => {
                let cowboy = &mut self.cowboys[usize::from(index)];
                (&mut cowboy.place, &mut cowboy.last)
            }
            Being::Cow(index) => {
                let cow = &mut self.cows[usize::from(index)];
                (&mut cow.place, &mut cow.last)
            }
        }
    }

    /// Returns the number of columns and rows.
    pub fn size(&self) -> (i32, i32) {
        self.cells.size()
    }

    /// Returns the ground at a place, or `None` outside of the pasture.
    pub fn ground(&self, place: Place) -> Option<Ground> {
        self.cells.get(place).map(|cell| cell.ground)
    }

    /// Returns the cowboy or the cow at a place.
    pub fn being(&self, place: Place) -> Option<Being> {
        self.cells.get(place)?.being
    }

    /// Returns the corral of a team.
    pub fn corral(&self, team: Team) -> Corral {
        self.corrals[team as usize]
    }

    /// Returns the fences.
    pub fn fences(&self) -> &[Fence] {
        &self.fences
    }

    /// Returns the cowboys, first those of the red team.
    pub fn cowboys(&self) -> &[Cowboy] {
        &self.cowboys
    }

    /// Returns the places of the cows.
    pub fn cows(&self) -> impl Iterator<Item = Place> {
        self.cows.iter().map(|cow| cow.place)
    }

    /// Returns the number of cows in the corral of a team after the last step.
    pub fn count(&self, team: Team) -> u32 {
        self.counts[team as usize]
    }

    /// Returns the score of a team: the mean number of cows in its corral.
    pub fn score(&self, team: Team) -> f64 {
        self.sums[team as usize] as f64 / self.steps.max(1) as f64
    }
}

impl Fence {
    /// Returns whether the fence is open.
    pub fn is_open(&self) -> bool {
        self.is_open
    }

    /// Returns the place of its switch.
    pub fn switch(&self) -> Place {
        self.switch
    }
}

impl Cowboy {
    /// Returns its place.
    pub fn place(&self) -> Place {
        self.place
    }
}
