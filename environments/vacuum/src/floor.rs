//! The rules: a floor with dust and obstacles, and the robots on it. Robots turn, move and clean for a number of steps.

use serde::{Deserialize, Serialize};
use situated::ParameterType;
use situated::random::Random;
use situated_grid::{Grid, Heading, Place};

/// The steps in a second.
pub const STEPS_PER_SECOND: u32 = 10;

/// The seconds of a quarter turn, of a move to the next square, and of cleaning one, at normal speed.
const TURN: f64 = 0.5;
const MOVE: f64 = 1.5;
const CLEAN: f64 = 3.0;

/// A square of the floor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Square {
    /// A clean square.
    Clean,
    /// A dusty square.
    Dust,
    /// A square that cannot be entered.
    Obstacle,
}

/// What a robot sees of a square.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ParameterType)]
#[parameter(all)]
pub enum Sight {
    /// A square that cannot be entered, or the end of the floor.
    Obstacle,
    /// Another robot. Dust below it cannot be seen.
    Vac,
    /// Dust.
    Dust,
    /// A clean square.
    Empty,
}

/// The activity of a robot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ParameterType)]
pub enum Task {
    /// It turns.
    Turn,
    /// It moves to the next square.
    Move,
    /// It cleans its square.
    Clean,
    /// It does nothing, and can begin something.
    None,
}

/// A square that a robot sees, by its direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ParameterType)]
#[parameter(all)]
pub enum Where {
    /// To the left.
    Left,
    /// Ahead to the left.
    ForwardLeft,
    /// Ahead.
    Forward,
    /// Ahead to the right.
    ForwardRight,
    /// To the right.
    Right,
    /// The robot's own.
    Here,
}

/// The reappearance of dust.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Regeneration {
    /// There is none.
    No,
    /// Each cleaned dust appears again on a random empty square, after at most so many seconds.
    Within(f64),
    /// In each second, dust appears on each empty square with this probability.
    Chance(f64),
}

/// A robot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Robot {
    /// The square on which it stands, or which it leaves.
    pub place: Place,
    pub(crate) heading: Heading,
    pub(crate) has_light: bool,
    /// Its activity.
    pub task: Task,
    /// The steps until the task is done, and all its steps.
    pub(crate) left: u32,
    pub(crate) steps: u32,
    /// The heading after a turn.
    pub(crate) turns_to: Heading,
    /// The squares to move after this task.
    pub(crate) squares_left: u32,
    /// What the robot perceived when it was last idle; its place and heading are up to date sooner.
    pub seen: Seen,
    /// The squares that it has seen so far, as it last saw them.
    pub(crate) known: Grid<Option<Sight>>,
    /// The number of squares that it has cleaned.
    pub cleaned: u32,
    pub(crate) travelled: u32,
}

/// What a robot perceives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seen {
    /// Its place.
    pub place: Place,
    /// Its heading.
    pub heading: Heading,
    /// The squares, in the order of [`Where::ALL`].
    pub squares: [Sight; 6],
}

/// A floor with robots.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Floor {
    squares: Grid<Square>,
    /// The robots.
    pub robots: Vec<Robot>,
    /// The speed of the robots; 1 is normal.
    pub(crate) speed: f64,
    pub(crate) regeneration: Regeneration,
    /// The steps at which dust appears again.
    due: Vec<u64>,
    step: u64,
    /// The number of dusty squares.
    pub dust: u32,
    /// The number of changes that a robot may perceive.
    pub(crate) changes: u64,
}

impl Where {
    /// Returns the square from a place and a heading.
    pub fn from(self, place: Place, heading: Heading) -> Place {
        let ahead = heading.from(place);
        match self {
            Where::Left => heading.left().from(place),
            Where::ForwardLeft => heading.left().from(ahead),
            Where::Forward => ahead,
            Where::ForwardRight => heading.right().from(ahead),
            Where::Right => heading.right().from(place),
            Where::Here => place,
        }
    }
}

impl Floor {
    /// Creates a floor with robots that are idle.
    pub(crate) fn new(squares: Grid<Square>, robots: Vec<(Place, Heading)>) -> Self {
        let robot = |(place, heading)| Robot {
            place,
            heading,
            has_light: false,
            task: Task::None,
            left: 0,
            steps: 1,
            turns_to: heading,
            squares_left: 0,
            seen: Seen { place, heading, squares: [Sight::Empty; 6] },
            known: squares.map(|_, _| None),
            cleaned: 0,
            travelled: 0,
        };
        let robots = robots.into_iter().map(robot).collect();
        let dust = squares.cells().filter(|(_, square)| **square == Square::Dust).count() as u32;
        let (speed, regeneration) = (1.0, Regeneration::No);
        let mut floor = Self { squares, robots, speed, regeneration, due: Vec::new(), step: 0, dust, changes: 0 };
        floor.look();
        floor
    }

    /// Returns the number of columns and rows.
    pub fn size(&self) -> (i32, i32) {
        self.squares.size()
    }

    /// Returns a square; outside of the floor, an obstacle.
    pub fn square(&self, place: Place) -> Square {
        self.squares.get(place).copied().unwrap_or(Square::Obstacle)
    }

    /// Returns whether a robot stands on a square, leaves it, or enters it.
    pub fn is_taken(&self, place: Place) -> bool {
        self.robots.iter().any(|robot| robot.place == place || robot.destination() == Some(place))
    }

