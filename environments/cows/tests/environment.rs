//! Tests the environment through the interface: moves, cows, fences, scores, percepts, maps, and the built-in agents.

use situated::agent::Agent;
use situated::encoding::Encode;
use situated::environment::{Ending, Environment};
use situated::random::Random;
use situated_checker::Settings;
use situated_cows::herder::{Chaser, Herder};
use situated_cows::pasture::{Being, Direction, Ground, Pasture, Team};
use situated_cows::{Action, COWBOY, Cows, Parameters, Percept, map};
use situated_grid::Place;

type Game = situated_checker::Game<Cows>;

fn random_map(size: u8, cowboys: u8, cows: u16) -> Parameters {
    Parameters { pasture: None, size, cowboys, cows, line_of_sight: 8, max_steps: 1000 }
}

fn with_map(map: &str) -> Parameters {
    Parameters { pasture: Some(map.into()), line_of_sight: 2, ..random_map(20, 1, 0) }
}

fn pasture(run: &Game) -> &Pasture {
    run.environment().pasture()
}

/// Plays to the end with an agent for each cowboy.
fn play(run: &mut Game, agents: &mut [Box<dyn Agent<Action, Percept>>]) {
    while run.environment().ending().is_none() {
        agents.iter_mut().enumerate().for_each(|(cowboy, agent)| run.decide(cowboy, agent));
        run.steps(1);
    }
}

const MAP: &str = "\
.......
.R.....
rrs.#bb
rr|.cbb
rr|....
.....B.
";

/// The places of the first red and the first blue cowboy of the map.
const STARTS: [Place; 2] = [(1, 1), (5, 5)];

fn go(direction: Direction) -> Action {
    Action::Move { direction }
}

fn place(run: &Game, cowboy: usize) -> Place {
    pasture(run).cowboys()[cowboy].place()
}

/// Moves a cowboy; a move that fails by chance is repeated.
fn walk(run: &mut Game, cowboy: usize, direction: Direction) {
    let before = place(run, cowboy);
    for _ in 0..20 {
        run.act(cowboy, &go(direction));
        run.steps(1);
        if place(run, cowboy) != before {
            return;
        }
    }
}

#[test]
fn follows_the_rules_for_environments() {
    let settings = Settings { seeds: 1..=3, steps: 60, ..Settings::default() }
        .parameter("size", 20)
        .parameter("cowboys", 2)
        .parameter("cows", 9)
        .parameter("lineOfSight", 3);
    settings.check_encoded::<Cows>().expect("the parameters are valid").assert_passed();
    let ends = settings.parameter("maxSteps", 20);
    ends.check_encoded::<Cows>().expect("the parameters are valid").assert_passed();
}

#[test]
fn percepts_are_those_of_the_contest() {
    let mut run = Game::begin(Parameters { max_steps: 1, ..with_map(MAP) }, 1);
    let about = "simStart simId(cows) opponent(blue) steps(1) gridSize(7,6) corralPos(0,2,1,4) lineOfSight(2)";
    let cells = "cell(-1,1,corral,0) cell(0,1,corral,0) cell(1,1,switch,0) cell(-1,2,corral,0) cell(0,2,corral,0) \
                 cell(1,2,fence,0)";
    assert_eq!(run.percepts(0).join(" "), format!("{about} currentStep(0) pos(1,1,0) cowsInCorral(0,0) {cells}"));
    let blue = run.percepts(1);
    for expected in ["pos(5,5,0)", "corralPos(5,2,6,3)", "cell(-1,-2,cow,0,0)", "cell(0,-2,corral,0)"] {
        assert!(blue.contains(&expected.to_owned()), "{expected} is missing in {blue:?}");
    }
    run.steps(1);
    let percepts = run.percepts(0);
    assert_eq!(percepts[percepts.len() - 3..], ["simEnd", "result(draw)", "averageScore(0.0)"]);
    assert_eq!(run.environment().ending(), Some(Ending::Truncated));
    let before = pasture(&run).clone();
    run.act(1, &go(Direction::West));
    run.steps(1);
    assert_eq!((place(&run, 1), pasture(&run).cows().collect::<Vec<_>>()), (STARTS[1], before.cows().collect()));
}

