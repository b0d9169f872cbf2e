//! The promises of an interface, one by one: the relation, events for everything that becomes free, a result for each
//! entity, the states, the limits, and errors that say who, what and why.

use std::collections::BTreeMap;

use situated::environment::{Announcement, Episode, News, Outcome};
use situated::iil::{Action, Parameter};
use situated::interface::{
    CHANGES_REMEMBERED, Command, EVENTS_REMEMBERED, EnvironmentInterface, Error, ErrorKind, Form,
    HAPPENINGS_REMEMBERED, Happening, Input, Interface, NAME_LENGTH, Observer, Perception, Since, State, Time, Version,
};
use situated::menu::Menu;
use situated_toys::yard::{Do, MonogamousYard, Perceive, Settings, Yard};

/// A running yard with two dogs and two cats, and these agents.
fn yard(agents: &[&str]) -> Box<dyn EnvironmentInterface> {
    let mut interface = Interface::<Yard>::new();
    interface.init(Settings::default(), 1).expect("a yard");
    interface.start().expect("paused");
    for agent in agents {
        interface.register(agent).expect("new");
    }
    Box::new(interface)
}

/// A running yard in which these agents share `dog0`.
fn with_dog(agents: &[&str]) -> Box<dyn EnvironmentInterface> {
    let mut interface = yard(agents);
    agents.iter().for_each(|agent| interface.associate_entity(agent, "dog0").expect("it can be shared"));
    interface
}

fn action(text: &str) -> Action {
    text.parse().expect("an action")
}

/// Acts through one entity.
fn act(interface: &mut dyn EnvironmentInterface, agent: &str, text: &str, entity: &str) {
    let results = interface.perform_action(agent, &action(text), &[entity]).expect("allowed");
    results.into_iter().for_each(|(_, result)| drop(result.expect("done")));
}

/// Perceives through one entity.
fn perceive(interface: &mut dyn EnvironmentInterface, agent: &str, entity: &str, form: Form) -> Perception {
    let all = interface.perceive(agent, &[entity], form, Since::LastCall).expect("allowed");
    all.into_iter().next().expect("one entity").1
}

fn texts<T: ToString>(items: &[T]) -> Vec<String> {
    items.iter().map(T::to_string).collect()
}

fn released(entity: &str, agent: &str) -> Happening {
    Happening::Released { entity: entity.into(), agent: agent.into() }
}

/// The happenings since the last call, but for states and registrations.
fn happenings(interface: &dyn EnvironmentInterface, observer: &mut Observer) -> Vec<Happening> {
    let mut all = interface.drain(observer).happenings;
    all.retain(|one| !matches!(one, Happening::State(_) | Happening::Registered { .. }));
    all
}

#[test]
fn everything_that_becomes_free_is_announced_with_all_its_agents() {
    type Free = fn(&mut dyn EnvironmentInterface) -> Result<(), Error>;
    let ways: [(&str, Free, &[&str]); 4] = [
        ("free entity", |interface| interface.free_entity("dog0"), &["anna", "bert"]),
        ("free agent", |interface| interface.free_agent("anna"), &["anna"]),
        ("free pair", |interface| interface.free_pair("anna", "dog0"), &["anna"]),
        ("unregister", |interface| interface.unregister_agent("anna"), &["anna"]),
    ];
    for (way, free, agents) in ways {
        let mut interface = yard(&["anna", "bert"]);
        for agent in agents {
            interface.associate_entity(agent, "dog0").expect("free");
        }
        let mut observer = Observer::new();
        interface.drain(&mut observer);
        free(&mut *interface).expect(way);
        let released = agents.iter().map(|agent| released("dog0", agent));
        let freed =
            Happening::Freed { entity: "dog0".into(), agents: agents.iter().map(|name| (*name).into()).collect() };
        let left = (way == "unregister").then(|| Happening::Unregistered { agent: "anna".into() });
        let expected: Vec<Happening> = released.chain([freed]).chain(left).collect();
        assert_eq!(happenings(&*interface, &mut observer), expected, "{way}");
        assert!(interface.free_entities().contains(&"dog0".into()), "{way}");
    }
}

#[test]
fn an_entity_that_others_hold_does_not_become_free() {
    let mut interface = with_dog(&["anna", "bert"]);
    let mut observer = Observer::new();
    interface.drain(&mut observer);
    interface.free_agent("anna").expect("registered");
    assert_eq!(happenings(&*interface, &mut observer), [released("dog0", "anna")]);
    assert_eq!(interface.associated_agents("dog0"), Ok(vec!["bert".into()]));
}

#[test]
fn a_deleted_entity_is_removed_from_all_its_agents() {
    let mut interface = yard(&["anna", "bert"]);
    interface.associate_entity("anna", "cat0").expect("free");
    interface.associate_entity("bert", "cat0").expect("shared");
    let mut observer = Observer::new();
    interface.drain(&mut observer);
    act(&mut *interface, "anna", "vanish", "cat0");
    let agents = vec!["anna".into(), "bert".into()];
    let deleted = Happening::Deleted { entity: "cat0".into(), agents };
    assert_eq!(happenings(&*interface, &mut observer), [deleted]);
    let error = interface.perform_action("bert", &action("look"), &[]).expect_err("gone");
    assert_eq!(error.to_string(), "agent `bert` has no entities; associate it with one first");
}

