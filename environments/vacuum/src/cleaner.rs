//! The built-in agent. It cleans the nearest dust that it knows of, and otherwise goes to the nearest square that it
//! has not seen. When it has seen everything, it looks again where it has not been for the longest time.

use std::collections::BTreeMap;

use situated::agent::{Agent, BuiltInAgent, BuiltInAgents, Translated};
use situated::interface::Perception;
use situated::random::Random;
use situated_grid::{Heading, Place, first_step};

use crate::floor::{Sight, Task, Where};
use crate::{Action, NAMES, Percept, Vacuum, Way};

/// The probability of a move in a random direction when it sees another robot.
const YIELDING: f64 = 0.25;

/// An agent for one robot. It does not talk with the others.
#[derive(Clone, Debug)]
pub struct Cleaner {
    beliefs: Vec<Percept>,
    /// The squares that it has seen, and when.
    known: BTreeMap<Place, (Sight, u64)>,
    random: Random,
    looks: u64,
}

impl BuiltInAgents for Vacuum {
    fn built_in_agents() -> Vec<BuiltInAgent> {
        vec![BuiltInAgent {
            name: "cleaner",
            documentation: "Cleans the dust that it sees, and goes where it has not been yet.",
            make: |entity, _| Some(Box::new(Translated::new(Cleaner::new(entity)))),
        }]
    }
}

impl Cleaner {
    /// Creates an agent for the robot with this name.
    pub fn new(robot: &str) -> Self {
        let seed = NAMES.iter().position(|name| *name == robot).unwrap_or(NAMES.len());
        Self { beliefs: Vec::new(), known: BTreeMap::new(), random: Random::new(seed as u64), looks: 0 }
    }
}

impl Agent<Action, Percept> for Cleaner {
    fn decide(&mut self, perception: &Perception<Percept>) -> Option<Action> {
        if perception.resync {
            self.known.clear();
        }
        perception.apply(&mut self.beliefs);
        let (mut place, mut heading, mut task, mut squares) = (None, None, None, Vec::new());
        for belief in &self.beliefs {
            match belief {
                // y grows to the south in percepts, and to the north here.
                Percept::Location { x, y } => place = Some((i32::from(*x), -i32::from(*y))),
                Percept::Direction { direction } => heading = Some(direction.heading()),
                Percept::Task { task: now } => task = Some(*now),
                Percept::Square { r#where, what } => squares.push((*r#where, *what)),
                Percept::Light { .. } => {}
            }
        }
        let (place, heading) = (place?, heading?);
        if task? != Task::None {
            return None;
        }
        if squares.contains(&(Where::Here, Sight::Dust)) {
            return Some(Action::Clean);
        }
        self.looks += 1;
        self.known.extend(squares.into_iter().map(|(one, sight)| (one.from(place, heading), (sight, self.looks))));
        // Two robots that make way for each other could do so forever.
        let yields = self.known.values().any(|seen| *seen == (Sight::Vac, self.looks)) && self.random.chance(YIELDING);
        let next = if yields { None } else { self.next(place) };
        let next = next.unwrap_or(Heading::ALL[self.random.index(4)]);
        Some(Action::Move { direction: Way::to(next), distance: Some(1) })
    }
}

impl Cleaner {
    fn next(&self, place: Place) -> Option<Heading> {
        let sight = |place: Place| self.known.get(&place).map(|(sight, _)| *sight);
        // Other robots will have gone, unless it sees them right now.
        let can_enter = |place: Place| {
            self.known.get(&place).is_some_and(|(sight, look)| match sight {
                Sight::Obstacle => false,
                Sight::Vac => *look < self.looks,
                _ => true,
            })
        };
        let is_dusty = |place| sight(place) == Some(Sight::Dust);
        let is_new = |place| sight(place).is_none();
        let oldest =
            self.known.iter().filter(|(one, _)| **one != place && can_enter(**one)).min_by_key(|(_, seen)| seen.1);
        first_step(place, is_dusty, can_enter)
            .or_else(|| first_step(place, is_new, can_enter))
            .or_else(|| first_step(place, |one| oldest.is_some_and(|(place, _)| *place == one), can_enter))
    }
}
