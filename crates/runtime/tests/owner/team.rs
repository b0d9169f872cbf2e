//! Programs in an environment: when they start, when they decide, and how failures end.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use situated::agent::Agent;
use situated::iil::Action;
use situated::interface::{Command, Perception};
use situated::ontology::Pace;
use situated_runtime::{Failures, Input, Program, Rule, Team};

use crate::driver::{Driver, action, at, is_done, real_time, tempo};

/// Decides by a function of the number of earlier decisions.
struct Script(u32, fn(u32) -> Option<Action>);

impl Agent for Script {
    fn decide(&mut self, _: &Perception) -> Option<Action> {
        self.0 += 1;
        (self.1)(self.0)
    }
}

fn program(name: &str, decide: fn(u32) -> Option<Action>) -> Program {
    Program::new(name, move |_| Ok(Box::new(Script(0, decide))))
}

/// It works, first 1, then 2.
fn worker(name: &str) -> Program {
    program(name, |times| Some(action(&format!("work({times})"))))
}

fn for_entity(entity: &str, program: Program) -> Rule {
    Rule::new(Some(entity.into()), None, None, program)
}

/// A team with this program for all entities.
fn all(program: Program) -> Team {
    Team::new(vec![Rule::all(program)])
}

/// The entities with their programs.
fn members(driver: &Driver) -> Vec<(&str, &str)> {
    driver.owner.team().members().map(|(entity, program)| (entity.as_str(), program.as_str())).collect()
}

#[test]
fn the_first_rule_that_fits_and_has_room_counts() {
    let for_workers = |program, count| Rule::new(None, Some("worker".into()), count, program);
    let (one, rest) = (for_workers(worker("one"), Some(1)), for_workers(worker("rest"), None));
    let team = Team::new(vec![for_entity("guard0", worker("named")), one, rest]);
    let driver = Driver::with_team(real_time(1.0), team);
    assert_eq!(members(&driver), [("worker0", "one"), ("worker1", "rest"), ("guard0", "named")]);
}

#[test]
fn the_team_does_not_take_controlled_entities() {
    let mut driver = Driver::asleep(tempo(Pace::Lockstep), Some(Team::new(vec![for_entity("guard0", worker("one"))])));
    driver.init();
    driver.take("anna", "worker0");
    driver.manage(Command::Start);
    let anna = driver.act("anna", "work(9)");
    driver.settle();
    assert!(is_done(&driver.got(anna)));
    assert_eq!(driver.log(), ["worker0 work(9)", "guard0 work(1)", "step 1"]);
}

#[test]
fn in_real_time_each_decides_once_a_step() {
    let mut driver = Driver::with_team(real_time(10.0), all(worker("all")));
    driver.run(199);
    let first = ["worker0 work(1)", "worker1 work(1)", "guard0 work(1)", "step 1"];
    let second = ["worker0 work(2)", "worker1 work(2)", "guard0 work(2)"];
    assert_eq!(driver.log(), [&first[..], &second[..]].concat());
}

#[test]
fn in_a_reactive_environment_they_take_turns() {
    let mut driver = Driver::with_team(at(Pace::Reactive, 10.0), all(worker("all")));
    driver.run(400);
    let done: Vec<String> = driver.log().into_iter().filter(|entry| !entry.starts_with("step")).collect();
    assert_eq!(done, ["worker0 work(1)", "worker1 work(1)", "guard0 work(1)", "worker0 work(2)"]);
    assert_eq!(driver.step(), 4);
}

#[test]
fn in_a_reactive_environment_silent_or_failing_programs_stop_no_other() {
    let failing = program("failing", |_| Some(action("fail")));
    let silent = program("silent", |_| None);
    let rules = vec![for_entity("worker0", failing), for_entity("worker1", silent), Rule::all(worker("good"))];
    let mut driver = Driver::with_team(at(Pace::Reactive, 10.0), Team::new(rules));
    driver.run(1_000);
    assert_eq!(driver.step(), 10);
    let mut alone = Driver::with_team(tempo(Pace::Reactive), all(program("failing", |_| Some(action("fail")))));
    alone.run(1_000);
    assert_eq!((alone.step(), alone.rest()), (0, None), "it has tried often enough");
}

