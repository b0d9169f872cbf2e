//! The game as a finite graph, made from the rules, and what can be won in it: exact returns for any number of
//! steps, and what a step is worth in the long run.

use std::collections::BTreeMap;

use crate::maze::{Action, Maze};

/// How many pairs of actions there are.
const PAIRS: usize = Action::ALL.len() * Action::ALL.len();

/// Every state that play can reach, and where each pair of actions leads from it.
#[derive(Clone, Debug)]
pub struct Game {
    states: Vec<Maze>,
    numbers: BTreeMap<Maze, usize>,
    transitions: Vec<[Transition; PAIRS]>,
}

/// Where a pair of actions leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transition {
    /// The number of the next state.
    pub next: usize,
    /// The joint reward.
    pub reward: i32,
}

/// What the two bodies can win together.
#[derive(Clone, Debug)]
pub struct Optimum {
    game: Game,
    /// For each number of steps, the best return from each state, as far as they are needed: the last differ by a
    /// constant, the same for all states, from those of `recurs_from` steps.
    returns: Vec<Vec<i64>>,
    recurs_from: usize,
    /// For each state, what it is worth to be there rather than elsewhere, times the period.
    values: Vec<i64>,
}

/// The best joint return of so many steps from the beginning of an episode. Each call [computes](Optimum::compute)
/// it anew.
pub fn best_return(steps: u64) -> i64 {
    Optimum::compute().best_return(Game::START, steps)
}

impl Game {
    /// The number of the state in which episodes begin.
    pub const START: usize = 0;

    /// Follows the rules to wherever they lead.
    pub fn explore() -> Self {
        let mut game = Self {
            states: vec![Maze::START],
            numbers: BTreeMap::from([(Maze::START, Self::START)]),
            transitions: Vec::new(),
        };
        // Each state that is found is also explored, those found first before the others.
        while let Some(&state) = game.states.get(game.transitions.len()) {
            let transitions = std::array::from_fn(|pair| game.follow(state, pair));
            game.transitions.push(transitions);
        }
        game
    }

    /// All states, by number: those first that can be reached in fewer steps.
    pub fn states(&self) -> &[Maze] {
        &self.states
    }

    /// The number of a state; none if play cannot reach it.
    pub fn find(&self, maze: Maze) -> Option<usize> {
        self.numbers.get(&maze).copied()
    }

    /// Where a pair of actions leads from the state with this number.
    ///
    /// # Panics
    /// When there is no such state.
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

    /// The best returns of one step more, given those of the steps that follow it.
    fn one_step_more(&self, returns: &[i64]) -> Vec<i64> {
        let worth = |transition: &Transition| i64::from(transition.reward) + returns[transition.next];
        let best = |pairs: &[Transition; PAIRS]| pairs.iter().map(worth).max().unwrap_or_default();
        self.transitions.iter().map(best).collect()
    }
}

impl Optimum {
    /// Computes it in a fraction of a millisecond, from the best returns of 0, 1, 2, .. steps.
    ///
    /// They are computed until those of some number of steps exceed those of a smaller number by a constant that is
    /// the same for all states. Since the next returns follow from the last alone, and a constant added to the last
    /// is added to the next, they go on so for ever. It comes to that because every state can be reached from
    /// every other one: the returns of such a game are periodic but for their growth.
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

    /// The graph of the game.
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// The best joint return of so many steps from the state with this number, at the most [`i64::MAX`].
    ///
    /// # Panics
    /// When there is no such state.
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

    /// After how many steps the best returns have grown by the same [gain](Self::gain) from every state.
    pub fn period(&self) -> usize {
        self.returns.len() - 1 - self.recurs_from
    }

    /// By how much the best returns grow in a [period](Self::period).
    pub fn gain(&self) -> i64 {
        let last = self.returns.len() - 1;
        self.returns[last][Game::START] - self.returns[self.recurs_from][Game::START]
    }

    /// What a pair of actions is worth in the long run, on a scale that makes pairs in the same state comparable. Two
    /// bodies that always choose a pair that is worth most lose nothing: on average they win the
    /// [gain](Self::gain) in a [period](Self::period).
    ///
    /// # Panics
    /// When there is no such state.
    pub fn worth(&self, state: usize, red: Action, blue: Action) -> i64 {
        let Transition { next, reward } = self.game.transition(state, red, blue);
        i64::from(reward) * self.period() as i64 + self.values[next]
    }

    /// Of the pairs of actions that are worth most, the first: red's, and blue's.
    ///
    /// # Panics
    /// When there is no such state.
    pub fn best_pair(&self, state: usize) -> (Action, Action) {
        let pairs = (0..PAIRS).rev().map(pair_with_number);
        let best = pairs.max_by_key(|&(red, blue)| self.worth(state, red, blue));
        best.unwrap_or((Action::Wait, Action::Wait))
    }

    /// What each state is worth, in the sense of [`worth`](Self::worth). The best returns of one number of steps will
    /// not do, since what they prefer depends on how many steps are left. The greatest of a whole period of them, each
    /// less the growth that is usual by then, does: one step more turns each into the next and the last into the
    /// first, so that their greatest grows by what is usual in a step, and no more.
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
