//! The environment `my-world`: a robot takes the parcels in a corridor. Replace this world by yours.

mod agent;

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use situated::prelude::*;

pub use agent::Collector;

/// The state: everything that can change.
#[derive(Serialize, Deserialize)]
pub struct MyWorld {
    length: u64,
    robot: u64,
    parcels: BTreeSet<u64>,
    taken: u64,
}

/// The parameters of an episode.
#[derive(Clone, Debug, InitParameters)]
pub struct Parameters {
    /// The number of cells.
    #[parameter(default = 8, range = 2..=40)]
    pub length: u64,
}

/// The actions of the robot.
#[derive(Clone, Copy, Debug, PartialEq, Action)]
pub enum Act {
    /// Goes to the next cell on the left.
    Left,
    /// Goes to the next cell on the right.
    Right,
    /// Takes the parcel in this cell.
    Take,
}

/// The percepts of the robot.
#[derive(Clone, Copy, Debug, Percept)]
#[percept(on_change_with_negation)]
pub enum Sense {
    /// The robot is in this cell, counted from 0 on the left.
    At { cell: u64 },
    /// There is a parcel in this cell.
    Parcel { cell: u64 },
}

impl Environment for MyWorld {
    type Parameters = Parameters;
    type Action = Act;
    type Percept = Sense;

    fn ontology() -> Ontology {
        let summary = "A robot takes the parcels in a corridor.";
        Self::ontology_builder("my-world", env!("CARGO_PKG_VERSION"), summary)
            .entity_type("robot", "Walks, and takes parcels.")
            .pace(Pace::Lockstep)
            .build()
    }

    fn init(given: &Parameters, context: &mut Context<Sense>) -> Result<Self, Failure> {
        context.add_entity("robot", "robot")?;
        let mut parcels: BTreeSet<u64> = (1..given.length)
            .filter(|_| context.random.chance(0.3))
            .collect();
        parcels.insert(given.length - 1);
        Ok(Self {
            length: given.length,
            robot: 0,
            parcels,
            taken: 0,
        })
    }

    fn act(&mut self, _: EntityId, action: &Act, _: &mut Context<Sense>) -> Result<(), Failure> {
        match action {
            Act::Left if self.robot > 0 => self.robot -= 1,
            Act::Right if self.robot + 1 < self.length => self.robot += 1,
            Act::Left | Act::Right => return Err(Failure::new("there is a wall")),
            Act::Take if self.parcels.remove(&self.robot) => self.taken += 1,
            Act::Take => return Err(Failure::new("there is no parcel here")),
        }
        Ok(())
    }

    fn percepts(&self, _: EntityId, _: &Context<Sense>, percepts: &mut Percepts<'_, Sense>) {
        percepts.add(Sense::At { cell: self.robot });
        percepts.extend(
            self.parcels
                .iter()
                .map(|cell| Sense::Parcel { cell: *cell }),
        );
    }

    fn ending(&self) -> Option<Ending> {
        self.parcels.is_empty().then_some(Ending::Terminated)
    }

    fn results(&self, _: &Context<Sense>) -> Vec<Measure> {
        vec![Measure::new("robot", "parcels", self.taken)]
    }

    // The picture, in units of a cell.
    fn scene(&self, _: Option<EntityId>, _: &Context<Sense>) -> Scene {
        let middle = |cell: u64| cell as f64 + 0.5;
        let cells = (0..self.length)
            .map(|cell| Shape::rectangle(cell as f64, 0.0, 0.95, 1.0, Color::GREY));
        let parcels = self
            .parcels
            .iter()
            .map(|cell| Shape::circle(middle(*cell), 0.25, 0.2, Color::YELLOW));
        let robot = Shape::circle(middle(self.robot), 0.65, 0.3, Color::BLUE);
        let robot = robot.labelled("robot").standing_for("robot");
        let shapes = cells.chain(parcels).chain([robot]).collect();
        Scene {
            width: self.length as f64,
            height: 1.0,
            shapes,
        }
    }

    // The buttons for a person on the page.
    fn menu(&self, _: EntityId, _: &MenuRequest, _: &Context<Sense>) -> Menu<Act> {
        let items = [
            ("Go left", Act::Left),
            ("Go right", Act::Right),
            ("Take the parcel", Act::Take),
        ];
        let items = items.map(|(label, action)| MenuItem::direct(label, action));
        Menu {
            subject: "the robot".into(),
            items: items.into(),
        }
    }
}
