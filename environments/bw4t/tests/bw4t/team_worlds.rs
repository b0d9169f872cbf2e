//! Environments that begin with a team.

use crate::played::{Played, defaults, go_to};
use situated::encoding::Encode;
use situated::environment::{Episode, News};
use situated::ontology::typed::InitParameters;
use situated_bw4t::action::Action;
use situated_bw4t::geometry::Point;
use situated_bw4t::map::{Standard, ZoneKind};
use situated_bw4t::robot::State;
use situated_bw4t::team::Team;
use situated_bw4t::world::{Collisions, Functions};
use situated_bw4t::{Bw4t, Parameters};

/// Creates an environment on Rainbow with the team of a file.
fn begin(team: &str) -> Played {
    Played::begin(Parameters { team: Some(team.into()), ..defaults() }, 1)
}

/// Returns the error of a team on Rainbow, which has three starting points.
fn no_world(team: &str) -> String {
    let parameters = Parameters { team: Some(team.into()), ..defaults() };
    Episode::<Bw4t>::init(&parameters, 1).expect_err("no world").to_string()
}

/// The entities with their types.
fn entities(played: &Played) -> Vec<(String, String)> {
    let entities = played.0.context().entities();
    entities.map(|(_, entity)| (entity.name.to_string(), entity.entity_type.to_string())).collect()
}

#[test]
fn a_world_begins_with_a_team() {
    let played = begin(
        "[[bots]]\nname = 'Big'\namount = 2\nsize = 3\n[[bots]]\nname = 'Operator'\ntype = 'human'\n\
         [[epartners]]\nname = 'Guide'\ngps = true\n",
    );
    let expected = [("Big_1", "bot"), ("Big_2", "bot"), ("Operator_1", "human"), ("Guide_1", "epartner")];
    assert_eq!(entities(&played), expected.map(|(name, of)| (name.to_owned(), of.to_owned())));
    assert_eq!((played.robot("Big_2").build.size, played.robot("Operator_1").build.size), (3.0, 2.0));
    let guide = &played.world().partners()[0];
    assert_eq!(guide.functions, Functions { gps: true, forget_me_not: false });
    assert_eq!(guide.position, played.robot("Operator_1").position);
}

#[test]
fn both_formats_create_the_same_team() {
    let team = Team::read("[[bots]]\namount = 2\nspeed = 25\n[[epartners]]\n").expect("a team");
    let [xml, toml] = [team.to_xml(), team.to_toml()].map(|text| begin(&text));
    assert_eq!(xml.world(), toml.world());
    assert_eq!(xml.robot("Bot_2").build.speed, 0.25);
}

#[test]
fn kinds_with_the_same_name_are_numbered_consecutively() {
    let played = begin("[[bots]]\n[[bots]]\nspeed = 100\n[[bots]]\nspeed = 10\n");
    let speeds = ["Bot_1", "Bot_2", "Bot_3"].map(|name| played.robot(name).build.speed);
    assert_eq!(speeds, [0.5, 1.0, 0.1]);
}

#[test]
fn e_partners_without_a_human_begin_where_robots_could() {
    let played = begin("[[bots]]\nname = 'Operator'\ntype = 'human'\n[[epartners]]\namount = 2\n");
    let world = played.world();
    let spawns: Vec<Point> = world.ground().map().spawns.iter().map(|spawn| spawn.position).collect();
    let places: Vec<Point> = world.partners().iter().map(|partner| partner.position).collect();
    assert_eq!(places, [spawns[0], spawns[1]]);
}

#[test]
fn e_partners_occupy_starting_points() {
    let mut played = begin("[[bots]]\n[[epartners]]\n");
    played.taken("E-Partner_1");
    let partner = played.0.request("epartner", None).expect("there is a place left");
    let spawns: Vec<Point> = played.world().ground().map().spawns.iter().map(|spawn| spawn.position).collect();
    let places =
        |played: &Played| -> Vec<Point> { played.world().partners().iter().map(|partner| partner.position).collect() };
    assert_eq!(places(&played), spawns[1..]);
    // A requested e-partner frees its place when it is deleted.
    played.0.hear(News::Taken(partner));
    played.0.hear(News::Left(partner));
    played.0.request("bot", Some("Ada")).expect("there is a place again");
    assert_eq!((places(&played), played.robot("Ada").position), (vec![spawns[1]], spawns[2]));
}

