//! Tests the environment through the interface: durations, percepts, level files, random floors, dust that appears
//! again, and the built-in agent.

use std::collections::BTreeMap;

use situated::encoding::Encode;
use situated::environment::{Ending, Environment};
use situated::interface::{Command, EncodedView, Interface};
use situated::random::Random;
use situated_checker::Settings;
use situated_vacuum::cleaner::Cleaner;
use situated_vacuum::floor::{Floor, Square, Task};
use situated_vacuum::{Action, Light, NAMES, Parameters, VACBOT, Vacuum, Way, level};

type Game = situated_checker::Game<Vacuum>;

fn parameters(level: &str) -> Parameters {
    Parameters { level: level.into(), robots: None, generate: "no".into(), regeneration: None, speed: 100 }
}

fn random(robots: u8) -> Parameters {
    Parameters { robots: Some(robots), ..parameters("") }
}

fn moving(direction: Way, distance: u16) -> Action {
    Action::Move { direction, distance: Some(distance) }
}

fn floor(run: &Game) -> &Floor {
    &run.environment().floor
}

fn percepts(run: &mut Game, robot: usize) -> String {
    run.percepts(robot).join(" ")
}

const LEVEL: &str = "\
# Two robots.
X  .
e w.
 N  ";

#[test]
fn follows_the_rules_for_environments() {
    situated_checker::check_encoded_environment::<Vacuum>();
    let settings = Settings { seeds: 1..=3, ..Settings::default() }.parameter("generate", "1 %").parameter("robots", 2);
    settings.check_encoded::<Vacuum>().expect("the parameters are valid").assert_passed();
}

#[test]
fn percepts_and_durations_are_those_of_the_original() {
    let mut run = Game::begin(parameters(LEVEL), 1);
    // Henry looks to the east, at (0, 1) from the north-western corner; Decco to the north from dust at (1, 2).
    let henry = "location(0,1) direction(east) light(off) task(none) square(left,obstacle) square(forwardLeft,empty) \
                 square(forward,empty) square(forwardRight,vac) square(right,empty) square(here,empty)";
    assert_eq!(percepts(&mut run, 0), henry);
    let decco = percepts(&mut run, 1);
    assert!(decco.starts_with("location(1,2) direction(north)") && decco.ends_with("square(here,dust)"), "{decco}");
    // A half turn and two squares: 1, 1.5 and 1.5 seconds. Squares and location are those from before until then.
    run.act(1, &moving(Way::South, 5));
    run.steps(9);
    assert!(percepts(&mut run, 1).contains("direction(north) light(off) task(turn)"));
    run.steps(1);
    assert!(percepts(&mut run, 1).contains("direction(south) light(off) task(none)"), "the floor ends there");
    run.act(0, &moving(Way::Forward, 2));
    run.act(0, &Action::Light { state: Light::On });
    run.steps(14);
    assert_eq!(
        percepts(&mut run, 0),
        henry.replace("task(none)", "task(move)"),
        "a busy robot ignores further actions"
    );
    assert!(percepts(&mut run, 1).contains("square(right,empty)"));
    run.steps(1);
    let henry = percepts(&mut run, 0);
    assert!(henry.starts_with("location(1,1) direction(east) light(off) task(none)"), "Lloyd is in the way: {henry}");
    assert!(henry.contains("square(forward,vac)"), "{henry}");
    // Cleaning takes 3 seconds.
    run.act(1, &Action::Clean);
    run.steps(29);
    assert_eq!((floor(&run).dust, floor(&run).robots[1].task), (3, Task::Clean));
    run.steps(1);
    assert_eq!(floor(&run).dust, 2);
    assert!(percepts(&mut run, 1).ends_with("square(here,empty)"));
    run.act(1, &Action::Clean);
    run.act(1, &Action::Light { state: Light::On });
    assert!(percepts(&mut run, 1).contains("light(on) task(none)"), "cleaning a clean square takes no time");
}

#[test]
fn a_robot_keeps_both_squares_while_it_moves() {
    let mut run = Game::begin(parameters("e w\n   "), 1);
    run.act(0, &moving(Way::Forward, 1));
    run.act(1, &moving(Way::Forward, 1));
    run.steps(15);
    let places: Vec<_> = floor(&run).robots.iter().map(|robot| robot.place).collect();
    assert_eq!(places, [(1, 1), (2, 1)]);
}

#[test]
fn speed_is_in_percent() {
    for (speed, steps) in [(100, 15), (300, 5), (1000, 2), (10, 150)] {
        let mut run = Game::begin(Parameters { speed, ..parameters("e  \n   ") }, 1);
        run.act(0, &moving(Way::Forward, 1));
        run.steps(steps - 1);
        assert_eq!(floor(&run).robots[0].place, (0, 1), "{speed} percent");
        run.steps(1);
        assert_eq!(floor(&run).robots[0].place, (1, 1), "{speed} percent");
    }
}

