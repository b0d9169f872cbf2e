//! Tests blocks world through the interface: rules, parameters, the built-in agent, and random grippers.

use situated::agent::Agent;
use situated::encoding::Encode;
use situated::environment::{Ending, EntityId, Environment};
use situated::iil::Parameter;
use situated::interface::{AgentId, Form, Interface, Since};
use situated::menu::MenuRequest;
use situated::ontology::typed::TypedPercept;
use situated::random::Random;
use situated_blocks::blocks_world::{Action, Block, Builder, Parameters, Place};
use situated_blocks::towers::{Support, Towers};
use situated_blocks::{BlocksWorld, GRIPPER};
use situated_testkit::Settings;

struct Run {
    interface: Interface<BlocksWorld>,
    agent: AgentId,
    entity: EntityId,
}

fn parameters(start: impl Into<Parameter>, goal: impl Into<Parameter>) -> Parameters {
    Parameters { start: start.into(), goal: goal.into(), blocks: 8, gui: false }
}

fn list(numbers: &[i64]) -> Parameter {
    Parameter::List(numbers.iter().map(|number| (*number).into()).collect())
}

fn moving(block: &str, place: &str) -> Action {
    Action::Move { block: Block(block.into()), place: Place(place.into()) }
}

impl Run {
    fn new(parameters: Parameters, seed: u64) -> Self {
        let mut interface = Interface::new();
        interface.init(parameters, seed).expect("the parameters are valid");
        interface.start().expect("it is paused");
        let entity = interface.episode().expect("it runs").context().find_entity(GRIPPER).expect("a gripper");
        let agent = interface.register("ada").expect("the name is free");
        interface.associate(agent, entity).expect("the entity is free");
        Self { interface, agent, entity }
    }

    fn world(&self) -> &BlocksWorld {
        self.interface.episode().expect("it runs").environment()
    }

    fn act(&mut self, block: &str, place: &str) -> Result<(), String> {
        let result = self.interface.act(self.agent, self.entity, &moving(block, place));
        self.interface.step().expect("it runs");
        result.map(drop).map_err(|error| error.to_string())
    }

    fn percepts(&mut self) -> Vec<String> {
        let seen = self.interface.perceive(self.agent, self.entity, Form::Snapshot, Since::LastCall).expect("it runs");
        seen.add.iter().map(|percept| percept.to_iil().to_string()).collect()
    }
}

#[test]
fn follows_the_rules_for_environments() {
    situated_testkit::check_encoded_environment::<BlocksWorld>();
    let settings = Settings { seeds: 1..=3, ..Settings::default() }.parameter("start", "random").parameter("blocks", 3);
    settings.check_encoded::<BlocksWorld>().expect("the parameters are valid").assert_passed();
}

#[test]
fn percepts_and_refusals_are_those_of_the_original() {
    let mut run = Run::new(parameters(list(&[0, 1, 0]), "none"), 1);
    assert_eq!(run.percepts(), ["on(b1,table)", "on(b2,b1)", "on(b3,table)"]);
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
        let error = run.act(block, place).expect_err("it is impossible");
        assert!(error.contains(reason), "{error}");
    }
    run.act("b2", "b3").expect("both are clear");
    run.act("b01", "b2").expect("the original accepts it, too");
    assert_eq!(run.percepts(), ["on(b1,b2)", "on(b2,b3)", "on(b3,table)"]);
    run.act("b1", "table").expect("it is clear");
    run.act("b1", "table").expect("it stands there already");
    assert_eq!(run.percepts(), ["on(b1,table)", "on(b2,b3)", "on(b3,table)"]);
    assert_eq!(run.world().ending(), None);
}

#[test]
fn the_episode_ends_when_the_goal_is_reached() {
    let mut run = Run::new(parameters("0 1", "2 0"), 1);
    assert_eq!(run.percepts(), ["target(b1,b2)", "target(b2,table)", "on(b1,table)", "on(b2,b1)"]);
    run.act("b2", "table").expect("it is clear");
    assert_eq!((run.world().ending(), run.world().towers.in_place(run.world().goal().expect("a goal"))), (None, 1));
    run.act("b1", "b2").expect("both are clear");
    assert_eq!(run.world().ending(), Some(Ending::Terminated));
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
        let problem = Interface::<BlocksWorld>::new().init(parameters(start, goal), 1).expect_err("it is wrong");
        assert!(problem.to_string().contains(reason), "{problem}");
    }
}

#[test]
fn the_built_in_agent_reaches_every_random_goal() {
    for seed in 1..=300 {
        let blocks = 2 + (seed % 20) as u8;
        let mut run = Run::new(Parameters { blocks, ..parameters("random", "random") }, seed);
        let mut builder = Builder::default();
        let mut moves = 0;
        while run.world().ending().is_none() {
            let seen = run.interface.perceive(run.agent, run.entity, Form::Update, Since::LastCall).expect("it runs");
            let action = builder.decide(&seen).expect("it always acts");
            run.interface.act(run.agent, run.entity, &action).expect("it is possible");
            run.interface.step().expect("it runs");
            moves += 1;
            assert!(moves <= 2 * u32::from(blocks), "seed {seed}: it moves a block more than twice");
        }
        let (towers, goal) = (&run.world().towers, run.world().goal().expect("a goal"));
        assert!(towers.blocks().all(|block| towers.support(block) == goal.support(block)), "seed {seed}");
    }
}

#[test]
fn random_grippers_keep_the_laws_of_towers() {
    for seed in 1..=100 {
        let mut random = Random::stream(seed, 1);
        let mut run = Run::new(parameters("random", "none"), seed);
        for _ in 0..200 {
            let before = run.world().towers.clone();
            let (block, onto) = (random.index(8) as u8, random.index(9) as u8);
            let place = if onto == 8 { "table".to_owned() } else { format!("b{}", onto + 1) };
            let done = run.act(&format!("b{}", block + 1), &place).is_ok();
            let towers = &run.world().towers;
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
    let run = Run::new(parameters("0 1 0", "none"), 1);
    let context = run.interface.episode().expect("it runs").context();
    let labels = |at: Option<(f64, f64)>| {
        let menu = run.world().menu(run.entity, &MenuRequest::from(at), context);
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
