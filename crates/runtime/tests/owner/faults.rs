//! An environment that panics is killed, waiting requests get an error, and nothing else is affected.

use situated::interface::{Command, Form, Happening, Observer, State};
use situated::ontology::Pace;
use situated_runtime::{Error, Input};

use crate::driver::{Driver, action, is_done, real_time, tempo};
use crate::request::Request;

/// Lets a driver make the call that crashes.
type Trigger = fn(&mut Driver);

/// The faults, and the calls that trigger them.
const CALLS: [(&str, Trigger); 9] = [
    ("hear", |driver| drop(driver.input(Input::FreeAgent { agent: "bert".into() }))),
    ("request", |driver| {
        let (agent, entity_type) = ("bert".into(), "worker".into());
        drop(driver.input(Input::RequestEntity { agent, entity_type, name: None }));
    }),
    ("percepts", |driver| drop(driver.perceive("bert", Form::Update))),
    ("scene", |driver| drop(driver.owner.read(|interface| interface.scene(None)))),
    ("save", |driver| drop(driver.owner.read(|interface| interface.save()))),
    ("query", |driver| drop(driver.owner.read(|interface| interface.query_property("log")))),
    ("results", |driver| drop(driver.owner.read(|interface| interface.outcome()))),
    ("ending", |driver| drop(driver.input(Input::FreeAgent { agent: "bert".into() }))),
    ("step", |driver| driver.oversleep(1_000)),
];

fn is_crash<T>(answered: &Result<T, Error>) -> bool {
    matches!(answered, Err(Error::Crashed { environment, .. }) if environment == "mill")
}

#[test]
fn a_panic_in_any_call_kills_the_environment_and_answers_waiting_requests() {
    for (call, trigger) in CALLS {
        let mut driver = Driver::new(real_time(10.0), &["anna", "bert"]);
        let waits = driver.ask(Request::Wait { after: driver.status().moment });
        driver.act("anna", &format!("arm({call})"));
        trigger(&mut driver);
        driver.settle();
        assert_eq!(driver.state(), State::Killed, "{call}");
        assert!(driver.status().crash.is_some_and(|reason| reason.contains("it was armed")), "{call}");
        assert!(is_crash(&driver.got(waits)), "{call}");
        assert_eq!(driver.rest(), None, "{call}");
    }
}

#[test]
fn an_action_that_panics_is_answered_with_the_reason() {
    for pace in [Pace::Reactive, Pace::Lockstep, Pace::RealTime { steps_per_second: 10.0 }, Pace::Own] {
        let mut driver = Driver::new(tempo(pace), &["anna", "bert"]);
        let bert = driver.act("bert", "work(1)");
        let anna = driver.act("anna", "burst");
        driver.settle();
        let reason = "the millstone has burst".to_owned();
        let crashed = Error::Crashed { environment: "mill".into(), reason };
        assert_eq!(driver.got(anna), Err(crashed), "{pace:?}");
        assert!(driver.answer(bert).is_some());
    }
}

#[test]
fn requests_to_a_crashed_environment_fail_with_the_reason() {
    for pace in [Pace::Reactive, Pace::Lockstep, Pace::RealTime { steps_per_second: 10.0 }, Pace::Own] {
        let mut driver = Driver::new(tempo(pace), &["anna"]);
        driver.act("anna", "burst");
        driver.settle();
        let act =
            Request::Act { agent: "anna".into(), action: action("work(1)"), entities: Vec::new(), number: Some(1) };
        let requests = [
            act,
            Request::Pass { agent: "anna".into(), entities: Vec::new() },
            Request::Wait { after: driver.status().moment },
            Request::Advance { steps: 1, at_once: false },
            Request::Input(Input::Manage(Command::Start)),
            Request::Input(Input::Manage(Command::Reset { parameters: None, seed: None })),
            Request::Input(Input::Register { agent: "bert".into() }),
        ];
        for request in requests {
            let asked = driver.ask(request.clone());
            driver.settle();
            assert!(is_crash(&driver.got(asked)), "{pace:?} {request:?}");
        }
        assert!(is_crash(&driver.perceive("anna", Form::Update)), "{pace:?}");
        assert_eq!(driver.state(), State::Killed);
    }
}

#[test]
fn an_environment_that_panics_in_the_middle_of_a_step_does_nothing_more() {
    let mut driver = Driver::new(tempo(Pace::Lockstep), &["anna", "bert", "cleo"]);
    driver.act("anna", "work(1)");
    driver.act("bert", "burst");
    let cleo = driver.pass("cleo");
    driver.settle();
    assert!(is_crash(&driver.got(cleo)));
    assert_eq!(driver.status().moment.step, 0);
}

#[test]
fn a_crash_answers_a_request_to_advance() {
    let mut driver = Driver::new(real_time(10.0), &["anna"]);
    driver.act("anna", "arm(step)");
    driver.manage(Command::Pause);
    let advance = driver.ask(Request::Advance { steps: 3, at_once: false });
    driver.run(1_000);
    assert!(is_crash(&driver.got(advance)));
}

#[test]
fn a_default_action_that_panics_kills_the_environment_too() {
    let mut driver = Driver::new(tempo(Pace::Lockstep), &["anna", "bert"]);
    driver.act("anna", "arm(default)");
    driver.act("bert", "work(1)");
    driver.settle();
    let anna = driver.pass("anna");
    let bert = driver.act("bert", "work(2)");
    driver.settle();
    assert!(is_crash(&driver.got(anna)) && is_crash(&driver.got(bert)));
}

#[test]
fn agents_stay_listed_and_observers_are_notified_of_the_end() {
    let mut driver = Driver::new(tempo(Pace::Own), &["anna", "bert"]);
    let mut observer = Observer::new();
    driver.owner.read(|interface| interface.drain(&mut observer)).expect("whole");
    driver.act("anna", "burst");
    let (agents, drained) = driver
        .owner
        .read(|interface| (interface.agents(), interface.drain(&mut observer)))
        .expect("that is no question to the environment");
    assert_eq!(agents, ["anna", "bert"]);
    assert!(drained.happenings.contains(&Happening::State(State::Killed)));
}

#[test]
fn another_environment_continues() {
    let mut broken = Driver::new(tempo(Pace::Reactive), &["anna"]);
    let mut other = Driver::new(tempo(Pace::Reactive), &["anna"]);
    broken.act("anna", "burst");
    let asked = other.act("anna", "work(1)");
    assert!(is_done(&other.got(asked)));
    assert_eq!((broken.state(), other.state()), (State::Killed, State::Running));
}