#[test]
fn there_is_a_result_for_each_entity_in_order_of_creation() {
    let mut interface = yard(&["anna"]);
    for entity in ["cat1", "dog1", "cat0", "dog0"] {
        interface.associate_entity("anna", entity).expect("free");
    }
    let results = interface.perform_action("anna", &action("fetch"), &[]).expect("allowed");
    let kinds: Vec<(&str, Option<ErrorKind>)> =
        results.iter().map(|(entity, result)| (entity.as_str(), result.as_ref().err().map(Error::kind))).collect();
    let by_type = Some(ErrorKind::NotSupportedByType);
    assert_eq!(kinds, [("dog0", None), ("dog1", None), ("cat0", by_type), ("cat1", by_type)]);
    let named = interface.perform_action("anna", &action("look"), &["cat1", "dog0", "cat1"]);
    let named: Vec<String> = named.expect("allowed").into_iter().map(|(entity, _)| entity.into()).collect();
    assert_eq!(named, ["cat1", "dog0"]);
}

#[test]
fn percepts_of_actions_are_returned() {
    let mut interface = with_dog(&["anna"]);
    act(&mut *interface, "anna", "toggle(3)", "dog0");
    let results = interface.perform_action("anna", &action("look"), &[]).expect("allowed");
    assert_eq!(texts(results[0].1.as_ref().expect("done")), ["thing(3)"]);
}

#[test]
fn errors_contain_the_caller_the_problem_and_advice() {
    let mut interface = yard(&["anna", "bert"]);
    interface.associate_entity("anna", "cat0").expect("free");
    let cases: [(&str, &str, &[&str], &str); 9] = [
        ("ana", "look", &[], "agent `ana` is not registered; register it first; did you mean `anna`?"),
        ("bert", "look", &[], "agent `bert` has no entities; associate it with one first"),
        ("anna", "look", &["dog0"], "agent `anna` is not associated with entity `dog0`; it has `cat0`"),
        ("anna", "look", &["cow0"], "there is no entity `cow0`"),
        ("anna", "lok", &[], "agent `anna`: there is no action `lok`; did you mean `look`?"),
        (
            "anna",
            "toggle(x)",
            &[],
            "agent `anna`: toggle expects (thing: integer 0..255), got toggle(x); \
             expected integer 0..255 for thing, got x",
        ),
        (
            "anna",
            "fetch",
            &["cat0"],
            "entity `cat0` of type `cat` cannot do fetch; it can do toggle(thing: integer 0..255), \
             count(number: integer 0..255), learn(fact: integer 0..255), \
             bark(serial: integer 0..), boast(serial: integer 0..), bear, vanish, devourYoungest, look, fail, fly, end",
        ),
        ("anna", "fly", &[], "entity `cat0` cannot do fly: it has no wings"),
        ("anna", "fail", &[], "fail of entity `cat0` failed: it is too high"),
    ];
    for (agent, text, entities, message) in cases {
        let error = match interface.perform_action(agent, &action(text), entities) {
            Err(error) => error,
            Ok(mut results) => results.remove(0).1.expect_err(text),
        };
        assert_eq!(error.to_string(), message);
    }
}

#[test]
fn two_agents_that_share_an_entity_each_see_every_change() {
    let mut interface = with_dog(&["anna", "bert"]);
    act(&mut *interface, "anna", "bark(7)", "dog0");
    for agent in ["anna", "bert"] {
        let first = perceive(&mut *interface, agent, "dog0", Form::Update);
        assert_eq!(texts(&first.events), ["heard(7)"], "{agent}");
    }
    act(&mut *interface, "anna", "toggle(1)", "dog0");
    perceive(&mut *interface, "anna", "dog0", Form::Update);
    act(&mut *interface, "anna", "toggle(2)", "dog0");
    act(&mut *interface, "anna", "toggle(1)", "dog0");
    let anna = perceive(&mut *interface, "anna", "dog0", Form::Update);
    assert_eq!((texts(&anna.add), texts(&anna.delete)), (vec!["thing(2)".into()], vec!["thing(1)".into()]));
    let bert = perceive(&mut *interface, "bert", "dog0", Form::Update);
    assert_eq!((texts(&bert.add), bert.delete), (vec!["thing(2)".into()], vec![]));
}

#[test]
fn the_telling_form_conforms_to_the_specification() {
    let mut interface = with_dog(&["anna"]);
    let mut tell = |actions: &[&str]| {
        for text in actions {
            act(&mut *interface, "anna", text, "dog0");
        }
        texts(&perceive(&mut *interface, "anna", "dog0", Form::Telling).into_telling())
    };
    assert_eq!(
        tell(&["learn(1)", "toggle(1)", "count(1)", "count(2)", "bark(1)"]),
        ["fact(1)", "step(0)", "thing(1)", "number(0,0)", "number(1,1)", "number(2,2)", "heard(1)"]
    );
    assert_eq!(tell(&[]), ["step(0)"]);
    assert_eq!(tell(&["toggle(2)", "toggle(1)"]), ["thing(2)", "step(0)", "not(thing(1))"]);
    assert_eq!(
        tell(&["count(4)", "bark(2)", "bark(2)"]),
        ["step(0)", "number(0,0)", "number(1,4)", "number(2,2)", "heard(2)", "heard(2)"]
    );
}

#[test]
fn a_lost_answer_loses_nothing() {
    let mut interface = with_dog(&["anna"]);
    act(&mut *interface, "anna", "toggle(1)", "dog0");
    let ask = |interface: &mut dyn EnvironmentInterface| {
        let all = interface.perceive("anna", &[], Form::Update, Since::Acknowledged);
        all.expect("allowed").remove(0).1
    };
    let lost = ask(&mut *interface);
    act(&mut *interface, "anna", "bark(1)", "dog0");
    let again = ask(&mut *interface);
    assert_eq!(again.add, lost.add);
    assert_eq!(texts(&again.events), ["heard(1)"]);
    interface.acknowledge("anna", "dog0", again.version).expect("it was sent");
    let after = ask(&mut *interface);
    assert!(after.is_empty() && !after.resync, "{after:?}");
}

