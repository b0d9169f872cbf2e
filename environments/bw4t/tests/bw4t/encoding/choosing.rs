//! Choices: the list of choices, which of them a robot can follow, and its actions.

use situated::encoding::Encode;
use situated::environment::Episode;
use situated::random::Random;
use situated_bw4t::action::Action;
use situated_bw4t::encoding::Steps;
use situated_bw4t::map::{Standard, ZoneKind};
use situated_bw4t::robot::State;
use situated_bw4t::world::Collisions;
use situated_bw4t::{Bw4t, Parameters};

use crate::encoding::learner::{Learner, MAPS, parameters};
use crate::played::defaults;

#[test]
fn choices_have_readable_names() {
    let learner = Learner::begin(&parameters("Rainbow", 1, Steps::Tick), 1);
    let expected = "wait, goTo RoomA1, goTo RoomA2, goTo RoomA3, goTo RoomB1, goTo RoomB2, goTo RoomB3, goTo RoomC1, \
                    goTo RoomC2, goTo RoomC3, goTo DropZone, pickUp Red, pickUp Orange, pickUp Yellow, pickUp Green, \
                    pickUp Blue, pickUp Pink, pickUp White, putDown";
    assert_eq!(learner.encoding.actions.join(", "), expected);
    let layout = learner.layout();
    assert_eq!(layout.actions(), learner.encoding.actions.len());
    assert!(layout.choices().enumerate().all(|(number, choice)| layout.choice(number) == Some(choice)));
    assert_eq!(layout.choice(layout.actions()), None);
}

/// Rainbow with a charging zone instead of one hall, and a blockade instead of another.
fn with_obstacles() -> Parameters {
    let mut map = Standard::Rainbow.map();
    for (name, kind) in [("FrontRoomA2", ZoneKind::ChargingZone), ("LeftHallB", ZoneKind::Blockade)] {
        let zone = map.zones.iter_mut().find(|zone| zone.name == name).expect("a hall");
        zone.kind = kind;
    }
    let team = "[[bots]]\namount = 3\nbattery = { capacity = 20 }\n";
    let (map, team) = (Some(map.to_xml().into()), Some(team.into()));
    Parameters { map, team, around_blockades: true, collisions: Some(Collisions::Stop), ..defaults() }
}

#[test]
fn accepts_exactly_the_choices_that_the_mask_allows() {
    for (map, robots) in MAPS {
        agree(&parameters(map, robots, Steps::Decision), 25);
    }
    agree(&parameters("Rainbow", 3, Steps::Tick), 25);
    agree(&with_obstacles(), 80);
}

fn agree(parameters: &Parameters, steps: usize) {
    let mut random = Random::new(1);
    let mut learner = Learner::begin(parameters, 8);
    for _ in 0..steps {
        for robot in 0..learner.entities.len() {
            for choice in 0..learner.encoding.actions.len() {
                check(&learner, robot, choice);
            }
        }
        let choices = learner.any(&mut random);
        learner.step(&choices);
    }
}

fn check(learner: &Learner, robot: usize, choice: usize) {
    let (entity, name) = (learner.entities[robot], learner.encoding.actions[choice].as_str());
    let action = learner.episode.environment().decode(entity, choice);
    let copy = || Episode::<Bw4t>::load(&learner.episode.save()).expect("it has been saved");
    if !learner.is_open(robot, name) {
        assert_eq!(action, None, "{name} cannot be chosen");
        let refused = name != "putDown" || copy().act(entity, &Action::PutDown).is_err();
        assert!(refused, "{name} can be done");
    } else if let Some(action) = action {
        assert!(copy().act(entity, &action).is_ok(), "{name} cannot be done");
    } else {
        assert!(name == "wait" || learner.robot(robot).state == State::Traveling, "{name} does nothing");
    }
}

#[test]
fn charging_zones_follow_the_drop_zone_in_the_choices() {
    let mut learner = Learner::begin(&Parameters { collisions: Some(Collisions::Off), ..with_obstacles() }, 1);
    assert_eq!(learner.encoding.actions[10..12], ["goTo DropZone", "goTo FrontRoomA2"]);
    learner.follow(0, "goTo RoomC2");
    assert!(learner.robot(0).charge() < 100.0);
    learner.follow(0, "goTo FrontRoomA2");
    assert!(learner.robot(0).charge() > 99.0);
}

#[test]
fn a_repeated_choice_continues() {
    let mut learner = Learner::begin(&parameters("Rainbow", 1, Steps::Tick), 1);
    let mut repeat = |choice: &str, until: fn(&Learner) -> bool| {
        let number = learner.number(choice);
        let begin = learner.world().tick_count();
        loop {
            learner.step(&[number]);
            if until(&learner) {
                break;
            }
            assert!(learner.world().tick_count() < begin + 500, "{choice} takes for ever");
        }
        learner.world().tick_count() - begin
    };
    let there = |learner: &Learner| learner.robot(0).state == State::Arrived;
    assert_eq!(repeat("goTo RoomC1", there), 246);
    assert!(repeat("pickUp Green", |learner| !learner.robot(0).load.is_empty()) < 30);
    repeat("goTo DropZone", there);
    repeat("putDown", |learner| learner.robot(0).load.is_empty());
}

#[test]
fn picking_up_needs_a_free_gripper() {
    let mut learner = Learner::begin(&parameters("Rainbow", 1, Steps::Decision), 1);
    assert!(!learner.is_open(0, "pickUp Green") && !learner.is_open(0, "putDown"));
    learner.follow(0, "goTo RoomC1");
    assert!(learner.is_open(0, "pickUp Green") && !learner.is_open(0, "pickUp Blue"));
    learner.fetch(0, "Green");
    assert!(!learner.is_open(0, "pickUp Pink") && learner.is_open(0, "putDown"));
    learner.follow(0, "putDown");
    assert!(learner.is_open(0, "pickUp Pink"));
}
