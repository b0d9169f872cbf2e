//! The acceptance checks on Rainbow: one robot or two, with default speed, without collisions.

use std::collections::BTreeSet;

use crate::played::{Played, defaults, go_to, text};
use situated::environment::{Ending, Environment, Episode, News};
use situated::iil::Parameter;
use situated_bw4t::action::Action;
use situated_bw4t::geometry::Point;
use situated_bw4t::map::{Standard, ZoneKind};
use situated_bw4t::robot::{Robot, State, TOUCH};
use situated_bw4t::{Bw4t, Color, Map, Parameters};

/// Number of robots that can begin on Rainbow.
const RAINBOW_HOLDS: u32 = 101;

/// Goes to a place, and waits until the robot has arrived. Returns the number of ticks.
fn travel(played: &mut Played, robot: &str, action: &Action) -> u64 {
    let goal = goal(played, action);
    let ticks = played.travel(robot, action);
    let Robot { state, position, .. } = *played.robot(robot);
    assert!(state != State::Arrived || position.distance(goal) < TOUCH, "{robot} is at {position:?}, not at {goal:?}");
    ticks
}

/// Returns the destination of an action.
fn goal(played: &Played, action: &Action) -> Point {
    let world = played.world();
    match action {
        Action::GoTo { x, y } => Point::new(*x, *y),
        Action::GoToPlace { place } => {
            let zone = world.ground().find(place).expect("a place");
            world.ground().zone(zone).bounds.center
        }
        Action::GoToBlock { block } => {
            let block = world.blocks().iter().find(|there| there.id == *block).expect("a block");
            block.position().expect("it lies there")
        }
        other => panic!("{other:?} sends nobody anywhere"),
    }
}

fn perceives(played: &Played, robot: &str, percept: &str) -> bool {
    played.percepts(robot).iter().any(|received| received == percept)
}

fn percepts_named(played: &Played, robot: &str, name: &str) -> BTreeSet<String> {
    let start = format!("{name}(");
    played.percepts(robot).into_iter().filter(|percept| percept.starts_with(&start)).collect()
}

#[test]
fn check_1_rainbow_equals_the_original() {
    let played = Played::rainbow(1);
    let world = played.world();
    let zones = world.ground().zones();
    assert_eq!(zones.len(), 28);
    assert_eq!(zones.iter().filter(|zone| zone.kind == ZoneKind::Room).count(), 10);
    assert_eq!(zones.iter().map(|zone| zone.doors.len()).sum::<usize>(), 10);
    assert_eq!(world.blocks().len(), 22);
    use Color::{Blue, Green, Orange, Pink, Red, Yellow};
    assert_eq!(world.sequence(), [Blue, Green, Yellow, Pink, Orange, Red]);
    assert_eq!(world.ground().map().spawns.len(), 3);
    assert_eq!(world.ground().size(), Point::new(51.0, 81.0));
    let ids = (zones[0].id, zones[27].id, world.blocks()[0].id, world.blocks()[21].id, played.robot("Bot_1").id);
    assert_eq!(ids, (0, 36, 38, 59, 60));
}

#[test]
fn check_2_initial_percepts() {
    let played = Played::rainbow(1);
    for percept in [
        "ownName('Bot_1')",
        "sequence(['Blue','Green','Yellow','Pink','Orange','Red'])",
        "sequenceIndex(0)",
        "state(arrived)",
        "at('FrontDropZone')",
        "holdingblocks([])",
        "gripperCapacity(1)",
        "speed(0.5)",
        "battery(100.0)",
        "colorblind(false)",
        "location(25.0,65.0)",
        "robot(60)",
        "robotSize(60,2.0,2.0)",
        "oldTargetUnreachable(60,0)",
    ] {
        assert!(perceives(&played, "Bot_1", percept), "{percept}");
    }
    assert_eq!(percepts_named(&played, "Bot_1", "place").len(), 28);
    assert_eq!(percepts_named(&played, "Bot_1", "zone").len(), 28);
}