#[test]
fn a_perception_is_relative_to_the_version_that_the_agent_says_it_has() {
    for since in [Since::LastCall, Since::Acknowledged] {
        let mut interface = with_dog(&["anna"]);
        let ask = |interface: &mut dyn EnvironmentInterface| {
            interface.perceive("anna", &[], Form::Update, since).expect("allowed").remove(0).1
        };
        let first = ask(&mut *interface);
        // Two answers are lost.
        for serial in 1..=2 {
            act(&mut *interface, "anna", &format!("bark({serial})"), "dog0");
            act(&mut *interface, "anna", &format!("toggle({serial})"), "dog0");
            ask(&mut *interface);
        }
        let lost = ask(&mut *interface).version;
        interface.know("anna", "dog0", first.version).expect("hers");
        let next = ask(&mut *interface);
        assert_eq!((next.since, next.version, next.resync), (first.version, lost, false));
        assert_eq!(texts(&next.add), ["thing(1)", "thing(2)"]);
        assert_eq!(texts(&next.events), ["heard(1)", "heard(2)"]);
        // An agent that says that it has less can still acknowledge what it has received.
        interface.know("anna", "dog0", first.version).expect("hers");
        interface.acknowledge("anna", "dog0", next.version).expect("it was sent");
        assert!(ask(&mut *interface).is_empty());
    }
}

#[test]
fn an_agent_that_says_it_has_a_version_it_never_got_gets_everything() {
    let mut interface = with_dog(&["anna", "bert"]);
    for serial in 1..=2 {
        act(&mut *interface, "anna", &format!("bark({serial})"), "dog0");
    }
    let Version { changes, events } = ask(&mut *interface, "anna", "dog0").version;
    for (version, since, heard) in [
        ((changes + 1, events), events, &[][..]),
        ((changes, events + 7), events, &[]),
        ((0, events - 1), events - 1, &["heard(2)"]),
        ((0, u64::MAX), events, &[]),
    ] {
        interface.know("anna", "dog0", version.into()).expect("hers");
        let told = ask(&mut *interface, "anna", "dog0");
        assert_eq!((told.resync, told.since.events), (version.0 != changes, since), "{version:?}");
        assert_eq!(texts(&told.events), heard, "{version:?}");
    }
    interface.know("anna", "dog1", Version::default()).expect_err("it is no entity of hers");
}

#[test]
fn an_agent_gets_no_events_from_before_it_took_the_entity() {
    let mut interface = with_dog(&["anna", "bert"]);
    let old = ask(&mut *interface, "bert", "dog0").version;
    interface.free_pair("bert", "dog0").expect("his");
    act(&mut *interface, "anna", "bark(1)", "dog0");
    interface.associate_entity("bert", "dog0").expect("anna shares it");
    act(&mut *interface, "anna", "bark(2)", "dog0");
    ask(&mut *interface, "bert", "dog0");
    for version in [old, Version::default()] {
        interface.know("bert", "dog0", version).expect("his");
        let told = ask(&mut *interface, "bert", "dog0");
        assert!(told.resync);
        assert_eq!((texts(&told.events), told.lost), (vec!["heard(2)".to_owned()], 0));
    }
}

#[test]
fn an_agent_too_far_behind_gets_all_percepts_again() {
    let mut interface = with_dog(&["anna", "bert"]);
    perceive(&mut *interface, "bert", "dog0", Form::Update);
    // Only perceived percepts are listed, so another agent has to perceive after every change.
    for _ in 0..CHANGES_REMEMBERED - 2 {
        act(&mut *interface, "anna", "toggle(1)", "dog0");
        perceive(&mut *interface, "anna", "dog0", Form::Update);
    }
    act(&mut *interface, "anna", "toggle(2)", "dog0");
    let in_reach = perceive(&mut *interface, "bert", "dog0", Form::Update);
    assert!(!in_reach.resync);
    assert_eq!(texts(&in_reach.add), ["thing(2)"]);
    for _ in 0..=CHANGES_REMEMBERED {
        act(&mut *interface, "anna", "toggle(1)", "dog0");
        perceive(&mut *interface, "anna", "dog0", Form::Update);
    }
    let too_far = perceive(&mut *interface, "bert", "dog0", Form::Update);
    assert!(too_far.resync);
    assert_eq!(texts(&too_far.add), ["step(0)", "thing(1)", "thing(2)"]);
}

#[test]
fn events_that_an_agent_did_not_get_in_the_last_episode_are_counted_as_lost() {
    for since in [Since::LastCall, Since::Acknowledged] {
        let mut interface = yard(&["anna", "bob"]);
        for agent in ["anna", "bob"] {
            interface.associate_entity(agent, "dog0").expect("there is room");
        }
        act(&mut *interface, "anna", "bark(1)", "dog0");
        act(&mut *interface, "anna", "bark(2)", "dog0");
        let received = interface.perceive("anna", &["dog0"], Form::Update, since).expect("allowed").remove(0).1;
        assert_eq!(received.events.len(), 2);
        act(&mut *interface, "anna", "bark(3)", "dog0");
        interface.manage(Command::Reset { parameters: None, seed: None }).expect("running");
        interface.manage(Command::Start).expect("paused");
        act(&mut *interface, "anna", "bark(4)", "dog0");
        let mut perceive =
            |agent| interface.perceive(agent, &["dog0"], Form::Update, since).expect("allowed").remove(0).1;
        let (of_anna, of_bob) = (perceive("anna"), perceive("bob"));
        assert_eq!((texts(&of_anna.events), texts(&of_bob.events)), (vec!["heard(4)".into()], vec!["heard(4)".into()]));
        // The next call acknowledges a response, unless acknowledging is a separate call.
        assert_eq!(of_anna.lost, if since == Since::LastCall { 1 } else { 3 });
        assert_eq!(of_bob.lost, 3);
        assert!(of_anna.version > received.version && of_anna.version.events > received.version.events);
        assert_eq!(perceive("anna").lost, if since == Since::LastCall { 0 } else { 3 });
    }
}

