//! Tests blocks world through the interface: rules, parameters, the built-in agent, and random grippers.

use situated::encoding::Encode;
use situated::environment::{Ending, Environment};
use situated::iil::Parameter;
use situated::random::Random;
use situated_blocks::blocks_world::{Action, Block, Builder, Parameters, Place};
use situated_blocks::towers::{Support, Towers};
use situated_blocks::{BlocksWorld, GRIPPER};
use situated_checker::Settings;

type Game = situated_checker::Game<BlocksWorld>;

fn parameters(start: impl Into<Parameter>, goal: impl Into<Parameter>) -> Parameters {
    Parameters { start: start.into(), goal: goal.into(), blocks: 8, gui: false }
}

fn list(numbers: &[i64]) -> Parameter {
    Parameter::List(numbers.iter().map(|number| (*number).into()).collect())
}

fn moving(block: &str, place: &str) -> Action {
    Action::Move { block: Block(block.into()), place: Place(place.into()) }
}

fn act(run: &mut Game, block: &str, place: &str) -> Result<(), String> {
    let result = run.try_act(0, &moving(block, place));
    run.steps(1);
    result
}

#[test]
fn follows_the_rules_for_environments() {
    situated_checker::check_encoded_environment::<BlocksWorld>();
    let settings = Settings { seeds: 1..=3, ..Settings::default() }.parameter("start", "random").parameter("blocks", 3);
    settings.check_encoded::<BlocksWorld>().expect("the parameters are valid").assert_passed();
}

#[test]
fn percepts_and_refusals_are_those_of_the_original() {
    let mut run = Game::begin(parameters(list(&[0, 1, 0]), "none"), 1);
    assert_eq!(run.percepts(0), ["on(b1,table)", "on(b2,b1)", "on(b3,table)"]);
    let refused = [
        ("b1", "b3", "b2 stands on b1"),
        ("b3", "b1", "b2 stands on b1"),
        ("b9", "table", "there is no block `b9`"),
        ("table", "b2", "there is no block `table`"),
        ("b0", "b2", "there is no block `b0`"),
        ("B2", "b3", "there is no block `B2`"),
        ("b3", "b3", "cannot stand on itself"),
    ];
    for (block, place, reason) in refused {
        let error = act(&mut run, block, place).expect_err("it is impossible");
        assert!(error.contains(reason), "{error}");
    }
    act(&mut run, "b2", "b3").expect("both are clear");
    act(&mut run, "b01", "b2").expect("the original accepts it, too");
    assert_eq!(run.percepts(0), ["on(b1,b2)", "on(b2,b3)", "on(b3,table)"]);
    act(&mut run, "b1", "table").expect("it is clear");
    act(&mut run, "b1", "table").expect("it stands there already");
    assert_eq!(run.percepts(0), ["on(b1,table)", "on(b2,b3)", "on(b3,table)"]);
    assert_eq!(run.environment().ending(), None);
}

#[test]
fn the_episode_ends_when_the_goal_is_reached() {
    let mut run = Game::begin(parameters("0 1", "2 0"), 1);
    assert_eq!(run.percepts(0), ["target(b1,b2)", "target(b2,table)", "on(b1,table)", "on(b2,b1)"]);
    act(&mut run, "b2", "table").expect("it is clear");
    assert_eq!(
        (run.environment().ending(), run.environment().towers.in_place(run.environment().goal().expect("a goal"))),
        (None, 1)
    );
    act(&mut run, "b1", "b2").expect("both are clear");
    assert_eq!(run.environment().ending(), Some(Ending::Terminated));
    let mut run = Game::begin(parameters("0 1", "table"), 1);
    assert_eq!(run.percepts(0)[..2], ["target(b1,table)", "target(b2,table)"]);
    act(&mut run, "b2", "table").expect("it is clear");
    assert_eq!(run.environment().ending(), Some(Ending::Terminated));
}

