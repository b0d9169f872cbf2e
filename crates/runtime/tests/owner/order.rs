//! Lockstep: the order of actions, immediate rejections, and the times of answers.

use situated::interface::{ErrorKind, Form};
use situated::ontology::Pace;
use situated_runtime::{Error, Reply};

use crate::driver::{Driver, has_failed, is_done, kind, tempo};
use crate::request::Request;

fn lockstep(agents: &[&str]) -> Driver {
    Driver::new(tempo(Pace::Lockstep), agents)
}

#[test]
fn actions_run_in_the_order_of_entity_creation() {
    let mut driver = lockstep(&["anna", "bert", "cleo"]);
    driver.act("cleo", "watch");
    driver.act("bert", "work(2)");
    assert_eq!(driver.log(), [""; 0], "nothing is done before the step");
    driver.act("anna", "work(1)");
    driver.settle();
    assert_eq!(driver.log(), ["worker0 work(1)", "worker1 work(2)", "guard0 watch", "step 1"]);
}

#[test]
fn rejects_a_second_action_for_a_step_and_keeps_the_first() {
    let mut driver = lockstep(&["anna", "bert"]);
    driver.associate("bert", "worker0");
    let first = driver.act("anna", "work(1)");
    for agent in ["anna", "bert"] {
        let second = driver.act_through(agent, "work(2)", &["worker0"]);
        let chosen = Error::AlreadyChosen { entity: "worker0".into(), by: "anna".into(), step: 1 };
        assert_eq!(driver.got(second), Err(chosen));
    }
    let pass = driver.pass("anna");
    assert!(matches!(driver.got(pass), Err(Error::AlreadyChosen { .. })));
    driver.act_through("bert", "work(3)", &["worker1"]);
    driver.settle();
    assert!(is_done(&driver.got(first)));
    assert_eq!(driver.log(), ["worker0 work(1)", "worker1 work(3)", "step 1"]);
    driver.act("anna", "work(4)");
    let own = driver.act_through("bert", "work(5)", &["worker1"]);
    driver.settle();
    assert!(is_done(&driver.got(own)), "in the next step all can choose");
}

#[test]
fn an_action_rejected_for_one_entity_is_chosen_for_none() {
    let mut driver = lockstep(&["anna", "bert"]);
    driver.associate("bert", "worker0");
    driver.act("anna", "work(1)");
    let both = driver.act("bert", "work(2)");
    assert!(matches!(driver.got(both), Err(Error::AlreadyChosen { .. })));
    assert_eq!(driver.rest(), None, "nobody has chosen for the other one");
}

#[test]
fn invalid_actions_are_rejected_at_once_and_choose_nothing() {
    let mut driver = lockstep(&["anna", "bert"]);
    let wrong = [
        ("anna", "dance", &[][..], ErrorKind::NotSupportedByEnvironment),
        ("anna", "work(much)", &[], ErrorKind::NotSupportedByEnvironment),
        ("anna", "work(1)", &["worker1"], ErrorKind::WrongEntity),
        ("anna", "work(1)", &["nobody"], ErrorKind::WrongEntity),
        ("cleo", "work(1)", &[], ErrorKind::NotRegistered),
    ];
    for (agent, text, entities, expected) in wrong {
        let asked = driver.act_through(agent, text, entities);
        assert_eq!(kind(&driver.got(asked)), Some(expected), "{text}");
    }
    let wrong_type = driver.act("anna", "watch");
    assert!(has_failed(&driver.got(wrong_type)));
    driver.act("bert", "work(2)");
    driver.settle();
    assert_eq!(driver.step(), 0, "nothing was chosen for anna");
    let right = driver.act("anna", "work(1)");
    driver.settle();
    assert!(is_done(&driver.got(right)));
}

#[test]
fn an_action_that_fails_in_the_step_is_answered_after_it() {
    let mut driver = lockstep(&["anna"]);
    for text in ["fail", "fly"] {
        let asked = driver.act("anna", text);
        assert_eq!(driver.answer(asked), None);
        driver.settle();
        assert!(has_failed(&driver.got(asked)));
    }
    assert_eq!(driver.step(), 2);
}

#[test]
fn an_action_through_several_entities_waits_for_none_of_them() {
    let mut driver = lockstep(&["anna", "bert"]);
    driver.associate("anna", "guard0");
    let asked = driver.act("anna", "watch");
    driver.settle();
    assert_eq!((driver.answer(asked), driver.step()), (None, 0), "bert has not chosen");
    driver.pass("bert");
    driver.settle();
    assert_eq!(driver.step(), 1, "worker0 cannot watch, but anna has chosen for it");
    let Ok(Reply::Results(results)) = driver.got(asked) else { panic!("an action has results") };
    let verdicts: Vec<(&str, bool)> = results.iter().map(|(entity, one)| (entity.as_str(), one.is_ok())).collect();
    assert_eq!(verdicts, [("worker0", false), ("guard0", true)]);
}

#[test]
fn perceiving_after_the_answer_returns_the_state_after_the_step() {
    let mut driver = lockstep(&["anna"]);
    for step in 1..=3 {
        let asked = driver.act("anna", &format!("work({step})"));
        driver.settle();
        assert!(is_done(&driver.got(asked)));
        let received = driver.perceive("anna", Form::Snapshot).expect("anna has an entity");
        assert_eq!(received[0].1.moment.step, step);
        assert_eq!(received[0].1.add[0].to_string(), format!("step({step})"));
        assert_eq!(received[0].1.events[0].to_string(), format!("heard({step})"));
    }
}

#[test]
fn wait_is_answered_when_the_environment_is_later() {
    for pace in [Pace::Reactive, Pace::Lockstep] {
        let mut driver = Driver::new(tempo(pace), &["anna"]);
        let begin = driver.status().moment;
        let waits = driver.ask(Request::Wait { after: begin });
        driver.run(1_000);
        assert_eq!(driver.answer(waits), None);
        driver.act("anna", "work(1)");
        driver.settle();
        assert_eq!(driver.done_at(waits), (1, 1), "{pace:?}");
        let late = driver.ask(Request::Wait { after: begin });
        driver.settle();
        assert_eq!(driver.done_at(late), (1, 1), "it is further already");
    }
}