    /// Lets a robot that is idle turn to a heading and then move so many squares.
    pub(crate) fn go(&mut self, index: usize, heading: Heading, squares: u32) {
        let robot = &mut self.robots[index];
        robot.squares_left = squares;
        let quarters = robot.heading.quarters_to(heading);
        if quarters > 0 {
            robot.turns_to = heading;
            self.begin(index, Task::Turn, TURN * f64::from(quarters));
        } else {
            self.go_on(index);
        }
        self.look();
    }

    /// Lets a robot that is idle clean its square. On a clean one, nothing happens.
    pub(crate) fn clean(&mut self, index: usize) {
        if self.square(self.robots[index].place) == Square::Dust {
            self.begin(index, Task::Clean, CLEAN);
            self.look();
        }
    }

    /// Switches the light of a robot.
    pub(crate) fn light(&mut self, index: usize, is_on: bool) {
        self.robots[index].has_light = is_on;
        self.changes += 1;
    }

    fn begin(&mut self, index: usize, task: Task, seconds: f64) {
        let steps = (seconds * f64::from(STEPS_PER_SECOND) / self.speed).round().max(1.0) as u32;
        let robot = &mut self.robots[index];
        (robot.task, robot.left, robot.steps) = (task, steps, steps);
    }

    /// Lets a robot move to the next square if it has one left and can enter it; otherwise it is idle.
    fn go_on(&mut self, index: usize) {
        let robot = &self.robots[index];
        let ahead = robot.heading.from(robot.place);
        if robot.squares_left > 0 && self.square(ahead) != Square::Obstacle && !self.is_taken(ahead) {
            self.robots[index].squares_left -= 1;
            self.begin(index, Task::Move, MOVE);
        } else {
            self.robots[index].squares_left = 0;
            self.robots[index].task = Task::None;
        }
    }

    /// Advances time by one step. Returns the number of squares that each robot has cleaned in it.
    pub(crate) fn step(&mut self, random: &mut Random) {
        self.step += 1;
        let mut has_changed = false;
        for index in 0..self.robots.len() {
            let robot = &mut self.robots[index];
            robot.left = robot.left.saturating_sub(1);
            if robot.task != Task::None && robot.left == 0 {
                self.finish(index, random);
                has_changed = true;
            }
        }
        has_changed |= self.regenerate(random);
        if has_changed {
            self.look();
        }
    }

    fn finish(&mut self, index: usize, random: &mut Random) {
        let robot = &mut self.robots[index];
        match robot.task {
            Task::Turn => robot.heading = robot.turns_to,
            Task::Move => {
                robot.place = robot.heading.from(robot.place);
                robot.travelled += 1;
            }
            Task::Clean => {
                robot.cleaned += 1;
                let place = robot.place;
                self.put(place, Square::Clean);
                if let Regeneration::Within(seconds) = self.regeneration {
                    let steps = seconds * f64::from(STEPS_PER_SECOND) * random.unit();
                    self.due.push(self.step + steps as u64);
                }
            }
            Task::None => {}
        }
        self.robots[index].task = Task::None;
        self.go_on(index);
    }

    fn put(&mut self, place: Place, square: Square) {
        let Some(old) = self.squares.get_mut(place) else { return };
        self.dust -= u32::from(*old == Square::Dust);
        self.dust += u32::from(square == Square::Dust);
        *old = square;
    }

    /// Lets dust appear. Returns whether any did.
    fn regenerate(&mut self, random: &mut Random) -> bool {
        let places: Vec<Place> = match self.regeneration {
            Regeneration::Chance(chance) if self.step.is_multiple_of(STEPS_PER_SECOND.into()) => {
                self.empty().filter(|_| random.chance(chance)).collect()
            }
            Regeneration::Within(_) => {
                let before = self.due.len();
                self.due.retain(|due| *due > self.step);
                let mut empty: Vec<Place> = if self.due.len() < before { self.empty().collect() } else { Vec::new() };
                random.shuffle(&mut empty);
                empty.truncate(before - self.due.len());
                // Dust for which there is no square now appears as soon as there is one.
                self.due.resize(before - empty.len(), self.step);
                empty
            }
            _ => return false,
        };
        places.iter().for_each(|place| self.put(*place, Square::Dust));
        !places.is_empty()
    }

    /// Returns the clean squares without a robot.
    fn empty(&self) -> impl Iterator<Item = Place> {
        self.squares.places().filter(|place| self.square(*place) == Square::Clean && !self.is_taken(*place))
    }

    /// Updates what the robots perceive: their places unless they move, their headings unless they turn, and the
    /// squares around them if they are idle.
    fn look(&mut self) {
        self.changes += 1;
        for index in 0..self.robots.len() {
            let robot = &self.robots[index];
            let (place, heading, task) = (robot.place, robot.heading, robot.task);
            let sight = |at: Place| match self.square(at) {
                Square::Obstacle => Sight::Obstacle,
                _ if at != place && self.is_taken(at) => Sight::Vac,
                Square::Dust => Sight::Dust,
                Square::Clean => Sight::Empty,
            };
            let squares = (task == Task::None).then(|| Where::ALL.map(|one| sight(one.from(place, heading))));
            let robot = &mut self.robots[index];
            if task != Task::Move {
                robot.seen.place = place;
            }
            if task != Task::Turn {
                robot.seen.heading = heading;
            }
            let Some(squares) = squares else { continue };
            robot.seen.squares = squares;
            for (one, sight) in Where::ALL.into_iter().zip(squares) {
                robot.known.set(one.from(place, heading), Some(sight));
            }
        }
    }
}

impl Robot {
    /// Returns the square that the robot enters.
    pub fn destination(&self) -> Option<Place> {
        (self.task == Task::Move).then(|| self.heading.from(self.place))
    }
}