#[test]
fn check_4_a_closed_door_stops_a_robot() {
    let mut played = Played::rainbow(2);
    travel(&mut played, "Bot_1", &go_to("RoomC1"));
    assert_eq!(travel(&mut played, "Bot_2", &go_to("RoomC1")), 242);
    let robot = played.robot("Bot_2");
    assert_eq!((robot.state, robot.position), (State::Collided, Point::new(15.0, 49.75)));
    assert!(perceives(&played, "Bot_2", "at('FrontRoomC1')") && percepts_named(&played, "Bot_2", "bumped").is_empty());
    travel(&mut played, "Bot_1", &go_to("LeftHallA"));
    assert_eq!(played.robot("Bot_2").state, State::Collided);
    assert_eq!(travel(&mut played, "Bot_2", &go_to("RoomC1")), 62);
    assert_eq!(played.robot("Bot_2").state, State::Arrived);
}

#[test]
fn with_wait_at_doors_a_robot_continues_when_the_room_is_free() {
    let mut played = Played::begin(Parameters { robots: 2, wait_at_doors: true, ..defaults() }, 1);
    travel(&mut played, "Bot_1", &go_to("RoomC1"));
    played.act("Bot_2", &go_to("RoomC1")).expect("a place");
    played.run(400);
    assert_eq!(played.robot("Bot_2").state, State::Traveling);
    travel(&mut played, "Bot_1", &go_to("LeftHallA"));
    played.run(100);
    let robot = played.robot("Bot_2");
    assert_eq!((robot.state, robot.position), (State::Arrived, Point::new(15.0, 55.0)));
}

#[test]
fn check_5_all_perceive_occupied_rooms_and_only_robots_inside_see_blocks() {
    let mut played = Played::rainbow(2);
    travel(&mut played, "Bot_1", &go_to("RoomC1"));
    for robot in ["Bot_1", "Bot_2"] {
        assert!(perceives(&played, robot, "occupied('RoomC1')"), "{robot}");
    }
    assert!(perceives(&played, "Bot_1", "in('RoomC1')") && percepts_named(&played, "Bot_1", "color").len() == 6);
    assert!(!perceives(&played, "Bot_2", "in('RoomC1')") && percepts_named(&played, "Bot_2", "color").is_empty());
    travel(&mut played, "Bot_1", &go_to("FrontRoomC1"));
    assert!(percepts_named(&played, "Bot_2", "occupied").is_empty());
}

#[test]
fn check_6_a_robot_picks_up_a_block() {
    let mut played = Played::rainbow(1);
    travel(&mut played, "Bot_1", &go_to("RoomC1"));
    assert_eq!(travel(&mut played, "Bot_1", &Action::GoToBlock { block: 47 }), 19);
    assert!(played.robot("Bot_1").position.distance(Point::new(11.544, 57.435)) < 0.01);
    played.act("Bot_1", &Action::PickUp { block: 47 }).expect("it is there");
    assert!(perceives(&played, "Bot_1", "holding(47)") && perceives(&played, "Bot_1", "holdingblocks([47])"));
    assert!(!perceives(&played, "Bot_1", "atBlock(47)") && !perceives(&played, "Bot_1", "color(47,'Green')"));
}

/// Fetches blocks, each from the room with this name. Returns the numbers of ticks to the room, to the block and to the
/// drop zone.
fn fetch(played: &mut Played, blocks: &[(u32, &str)]) -> Vec<[u64; 3]> {
    let fetch_one = |(block, room): &(u32, &str)| {
        let to_room = travel(played, "Bot_1", &go_to(room));
        let to_block = travel(played, "Bot_1", &Action::GoToBlock { block: *block });
        played.act("Bot_1", &Action::PickUp { block: *block }).expect("it is there");
        let to_drop_zone = travel(played, "Bot_1", &go_to("DropZone"));
        played.act("Bot_1", &Action::PutDown).expect("it holds one");
        [to_room, to_block, to_drop_zone]
    };
    blocks.iter().map(fetch_one).collect()
}

