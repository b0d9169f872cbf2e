//! Properties of files with arrivals in Elevator: reading them does not panic, errors have a reason and a line, and the
//! environment runs with what can be read.

use situated::interface::Interface;
use situated_elevator::{Elevator, Parameters, Traffic, traffic};

/// The number of floors of the building.
const FLOORS: u8 = 10;

/// Number of steps with arrivals.
const STEPS: usize = 3;

/// Reads the data as arrivals. If it can be read, begins an environment with it.
pub fn arrivals(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    match traffic::read(&text, FLOORS) {
        Ok(passengers) => {
            assert!(passengers.is_sorted_by_key(|passenger| passenger.arrival));
            assert!(passengers.iter().all(|one| one.from != one.to && one.from < FLOORS && one.to < FLOORS));
            let parameters = Parameters {
                floors: FLOORS,
                cars: 1,
                capacity: 1,
                people: 0,
                insertion_time: 0,
                traffic: Traffic::InterFloor,
                arrivals: Some(text.as_ref().into()),
            };
            let mut interface = Interface::<Elevator>::new();
            interface.init(parameters, 1).expect("the arrivals can be read");
            interface.start().expect("it is paused");
            (0..STEPS).for_each(|_| interface.step().expect("it runs"));
        }
        Err(error) => assert!(error.line >= 1 && !error.problem.is_empty() && error.to_string().len() < 300, "{error}"),
    }
}