#[test]
fn events_beyond_the_bound_are_counted_as_lost() {
    let mut interface = with_dog(&["anna"]);
    for serial in 0..EVENTS_REMEMBERED + 10 {
        act(&mut *interface, "anna", &format!("bark({serial})"), "dog0");
    }
    let perception = perceive(&mut *interface, "anna", "dog0", Form::Update);
    assert_eq!((perception.lost, perception.events.len()), (10, EVENTS_REMEMBERED));
    assert_eq!(perception.events[0].to_string(), "heard(10)");
    assert_eq!(perceive(&mut *interface, "anna", "dog0", Form::Update).lost, 0);
}

#[test]
fn a_late_observer_gets_the_current_state() {
    let mut interface = yard(&["anna"]);
    interface.associate_entity("anna", "cat1").expect("free");
    let new =
        |entity: &str, entity_type: &str| Happening::New { entity: entity.into(), entity_type: entity_type.into() };
    let present = [
        Happening::State(State::Running),
        Happening::Episode { number: 1, seed: Some(1) },
        Happening::Registered { agent: "anna".into() },
        new("dog0", "dog"),
        new("dog1", "dog"),
        new("cat0", "cat"),
        new("cat1", "cat"),
        Happening::Taken { entity: "cat1".into(), agent: "anna".into() },
    ];
    let mut observer = Observer::new();
    assert_eq!(interface.drain(&mut observer).happenings, present);
    assert_eq!(interface.drain(&mut observer).happenings, []);
    for _ in 0..HAPPENINGS_REMEMBERED {
        interface.manage(Command::Pause).expect("running");
        interface.manage(Command::Start).expect("paused");
    }
    let drained = interface.drain(&mut observer);
    assert_eq!(drained.missed, 2 * HAPPENINGS_REMEMBERED as u64);
    assert_eq!(drained.happenings, present);
}

#[test]
fn only_these_commands_are_possible_in_these_states() {
    use State::{Initializing, Killed, Paused, Running};
    let commands = [
        Command::Init { parameters: BTreeMap::new(), seed: 1 },
        Command::Start,
        Command::Pause,
        Command::Reset { parameters: None, seed: None },
        Command::Kill,
    ];
    let table = [
        (Initializing, [Some(Paused), None, None, None, Some(Killed)]),
        (Paused, [None, Some(Running), None, Some(Paused), Some(Killed)]),
        (Running, [None, None, Some(Paused), Some(Paused), Some(Killed)]),
        (Killed, [None, None, None, None, None]),
    ];
    for (state, results) in table {
        for (command, result) in commands.iter().zip(results) {
            let mut interface = Interface::<Yard>::new();
            let path = match state {
                Initializing => &commands[..0],
                Paused => &commands[..1],
                Running => &commands[..2],
                Killed => &commands[4..],
            };
            path.iter().for_each(|one| interface.manage(one.clone()).expect("possible"));
            assert_eq!(interface.state(), state);
            let outcome = interface.manage(command.clone());
            assert_eq!(outcome.is_ok(), result.is_some(), "{command} while {state}");
            assert_eq!(interface.state(), result.unwrap_or(state));
            if let Err(error) = outcome {
                let text = error.to_string();
                assert!(
                    text.starts_with(&format!("{command} is not possible while the environment is {state}")),
                    "{text}"
                );
            }
        }
    }
}

#[test]
fn acting_needs_running_and_perceiving_does_not() {
    let mut interface = with_dog(&["anna"]);
    interface.manage(Command::Pause).expect("running");
    let error = interface.perform_action("anna", &action("look"), &[]).expect_err("paused");
    assert_eq!(error.to_string(), "acting is not possible while the environment is paused; start it first");
    assert_eq!(error.kind(), ErrorKind::WrongState);
    assert!(perceive(&mut *interface, "anna", "dog0", Form::Snapshot).resync);
    interface.manage(Command::Kill).expect("paused");
    let error = interface.perceive("anna", &[], Form::Update, Since::LastCall).expect_err("killed");
    assert_eq!(error.kind(), ErrorKind::WrongState);
}

#[test]
fn announcements_reach_observers_and_no_agent() {
    let mut interface = yard(&["anna"]);
    interface.associate_entity("anna", "cat0").expect("free");
    let (mut observer, mut late) = (Observer::new(), Observer::new());
    interface.drain(&mut observer);
    perceive(&mut *interface, "anna", "cat0", Form::Update);
    act(&mut *interface, "anna", "boast(1)", "cat0");
    act(&mut *interface, "anna", "boast(2)", "cat0");
    let announcement = |text: &str| Happening::Announcement(Announcement { name: "boast".into(), text: text.into() });
    let expected = [announcement("this is boast 1"), announcement("this is boast 2")];
    assert_eq!(interface.drain(&mut observer).happenings, expected);
    assert_eq!(interface.drain(&mut observer).happenings, []);
    let received = perceive(&mut *interface, "anna", "cat0", Form::Update);
    assert!(received.add.is_empty() && received.events.is_empty(), "{received:?}");
    // A late observer receives the current state.
    assert!(!interface.drain(&mut late).happenings.iter().any(|one| matches!(one, Happening::Announcement(_))));
}

