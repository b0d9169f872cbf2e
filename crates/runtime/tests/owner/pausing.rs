//! Pausing, resetting and killing, and running for some steps only.

use situated::iil::Parameter;
use situated::interface::{Command, ErrorKind, Form, State};
use situated::ontology::Pace;
use situated_runtime::{Error, Input};

use crate::driver::{Driver, WAITING, at, is_done, kind, real_time, tempo};
use crate::request::Request;

fn lockstep() -> Driver {
    Driver::new(tempo(Pace::Lockstep), &["anna", "bert"])
}

#[test]
fn pausing_stops_time_and_actions_but_not_percepts() {
    for pace in [Pace::Reactive, Pace::Lockstep, Pace::RealTime { steps_per_second: 10.0 }, Pace::Own] {
        let mut driver = Driver::new(at(pace, 10.0), &["anna"]);
        driver.manage(Command::Pause);
        driver.run(10_000);
        assert_eq!((driver.step(), driver.rest()), (0, None), "{pace:?}");
        let asked = driver.act("anna", "work(1)");
        assert_eq!(kind(&driver.got(asked)), Some(ErrorKind::WrongState), "{pace:?}");
        assert!(driver.perceive("anna", Form::Update).is_ok(), "{pace:?}");
    }
}

#[test]
fn chosen_actions_survive_a_pause() {
    let mut driver = lockstep();
    let anna = driver.act("anna", "work(1)");
    driver.manage(Command::Pause);
    driver.run(1_000);
    driver.manage(Command::Start);
    driver.pass("bert");
    driver.settle();
    assert!(is_done(&driver.got(anna)));
}

#[test]
fn waiting_actions_survive_a_pause() {
    let mut driver = Driver::new(at(Pace::Reactive, 10.0), &["anna"]);
    let asked = driver.act("anna", "work(1)");
    driver.manage(Command::Pause);
    driver.run(1_000);
    assert_eq!(driver.answer(asked), None);
    driver.manage(Command::Start);
    driver.run(100);
    assert!(is_done(&driver.got(asked)));
}

#[test]
fn a_new_episode_cancels_pending_actions() {
    for pace in [Pace::Lockstep, Pace::Reactive] {
        let mut driver = Driver::new(at(pace, 10.0), &["anna", "bert"]);
        let asked = driver.act_once("anna", "work(1)", 1);
        let waits = driver.ask(Request::Wait { after: driver.status().moment });
        driver.reset();
        driver.settle();
        assert_eq!(driver.got(asked), Err(Error::Superseded { agent: "anna".into() }), "{pace:?}");
        assert_eq!(driver.done_at(waits), (2, 0));
        driver.manage(Command::Start);
        let again = driver.act_once("anna", "work(1)", 1);
        driver.act("bert", "work(2)");
        driver.run(1_000);
        assert!(is_done(&driver.got(again)), "agents keep their entities, and the number can be used again");
    }
}

#[test]
fn a_new_episode_cancels_pending_passes() {
    let mut driver = lockstep();
    let pass = driver.pass("anna");
    driver.reset();
    assert!(matches!(driver.got(pass), Err(Error::Superseded { .. })));
}

#[test]
fn a_reset_with_some_parameters_keeps_the_others() {
    let mut driver = Driver::new(tempo(Pace::Reactive), &[]);
    let mut after = |given: &[(&str, Option<Parameter>)]| {
        let given = given.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
        driver.manage(Command::Reset { parameters: Some(given), seed: None });
        let parameters = driver.owner.read(|interface| interface.parameters()).expect("whole").expect("it has begun");
        (parameters["workers"].clone(), parameters["guards"].clone())
    };
    assert_eq!(after(&[("workers", Some(4.into())), ("guards", Some(2.into()))]), (4.into(), 2.into()));
    assert_eq!(after(&[("guards", Some(3.into()))]), (4.into(), 3.into()));
    assert_eq!(after(&[("workers", None)]), (2.into(), 3.into()), "one without a value has its default");
    assert_eq!(after(&[]), (2.into(), 3.into()));
    let refused = [("wrokers".to_owned(), Some(1.into()))].into();
    let refused = driver.input(Input::Manage(Command::Reset { parameters: Some(refused), seed: None }));
    assert_eq!(kind(&refused), Some(ErrorKind::Management));
    assert_eq!(driver.status().moment.episode, 5, "a refused reset changes nothing");
}

#[test]
fn killing_fails_waiting_and_later_requests() {
    for pace in [Pace::Lockstep, Pace::Reactive] {
        let mut driver = Driver::new(at(pace, 10.0), &["anna", "bert"]);
        let before = [driver.act("anna", "work(1)"), driver.ask(Request::Wait { after: driver.status().moment })];
        driver.manage(Command::Kill);
        let after = [driver.act("anna", "work(1)"), driver.ask(Request::Wait { after: driver.status().moment })];
        driver.run(10_000);
        for asked in before.into_iter().chain(after) {
            assert_eq!(kind(&driver.got(asked)), Some(ErrorKind::WrongState), "{pace:?}");
        }
        assert_eq!((driver.state(), driver.rest()), (State::Killed, None));
    }
}

