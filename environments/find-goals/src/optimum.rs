//! The game as a finite graph, made from the rules, and the best possible results: exact returns for any number of
//! steps, and the long-run value of a step.

use std::collections::BTreeMap;

use crate::maze::{Action, Maze};

/// Number of pairs of actions.
const PAIRS: usize = Action::ALL.len() * Action::ALL.len();

/// Every reachable state, and the successors for each pair of actions.
#[derive(Clone, Debug)]
pub struct Game {
    states: Vec<Maze>,
    numbers: BTreeMap<Maze, usize>,
    transitions: Vec<[Transition; PAIRS]>,
}

/// The successor of a state for a pair of actions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transition {
    /// The number of the next state.
    pub next: usize,
    /// The joint reward.
    pub reward: i32,
}

/// The best results of the two walkers together.
#[derive(Clone, Debug)]
pub struct Optimum {
    game: Game,
    /// For each number of steps, the best return from each state, as far as they are needed. The last ones differ
    /// from those of `recurs_from` steps by a constant that is the same for all states.
    returns: Vec<Vec<i64>>,
    recurs_from: usize,
    /// For each state, its value relative to other states, times the period.
    values: Vec<i64>,
}

/// Returns the best joint return of this number of steps from the beginning of an episode. Each call
/// [computes](Optimum::compute) it.
pub fn best_return(steps: u64) -> i64 {
    Optimum::compute().best_return(Game::START, steps)
}

impl Game {
    /// Number of the state in which episodes begin.
    pub const START: usize = 0;

    /// Explores the graph by following the rules.
    pub fn explore() -> Self {
        let mut game = Self {
            states: vec![Maze::START],
            numbers: BTreeMap::from([(Maze::START, Self::START)]),
            transitions: Vec::new(),
        };
        // Each new state is explored in turn, in the order of discovery.
        while let Some(&state) = game.states.get(game.transitions.len()) {
            let transitions = std::array::from_fn(|pair| game.follow(state, pair));
            game.transitions.push(transitions);
        }
        game
    }

    /// Returns all states by number, in the order of their distance from the start.
    pub fn states(&self) -> &[Maze] {
        &self.states
    }

    /// Returns the number of a state, or `None` if it is not reachable.
    pub fn find(&self, maze: Maze) -> Option<usize> {
        self.numbers.get(&maze).copied()
    }

    /// Returns the successor of the state with this number for a pair of actions.
    ///
    /// # Panics
    /// Panics if there is no such state.
    pub fn transition(&self, state: usize, red: Action, blue: Action) -> Transition {
        self.transitions[state][number_of_pair(red, blue)]
    }

    fn follow(&mut self, mut maze: Maze, pair: usize) -> Transition {
        let (red, blue) = pair_with_number(pair);
        let reward = maze.step(red, blue).joint;
        let next = *self.numbers.entry(maze).or_insert(self.states.len());
        if next == self.states.len() {
            self.states.push(maze);
        }
        Transition { next, reward }
    }

    /// Returns the best returns for one more step, given those of the following steps.
    fn one_step_more(&self, returns: &[i64]) -> Vec<i64> {
        let worth = |transition: &Transition| i64::from(transition.reward) + returns[transition.next];
        let best = |pairs: &[Transition; PAIRS]| pairs.iter().map(worth).max().unwrap_or_default();
        self.transitions.iter().map(best).collect()
    }
}

impl Optimum {
    /// Computes the optimum in a fraction of a millisecond, from the best returns of 0, 1, 2, .. steps.
    ///
    /// It stops when the returns of some number of steps exceed those of a smaller number by a constant that is the
    /// same for all states. Since the next returns follow from the last alone, and a constant added to the last is
    /// added to the next, they repeat from then on. This happens because every state can be reached from every other
    /// one: the returns of such a game are periodic except for their growth.
    pub fn compute() -> Self {
        let game = Game::explore();
        let mut returns = vec![vec![0; game.states.len()]];
        let recurs_from = loop {
            let next = game.one_step_more(&returns[returns.len() - 1]);
            let recurs_from = returns.iter().position(|earlier| differ_by_constant(&next, earlier));
            returns.push(next);
            if let Some(steps) = recurs_from {
                break steps;
            }
        };
        let mut optimum = Self { game, returns, recurs_from, values: Vec::new() };
        optimum.values = optimum.long_run_values();
        optimum
    }