#[test]
fn kill_removes_the_entities_and_notifies_observers() {
    let mut interface = yard(&["anna"]);
    interface.associate_entity("anna", "cat0").expect("free");
    let mut observer = Observer::new();
    interface.drain(&mut observer);
    let outcome = interface.outcome().expect("there is an episode");
    interface.manage(Command::Kill).expect("running");
    let deleted = |entity: &str, agents: &[&str]| Happening::Deleted {
        entity: entity.into(),
        agents: agents.iter().map(|name| (*name).into()).collect(),
    };
    let expected = [
        Happening::Outcome(outcome),
        deleted("dog0", &[]),
        deleted("dog1", &[]),
        deleted("cat0", &["anna"]),
        deleted("cat1", &[]),
        Happening::State(State::Killed),
    ];
    assert_eq!(interface.drain(&mut observer).happenings, expected);
    assert_eq!((interface.entities().len(), interface.agents().len()), (0, 1));
}

#[test]
fn reset_keeps_the_relation_of_entities_that_exist_again() {
    let mut interface = yard(&["anna"]);
    for entity in ["dog1", "cat1"] {
        interface.associate_entity("anna", entity).expect("free");
    }
    act(&mut *interface, "anna", "toggle(1)", "dog1");
    perceive(&mut *interface, "anna", "dog1", Form::Update);
    let mut observer = Observer::new();
    interface.drain(&mut observer);
    let parameters = BTreeMap::from([("cats".to_owned(), Some(1.into())), ("dogs".to_owned(), Some(3.into()))]);
    let reset = Command::Reset { parameters: Some(parameters), seed: Some(9) };
    interface.manage(reset).expect("running");
    let expected = [
        Happening::State(State::Initializing),
        Happening::Episode { number: 2, seed: Some(9) },
        Happening::Deleted { entity: "cat1".into(), agents: vec!["anna".into()] },
        Happening::New { entity: "dog2".into(), entity_type: "dog".into() },
        Happening::State(State::Paused),
    ];
    let mut heard = interface.drain(&mut observer).happenings;
    assert!(matches!(heard.remove(0), Happening::Outcome(_)), "the old episode is truncated");
    assert_eq!(heard, expected);
    assert_eq!(interface.associated_entities("anna"), Ok(vec!["dog1".into()]));
    let afresh = perceive(&mut *interface, "anna", "dog1", Form::Update);
    assert!(afresh.resync);
    assert_eq!((texts(&afresh.add), afresh.moment.episode), (vec!["step(0)".to_owned()], 2));
}

#[test]
fn a_completed_reset_keeps_the_parameters_that_are_not_given() {
    let reset = |given: &[(&str, Option<Parameter>)]| {
        let given = given.iter().map(|(name, value)| ((*name).to_owned(), value.clone()));
        Command::Reset { parameters: Some(given.collect()), seed: Some(2) }
    };
    let mut interface = yard(&[]);
    assert_eq!(interface.manage(reset(&[("dogs", Some(3.into())), ("cats", Some(0.into()))])), Ok(()));
    let whole = |dogs: i64| {
        let kept = interface.parameters().expect("it has begun").into_iter().map(|(name, value)| (name, Some(value)));
        let whole = kept.chain([("dogs".to_owned(), Some(dogs.into()))]).collect();
        Command::Reset { parameters: Some(whole), seed: Some(2) }
    };
    assert_eq!(interface.completed(reset(&[("dogs", Some(5.into()))])), whole(5));
    assert_eq!(interface.completed(reset(&[("dogs", None)])), whole(2));
    assert_eq!(interface.completed(reset(&[])), whole(3));
    let last = Command::Reset { parameters: None, seed: None };
    assert_eq!(interface.completed(last.clone()), last);
    for (name, value) in [("dosg", Some(5.into())), ("dosg", None)] {
        let completed = interface.completed(reset(&[(name, value)]));
        let error = interface.manage(completed).expect_err("there is no such parameter");
        assert_eq!(error.to_string(), "there is no parameter `dosg`; did you mean `dogs`?");
    }
    assert_eq!(interface.manage(reset(&[("dogs", Some(1.into()))])), Ok(()));
    let cats = interface.entities().iter().filter(|name| name.starts_with("cat")).count();
    assert_ne!(cats, 0, "the others have their defaults if the command is not completed");
}

#[test]
fn an_episode_that_cannot_begin_leaves_the_old_one_as_it_was() {
    let mut interface = with_dog(&["anna"]);
    let (hash, mut observer) = (interface.hash(), Observer::new());
    interface.drain(&mut observer);
    for (dogs, message) in [
        (Parameter::from(101), "the environment cannot be initialized: too many dogs for this yard"),
        (Parameter::from("many"), "the parameter `dogs` expects integer 0..255, got many"),
    ] {
        let parameters = Some(BTreeMap::from([("dogs".to_owned(), Some(dogs))]));
        let error = interface.manage(Command::Reset { parameters, seed: None }).expect_err(message);
        assert_eq!((error.to_string().as_str(), error.kind()), (message, ErrorKind::Management));
    }
    assert_eq!((interface.hash(), interface.state()), (hash, State::Running));
    assert_eq!(interface.drain(&mut observer).happenings, []);
    assert_eq!(interface.associated_agents("dog0"), Ok(vec!["anna".into()]));
}

#[test]
fn the_seed_of_the_next_episode_follows_from_the_last() {
    let seeds = |first: u64| {
        let mut interface = Interface::<Yard>::new();
        interface.init(Settings::default(), first).expect("a yard");
        let mut next = || {
            interface.reset(None, None).expect("paused");
            interface.episode().expect("there is one").context().seed()
        };
        [next(), next()]
    };
    assert_eq!(seeds(1), seeds(1));
    assert_ne!(seeds(1), seeds(2));
    assert_ne!(seeds(1)[0], seeds(1)[1]);
}

