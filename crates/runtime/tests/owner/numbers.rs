//! Numbered actions: each runs once, however often it is requested.

use situated::interface::Command;
use situated::ontology::Pace;
use situated_runtime::Error;

use crate::driver::{ANSWERS_REMEMBERED, Driver, REPEATED, at, has_failed, is_done, tempo};
use crate::late_hosts::running;

/// Returns how often the work with this serial number was done.
fn count(driver: &mut Driver, serial: u64) -> usize {
    let text = format!("work({serial})");
    driver.log().iter().filter(|entry| entry.ends_with(&text)).count()
}

#[test]
fn a_repeated_action_gets_the_same_answer_and_does_not_run_again() {
    for pace in [Pace::Reactive, Pace::Lockstep, Pace::RealTime { steps_per_second: 10.0 }, Pace::Own] {
        let mut driver = Driver::new(tempo(pace), &["anna"]);
        let first = driver.act_once("anna", "work(1)", 7);
        driver.advance();
        let again = driver.act_once("anna", "work(1)", 7);
        driver.advance();
        assert!(is_done(&driver.got(first)));
        assert_eq!(driver.got(first), driver.got(again), "{pace:?}");
        assert_eq!(count(&mut driver, 1), 1, "{pace:?}");
    }
}

#[test]
fn repetitions_of_a_pending_action_are_all_answered() {
    for pace in [Pace::Lockstep, Pace::Reactive] {
        let mut driver = Driver::new(at(pace, 10.0), &["anna"]);
        let asked: Vec<u32> = (0..REPEATED).map(|_| driver.act_once("anna", "work(1)", 1)).collect();
        let more = driver.act_once("anna", "work(1)", 1);
        assert!(matches!(driver.got(more), Err(Error::Busy { limit: REPEATED, .. })));
        assert!(asked.iter().all(|one| driver.answer(*one).is_none()));
        driver.run(1_000);
        assert!(asked.iter().all(|one| is_done(&driver.got(*one))), "{pace:?}");
        assert_eq!((count(&mut driver, 1), driver.step()), (1, 1));
    }
}

#[test]
fn a_repeated_failed_action_gets_the_same_answer() {
    let mut driver = Driver::new(tempo(Pace::Reactive), &["anna"]);
    let failed = driver.act_once("anna", "fail", 1);
    let again = driver.act_once("anna", "work(1)", 1);
    assert!(has_failed(&driver.got(failed)));
    assert_eq!(driver.got(failed), driver.got(again));
    assert_eq!(driver.step(), 0);
}

#[test]
fn an_action_that_was_refused_can_be_asked_for_again_with_its_number() {
    for pace in [Pace::Reactive, Pace::Lockstep, Pace::Own] {
        let mut driver = Driver::new(tempo(pace), &["anna"]);
        let unknown = driver.act_once("anna", "dance", 1);
        assert!(driver.got(unknown).is_err());
        driver.manage(Command::Pause);
        let paused = driver.act_once("anna", "work(1)", 1);
        assert!(driver.got(paused).is_err());
        driver.manage(Command::Start);
        let done = driver.act_once("anna", "work(1)", 1);
        driver.settle();
        assert!(is_done(&driver.got(done)), "{pace:?}");
    }
}

#[test]
fn rejects_numbers_whose_answers_are_forgotten() {
    let mut driver = Driver::new(tempo(Pace::Own), &["anna"]);
    let last = ANSWERS_REMEMBERED as u64 + 1;
    for number in 1..=last {
        driver.act_once("anna", &format!("work({number})"), number);
    }
    let spent = driver.act_once("anna", "work(1)", 1);
    assert_eq!(driver.got(spent), Err(Error::NumberUsed { agent: "anna".into(), number: 1, last }));
    let remembered = driver.act_once("anna", "work(2)", 2);
    assert!(is_done(&driver.got(remembered)));
    assert_eq!((count(&mut driver, 1), count(&mut driver, 2)), (1, 1));
}

#[test]
fn numbers_belong_to_one_agent() {
    let mut driver = Driver::new(tempo(Pace::Own), &["anna", "bert"]);
    driver.act_once("anna", "work(1)", 9);
    let other = driver.act_once("bert", "work(2)", 1);
    assert!(is_done(&driver.got(other)));
    assert_eq!(count(&mut driver, 2), 1);
}

