//! Paces: time advances by actions, by all agents together, by a clock, or from outside.

use std::time::Duration;

use situated::interface::Command;
use situated::ontology::Pace;
use situated_runtime::{Error, Input, Reply, Speed, Tempo};

use crate::driver::{Driver, WAITING, at, has_failed, is_done, real_time, tempo};
use crate::request::Request;

/// Returns a tempo in lockstep with this patience in milliseconds.
fn patient(milliseconds: u64) -> Tempo {
    Tempo { patience: Some(Duration::from_millis(milliseconds)), ..tempo(Pace::Lockstep) }
}

#[test]
fn in_a_reactive_environment_each_action_that_is_accepted_makes_one_step() {
    let mut driver = Driver::new(tempo(Pace::Reactive), &["anna"]);
    let done = driver.act("anna", "work(1)");
    assert!(is_done(&driver.got(done)));
    assert_eq!(driver.step(), 1);
    let failed = driver.act("anna", "fail");
    assert!(has_failed(&driver.got(failed)));
    driver.run(10_000);
    assert_eq!(driver.step(), 1);
}

#[test]
fn an_action_that_some_of_its_entities_can_do_is_accepted() {
    let mut driver = Driver::new(tempo(Pace::Reactive), &["anna"]);
    driver.associate("anna", "guard0");
    driver.act("anna", "watch");
    assert_eq!(driver.log(), ["guard0 watch", "step 1"]);
}

#[test]
fn actions_in_a_reactive_environment_wait_for_their_turn_if_speed_is_limited() {
    let mut driver = Driver::new(at(Pace::Reactive, 10.0), &["anna", "bert"]);
    let asked = [driver.act("bert", "work(1)"), driver.act("anna", "work(2)"), driver.act("bert", "work(3)")];
    for (index, request) in asked.iter().enumerate() {
        assert_eq!(driver.answer(*request), None);
        assert_eq!(driver.rest(), Some(100));
        driver.run(100);
        assert!(is_done(&driver.got(*request)));
        assert_eq!(driver.step(), index as u64 + 1);
    }
    let order = ["worker1 work(1)", "step 1", "worker0 work(2)", "step 2", "worker1 work(3)", "step 3"];
    assert_eq!(driver.log(), order);
}

#[test]
fn more_actions_than_can_wait_are_refused() {
    let mut driver = Driver::new(at(Pace::Reactive, 1.0), &["anna"]);
    let waiting: Vec<u32> = (0..WAITING).map(|_| driver.act("anna", "work(1)")).collect();
    assert!(waiting.iter().all(|asked| driver.answer(*asked).is_none()));
    let more = driver.act("anna", "work(1)");
    assert!(matches!(driver.got(more), Err(Error::Busy { limit: WAITING, .. })));
    driver.run(1_000);
    let more = driver.act("anna", "work(1)");
    assert_eq!(driver.answer(more), None, "there is room for one again");
}

#[test]
fn a_lockstep_environment_waits_until_all_have_chosen() {
    let mut driver = Driver::new(tempo(Pace::Lockstep), &["anna", "bert"]);
    let anna = driver.act("anna", "work(1)");
    driver.run(60_000);
    assert_eq!((driver.answer(anna), driver.step(), driver.rest()), (None, 0, None));
    let bert = driver.pass("bert");
    assert_eq!(driver.rest(), Some(0));
    driver.settle();
    assert!(is_done(&driver.got(anna)));
    assert_eq!(driver.got(bert), Ok(Reply::Done));
    assert_eq!(driver.log(), ["worker0 work(1)", "worker1 rest", "step 1"]);
    assert_eq!(driver.rest(), None);
}

#[test]
fn with_patience_silent_agents_execute_their_default_action() {
    let mut driver = Driver::new(patient(500), &["anna", "bert"]);
    driver.run(200);
    driver.act("bert", "work(1)");
    assert_eq!(driver.rest(), Some(300));
    driver.run(299);
    assert_eq!(driver.step(), 0);
    driver.run(1);
    assert_eq!(driver.log(), ["worker0 rest", "worker1 work(1)", "step 1"]);
    assert_eq!(driver.rest(), Some(500), "choosing has begun anew");
}

#[test]
fn patience_counts_from_the_last_step_at_any_speed() {
    let mut driver = Driver::new(Tempo { speed: Speed::hertz(10.0), ..patient(110) }, &["anna"]);
    driver.run(110);
    assert_eq!((driver.step(), driver.rest()), (1, Some(110)));
}

#[test]
fn unlimited_patience_never_expires() {
    let mut driver = Driver::new(Tempo { patience: Some(Duration::MAX), ..tempo(Pace::Lockstep) }, &["anna"]);
    driver.run(1_000_000);
    assert_eq!(driver.step(), 0);
    driver.act("anna", "work(1)");
    driver.run(0);
    assert_eq!(driver.step(), 1);
}