#[test]
fn check_7_games_take_as_long_as_in_the_original() {
    for (ticks, blocks, legs) in [
        (
            4043,
            [(55, "RoomB1"), (47, "RoomC1"), (43, "RoomC1"), (48, "RoomC1"), (50, "RoomA1"), (54, "RoomC3")],
            [[327, 11, 377], [287, 19, 304], [287, 11, 296], [287, 16, 301], [449, 15, 462], [287, 11, 296]],
        ),
        (
            5193,
            [(49, "RoomA1"), (39, "RoomA2"), (38, "RoomA2"), (57, "RoomB1"), (50, "RoomA1"), (54, "RoomC3")],
            [[408, 11, 458], [490, 15, 503], [490, 11, 499], [368, 27, 393], [449, 15, 462], [287, 11, 296]],
        ),
    ] {
        let mut played = Played::rainbow(1);
        assert_eq!(fetch(&mut played, &blocks), legs);
        let (world, robot) = (played.world(), played.robot("Bot_1"));
        assert_eq!((world.delivered(), world.completed()), (6, Some(ticks)));
        let deeds = robot.deeds;
        assert_eq!((deeds.good_drops, deeds.wrong_drops, deeds.rooms_entered), (6, 0, 12));
        assert_eq!(played.0.outcome().ending, Some(Ending::Terminated));
        // The environment continues, and further deliveries are neither good nor wrong.
        fetch(&mut played, &[(44, "RoomC1")]);
        let deeds = played.robot("Bot_1").deeds;
        assert_eq!((deeds.good_drops, deeds.wrong_drops, played.world().delivered()), (6, 0, 6));
    }
}

#[test]
fn check_8_another_colour_than_the_needed_one_is_lost() {
    let mut played = Played::rainbow(2);
    fetch(&mut played, &[(47, "RoomC1")]);
    assert_eq!((played.world().delivered(), played.robot("Bot_1").deeds.wrong_drops), (0, 1));
    // Blocks are not delivered in the hall before an occupied drop zone.
    travel(&mut played, "Bot_2", &go_to("RoomB1"));
    travel(&mut played, "Bot_2", &Action::GoToBlock { block: 55 });
    played.act("Bot_2", &Action::PickUp { block: 55 }).expect("it is there");
    travel(&mut played, "Bot_2", &Action::GoTo { x: 35.0, y: 69.5 });
    played.act("Bot_2", &Action::PutDown).expect("it holds one");
    assert_eq!((played.world().delivered(), played.robot("Bot_2").deeds.wrong_drops), (0, 0));
    travel(&mut played, "Bot_1", &go_to("FrontDropZone"));
    fetch(&mut played, &[(52, "RoomB2")]);
    assert_eq!(played.world().delivered(), 1);
    assert!(perceives(&played, "Bot_2", "sequenceIndex(1)"));
}

#[test]
fn a_robot_learns_that_the_block_that_it_puts_down_is_lost() {
    let mut played = Played::rainbow(1);
    let mut put_down = |room, block, place| {
        travel(&mut played, "Bot_1", &go_to(room));
        travel(&mut played, "Bot_1", &Action::GoToBlock { block });
        played.act("Bot_1", &Action::PickUp { block }).expect("it is there");
        travel(&mut played, "Bot_1", &go_to(place));
        let entity = played.entity("Bot_1");
        played.0.act(entity, &Action::PutDown).expect("it holds one").iter().map(text).collect::<Vec<_>>()
    };
    // Blue is needed.
    assert_eq!(put_down("RoomC1", 47, "DropZone"), ["lost(47)"]);
    assert_eq!(put_down("RoomC1", 43, "FrontRoomC1"), ["lost(43)"]);
    assert_eq!(put_down("RoomC1", 44, "RoomC1"), [""; 0]);
    assert_eq!(put_down("RoomB1", 55, "DropZone"), [""; 0]);
}

