//! Tests the environment through the interface: rules, percepts, random teams, the built-in agents and the encoding.

use situated::agent::Agent;
use situated::encoding::{Buffers, Encode};
use situated::environment::{Ending, Environment};
use situated::interface::{Happening, Interface, Observer};
use situated::random::Random;
use situated_checker::{Game, Settings};
use situated_elevator::building::Building;
use situated_elevator::car::{DOOR_TICKS, FLOOR_HEIGHT, OPEN_TICKS, SPEED, TRANSFER_TICKS};
use situated_elevator::controllers::{Collective, Shuttle};
use situated_elevator::{Action, CAR, Direction, DoorState, Elevator, Parameters, Percept, Traffic, score};

type Driver = Box<dyn Agent<Action, Percept>>;

fn building(run: &Game<Elevator>) -> &Building {
    &run.environment().building
}

fn goto(floor: u8, direction: Direction) -> Action {
    Action::Goto { floor, direction }
}

/// Lets agents drive the cars until all passengers are delivered; at most this number of steps.
fn drive(run: &mut Game<Elevator>, driver: fn(usize) -> Driver, most: u64) {
    let mut drivers: Vec<Driver> = (0..run.players.len()).map(driver).collect();
    while !building(run).is_done() && building(run).tick < most {
        drivers.iter_mut().enumerate().for_each(|(car, driver)| run.decide(car, driver));
        run.steps(1);
    }
}

fn parameters() -> Parameters {
    Parameters {
        floors: 10,
        cars: 3,
        capacity: 8,
        people: 20,
        insertion_time: 50_000,
        traffic: Traffic::InterFloor,
        arrivals: None,
    }
}

/// A building with one car and these arrivals.
fn one_car(arrivals: &str) -> Game<Elevator> {
    Game::begin(Parameters { cars: 1, arrivals: Some(arrivals.into()), ..parameters() }, 1)
}

fn collective(car: usize) -> Driver {
    Box::new(Collective::new(car))
}

fn shuttle(_: usize) -> Driver {
    Box::new(Shuttle::new())
}

#[test]
fn follows_the_rules_for_environments() {
    situated_checker::check_encoded_environment::<Elevator>();
    for traffic in ["upPeak", "downPeak"] {
        let settings = Settings { seeds: 1..=3, steps: 300, ..Settings::default() };
        let settings = settings.parameter("traffic", traffic).parameter("floors", 4).parameter("cars", 2);
        settings.check_encoded::<Elevator>().expect("there is such a pattern").assert_passed();
    }
}

#[test]
fn the_floors_of_the_building_are_declared() {
    let ontology = |interface: &Interface<Elevator>| {
        let car = interface.ontology().entity_types[0].clone();
        (car.actions[0].to_string(), car.percepts[0].signature.to_string())
    };
    let floors = |most| {
        (format!("goto(floor: integer 1..{most}, direction: Direction)"), format!("atFloor(floor: integer 1..{most})"))
    };
    let mut interface = Interface::<Elevator>::new();
    assert_eq!(ontology(&interface), floors(60));
    interface.init(parameters(), 1).expect("there are such buildings");
    assert_eq!(ontology(&interface), floors(10));
    let saved = interface.save().expect("there is an episode");
    let mut observer = Observer::new();
    interface.drain(&mut observer);
    interface.reset(None, None).expect("it is paused");
    assert_eq!(interface.ontology().revision, 1);
    interface.reset(Some(Parameters { floors: 4, ..parameters() }), None).expect("it is paused");
    assert_eq!((ontology(&interface), interface.ontology().revision), (floors(4), 2));
    assert!(interface.drain(&mut observer).happenings.contains(&Happening::Ontology { revision: 2 }));
    interface.load(&saved).expect("it was saved by it");
    assert_eq!(ontology(&interface), floors(10));
    let mut restarted = Interface::<Elevator>::new();
    restarted.load(&saved).expect("it was saved by one");
    assert_eq!(ontology(&restarted), floors(10));
}

