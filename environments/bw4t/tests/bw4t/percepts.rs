//! The percepts of the original's first version, in its own form. They are reproduced, except for its errors (a
//! robot's own position twice, the sizes of other robots, blocks behind walls as within reach).

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use situated::environment::{Context, EntityId, Environment, Failure, News, Percepts};
use situated::iil::Action as Said;
use situated::interface::{Command, EnvironmentInterface, Form, Interface, Since};
use situated::ontology::Ontology;
use situated_bw4t::action::Action;
use situated_bw4t::percept::Percept;
use situated_bw4t::{Bw4t, Parameters};

const DATA: &str = "v384_percepts_rainbow.txt";

/// The environment with the blocks at the positions of the recording.
#[derive(Serialize, Deserialize)]
struct AsItWas(Bw4t);

impl Environment for AsItWas {
    type Parameters = Parameters;
    type Action = Action;
    type Percept = Percept;

    fn ontology() -> Ontology {
        Bw4t::ontology()
    }

    fn init(parameters: &Parameters, context: &mut Context<Percept>) -> Result<Self, Failure> {
        let mut world = serde_json::to_value(Bw4t::init(parameters, context)?).expect("a state can be written");
        let text = crate::played::recording(DATA).expect("it was there");
        for line in text.lines().filter_map(|line| line.strip_prefix("block ")) {
            let [id, _, _, place] = line.split(' ').collect::<Vec<_>>()[..] else { panic!("no block: {line}") };
            let (x, y) = place.split_once(',').expect("a place");
            let [x, y] = [x, y].map(|number| number.parse::<f64>().expect("a number"));
            let block = id.parse::<usize>().expect("a number") - 38;
            let lying = &mut world["world"]["blocks"][block]["place"]["Lying"];
            lying[0] = serde_json::json!({ "x": x, "y": y });
        }
        Ok(Self(serde_json::from_value(world).expect("it is a state still")))
    }

    fn act(&mut self, entity: EntityId, action: &Action, context: &mut Context<Percept>) -> Result<(), Failure> {
        self.0.act(entity, action, context)
    }

    fn step(&mut self, context: &mut Context<Percept>) {
        self.0.step(context);
    }

    fn percepts(&self, entity: EntityId, context: &Context<Percept>, percepts: &mut Percepts<'_, Percept>) {
        self.0.percepts(entity, context, percepts);
    }

    fn hear(&mut self, news: News, context: &mut Context<Percept>) {
        self.0.hear(news, context);
    }
}

/// Two agents, which perceive in the original's form.
struct Told(Interface<AsItWas>);

impl Told {
    fn begin() -> Self {
        let mut interface = Interface::new();
        let parameters = BTreeMap::from([("robots".to_owned(), 2.into())]);
        interface.manage(Command::Init { parameters, seed: 1 }).expect("a world");
        interface.manage(Command::Start).expect("it can run");
        for name in ["Bot_1", "Bot_2"] {
            interface.by_name().register_agent(name).expect("a free name");
            interface.by_name().associate_entity(name, name).expect("a free robot");
        }
        Self(interface)
    }

    fn act(&mut self, robot: &str, action: &str) {
        let action: Said = action.parse().expect("an action");
        for (_, result) in self.0.by_name().perform_action(robot, &action, &[robot]).expect("it is its own") {
            result.expect("it can be done");
        }
    }

    fn step(&mut self) {
        self.0.step().expect("it runs");
    }

    /// Returns the percepts of a robot, without positions, which change with every move.
    fn perceive(&mut self, robot: &str) -> BTreeSet<String> {
        let interface: &mut dyn EnvironmentInterface = &mut self.0;
        let received = interface.perceive(robot, &[robot], Form::Telling, Since::LastCall).expect("it is its own");
        let received = received.into_iter().flat_map(|(_, received)| received.into_telling());
        received.map(|percept| percept.to_string().replace('\'', "")).filter(|percept| is_compared(percept)).collect()
    }
}

fn is_compared(percept: &str) -> bool {
    !["position", "location", "robotSize"].iter().any(|name| percept.starts_with(name))
}