#[test]
fn the_environment_can_restrict_the_relation() {
    let mut interface = Interface::<MonogamousYard>::new();
    interface.init(Settings::default(), 1).expect("a yard");
    let mut interface: Box<dyn EnvironmentInterface> = Box::new(interface);
    for agent in ["anna", "bert"] {
        interface.register_agent(agent).expect("new");
    }
    interface.associate_entity("anna", "dog0").expect("both single");
    interface.associate_entity("anna", "dog0").expect("again: nothing happens");
    let cases = [
        (
            "bert",
            "dog0",
            "agent `bert` cannot take entity `dog0`: an entity has at most one agent, and this one has `anna`",
        ),
        (
            "anna",
            "dog1",
            "agent `anna` cannot take entity `dog1`: an agent has at most one entity, and this one has `dog0`",
        ),
    ];
    for (agent, entity, message) in cases {
        let error = interface.associate_entity(agent, entity).expect_err(message);
        assert_eq!((error.to_string().as_str(), error.kind()), (message, ErrorKind::Relation));
    }
    let count = interface.entities().len();
    let error = interface.request_entity("anna", "dog", None).expect_err("has one");
    assert_eq!(error.kind(), ErrorKind::Relation);
    assert_eq!(interface.entities().len(), count);
}

#[test]
fn a_requested_entity_is_deleted_when_its_agent_leaves() {
    let mut interface = yard(&["anna"]);
    let guest = interface.request_entity("anna", "cat", Some("tom")).expect("there is room");
    assert_eq!((guest.as_deref(), interface.entity_type("tom")), (Some("tom"), Ok("cat")));
    let error = interface.request_entity("anna", "cat", Some("tom")).expect_err("taken");
    assert_eq!(error.to_string(), "agent `anna` gets no `cat`: an entity `tom` already exists");
    let error = interface.request_entity("anna", "dogs", None).expect_err("no such type");
    assert_eq!(error.to_string(), "there is no entity type `dogs`; did you mean `dog`?");
    interface.unregister_agent("anna").expect("registered");
    assert!(!interface.entities().contains(&"tom".into()));
}

#[test]
fn notifies_the_environment_about_its_entities() {
    let mut interface = Interface::<Yard>::new();
    interface.init(Settings::default(), 1).expect("a yard");
    let (anna, bert) = (interface.register("anna").unwrap(), interface.register("bert").unwrap());
    let dog = interface.find_entity("dog1").expect("exists");
    interface.associate(anna, dog).unwrap();
    interface.associate(bert, dog).unwrap();
    interface.free_pair(anna, dog).unwrap();
    interface.reset(None, None).unwrap();
    interface.free_agent(bert).unwrap();
    let news = &interface.episode().expect("there is one").environment().news;
    assert_eq!(*news, [News::Taken(dog), News::Freed(dog)]);
}

#[test]
fn observers_get_the_end_of_an_episode_once() {
    let mut interface = with_dog(&["anna"]);
    let mut observer = Observer::new();
    interface.drain(&mut observer);
    act(&mut *interface, "anna", "end", "dog0");
    act(&mut *interface, "anna", "look", "dog0");
    let outcomes: Vec<Outcome> = happenings(&*interface, &mut observer)
        .into_iter()
        .filter_map(|one| if let Happening::Outcome(outcome) = one { Some(outcome) } else { None })
        .collect();
    assert_eq!(outcomes, [interface.outcome().expect("there is an episode")]);
    assert_eq!(outcomes[0].results[0].value, Parameter::from(4));
}

#[test]
fn menus_are_for_the_agents_of_an_entity() {
    let mut interface = yard(&["anna", "bert"]);
    interface.associate_entity("anna", "dog0").expect("free");
    let labels = |menu: Menu| -> Vec<String> {
        menu.items.iter().map(|item| format!("{}: {} {}", item.sections[0], item.label, item.action)).collect()
    };
    let alone = interface.menu("anna", "dog0", Some((7.0, 0.0)).into()).expect("it is anna's");
    assert_eq!(alone.subject, "here");
    assert_eq!(labels(alone), ["Commands: go count(7)"]);
    assert_eq!(interface.menu("anna", "dog0", None.into()), Ok(Menu::default()));
    assert!(matches!(interface.menu("bert", "dog0", None.into()), Err(Error::NoEntities { .. })));
    interface.associate_entity("bert", "dog0").expect("any number of agents");
    let together = interface.menu("bert", "dog0", Some((7.0, 0.0)).into()).expect("it is bert's too");
    assert_eq!(labels(together), ["Commands: call bark(1)", "Commands: go count(7)"]);
    assert!(interface.menu("bert", "dog1", None.into()).is_err());
    assert!(interface.menu("bert", "cow0", None.into()).is_err());
    assert!(interface.menu("carl", "dog0", None.into()).is_err());
    interface.manage(Command::Kill).expect("it lives");
    assert!(interface.menu("anna", "dog0", None.into()).is_err());
}

#[test]
fn properties_can_be_queried() {
    let interface = yard(&[]);
    assert_eq!(interface.query_property("animals"), Ok(Some(4.into())));
    assert_eq!(interface.query_property("name"), Ok(Some("yard".into())));
    assert!(interface.query_property("requiredVersion").is_ok_and(|version| version.is_some()));
    assert_eq!(interface.query_entity_property("dog0", "things"), Ok(Some(0.into())));
    assert_eq!(interface.query_entity_property("dog0", "type"), Ok(Some("dog".into())));
    assert!(interface.query_entity_property("cow0", "things").is_err());
    let new = &mut Interface::<Yard>::new();
    assert_eq!(new.by_name().query_property("animals"), Ok(None), "there is no episode yet");
}

#[test]
fn a_property_that_is_not_declared_is_an_error_that_lists_the_properties() {
    let interface = yard(&[]);
    for (entity, property, message) in [
        (
            None,
            "animal",
            "environment `yard` has no property `animal`; it has `animals`, `name`, `version`, `requiredVersion`; \
             did you mean `animals`?",
        ),
        (
            None,
            "things",
            "environment `yard` has no property `things`; it has `animals`, `name`, `version`, `requiredVersion`",
        ),
        (Some("dog0"), "weather", "entity `dog0` has no property `weather`; it has `things`, `type`"),
        (
            Some("dog0"),
            "thing",
            "entity `dog0` has no property `thing`; it has `things`, `type`; did you mean `things`?",
        ),
    ] {
        let error = interface.query(entity, property).expect_err(message);
        assert_eq!((error.to_string().as_str(), error.kind()), (message, ErrorKind::NoSuchProperty));
    }
}

