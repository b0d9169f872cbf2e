//! Elevator: the cars of a building carry passengers between its floors. It follows ElevatorSim, the running example
//! of the Environment Interface Standard: the same percepts and actions, speeds and doors.
//!
//! [`Elevator`] is the environment, [`building`] and [`car`] contain its rules, [`traffic`] the arrivals of
//! passengers, [`score`] the results, and [`controllers`] the built-in agents.

pub mod building;
pub mod car;
pub mod controllers;
mod encoding;
mod menu;
mod scene;
pub mod score;
pub mod traffic;

use serde::{Deserialize, Serialize};
use situated::prelude::*;

use building::Building;
pub use car::{Direction, DoorState};
pub use traffic::Traffic;

/// The type of all entities.
pub const CAR: &str = "car";

/// Steps in a second.
pub const TICKS_PER_SECOND: u32 = 10;

/// The greatest number of floors.
pub const MOST_FLOORS: u8 = 60;

/// The greatest number of passengers.
pub const MOST_PEOPLE: u32 = 100_000;

/// The documentation in the ontology.
const DOCUMENTATION: &str = "\
Send elevator cars to the floors where passengers wait and want to go; nobody should wait long.

Send a car to a floor with `goto(floor, direction)`. It opens its doors there and lights a lamp: only passengers who \
want to travel in that direction enter, one after the other, up to the capacity of the car. Passengers who have \
reached their floor leave first. The doors close by themselves when nobody has passed for 3 seconds.

Waiting passengers press the call button of their floor (`fButtonOn`), and passengers in a car the button of their \
destination (`eButtonOn`). Floors are counted from 1. A car takes 4.03 seconds from one floor to the next; its doors \
take 2 seconds to open or close, and each passenger 2 seconds to enter or leave.

The episode ends when all passengers have reached their floors.";

/// The environment: a building, and the entities of its cars.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Elevator {
    /// The building.
    pub building: Building,
    /// The entities of the cars, in order.
    entities: Vec<EntityId>,
}

/// The parameters of an episode. The defaults are those of the original's random passengers.
#[derive(Clone, Debug, PartialEq, InitParameters)]
pub struct Parameters {
    /// The number of floors, from 2 to 60.
    #[parameter(default = 10, range = 2..=MOST_FLOORS)]
    pub floors: u8,
    /// The number of cars, from 1 to 20.
    #[parameter(default = 3, range = 1..=20)]
    pub cars: u8,
    /// The number of passengers that a car holds, at least 1.
    #[parameter(default = 8, range = 1..=u8::MAX)]
    pub capacity: u8,
    /// The number of passengers, at most 100000.
    #[parameter(default = 20, range = 0..=MOST_PEOPLE)]
    pub people: u32,
    /// The time during which passengers arrive, in milliseconds.
    #[parameter(default = 50_000)]
    pub insertion_time: u32,
    /// The floors between which passengers travel.
    #[parameter(default = Traffic::InterFloor)]
    pub traffic: Traffic,
    /// The arrivals of passengers, instead of random ones: a line `seconds from to` for each, such as `12.5 1 7`.
    pub arrivals: Option<FileContents>,
}

/// An action of a car.
#[derive(Clone, Debug, PartialEq, Eq, Action)]
pub enum Action {
    /// Travels to a floor, opens the doors there, and lights the lamp of the direction. It replaces an earlier `goto`
    /// that is not done yet. A car with open doors leaves when they have closed.
    Goto {
        /// The floor, counted from 1.
        #[parameter(range = 1..=MOST_FLOORS)]
        floor: u8,
        /// The direction of the passengers who may enter.
        direction: Direction,
    },
}

/// A percept of a car.
#[derive(Clone, Debug, Percept)]
#[percept(on_change)]
pub enum Percept {
    /// The car stands at this floor.
    #[percept(on_change_with_negation)]
    AtFloor {
        /// The floor, counted from 1.
        #[parameter(range = 1..=MOST_FLOORS)]
        floor: u8,
    },
    /// The state of the car's doors.
    DoorState {
        /// The state.
        state: DoorState,
    },
    /// The number of passengers in the car.
    People {
        /// The number.
        number: u32,
    },
    /// A passenger in this car has pressed the button of a floor.
    #[percept(on_change_with_negation)]
    EButtonOn {
        /// The floor, counted from 1.
        #[parameter(range = 1..=MOST_FLOORS)]
        floor: u8,
    },
    /// The position of the car.
    CarPosition {
        /// The floor, counted from 1; a decimal number between two floors.
        position: f64,
    },
    /// A passenger who waits at a floor has pressed a call button.
    #[percept(on_change_with_negation)]
    FButtonOn {
        /// The floor, counted from 1.
        #[parameter(range = 1..=MOST_FLOORS)]
        floor: u8,
        /// The direction in which the passenger wants to travel.
        direction: Direction,
    },
    /// The number of passengers that the car holds.
    #[percept(once)]
    Capacity {
        /// The number.
        number: u8,
    },
    /// The number of floors.
    #[percept(once)]
    FloorCount {
        /// The number.
        number: u8,
    },
    /// The time factor of the original's clock. It is always 0, because the environment does not know how fast its
    /// steps follow each other.
    Timefactor {
        /// The factor.
        factor: i64,
    },
}