#[test]
fn cowboys_act_once_in_a_step_and_move_to_free_cells_only() {
    let mut run = Game::begin(with_map(MAP), 1);
    run.act(0, &go(Direction::East));
    let again = run.try_act(0, &Action::Skip).expect_err("it has acted");
    assert!(again.contains("already acted"), "{again}");
    run.steps(1);
    for (direction, to) in [(Direction::South, (1, 2)), (Direction::Southeast, (1, 2)), (Direction::West, (0, 2))] {
        let mut run = Game::begin(with_map(MAP), 1);
        walk(&mut run, 0, Direction::South);
        if direction != Direction::South {
            walk(&mut run, 0, direction);
        }
        assert_eq!(place(&run, 0), to, "{direction:?}");
    }
}

#[test]
fn a_fence_is_open_while_somebody_stands_at_its_switch() {
    let mut run = Game::begin(with_map(MAP), 1);
    let is_open = |run: &Game| pasture(run).fences()[0].is_open();
    assert!(!is_open(&run));
    walk(&mut run, 0, Direction::East);
    assert!(is_open(&run), "above the switch");
    assert!(run.percepts(0).iter().any(|one| one.starts_with("cell(0,2,openFence")));
    // The other cowboy goes into the line of the fence.
    for direction in [Direction::West, Direction::West, Direction::Northwest] {
        walk(&mut run, 1, direction);
    }
    assert_eq!(place(&run, 1), (2, 4));
    walk(&mut run, 0, Direction::North);
    assert!(!is_open(&run));
    assert_eq!(place(&run, 1), (3, 5), "who stands in the line goes back when the fence closes");
    walk(&mut run, 1, Direction::Northwest);
    assert_eq!(place(&run, 1), (3, 5), "a closed fence stops everybody");
}

#[test]
fn nobody_passes_diagonally_between_a_switch_and_its_fence() {
    let mut run = Game::begin(with_map(&MAP.replace(".R.", "R..").replace("rrs.#", "rrs.R")), 1);
    assert_eq!(place(&run, 1), (4, 2));
    walk(&mut run, 1, Direction::West);
    assert!(pasture(&run).fences()[0].is_open());
    walk(&mut run, 1, Direction::Southwest);
    assert_eq!(place(&run, 1), (3, 2));
    walk(&mut run, 0, Direction::East);
    walk(&mut run, 0, Direction::East);
    assert_eq!(place(&run, 0), (2, 1));
    walk(&mut run, 1, Direction::South);
    walk(&mut run, 1, Direction::West);
    assert_eq!(place(&run, 1), (2, 3), "the other one keeps it open");
}

#[test]
fn cows_flee_from_cowboys_and_like_company() {
    let field = |red: usize, first: usize, second: Option<usize>| {
        let mut row = vec![b'.'; 40];
        row[red] = b'R';
        row[first] = b'c';
        second.into_iter().for_each(|cow| row[cow] = b'c');
        let mut rows = vec![".".repeat(40); 15];
        rows[7] = String::from_utf8(row).expect("it is text");
        rows[0] = format!("rr{}bB", ".".repeat(36));
        rows.join("\n")
    };
    for seed in 1..=10 {
        let mut run = Game::begin(with_map(&field(10, 14, None)), seed);
        run.steps(6);
        let cow = pasture(&run).cows().next().expect("there is one");
        assert!((cow.0 - 10).abs().max((cow.1 - 7).abs()) > 4, "seed {seed}: it stays near, at {cow:?}");
        let mut run = Game::begin(with_map(&field(1, 20, Some(24))), seed);
        run.steps(12);
        let cows: Vec<Place> = pasture(&run).cows().collect();
        let apart = (cows[0].0 - cows[1].0).abs().max((cows[0].1 - cows[1].1).abs());
        assert!(apart < 4, "seed {seed}: they come nearer, {cows:?}");
    }
}

