//! Tests Tower through the interface: the arm, parameters, the built-in agent, and random arms.

use situated::encoding::Encode;
use situated::environment::{Ending, Environment};
use situated::iil::Parameter;
use situated::random::Random;
use situated_blocks::tower::{Action, Block, Builder, Parameters, Place};
use situated_blocks::towers::Support;
use situated_blocks::{GRIPPER, Tower};
use situated_checker::{Game, Settings};

fn parameters(start: impl Into<Parameter>, goal: impl Into<Parameter>) -> Parameters {
    Parameters { start: start.into(), goal: goal.into(), blocks: 5 }
}

fn pickup(block: &str) -> Action {
    Action::Pickup { block: Block(block.into()) }
}

fn putdown(block: &str, place: &str) -> Action {
    Action::Putdown { block: Block(block.into()), place: Place(place.into()) }
}

#[test]
fn follows_the_rules_for_environments() {
    situated_checker::check_encoded_environment::<Tower>();
    let settings = Settings { seeds: 1..=3, ..Settings::default() }.parameter("start", "random").parameter("blocks", 3);
    settings.check_encoded::<Tower>().expect("the parameters are valid").assert_passed();
}

#[test]
fn the_arm_takes_the_time_of_the_original() {
    let mut run = Game::<Tower>::begin(parameters("0 0", "none"), 1);
    assert_eq!(run.percepts(0), ["block(a)", "block(b)", "on(a,table)", "on(b,table)"]);
    // To column 1: 40 units aside and 45 down, 4 in a step; 3 steps to close the claw, and one to take the block.
    run.act(0, &pickup("B"));
    run.steps(10 + 12 + 3);
    assert_eq!(run.environment().holds(), None);
    run.steps(1);
    assert_eq!(run.percepts(0), ["block(a)", "block(b)", "on(a,table)", "holding(b)"]);
    run.act(0, &putdown("b", "a"));
    run.steps(12 + 10 + 4 + 3);
    assert_eq!(run.environment().holds(), Some(1));
    run.steps(1);
    assert_eq!(run.percepts(0), ["block(a)", "block(b)", "on(a,table)", "on(b,a)"]);
}

#[test]
fn an_action_waits_until_it_is_possible() {
    let mut run = Game::<Tower>::begin(parameters("0 1", "none"), 1);
    for action in [pickup("a"), putdown("b", "table"), putdown("a", "b"), Action::Nil] {
        run.act(0, &action);
        run.steps(200);
        assert_eq!(run.percepts(0)[2..], ["on(a,table)", "on(b,a)"]);
    }
    run.act(0, &pickup("b"));
    run.steps(100);
    run.act(0, &putdown("b", "b"));
    run.steps(100);
    assert_eq!(run.environment().holds(), Some(1));
    run.act(0, &putdown("b", "TABLE"));
    run.steps(100);
    assert_eq!(run.percepts(0)[2..], ["on(a,table)", "on(b,table)"]);
    let error = run.try_act(0, &pickup("c")).expect_err("there is none");
    assert!(error.contains("there is no block `c`; there are a to b"), "{error}");
}

#[test]
fn the_built_in_agent_reaches_every_random_goal() {
    for seed in 1..=100 {
        let blocks = 2 + (seed % 8) as u8;
        let mut run = Game::<Tower>::begin(Parameters { blocks, ..parameters("random", "random") }, seed);
        let mut builder = Builder::default();
        let mut steps = 0;
        while run.environment().ending().is_none() {
            run.decide(0, &mut builder);
            run.steps(1);
            steps += 1;
            assert!(steps < 20_000, "seed {seed}: the agent does not come to an end");
        }
        let (towers, goal) = (&run.environment().towers, run.environment().goal().expect("a goal"));
        assert!(towers.blocks().all(|block| towers.support(block) == goal.support(block)), "seed {seed}");
        assert_eq!((run.environment().ending(), run.environment().holds()), (Some(Ending::Terminated), None));
    }
}

#[test]
fn random_arms_keep_the_laws_of_towers() {
    for seed in 1..=50 {
        let mut random = Random::stream(seed, 1);
        let mut run = Game::<Tower>::begin(parameters("random", "none"), seed);
        for _ in 0..100 {
            let mut letter = || char::from(b'a' + random.index(5) as u8).to_string();
            let (block, other) = (letter(), letter());
            let action = match random.index(4) {
                0 => putdown(&block, &other),
                1 => putdown(&block, "table"),
                2 => pickup(&block),
                _ => Action::Nil,
            };
            run.act(0, &action);
            let steps = 1 + random.index(120) as u32;
            for _ in 0..steps {
                let before = run.environment().towers.clone();
                run.steps(1);
                let (towers, holds) = (&run.environment().towers, run.environment().holds());
                let held: Vec<u8> = towers.blocks().filter(|one| towers.support(*one) == Support::Arm).collect();
                assert_eq!(held, holds.into_iter().collect::<Vec<_>>(), "seed {seed}");
                let changed: Vec<u8> =
                    towers.blocks().filter(|one| towers.support(*one) != before.support(*one)).collect();
                assert!(changed.len() <= 1, "seed {seed}");
                for block in changed {
                    assert!(before.above(block).is_none(), "seed {seed}: a block below another one moved");
                }
                for block in towers.blocks().filter(|block| Some(*block) != holds) {
                    let twins = towers.blocks().filter(|other| towers.support(*other) == Support::Block(block)).count();
                    assert!(twins <= 1, "seed {seed}: two blocks stand on one");
                }
            }
        }
    }
}

#[test]
fn each_element_of_an_observation_has_a_meaning() {
    let parameters = parameters("random", "random");
    let meanings = Tower::meanings(&parameters, GRIPPER);
    let size = Tower::encoding(&parameters, GRIPPER).expect("the arm has one").size();
    assert_eq!((meanings.len(), meanings[meanings.len() - 5].as_str()), (size, "holds a"));
}