#[test]
fn responses_contain_the_moment_of_their_state() {
    let mut interface = with_dog(&["anna"]);
    let at = |wall| Time { wall, ..Time::default() };
    interface.apply(&Input::Step, at(1_000)).expect("running");
    interface.apply(&Input::Register { agent: "bert".into() }, at(2_000)).expect("new");
    let moment = perceive(&mut *interface, "anna", "dog0", Form::Update).moment;
    assert_eq!((moment.episode, moment.step, moment.time), (1, 1, 1_000));
}

#[test]
fn same_inputs_give_same_hashes_and_saved_episodes_continue_identically() {
    let run = |seed: u64| {
        let mut episode = Episode::<Yard>::init(&Settings::default(), seed).expect("a yard");
        let dog = episode.context().find_entity("dog0").expect("exists");
        let mut hashes = vec![episode.hash()];
        for number in 0..20u8 {
            let action = if number % 4 == 0 { Do::Bear } else { Do::Toggle { thing: number } };
            episode.act(dog, &action).expect("possible");
            episode.step();
            if number == 10 {
                episode = Episode::load(&episode.save()).expect("its own state");
            }
            hashes.push(episode.hash());
        }
        (hashes, episode.percepts(dog).len())
    };
    assert_eq!(run(5), run(5));
    assert_ne!(run(5).0, run(6).0);
    assert!(Episode::<Yard>::load(&[1, 2, 3]).is_err());
}

#[test]
fn an_event_sent_twice_arrives_twice() {
    let mut interface = Interface::<Yard>::new();
    interface.init(Settings::default(), 1).expect("a yard");
    interface.start().expect("paused");
    let agent = interface.register("anna").expect("new");
    let dog = interface.find_entity("dog0").expect("exists");
    interface.associate(agent, dog).expect("free");
    for _ in 0..2 {
        interface.act(agent, dog, &Do::Bark { serial: 4 }).expect("possible");
    }
    let received = interface.perceive(agent, dog, Form::Snapshot, Since::LastCall).expect("paused");
    assert_eq!(received.events, [Perceive::Heard { serial: 4 }, Perceive::Heard { serial: 4 }]);
}

#[test]
fn a_percept_with_nan_is_new_only_once() {
    let mut interface = with_dog(&["anna"]);
    act(&mut *interface, "anna", "learn(99)", "dog0");
    let first = perceive(&mut *interface, "anna", "dog0", Form::Update);
    assert!(texts(&first.add).contains(&"warmth(1.5NaN)".to_owned()), "{first:?}");
    act(&mut *interface, "anna", "look", "dog0");
    assert!(perceive(&mut *interface, "anna", "dog0", Form::Update).is_empty());
}

/// Perceives without acknowledging.
fn ask(interface: &mut dyn EnvironmentInterface, agent: &str, entity: &str) -> Perception {
    let all = interface.perceive(agent, &[entity], Form::Update, Since::Acknowledged);
    all.expect("allowed").remove(0).1
}

#[test]
fn versions_of_an_earlier_association_cannot_be_acknowledged() {
    type Renew = fn(&mut dyn EnvironmentInterface);
    let ways: [(&str, Renew); 3] = [
        ("reset", |interface| {
            interface.manage(Command::Reset { parameters: None, seed: None }).expect("running");
            interface.manage(Command::Start).expect("paused");
        }),
        ("made anew", |interface| {
            act(interface, "anna", "vanish", "tom");
            interface.request_entity("anna", "cat", Some("tom")).expect("there is room");
        }),
        ("taken anew", |interface| {
            interface.free_pair("anna", "tom").expect("associated");
            interface.associate_entity("anna", "tom").expect("free");
        }),
    ];
    for (way, renew) in ways {
        let mut interface = yard(&["anna"]);
        let entity = if way == "reset" { "dog0" } else { "tom" };
        if way == "reset" {
            interface.associate_entity("anna", entity).expect("free");
        } else {
            interface.request_entity("anna", "cat", Some(entity)).expect("there is room");
        }
        act(&mut *interface, "anna", "bark(1)", entity);
        let old = ask(&mut *interface, "anna", entity).version;
        renew(&mut *interface);
        act(&mut *interface, "anna", "toggle(5)", entity);
        act(&mut *interface, "anna", "bark(2)", entity);
        let lost = ask(&mut *interface, "anna", entity);
        let error = interface.acknowledge("anna", entity, old).expect_err(way);
        assert_eq!(error.kind(), ErrorKind::UnknownVersion);
        let again = ask(&mut *interface, "anna", entity);
        assert_eq!((&again.add, &again.events), (&lost.add, &lost.events), "{way}");
        assert!(again.resync && texts(&again.add).contains(&"thing(5)".to_owned()), "{way}");
        assert_eq!(texts(&again.events), ["heard(2)"], "{way}");
    }
}

/// The shortest time between two associations: the last version of the old one is perceived, and the new one at once.
#[test]
fn versions_of_two_associations_never_overlap() {
    let mut interface = with_dog(&["anna"]);
    let mut last = 0;
    for _ in 0..20 {
        act(&mut *interface, "anna", "toggle(1)", "dog0");
        let first = ask(&mut *interface, "anna", "dog0").version.changes;
        assert!(first > last);
        interface.free_pair("anna", "dog0").expect("associated");
        interface.associate_entity("anna", "dog0").expect("free");
        last = ask(&mut *interface, "anna", "dog0").version.changes;
        assert!(last > first);
        interface.manage(Command::Reset { parameters: None, seed: None }).expect("running");
        let anew = ask(&mut *interface, "anna", "dog0").version.changes;
        assert!(anew > last);
        interface.manage(Command::Start).expect("paused");
        last = anew;
    }
}

