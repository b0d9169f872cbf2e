//! The encoding for reinforcement learning. An observation contains what a car perceives, and the floor to which it
//! travels; all elements are from 0 to 1. A reward is minus the time that all passengers together have spent in a step,
//! in hundreds of seconds, so the return of an episode is minus the sum of all journey times.

use situated::encoding::{Buffers, Element, Encode, Encoding};
use situated::environment::{EntityId, Environment};
use situated::ontology::typed::TypedAction;

use crate::building::Building;
use crate::car::{Car, Direction, DoorState};
use crate::{Action, CAR, Elevator, Parameters, TICKS_PER_SECOND};

/// Elements that do not belong to a floor: position, load, doors (4), lamp (2).
const GENERAL: usize = 8;

/// Elements of a floor: its button in the car, calls up and down, whether the car travels there.
const OF_FLOOR: usize = 4;

/// The meanings of the elements that do not belong to a floor.
const GENERAL_MEANINGS: [&str; GENERAL] = [
    "height, relative to the top floor",
    "passengers, relative to the capacity",
    "doors are closed",
    "doors are opening",
    "doors are open",
    "doors are closing",
    "lamp shows up",
    "lamp shows down",
];

/// The meanings of the elements of a floor.
const FLOOR_MEANINGS: [&str; OF_FLOOR] = ["button in the car", "call up", "call down", "the car travels here"];

/// The number of the action that changes nothing. A `goto` for each floor and direction follows.
const WAIT: usize = 0;

/// The states of the doors, in the order of the elements.
const DOORS: [DoorState; 4] = [DoorState::Closed, DoorState::Opening, DoorState::Opened, DoorState::Closing];

impl Encode for Elevator {
    type Element = f32;

    const ENVIRONMENTS_PER_THREAD: usize = 256;

    fn encoding(parameters: &Parameters, entity_type: &str) -> Option<Encoding> {
        let floors = usize::from(parameters.floors);
        let moves = (1..=2 * floors).filter_map(|number| Some(action(number, floors)?.to_iil().to_string()));
        let actions = std::iter::once("wait".to_owned()).chain(moves).collect();
        let shape = vec![GENERAL + OF_FLOOR * floors];
        (entity_type == CAR).then_some(Encoding { shape, element: f32::TYPE, low: 0.0, high: 1.0, actions })
    }

    fn meanings(parameters: &Parameters, entity_type: &str) -> Vec<String> {
        if entity_type != CAR {
            return Vec::new();
        }
        let general = GENERAL_MEANINGS.map(str::to_owned);
        let floors =
            (1..=parameters.floors).flat_map(|floor| FLOOR_MEANINGS.map(|what| format!("floor {floor}: {what}")));
        general.into_iter().chain(floors).collect()
    }

    /// Writes the rows of these cars.
    ///
    /// # Panics
    /// Panics if a buffer has too few rows, or an entity does not exist in this environment.
    fn encode(&self, entities: &[EntityId], buffers: Buffers<'_, f32>) {
        let building = &self.building;
        for (entity, row) in buffers.rows(entities, self.ending()) {
            let car = self.car_of(entity).expect("an entity of this environment");
            write(building, &building.cars[car], row.observation);
            *row.reward = reward(building);
        }
    }

    fn decode(&self, _: EntityId, number: usize) -> Option<Action> {
        action(number, self.building.floors.into())
    }
}

fn action(number: usize, floors: usize) -> Option<Action> {
    let number = number.checked_sub(WAIT + 1).filter(|number| *number < 2 * floors)?;
    Some(Action::Goto { floor: (number / 2 + 1) as u8, direction: Direction::BOTH[number % 2] })
}

fn reward(building: &Building) -> f32 {
    let step = if building.tick > 0 { 0.01 / TICKS_PER_SECOND as f32 } else { 0.0 };
    0.0 - step * building.under_way() as f32
}

fn write(building: &Building, car: &Car, observation: &mut [f32]) {
    let floors = usize::from(building.floors);
    let (general, of_floors) = observation.split_at_mut(GENERAL);
    general[0] = (car.height() / (floors - 1) as f64) as f32;
    general[1] = car.riders.len() as f32 / f32::from(building.capacity);
    for (element, door) in general[2..6].iter_mut().zip(DOORS) {
        *element = f32::from(u8::from(car.door == door));
    }
    for (element, lamp) in general[6..].iter_mut().zip(Direction::BOTH) {
        *element = f32::from(u8::from(car.lamp == Some(lamp)));
    }
    for floor in building.buttons(car) {
        of_floors[usize::from(floor) * OF_FLOOR] = 1.0;
    }
    for (floor, direction) in building.calls() {
        of_floors[usize::from(floor) * OF_FLOOR + 1 + direction as usize] = 1.0;
    }
    if let Some(target) = car.target {
        of_floors[usize::from(target) * OF_FLOOR + 3] = 1.0;
    }
}