#[test]
fn check_9_where_blocks_are_put_down() {
    let mut played = Played::rainbow(1);
    played.act("Bot_1", &Action::PutDown).expect_err("it holds nothing");
    travel(&mut played, "Bot_1", &go_to("RoomC1"));
    travel(&mut played, "Bot_1", &Action::GoToBlock { block: 47 });
    played.act("Bot_1", &Action::PickUp { block: 47 }).expect("it is there");
    played.act("Bot_1", &Action::PutDown).expect("it holds one");
    let block = played.world().blocks().iter().find(|block| block.id == 47).expect("a block");
    let room = played.world().ground().find("RoomC1").expect("a room");
    assert!(played.world().ground().zone(room).bounds.contains(block.position().expect("it lies there")));
    assert!(perceives(&played, "Bot_1", "color(47,'Green')"));
    played.act("Bot_1", &Action::PickUp { block: 47 }).expect("it lies near");
    travel(&mut played, "Bot_1", &go_to("FrontRoomC1"));
    played.act("Bot_1", &Action::PutDown).expect("it holds one");
    travel(&mut played, "Bot_1", &go_to("RoomC1"));
    assert!(!perceives(&played, "Bot_1", "color(47,'Green')"));
}

#[test]
fn check_10_blocks_that_cannot_be_picked_up() {
    let mut played = Played::rainbow(1);
    let refused = |played: &mut Played, block| {
        let before = played.world().clone();
        let reason = played.act("Bot_1", &Action::PickUp { block }).expect_err("it cannot be done").reason;
        assert_eq!(*played.world(), before);
        reason
    };
    assert_eq!(refused(&mut played, 47), "Bot_1 sees no block 47 where it is");
    assert_eq!(refused(&mut played, 3), "Bot_1 sees no block 3 where it is");
    travel(&mut played, "Bot_1", &go_to("RoomC1"));
    assert!(refused(&mut played, 47).starts_with("block 47 is too far away"));
    travel(&mut played, "Bot_1", &Action::GoToBlock { block: 47 });
    played.act("Bot_1", &Action::PickUp { block: 47 }).expect("it is there");
    assert_eq!(refused(&mut played, 47), "Bot_1 already holds block 47");
    travel(&mut played, "Bot_1", &Action::GoToBlock { block: 48 });
    assert_eq!(refused(&mut played, 48), "the gripper of Bot_1 is full; put a block down first");
    played.act("Bot_1", &Action::GoToBlock { block: 99 }).expect_err("there is none");
    played.act("Bot_1", &go_to("Elsewhere")).expect_err("there is no such place");
    played.act("Bot_1", &Action::GoTo { x: f64::NAN, y: 0.0 }).expect_err("that is nowhere");
}

#[test]
fn check_13_each_receiver_gets_a_message_once() {
    let mut played = Played::rainbow(3);
    let content = || crate::played::word("I have a Green block");
    let early = played.act("Bot_1", &Action::SendMessage { to: "Bot_2".into(), content: content() });
    assert!(early.expect_err("no agent has it").to_string().contains("no agent controls `Bot_2` now"));
    played.taken("Bot_2");
    for to in ["Bot_2", "Bot_2", "all"] {
        played.act("Bot_1", &Action::SendMessage { to: to.into(), content: content() }).expect("they are there");
    }
    played.act("Bot_1", &Action::SendMessage { to: "Bot_9".into(), content: content() }).expect_err("nobody");
    let received: Vec<(String, String)> = played
        .0
        .events()
        .iter()
        .map(|(to, percept)| (played.0.context().entity(*to).expect("an entity").name.to_string(), text(percept)))
        .collect();
    let message = "message('Bot_1','I have a Green block')";
    let expected = ["Bot_2", "Bot_2", "Bot_2", "Bot_3"].map(|to| (to.to_owned(), message.to_owned()));
    assert_eq!(received, expected);
    assert_eq!(played.robot("Bot_1").deeds.messages, 3);
}