#[test]
fn wrong_parameters_are_refused() {
    for (start, goal, reason) in [
        (list(&[2, 1]), "none".into(), "stands, with others between, on itself"),
        (list(&[1]), "none".into(), "on itself"),
        (list(&[0, 1, 1]), "none".into(), "two blocks stand on block 1"),
        (list(&[0, 3]), "none".into(), "stands on 3, and there are 2"),
        (list(&[0, -1]), "none".into(), "there is no block -1"),
        (list(&[]), "none".into(), "there are 0 blocks"),
        ("0 0 0".into(), list(&[0, 0]), "as many blocks as the start, 3"),
        ("high".into(), "none".into(), "it must be a list"),
        (3.into(), "none".into(), "it must be a list"),
    ] {
        let problem = Game::refusal(parameters(start, goal));
        assert!(problem.contains(reason), "{problem}");
    }
}

#[test]
fn the_built_in_agent_reaches_every_random_goal() {
    for seed in 1..=300 {
        let blocks = 2 + (seed % 20) as u8;
        let mut run = Game::begin(Parameters { blocks, ..parameters("random", "random") }, seed);
        let mut builder = Builder::default();
        let mut moves = 0;
        while run.environment().ending().is_none() {
            run.decide(0, &mut builder);
            run.steps(1);
            moves += 1;
            assert!(moves <= 2 * u32::from(blocks), "seed {seed}: it moves a block more than twice");
        }
        let (towers, goal) = (&run.environment().towers, run.environment().goal().expect("a goal"));
        assert!(towers.blocks().all(|block| towers.support(block) == goal.support(block)), "seed {seed}");
    }
}

#[test]
fn random_grippers_keep_the_laws_of_towers() {
    for seed in 1..=100 {
        let mut random = Random::stream(seed, 1);
        let mut run = Game::begin(parameters("random", "none"), seed);
        for _ in 0..200 {
            let before = run.environment().towers.clone();
            let (block, onto) = (random.index(8) as u8, random.index(9) as u8);
            let place = if onto == 8 { "table".to_owned() } else { format!("b{}", onto + 1) };
            let done = act(&mut run, &format!("b{}", block + 1), &place).is_ok();
            let towers = &run.environment().towers;
            let was_possible = before.is_clear(block) && (onto == 8 || (onto != block && before.is_clear(onto)));
            assert_eq!(done, was_possible, "seed {seed}");
            let wanted = if onto == 8 { Support::Table } else { Support::Block(onto) };
            let expected = |one| if done && one == block { wanted } else { before.support(one) };
            assert!(towers.blocks().all(|one| towers.support(one) == expected(one)), "seed {seed}");
            keeps_columns(towers);
        }
    }
}

/// Checks that each tower is a column of its own.
fn keeps_columns(towers: &Towers) {
    for block in towers.blocks() {
        let mut others = towers.blocks().filter(|other| *other != block);
        let place = |block| (towers.column(block), towers.height(block));
        assert!(others.all(|other| place(other) != place(block)));
        if let Support::Block(below) = towers.support(block) {
            assert_eq!(towers.column(block), towers.column(below));
        }
    }
}

#[test]
fn menus_offer_what_is_possible() {
    let run = Game::begin(parameters("0 1 0", "none"), 1);
    let labels = |at: Option<(f64, f64)>| {
        let menu = run.menu(0, at);
        let labels: Vec<String> = menu.items.iter().map(|item| item.label.to_string()).collect();
        (menu.subject.to_string(), labels)
    };
    let upper = labels(Some((1.0, 1.9)));
    assert_eq!(upper, ("b2, on b1".to_owned(), vec!["Put b2 onto b3".to_owned(), "Put b2 onto the table".to_owned()]));
    assert_eq!(labels(Some((1.0, 0.9))), ("b1, on table".to_owned(), vec![]));
    assert_eq!(labels(Some((3.5, 0.9))).1, ["Put b3 onto b2"]);
    assert_eq!(labels(None).1.len(), 3);
    assert_eq!(labels(Some((-5.0, 100.0))), (String::new(), vec![]));
}

#[test]
fn each_element_of_an_observation_has_a_meaning() {
    let meanings = BlocksWorld::meanings(&parameters("0 1", "random"), GRIPPER);
    let of_start = ["b1 on b1", "b1 on b2", "b1 on the table", "b2 on b1", "b2 on b2", "b2 on the table"];
    assert_eq!(meanings[..6], of_start);
    assert_eq!(meanings[6..], of_start.map(|meaning| format!("goal: {meaning}")));
}