/// Returns the percepts at the end of a line of the original.
fn percepts(line: &str) -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    let (mut depth, mut from) = (0, 0);
    for (at, character) in line.char_indices().chain([(line.len(), ' ')]) {
        match character {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            ' ' if depth == 0 => {
                all.insert(line[from..at].to_owned());
                from = at + 1;
            }
            _ => {}
        }
    }
    all.retain(|percept| !percept.is_empty() && is_compared(percept));
    all
}

fn line<'a>(data: &'a str, start: &str) -> &'a str {
    data.lines().find_map(|line| line.strip_prefix(start)).unwrap_or_else(|| panic!("no line begins with `{start}`"))
}

/// Removes percepts of blocks within reach, but behind a wall.
fn beyond_walls(received: &mut BTreeSet<String>) {
    received.retain(|percept| !percept.starts_with("atBlock"));
}

#[test]
fn static_percepts_are_sent_once() {
    let Some(data) = crate::played::recording(DATA) else { return };
    let mut received = Told::begin();
    let mut expected = percepts(line(&data, "== first Bot_1: "));
    // At that time its agent was alone.
    expected.insert("player(Bot_2)".into());
    assert_eq!(received.perceive("Bot_1"), expected);
    assert_eq!(received.perceive("Bot_1"), BTreeSet::new());
    assert_eq!(received.perceive("Bot_2"), percepts(line(&data, "== Bot_2 first: ")));
}

#[test]
fn sends_the_same_percepts_in_the_same_ticks_as_the_original() {
    let Some(data) = crate::played::recording(DATA) else { return };
    let mut received = Told::begin();
    received.perceive("Bot_1");
    received.perceive("Bot_2");
    received.act("Bot_1", "goTo('RoomC1')");
    for tick in 1..=246 {
        received.step();
        let start = format!("tick {tick} ");
        let lines: Vec<&str> = data.lines().filter_map(|line| line.strip_prefix(start.as_str())).collect();
        for (robot, mark) in [("Bot_1", "B1:"), ("Bot_2", "B2:")] {
            let expected = lines.iter().find_map(|line| Some(line.split_once(mark)?.1));
            let mut expected = expected.map(percepts).unwrap_or_default();
            if tick < 224 {
                beyond_walls(&mut expected);
            } else if tick == 224 && robot == "Bot_1" {
                expected.extend(["atBlock(43)".to_owned(), "atBlock(44)".to_owned()]);
            }
            assert_eq!(received.perceive(robot), expected, "{robot} in tick {tick}");
        }
    }
    assert_eq!(received.perceive("Bot_1"), percepts(line(&data, "idle cycle in room:")));
    received.act("Bot_1", "goToBlock(47)");
    for tick in 1..=19 {
        received.step();
        assert_eq!(received.perceive("Bot_1"), percepts(line(&data, &format!("t{tick} "))), "tick {tick}");
    }
    received.act("Bot_1", "pickUp(47)");
    assert_eq!(received.perceive("Bot_1"), percepts(line(&data, "pickUp ok -> ")));
    assert_eq!(received.perceive("Bot_1"), percepts(line(&data, "again: ")));
}

#[test]
fn check_12_sends_negations_once() {
    if crate::played::recording(DATA).is_none() {
        return;
    }
    let mut received = Told::begin();
    received.act("Bot_1", "goTo('RoomC1')");
    (0..246).for_each(|_| received.step());
    received.act("Bot_1", "goToBlock(47)");
    (0..19).for_each(|_| received.step());
    received.act("Bot_1", "pickUp(47)");
    for robot in ["Bot_1", "Bot_2"] {
        received.perceive(robot);
    }
    received.act("Bot_1", "goTo('FrontRoomC1')");
    (0..100).for_each(|_| received.step());
    received.act("Bot_1", "putDown");
    let said = received.perceive("Bot_1");
    for percept in ["not(in(RoomC1))", "not(occupied(RoomC1))", "not(holding(47))", "holdingblocks([])"] {
        assert!(said.contains(percept), "{percept} is not among {said:?}");
    }
    assert!(received.perceive("Bot_2").contains("not(occupied(RoomC1))"));
    for robot in ["Bot_1", "Bot_2"] {
        assert_eq!(received.perceive(robot), BTreeSet::new(), "{robot}");
    }
    received.0.by_name().unregister_agent("Bot_1").expect("it is there");
    assert_eq!(received.perceive("Bot_2"), BTreeSet::from(["not(player(Bot_1))".to_owned()]));
}