#[test]
fn going_to_points_takes_as_long_as_in_the_original() {
    for (x, y, ticks) in
        [(12.0, 44.0, 192), (15.0, 57.0, 253), (5.0, 58.0, 110), (30.0, 66.0, 22), (3.0, 20.0, 266), (47.0, 47.0, 155)]
    {
        let mut played = Played::rainbow(1);
        let taken = travel(&mut played, "Bot_1", &Action::GoTo { x, y });
        assert_eq!(taken, ticks, "to ({x}, {y})");
        assert_eq!(played.robot("Bot_1").state, State::Arrived);
    }
}

#[test]
fn going_from_the_drop_zone_to_a_room_and_back_takes_as_long_as_in_the_original() {
    for (room, ticks) in [
        ("RoomC1", 287),
        ("RoomC2", 328),
        ("RoomC3", 287),
        ("RoomB1", 368),
        ("RoomB2", 409),
        ("RoomB3", 368),
        ("RoomA1", 449),
        ("RoomA2", 490),
        ("RoomA3", 449),
    ] {
        let mut played = Played::rainbow(1);
        travel(&mut played, "Bot_1", &go_to("DropZone"));
        assert_eq!(travel(&mut played, "Bot_1", &go_to(room)), ticks, "to {room}");
        assert_eq!(travel(&mut played, "Bot_1", &go_to("DropZone")), ticks, "from {room}");
    }
}

#[test]
fn robots_cannot_leave_the_map() {
    let mut played = Played::rainbow(1);
    travel(&mut played, "Bot_1", &Action::GoTo { x: -10.0, y: -10.0 });
    let robot = played.robot("Bot_1");
    assert_eq!(robot.state, State::Collided);
    assert!(robot.position.distance(Point::default()) < 0.5, "{:?}", robot.position);
}

#[test]
fn check_25_robots_are_requested_and_deleted() {
    let mut played = Played::rainbow(2);
    let third = played.0.request("bot", None).err();
    assert!(third.is_none(), "two are free");
    let names =
        |played: &Played| played.0.context().entities().map(|(_, entity)| entity.name.to_string()).collect::<Vec<_>>();
    assert_eq!(names(&played), ["Bot_1", "Bot_2"]);
    played.taken("Bot_1");
    played.taken("Bot_2");
    let third = played.0.request("bot", None).expect("there is a place left");
    played.taken("Bot_3");
    assert_eq!(names(&played), ["Bot_1", "Bot_2", "Bot_3"]);
    assert!(perceives(&played, "Bot_1", "player('Bot_3')") && !perceives(&played, "Bot_1", "player('Bot_1')"));
    // A deleted robot frees its starting point. A robot from the beginning stays, and returns to where it began.
    played.0.hear(News::Freed(third));
    played.0.hear(News::Left(third));
    assert_eq!(names(&played), ["Bot_1", "Bot_2"]);
    travel(&mut played, "Bot_1", &go_to("RoomC1"));
    let first = played.entity("Bot_1");
    played.0.hear(News::Freed(first));
    played.0.hear(News::Left(first));
    assert_eq!(played.robot("Bot_1").position, Point::new(25.0, 65.0));
    assert!(played.world().occupied().next().is_none());
    played.0.request("bot", Some("Ada")).expect("there is a place again");
    assert_eq!(played.robot("Ada").position, Point::new(29.0, 63.0));
}

#[test]
fn check_25_more_robots_than_spawn_points_begin_in_halls() {
    let mut played = Played::rainbow(30);
    let begin: Vec<Point> = played.world().robots().iter().map(|robot| robot.position).collect();
    assert_eq!(begin[..3], [(25.0, 65.0), (21.0, 63.0), (29.0, 63.0)].map(|(x, y)| Point::new(x, y)));
    for (index, robot) in played.world().robots().iter().enumerate() {
        let ground = played.world().ground();
        assert!(ground.has(robot.position) && !robot.zones.is_empty(), "{robot:?}");
        assert!(robot.zones.iter().all(|zone| ground.zone(*zone).kind == ZoneKind::Corridor), "{robot:?}");
        let apart = begin[..index].iter().map(|other| other.apart(robot.position)).fold(f64::INFINITY, f64::min);
        assert!(apart >= 2.5 || index < 3, "{robot:?} is in another robot");
    }
    // A freed robot returns to where it began.
    travel(&mut played, "Bot_30", &go_to("RoomC1"));
    played.freed("Bot_30");
    assert_eq!(played.robot("Bot_30").position, begin[29]);
}

