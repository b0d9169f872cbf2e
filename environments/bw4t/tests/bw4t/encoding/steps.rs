//! The length of steps.

use situated::iil::Parameter;
use situated_bw4t::Parameters;
use situated_bw4t::encoding::{MOST_TICKS, Steps};
use situated_bw4t::robot::State;

use crate::encoding::learner::{Learner, parameters};

fn ticks(learner: &mut Learner, choices: [&str; 2]) -> u64 {
    let begin = learner.world().tick_count();
    let numbers = choices.map(|choice| learner.number(choice));
    learner.step(&numbers);
    learner.world().tick_count() - begin
}

#[test]
fn a_step_is_a_tick_by_default() {
    let mut learner = Learner::begin(&parameters("Rainbow", 2, Steps::Tick), 1);
    assert_eq!(ticks(&mut learner, ["goTo RoomC1", "goTo RoomA3"]), 1);
}

#[test]
fn a_decision_lasts_until_a_robot_stops() {
    let mut learner = Learner::begin(&parameters("Rainbow", 2, Steps::Decision), 1);
    assert_eq!(ticks(&mut learner, ["wait", "wait"]), 1, "nobody is on the way");
    assert_eq!(ticks(&mut learner, ["goTo RoomC1", "goTo RoomA3"]), 246, "Bot_1 arrives");
    assert_eq!([0, 1].map(|robot| learner.robot(robot).state), [State::Arrived, State::Traveling]);
    assert_eq!(ticks(&mut learner, ["pickUp Green", "wait"]), 19, "it is at the block");
    assert_eq!(ticks(&mut learner, ["pickUp Green", "wait"]), 1, "it has it");
    let rest = ticks(&mut learner, ["wait", "wait"]);
    assert!(rest > 20, "Bot_1 waits for Bot_2, which arrives after {rest}");
    assert_eq!(learner.robot(1).state, State::Arrived);
    assert_eq!(ticks(&mut learner, ["putDown", "wait"]), 1);
}

#[test]
fn a_decision_has_a_maximum_length() {
    let waiting = Parameters { wait_at_doors: true, ..parameters("Rainbow", 2, Steps::Decision) };
    let mut learner = Learner::begin(&waiting, 1);
    learner.follow(0, "goTo RoomC1");
    assert_eq!(ticks(&mut learner, ["wait", "goTo RoomC1"]), u64::from(MOST_TICKS));
    assert_eq!(learner.robot(1).state, State::Traveling, "it waits at the door");
    assert!(ticks(&mut learner, ["goTo RoomC2", "wait"]) < u64::from(MOST_TICKS));
}

#[test]
fn results_count_ticks() {
    let mut learner = Learner::begin(&parameters("Rainbow", 1, Steps::Decision), 1);
    learner.follow(0, "goTo RoomC1");
    assert_eq!((learner.episode.context().step(), learner.world().tick_count()), (1, 246));
    let results = learner.episode.outcome().results;
    let value = |name: &str| results.iter().find(|measure| measure.name == name).map(|measure| measure.value.clone());
    assert_eq!(value("simulated seconds"), Some(Parameter::from(246.0 / 50.0)));
}
