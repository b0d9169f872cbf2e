//! Scenes: the view of the whole environment shows everything, and that of an entity shows only what it perceives.

use std::collections::BTreeSet;

use crate::played::{Played, defaults, go_to};
use serde_json::json;
use situated::environment::Environment;
use situated::iil::{Numeral, Parameter};
use situated::scene::{Color as Paint, Outline, Role, Scene, Shape};
use situated_bw4t::action::Action;
use situated_bw4t::geometry::{Point, Rectangle};
use situated_bw4t::map::Standard;
use situated_bw4t::percept::Percept;
use situated_bw4t::{Bw4t, Color, Map, Names, Parameters};

/// Returns the left, lower, right and upper edge of a shape.
fn edges(shape: &Shape) -> [f64; 4] {
    match &shape.outline {
        Outline::Rectangle { x, y, width, height } => [*x, *y, x + width, y + height],
        Outline::Circle { x, y, radius } => [x - radius, y - radius, x + radius, y + radius],
        Outline::Line(points) => points.iter().fold([f64::MAX, f64::MAX, f64::MIN, f64::MIN], |all, (x, y)| {
            [all[0].min(*x), all[1].min(*y), all[2].max(*x), all[3].max(*y)]
        }),
    }
}

/// Returns the numbers of the objects that shapes represent.
fn numbers(scene: &Scene) -> BTreeSet<i64> {
    let numbers = scene.shapes.iter().filter_map(|shape| match shape.stands_for {
        Some(Parameter::Numeral(Numeral::Integer(number))) => Some(number),
        _ => None,
    });
    numbers.collect()
}

/// Returns the numbers of the objects that a viewer sees, and of the other robots, which wear their names.
fn objects(played: &Played, scene: &Scene) -> BTreeSet<i64> {
    let is_shown = |name: &str| named(scene, name).iter().any(|shape| shape.role == Some(Role::Entity));
    let robots = played.world().robots().iter().filter(|robot| is_shown(&robot.name));
    robots.map(|robot| i64::from(robot.id)).chain(numbers(scene)).collect()
}

/// Returns the shapes that represent this name.
fn named<'a>(scene: &'a Scene, name: &str) -> Vec<&'a Shape> {
    scene.shapes.iter().filter(|shape| shape.stands_for == Some(Parameter::from(name))).collect()
}

/// Returns the labels on the doors of a room; empty if its state is unknown.
fn door(scene: &Scene, room: &str) -> String {
    let doors = named(scene, room).into_iter().filter(|shape| shape.label != room);
    doors.map(|shape| shape.label.as_str()).collect()
}

/// All labels, in order.
fn labels(scene: &Scene) -> Vec<&str> {
    scene.shapes.iter().map(|shape| shape.label.as_str()).filter(|label| !label.is_empty()).collect()
}

/// Returns the colours of shapes that represent numbers: blocks, and objects known only by their numbers.
fn colors_of_blocks(scene: &Scene) -> BTreeSet<[u8; 3]> {
    let is_number = |shape: &&Shape| matches!(shape.stands_for, Some(Parameter::Numeral(_)));
    scene
        .shapes
        .iter()
        .filter(is_number)
        .map(|Shape { color: Paint(red, green, blue), .. }| [*red, *green, *blue])
        .collect()
}

fn seen(played: &Played, name: &str) -> Scene {
    played.0.scene(Some(played.entity(name)))
}

fn go(played: &mut Played, name: &str, place: &str) {
    played.act(name, &go_to(place)).expect("a place");
}

/// Returns the environment in a changed state, which the parameters of these tests cannot express.
fn altered(played: &Played, alter: impl Fn(&mut serde_json::Value)) -> Bw4t {
    let mut state = serde_json::to_value(played.0.environment()).expect("a state");
    alter(&mut state["world"]);
    serde_json::from_value(state).expect("still a state")
}

/// `Bot_1` is in `RoomC1` with its six blocks, `Bot_2` in the hall before it, and `Bot_3` where it began.
fn visit() -> Played {
    let mut played = Played::rainbow(3);
    go(&mut played, "Bot_1", "RoomC1");
    played.run(300);
    go(&mut played, "Bot_2", "FrontRoomC1");
    played.run(300);
    played
}

#[test]
fn the_whole_shows_places_blocks_and_robots() {
    let played = visit();
    let scene = played.0.scene(None);
    for zone in played.world().ground().zones() {
        assert!(named(&scene, &zone.name).iter().any(|shape| shape.label == zone.name.as_str()), "{}", zone.name);
    }
    assert_eq!(numbers(&scene), (38..60).collect());
    for robot in ["Bot_1", "Bot_2", "Bot_3"] {
        let [left, lower, right, upper] = edges(named(&scene, robot)[0]);
        assert_eq!((right - left, upper - lower), (2.0, 2.0), "the size of {robot}");
    }
    let [above, below] = ["RoomA1", "DropZone"].map(|place| edges(named(&scene, place)[0])[1]);
    assert!(above > below, "what is above in the world is above in the scene");
}