#[test]
fn steps_wait_for_unattended_agents_for_a_limited_time() {
    let mut driver = Driver::new(tempo(Pace::Lockstep), &["anna", "bert"]);
    driver.owner.set_unattended(&"anna".into(), true);
    driver.act("bert", "work(1)");
    driver.run(9_999);
    driver.settle();
    assert_eq!((driver.step(), driver.status().awaited), (0, vec!["worker0".into()]));
    driver.run(1);
    assert_eq!(driver.log(), ["worker0 rest", "worker1 work(1)", "step 1"]);
    assert!(driver.status().awaited.is_empty());
    driver.act("anna", "work(2)");
    driver.run(60_000);
    driver.settle();
    assert_eq!((driver.step(), driver.status().awaited), (1, vec!["worker1".into()]));
    driver.act("bert", "work(3)");
    driver.run(0);
    assert_eq!(driver.step(), 2);
}

#[test]
fn without_agents_only_patience_makes_a_lockstep_environment_move() {
    let mut driver = Driver::new(tempo(Pace::Lockstep), &[]);
    driver.run(60_000);
    assert_eq!((driver.step(), driver.rest()), (0, None));
    let mut driver = Driver::new(patient(100), &[]);
    driver.run(1_000);
    assert_eq!(driver.log(), (1..=10).map(|step| format!("step {step}")).collect::<Vec<_>>());
}

#[test]
fn a_speed_limits_a_lockstep_environment_too() {
    let mut driver = Driver::new(at(Pace::Lockstep, 2.0), &["anna"]);
    for _ in 0..3 {
        driver.act("anna", "work(1)");
        driver.run(499);
        driver.run(1);
    }
    assert_eq!(driver.step(), 3);
    driver.act("anna", "work(1)");
    assert_eq!(driver.rest(), Some(500));
}

#[test]
fn real_time_makes_the_set_number_of_steps_per_second() {
    let mut driver = Driver::new(real_time(50.0), &["anna"]);
    driver.run(1_000);
    assert_eq!((driver.step(), driver.status().missed), (50, 0));
    driver.get(Request::SetSpeed(Speed::hertz(10.0))).expect("a speed");
    driver.run(1_000);
    assert_eq!(driver.step(), 60);
    let asked = driver.act("anna", "work(1)");
    assert!(is_done(&driver.got(asked)), "actions do not wait for a step");
    assert_eq!(driver.step(), 60);
}

#[test]
fn missed_steps_are_counted_and_skipped() {
    let mut driver = Driver::new(real_time(10.0), &[]);
    driver.oversleep(1_050);
    driver.settle();
    assert_eq!((driver.step(), driver.status().missed), (1, 9));
    driver.run(1_000);
    assert_eq!((driver.step(), driver.status().missed), (11, 9));
    driver.reset();
    assert_eq!(driver.status().missed, 0, "they are those of the episode");
}

#[test]
fn a_slightly_late_step_does_not_delay_others() {
    let mut driver = Driver::new(real_time(10.0), &[]);
    driver.oversleep(130);
    driver.settle();
    assert_eq!((driver.rest(), driver.status().missed), (Some(70), 0));
}

#[test]
fn a_call_makes_one_step_at_the_most_even_at_the_greatest_speed() {
    let mut driver = Driver::new(tempo(Pace::RealTime { steps_per_second: 10.0 }), &[]);
    for step in 1..=100 {
        driver.advance();
        assert_eq!((driver.step(), driver.rest()), (step, Some(0)));
    }
    assert_eq!(driver.status().missed, 0);
}

#[test]
fn an_environment_with_its_own_time_is_never_stepped() {
    let mut driver = Driver::new(tempo(Pace::Own), &["anna"]);
    let done = driver.act("anna", "work(1)");
    assert!(is_done(&driver.got(done)));
    driver.run(60_000);
    assert_eq!((driver.step(), driver.rest()), (0, None));
}

#[test]
fn steps_are_not_made_on_request() {
    for pace in [Pace::Reactive, Pace::Lockstep, Pace::RealTime { steps_per_second: 10.0 }, Pace::Own] {
        let mut driver = Driver::new(tempo(pace), &[]);
        assert_eq!(driver.input(Input::Step), Err(Error::Paced));
        assert_eq!(driver.input(Input::ActByDefault { entity: "worker0".into() }), Err(Error::Paced));
    }
}

#[test]
fn time_counts_from_when_it_begins_to_run() {
    let mut driver = Driver::new(real_time(10.0), &[]);
    driver.run(50);
    driver.manage(Command::Pause);
    driver.run(10_000);
    driver.manage(Command::Start);
    assert_eq!((driver.rest(), driver.status().missed), (Some(100), 0));
}
