//! Tests the rules in every reachable state: the number of states, special cases, and the best results. And saved
//! states, of which a fixed set of damaged ones has the properties that cargo-fuzz checks.

use std::collections::BTreeSet;

use Action::{Down, Left, Right, Up, Wait};
use Marks::{BlueUnmarked, Ordinary, RedUnmarked, Shared};
use situated::interface::Interface;
use situated_find_goals::FindGoals;
use situated_find_goals::maze::{Action, Body, Cell, Maze};
use situated_find_goals::optimum::{Game, Optimum, best_return};

type Place = (u8, u8);

/// How the cells of the walkers are marked as taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Marks {
    /// The cell of each walker is marked.
    Ordinary,
    /// Both walkers are in the same cell, which is marked.
    Shared,
    /// The cell of red is not marked.
    RedUnmarked,
    /// The cell of blue is not marked.
    BlueUnmarked,
}

/// The positions of the walkers, and how their cells are marked.
type Situation = (Place, Place, Marks);

/// A name for the case, the situation before, the actions of both walkers, the situation after, and the joint reward.
type Case = (&'static str, Situation, (Action, Action), Situation, i32);

fn situation(maze: &Maze) -> Situation {
    let [red, blue] = Body::ALL.map(|body| maze.cell(body));
    let marks = match (maze.is_taken(red), maze.is_taken(blue)) {
        (true, true) if red == blue => Shared,
        (true, true) => Ordinary,
        (false, true) => RedUnmarked,
        (true, false) => BlueUnmarked,
        (false, false) => panic!("two unmarked bodies: {maze:?}"),
    };
    ((red.x(), red.y()), (blue.x(), blue.y()), marks)
}

fn all_pairs() -> impl Iterator<Item = (Action, Action)> {
    Action::ALL.into_iter().flat_map(|red| Action::ALL.map(|blue| (red, blue)))
}

/// Returns the minimum number of steps from one state to each other state; `None` for unreachable ones.
fn distances(game: &Game, from: usize) -> Vec<Option<u32>> {
    let mut distances = vec![None; game.states().len()];
    distances[from] = Some(0);
    let mut reached = vec![from];
    let mut next = 0;
    while let Some(&state) = reached.get(next) {
        next += 1;
        for (red, blue) in all_pairs() {
            let successor = game.transition(state, red, blue).next;
            if distances[successor].is_none() {
                distances[successor] = distances[state].map(|steps| steps + 1);
                reached.push(successor);
            }
        }
    }
    distances
}

#[test]
fn there_are_107_states_and_each_can_be_reached_from_each() {
    let game = Game::explore();
    assert_eq!(game.states().len(), 107);
    assert_eq!(game.states().len() * all_pairs().count(), 2_675);
    let places = |maze: &Maze| (maze.cell(Body::Red), maze.cell(Body::Blue));
    assert_eq!(game.states().iter().map(places).collect::<BTreeSet<_>>().len(), 75);
    assert_eq!(distances(&game, Game::START).into_iter().flatten().max(), Some(16));
    for state in 0..game.states().len() {
        assert!(distances(&game, state).iter().all(Option::is_some), "from {state}");
    }
}

#[test]
fn the_graph_agrees_with_the_rules() {
    let game = Game::explore();
    let mut rewards = BTreeSet::new();
    for (state, maze) in game.states().iter().enumerate() {
        assert_eq!(game.find(*maze), Some(state));
        for (red, blue) in all_pairs() {
            let mut next = *maze;
            let reward = next.step(red, blue);
            let transition = game.transition(state, red, blue);
            assert_eq!((game.states()[transition.next], transition.reward), (next, reward.joint));
            rewards.insert(reward.joint);
        }
    }
    assert_eq!(rewards, BTreeSet::from([0, -1, -2, 98, 99, 198]));
}

#[test]
fn each_walker_has_18_different_views() {
    let game = Game::explore();
    let views = |body| game.states().iter().map(|maze| maze.sees(body)).collect::<BTreeSet<_>>();
    assert_eq!(views(Body::Red).len(), 18);
    assert_eq!(views(Body::Blue).len(), 18);
    let joint = game.states().iter().map(|maze| Body::ALL.map(|body| maze.sees(body)));
    assert_eq!(joint.collect::<BTreeSet<_>>().len(), 39);
}

#[test]
fn figure_11_is_what_agent_1_sees() {
    let maze = find(((3, 1), (4, 2), Ordinary));
    assert_eq!(maze.sees(Body::Red).map(|sight| sight as u8), [0, 0, 2, 1, 1, 1, 1, 1]);
}

#[test]
fn only_cells_of_walkers_are_marked() {
    for maze in Game::explore().states() {
        let marked = Cell::all().filter(|cell| maze.is_taken(*cell));
        assert!(marked.into_iter().all(|cell| Body::ALL.iter().any(|body| maze.cell(*body) == cell)));
        let (_, _, marks) = situation(maze);
        let corner = |body| [Body::Red.start(), Body::Blue.start()].contains(&maze.cell(body));
        match marks {
            Ordinary => {}
            Shared | RedUnmarked => assert!(corner(Body::Red)),
            BlueUnmarked => assert!(corner(Body::Blue)),
        }
    }
}

#[test]
fn special_cases_of_the_rules() {
    let cases: [Case; 25] = [
        ("moves into walls cost", ((3, 1), (6, 1), Ordinary), (Down, Left), ((3, 1), (6, 1), Ordinary), -2),
        ("waiting is free", ((3, 1), (6, 1), Ordinary), (Wait, Wait), ((3, 1), (6, 1), Ordinary), 0),
        ("head on, nobody moves", ((4, 2), (5, 2), Ordinary), (Right, Left), ((4, 2), (5, 2), Ordinary), -2),
        ("red close behind blue", ((4, 2), (5, 2), Ordinary), (Right, Right), ((4, 2), (6, 2), Ordinary), -2),
        ("blue close behind red", ((5, 2), (4, 2), Ordinary), (Right, Right), ((6, 2), (5, 2), Ordinary), -2),
        ("both want a cell", ((4, 2), (6, 2), Ordinary), (Right, Left), ((5, 2), (6, 2), Ordinary), -2),
        ("blue enters what red leaves", ((3, 2), (4, 2), Ordinary), (Down, Left), ((3, 1), (3, 2), Ordinary), -2),
        ("red meets what blue leaves", ((4, 2), (3, 2), Ordinary), (Left, Down), ((4, 2), (3, 1), Ordinary), -2),
        ("blue on red's goal", ((7, 2), (8, 2), Ordinary), (Right, Wait), ((7, 2), (8, 2), Ordinary), -1),
        ("red on blue's goal", ((1, 2), (2, 2), Ordinary), (Wait, Left), ((1, 2), (2, 2), Ordinary), -1),
        ("blue enters red's goal", ((6, 2), (7, 2), Ordinary), (Wait, Right), ((6, 2), (8, 2), Ordinary), -1),
        ("red wins", ((7, 2), (4, 2), Ordinary), (Right, Wait), ((3, 1), (4, 2), Ordinary), 99),
        ("blue wins", ((4, 2), (2, 2), Ordinary), (Down, Left), ((4, 2), (6, 1), Ordinary), 98),
        ("both win", ((7, 2), (2, 2), Ordinary), (Right, Left), ((3, 1), (6, 1), Ordinary), 198),
        ("red is sent to blue", ((7, 2), (3, 1), Ordinary), (Right, Wait), ((3, 1), (3, 1), Shared), 99),
        ("blue is sent to red", ((6, 1), (2, 2), Ordinary), (Wait, Left), ((6, 1), (6, 1), Shared), 99),
        ("blue enters as red is sent", ((7, 2), (3, 2), Ordinary), (Right, Down), ((3, 1), (3, 1), Shared), 98),
        ("blue leaves as red is sent", ((7, 2), (3, 1), Ordinary), (Right, Up), ((3, 1), (3, 2), Ordinary), 98),
        ("both leave a shared cell", ((3, 1), (3, 1), Shared), (Up, Up), ((3, 2), (3, 1), BlueUnmarked), -2),
        ("red leaves a shared cell", ((6, 1), (6, 1), Shared), (Up, Wait), ((6, 2), (6, 1), BlueUnmarked), -1),
        ("blue leaves a shared cell", ((6, 1), (6, 1), Shared), (Wait, Up), ((6, 1), (6, 2), RedUnmarked), -1),
        ("red enters an unmarked cell", ((3, 2), (3, 1), BlueUnmarked), (Down, Wait), ((3, 1), (3, 1), Shared), -1),
        ("blue enters an unmarked cell", ((6, 1), (6, 2), RedUnmarked), (Wait, Down), ((6, 1), (6, 1), Shared), -1),
        ("waiting marks nothing", ((4, 2), (3, 1), BlueUnmarked), (Wait, Wait), ((4, 2), (3, 1), BlueUnmarked), 0),
        ("a move marks again", ((4, 2), (3, 1), BlueUnmarked), (Wait, Up), ((4, 2), (3, 2), Ordinary), -1),
    ];
    for (name, before, (red, blue), after, reward) in cases {
        let mut maze = find(before);
        let brought = maze.step(red, blue);
        assert_eq!((situation(&maze), brought.joint), (after, reward), "{name}");
    }
}

/// Returns the reachable state with this situation.
fn find(wanted: Situation) -> Maze {
    let game = Game::explore();
    let found = game.states().iter().find(|maze| situation(maze) == wanted);
    *found.unwrap_or_else(|| panic!("play cannot reach {wanted:?}"))
}

#[test]
fn random_play_has_a_negative_return() {
    let game = Game::explore();
    // One step of random play from the distribution to which the states converge.
    let mut chances = vec![0.0; game.states().len()];
    chances[Game::START] = 1.0;
    let (mut in_1000_steps, mut mean) = (0.0, 0.0);
    for step in 0..5_000 {
        (chances, mean) = random_step(&game, &chances);
        if step < 1_000 {
            in_1000_steps += mean;
        }
    }
    assert!((mean + 1.07987_f64).abs() < 5e-6, "{mean}");
    assert!((in_1000_steps + 1_094.13_f64).abs() < 5e-3, "{in_1000_steps}");
}

/// Returns the probabilities of the states after a step of random play, and the mean reward of that step.
fn random_step(game: &Game, chances: &[f64]) -> (Vec<f64>, f64) {
    let mut after = vec![0.0; chances.len()];
    let mut mean = 0.0;
    for (state, chance) in chances.iter().enumerate() {
        for (red, blue) in all_pairs() {
            let transition = game.transition(state, red, blue);
            after[transition.next] += chance / 25.0;
            mean += chance / 25.0 * f64::from(transition.reward);
        }
    }
    (after, mean)
}

#[test]
fn the_best_returns_are_exact() {
    let optimum = Optimum::compute();
    assert_eq!((optimum.gain(), optimum.period()), (188, 9));
    assert_eq!([0, 1, 100, 1_000].map(best_return), [0, 0, 2_068, 20_868]);
    assert_eq!(best_return(9_000_001_000), 188_000_000_000 + 20_868);
    assert_eq!(best_return(u64::MAX), i64::MAX);

    let game = optimum.game();
    let mut returns = vec![0; game.states().len()];
    for steps in 0..200 {
        for (state, best) in returns.iter().enumerate() {
            assert_eq!(optimum.best_return(state, steps), *best, "{steps} steps from {state}");
        }
        returns = one_step_more(game, &returns);
    }
}

fn one_step_more(game: &Game, returns: &[i64]) -> Vec<i64> {
    let best = |state| {
        let worth = all_pairs().map(|(red, blue)| {
            let transition = game.transition(state, red, blue);
            i64::from(transition.reward) + returns[transition.next]
        });
        worth.max().expect("there are actions")
    };
    (0..returns.len()).map(best).collect()
}

#[test]
fn the_best_pairs_reach_the_optimum_in_the_long_run() {
    let optimum = Optimum::compute();
    for start in 0..optimum.game().states().len() {
        let (mut state, mut total) = (start, 0);
        for _ in 0..1_000 {
            let (red, blue) = optimum.best_pair(state);
            let transition = optimum.game().transition(state, red, blue);
            (state, total) = (transition.next, total + i64::from(transition.reward));
        }
        // In the last steps, the best plan need not prepare for steps after the end, so it can win more.
        let best = optimum.best_return(start, 1_000);
        assert!((best - 200..=best).contains(&total), "{total} of {best} from {start}");
    }
}

#[path = "../../../fuzz/src/damage.rs"]
pub mod damage;
#[path = "../../../fuzz/src/states.rs"]
pub mod states;

#[test]
fn damaged_states() {
    let mut interface = Interface::<FindGoals>::new();
    interface.init(Default::default(), 7).expect("the usual parameters");
    interface.start().expect("paused");
    let begun = interface.save().expect("an episode");
    for _ in 0..20 {
        interface.step().expect("running");
    }
    damage::try_damaged(&[begun, interface.save().expect("an episode")], 20_000, states::state);
}
