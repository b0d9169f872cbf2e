//! The smallest complete environment: a robot in a corridor. `cargo run -p situated --example minimal_environment`

// ANCHOR: environment
use serde::{Deserialize, Serialize};
use situated::prelude::*;

// 1. The state: everything that can change. Serialising it saves, hashes and clones it.
#[derive(Serialize, Deserialize)]
struct Corridor {
    length: u64,
    robot: u64,
}

// 2. The parameters of an episode. Doc comments become documentation.
#[derive(Clone, Debug, InitParameters)]
struct Parameters {
    /// Number of cells in the corridor.
    #[parameter(default = 5)]
    length: u64,
}

// 3. What an entity can do.
#[derive(Clone, Debug, Action)]
enum Walk {
    /// Walks a number of cells to the right, or to the left if negative.
    Walk { cells: i64 },
}

// 4. What an entity perceives, and its delivery.
#[derive(Clone, Debug, Percept)]
enum Sense {
    /// The robot is in this cell, counted from 0 on the left.
    #[percept(on_change)]
    At { cell: u64 },
}

// 5. The rules. They know nothing about agents, clocks or sockets.
impl Environment for Corridor {
    type Parameters = Parameters;
    type Action = Walk;
    type Percept = Sense;
    fn ontology() -> Ontology {
        Self::ontology_builder("corridor", "1.0", "A robot in a corridor.")
            .entity_type("robot", "A robot that walks.")
            .build()
    }

    fn init(given: &Parameters, context: &mut Context<Sense>) -> Result<Self, Failure> {
        context.add_entity("robot1", "robot")?;
        Ok(Corridor { length: given.length, robot: 0 })
    }

    fn act(&mut self, _: EntityId, Walk::Walk { cells }: &Walk, _: &mut Context<Sense>) -> Result<(), Failure> {
        let target = self.robot.checked_add_signed(*cells).filter(|cell| *cell < self.length);
        self.robot = target.ok_or_else(|| Failure::new("there is a wall"))?;
        Ok(())
    }

    fn percepts(&self, _: EntityId, _: &Context<Sense>, percepts: &mut Percepts<'_, Sense>) {
        percepts.add(Sense::At { cell: self.robot });
    }
}
// ANCHOR_END: environment

// ANCHOR: run
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut corridor = Interface::<Corridor>::new();
    corridor.init(Parameters { length: 3 }, 1)?;
    corridor.start()?;
    let mut ada = corridor.join("ada", "robot1")?;
    let perception = ada.step(&Walk::Walk { cells: 2 })?;
    println!("now: {:?}", perception.add);
    for action in ["walk(-1)", "walk(5)", "walk(left)"] {
        match ada.step_term(&action.parse()?) {
            Ok(perception) => println!("{action}: {}", perception.add[0]),
            Err(error) => println!("{action}: {error}"),
        }
    }
    Ok(())
}
// ANCHOR_END: run

// ANCHOR: test
#[test]
fn a_robot_stops_at_the_wall() {
    let mut corridor = Interface::<Corridor>::new();
    corridor.init(Parameters { length: 3 }, 1).expect("these parameters are valid");
    corridor.start().expect("it is initialized");
    let mut ada = corridor.join("ada", "robot1").expect("the robot is free");
    assert_eq!(ada.perceive().expect("it runs").add, [Sense::At { cell: 0 }]);
    assert_eq!(ada.step(&Walk::Walk { cells: 2 }).expect("there is space").add, [Sense::At { cell: 2 }]);
    let error = ada.step(&Walk::Walk { cells: 1 }).expect_err("there is a wall");
    assert!(error.to_string().ends_with("there is a wall"), "{error}");
}
// ANCHOR_END: test