#[test]
fn random_teams_keep_the_laws_of_the_pasture() {
    for seed in 1..=20 {
        let mut random = Random::stream(seed, 1);
        let mut run = Game::begin(random_map(20 + (seed % 3) as u8, 5, 30), seed);
        let mut sums = [0; 2];
        for step in 1..=150 {
            for cowboy in 0..run.players.len() {
                // They prefer to go where cows and fences are.
                let cows: Vec<Place> =
                    pasture(&run).cows().chain(pasture(&run).fences()[0..1].iter().map(|one| one.switch())).collect();
                let goal = cows[random.index(cows.len())];
                let towards = Direction::towards(place(&run, cowboy), goal).unwrap_or(Direction::North);
                run.act(cowboy, &go(if random.chance(0.5) { towards } else { Direction::ALL[random.index(8)] }));
            }
            let before = pasture(&run).clone();
            run.steps(1);
            let pasture = pasture(&run);
            let (width, height) = pasture.size();
            let mut beings = [0; 2];
            for place in (0..height).flat_map(|y| (0..width).map(move |x| (x, y))) {
                let Some(being) = pasture.being(place) else { continue };
                let (kind, stands) = match being {
                    Being::Cow(cow) => (0, pasture.cows().nth(cow.into())),
                    Being::Cowboy(cowboy) => (1, Some(pasture.cowboys()[usize::from(cowboy)].place())),
                };
                beings[kind] += 1;
                assert_eq!(stands, Some(place), "seed {seed}, step {step}");
                let can_be_there = match pasture.ground(place) {
                    None | Some(Ground::Obstacle | Ground::Switch) => false,
                    Some(Ground::Fence(fence)) => pasture.fences()[usize::from(fence)].is_open(),
                    Some(Ground::Grass | Ground::Corral(_)) => true,
                };
                assert!(can_be_there, "seed {seed}, step {step}: {being:?} is in a wall at {place:?}");
            }
            assert_eq!(beings, [30, 10], "seed {seed}, step {step}: all are there, each in a cell of its own");
            let deciding = before.cows().zip(pasture.cows()).filter(|(before, now)| before != now).count();
            assert!(deciding < 30, "seed {seed}, step {step}: only some of the cows move in a step");
            for (team, sum) in Team::BOTH.into_iter().zip(&mut sums) {
                let ((west, north), (east, south)) = pasture.corral(team);
                let is_inside = |(x, y): &Place| (west..=east).contains(x) && (north..=south).contains(y);
                let inside = pasture.cows().filter(is_inside).count() as u32;
                *sum += inside;
                assert_eq!(pasture.count(team), inside, "seed {seed}, step {step}");
                let mean = f64::from(*sum) / f64::from(step);
                assert!((pasture.score(team) - mean).abs() < 1e-9, "seed {seed}, step {step}");
            }
        }
    }
}

#[test]
fn random_maps_are_fair_and_can_be_read_again() {
    for seed in 1..=30 {
        let (size, cowboys, cows) = (20 + (seed % 5) as u8 * 20, 1 + (seed % 20) as u8, (seed % 7) as u16 * 8 + 1);
        let text = map::random(size, cowboys, cows, &mut Random::new(seed));
        let pasture = map::read(&text, &mut Random::new(1)).expect("it is a map");
        assert_eq!((pasture.size().0, pasture.cows().count()), (size.into(), usize::from(cows)), "seed {seed}");
        assert_eq!(pasture.cowboys().len(), 2 * usize::from(cowboys), "seed {seed}");
        let turned: String = text.trim_end().chars().rev().collect();
        let swapped = turned.chars().map(|one| match one {
            'r' => 'b',
            'b' => 'r',
            'R' => 'B',
            'B' => 'R',
            other => other,
        });
        // The last of an odd number of cows is on one side of the middle.
        let other = swapped.zip(text.trim_end().chars()).filter(|(one, other)| one != other).count();
        assert!(other <= 2, "seed {seed}: the map is the same for both teams, but for {other} cells\n{text}");
    }
}

#[test]
fn wrong_parameters_are_refused() {
    let wrong = [
        (with_map("R"), "it has 1 x 1 cells"),
        (with_map(&MAP.replace("rrs.#bb", "rrs.#b")), "row 3 has 6 cells, and the first 7"),
        (with_map(&MAP.replace('#', "?")), "row 3 contains `?`"),
        (with_map(&MAP.replace('s', ".")), "has no switch"),
        (with_map(&MAP.replace('|', ".")), "must have one fence beside it"),
        (with_map(&MAP.replace("rr|....\n", "rr|....\n..s....\n")), "have the same fence"),
        (with_map(&MAP.replace("rrs", ".rs")), "the corral `r` are no rectangle"),
        (with_map(&MAP.replace('b', ".")), "no corral of `b`"),
        (with_map(&MAP.replace('R', ".")), "the red team has 0 cowboys"),
        (Parameters { cowboys: 21, ..random_map(40, 1, 0) }, "`cowboys` is 21; it must be from 1 to 20"),
        (random_map(20, 1, 51), "`cows` is 51; it must be from 0 to 50"),
        (Parameters { line_of_sight: 0, ..random_map(40, 1, 0) }, "`lineOfSight` is 0"),
    ];
    for (parameters, reason) in wrong {
        let problem = Game::refusal(parameters);
        assert!(problem.contains(reason), "{problem} should contain {reason}");
    }
}

