//! The built-in agents. Each knows only the percepts of its own car.
//!
//! * [`Shuttle`] stops at every floor, as the original's simple controller does;
//! * [`Collective`] stops where a button is lit, in the order of the floors.

use situated::agent::{Agent, BuiltInAgent, BuiltInAgents, Translated};
use situated::interface::Perception;

use crate::{Action, Direction, DoorState, Elevator, Percept};

/// A car that travels up and down, and stops at every floor.
#[derive(Clone, Debug)]
pub struct Shuttle {
    beliefs: Vec<Percept>,
    direction: Direction,
}

/// A car that continues in its direction as long as there are destinations or calls ahead (collective control). An
/// empty car answers a call: in the order of a round trip, the first car answers the first one, the second car the
/// next, and so on. So cars share calls without messages.
#[derive(Clone, Debug)]
pub struct Collective {
    beliefs: Vec<Percept>,
    /// The number of the car.
    number: usize,
    direction: Direction,
    /// Its last action.
    last: Option<Action>,
    /// Whether the last new call came from the lowest floor, where the car then waits for the next one.
    waits_below: bool,
}

impl BuiltInAgents for Elevator {
    fn built_in_agents() -> Vec<BuiltInAgent> {
        vec![
            BuiltInAgent {
                name: "collective",
                documentation: "A car stops where a button is lit, in the order of the floors.",
                make: |entity, _| Some(Box::new(Translated::new(Collective::new(number(entity)?)))),
            },
            BuiltInAgent {
                name: "shuttle",
                documentation: "A car travels up and down, and stops at every floor.",
                make: |entity, _| number(entity).map(|_| Box::new(Translated::new(Shuttle::new())) as Box<_>),
            },
        ]
    }
}

/// Returns the number in the name of a car.
fn number(entity: &str) -> Option<usize> {
    entity.strip_prefix("car")?.parse().ok()
}

/// The knowledge of a car about itself and the call buttons.
struct Knowledge {
    position: f64,
    floor: Option<u8>,
    is_closed: bool,
    is_empty: bool,
    has_room: bool,
    floors: u8,
    /// The destinations of its passengers.
    buttons: Vec<u8>,
    calls: Vec<(u8, Direction)>,
}

impl Knowledge {
    fn of(beliefs: &[Percept]) -> Self {
        let mut this = Self {
            position: 1.0,
            floor: None,
            is_closed: false,
            is_empty: true,
            has_room: true,
            floors: 1,
            buttons: Vec::new(),
            calls: Vec::new(),
        };
        let (mut people, mut capacity) = (0, u32::MAX);
        for belief in beliefs {
            match *belief {
                Percept::AtFloor { floor } => this.floor = Some(floor),
                Percept::DoorState { state } => this.is_closed = state == DoorState::Closed,
                Percept::People { number } => people = number,
                Percept::EButtonOn { floor } => this.buttons.push(floor),
                Percept::CarPosition { position } => this.position = position,
                Percept::FButtonOn { floor, direction } => this.calls.push((floor, direction)),
                Percept::Capacity { number } => capacity = number.into(),
                Percept::FloorCount { number } => this.floors = number,
                Percept::Timefactor { .. } => {}
            }
        }
        (this.is_empty, this.has_room) = (people == 0, people < capacity);
        this
    }

    /// Returns whether a car that travels in this direction has not passed the floor yet.
    fn is_ahead(&self, floor: u8, direction: Direction) -> bool {
        match direction {
            Direction::Up => f64::from(floor) >= self.position,
            Direction::Down => f64::from(floor) <= self.position,
        }
    }

    fn distance(&self, floor: u8) -> f64 {
        (f64::from(floor) - self.position).abs()
    }

    /// Returns the nearest of these floors.
    fn nearest(&self, floors: impl Iterator<Item = u8>) -> Option<u8> {
        floors.min_by(|one, other| self.distance(*one).total_cmp(&self.distance(*other)))
    }

    /// Returns the next stop in a direction: the nearest destination, or the nearest call for this direction.
    fn next_stop(&self, direction: Direction) -> Option<u8> {
        let calls = self.calls.iter().filter(|call| call.1 == direction && self.has_room).map(|call| call.0);
        self.nearest(self.buttons.iter().copied().chain(calls).filter(|floor| self.is_ahead(*floor, direction)))
    }

