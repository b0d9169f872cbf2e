//! The simplest loops that step Find the Goals: one uses a table written by hand for this environment, the other its
//! mazes. Both check the actions, count the steps, truncate and restart after 1,000 of them, and write observations,
//! masks, rewards and both flags. Actions are prepared beforehand.

use situated::random::Random;
use situated_find_goals::maze::{Action, Body, Maze};
use situated_find_goals::optimum::Game;

pub(crate) const MAX_STEPS: u32 = 1_000;
/// Number of batches of actions, which are used in turn.
const BATCHES: usize = 16;
const ACTIONS: usize = Action::ALL.len();
const PAIRS: usize = ACTIONS * ACTIONS;

/// The observations and masks of both agents.
type Shown = ([u8; 16], [bool; 2 * ACTIONS]);

/// The output of a step.
pub(crate) struct Written {
    pub(crate) observations: Vec<u8>,
    pub(crate) masks: Vec<bool>,
    pub(crate) rewards: Vec<f32>,
    pub(crate) terminated: Vec<bool>,
    pub(crate) truncated: Vec<bool>,
}

impl Written {
    pub(crate) fn new(envs: usize) -> Self {
        Self {
            observations: vec![0; envs * 16],
            masks: vec![false; envs * 2 * ACTIONS],
            rewards: vec![0.0; envs * 2],
            terminated: vec![false; envs * 2],
            truncated: vec![false; envs * 2],
        }
    }
}

/// Steps many envs, given their pairs of actions.
pub(crate) trait Stepper {
    fn step(&mut self, actions: &[u8], written: &mut Written);
}

/// A table for this environment alone.
pub(crate) struct BareTable {
    next: Vec<u32>,
    rewards: Vec<[f32; 2]>,
    shown: Vec<Shown>,
    /// For each env: its state, the number of steps of its episode, and whether the episode is over.
    envs: Vec<(u32, u32, bool)>,
}

/// The rules without a table and without an interface.
pub(crate) struct BareMazes {
    envs: Vec<(Maze, u32, bool)>,
}

fn show(maze: &Maze) -> Shown {
    let mut observations = [0; 16];
    for (row, body) in observations.as_chunks_mut().0.iter_mut().zip(Body::ALL) {
        *row = maze.sees(body).map(|sight| sight as u8);
    }
    (observations, [true; 2 * ACTIONS])
}

fn check(actions: &[u8]) {
    let wrong = actions.iter().fold(false, |wrong, action| wrong | (*action >= ACTIONS as u8));
    assert!(!wrong, "there is no such action");
}

/// Steps one env after another: `advance` makes a step of one env and returns its rewards.
fn step_bare<T>(
    envs: &mut [(T, u32, bool)],
    actions: &[u8],
    written: &mut Written,
    start: impl Fn() -> T,
    advance: impl Fn(&mut T, u8, u8) -> [f32; 2],
    show: impl Fn(&T) -> Shown,
) {
    check(actions);
    let observations = written.observations.as_chunks_mut::<16>().0.iter_mut();
    let masks = written.masks.as_chunks_mut::<10>().0.iter_mut();
    let rewards = written.rewards.as_chunks_mut::<2>().0.iter_mut();
    let terminated = written.terminated.as_chunks_mut::<2>().0.iter_mut();
    let truncated = written.truncated.as_chunks_mut::<2>().0.iter_mut();
    let rows = observations.zip(masks).zip(rewards).zip(terminated).zip(truncated);
    let envs = envs.iter_mut().zip(actions.as_chunks::<2>().0).zip(rows);
    for (((world, steps, over), [red, blue]), ((((observations, masks), rewards), terminated), truncated)) in envs {
        *rewards = if *over {
            (*world, *steps) = (start(), 0);
            [0.0; 2]
        } else {
            *steps += 1;
            advance(world, *red, *blue)
        };
        *over = *steps >= MAX_STEPS;
        (*observations, *masks) = show(world);
        *terminated = [false; 2];
        *truncated = [*over; 2];
    }
}

impl BareTable {
    pub(crate) fn new(envs: usize) -> Self {
        let game = Game::explore();
        let pairs = |of: usize| {
            let game = &game;
            let pairs = Action::ALL.into_iter().flat_map(|red| Action::ALL.map(|blue| (red, blue)));
            pairs.map(move |(red, blue)| game.transition(of, red, blue))
        };
        let transitions = || (0..game.states().len()).flat_map(pairs);
        Self {
            next: transitions().map(|transition| transition.next as u32).collect(),
            rewards: transitions().map(|transition| [transition.reward as f32; 2]).collect(),
            shown: game.states().iter().map(show).collect(),
            envs: vec![(0, 0, false); envs],
        }
    }
}

impl Stepper for BareTable {
    fn step(&mut self, actions: &[u8], written: &mut Written) {
        let Self { next, rewards, shown, envs } = self;
        let advance = |state: &mut u32, red: u8, blue: u8| {
            let entry = *state as usize * PAIRS + usize::from(red) * ACTIONS + usize::from(blue);
            *state = next[entry];
            rewards[entry]
        };
        step_bare(envs, actions, written, || 0, advance, |state| shown[*state as usize]);
    }
}

impl BareMazes {
    pub(crate) fn new(envs: usize) -> Self {
        Self { envs: vec![(Maze::START, 0, false); envs] }
    }
}

impl Stepper for BareMazes {
    fn step(&mut self, actions: &[u8], written: &mut Written) {
        let advance = |maze: &mut Maze, red: u8, blue: u8| {
            let [red, blue] = [red, blue].map(|action| Action::ALL[usize::from(action)]);
            [maze.step(red, blue).joint as f32; 2]
        };
        step_bare(&mut self.envs, actions, written, || Maze::START, advance, show);
    }
}

/// Returns batches of actions for this number of envs.
pub(crate) fn batches(envs: usize) -> Vec<Vec<u8>> {
    let mut random = Random::new(1);
    (0..BATCHES).map(|_| (0..2 * envs).map(|_| random.below(ACTIONS as u64) as u8).collect()).collect()
}