#[test]
fn killing_fails_a_pass_and_a_request_to_advance() {
    let mut driver = lockstep();
    driver.manage(Command::Pause);
    let advance = driver.ask(Request::Advance { steps: 5, at_once: false });
    let pass = driver.pass("anna");
    driver.manage(Command::Kill);
    driver.settle();
    for asked in [advance, pass] {
        assert_eq!(kind(&driver.got(asked)), Some(ErrorKind::WrongState));
    }
}

#[test]
fn advancing_runs_a_number_of_steps_and_pauses() {
    let mut driver = Driver::new(real_time(10.0), &[]);
    driver.manage(Command::Pause);
    let asked = driver.ask(Request::Advance { steps: 3, at_once: false });
    driver.run(299);
    assert_eq!((driver.answer(asked), driver.step()), (None, 2));
    driver.run(10_000);
    assert_eq!(driver.done_at(asked), (1, 3));
    assert_eq!((driver.state(), driver.step()), (State::Paused, 3));
}

#[test]
fn an_advance_at_once_does_not_keep_to_the_speed() {
    let mut driver = Driver::new(real_time(10.0), &[]);
    driver.manage(Command::Pause);
    let asked = driver.ask(Request::Advance { steps: 50, at_once: true });
    driver.settle();
    assert_eq!(driver.done_at(asked), (1, 50));
    assert_eq!((driver.state(), driver.status().missed), (State::Paused, 0));
    driver.manage(Command::Start);
    driver.run(299);
    assert_eq!((driver.step(), driver.status().missed), (52, 0), "the speed counts again");
}

#[test]
fn advancing_a_reactive_environment_runs_a_number_of_actions() {
    let mut driver = Driver::new(tempo(Pace::Reactive), &["anna"]);
    driver.manage(Command::Pause);
    let asked = driver.ask(Request::Advance { steps: 2, at_once: false });
    let actions: Vec<u32> = (0..3).map(|_| driver.act("anna", "work(1)")).collect();
    driver.settle();
    assert_eq!(driver.done_at(asked), (1, 2));
    assert!(is_done(&driver.got(actions[1])));
    assert_eq!(kind(&driver.got(actions[2])), Some(ErrorKind::WrongState));
}

#[test]
fn a_lockstep_environment_without_agents_runs_only_on_request() {
    let mut driver = Driver::new(tempo(Pace::Lockstep), &[]);
    driver.settle();
    assert_eq!(driver.step(), 0);
    driver.manage(Command::Pause);
    let asked = driver.ask(Request::Advance { steps: 3, at_once: false });
    driver.settle();
    assert_eq!(driver.done_at(asked), (1, 3));
    assert_eq!((driver.state(), driver.step()), (State::Paused, 3));
}

#[test]
fn advancing_by_zero_steps_does_nothing() {
    let mut driver = lockstep();
    driver.manage(Command::Pause);
    let asked = driver.ask(Request::Advance { steps: 0, at_once: false });
    assert_eq!(driver.done_at(asked), (1, 0));
    assert_eq!(driver.state(), State::Paused);
}

#[test]
fn pausing_ends_an_advance_early() {
    let mut driver = Driver::new(real_time(10.0), &[]);
    driver.manage(Command::Pause);
    let first = driver.ask(Request::Advance { steps: 100, at_once: false });
    let refused = driver.ask(Request::Advance { steps: 1, at_once: false });
    assert_eq!(kind(&driver.got(refused)), Some(ErrorKind::WrongState), "it runs already");
    driver.run(200);
    driver.manage(Command::Pause);
    driver.settle();
    assert_eq!(driver.done_at(first), (1, 2));
    let second = driver.ask(Request::Advance { steps: 1, at_once: false });
    driver.run(100);
    assert_eq!(driver.done_at(second), (1, 3));
}

#[test]
fn forgets_waiting_requests_of_lost_receivers() {
    let mut driver = lockstep();
    let after = driver.status().moment;
    let [gone, other] = [0; 2].map(|_| driver.ask(Request::Wait { after }));
    assert_eq!(driver.owner.forget_waiting(|asked| *asked == gone).collect::<Vec<_>>(), [gone]);
    driver.pass("anna");
    driver.pass("bert");
    driver.settle();
    assert_eq!((driver.answer(gone), driver.done_at(other)), (None, (1, 1)));
}

#[test]
fn limits_the_number_of_waiting_requests() {
    let mut driver = lockstep();
    let after = driver.status().moment;
    let waiting: Vec<u32> = (0..WAITING).map(|_| driver.ask(Request::Wait { after })).collect();
    let more = driver.ask(Request::Wait { after });
    assert!(matches!(driver.got(more), Err(Error::Busy { limit: WAITING, .. })));
    driver.pass("anna");
    driver.pass("bert");
    driver.settle();
    assert!(waiting.iter().all(|asked| driver.answer(*asked).is_some()));
}