#[test]
fn in_lockstep_silent_or_failing_programs_block_no_other() {
    let failing = program("failing", |times| Some(action(if times % 2 == 0 { "fail" } else { "dance" })));
    let silent = program("silent", |_| None);
    let rules = vec![for_entity("worker0", failing), for_entity("worker1", silent), Rule::all(worker("good"))];
    let mut driver = Driver::with_team(at(Pace::Lockstep, 10.0), Team::new(rules));
    driver.run(1_000);
    assert_eq!(driver.step(), 10);
    let failures = driver.owner.team().failures().iter();
    let failures = failures.map(|(entity, Failures { count, .. })| (entity.as_str(), *count));
    // The eleventh decision, to dance, is refused at once.
    assert_eq!(failures.collect::<Vec<_>>(), [("worker0", 11)]);
}

#[test]
fn programs_restart_in_a_new_episode() {
    let mut driver = Driver::with_team(real_time(10.0), Team::new(vec![for_entity("worker0", worker("one"))]));
    driver.run(250);
    driver.reset();
    driver.manage(Command::Start);
    driver.run(50);
    assert_eq!(driver.log(), ["worker0 work(1)"]);
    assert_eq!(members(&driver), [("worker0", "one")]);
}

#[test]
fn programs_do_not_decide_while_the_environment_is_paused() {
    let asked = Arc::new(AtomicU32::new(0));
    let count = asked.clone();
    let counting = Program::new("counting", move |_| {
        struct Counting(Arc<AtomicU32>);
        impl Agent for Counting {
            fn decide(&mut self, _: &Perception) -> Option<Action> {
                self.0.fetch_add(1, Ordering::Relaxed);
                None
            }
        }
        Ok(Box::new(Counting(count.clone())))
    });
    let mut driver = Driver::asleep(real_time(10.0), Some(Team::new(vec![for_entity("worker0", counting)])));
    driver.init();
    driver.run(1_000);
    assert_eq!(asked.load(Ordering::Relaxed), 0);
    driver.manage(Command::Start);
    driver.run(150);
    assert_eq!(asked.load(Ordering::Relaxed), 2);
    driver.manage(Command::Pause);
    driver.run(1_000);
    assert_eq!((asked.load(Ordering::Relaxed), driver.rest()), (2, None));
}

#[test]
fn programs_stop_when_the_environment_is_killed() {
    let mut driver = Driver::with_team(real_time(10.0), all(worker("all")));
    driver.run(100);
    driver.manage(Command::Kill);
    assert_eq!((members(&driver).len(), driver.rest()), (0, None));
}

#[test]
fn programs_start_and_end_with_their_entities() {
    for pace in [Pace::Lockstep, Pace::RealTime { steps_per_second: 10.0 }] {
        let mother = program("mother", |times| match times {
            1 => Some(action("bear")),
            3 => Some(action("removeYoungest")),
            _ => None,
        });
        let team = Team::new(vec![for_entity("worker0", mother), for_entity("child1", worker("child"))]);
        let mut driver = Driver::with_team(at(pace, 10.0), team);
        driver.run(150);
        assert_eq!(members(&driver), [("worker0", "mother"), ("child1", "child")], "{pace:?}");
        driver.run(850);
        assert_eq!(members(&driver), [("worker0", "mother")], "{pace:?}");
        assert_eq!(driver.step(), 10, "{pace:?}: nobody waits for the child, before or after");
        assert!(driver.log().contains(&"child1 work(1)".into()), "{pace:?}");
        let agents = driver.owner.read(|interface| interface.agents()).expect("whole");
        assert_eq!(agents, ["mother-worker0"], "{pace:?}");
    }
}

#[test]
fn an_entity_created_by_another_agent_gets_its_program_at_once() {
    for pace in [Pace::Reactive, Pace::RealTime { steps_per_second: 1.0 }, Pace::Own] {
        let mut driver = Driver::asleep(at(pace, 1.0), Some(Team::new(vec![for_entity("child1", worker("child"))])));
        driver.init();
        driver.take("anna", "worker0");
        driver.manage(Command::Start);
        driver.oversleep(1_000);
        driver.act("anna", "bear");
        driver.advance();
        assert_eq!(members(&driver), [("child1", "child")], "{pace:?}");
    }
}

