//! A square whose walkers all move in each step, and all see each other: every percept of every walker changes in each
//! step.

use serde::{Deserialize, Serialize};
use situated::environment::{Context, EntityId, Environment, Failure, Percepts};
use situated::ontology::{Ontology, Pace};
use situated::{Action, InitParameters, Percept};

/// Steps a second.
pub const STEPS_PER_SECOND: f64 = 50.0;

/// A square with walkers.
#[derive(Debug, Serialize, Deserialize)]
pub struct Square {
    walkers: u16,
    steps: u64,
}

/// The size of the crowd.
#[derive(Clone, Debug, InitParameters)]
pub struct Crowd {
    /// Number of walkers.
    #[parameter(default = 2)]
    pub walkers: u16,
}

/// The actions of walkers.
#[derive(Clone, Debug, Action)]
pub enum Walk {
    /// Does nothing.
    Wait,
}

/// The percepts of walkers.
#[derive(Clone, Debug, Percept)]
pub enum See {
    /// The place of a walker.
    #[percept(on_change)]
    At { walker: u16, place: u64 },
}

impl Environment for Square {
    type Parameters = Crowd;
    type Action = Walk;
    type Percept = See;

    fn ontology() -> Ontology {
        Self::ontology_builder("square", "1.0", "Walkers that see each other.")
            .entity_type("walker", "It walks in each step.")
            .pace(Pace::RealTime { steps_per_second: STEPS_PER_SECOND })
            .build()
    }

    fn init(crowd: &Crowd, context: &mut Context<See>) -> Result<Self, Failure> {
        for number in 0..crowd.walkers {
            context.add_entity(format!("walker{number}"), "walker")?;
        }
        Ok(Self { walkers: crowd.walkers, steps: 0 })
    }

    fn act(&mut self, _: EntityId, Walk::Wait: &Walk, _: &mut Context<See>) -> Result<(), Failure> {
        Ok(())
    }

    fn step(&mut self, _: &mut Context<See>) {
        self.steps += 1;
    }

    fn percepts(&self, _: EntityId, _: &Context<See>, percepts: &mut Percepts<'_, See>) {
        for walker in 0..self.walkers {
            percepts.add(See::At { walker, place: u64::from(walker) + self.steps });
        }
    }
}