    /// Returns the graph of the game.
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// Returns the best joint return of this number of steps from the state with this number, at most [`i64::MAX`].
    ///
    /// # Panics
    /// Panics if there is no such state.
    pub fn best_return(&self, state: usize, steps: u64) -> i64 {
        let (from, period) = (self.recurs_from as u64, self.period() as u64);
        let (periods, rest) = match steps.checked_sub(from) {
            Some(beyond) => (beyond / period, from + beyond % period),
            None => (0, steps),
        };
        let growth = i128::from(periods) * i128::from(self.gain());
        let all = growth + i128::from(self.returns[rest as usize][state]);
        all.min(i64::MAX.into()) as i64
    }

    /// Returns the number of steps after which the best returns have grown by the same [gain](Self::gain) from every
    /// state.
    pub fn period(&self) -> usize {
        self.returns.len() - 1 - self.recurs_from
    }

    /// Returns the growth of the best returns in a [period](Self::period).
    pub fn gain(&self) -> i64 {
        let last = self.returns.len() - 1;
        self.returns[last][Game::START] - self.returns[self.recurs_from][Game::START]
    }

    /// Returns the long-run value of a pair of actions, on a scale that makes pairs in the same state comparable. Two
    /// walkers that always choose a pair with the highest value lose nothing: on average they win the
    /// [gain](Self::gain) in a [period](Self::period).
    ///
    /// # Panics
    /// Panics if there is no such state.
    pub fn worth(&self, state: usize, red: Action, blue: Action) -> i64 {
        let Transition { next, reward } = self.game.transition(state, red, blue);
        i64::from(reward) * self.period() as i64 + self.values[next]
    }

    /// Returns the first of the pairs of actions with the highest value: red's action and blue's.
    ///
    /// # Panics
    /// Panics if there is no such state.
    pub fn best_pair(&self, state: usize) -> (Action, Action) {
        let pairs = (0..PAIRS).rev().map(pair_with_number);
        let best = pairs.max_by_key(|&(red, blue)| self.worth(state, red, blue));
        best.unwrap_or((Action::Wait, Action::Wait))
    }

    /// Returns the value of each state, in the sense of [`worth`](Self::worth). The best returns for one number of
    /// steps are not enough, since their preferences depend on the number of steps left. The maximum over a whole
    /// period, each minus the usual growth until then, works: one more step turns each into the next and the last
    /// into the first, so the maximum grows by the usual growth of a step and no more.
    fn long_run_values(&self) -> Vec<i64> {
        let (period, gain) = (self.period() as i64, self.gain());
        let detrended = |state: usize| {
            let returns = self.returns[self.recurs_from..].iter().map(move |all| all[state]);
            (0..period).zip(returns).map(move |(steps, value)| period * value - steps * gain)
        };
        let states = 0..self.game.states.len();
        states.map(|state| detrended(state).max().unwrap_or_default()).collect()
    }
}

fn differ_by_constant(one: &[i64], other: &[i64]) -> bool {
    let mut differences = one.iter().zip(other).map(|(one, other)| one - other);
    let first = differences.next();
    differences.all(|difference| Some(difference) == first)
}

fn number_of_pair(red: Action, blue: Action) -> usize {
    red as usize * Action::ALL.len() + blue as usize
}

fn pair_with_number(pair: usize) -> (Action, Action) {
    (Action::ALL[pair / Action::ALL.len()], Action::ALL[pair % Action::ALL.len()])
}