#[test]
fn menus_lead_towards_the_cell_at_which_a_person_points() {
    let mut run = Game::begin(with_map(MAP), 1);
    let labels = |run: &Game, at| run.menu(0, at).items.iter().map(|item| item.label.to_string()).collect::<Vec<_>>();
    // In scenes, y grows to the north: the cowboy is at (1.5, 4.5).
    assert_eq!(labels(&run, Some((1.5, 4.5))), ["Stay here"]);
    assert_eq!(labels(&run, Some((6.5, 4.2))), ["Go east"]);
    assert_eq!(labels(&run, Some((0.5, 5.5))), ["Go northwest"]);
    let far = run.interface.menu(run.players[0].0, run.players[0].1, Some((-1e300, 4.5))).expect("it is far away");
    assert_eq!(far.items[0].label, "Go west");
    let all = labels(&run, None);
    assert_eq!(
        (all.len(), all.last().map(String::as_str)),
        (8, Some("Stay here")),
        "the switch is in the way: {all:?}"
    );
    run.act(0, &Action::Skip);
    assert!(labels(&run, None).is_empty(), "it has acted");
}

#[test]
fn the_view_of_a_cowboy_shows_no_more_than_it_perceives() {
    let run = Game::begin(with_map(MAP), 1);
    let seen = run.environment().scene(Some(run.players[0].1), run.context());
    let whole = run.environment().scene(None, run.context());
    let names = |scene: &situated::scene::Scene| scene.shapes.iter().filter(|one| one.stands_for.is_some()).count();
    assert_eq!((names(&whole), names(&seen)), (2, 1));
    assert!(!seen.shapes.iter().any(|one| one.label == "blue"), "the other corral is out of sight");
    assert!(seen.shapes.iter().any(|one| one.label == "red"), "it knows its own corral");
}

#[test]
fn each_element_of_an_observation_has_a_meaning() {
    let parameters = random_map(20, 1, 0);
    let meanings = Cows::meanings(&parameters, COWBOY);
    let encoding = Cows::encoding(&parameters, COWBOY).expect("cowboys have one");
    assert_eq!((meanings.len(), meanings[0].as_str()), (encoding.size(), "obstacle at (-8, -8)"));
    assert_eq!((encoding.actions[0].as_str(), encoding.actions[8].as_str()), ("skip", "move(northwest)"));
}

#[test]
fn built_in_herders_beat_a_naive_team() {
    let mut won = 0;
    for seed in 1..=10 {
        let herders = Team::BOTH[(seed % 2) as usize];
        let mut run = Game::begin(Parameters { max_steps: 300, ..random_map(30, 10, 40) }, seed);
        let agent = |team: Team, number: u64| -> Box<dyn Agent<Action, Percept>> {
            if team == herders { Box::new(Herder::new(team, number)) } else { Box::new(Chaser::new(team, number)) }
        };
        let mut agents: Vec<_> =
            Team::BOTH.into_iter().flat_map(|team| (1..=10).map(move |number| agent(team, number))).collect();
        play(&mut run, &mut agents);
        let pasture = pasture(&run);
        won += u32::from(pasture.score(herders) > pasture.score(herders.other()));
    }
    assert!(won >= 9, "the herders won {won} of 10");
}

/// Returns the mean numbers of cows in the corrals in 400 steps, with herders in these teams and no agents in the
/// others.
fn scores_of_herders(teams: &[Team], size: u8) -> [f64; 2] {
    let mut run = Game::begin(Parameters { max_steps: 400, ..random_map(size, 10, 40) }, 1);
    let cowboys = std::mem::take(&mut run.players);
    run.players = teams.iter().flat_map(|team| cowboys[*team as usize * 10..][..10].iter().copied()).collect();
    let herder = |team, number| -> Box<dyn Agent<Action, Percept>> { Box::new(Herder::new(team, number)) };
    let mut agents: Vec<_> = teams.iter().flat_map(|team| (1..=10).map(move |number| herder(*team, number))).collect();
    play(&mut run, &mut agents);
    Team::BOTH.map(|team| pasture(&run).score(team))
}

#[test]
fn built_in_herders_fill_a_corral_that_nobody_contests() {
    for size in [20, 24, 30, 40] {
        for team in Team::BOTH {
            let score = scores_of_herders(&[team], size)[team as usize];
            assert!(score > 2.0, "{score} cows of team {} on {size} x {size} cells", team.name());
        }
    }
}

#[test]
fn two_teams_of_built_in_herders_share_the_cows() {
    for size in [20, 30] {
        let scores = scores_of_herders(&Team::BOTH, size);
        assert!(scores.iter().all(|score| *score > 1.0), "{scores:?} cows on {size} x {size} cells");
    }
}
