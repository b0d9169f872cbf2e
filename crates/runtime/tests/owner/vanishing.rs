//! Agents and entities that disappear: no step waits for them, and their choices are not executed.

use std::time::Duration;

use situated::interface::{Command, Interface};
use situated::ontology::Pace;
use situated_runtime::{Input, Owner, Program, Reply, Rule, Team, Time};
use situated_toys::mill::Mill;

use crate::driver::{Driver, at, has_failed, is_done, real_time, tempo};

/// Two agents, the first of which has chosen.
fn chosen() -> (Driver, u32) {
    let mut driver = Driver::new(tempo(Pace::Lockstep), &["anna", "bert"]);
    let asked = driver.act("anna", "work(1)");
    (driver, asked)
}

#[test]
fn the_choice_of_an_agent_that_lost_its_entity_is_not_executed() {
    let ways: [(&str, Input); 4] = [
        ("unregister", Input::Unregister { agent: "anna".into() }),
        ("free pair", Input::FreePair { agent: "anna".into(), entity: "worker0".into() }),
        ("free entity", Input::FreeEntity { entity: "worker0".into() }),
        ("free agent", Input::FreeAgent { agent: "anna".into() }),
    ];
    for (way, input) in ways {
        let (mut driver, anna) = chosen();
        driver.input(input).expect(way);
        assert!(has_failed(&driver.got(anna)), "{way}");
        driver.act("bert", "work(2)");
        driver.settle();
        assert_eq!(driver.log(), ["worker1 work(2)", "step 1"], "{way}: nobody waits for it");
    }
}

#[test]
fn steps_do_not_wait_for_agents_that_leave() {
    let (mut driver, anna) = chosen();
    driver.unregister("bert");
    driver.settle();
    assert!(is_done(&driver.got(anna)));
    assert_eq!(driver.step(), 1);
}

#[test]
fn another_agent_that_takes_the_entity_can_choose() {
    let (mut driver, _) = chosen();
    driver.unregister("anna");
    driver.take("cleo", "worker0");
    driver.act("bert", "work(2)");
    driver.settle();
    assert_eq!(driver.step(), 0, "there is somebody else to wait for");
    let cleo = driver.act("cleo", "work(3)");
    driver.settle();
    assert!(is_done(&driver.got(cleo)));
    assert_eq!(driver.log(), ["worker0 work(3)", "worker1 work(2)", "step 1"]);
}

#[test]
fn of_two_agents_with_one_entity_the_other_one_can_choose() {
    let (mut driver, _) = chosen();
    driver.associate("bert", "worker0");
    driver.free("anna", "worker0");
    let bert = driver.act("bert", "work(2)");
    driver.settle();
    assert!(is_done(&driver.got(bert)));
    assert_eq!(driver.log(), ["worker0 work(2)", "worker1 work(2)", "step 1"]);
}

#[test]
fn steps_wait_for_new_agents() {
    let (mut driver, _) = chosen();
    driver.act("bert", "work(2)");
    driver.take("cleo", "guard0");
    driver.settle();
    assert_eq!(driver.step(), 0);
    driver.pass("cleo");
    driver.settle();
    assert_eq!(driver.step(), 1);
}

#[test]
fn an_entity_that_is_deleted_in_the_middle_of_a_step_does_not_act() {
    let mut driver = Driver::new(tempo(Pace::Lockstep), &["anna", "bert", "cleo"]);
    let bert = driver.act("bert", "work(2)");
    let cleo = driver.act("cleo", "watch");
    driver.act("anna", "removeYoungest");
    driver.settle();
    assert!(is_done(&driver.got(bert)) && has_failed(&driver.got(cleo)));
    assert_eq!(driver.log(), ["worker0 removeYoungest", "worker1 work(2)", "step 1"]);
    driver.act("anna", "vanish");
    driver.act("bert", "work(3)");
    driver.settle();
    driver.act("bert", "work(4)");
    driver.settle();
    assert_eq!(driver.step(), 3, "those that are gone are not waited for");
}

#[test]
fn an_entity_that_is_created_in_a_step_is_waited_for_when_it_has_an_agent() {
    let mut driver = Driver::new(tempo(Pace::Lockstep), &["anna"]);
    driver.act("anna", "bear");
    driver.settle();
    driver.associate("anna", "child1");
    driver.act_through("anna", "work(1)", &["worker0"]);
    driver.settle();
    assert_eq!(driver.step(), 1);
    driver.act_through("anna", "work(2)", &["child1"]);
    driver.settle();
    assert_eq!(driver.log()[2..], ["worker0 work(1)", "child1 work(2)", "step 2"]);
}

#[test]
fn steps_wait_for_requested_entities() {
    let mut driver = Driver::new(tempo(Pace::Lockstep), &["anna"]);
    let input = Input::RequestEntity { agent: "anna".into(), entity_type: "worker".into(), name: None };
    assert_eq!(driver.input(input), Ok(Reply::Entity("child1".into())));
    driver.act_through("anna", "work(1)", &["worker0"]);
    driver.settle();
    assert_eq!(driver.step(), 0);
}

#[test]
fn a_waiting_action_is_not_executed_by_a_later_agent_of_that_name() {
    let mut driver = Driver::new(at(Pace::Reactive, 10.0), &["anna"]);
    let asked = driver.act("anna", "work(1)");
    driver.unregister("anna");
    driver.take("anna", "worker0");
    driver.run(1_000);
    assert!(!is_done(&driver.got(asked)));
    assert_eq!(driver.log(), [""; 0]);
}

#[test]
fn missed_happenings_do_not_invalidate_choices() {
    let mut driver = Driver::new(tempo(Pace::Lockstep), &["few", "many"]);
    for _ in 0..2_200 {
        let (agent, entity_type) = ("many".into(), "worker".into());
        let born = driver.input(Input::RequestEntity { agent, entity_type, name: None });
        assert!(born.is_ok(), "{born:?}");
    }
    let chosen = driver.act("few", "work(1)");
    driver.unregister("many");
    assert_eq!(driver.answer(chosen), None);
    driver.settle();
    assert!(is_done(&driver.got(chosen)), "{:?}", driver.got(chosen));
}

/// This many milliseconds after the beginning.
fn after(milliseconds: u64) -> Time {
    Time { monotonic: Duration::from_millis(milliseconds), wall: milliseconds }
}

#[test]
fn a_team_that_never_gets_an_entity_blocks_no_other() {
    let owner = Owner::new(Box::new(Interface::<Mill>::new()), real_time(10.0));
    let mut owner: Owner<u32> = owner.with_team(Team::new(vec![Rule::all(Program::idle())]));
    let parameters = [("fleeting".to_owned(), true.into())].into();
    for command in [Command::Init { parameters, seed: 1 }, Command::Start] {
        owner.apply(0, Input::Manage(command), after(0));
        assert_eq!(owner.next_reply(), Some((0, Ok(Reply::Done))));
    }
    for time in (100..=1000).step_by(100) {
        owner.poll(after(time));
    }
    assert_eq!(owner.status().moment.step, 10);
}