#[test]
fn an_update_contains_the_version_that_it_is_relative_to() {
    let mut interface = with_dog(&["anna"]);
    let first = ask(&mut *interface, "anna", "dog0");
    interface.acknowledge("anna", "dog0", first.version).expect("it was sent");
    act(&mut *interface, "anna", "toggle(1)", "dog0");
    let second = ask(&mut *interface, "anna", "dog0");
    act(&mut *interface, "anna", "toggle(2)", "dog0");
    let third = ask(&mut *interface, "anna", "dog0");
    assert_eq!((second.since, third.since), (first.version, first.version));
    let mut beliefs = first.add.clone();
    third.apply(&mut beliefs);
    assert_eq!(texts(&beliefs), ["step(0)", "thing(1)", "thing(2)"]);
}

#[test]
fn results_contain_the_names_of_deleted_entities() {
    let mut interface = yard(&["anna"]);
    for entity in ["cat0", "cat1"] {
        interface.associate_entity("anna", entity).expect("free");
    }
    let results = interface.perform_action("anna", &action("devourYoungest"), &[]).expect("allowed");
    assert_eq!(results[1].0, "cat1");
    let error = results[1].1.as_ref().expect_err("it is gone").to_string();
    assert_eq!(error, "entity `cat1` no longer exists: the environment deleted it");
}

#[test]
fn an_entity_of_another_agent_is_not_taken_away() {
    let mut interface = Interface::<Yard>::new();
    interface.init(Settings::default(), 1).expect("a yard");
    let (anna, bert) = (interface.register("anna").unwrap(), interface.register("bert").unwrap());
    let guest = interface.request(anna, "dog", None).expect("there is room");
    interface.associate(bert, guest).expect("shared");
    interface.unregister(anna).expect("registered");
    assert_eq!(interface.agents_of(guest).map(|agents| agents.collect()), Ok(vec![bert]));
    let news = &interface.episode().expect("there is one").environment().news;
    assert_eq!(*news, [News::Taken(guest)]);
}

#[test]
fn limits_the_length_of_agent_names() {
    let mut interface = yard(&[]);
    let long = "x".repeat(NAME_LENGTH + 1);
    for name in ["", &long] {
        let error = interface.register_agent(name).expect_err("no name");
        assert_eq!(error.kind(), ErrorKind::NotRegistrable);
        assert!(error.to_string().len() < 300, "{error}");
    }
    assert!(interface.register_agent(&long[1..]).is_ok());
}

#[test]
fn limits_the_length_of_entity_names() {
    let mut interface = yard(&["anna"]);
    let count = interface.entities().len();
    for name in ["", &"x".repeat(NAME_LENGTH + 1)] {
        let error = interface.request_entity("anna", "cat", Some(name)).expect_err("no name");
        assert!(error.to_string().starts_with("agent `anna` gets no `cat`: a name has"), "{error}");
    }
    assert_eq!(interface.entities().len(), count);
}

#[test]
fn errors_are_short_for_any_input() {
    let mut interface = with_dog(&["anna"]);
    let huge = Action::new("toggle", [Parameter::from("x".repeat(1_000_000).as_str())]);
    let error = interface.perform_action("anna", &huge, &[]).expect_err("no such thing");
    assert!(error.to_string().len() < 1_000, "{} bytes", error.to_string().len());
}

#[test]
fn reports_an_agent_without_entities_first() {
    let mut interface = yard(&["anna"]);
    let error = interface.perform_action("anna", &action("look"), &["cow0"]).expect_err("none");
    assert_eq!(error.kind(), ErrorKind::NoEntities);
}

#[test]
fn rejects_impossible_saved_states() {
    let episode = Episode::<Yard>::init(&Settings::default(), 1).expect("a yard");
    let state = episode.save();
    assert!(Episode::<Yard>::load(&[&state[..], &[0]].concat()).is_err(), "more bytes");
    assert!(Episode::<Yard>::load(&state[..state.len() - 1]).is_err(), "fewer bytes");
    let renamed = String::from_utf8_lossy(&state).find("dog1").expect("names are in the state");
    let mut doubled = state.clone();
    doubled[renamed + 3] = b'0';
    assert!(Episode::<Yard>::load(&doubled).is_err(), "two entities of one name");
}

/// This hash is a promise: it is the same in debug and release builds and on every platform.
#[test]
fn the_hash_of_a_state_never_changes() {
    let mut episode = Episode::<Yard>::init(&Settings::default(), 42).expect("a yard");
    let dog = episode.context().find_entity("dog0").expect("exists");
    for thing in 0..10 {
        episode.act(dog, &Do::Toggle { thing }).expect("possible");
        episode.act(dog, &Do::Bear).expect("possible");
        episode.step();
    }
    assert_eq!(episode.hash(), 10_768_184_985_110_025_054);
}

#[test]
fn without_observers_nothing_is_stored_and_results_are_the_same() {
    let begin = || Episode::<Yard>::init(&Settings::default(), 1).expect("a yard");
    let (mut heard, mut deaf) = (begin(), begin());
    deaf.deafen();
    let dog = heard.context().find_entity("dog0").expect("exists");
    for episode in [&mut heard, &mut deaf] {
        episode.act(dog, &Do::Bark { serial: 7 }).expect("possible");
    }
    assert!(!heard.events().is_empty() && deaf.events().is_empty());
    assert_eq!(heard.save(), deaf.save());
}
