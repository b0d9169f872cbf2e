//! The agent that acts at random uses names that it perceives.

use std::collections::BTreeSet;

use situated::agent::{Agent, RandomAgent};
use situated::iil::{self, EcoString, Parameter};
use situated::interface::{Moment, Perception, Version};
use situated::ontology::Ontology;
use situated::random::Random;
use situated::{Action, InitParameters, Percept};

#[derive(Clone, Debug, InitParameters)]
struct Settings {}

#[derive(Clone, Debug, Action)]
enum Do {
    /// Moves a block.
    #[action(entities("gripper", "talker"))]
    Move {
        /// Its name.
        block: EcoString,
    },
    /// Picks up a block.
    #[action(entities("lift"))]
    PickUp {
        /// Its number.
        number: u32,
    },
    /// Opens or closes it.
    #[action(entities("lift"))]
    Open {
        /// Whether it is open.
        open: bool,
    },
    /// Says something.
    #[action(entities("talker"))]
    Say {
        /// What it says.
        content: Parameter,
    },
    /// Does nothing.
    #[action(entities("talker"))]
    Wait,
}

#[derive(Clone, Debug, Percept)]
enum Perceive {
    /// What lies on a block.
    #[percept(on_change)]
    On {
        /// The name of the block.
        block: EcoString,
        /// What lies on it.
        things: Vec<Parameter>,
    },
}

fn agent(entity_type: &str) -> RandomAgent {
    let ontology = Ontology::builder::<Settings, Do, Perceive>("blocks", "1.0", "Blocks.")
        .entity_type("gripper", "It moves blocks.")
        .entity_type("lift", "It lifts blocks.")
        .entity_type("talker", "It talks.")
        .build();
    RandomAgent::new(&ontology, entity_type, Random::new(1))
}

fn on(block: &str, thing: impl Into<Parameter>) -> iil::Percept {
    iil::Percept::new("on", [block.into(), Parameter::from(vec![thing.into()])])
}

fn told(add: Vec<iil::Percept>, delete: Vec<iil::Percept>) -> Perception {
    let (moment, version) = (Moment::default(), Version::default());
    Perception { moment, since: version, version, resync: false, add, delete, events: Vec::new(), lost: 0 }
}

/// The actions that it chooses when it perceives nothing new.
fn chosen(agent: &mut RandomAgent) -> BTreeSet<String> {
    (0..200).filter_map(|_| agent.decide(&told(Vec::new(), Vec::new()))).map(|action| action.to_string()).collect()
}

fn these(actions: &[&str]) -> BTreeSet<String> {
    actions.iter().map(|action| (*action).to_owned()).collect()
}

#[test]
fn names_are_those_that_it_perceives_now() {
    let mut agent = agent("gripper");
    assert_eq!(chosen(&mut agent), these(&[]));

    agent.decide(&told(vec![on("table", "b1"), on("b1", "b2")], Vec::new()));
    assert_eq!(chosen(&mut agent), these(&["move(b1)", "move(b2)", "move(table)"]));

    agent.decide(&told(vec![on("table", "b2")], vec![on("b1", "b2")]));
    assert_eq!(chosen(&mut agent), these(&["move(b1)", "move(b2)", "move(table)"]));

    agent.decide(&told(Vec::new(), vec![on("table", "b1")]));
    assert_eq!(chosen(&mut agent), these(&["move(b2)", "move(table)"]));

    agent.decide(&Perception { resync: true, ..told(vec![on("b7", "b8")], Vec::new()) });
    assert_eq!(chosen(&mut agent), these(&["move(b7)", "move(b8)"]));
}

#[test]
fn numbers_without_limits_are_those_that_it_perceives() {
    let mut agent = agent("lift");
    agent.decide(&told(vec![on("b1", 17), on("b1", -4), on("b1", 1.5)], Vec::new()));
    assert_eq!(chosen(&mut agent), these(&["open(false)", "open(true)", "pickUp(17)"]));
}

#[test]
fn it_does_what_needs_no_names_until_it_perceives_some() {
    let mut agent = agent("talker");
    assert_eq!(chosen(&mut agent), these(&["wait"]));
    agent.decide(&told(vec![on("b1", "b1")], Vec::new()));
    assert_eq!(chosen(&mut agent), these(&["move(b1)", "wait"]));
}