#[test]
fn a_program_that_panics_is_dismissed_and_the_environment_continues() {
    for pace in [Pace::Reactive, Pace::Lockstep, Pace::RealTime { steps_per_second: 10.0 }] {
        let broken = program("broken", |times| {
            assert!(times < 2, "it has lost its mind");
            Some(action("work(7)"))
        });
        let rules = vec![for_entity("worker0", broken), for_entity("worker1", worker("good"))];
        let mut driver = Driver::with_team(at(pace, 10.0), Team::new(rules));
        driver.run(1_000);
        assert_eq!((members(&driver), driver.step()), (vec![("worker1", "good")], 10), "{pace:?}");
        let trouble = &driver.owner.team().trouble()["worker0"];
        assert_eq!(trouble, "program `broken` of entity `worker0` has crashed: it has lost its mind");
        assert_eq!(driver.owner.read(|interface| interface.agents()).expect("whole"), ["good-worker1"]);
    }
}

#[test]
fn a_program_that_fails_to_start_affects_only_its_entity() {
    let panics = Program::new("panics", |_| panic!("no mind at all"));
    let refuses = Program::new("refuses", |post| Err(format!("not for {}", post.entity)));
    let rules = vec![for_entity("worker0", panics), for_entity("worker1", refuses), Rule::all(worker("good"))];
    let mut driver = Driver::with_team(at(Pace::Lockstep, 10.0), Team::new(rules));
    driver.run(200);
    assert_eq!((members(&driver), driver.step()), (vec![("guard0", "good")], 2));
    let trouble = driver.owner.team().trouble();
    assert!(trouble["worker0"].contains("no mind at all"));
    assert!(trouble["worker1"].contains("not for worker1"));
}

#[test]
fn in_a_new_episode_a_crashed_program_is_replaced() {
    let broken = program("broken", |times| {
        assert!(times < 2, "it has lost its mind");
        None
    });
    let mut driver = Driver::with_team(real_time(10.0), Team::new(vec![for_entity("worker0", broken)]));
    driver.run(500);
    assert_eq!(members(&driver), []);
    driver.reset();
    assert_eq!(members(&driver), [("worker0", "broken")]);
    assert!(driver.owner.team().trouble().is_empty());
}

#[test]
fn notes_contain_percepts_actions_and_failures_of_each_step() {
    let fails = program("fails", |times| Some(action(if times == 1 { "fail" } else { "rest" })));
    let team = Team::new(vec![for_entity("worker0", worker("good")), for_entity("worker1", fails)]).with_notes();
    let mut driver = Driver::with_team(at(Pace::Lockstep, 10.0), team);
    assert_eq!(driver.owner.team_mut().take_notes(), None);
    driver.run(100);
    let notes = driver.owner.team_mut().take_notes().expect("a step was made");
    let received: Vec<&str> = notes.percepts.keys().map(|entity| entity.as_str()).collect();
    assert_eq!(received, ["worker0", "worker1"]);
    assert_eq!(
        (notes.actions["worker0"].to_string(), notes.actions["worker1"].to_string()),
        ("work(1)".into(), "fail".into())
    );
    assert!(notes.errors["worker1"].contains("it is too heavy"));
    assert_eq!((notes.errors.len(), driver.owner.team_mut().take_notes()), (1, None));
    driver.run(100);
    let notes = driver.owner.team_mut().take_notes().expect("another step");
    assert_eq!(notes.percepts["worker1"].events[0].to_string(), "heard(1)");
    assert!(notes.errors.is_empty());
}

#[test]
fn an_agent_of_the_team_that_others_unregister_is_replaced() {
    let mut driver = Driver::with_team(at(Pace::Lockstep, 10.0), Team::new(vec![for_entity("worker0", worker("one"))]));
    driver.run(250);
    driver.input(Input::Unregister { agent: "one-worker0".into() }).expect("registered");
    driver.run(100);
    assert_eq!(members(&driver), [("worker0", "one")]);
    assert_eq!(driver.log()[4..], ["worker0 work(1)", "step 3"], "it begins anew");
}

#[test]
fn random_programs_do_the_same_in_the_same_episode() {
    for pace in [Pace::Reactive, Pace::Lockstep, Pace::RealTime { steps_per_second: 10.0 }] {
        let runs: [Vec<String>; 2] = std::array::from_fn(|_| {
            let mut driver = Driver::with_team(at(pace, 10.0), all(Program::random()));
            driver.run(500);
            if driver.status().crash.is_some() { Vec::new() } else { driver.log() }
        });
        assert_eq!(runs[0], runs[1], "{pace:?}");
    }
}