#[test]
fn a_car_fetches_a_passenger() {
    let mut run = one_car("0 3 1");
    let at_first = [
        "atFloor(1)",
        "doorState(closed)",
        "people(0)",
        "carPosition(1.0)",
        "fButtonOn(3,down)",
        "capacity(8)",
        "floorCount(10)",
        "timefactor(0)",
    ];
    assert_eq!(run.percepts(0), at_first);
    run.act(0, &goto(3, Direction::Down));
    run.steps(1);
    let on_the_way = run.percepts(0);
    assert!(on_the_way.contains(&"carPosition(1.0248138957816377)".to_owned()), "{on_the_way:?}");
    assert!(!on_the_way.iter().any(|percept| percept.starts_with("atFloor")), "{on_the_way:?}");
    // Two floors of 4.03 seconds.
    run.steps(80);
    let arrived = run.percepts(0);
    assert_eq!(arrived[..2], ["atFloor(3)", "doorState(opening)"], "{arrived:?}");
    assert!(!arrived.contains(&"fButtonOn(3,down)".to_owned()), "{arrived:?}");
    run.steps(DOOR_TICKS + 1 + TRANSFER_TICKS);
    let boarded = run.percepts(0);
    assert_eq!(boarded[..4], ["atFloor(3)", "doorState(opened)", "people(1)", "eButtonOn(1)"]);
    run.act(0, &goto(1, Direction::Up));
    run.steps(OPEN_TICKS);
    assert_eq!(run.percepts(0)[1], "doorState(closing)");
    run.steps(DOOR_TICKS + 81 + DOOR_TICKS + 1 + TRANSFER_TICKS);
    assert_eq!(run.percepts(0)[..3], ["atFloor(1)", "doorState(opened)", "people(0)"]);
    let passenger = building(&run).passengers()[0];
    assert_eq!((passenger.boarded, passenger.delivered), (Some(122), Some(294)));
    assert_eq!(run.environment().ending(), Some(Ending::Terminated));
}

#[test]
fn passengers_enter_only_for_their_direction() {
    let mut run = one_car("0 3 1");
    run.act(0, &goto(3, Direction::Up));
    run.steps(300);
    assert_eq!(building(&run).cars[0].door, DoorState::Closed);
    assert!(building(&run).is_called(2, Direction::Down) && building(&run).passengers()[0].boarded.is_none());
}

#[test]
fn a_late_passenger_opens_the_closing_doors_again() {
    // The doors close from 13.1 seconds on.
    let mut run = one_car("13.5 3 1");
    run.act(0, &goto(3, Direction::Down));
    run.steps(134);
    assert_eq!(building(&run).cars[0].door, DoorState::Closing);
    run.steps(1);
    assert_eq!(building(&run).cars[0].door, DoorState::Opening);
    run.steps(DOOR_TICKS + TRANSFER_TICKS);
    assert_eq!(building(&run).cars[0].riders, [0]);
}

#[test]
fn a_new_goto_replaces_the_last_one() {
    let mut run = one_car("");
    run.act(0, &goto(9, Direction::Down));
    run.steps(50);
    run.act(0, &goto(1, Direction::Up));
    run.steps(50);
    assert_eq!((building(&run).cars[0].floor, building(&run).cars[0].position), (Some(0), 0));
}

#[test]
fn wrong_floors_are_refused() {
    let mut run = one_car("");
    for floor in [0, 11] {
        let before = run.interface.episode().map(situated::environment::Episode::hash);
        let error = run.try_act(0, &goto(floor, Direction::Up)).expect_err("there is no such floor");
        assert!(error.ends_with(&format!("there is no floor {floor}; choose one from 1 to 10")), "{error}");
        assert_eq!(run.interface.episode().map(situated::environment::Episode::hash), before);
    }
}