#[test]
fn wrong_parameters_are_refused() {
    let wrong = [
        (parameters("# no row\n"), "it has 0 x 0 cells; a map has from 1 x 1 to 100 x 100"),
        (parameters("e \n   "), "row 2 has 3 cells, and the first 2"),
        (parameters("e \n ?"), "row 2 contains `?`"),
        (parameters("..\n.."), "it has 0 robots"),
        (parameters("eeeee\neeee "), "it has 9 robots"),
        (parameters("9"), "there are 9 robots"),
        (random(0), "`robots` is 0; it must be from 1 to 8"),
        (Parameters { speed: 0, ..parameters("1") }, "`speed` is 0; it must be from 1 to 1000"),
        (Parameters { generate: "often".into(), ..parameters("1") }, "it must be `no`, or such as `5 s` or `2 %`"),
        (Parameters { regeneration: Some("200 %".into()), ..parameters("1") }, "`200 %`"),
    ];
    for (parameters, reason) in wrong {
        let problem = Game::refusal(parameters);
        assert!(problem.contains(reason), "{problem}");
    }
    assert!(level::read("\n# nothing\n").expect_err("it is empty").contains("0 x 0 cells"));
}

#[test]
fn random_floors_have_the_numbers_of_the_original() {
    for (robots, size) in [(1, (8, 4)), (2, (11, 6)), (4, (16, 8)), (8, (23, 11))] {
        for seed in 1..=50 {
            let run = Game::begin(random(robots), seed);
            let floor = floor(&run);
            let (width, height) = floor.size();
            assert_eq!((width, height), size);
            let places = || (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
            let obstacles = places().filter(|place| floor.square(*place) == Square::Obstacle).count();
            assert_eq!((obstacles, floor.dust), (2 * usize::from(robots), 8 * u32::from(robots)), "seed {seed}");
        }
    }
}

#[test]
fn the_built_in_agents_clean_every_random_floor() {
    for seed in 1..=64 {
        let robots = 1 + (seed % 8) as u8;
        let mut run = Game::begin(random(robots), seed);
        let mut cleaners: Vec<Cleaner> = NAMES.iter().take(robots.into()).map(|name| Cleaner::new(name)).collect();
        let mut seconds = 0;
        while run.environment().ending().is_none() {
            cleaners.iter_mut().enumerate().for_each(|(robot, cleaner)| run.decide(robot, cleaner));
            run.steps(10);
            seconds += 1;
            assert!(seconds < 3_000, "seed {seed}: {} squares are dusty", floor(&run).dust);
        }
        assert_eq!((floor(&run).dust, run.environment().ending()), (0, Some(Ending::Terminated)));
        let cleaned: u32 = floor(&run).robots.iter().map(|robot| robot.cleaned).sum();
        assert_eq!(cleaned, 8 * u32::from(robots), "seed {seed}");
    }
}

#[test]
fn a_floor_can_have_one_row_or_one_column() {
    for (level, size) in [(". E.X.", (6, 1)), (".\n \nE\n.", (1, 4)), ("E", (1, 1))] {
        let mut run = Game::begin(parameters(level), 1);
        assert_eq!(floor(&run).size(), size);
        let scene = run.environment().scene(None, run.context());
        assert_eq!((scene.width, scene.height), (f64::from(size.0), f64::from(size.1)));
        // The robot cannot reach what is beyond an obstacle.
        let beyond = u32::from(level.contains('X'));
        let mut cleaner = Cleaner::new(NAMES[0]);
        for _ in 0..200 {
            run.decide(0, &mut cleaner);
            run.steps(10);
        }
        assert_eq!(floor(&run).dust, beyond, "{level:?}");
    }
    let run = Game::begin(parameters("e   "), 1);
    let labels = |at| run.menu(0, Some(at)).items.iter().map(|item| item.label.to_string()).collect::<Vec<_>>();
    let scene = run.environment().scene(Some(run.players[0].1), run.context());
    // It knows its square and the one ahead; the scene begins one square further.
    assert_eq!((scene.width, scene.height), (4.0, 3.0));
    assert_eq!(labels((2.5, 1.5)), ["Go 1 to the east"]);
}

#[test]
fn dust_appears_again() {
    let mut run = Game::begin(Parameters { generate: "2 s".into(), ..parameters("E \n  ") }, 1);
    run.act(0, &Action::Clean);
    run.steps(30);
    assert_eq!(floor(&run).dust, 0);
    run.steps(20);
    assert_eq!((floor(&run).dust, run.environment().ending()), (1, None));
    let mut run = Game::begin(Parameters { generate: "0 s".into(), ..parameters("E.\nXX") }, 1);
    run.act(0, &Action::Clean);
    run.steps(30);
    assert_eq!(floor(&run).dust, 1, "there is no empty square");
    run.act(0, &moving(Way::Forward, 1));
    run.steps(30);
    assert_eq!(floor(&run).dust, 2);
    let mut run = Game::begin(Parameters { regeneration: Some("100 %".into()), ..parameters("e \nX ") }, 1);
    run.steps(10);
    assert_eq!((floor(&run).dust, floor(&run).square((0, 1))), (2, Square::Clean), "not below the robot");
}

#[test]
fn random_robots_keep_the_laws_of_the_floor() {
    for seed in 1..=60 {
        let mut random_actions = Random::stream(seed, 1);
        let mut run = Game::begin(Parameters { speed: 700, ..random(1 + (seed % 8) as u8) }, seed);
        for _ in 0..300 {
            for robot in 0..run.players.len() {
                let ways =
                    [Way::Forward, Way::Left, Way::Right, Way::Back, Way::North, Way::East, Way::South, Way::West];
                let way = ways[random_actions.index(ways.len())];
                let action = match random_actions.index(5) {
                    0 => Action::Clean,
                    1 => Action::Light { state: Light::On },
                    distance => moving(way, distance as u16 - 2),
                };
                run.act(robot, &action);
            }
            let before = floor(&run).clone();
            run.steps(1);
            let floor = floor(&run);
            let mut taken = Vec::new();
            for (robot, was) in floor.robots.iter().zip(&before.robots) {
                let (x, y) = (robot.place.0 - was.place.0, robot.place.1 - was.place.1);
                assert!(x.abs() + y.abs() <= 1, "seed {seed}: a robot jumps");
                assert!(robot.seen.place == robot.place || robot.task == Task::Move, "seed {seed}");
                taken.push(robot.place);
                taken.extend(robot.destination());
            }
            assert!(taken.iter().all(|place| floor.square(*place) != Square::Obstacle), "seed {seed}");
            taken.sort_unstable();
            let count = taken.len();
            taken.dedup();
            assert_eq!(taken.len(), count, "seed {seed}: two robots on a square");
            let cleaned = |floor: &Floor| floor.robots.iter().map(|robot| robot.cleaned).sum::<u32>();
            assert_eq!(before.dust - floor.dust, cleaned(floor) - cleaned(&before), "seed {seed}");
        }
    }
}

#[test]
fn menus_lead_to_the_square_at_which_a_person_points() {
    let mut run = Game::begin(parameters("E   \n    "), 1);
    let labels = |at| run.menu(0, at).items.iter().map(|item| item.label.to_string()).collect::<Vec<_>>();
    assert_eq!(labels(None)[..2], ["Clean this square", "Go forward"]);
    // The robot knows the squares from (0, 0) to (1, 1), and those beyond the floor; the scene begins one square
    // further.
    let scene = run.environment().scene(Some(run.players[0].1), run.context());
    assert_eq!((scene.width, scene.height), (4.0, 4.0));
    assert_eq!(labels(Some((1.5, 2.5))), ["Clean this square"]);
    assert_eq!(labels(Some((2.5, 2.5))), ["Go 1 to the east"]);
    assert_eq!(labels(Some((3.5, 1.5))), ["Go 2 to the east", "Go 1 to the south"]);
    run.act(0, &Action::Clean);
    assert!(run.menu(0, None).items.is_empty(), "a busy robot has no choices");
}

#[test]
fn each_element_of_an_observation_has_a_meaning() {
    let meanings = Vacuum::meanings(&parameters("1"), VACBOT);
    let size = Vacuum::encoding(&parameters("1"), VACBOT).expect("robots have one").size();
    assert_eq!((meanings.len(), meanings[0].as_str()), (size, "left: obstacle"));
    assert_eq!(meanings[24..], ["looks east", "looks north", "looks west", "looks south", "is idle", "x", "y"]);
}

#[test]
fn learners_observe_the_place_that_a_robot_perceives() {
    // At location(1,1) of 2 x 3 squares, and at location(0,0).
    for (level, place) in [("..\n.E\n..", [1.0 / 2.0, 1.0 / 3.0]), ("E.\n..\n..", [0.0, 0.0])] {
        let mut interface = Interface::<Vacuum>::with_encoding();
        let parameters = BTreeMap::from([("level".to_owned(), level.into())]);
        interface.manage(Command::Init { parameters, seed: 1 }).expect("a sound floor");
        let encoded = EncodedView::encode(&interface, NAMES[0]).expect("it exists").expect("it has an encoding");
        assert_eq!(encoded.observation[encoded.observation.len() - 2..], place);
    }
}