#[test]
fn doors_of_occupied_rooms_are_closed() {
    let played = visit();
    for scene in [played.0.scene(None), seen(&played, "Bot_1"), seen(&played, "Bot_3")] {
        assert_eq!(
            [door(&scene, "RoomC1"), door(&scene, "RoomC2"), door(&scene, "DropZone")],
            ["closed", "open", "open"]
        );
    }
}

#[test]
fn a_robot_sees_what_is_in_its_zone() {
    let mut played = visit();
    let blocks = (43..49).collect();
    assert_eq!(numbers(&seen(&played, "Bot_1")), blocks, "the blocks of the room");
    assert_eq!(numbers(&seen(&played, "Bot_2")), [].into(), "neither blocks nor others");
    go(&mut played, "Bot_2", "FrontDropZone");
    played.run(400);
    let scene = seen(&played, "Bot_2");
    assert_eq!(numbers(&scene), [].into(), "no blocks");
    assert_eq!([named(&scene, "Bot_1").len(), named(&scene, "Bot_2").len(), named(&scene, "Bot_3").len()], [0, 1, 1]);
    let [other] = named(&scene, "Bot_3")[..] else { unreachable!("there is one") };
    assert_eq!(other.label, "Bot_3", "people see who is there by the name that messages have");
}

/// Ten robots go everywhere; the view of each shows exactly what it perceives.
#[test]
fn views_show_exactly_what_is_perceived() {
    let mut played = Played::begin(Parameters { map: Some("SuperRandom".into()), robots: 10, ..defaults() }, 7);
    let names: Vec<String> = (1..=10).map(|number| format!("Bot_{number}")).collect();
    for round in 0..20 {
        for (number, name) in names.iter().enumerate() {
            let place = played.zone((7 * round + 5 * number) % 28).to_owned();
            go(&mut played, name, &place);
        }
        played.run(150);
        for name in &names {
            let scene = seen(&played, name);
            let (mut received, mut known, mut occupied) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
            for percept in played.0.percepts(played.robot(name).entity) {
                match percept {
                    Percept::Position { id, .. } => drop(received.insert(i64::from(id))),
                    Percept::Zone { id, .. } | Percept::Robot { id } => drop(known.insert(i64::from(id))),
                    Percept::Occupied { room } => drop(occupied.insert(room)),
                    _ => (),
                }
            }
            assert_eq!(objects(&played, &scene), &received - &known, "{name} in round {round}");
            let zones = played.world().ground().zones().iter();
            let closed = zones.filter(|zone| door(&scene, &zone.name) == "closed").map(|zone| zone.name.clone());
            assert_eq!(closed.collect::<BTreeSet<_>>(), occupied, "{name} in round {round}");
        }
    }
}

#[test]
fn the_color_blind_see_no_colors() {
    let played = visit();
    let entity = Some(played.robot("Bot_1").entity);
    let blind = altered(&played, |world| {
        world["robots"][0]["build"]["color_blind"] = true.into();
        world["robots"][0]["load"] = [0, 1].into();
    });
    let scene = blind.scene(entity, played.0.context());
    let [Paint(red, green, blue), ..] = named(&scene, "Bot_1")[1..].iter().map(|top| top.color).collect::<Vec<_>>()[..]
    else {
        panic!("its top block is not shown")
    };
    assert!(red == green && green == blue, "its top block has a colour");
    assert_eq!(colors_of_blocks(&scene), [[red, green, blue]].into());
    let ids = labels(&scene).into_iter().filter(|label| label.starts_with(char::is_numeric));
    assert_eq!(ids.count(), 6, "no letters that stand for colours");
    assert!(colors_of_blocks(&seen(&played, "Bot_1")).len() > 3, "others see colours");
}

#[test]
fn robots_are_shown_with_their_blocks() {
    let played = visit();
    let held = |load: &[usize]| {
        let loaded = altered(&played, |world| world["robots"][2]["load"] = load.into());
        let scene = loaded.scene(None, played.0.context());
        let body = edges(named(&scene, "Bot_3")[0]);
        let is_inside = |[left, lower, right, upper]: [f64; 4]| {
            body[0] < left && body[1] < lower && right < body[2] && upper < body[3]
        };
        scene.shapes.iter().filter(|shape| is_inside(edges(shape))).map(|shape| shape.color).collect::<Vec<_>>()
    };
    let (red, blue, pink) = (Paint(214, 30, 36), Paint(20, 80, 200), Paint(255, 158, 206));
    assert_eq!(held(&[]), []);
    assert_eq!(held(&[7]), [red]);
    assert_eq!(held(&[7, 14, 10]), [pink, red, blue], "the top one first");
}

