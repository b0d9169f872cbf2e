//! Operations for owners of an interface: saving and loading, checking an action before it is executed, default
//! actions, and giving up a broken environment.

use situated::iil::Action;
use situated::interface::{
    Command, EnvironmentInterface, Error, Form, Happening, Interface, Observer, Since, State, Version,
};
use situated::random::Random;

use situated_toys::yard::Yard;

const DEEDS: [&str; 5] = ["toggle(1)", "count(7)", "bear", "bark(3)", "learn(4)"];

fn action(text: &str) -> Action {
    text.parse().expect("an action")
}

fn new() -> Box<dyn EnvironmentInterface> {
    Box::new(Interface::<Yard>::new())
}

/// A yard after some actions: anna has two animals, and bert one that he has requested.
fn lived_in() -> Box<dyn EnvironmentInterface> {
    let mut yard = new();
    yard.manage(Command::Init { parameters: [("dogs".into(), 3.into())].into(), seed: 4 }).expect("a yard");
    yard.manage(Command::Start).expect("paused");
    for agent in ["gone", "anna", "bert"] {
        yard.register_agent(agent).expect("new");
    }
    yard.unregister_agent("gone").expect("registered");
    yard.request_entity("bert", "cat", Some("tom")).expect("a cat");
    for entity in ["dog1", "dog0"] {
        yard.associate_entity("anna", entity).expect("free");
    }
    live(&mut *yard, 20, 1);
    yard
}

/// Some steps in which anna does anything.
fn live(yard: &mut dyn EnvironmentInterface, steps: u64, seed: u64) {
    let mut random = Random::new(seed);
    for _ in 0..steps {
        let deed = DEEDS[random.below(DEEDS.len() as u64) as usize];
        // Actions that failed fail again.
        let _ = yard.perform_action("anna", &action(deed), &[]);
        yard.step().expect("running");
    }
}

/// Everything that is visible of a yard, except what agents have perceived.
fn all(yard: &dyn EnvironmentInterface) -> String {
    let relation: Vec<_> = yard.agents().iter().map(|agent| yard.associated_entities(agent)).collect();
    let (hash, parameters, outcome) = (yard.hash(), yard.parameters(), yard.outcome());
    let moment = (yard.moment().episode, yard.moment().step);
    let entities = (yard.entities(), yard.free_entities());
    format!("{:?}", (hash, parameters, outcome, yard.state(), moment, yard.agents(), relation, entities))
}

#[test]
fn a_loaded_state_continues_like_the_saved_one() {
    let mut original = lived_in();
    let saved = original.save().expect("there is an episode");
    for mut other in [new(), lived_in()] {
        other.load(&saved).expect("it was saved");
        assert_eq!(all(&*other), all(&*original));
        live(&mut *other, 20, 2);
        // Requests for entities are saved, too: the environment learns that the agent leaves.
        other.unregister_agent("bert").expect("registered");
        other.manage(Command::Reset { parameters: None, seed: None }).expect("running");
        let mut same = new();
        same.load(&saved).expect("it was saved");
        live(&mut *same, 20, 2);
        same.unregister_agent("bert").expect("registered");
        same.manage(Command::Reset { parameters: None, seed: None }).expect("running");
        assert_eq!(all(&*other), all(&*same));
    }
    live(&mut *original, 1, 3);
    assert_ne!(original.save().as_ref(), Ok(&saved));
}

#[test]
fn saving_needs_an_episode() {
    assert!(new().save().is_err());
    assert!(new().episode().is_none());
}

#[test]
fn rejects_invalid_saved_states_without_changes() {
    let mut yard = lived_in();
    let (before, saved) = (all(&*yard), yard.save().expect("an episode"));
    let mut longer = saved.clone();
    longer.push(0);
    let mut wrong = vec![Vec::new(), b"yard".to_vec(), longer];
    wrong.extend((0..saved.len()).step_by(7).map(|length| saved[..length].to_vec()));
    for bytes in wrong {
        let error = yard.load(&bytes).expect_err("they are wrong");
        assert!(matches!(&error, Error::NotSaved { environment, .. } if environment == "yard"), "{error}");
        assert_eq!(all(&*yard), before);
    }
    // Any byte may be another one: it is refused, or it is some yard.
    for place in 0..saved.len() {
        let mut changed = saved.clone();
        changed[place] ^= 1 << (place % 8);
        let _ = yard.load(&changed);
        let _ = all(&*yard);
    }
}