    /// Returns the calls in the order of a round trip that begins in this direction: those for it ahead, all for the
    /// other direction from the farthest floor on, and those for this direction behind.
    fn calls_in_order(&self, direction: Direction) -> Vec<(u8, Direction)> {
        let mut calls = self.calls.clone();
        calls.sort_by_key(|&(floor, of)| {
            let along = |of: Direction| if of == Direction::Up { i16::from(floor) } else { -i16::from(floor) };
            let part = if of != direction { 1 } else { 2 * u8::from(!self.is_ahead(floor, direction)) };
            (part, along(of))
        });
        calls
    }

    /// Returns the lamp for a stop: this direction if somebody travels on or wants to, and otherwise the other one.
    fn lamp(&self, stop: u8, direction: Direction) -> Direction {
        let beyond = |floor: u8| match direction {
            Direction::Up => floor > stop,
            Direction::Down => floor < stop,
        };
        let travels_on = self.buttons.iter().any(|floor| beyond(*floor));
        if travels_on || self.calls.contains(&(stop, direction)) { direction } else { direction.opposite() }
    }
}

impl Shuttle {
    /// Creates the agent.
    pub fn new() -> Self {
        Self { beliefs: Vec::new(), direction: Direction::Up }
    }
}

impl Default for Shuttle {
    fn default() -> Self {
        Self::new()
    }
}

impl Agent<Action, Percept> for Shuttle {
    fn decide(&mut self, perception: &Perception<Percept>) -> Option<Action> {
        perception.apply(&mut self.beliefs);
        let knowledge = Knowledge::of(&self.beliefs);
        let floor = knowledge.floor.filter(|_| knowledge.is_closed)?;
        self.direction = match floor {
            1 => Direction::Up,
            top if top >= knowledge.floors => Direction::Down,
            _ => self.direction,
        };
        let next = if self.direction == Direction::Up { floor + 1 } else { floor - 1 };
        let lamp = match next {
            1 => Direction::Up,
            top if top >= knowledge.floors => Direction::Down,
            _ => self.direction,
        };
        Some(Action::Goto { floor: next, direction: lamp })
    }
}

impl Collective {
    /// Creates the agent of the car with this number.
    pub fn new(number: usize) -> Self {
        Self { beliefs: Vec::new(), number, direction: Direction::Up, last: None, waits_below: false }
    }

    fn plan(&mut self, knowledge: &Knowledge) -> Option<Action> {
        if knowledge.is_empty {
            return self.answer_call(knowledge);
        }
        let stop = knowledge.next_stop(self.direction).or_else(|| {
            self.direction = self.direction.opposite();
            knowledge.next_stop(self.direction)
        })?;
        Some(Action::Goto { floor: stop, direction: knowledge.lamp(stop, self.direction) })
    }

    /// An empty car goes to a call, or to the lowest floor if the last call came from there.
    fn answer_call(&mut self, knowledge: &Knowledge) -> Option<Action> {
        let calls = knowledge.calls_in_order(self.direction);
        let Some(&(floor, direction)) = calls.get(self.number % calls.len().max(1)) else {
            let is_elsewhere = knowledge.floor.is_some_and(|floor| floor > 1);
            return (self.waits_below && is_elsewhere).then_some(Action::Goto { floor: 1, direction: Direction::Up });
        };
        if knowledge.distance(floor) > 0.0 {
            self.direction = if knowledge.is_ahead(floor, Direction::Up) { Direction::Up } else { Direction::Down };
        }
        Some(Action::Goto { floor, direction })
    }
}

impl Agent<Action, Percept> for Collective {
    /// Chooses when the doors are closed, at a floor or on the way.
    fn decide(&mut self, perception: &Perception<Percept>) -> Option<Action> {
        for percept in &perception.add {
            if let Percept::FButtonOn { floor, .. } = percept {
                self.waits_below = *floor == 1;
            }
        }
        perception.apply(&mut self.beliefs);
        let knowledge = Knowledge::of(&self.beliefs);
        if !knowledge.is_closed {
            // It has arrived, and continues in the direction of its lamp.
            if let Some(Action::Goto { direction, .. }) = self.last.take() {
                self.direction = direction;
            }
            return None;
        }
        let action = self.plan(&knowledge)?;
        let is_new = self.last.as_ref() != Some(&action);
        self.last = Some(action.clone());
        is_new.then_some(action)
    }
}
