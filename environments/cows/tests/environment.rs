//! Tests the environment through the interface: moves, cows, fences, scores, percepts, maps, and the built-in agents.

use situated::agent::Agent;
use situated::encoding::Encode;
use situated::environment::{Ending, EntityId, Environment};
use situated::interface::{AgentId, Form, Interface, Since};
use situated::menu::MenuRequest;
use situated::ontology::typed::TypedPercept;
use situated::random::Random;
use situated_cows::herder::{Chaser, Herder};
use situated_cows::pasture::{Being, Direction, Ground, Pasture, Team};
use situated_cows::{Action, COWBOY, Cows, Parameters, Percept, map};
use situated_grid::Place;
use situated_testkit::Settings;

struct Run {
    interface: Interface<Cows>,
    cowboys: Vec<(AgentId, EntityId)>,
}

fn random_map(size: u8, cowboys: u8, cows: u16) -> Parameters {
    Parameters { pasture: None, size, cowboys, cows, line_of_sight: 8, max_steps: 1000 }
}

fn with_map(map: &str) -> Parameters {
    Parameters { pasture: Some(map.into()), line_of_sight: 2, ..random_map(20, 1, 0) }
}

impl Run {
    fn new(parameters: Parameters, seed: u64) -> Self {
        let mut interface = Interface::new();
        interface.init(parameters, seed).expect("the parameters are valid");
        interface.start().expect("it is paused");
        let context = interface.episode().expect("it runs").context();
        let entities: Vec<_> = context.entities().map(|(id, entity)| (id, entity.name.clone())).collect();
        let mut cowboys = Vec::new();
        for (entity, name) in entities {
            let agent = interface.register(name.as_str()).expect("the name is free");
            interface.associate(agent, entity).expect("the entity is free");
            cowboys.push((agent, entity));
        }
        Self { interface, cowboys }
    }

    fn world(&self) -> &Cows {
        self.interface.episode().expect("it runs").environment()
    }

    fn pasture(&self) -> &Pasture {
        self.world().pasture()
    }

    fn act(&mut self, cowboy: usize, action: Action) {
        let (agent, entity) = self.cowboys[cowboy];
        self.interface.act(agent, entity, &action).expect("it is accepted");
    }

    fn step(&mut self) {
        self.interface.step().map(drop).expect("it runs");
    }

    fn percepts(&mut self, cowboy: usize) -> Vec<String> {
        let (agent, entity) = self.cowboys[cowboy];
        let seen = self.interface.perceive(agent, entity, Form::Snapshot, Since::LastCall).expect("it runs");
        seen.add.iter().map(|percept| percept.to_iil().to_string()).collect()
    }