#[test]
fn after_loading_agents_and_observers_get_the_complete_state() {
    let mut yard = lived_in();
    let saved = yard.save().expect("an episode");
    let mut observer = Observer::new();
    yard.drain(&mut observer);
    let received = yard.perceive("anna", &["dog0"], Form::Update, Since::LastCall).expect("hers").remove(0).1;
    yard.load(&saved).expect("it was saved");
    let late = yard.acknowledge("anna", "dog0", received.version);
    assert!(matches!(late, Err(Error::NeverTold { .. })), "{late:?}");
    let anew = yard.perceive("anna", &["dog0"], Form::Update, Since::LastCall).expect("hers").remove(0).1;
    assert!(anew.resync && anew.version.changes > received.version.changes, "{anew:?} after {received:?}");
    assert_eq!(anew.since, Version { changes: 0, events: received.version.events });
    let drained = yard.drain(&mut observer);
    assert!(drained.missed > 0);
    assert_eq!(drained.happenings.first(), Some(&Happening::State(State::Running)));
    assert!(yard.drain(&mut observer).happenings.is_empty());
}

#[test]
fn an_action_can_be_checked_before_it_is_executed() {
    let yard = lived_in();
    let before = all(&*yard);
    let verdicts = |text: &str, entities: &[&str]| -> Vec<(String, bool)> {
        let (_, checked) = yard.check_action("anna", &action(text), entities).expect("hers");
        checked.into_iter().map(|one| (one.entity.to_string(), one.verdict.is_ok())).collect()
    };
    assert_eq!(verdicts("fetch", &[]), [("dog0".into(), true), ("dog1".into(), true)]);
    assert_eq!(verdicts("toggle(1)", &["dog1", "dog0", "dog1"]), [("dog1".into(), true), ("dog0".into(), true)]);
    let (_, bert) = yard.check_action("bert", &action("fetch"), &[]).expect("his");
    assert!(matches!(bert[0].verdict, Err(Error::NotSupportedByType { .. })), "{bert:?}");
    for (agent, text, entities) in
        [("anna", "sing", &[][..]), ("anna", "toggle", &[]), ("anna", "bear", &["dog2"]), ("carl", "bear", &[])]
    {
        assert!(yard.check_action(agent, &action(text), entities).is_err(), "{agent} {text} {entities:?}");
    }
    assert_eq!(all(&*yard), before);
}

#[test]
fn there_is_no_default_action_by_default() {
    let mut yard = lived_in();
    let before = all(&*yard);
    assert_eq!(yard.act_by_default("dog0"), Ok(false));
    assert_eq!(all(&*yard), before);
    assert!(matches!(yard.act_by_default("dog9"), Err(Error::NoSuchEntity { .. })));
    yard.manage(Command::Pause).expect("running");
    assert!(matches!(yard.act_by_default("dog0"), Err(Error::WrongState { .. })));
}

#[test]
fn giving_up_a_broken_environment_is_like_killing_it() {
    let (mut abandoned, mut killed) = (lived_in(), lived_in());
    let mut observer = Observer::new();
    abandoned.drain(&mut observer);
    abandoned.abandon();
    killed.manage(Command::Kill).expect("running");
    assert_eq!(all(&*abandoned), all(&*killed));
    assert_eq!(abandoned.drain(&mut observer).happenings.last(), Some(&Happening::State(State::Killed)));
}

#[test]
fn the_state_can_be_read_as_json() {
    let mut yard = new();
    yard.manage(Command::Init { parameters: [].into(), seed: 4 }).expect("a yard");
    let state = yard.episode().expect("an episode").inspect();
    assert_eq!(state["context"]["seed"], 4);
    assert_eq!(state["environment"]["born"], 0);
}