#[test]
fn shows_batteries_that_run_down() {
    let played = visit();
    let full = played.0.scene(None).shapes.len();
    let half = altered(&played, |world| {
        (world["robots"][1]["build"]["battery"], world["robots"][1]["used"]) =
            (json!({ "capacity": 10.0, "use_per_tick": 0.02 }), 6.0.into());
    });
    let scene = half.scene(None, played.0.context());
    assert_eq!(scene.shapes.len(), full + 2);
    let body = edges(named(&scene, "Bot_2")[0]);
    let below =
        scene.shapes.iter().map(edges).filter(|[left, _, _, upper]| *left == body[0] && (body[1] - upper).abs() < 0.5);
    let widths: Vec<f64> = below.map(|[left, _, right, _]| ((right - left) * 100.0).round()).collect();
    assert_eq!(widths, [200.0, 80.0]);
    assert_eq!(half.scene(Some(played.robot("Bot_1").entity), played.0.context()), seen(&played, "Bot_1"));
}

#[test]
fn the_sequence_marks_delivered_colours() {
    let played = visit();
    let of_sequence = |delivered: u64| {
        let world = altered(&played, |world| world["delivered"] = delivered.into());
        let scene = world.scene(Some(played.robot("Bot_3").entity), played.0.context());
        let colors = ["Blue", "Green", "Yellow", "Pink", "Orange", "Red"].map(|color| named(&scene, color));
        (colors.map(|shapes| shapes.iter().map(|shape| shape.label.as_str()).collect::<String>()), scene.shapes.len())
    };
    let (labels, shapes) = of_sequence(2);
    assert_eq!(labels, ["✓", "✓", "Y", "P", "O", "R"]);
    let (labels, after_the_last) = of_sequence(6);
    assert_eq!(labels, ["✓"; 6]);
    assert_eq!(after_the_last, shapes + 4 - 1, "nothing is emphasised any more");
}

#[test]
fn shows_ways_on_request() {
    let lines = |paths: bool, viewer: Option<&str>| {
        let mut played = Played::begin(Parameters { robots: 3, paths, ..defaults() }, 1);
        go(&mut played, "Bot_1", "RoomA1");
        go(&mut played, "Bot_2", "RoomB2");
        let scene = viewer.map_or_else(|| played.0.scene(None), |viewer| seen(&played, viewer));
        let is_bend = |shape: &&Shape| matches!(shape.outline, Outline::Circle { .. });
        let bends = scene.shapes.iter().filter(is_bend).count();
        let plans = ["Bot_1", "Bot_2"].map(|robot| played.robot(robot).plan.len());
        (bends, plans)
    };
    let (bends, [first, second]) = lines(true, None);
    assert!(first > 2 && second > 2 && bends == first + second);
    assert_eq!(lines(true, Some("Bot_2")).0, second);
    assert_eq!(lines(true, Some("Bot_3")).0, 0);
    assert_eq!(lines(false, None).0, 0);
}

/// A human that carries an e-partner, and a robot.
fn with_partner(names: Names) -> Played {
    let mut played = Played::begin(Parameters { names, ..defaults() }, 1);
    for (of, name) in [("human", "Ann"), ("epartner", "Pal")] {
        played.0.request(of, Some(name)).expect("there is a place");
    }
    played.act("Ann", &Action::PickUpEPartner).expect("it is near");
    played
}

#[test]
fn shows_e_partners_to_robots_that_perceive_them() {
    let played = with_partner(Names::Specification);
    let is_known = |played: &Played, to: &str| !named(&seen(played, to), "Pal").is_empty();
    assert!(is_known(&played, "Ann") && !is_known(&played, "Bot_1"));
    assert_eq!(objects(&played, &seen(&played, "Ann")), [60].into(), "the robot");
    assert_eq!(objects(&played, &seen(&played, "Bot_1")), [61, 62].into(), "the robot, and the e-partner");
    assert_eq!(numbers(&seen(&played, "Bot_1")), [62].into(), "it does not know the name of the e-partner");
    assert!(is_known(&with_partner(Names::Code), "Bot_1"));
}

