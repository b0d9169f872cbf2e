//! The results: how long passengers waited and travelled, and how much energy the cars used.

use situated::environment::Measure;

use crate::TICKS_PER_SECOND;
use crate::building::{Building, Passenger};
use crate::car::{Car, FLOOR_HEIGHT};

/// The weight of a passenger in newtons: 75 kg.
const WEIGHT: f64 = 735.75;

/// The height of a floor in metres.
const METRES: f64 = 4.0;

/// Friction of a travelling car, in newtons.
const FRICTION: f64 = 500.0;

/// Energy of a departure, in joules: the acceleration of car and counterweight, and the doors.
const START: f64 = 10_000.0;

/// The share of passengers who waited no longer than the second measure of waiting.
const PERCENT: usize = 95;

/// Returns the results so far. Passengers who still wait or travel count with their times so far, so no controller
/// does better by leaving somebody out.
pub(crate) fn results(building: &Building) -> Vec<Measure> {
    let passengers = building.passengers();
    let waits = times(building, |passenger| passenger.boarded);
    let journeys = times(building, |passenger| passenger.delivered);
    let delivered = passengers.len() - building.under_way();
    let energy: f64 = building.cars.iter().map(energy).sum();
    let mut results = vec![
        Measure::new("building", "seconds", seconds(building.tick)),
        Measure::new("building", "passengers", passengers.len()),
        Measure::new("building", "delivered", delivered),
        Measure::new("building", "mean waiting time in seconds", mean(&waits)),
        Measure::new("building", "95 % wait at most, in seconds", seconds(percentile(&waits))),
        Measure::new("building", "mean journey time in seconds", mean(&journeys)),
        Measure::new("building", "energy in kJ", energy / 1000.0),
    ];
    for (number, car) in building.cars.iter().enumerate() {
        let floors = car.travelled as f64 / f64::from(FLOOR_HEIGHT);
        results.push(Measure::new(format!("car{number}"), "floors travelled", floors));
    }
    results
}

/// Returns the mean waiting time in seconds.
pub fn mean_wait(building: &Building) -> f64 {
    mean(&times(building, |passenger| passenger.boarded))
}

/// Returns the times from arrival to an end, in ascending order.
fn times(building: &Building, end: impl Fn(&Passenger) -> Option<u64>) -> Vec<u64> {
    let until = |passenger: &Passenger| end(passenger).unwrap_or(building.tick).saturating_sub(passenger.arrival);
    let mut times: Vec<u64> = building.passengers().iter().map(until).collect();
    times.sort_unstable();
    times
}

fn mean(times: &[u64]) -> f64 {
    seconds(times.iter().sum()) / times.len().max(1) as f64
}

/// The smallest time that is not exceeded by 95 % of the passengers (nearest rank).
fn percentile(times: &[u64]) -> u64 {
    let rank = (times.len() * PERCENT).div_ceil(100);
    times.get(rank.saturating_sub(1)).copied().unwrap_or(0)
}

fn seconds(ticks: u64) -> f64 {
    ticks as f64 / f64::from(TICKS_PER_SECOND)
}

/// Returns the energy that a car has used, in joules. A counterweight balances a half-full car; nothing is recovered.
fn energy(car: &Car) -> f64 {
    let metres = |distance: u64| distance as f64 / f64::from(FLOOR_HEIGHT) * METRES;
    metres(car.travelled) * FRICTION + metres(car.lifted) * WEIGHT / 2.0 + car.starts as f64 * START
}