/// The sections of percepts.
mod section {
    pub(super) const CAR: u32 = 0;
    pub(super) const POSITION: u32 = 1;
    pub(super) const CALLS: u32 = 2;
    pub(super) const BUILDING: u32 = 3;
}

impl Environment for Elevator {
    type Parameters = Parameters;
    type Action = Action;
    type Percept = Percept;

    fn ontology() -> Ontology {
        Self::ontology_builder("elevator", env!("CARGO_PKG_VERSION"), DOCUMENTATION)
            .entity_type(CAR, "A car of the elevator.")
            .pace(Pace::RealTime { steps_per_second: TICKS_PER_SECOND.into() })
            .build()
    }

    fn ontology_of(parameters: &Parameters) -> Option<Ontology> {
        let mut ontology = Self::ontology();
        ontology.restrict("floor", 1..=parameters.floors.into());
        Some(ontology)
    }

    /// All cars stand at floor 1 with closed doors.
    fn init(parameters: &Parameters, context: &mut Context<Percept>) -> Result<Self, Failure> {
        let Parameters { floors, cars, capacity, people, .. } = *parameters;
        let passengers = match &parameters.arrivals {
            Some(text) => traffic::read(text.as_str(), floors).map_err(|error| Failure::new(error.to_string()))?,
            None => parameters.traffic.passengers(people, parameters.insertion_time, floors, &mut context.random),
        };
        let entities = (0..cars).map(|car| context.add_entity(format!("car{car}"), CAR)).collect::<Result<_, _>>()?;
        Ok(Self { building: Building::new(floors, cars, capacity, passengers), entities })
    }

    fn act(&mut self, entity: EntityId, action: &Action, _: &mut Context<Percept>) -> Result<(), Failure> {
        let Action::Goto { floor, direction } = *action;
        let car =
            self.car_of(entity).ok_or_else(|| Failure::unsupported("the entity is not a car of this building"))?;
        let floors = self.building.floors;
        if !(1..=floors).contains(&floor) {
            return Err(Failure::new(format!("there is no floor {floor}; choose one from 1 to {floors}")));
        }
        self.building.go_to(car, floor - 1, direction);
        Ok(())
    }

    fn step(&mut self, _: &mut Context<Percept>) {
        self.building.step();
    }

    fn percepts(&self, entity: EntityId, _: &Context<Percept>, percepts: &mut Percepts<'_, Percept>) {
        let Some(index) = self.car_of(entity) else { return };
        let (building, car) = (&self.building, &self.building.cars[index]);
        percepts.section(section::CAR, car.changes, |listing| {
            listing.extend(car.floor.map(|floor| Percept::AtFloor { floor: floor + 1 }));
            listing.add(Percept::DoorState { state: car.door });
            listing.add(Percept::People { number: car.riders.len() as u32 });
            listing.extend(building.buttons(car).map(|floor| Percept::EButtonOn { floor: floor + 1 }));
        });
        percepts.section(section::POSITION, car.travelled, |listing| {
            listing.add(Percept::CarPosition { position: 1.0 + car.height() });
        });
        percepts.shared(section::CALLS, building.call_changes, None, |listing| {
            let calls = building.calls();
            listing.extend(calls.map(|(floor, direction)| Percept::FButtonOn { floor: floor + 1, direction }));
        });
        percepts.section(section::BUILDING, 0, |listing| {
            listing.add(Percept::Capacity { number: building.capacity });
            listing.add(Percept::FloorCount { number: building.floors });
            listing.add(Percept::Timefactor { factor: 0 });
        });
    }

    fn scene(&self, viewer: Option<EntityId>, context: &Context<Percept>) -> Scene {
        let names =
            |car: usize| context.entity(self.entities[car]).map(|entity| entity.name.clone()).unwrap_or_default();
        match viewer {
            None => scene::whole(&self.building, names),
            Some(entity) => {
                let seen = |car| scene::seen_by(&self.building, car, names);
                self.car_of(entity).map(seen).unwrap_or_default()
            }
        }
    }

    fn menu(&self, entity: EntityId, request: &MenuRequest, _: &Context<Percept>) -> Menu<Action> {
        self.car_of(entity).map(|car| menu::menu(&self.building, car, request)).unwrap_or_default()
    }

    fn ending(&self) -> Option<Ending> {
        self.building.is_done().then_some(Ending::Terminated)
    }

    fn results(&self, _: &Context<Percept>) -> Vec<Measure> {
        score::results(&self.building)
    }
}

impl Elevator {
    /// Returns the index of the car of this entity, or `None` if the entity does not exist in this environment.
    pub fn car_of(&self, entity: EntityId) -> Option<usize> {
        self.entities.iter().position(|car| *car == entity)
    }
}