#[test]
fn in_a_reactive_environment_a_member_that_waits_for_its_turn_does_not_choose_again() {
    let mut driver =
        Driver::with_team(at(Pace::Reactive, 10.0), Team::new(vec![for_entity("worker0", worker("slow"))]));
    driver.take("anna", "worker1");
    for _ in 0..20 {
        driver.act("anna", "work(100)");
    }
    driver.run(10_000);
    let log = driver.log();
    let works =
        log.iter().filter_map(|line| line.strip_prefix("worker0 work(")?.strip_suffix(")")?.parse::<u64>().ok());
    // Each of its decisions has been carried out before the next one.
    assert_eq!(Some(works.clone().count() as u64), works.max(), "{log:?}");
}

#[test]
fn the_notes_of_a_member_are_about_its_last_attempt() {
    let tries = program("tries", |times| Some(action(if times == 1 { "fail" } else { "work(1)" })));
    let mut driver =
        Driver::with_team(tempo(Pace::Reactive), Team::new(vec![for_entity("worker0", tries)]).with_notes());
    let mut first = None;
    for _ in 0..10 {
        driver.advance();
        first = first.or_else(|| driver.owner.team_mut().take_notes());
    }
    let notes = first.expect("a step was made");
    assert_eq!(notes.actions["worker0"], action("work(1)"));
    assert!(notes.errors.is_empty(), "{notes:?}");
    assert!(notes.percepts["worker0"].resync, "{notes:?}");
}

#[test]
fn a_successor_does_not_execute_actions_of_a_dismissed_program() {
    let mut driver = Driver::with_team(at(Pace::Reactive, 1.0), Team::new(vec![for_entity("worker0", worker("one"))]));
    driver.take("anna", "worker1");
    driver.act("anna", "work(100)");
    driver.act("anna", "work(100)");
    driver.run(10);
    let freed = driver.input(Input::FreeEntity { entity: "worker0".into() });
    assert!(freed.is_ok(), "{freed:?}");
    driver.run(20_000);
    let firsts = driver.log().iter().filter(|line| *line == "worker0 work(1)").count();
    assert_eq!(firsts, 1, "{:?}", driver.log());
}

#[test]
fn a_member_that_fails_in_its_turn_tries_again_as_one_that_fails_at_once() {
    let tries = program("tries", |times| Some(action(if times <= 3 { "fail" } else { "work(1)" })));
    let mut driver = Driver::with_team(at(Pace::Reactive, 10.0), Team::new(vec![for_entity("worker0", tries)]));
    driver.take("anna", "worker1");
    driver.act("anna", "fail");
    driver.run(3_000);
    assert!(driver.step() > 10 && !driver.owner.is_idle(), "step {}", driver.step());
}

#[test]
fn actions_are_noted_with_their_results_in_their_step() {
    let fails = program("fails", |_| Some(action("fail")));
    let team = Team::new(vec![for_entity("worker0", fails)]).with_notes();
    let mut driver = Driver::with_team(at(Pace::Reactive, 10.0), team);
    driver.take("anna", "worker1");
    let mut failed = 0;
    for _ in 0..20 {
        driver.act("anna", "work(1)");
        driver.run(100);
        let notes = driver.owner.team_mut().take_notes().unwrap_or_default();
        assert_eq!(notes.actions.contains_key("worker0"), notes.errors.contains_key("worker0"), "{notes:?}");
        failed += notes.errors.len();
    }
    assert!(failed > 5, "{failed}");
}

#[test]
fn a_rule_with_a_limit_assigns_again_when_there_is_room() {
    let rule = Rule::new(None, Some("worker".into()), Some(1), Program::idle());
    let mut driver = Driver::with_team(real_time(10.0), Team::new(vec![rule]));
    driver.run(100);
    assert_eq!(members(&driver), [("worker0", "idle")]);
    driver.take("anna", "worker0");
    driver.act("anna", "vanish");
    driver.run(100);
    assert_eq!(members(&driver), [("worker1", "idle")]);
}
