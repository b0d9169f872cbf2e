//! The rules: passengers arrive, call, enter and leave; cars travel. Floors are counted from 0 here, and from 1 in
//! actions and percepts.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use crate::car::{Car, DOOR_TICKS, Direction, DoorState, OPEN_TICKS, Passing, TRANSFER_TICKS};

/// A building with its cars and passengers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Building {
    /// The number of floors.
    pub floors: u8,
    /// The number of passengers that a car holds.
    pub capacity: u8,
    /// The cars.
    pub cars: Vec<Car>,
    /// All passengers, in the order of their arrival.
    passengers: Vec<Passenger>,
    /// The number of passengers who have arrived.
    arrived: usize,
    /// The number of passengers who have reached their floors.
    delivered: usize,
    /// The passengers who wait, first come first served: for each floor, those who want to go up and down.
    queues: Vec<[VecDeque<u32>; 2]>,
    /// The floors with a lit call button, as a set of bits, for each direction.
    calls: [u64; 2],
    /// The number of changes of the call buttons.
    pub call_changes: u64,
    /// The time since the beginning, in ticks.
    pub tick: u64,
}

/// A passenger. Times are in ticks since the beginning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Passenger {
    /// The time of arrival at the first floor.
    pub arrival: u64,
    /// The first floor.
    pub from: u8,
    /// The destination.
    pub to: u8,
    /// The time at which the passenger was in a car.
    pub boarded: Option<u64>,
    /// The time at which the passenger was out of the car.
    pub delivered: Option<u64>,
}

impl Passenger {
    /// Returns the direction of the journey.
    pub fn direction(&self) -> Direction {
        Direction::between(self.from, self.to)
    }
}

impl Building {
    /// A building with cars at the lowest floor. The passengers are in the order of their arrival, and travel between
    /// different floors of the building.
    pub(crate) fn new(floors: u8, cars: u8, capacity: u8, passengers: Vec<Passenger>) -> Self {
        let mut building = Self {
            floors,
            capacity,
            cars: (0..cars).map(|_| Car::new()).collect(),
            passengers,
            arrived: 0,
            delivered: 0,
            queues: (0..floors).map(|_| Default::default()).collect(),
            calls: [0; 2],
            call_changes: 0,
            tick: 0,
        };
        building.let_passengers_arrive();
        building.update_calls();
        building
    }

    /// Sends a car to a floor.
    pub(crate) fn go_to(&mut self, car: usize, floor: u8, lamp: Direction) {
        let car = &mut self.cars[car];
        car.target = Some(floor);
        car.next_lamp = lamp;
    }

    /// Advances time by one tick.
    pub(crate) fn step(&mut self) {
        self.tick += 1;
        self.let_passengers_arrive();
        for car in 0..self.cars.len() {
            self.step_car(car);
        }
        self.update_calls();
    }

    fn let_passengers_arrive(&mut self) {
        while let Some(passenger) = self.passengers.get(self.arrived).filter(|next| next.arrival <= self.tick) {
            let queue = &mut self.queues[usize::from(passenger.from)][passenger.direction() as usize];
            queue.push_back(self.arrived as u32);
            self.arrived += 1;
        }
    }

    fn step_car(&mut self, index: usize) {
        if let Some(passing) = &mut self.cars[index].passing {
            passing.timer -= 1;
            if passing.timer > 0 {
                return;
            }
            self.finish_passing(index);
        }
        let next = self.next_to_pass(index);
        let car = &mut self.cars[index];
        match (car.door, next) {
            (DoorState::Closed, _) => car.travel(self.capacity),
            (DoorState::Opening, _) => {
                if car.wait() {
                    car.set_door(DoorState::Opened, OPEN_TICKS);
                }
            }
            (DoorState::Opened, Some(passing)) => {
                car.passing = Some(passing);
                if passing.enters {
                    let (floor, lamp) = (car.floor.map(usize::from), car.lamp);
                    if let (Some(floor), Some(lamp)) = (floor, lamp) {
                        self.queues[floor][lamp as usize].pop_front();
                    }
                }
            }
            (DoorState::Opened, None) => {
                if car.wait() {
                    car.set_door(DoorState::Closing, DOOR_TICKS);
                }
            }
            (DoorState::Closing, Some(_)) => {
                let closed = DOOR_TICKS - car.timer;
                car.set_door(DoorState::Opening, closed.max(1));
            }
            (DoorState::Closing, None) => {
                if car.wait() {
                    car.lamp = None;
                    car.set_door(DoorState::Closed, 0);
                }
            }
        }
    }