#[test]
fn rejects_teams_without_enough_starting_points() {
    let error = no_world("[[bots]]\namount = 100\n[[epartners]]\namount = 2\n");
    assert!(
        error.contains("there is no place for E-Partner_2: the map Rainbow has 101 for robots to begin"),
        "{error}"
    );
    let error = no_world("[[bots]]\namount = 200\n");
    assert!(error.contains("there is no place for Bot_102: the map Rainbow has 101 for robots to begin"), "{error}");
    let error = no_world("[[bots]]\nsize = 9\n");
    assert!(error.contains("the team cannot be used: line 2, [[bots]] Bot: `size` is 9"), "{error}");
    let error = no_world("Rainbow");
    assert!(error.contains("the team cannot be used: line 1, Rainbow: "), "{error}");
}

/// A scenario file with these elements, in the original's format.
fn scenario(says: &str) -> String {
    format!("<bw4TClientConfig>{says}<bots><bot/></bots></bw4TClientConfig>")
}

#[test]
fn the_map_of_a_scenario_is_the_default() {
    let on = |map: Option<&str>, file: &str| {
        let team = Some(scenario(&format!("<mapFile>{file}</mapFile>")).into());
        Parameters { map: map.map(Into::into), team, ..defaults() }
    };
    let sequence = |parameters| Played::begin(parameters, 1).world().ground().map().sequence.clone();
    let [rainbow, banana] = [Standard::Rainbow, Standard::Banana].map(|standard| standard.map().sequence);
    for file in ["Banana", "Banana.map", "maps/banana", "C:\\BW4T\\maps\\Banana.map"] {
        assert_eq!(sequence(on(None, file)), banana, "{file}");
        assert_eq!(sequence(on(Some("Rainbow"), file)), rainbow, "{file}");
    }
    assert_eq!(sequence(on(None, "")), rainbow);
    assert_eq!(sequence(on(Some("Banana"), "maps/red.map")), banana);
    let refused = Episode::<Bw4t>::init(&on(None, "maps/red.map"), 1).expect_err("nobody reads that file");
    let expected = "the scenario file of the team names the map `maps/red.map`, which is none of Rainbow, Banana, \
        Dutch Flag, Random, SuperRandom; give the map itself by the parameter `map`";
    assert_eq!(refused.reason, expected);
    assert!(Bw4t::encoding(&on(None, "maps/red.map"), "bot").is_none());
}

#[test]
fn the_collisions_of_a_scenario_are_the_default() {
    let collisions = |given, says| {
        let parameters = Parameters { collisions: given, team: Some(scenario(says).into()), ..defaults() };
        Played::begin(parameters, 1).world().rules().collisions
    };
    let enabled = "<enableCollisions>true</enableCollisions>";
    assert_eq!(collisions(None, enabled), Collisions::Stop);
    assert_eq!(collisions(None, "<enableCollisions>false</enableCollisions>"), Collisions::Off);
    assert_eq!(collisions(None, ""), Collisions::Off);
    for given in [Collisions::Off, Collisions::Avoid] {
        assert_eq!(collisions(Some(given), enabled), given);
    }
}

#[test]
fn the_number_of_robots_needs_no_team() {
    let robots = |robots, team: Option<&str>| {
        let parameters = Parameters { robots, team: team.map(Into::into), ..defaults() };
        Played::begin(parameters, 1).world().robots().len()
    };
    assert_eq!((robots(2, None), robots(1, Some("[[bots]]")), robots(1, Some(""))), (2, 1, 0));
}

#[test]
fn the_parameters_travel_as_contents() {
    let text = "[[bots]]\nname = 'Ä'\n";
    let parameters = Parameters { team: Some(text.into()), ..defaults() };
    let travelled = parameters.to_iil();
    assert_eq!(travelled["team"], text.into());
    assert_eq!(Parameters::from_iil(&travelled), Ok(parameters));
}

