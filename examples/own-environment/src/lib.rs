//! An elevator that serves the calls of a house, with a built-in agent and an encoding for reinforcement learning.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use situated::prelude::*;

/// The elevator and the calls that wait for it.
#[derive(Serialize, Deserialize)]
pub struct Elevator {
    floors: u64,
    floor: u64,
    calls: BTreeSet<u64>,
    /// Whether the car opened its doors for a call in this step.
    opened: bool,
    /// The number of calls served in the last step, 0 or 1.
    reward: i64,
    /// The number of calls served so far.
    served: i64,
}

/// The parameters of an episode.
#[derive(Clone, Debug, InitParameters)]
pub struct Parameters {
    /// The number of floors, 2 to 100.
    #[parameter(default = 6, range = 2..=100)]
    pub floors: u64,
}

/// The actions of the elevator.
#[derive(Clone, Copy, Debug, PartialEq, Action)]
pub enum Move {
    /// Moves one floor up.
    Up,
    /// Moves one floor down.
    Down,
    /// Opens the doors, which serves a call on this floor.
    Open,
}

/// The percepts of the elevator.
#[derive(Clone, Debug, Percept)]
#[percept(on_change_with_negation)]
pub enum Sense {
    /// The elevator is on this floor, from 0.
    At {
        /// The floor.
        floor: u64,
    },
    /// A person waits on this floor.
    Call {
        /// The floor.
        floor: u64,
    },
}

const MOVES: [Move; 3] = [Move::Up, Move::Down, Move::Open];

impl Environment for Elevator {
    type Parameters = Parameters;
    type Action = Move;
    type Percept = Sense;

    fn ontology() -> Ontology {
        Self::ontology_builder("elevator", env!("CARGO_PKG_VERSION"), "An elevator in a house.")
            .entity_type("car", "The car of the elevator.")
            .pace(Pace::Lockstep)
            .build()
    }

    fn init(given: &Parameters, context: &mut Context<Sense>) -> Result<Self, Failure> {
        context.add_entity("car", "car")?;
        Ok(Self { floors: given.floors, floor: 0, calls: BTreeSet::new(), opened: false, reward: 0, served: 0 })
    }

    fn act(&mut self, _: EntityId, action: &Move, _: &mut Context<Sense>) -> Result<(), Failure> {
        match action {
            Move::Up if self.floor + 1 < self.floors => self.floor += 1,
            Move::Down if self.floor > 0 => self.floor -= 1,
            Move::Open if self.calls.remove(&self.floor) => self.opened = true,
            Move::Open => return Err(Failure::new("nobody waits on this floor")),
            Move::Up | Move::Down => return Err(Failure::new("there are no more floors")),
        }
        Ok(())
    }

    fn step(&mut self, context: &mut Context<Sense>) {
        self.reward = std::mem::take(&mut self.opened).into();
        self.served += self.reward;
        if context.random.chance(0.2) {
            self.calls.insert(context.random.below(self.floors));
        }
    }

    fn percepts(&self, _: EntityId, _: &Context<Sense>, percepts: &mut Percepts<'_, Sense>) {
        percepts.add(Sense::At { floor: self.floor });
        percepts.extend(self.calls.iter().map(|floor| Sense::Call { floor: *floor }));
    }

    fn scene(&self, _: Option<EntityId>, _: &Context<Sense>) -> Scene {
        let cell = |x: f64, floor: u64, color| Shape::rectangle(x, floor as f64, 1.0, 1.0, color);
        let calls = self.calls.iter().map(|floor| cell(1.0, *floor, Color::YELLOW));
        let shapes = calls.chain([cell(0.0, self.floor, Color::BLUE)]).collect();
        Scene { width: 2.0, height: self.floors as f64, shapes }
    }

    fn results(&self, _: &Context<Sense>) -> Vec<Measure> {
        vec![Measure::new("car", "calls served", self.served)]
    }
}

/// An agent that goes to the nearest call.
#[derive(Default)]
struct Nearest {
    beliefs: Vec<Sense>,
}

impl Agent<Move, Sense> for Nearest {
    fn decide(&mut self, perception: &Perception<Sense>) -> Option<Move> {
        perception.apply(&mut self.beliefs);
        let here =
            self.beliefs.iter().find_map(|one| if let Sense::At { floor } = one { Some(*floor) } else { None })?;
        let calls =
            self.beliefs.iter().filter_map(|one| if let Sense::Call { floor } = one { Some(*floor) } else { None });
        let nearest = calls.min_by_key(|floor| floor.abs_diff(here))?;
        Some(match nearest.cmp(&here) {
            std::cmp::Ordering::Greater => Move::Up,
            std::cmp::Ordering::Less => Move::Down,
            std::cmp::Ordering::Equal => Move::Open,
        })
    }
}

impl BuiltInAgents for Elevator {
    fn built_in_agents() -> Vec<BuiltInAgent> {
        vec![BuiltInAgent {
            name: "nearest",
            documentation: "Goes to the nearest call.",
            make: |_, _| Some(Box::new(Translated::new(Nearest::default()))),
        }]
    }
}

/// An observation has the floor of the car, then for each floor whether a person waits there.
impl Encode for Elevator {
    type Element = u8;

    fn encoding(parameters: &Parameters, entity_type: &str) -> Option<Encoding> {
        let shape = vec![1 + parameters.floors as usize];
        let actions = MOVES.iter().map(|action| action.to_iil().to_string()).collect();
        (entity_type == "car").then(|| Encoding { shape, element: u8::TYPE, low: 0.0, high: 100.0, actions })
    }

    fn encode(&self, cars: &[EntityId], buffers: Buffers<'_, u8>) {
        for (_, row) in buffers.rows(cars, self.ending()) {
            row.observation[0] = self.floor as u8;
            self.calls.iter().for_each(|floor| row.observation[1 + *floor as usize] = 1);
            let possible = [self.floor + 1 < self.floors, self.floor > 0, self.calls.contains(&self.floor)];
            row.mask.copy_from_slice(&possible);
            *row.reward = self.reward as f32;
        }
    }

    fn decode(&self, _: EntityId, action: usize) -> Option<Move> {
        MOVES.get(action).copied()
    }
}
