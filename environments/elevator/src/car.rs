//! A car: where it is, its doors, and the passengers in it. Times are in ticks, of which there are 10 in a second;
//! they are those of the original.

use serde::{Deserialize, Serialize};
use situated::ParameterType;

/// The distance between two floors. A car travels [`SPEED`] in a tick, so it takes 4.03 seconds.
pub const FLOOR_HEIGHT: u32 = 403;

/// The distance that a car travels in a tick.
pub const SPEED: u32 = 10;

/// The time in which the doors open or close.
pub const DOOR_TICKS: u32 = 20;

/// The time for which the doors stay open after the last passenger.
pub const OPEN_TICKS: u32 = 30;

/// The time in which a passenger enters or leaves.
pub const TRANSFER_TICKS: u32 = 20;

/// A direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ParameterType)]
pub enum Direction {
    /// To higher floors.
    Up,
    /// To lower floors.
    Down,
}

/// The state of doors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ParameterType)]
pub enum DoorState {
    /// Open: passengers leave and enter.
    Opened,
    /// Opening.
    Opening,
    /// Closed.
    Closed,
    /// Closing. They open again if another passenger enters.
    Closing,
}

/// A car of the elevator.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Car {
    /// The height above the lowest floor.
    pub position: u32,
    /// The floor at which the car stands, counted from 0; `None` while it travels.
    pub floor: Option<u8>,
    /// The floor of the last `goto`, until the car has arrived.
    pub target: Option<u8>,
    /// The direction of the last `goto`, for the lamp at the next arrival.
    pub next_lamp: Direction,
    /// The lamp that is lit while the doors are not closed.
    pub lamp: Option<Direction>,
    /// The state of the doors.
    pub door: DoorState,
    /// The time until the state of the doors changes, if nobody passes.
    pub timer: u32,
    /// The passenger in the doors.
    pub passing: Option<Passing>,
    /// The passengers in the car, by index.
    pub riders: Vec<u32>,
    /// The number of changes of what the car perceives about itself, apart from its position.
    pub changes: u64,
    /// The distance travelled.
    pub travelled: u64,
    /// The number of departures.
    pub starts: u64,
    /// The sum over the distance travelled of twice the number of passengers by which the car and its counterweight,
    /// which balances a half-full car, were out of balance against the direction of travel.
    pub lifted: u64,
}

/// A passenger in the doors of a car.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Passing {
    /// The index of the passenger.
    pub passenger: u32,
    /// Whether the passenger enters; otherwise it leaves.
    pub enters: bool,
    /// The time until the passenger is through.
    pub timer: u32,
}

impl Direction {
    /// Both directions.
    pub const BOTH: [Direction; 2] = [Direction::Up, Direction::Down];

    /// Returns the direction of a journey between these floors.
    pub fn between(from: u8, to: u8) -> Self {
        if from < to { Direction::Up } else { Direction::Down }
    }

    /// Returns the other direction.
    pub fn opposite(self) -> Self {
        match self {
            Direction::Up => Direction::Down,
            Direction::Down => Direction::Up,
        }
    }

    /// Returns the name, as in actions.
    pub fn name(self) -> &'static str {
        match self {
            Direction::Up => "up",
            Direction::Down => "down",
        }
    }
}

impl Car {
    /// A car that stands at the lowest floor with closed doors.
    pub(crate) fn new() -> Self {
        Self {
            position: 0,
            floor: Some(0),
            target: None,
            next_lamp: Direction::Up,
            lamp: None,
            door: DoorState::Closed,
            timer: 0,
            passing: None,
            riders: Vec::new(),
            changes: 0,
            travelled: 0,
            starts: 0,
            lifted: 0,
        }
    }

    /// Returns the height in floors; 0 is the lowest floor.
    pub fn height(&self) -> f64 {
        f64::from(self.position) / f64::from(FLOOR_HEIGHT)
    }

    /// Returns whether passengers who wait at this floor for this direction expect to enter this car.
    pub fn admits(&self, floor: u8, direction: Direction, capacity: u8) -> bool {
        let entering = self.passing.is_some_and(|passing| passing.enters);
        self.floor == Some(floor)
            && self.lamp == Some(direction)
            && self.riders.len() + usize::from(entering) < usize::from(capacity)
    }

    /// Travels for a tick with closed doors, if there is a target.
    pub(crate) fn travel(&mut self, capacity: u8) {
        let Some(target) = self.target else { return };
        if self.floor.is_some_and(|floor| floor != target) {
            self.floor = None;
            self.starts += 1;
            self.changes += 1;
        }
        let goal = u32::from(target) * FLOOR_HEIGHT;
        let distance = self.position.abs_diff(goal).min(SPEED);
        let surplus = 2 * self.riders.len() as i64 - i64::from(capacity);
        let against = if goal > self.position { surplus } else { -surplus };
        self.lifted += u64::from(distance) * against.max(0) as u64;
        self.travelled += u64::from(distance);
        self.position = if goal > self.position { self.position + distance } else { self.position - distance };
        if self.position == goal {
            self.floor = Some(target);
            self.target = None;
            self.lamp = Some(self.next_lamp);
            self.set_door(DoorState::Opening, DOOR_TICKS);
        }
    }

    pub(crate) fn set_door(&mut self, door: DoorState, timer: u32) {
        self.door = door;
        self.timer = timer;
        self.changes += 1;
    }

    /// Lets the time until the doors change pass by one tick. Returns whether it is over.
    pub(crate) fn wait(&mut self) -> bool {
        self.timer = self.timer.saturating_sub(1);
        self.timer == 0
    }
}