#[test]
fn check_17_colour_blind_and_without_gripper() {
    let mut played = begin("[[bots]]\ncolor-blind = true\ngrippers = { value = 3, enabled = false }\n");
    played.travel("Bot_1", &go_to("RoomC1"));
    let percepts = played.percepts("Bot_1");
    let some = |name: &str| percepts.iter().filter(|percept| percept.starts_with(name)).collect::<Vec<_>>();
    let colors = some("color(");
    assert_eq!(colors.len(), 6);
    assert!(colors.iter().all(|color| color.contains("'Dark_gray'")), "{colors:?}");
    assert_eq!(some("colorblind("), ["colorblind(true)"]);
    assert_eq!(some("gripperCapacity("), ["gripperCapacity(0)"]);
    let block = colors[0].trim_start_matches("color(").split(',').next().expect("an id").parse().expect("a number");
    played.travel("Bot_1", &Action::GoToBlock { block });
    assert!(!played.percepts("Bot_1").iter().any(|percept| percept.starts_with("atBlock(")));
    let error = played.act("Bot_1", &Action::PickUp { block }).expect_err("no gripper").to_string();
    assert!(error.contains("no gripper"), "{error}");
}

#[test]
fn check_18_the_battery() {
    let mut played = begin("[[bots]]\nbattery = { capacity = 10 }\n");
    let charge = |played: &Played| played.robot("Bot_1").charge();
    played.run(10);
    assert_eq!(charge(&played), 100.0);
    let mut moves = 0;
    for place in ["RoomA1", "DropZone", "RoomA3"] {
        played.act("Bot_1", &go_to(place)).expect("a place");
        while played.robot("Bot_1").state == State::Traveling {
            let before = played.robot("Bot_1").position;
            played.step();
            moves += u32::from(played.robot("Bot_1").position != before);
            let expected = (100.0 - 0.204 * f64::from(moves)).max(0.0);
            assert!((charge(&played) - expected).abs() < 1e-9, "{moves} moves: {}", charge(&played));
        }
        if moves == 491 {
            break;
        }
    }
    assert_eq!((moves, charge(&played)), (491, 0.0));
    let place = played.robot("Bot_1").position;
    for _ in 0..2 {
        played.run(20);
        assert_eq!((played.robot("Bot_1").position, played.robot("Bot_1").state), (place, State::Collided));
        played.act("Bot_1", &go_to("DropZone")).expect("it is accepted");
    }
    assert!(played.percepts("Bot_1").contains(&"battery(0.0)".to_owned()));
}

#[test]
fn standing_robots_use_no_battery() {
    let mut played = begin("[[bots]]\nbattery = {}\n[[bots]]\n");
    played.run(1000);
    assert_eq!(played.robot("Bot_1").charge(), 100.0);
    played.act("Bot_2", &go_to("RoomA1")).expect("a place");
    played.run(100);
    assert_eq!(played.robot("Bot_2").charge(), 100.0);
}

#[test]
fn battery_use_depends_on_the_configuration() {
    for (battery, left) in [
        // Size and speed determine the battery use even if they are disabled.
        ("size = { value = 4, enabled = false }\nbattery = { capacity = 1 }", 97.92),
        ("battery = { use = 0.5 }", 95.0),
    ] {
        let mut played = begin(&format!("[[bots]]\n{battery}\n"));
        played.act("Bot_1", &go_to("RoomA1")).expect("a place");
        // In the first tick the robot reaches the centre of its hall.
        played.run(2);
        assert!((played.robot("Bot_1").charge() - left).abs() < 1e-9, "{battery}: {}", played.robot("Bot_1").charge());
    }
}

#[test]
fn check_11_a_gripper_holds_a_stack() {
    let mut played = begin("[[bots]]\ngrippers = 3\n");
    played.travel("Bot_1", &go_to("RoomC1"));
    let received = |played: &Played, percept: &str| played.percepts("Bot_1").iter().any(|received| received == percept);
    for block in [44, 47, 48] {
        played.travel("Bot_1", &Action::GoToBlock { block });
        played.act("Bot_1", &Action::PickUp { block }).expect("it is there");
    }
    assert!(received(&played, "holdingblocks([48,47,44])") && received(&played, "gripperCapacity(3)"));
    played.travel("Bot_1", &Action::GoToBlock { block: 43 });
    let full = played.act("Bot_1", &Action::PickUp { block: 43 }).expect_err("it holds three").to_string();
    assert!(full.contains("is full"), "{full}");
    played.act("Bot_1", &Action::PutDown).expect("it holds three");
    assert!(received(&played, "holdingblocks([47,44])") && received(&played, "color(48,'Pink')"));
}