#[test]
fn check_25_an_error_names_the_map_and_how_many_robots_it_holds() {
    let begin = |map: &str, robots| {
        let parameters = Parameters { map: Some(map.into()), robots, ..defaults() };
        Episode::<Bw4t>::init(&parameters, 1).map(drop).map_err(|failure| failure.to_string())
    };
    begin("Rainbow", RAINBOW_HOLDS).expect("there is a place for each");
    let error = begin("Rainbow", RAINBOW_HOLDS + 1).expect_err("there are not so many places");
    let named = format!("the map Rainbow has {RAINBOW_HOLDS} for robots to begin, 3 of its own");
    assert!(error.contains(&named), "{error}");
    let map = Map { one_bot_per_corridor_zone: true, ..Standard::Rainbow.map() };
    let error = begin(&map.to_xml(), 1_000).expect_err("a hall holds one");
    assert!(error.contains("this map has 20 for robots to begin, 3 of its own and 17 in its halls"), "{error}");
    // The description and the book contain the same limit.
    let ontology = Bw4t::ontology().to_json().to_string();
    let how_to = include_str!("../../../../docs/src/how-to/bw4t.md");
    for text in [ontology.as_str(), how_to] {
        assert!(text.contains(&format!("Rainbow holds {RAINBOW_HOLDS}")), "{text}");
    }
}

#[test]
fn episodes_can_begin_on_all_standard_maps() {
    for standard in Standard::ALL {
        let played = Played::begin(Parameters { map: Some(standard.name().into()), ..defaults() }, 5);
        assert_eq!(played.world().sequence().len(), 6, "{standard:?}");
        assert!(played.world().is_solvable());
    }
}

#[test]
fn keeps_the_log_of_the_original_on_request() {
    let mut played = Played::begin(Parameters { log: true, ..defaults() }, 1);
    fetch(&mut played, &[(55, "RoomB1"), (44, "RoomC1")]);
    travel(&mut played, "Bot_1", &Action::GoTo { x: -10.0, y: -10.0 });
    let Some(Parameter::Identifier(log)) = played.0.query("log") else { panic!("there is no log") };
    for line in [
        "00:00:00,000 - sequence B G Y P O R\n",
        "00:00:00,000 - room RoomA3 contains blocks:  \n",
        "00:00:00,000 - room RoomC1 contains blocks:  Y R R W G P\n",
        "00:00:00,000 - action Bot_1 goTo('RoomB1')\n",
        " - action Bot_1 putDown\n",
        " - Bot Bot_1 collided.\n",
        " - agentsummary Bot_1 gooddrops 1\n",
        " - agentsummary Bot_1 wrongdrops 1\n",
        " - agentsummary Bot_1 handicaps none\n",
        " - total time is ",
    ] {
        assert!(log.contains(line), "{line} is not in\n{log}");
    }
    assert_eq!(Played::rainbow(1).0.query("log"), None);
}

#[test]
fn a_place_that_does_not_exist_is_refused_with_the_nearest_name() {
    let mut played = Played::rainbow(1);
    for (place, expected) in [
        ("Romb1", "there is no place `Romb1`; did you mean `RoomB1`?"),
        ("rooma2", "there is no place `rooma2`; did you mean `RoomA2`?"),
        ("Kitchen", "there is no place `Kitchen`"),
    ] {
        let refused = played.act("Bot_1", &go_to(place)).expect_err("there is no such place");
        assert_eq!(refused.to_string(), expected);
    }
}