#[test]
fn invalid_parameters_and_arrivals_are_refused() {
    for (parameters, expected) in [
        (Parameters { floors: 1, ..parameters() }, "`floors` is 1; it must be from 2 to 60"),
        (Parameters { cars: 21, ..parameters() }, "`cars` is 21"),
        (Parameters { capacity: 0, ..parameters() }, "`capacity` is 0"),
        (Parameters { people: 100_001, ..parameters() }, "`people` is 100001"),
        (Parameters { arrivals: Some("1 2 3\n# all\n4 5".into()), ..parameters() }, "line 3 of the arrivals: it has 2"),
        (Parameters { arrivals: Some("1 2 11".into()), ..parameters() }, "`11` is not a floor from 1 to 10"),
        (Parameters { arrivals: Some("NaN 2 3".into()), ..parameters() }, "`NaN` is not a time"),
        (Parameters { arrivals: Some("1 2 2".into()), ..parameters() }, "already at the destination"),
    ] {
        let error = Game::<Elevator>::refusal(parameters);
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn random_teams_keep_the_laws_of_the_building() {
    for seed in 1..=30 {
        let mut random = Random::stream(seed, 1);
        let traffic = [Traffic::UpPeak, Traffic::DownPeak, Traffic::InterFloor][random.index(3)];
        let (floors, cars) = (2 + random.below(9) as u8, 1 + random.below(4) as u8);
        let capacity = 1 + random.below(4) as u8;
        let mut run = Game::begin(Parameters { floors, cars, capacity, traffic, ..parameters() }, seed);
        let mut positions = vec![0; usize::from(cars)];
        for _ in 0..2_000 {
            for car in 0..usize::from(cars) {
                if random.chance(0.02) {
                    let floor = 1 + random.below(floors.into()) as u8;
                    run.act(car, &goto(floor, Direction::BOTH[random.index(2)]));
                }
            }
            run.steps(1);
            assert_lawful(building(&run), seed);
            for (before, car) in positions.iter_mut().zip(&building(&run).cars) {
                assert!(car.position.abs_diff(*before) <= SPEED, "seed {seed}: a car is too fast");
                *before = car.position;
            }
        }
    }
}

fn assert_lawful(building: &Building, seed: u64) {
    let place = format!("seed {seed}, tick {}", building.tick);
    let mut places = vec![0; building.passengers().len()];
    for car in &building.cars {
        assert!(car.position <= FLOOR_HEIGHT * u32::from(building.floors - 1), "{place}: a car left the shaft");
        assert!(car.riders.len() <= usize::from(building.capacity), "{place}: a car is too full");
        let is_level = car.floor.is_some_and(|floor| car.position == u32::from(floor) * FLOOR_HEIGHT);
        assert!(is_level || car.floor.is_none() && car.door == DoorState::Closed, "{place}: doors between floors");
        assert!(car.passing.is_none() || car.door == DoorState::Opened, "{place}: through closed doors");
        car.riders.iter().for_each(|rider| places[*rider as usize] += 1);
        if let Some(passing) = car.passing.filter(|passing| passing.enters) {
            places[passing.passenger as usize] += 1;
        }
    }
    for floor in 0..building.floors {
        for direction in Direction::BOTH {
            let queue = building.waiting(floor, direction);
            queue.iter().for_each(|passenger| places[*passenger as usize] += 1);
            let is_called = building.is_called(floor, direction);
            assert!(!is_called || !queue.is_empty(), "{place}: a call without a passenger");
            let is_served = building.cars.iter().any(|car| car.floor == Some(floor) && car.lamp == Some(direction));
            assert!(is_called || is_served || queue.is_empty(), "{place}: a passenger waits without a call");
        }
    }
    for (passenger, places) in building.passengers().iter().zip(places) {
        assert_eq!(places, i32::from(passenger.delivered.is_none()), "{place}: {passenger:?} is in {places} places");
        if let Some(delivered) = passenger.delivered {
            let distance = u64::from(passenger.from.abs_diff(passenger.to)) * u64::from(FLOOR_HEIGHT / SPEED);
            let boarded = passenger.boarded.expect("a delivered passenger was in a car");
            assert!(
                boarded > passenger.arrival && delivered >= boarded + distance,
                "{place}: {passenger:?} is too fast"
            );
        }
    }
}

/// With a queue in the lobby that never ends, each car leaves full. The textbook's round-trip time is then
/// 2 H tv + (S + 1) ts + 2 P tp, where P passengers make S stops on average and travel up to floor H (Barney: Elevator
/// Traffic Handbook); the interval is the round-trip time divided by the number of cars.
#[test]
fn in_up_peak_the_interval_between_cars_is_that_of_the_textbook() {
    let seconds = |ticks: u32| f64::from(ticks) / 10.0;
    for (floors, cars, capacity) in [(10, 3, 8), (15, 4, 12), (6, 1, 4)] {
        let (above, people) = (f64::from(floors) - 1.0, f64::from(capacity));
        let power = |base: f64| (0..capacity).fold(1.0, |product, _| product * base);
        let stops = above * (1.0 - power(1.0 - 1.0 / above));
        let highest = above - (1..floors - 1).map(|floor| power(f64::from(floor) / above)).sum::<f64>();
        let (floor_time, stop_time) = (4.03, seconds(2 * DOOR_TICKS + OPEN_TICKS));
        let trip = 2.0 * highest * floor_time + (stops + 1.0) * stop_time + 2.0 * people * seconds(TRANSFER_TICKS);
        let expected = trip / f64::from(cars);

        let people = 20_000;
        let lobby =
            Parameters { floors, cars, capacity, people, insertion_time: 1, traffic: Traffic::UpPeak, arrivals: None };
        let mut run = Game::begin(lobby, 1);
        let ticks = 60_000;
        drive(&mut run, collective, ticks);
        let boarded = building(&run).passengers().iter().filter(|passenger| passenger.boarded.is_some()).count();
        let departures = boarded as f64 / f64::from(capacity);
        let interval = ticks as f64 / 10.0 / departures;
        assert!((interval / expected - 1.0).abs() < 0.1, "{interval} s instead of {expected} s");
    }
}

#[test]
fn both_controllers_deliver_everybody_and_collective_control_waits_less() {
    for traffic in [Traffic::UpPeak, Traffic::DownPeak, Traffic::InterFloor] {
        let mut waits = [0.0; 2];
        for seed in 1..=10 {
            for (wait, driver) in waits.iter_mut().zip([collective, shuttle]) {
                let busy = Parameters { people: 60, insertion_time: 300_000, traffic, ..parameters() };
                let mut run = Game::begin(busy, seed);
                drive(&mut run, driver, 50_000);
                assert!(building(&run).is_done(), "{traffic:?}, seed {seed}");
                *wait += score::mean_wait(building(&run)) / 10.0;
            }
        }
        println!("{traffic:?}: {waits:?}");
        assert!(waits[0] < 0.7 * waits[1], "{traffic:?}: {waits:?}");
    }
}

#[test]
fn results_count_those_who_still_wait() {
    let mut run = one_car("0 3 1\n0 4 1");
    run.steps(100);
    let results = run.environment().results(run.context());
    let value = |name: &str| results.iter().find(|one| one.name == name).expect("it is measured").value.to_string();
    assert_eq!(value("delivered"), "0");
    assert_eq!(value("mean waiting time in seconds"), "10.0");
    assert_eq!(value("95 % wait at most, in seconds"), "10.0");
    assert_eq!(value("energy in kJ"), "0.0");
}

#[test]
fn a_person_can_play_with_menus() {
    let mut run = one_car("0 3 1");
    let at_floor_three = run.menu(0, Some((1.0, 5.0)));
    assert_eq!((at_floor_three.subject.as_str(), at_floor_three.items.len()), ("floor 3", 2));
    assert_eq!(at_floor_three.items[1].action, Action::Goto { floor: 3, direction: Direction::Down });
    // The first choice without a point is always useful, so choosing it again and again delivers the passenger.
    while !building(&run).is_done() {
        if let Some(item) = run.menu(0, None).items.first() {
            run.act(0, &item.action);
        }
        run.steps(10);
        assert!(building(&run).tick < 1_000);
    }
}

#[test]
fn the_return_is_minus_the_sum_of_all_journey_times() {
    let mut run = Game::begin(parameters(), 3);
    let size = Elevator::encoding(&parameters(), CAR).expect("cars have one").size();
    let entity = run.players[0].1;
    let mut sum = 0.0;
    let mut drivers: Vec<Driver> = (0..3).map(collective).collect();
    while !building(&run).is_done() {
        drivers.iter_mut().enumerate().for_each(|(car, driver)| run.decide(car, driver));
        run.steps(1);
        let mut rewards = [0.0];
        let buffers = Buffers {
            observations: &mut vec![0.0; size],
            masks: &mut [false; 21],
            rewards: &mut rewards,
            terminated: &mut [false],
            truncated: &mut [false],
        };
        run.environment().encode(&[entity], buffers);
        sum += f64::from(rewards[0]);
    }
    let passengers = building(&run).passengers();
    let journeys = passengers.iter().map(|passenger| passenger.delivered.unwrap_or(0) - passenger.arrival).sum::<u64>();
    assert!((sum + journeys as f64 / 1000.0).abs() < 0.01, "{sum} for {journeys} ticks");
}