#[test]
fn check_15_how_fast_robots_are() {
    for (speed, ticks) in [(10, 1607), (25, 647), (50, 327), (75, 223), (100, 167)] {
        let taken = begin(&format!("[[bots]]\nspeed = {speed}\n")).travel("Bot_1", &go_to("RoomB1"));
        assert_eq!(taken, ticks, "at {speed} %");
    }
    assert_eq!(begin("[[bots]]\nspeed = 100\n").travel("Bot_1", &go_to("RoomC1")), 126);
    let mut still = begin("[[bots]]\nspeed = 0\n");
    still.act("Bot_1", &go_to("RoomB1")).expect("a place");
    still.run(1000);
    assert_eq!((still.robot("Bot_1").state, still.robot("Bot_1").position), (State::Traveling, Point::new(25.0, 65.0)));
}

/// A way takes, for each leg, its length divided by the length of a step, rounded up, and a tick for each point on it:
/// the centre where the robot is, all centres up to that of the room, and that of the room again.
#[test]
fn entering_a_room_takes_as_long_as_in_the_original_at_any_speed() {
    for speed in (5..=100).step_by(5) {
        let mut played = begin(&format!("[[bots]]\nspeed = {speed}\n"));
        let ground = played.world().ground().clone();
        let center = |zone: usize| ground.zone(zone).bounds.center;
        let front = ground.find("FrontDropZone").expect("a hall");
        let mut go = |from: usize, to: usize| {
            let way = ground.way(from, to, false).expect("there is a way");
            let steps = |leg: &[usize]| 100.0 * center(leg[0]).distance(center(leg[1])) / (0.5 * f64::from(speed));
            let ticks: f64 = way.windows(2).map(|leg| (steps(leg) - 1e-6).ceil()).sum();
            let taken = played.travel("Bot_1", &go_to(&ground.zone(to).name));
            assert_eq!(taken, ticks as u64 + way.len() as u64 + 1, "to {} at {speed} %", ground.zone(to).name);
        };
        for room in ground.rooms().iter().copied().chain([ground.drop_zone()]) {
            go(front, room);
            go(room, front);
        }
    }
}

#[test]
fn check_16_which_robots_go_through_doors() {
    let mut large = begin("[[bots]]\nsize = 4\n");
    large.travel("Bot_1", &go_to("RoomC2"));
    let robot = large.robot("Bot_1");
    assert_eq!((robot.state, robot.position, robot.reach()), (State::Collided, Point::new(25.0, 49.75), 5.0));
    assert!(large.percepts("Bot_1").contains(&format!("robotSize({},4.0,4.0)", robot.id)));
    let mut small = begin("[[bots]]\nsize = 3\n");
    small.travel("Bot_1", &go_to("RoomC2"));
    assert_eq!((small.robot("Bot_1").state, small.robot("Bot_1").position), (State::Arrived, Point::new(25.0, 55.0)));
}

#[test]
fn check_19_batteries_are_charged_in_charging_zones() {
    let mut map = Standard::Rainbow.map();
    let hall = map.zones.iter_mut().find(|zone| zone.name == "LeftHallD").expect("a hall");
    hall.kind = ZoneKind::ChargingZone;
    let team = Some("[[bots]]\namount = 2\nbattery = {}\n".into());
    let mut played = Played::begin(Parameters { map: Some(map.to_xml().into()), team, ..defaults() }, 1);
    let charge = |played: &Played| played.robot("Bot_1").charge();
    played.act("Bot_1", &go_to("LeftHallC")).expect("a place");
    played.act("Bot_2", &go_to("LeftHallD")).expect("a place");
    let is_charging = |played: &Played| {
        let robot = played.robot("Bot_1");
        robot.zones.iter().any(|zone| played.zone(*zone) == "LeftHallD")
    };
    while !is_charging(&played) {
        assert!(charge(&played) > 87.0);
        played.step();
    }
    while is_charging(&played) {
        assert_eq!(charge(&played), 100.0, "it is full as long as it is there");
        played.step();
    }
    assert!((charge(&played) - 99.796).abs() < 1e-9, "{} %", charge(&played));
    played.run(50);
    assert!(charge(&played) < 95.0 && played.robot("Bot_2").charge() == 100.0);
}