    /// Plays to the end with an agent for each cowboy.
    fn play(&mut self, agents: &mut [Box<dyn Agent<Action, Percept>>]) {
        while self.world().ending().is_none() {
            for (agent, (name, entity)) in agents.iter_mut().zip(self.cowboys.clone()) {
                let seen = self.interface.perceive(name, entity, Form::Update, Since::LastCall).expect("it runs");
                if let Some(action) = agent.decide(&seen) {
                    self.interface.act(name, entity, &action).expect("it is accepted");
                }
            }
            self.step();
        }
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

impl Run {
    fn place(&self, cowboy: usize) -> Place {
        self.pasture().cowboys()[cowboy].place()
    }

    /// Moves a cowboy; a move that fails by chance is repeated.
    fn go(&mut self, cowboy: usize, direction: Direction) {
        let before = self.place(cowboy);
        for _ in 0..20 {
            self.act(cowboy, go(direction));
            self.step();
            if self.place(cowboy) != before {
                return;
            }
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
    let mut run = Run::new(Parameters { max_steps: 1, ..with_map(MAP) }, 1);
    let about = "simStart simId(cows) opponent(blue) steps(1) gridSize(7,6) corralPos(0,2,1,4) lineOfSight(2)";
    let cells = "cell(-1,1,corral,0) cell(0,1,corral,0) cell(1,1,switch,0) cell(-1,2,corral,0) cell(0,2,corral,0) \
                 cell(1,2,fence,0)";
    assert_eq!(run.percepts(0).join(" "), format!("{about} currentStep(0) pos(1,1,0) cowsInCorral(0,0) {cells}"));
    let blue = run.percepts(1);
    for expected in ["pos(5,5,0)", "corralPos(5,2,6,3)", "cell(-1,-2,cow,0,0)", "cell(0,-2,corral,0)"] {
        assert!(blue.contains(&expected.to_owned()), "{expected} is missing in {blue:?}");
    }
    run.step();
    let percepts = run.percepts(0);
    assert_eq!(percepts[percepts.len() - 3..], ["simEnd", "result(draw)", "averageScore(0.0)"]);
    assert_eq!(run.world().ending(), Some(Ending::Truncated));
    let before = run.pasture().clone();
    run.act(1, go(Direction::West));
    run.step();
    assert_eq!((run.place(1), run.pasture().cows().collect::<Vec<_>>()), (STARTS[1], before.cows().collect()));
}

#[test]
fn cowboys_act_once_in_a_step_and_move_to_free_cells_only() {
    let mut run = Run::new(with_map(MAP), 1);
    run.act(0, go(Direction::East));
    let (agent, entity) = run.cowboys[0];
    let again = run.interface.act(agent, entity, &Action::Skip).expect_err("it has acted");
    assert!(again.to_string().contains("already acted"), "{again}");
    run.step();
    for (direction, to) in [(Direction::South, (1, 2)), (Direction::Southeast, (1, 2)), (Direction::West, (0, 2))] {
        let mut run = Run::new(with_map(MAP), 1);
        run.go(0, Direction::South);
        if direction != Direction::South {
            run.go(0, direction);
        }
        assert_eq!(run.place(0), to, "{direction:?}");
    }
}

#[test]
fn a_fence_is_open_while_somebody_stands_at_its_switch() {
    let mut run = Run::new(with_map(MAP), 1);
    let is_open = |run: &Run| run.pasture().fences()[0].is_open();
    assert!(!is_open(&run));
    run.go(0, Direction::East);
    assert!(is_open(&run), "above the switch");
    assert!(run.percepts(0).iter().any(|one| one.starts_with("cell(0,2,openFence")));
    // The other cowboy goes into the line of the fence.
    for direction in [Direction::West, Direction::West, Direction::Northwest] {
        run.go(1, direction);
    }
    assert_eq!(run.place(1), (2, 4));
    run.go(0, Direction::North);
    assert!(!is_open(&run));
    assert_eq!(run.place(1), (3, 5), "who stands in the line goes back when the fence closes");
    run.go(1, Direction::Northwest);
    assert_eq!(run.place(1), (3, 5), "a closed fence stops everybody");
}

#[test]
fn nobody_passes_diagonally_between_a_switch_and_its_fence() {
    let mut run = Run::new(with_map(&MAP.replace(".R.", "R..").replace("rrs.#", "rrs.R")), 1);
    assert_eq!(run.place(1), (4, 2));
    run.go(1, Direction::West);
    assert!(run.pasture().fences()[0].is_open());
    run.go(1, Direction::Southwest);
    assert_eq!(run.place(1), (3, 2));
    run.go(0, Direction::East);
    run.go(0, Direction::East);
    assert_eq!(run.place(0), (2, 1));
    run.go(1, Direction::South);
    run.go(1, Direction::West);
    assert_eq!(run.place(1), (2, 3), "the other one keeps it open");
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
        let mut run = Run::new(with_map(&field(10, 14, None)), seed);
        (0..6).for_each(|_| run.step());
        let cow = run.pasture().cows().next().expect("there is one");
        assert!((cow.0 - 10).abs().max((cow.1 - 7).abs()) > 4, "seed {seed}: it stays near, at {cow:?}");
        let mut run = Run::new(with_map(&field(1, 20, Some(24))), seed);
        (0..12).for_each(|_| run.step());
        let cows: Vec<Place> = run.pasture().cows().collect();
        let apart = (cows[0].0 - cows[1].0).abs().max((cows[0].1 - cows[1].1).abs());
        assert!(apart < 4, "seed {seed}: they come nearer, {cows:?}");
    }
}

#[test]
fn random_teams_keep_the_laws_of_the_pasture() {
    for seed in 1..=20 {
        let mut random = Random::stream(seed, 1);
        let mut run = Run::new(random_map(20 + (seed % 3) as u8, 5, 30), seed);
        let mut sums = [0; 2];
        for step in 1..=150 {
            for cowboy in 0..run.cowboys.len() {
                // They prefer to go where cows and fences are.
                let cows: Vec<Place> =
                    run.pasture().cows().chain(run.pasture().fences()[0..1].iter().map(|one| one.switch())).collect();
                let goal = cows[random.index(cows.len())];
                let towards = Direction::towards(run.place(cowboy), goal).unwrap_or(Direction::North);
                run.act(cowboy, go(if random.chance(0.5) { towards } else { Direction::ALL[random.index(8)] }));
            }
            let before = run.pasture().clone();
            run.step();
            let pasture = run.pasture();
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
        let problem = Interface::<Cows>::new().init(parameters, 1).expect_err("it is wrong");
        assert!(problem.to_string().contains(reason), "{problem} should contain {reason}");
    }
}

#[test]
fn menus_lead_towards_the_cell_at_which_a_person_points() {
    let mut run = Run::new(with_map(MAP), 1);
    let labels = |run: &Run, at| {
        let context = run.interface.episode().expect("it runs").context();
        let menu = run.world().menu(run.cowboys[0].1, &MenuRequest::from(at), context);
        menu.items.iter().map(|item| item.label.to_string()).collect::<Vec<_>>()
    };
    // In scenes, y grows to the north: the cowboy is at (1.5, 4.5).
    assert_eq!(labels(&run, Some((1.5, 4.5))), ["Stay here"]);
    assert_eq!(labels(&run, Some((6.5, 4.2))), ["Go east"]);
    assert_eq!(labels(&run, Some((0.5, 5.5))), ["Go northwest"]);
    let far = run.interface.menu(run.cowboys[0].0, run.cowboys[0].1, Some((-1e300, 4.5))).expect("it is far away");
    assert_eq!(far.items[0].label, "Go west");
    let all = labels(&run, None);
    assert_eq!(
        (all.len(), all.last().map(String::as_str)),
        (8, Some("Stay here")),
        "the switch is in the way: {all:?}"
    );
    run.act(0, Action::Skip);
    assert!(labels(&run, None).is_empty(), "it has acted");
}

#[test]
fn the_view_of_a_cowboy_shows_no_more_than_it_perceives() {
    let run = Run::new(with_map(MAP), 1);
    let context = run.interface.episode().expect("it runs").context();
    let seen = run.world().scene(Some(run.cowboys[0].1), context);
    let whole = run.world().scene(None, context);
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
        let mut run = Run::new(Parameters { max_steps: 300, ..random_map(30, 10, 40) }, seed);
        let agent = |team: Team, number: u64| -> Box<dyn Agent<Action, Percept>> {
            if team == herders { Box::new(Herder::new(team, number)) } else { Box::new(Chaser::new(team, number)) }
        };
        let mut agents: Vec<_> =
            Team::BOTH.into_iter().flat_map(|team| (1..=10).map(move |number| agent(team, number))).collect();
        run.play(&mut agents);
        let pasture = run.pasture();
        won += u32::from(pasture.score(herders) > pasture.score(herders.other()));
    }
    assert!(won >= 9, "the herders won {won} of 10");
}

/// Returns the mean numbers of cows in the corrals in 400 steps, with herders in these teams and no agents in the others.
fn scores_of_herders(teams: &[Team], size: u8) -> [f64; 2] {
    let mut run = Run::new(Parameters { max_steps: 400, ..random_map(size, 10, 40) }, 1);
    let cowboys = std::mem::take(&mut run.cowboys);
    run.cowboys = teams.iter().flat_map(|team| cowboys[*team as usize * 10..][..10].iter().copied()).collect();
    let herder = |team, number| -> Box<dyn Agent<Action, Percept>> { Box::new(Herder::new(team, number)) };
    let mut agents: Vec<_> = teams.iter().flat_map(|team| (1..=10).map(move |number| herder(*team, number))).collect();
    run.play(&mut agents);
    Team::BOTH.map(|team| run.pasture().score(team))
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