    /// Lets the passenger in the doors be in the car, or out of it.
    fn finish_passing(&mut self, index: usize) {
        let car = &mut self.cars[index];
        let Some(Passing { passenger, enters, .. }) = car.passing.take() else { return };
        let number = passenger as usize;
        if enters {
            car.riders.push(passenger);
            self.passengers[number].boarded = Some(self.tick);
        } else {
            car.riders.retain(|rider| *rider != passenger);
            self.passengers[number].delivered = Some(self.tick);
            self.delivered += 1;
        }
        // The rest of this tick counts, too.
        car.timer = OPEN_TICKS + 1;
        car.changes += 1;
    }

    /// Returns the next passenger who wants to pass the doors of a car at a floor, if they open: first those who leave.
    fn next_to_pass(&self, index: usize) -> Option<Passing> {
        let car = &self.cars[index];
        let (floor, lamp) = (car.floor?, car.lamp?);
        let timer = TRANSFER_TICKS;
        let leaving = car.riders.iter().find(|rider| self.passengers[**rider as usize].to == floor);
        if let Some(&passenger) = leaving {
            return Some(Passing { passenger, enters: false, timer });
        }
        let first = self.queues[usize::from(floor)][lamp as usize].front();
        first.filter(|_| car.admits(floor, lamp, self.capacity)).map(|&passenger| Passing {
            passenger,
            enters: true,
            timer,
        })
    }

    /// A call button is lit while somebody waits for that direction and cannot enter a car that stands there.
    fn update_calls(&mut self) {
        let mut calls = [0; 2];
        for direction in Direction::BOTH {
            for (floor, queues) in self.queues.iter().enumerate() {
                let waits = !queues[direction as usize].is_empty();
                let is_served = || self.cars.iter().any(|car| car.admits(floor as u8, direction, self.capacity));
                calls[direction as usize] |= u64::from(waits && !is_served()) << floor;
            }
        }
        if calls != self.calls {
            self.calls = calls;
            self.call_changes += 1;
        }
    }

    /// Returns the passengers who have arrived, in the order of their arrival.
    pub fn passengers(&self) -> &[Passenger] {
        &self.passengers[..self.arrived]
    }

    /// Returns the passengers who wait at a floor for a direction, by index.
    pub fn waiting(&self, floor: u8, direction: Direction) -> &VecDeque<u32> {
        &self.queues[usize::from(floor)][direction as usize]
    }

    /// Returns the number of passengers who have arrived and have not reached their floors.
    pub fn under_way(&self) -> usize {
        self.arrived - self.delivered
    }

    /// Returns whether all passengers have reached their floors.
    pub fn is_done(&self) -> bool {
        self.delivered == self.passengers.len()
    }

    /// Returns the lit call buttons, by floor.
    pub fn calls(&self) -> impl Iterator<Item = (u8, Direction)> {
        let lit = move |floor: u8, direction: Direction| self.is_called(floor, direction).then_some((floor, direction));
        (0..self.floors).flat_map(move |floor| Direction::BOTH.into_iter().filter_map(move |one| lit(floor, one)))
    }

    /// Returns whether a call button is lit.
    pub fn is_called(&self, floor: u8, direction: Direction) -> bool {
        self.calls[direction as usize] >> floor & 1 == 1
    }

    /// Returns the lit buttons in a car, by floor. The button of the floor at which the car stands is not lit.
    pub fn buttons(&self, car: &Car) -> impl Iterator<Item = u8> {
        let destinations = car.riders.iter().map(|rider| self.passengers[*rider as usize].to);
        let lit = destinations.filter(|floor| car.floor != Some(*floor)).fold(0u64, |lit, floor| lit | 1 << floor);
        (0..self.floors).filter(move |floor| lit >> floor & 1 == 1)
    }
}