#[test]
fn a_reregistered_agent_starts_with_new_numbers() {
    let mut driver = Driver::new(tempo(Pace::Own), &["anna"]);
    driver.act_once("anna", "work(1)", 9);
    driver.unregister("anna");
    driver.take("anna", "worker0");
    let anew = driver.act_once("anna", "work(2)", 1);
    assert!(is_done(&driver.got(anew)));
    assert_eq!(count(&mut driver, 2), 1);
}

#[test]
fn a_reregistered_agent_with_a_pending_action_starts_with_new_numbers() {
    for pace in [Pace::Lockstep, Pace::Reactive] {
        let mut driver = Driver::new(at(pace, 10.0), &["anna"]);
        let void = driver.act_once("anna", "work(1)", 9);
        driver.unregister("anna");
        driver.take("anna", "worker0");
        let anew = driver.act_once("anna", "work(2)", 1);
        driver.run(1_000);
        assert!(!is_done(&driver.got(void)), "{pace:?}");
        assert!(is_done(&driver.got(anew)), "{pace:?}");
        assert_eq!((count(&mut driver, 1), count(&mut driver, 2)), (0, 1));
    }
}

#[test]
fn a_reregistered_agent_is_not_concerned_by_what_the_host_still_does_for_its_predecessor() {
    let (mut hosted, mut provider) = running();
    hosted.driver.act_once("anna", "work(1)", 5);
    let late = hosted.driver.owner.next_host_request().expect("called");
    hosted.driver.unregister("anna");
    hosted.driver.take("anna", "worker0");
    let first = hosted.driver.act_once("anna", "work(2)", 1);
    hosted.hear(provider.answer(late)).expect("a provider says nothing wrong");
    hosted.pump(&mut provider);
    let more = [2, 5].map(|number| hosted.driver.act_once("anna", &format!("work({number})"), number));
    hosted.pump(&mut provider);
    assert!([first, more[0], more[1]].iter().all(|asked| is_done(&hosted.driver.got(*asked))));
    let log = provider.episode().and_then(|episode| episode.query("log")).expect("a log").to_string();
    assert_eq!(log, "['worker0 work(1)','worker0 work(2)','worker0 work(2)','worker0 work(5)']");
}

#[test]
fn many_pending_numbered_actions_each_run_once() {
    let mut driver = Driver::new(at(Pace::Reactive, 1_000.0), &["anna"]);
    let last = ANSWERS_REMEMBERED as u64 + 1;
    for number in 1..=last {
        driver.act_once("anna", &format!("work({number})"), number);
    }
    for _ in 1..=last {
        driver.run(1);
        driver.act_once("anna", &format!("work({last})"), last);
    }
    driver.run(1_000);
    for number in 1..=last {
        assert_eq!(count(&mut driver, number), 1, "the action with number {number}");
    }
    for number in 2..=last {
        let again = driver.act_once("anna", "work(0)", number);
        assert!(is_done(&driver.got(again)), "number {number}: {:?}", driver.got(again));
    }
    let spent = driver.act_once("anna", "work(0)", 1);
    assert!(matches!(driver.got(spent), Err(Error::NumberUsed { .. })), "{:?}", driver.got(spent));
}

#[test]
fn an_action_never_runs_again_even_after_many_rejected_ones() {
    let mut driver = Driver::new(at(Pace::Reactive, 1_000.0), &["anna"]);
    driver.run(1);
    driver.act_once("anna", "work(1)", 1);
    for number in 2..=ANSWERS_REMEMBERED as u64 + 2 {
        driver.act_once("anna", &format!("work({number})"), number);
    }
    driver.reset();
    driver.manage(Command::Start);
    driver.run(1);
    let again = driver.act_once("anna", "work(1)", 1);
    driver.run(10);
    let spent = matches!(driver.got(again), Err(Error::NumberUsed { last: 1, .. }));
    assert!(spent || is_done(&driver.got(again)), "{:?}", driver.got(again));
    assert_eq!(count(&mut driver, 1), 0, "it was done in the last episode");
}