#[test]
fn an_e_partner_sees_where_it_is() {
    let played = with_partner(Names::Specification);
    let scene = seen(&played, "Pal");
    assert_eq!(numbers(&scene), [].into());
    assert_eq!(["Ann", "Bot_1"].map(|robot| named(&scene, robot).len()), [0, 0]);
    assert_eq!(door(&scene, "RoomC1"), "", "it does not perceive which rooms are occupied");

    let pal = |played: &Bw4t, context| {
        let entity = played.world().partners()[0].entity;
        named(&played.scene(Some(entity), context), "Pal").last().map(|shape| shape.color)
    };
    let context = played.0.context();
    let held = pal(played.0.environment(), context);
    let free = pal(&altered(&played, |world| world["partners"][0]["holder"] = serde_json::Value::Null), context);
    let gps = |world: &mut serde_json::Value| world["partners"][0]["functions"]["forget_me_not"] = false.into();
    assert_ne!(held, free);
    assert_eq!(pal(&altered(&played, gps), context), free, "only a Forget-me-not perceives that it is carried");
}

#[test]
fn deleted_entities_have_no_view() {
    let mut played = with_partner(Names::Specification);
    let ann = played.robot("Ann").entity;
    played.0.hear(situated::environment::News::Left(ann));
    assert_eq!(played.0.environment().scene(Some(ann), played.0.context()), Scene::default());
}

#[test]
fn hides_names_as_the_map_demands() {
    let mut map = Standard::Rainbow.map();
    map.zones[3].label_visible = false;
    let hidden = map.zones[3].name.clone();
    let played = Played::begin(Parameters { map: Some(map.to_xml().into()), ..defaults() }, 1);
    let scene = played.0.scene(None);
    assert!(!labels(&scene).contains(&hidden.as_str()) && !named(&scene, &hidden).is_empty());
    assert_eq!(labels(&scene).iter().filter(|label| label.contains("Room") || label.contains("Hall")).count(), 25);
}

#[test]
fn all_shapes_are_within_the_bounds() {
    let mut odd = Standard::Rainbow.map();
    odd.spawns[0].position = Point::new(-20.0, 95.0);
    odd.zones[0].bounds = Rectangle::around(Point::new(-7.0, 20.0), 12.0, 60.0);
    odd.sequence = vec![Color::Cyan; 500];
    let narrow = Map { area: Point::new(0.5, 3.0), ..odd.clone() };
    let maps = Standard::ALL.map(Standard::map).into_iter();
    for map in maps.chain([Map::generated(7, 1, 40, 3), Map { sequence: Vec::new(), ..odd.clone() }, odd, narrow]) {
        let robots = map.spawns.len() as u32;
        let mut played = Played::begin(Parameters { map: Some(map.to_xml().into()), robots, ..defaults() }, 5);
        let robots: Vec<String> = played.world().robots().iter().map(|robot| robot.name.to_string()).collect();
        for corner in [Point::new(-9.0, -9.0), Point::new(0.0, 0.0), Point::new(51.0, 81.0)] {
            for robot in &robots {
                let _ = played.act(robot, &Action::GoTo { x: corner.x, y: corner.y });
            }
            played.run(500);
            check_bounds(&played.0.scene(None));
            let large = altered(&played, |world| {
                for robot in world["robots"].as_array_mut().expect("a list") {
                    robot["name"] = "A robot with a name that is rather long".into();
                    robot["build"]["size"] = 5.0.into();
                    robot["build"]["battery"] = json!({ "capacity": 10.0, "use_per_tick": 0.02 });
                }
            });
            check_bounds(&large.scene(None, played.0.context()));
            check_bounds(&large.scene(Some(played.robot(&robots[0]).entity), played.0.context()));
        }
    }
}

fn check_bounds(scene: &Scene) {
    for shape in &scene.shapes {
        let [left, lower, right, upper] = edges(shape);
        let is_within = left > -1e-9 && lower > -1e-9 && right < scene.width + 1e-9 && upper < scene.height + 1e-9;
        assert!(is_within, "{shape:?} in {} by {}", scene.width, scene.height);
    }
}

#[test]
fn roles_tell_what_shapes_are_for() {
    let mut played = visit();
    let role_of = |scene: &Scene, name: &str| named(scene, name)[0].role;
    let whole = played.0.scene(None);
    assert_eq!(role_of(&whole, "RoomA1"), Some(Role::Place));
    assert_eq!(role_of(&whole, "Bot_1"), Some(Role::Entity));
    assert_eq!(role_of(&whole, "LeftHallA"), None);
    go(&mut played, "Bot_1", "RoomA1");
    let scene = seen(&played, "Bot_1");
    assert_eq!(role_of(&scene, "Bot_1"), Some(Role::Oneself));
    assert_eq!(role_of(&scene, "RoomA1"), Some(Role::UnseenPlace), "it is only on its way there");
    let of = |role| scene.shapes.iter().filter(|shape| shape.role == Some(role)).count();
    assert!(of(Role::Route) > 0, "its own way is known to it");
    assert_eq!(of(Role::Goal), 6, "the whole sequence is left");
    let things = objects(&played, &scene);
    assert_eq!(of(Role::Thing) + of(Role::Entity), things.len());
}
