//! Observations: their size and bounds, and that they contain only what a robot perceives and remembers.

use situated::encoding::{ElementType, Encode};
use situated::ontology::typed::InitParameters;
use situated::random::Random;
use situated_bw4t::encoding::Steps;
use situated_bw4t::map::Standard;
use situated_bw4t::team::{BOT, EPARTNER, HUMAN};
use situated_bw4t::{Bw4t, Color, Parameters};
use situated_checker::Settings;

use crate::encoding::learner::{Learner, MAPS, parameters};
use crate::encoding::perceived::Mind;
use crate::played::defaults;

/// A robot of each kind, all different; only the first one sees colours.
const TEAM: &str = "
[[bots]]
grippers = { value = 3, enabled = true }
speed = { value = 80, enabled = true }

[[bots]]
color-blind = true
battery = { capacity = 4, use = 0.01 }
size = { value = 3, enabled = true }
";

fn mixed() -> Parameters {
    Parameters { team: Some(TEAM.into()), ..parameters("Random", 1, Steps::Tick) }
}

#[test]
fn sizes_follow_from_map_and_team() {
    let size = |parameters: &Parameters, of: &str| Bw4t::encoding(parameters, of).map(|encoding| encoding.shape);
    let rainbow = parameters("Rainbow", 3, Steps::Tick);
    // Seven colours, nine rooms, the drop zone.
    assert_eq!(size(&rainbow, BOT), Some(vec![15 + 2 * 7 + 6 * 7 + 3 * 10 + 9 * (2 + 7)]));
    assert_eq!(size(&rainbow, HUMAN), size(&rainbow, BOT));
    assert_eq!(size(&rainbow, EPARTNER), None);
    assert_eq!(size(&mixed(), BOT), Some(vec![15 + 2 * 8 + 6 * 7 + 3 * 10 + 9 * (2 + 8)]));
    assert_eq!(size(&parameters("Nowhere", 1, Steps::Tick), BOT), None);
    for (map, robots) in MAPS {
        let encoding = Bw4t::encoding(&parameters(map, robots, Steps::Tick), BOT).expect("robots have one");
        assert_eq!(encoding.shape, size(&parameters(map, 1, Steps::Decision), BOT).expect("robots have one"));
        assert_eq!((encoding.element, encoding.low, encoding.high), (ElementType::F32, 0.0, 1.0));
    }
}

#[test]
fn follows_the_rules_for_environments_on_all_maps() {
    for (map, robots) in MAPS {
        follow_the_rules(&parameters(map, robots, Steps::Decision));
    }
    follow_the_rules(&mixed());
}

fn follow_the_rules(parameters: &Parameters) {
    let settings = Settings { parameters: parameters.to_iil(), seeds: 5..=5, steps: 40, ..Settings::default() };
    settings.check_encoded::<Bw4t>().expect("they fit").assert_passed();
}

/// The observation of a robot can be computed from its percepts and destinations.
#[test]
fn observations_follow_from_percepts() {
    remember(&parameters("Rainbow", 3, Steps::Tick), 2_000);
    remember(&mixed(), 4_000);
    remember(&Parameters { memory: false, ..parameters("Random", 2, Steps::Tick) }, 1_000);
}

fn remember(parameters: &Parameters, steps: usize) {
    let mut random = Random::new(7);
    let mut learner = Learner::begin(parameters, 3);
    let mut minds: Vec<Mind> = (0..learner.entities.len()).map(|robot| Mind::of(&learner, robot)).collect();
    for _ in 0..steps {
        if random.chance(0.05) {
            let choices = learner.any(&mut random);
            for (robot, (mind, choice)) in minds.iter_mut().zip(&choices).enumerate() {
                mind.choose(&learner, robot, *choice);
            }
            learner.act(&choices);
            minds.iter_mut().enumerate().for_each(|(robot, mind)| mind.perceive(&learner, robot));
        }
        learner.pass();
        for (robot, mind) in minds.iter_mut().enumerate() {
            mind.perceive(&learner, robot);
            let expected = mind.observation(&learner, parameters.memory);
            assert_eq!(learner.observation(robot), expected, "in tick {}", learner.world().tick_count());
        }
    }
}

/// Rainbow, optionally with the contents of two rooms exchanged.
fn rainbow(exchanged: bool) -> Parameters {
    let mut map = Standard::Rainbow.map();
    if exchanged {
        let find = |name: &str| map.zones.iter().position(|zone| zone.name == name).expect("a room");
        let (one, other) = (find("RoomA1"), find("RoomC3"));
        let contents = map.zones[one].blocks.clone();
        map.zones[one].blocks = std::mem::replace(&mut map.zones[other].blocks, contents);
    }
    Parameters { map: Some(map.to_xml().into()), robots: 2, ..defaults() }
}

#[test]
fn invisible_differences_do_not_change_observations() {
    let mut worlds = [false, true].map(|exchanged| Learner::begin(&rainbow(exchanged), 1));
    let look_the_same = |worlds: &[Learner; 2]| worlds[0].seen == worlds[1].seen;
    for choice in ["goTo RoomC1", "goTo RoomB2", "goTo RoomA2", "goTo DropZone"] {
        for world in &mut worlds {
            world.follow(0, choice);
        }
        assert!(look_the_same(&worlds), "{choice}");
    }
    for world in &mut worlds {
        world.follow(0, "goTo RoomA1");
    }
    let [one, other] = worlds.each_ref().map(|world| [0, 1].map(|robot| world.observation(robot).to_vec()));
    assert_ne!(one[0], other[0], "whoever is inside sees what is there");
    assert_eq!(one[1], other[1], "and nobody else");
    for world in &mut worlds {
        world.follow(0, "goTo DropZone");
    }
    assert_ne!(worlds[0].observation(0), worlds[1].observation(0), "it remembers");
}

#[test]
fn invisible_actions_of_others_do_not_change_observations() {
    let mut worlds = [(); 2].map(|()| Learner::begin(&rainbow(false), 1));
    for world in &mut worlds {
        world.follow(0, "goTo RoomC1");
        world.follow(0, "goTo RoomC2");
        world.follow(1, "goTo RoomC1");
        world.follow(1, "pickUp Green");
    }
    let [one, other] = &mut worlds;
    one.follow(1, "pickUp Green");
    other.follow(1, "wait");
    assert_eq!((one.robot(1).load.len(), other.robot(1).load.len()), (1, 0));
    assert_eq!(one.observation(0), other.observation(0));
    assert_ne!(one.observation(1), other.observation(1));
}

#[test]
fn a_freed_robot_forgets_its_memory() {
    let mut learner = Learner::begin(&rainbow(false), 1);
    let fresh = learner.observation(0).to_vec();
    learner.follow(0, "goTo RoomC1");
    learner.follow(0, "goTo DropZone");
    let entity = learner.entities[0];
    learner.episode.hear(situated::environment::News::Freed(entity));
    learner.look();
    assert_eq!(learner.observation(0), fresh);
}

#[test]
fn colours_are_the_possible_colours_of_the_map() {
    let of = |map: &str| Learner::begin(&parameters(map, 1, Steps::Tick), 1).world().ground().colors().to_vec();
    assert_eq!(of("Rainbow"), Color::DRAWN);
    assert_eq!(of("Random"), Color::DRAWN);
}
