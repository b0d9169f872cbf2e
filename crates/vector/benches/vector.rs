//! What a step of Find the Goals costs in a vector, beside the barest loops that do the same: over a table that is
//! written by hand for this world, and over its mazes. All check the actions, count the steps, truncate and begin anew
//! after 1,000 of them, and write observations, masks, rewards and both flags. Actions are there beforehand.
//!
//! `cargo bench -p situated-vector --bench vector`

use std::collections::BTreeMap;
use std::hint::black_box;
use std::time::{Duration, Instant};

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use situated::random::Random;
use situated_find_goals::FindGoals;
use situated_find_goals::maze::{Action, Body, Maze};
use situated_find_goals::optimum::Game;
use situated_vector::{Actions, Observations, Outputs, Settings, Vector, vector};

const SIZES: [usize; 2] = [1_024, 16_384];
const MAX_STEPS: u32 = 1_000;
/// Batches of actions, which are used in turn.
const BATCHES: usize = 16;
const ACTIONS: usize = Action::ALL.len();
const PAIRS: usize = ACTIONS * ACTIONS;

/// The observations and masks of both.
type Shown = ([u8; 16], [bool; 2 * ACTIONS]);

/// What a step writes.
struct Written {
    observations: Vec<u8>,
    masks: Vec<bool>,
    rewards: Vec<f32>,
    terminated: Vec<bool>,
    truncated: Vec<bool>,
}

impl Written {
    fn new(envs: usize) -> Self {
        Self {
            observations: vec![0; envs * 16],
            masks: vec![false; envs * 2 * ACTIONS],
            rewards: vec![0.0; envs * 2],
            terminated: vec![false; envs * 2],
            truncated: vec![false; envs * 2],
        }
    }
}

/// What steps many envs, given so many pairs of actions.
trait Stepper {
    fn step(&mut self, actions: &[u8], written: &mut Written);
}

/// A table for this world alone.
struct BareTable {
    next: Vec<u32>,
    rewards: Vec<[f32; 2]>,
    shown: Vec<Shown>,
    /// The state of each env, how many steps its episode has made, and whether it is over.
    envs: Vec<(u32, u32, bool)>,
}

/// The rules, without anything around them.
struct BareMazes {
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

/// One env after another: `advance` makes a step of one, and returns its rewards.
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
    fn new(envs: usize) -> Self {
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

impl Stepper for BareMazes {
    fn step(&mut self, actions: &[u8], written: &mut Written) {
        let advance = |maze: &mut Maze, red: u8, blue: u8| {
            let [red, blue] = [red, blue].map(|action| Action::ALL[usize::from(action)]);
            [maze.step(red, blue).joint as f32; 2]
        };
        step_bare(&mut self.envs, actions, written, || Maze::START, advance, show);
    }
}

impl Stepper for Box<dyn Vector> {
    fn step(&mut self, actions: &[u8], written: &mut Written) {
        let Written { observations, masks, rewards, terminated, truncated } = written;
        let observations = Observations::U8(observations);
        let outputs = Outputs { observations, masks, rewards, terminated, truncated, finals: None };
        Vector::step(&mut **self, Actions::U8(actions), outputs).expect("the actions exist");
    }
}

fn steppers(envs: usize) -> Vec<(&'static str, Box<dyn Stepper>)> {
    let made = |tables, threads| {
        let settings = Settings { envs, threads, tables, max_steps: Some(MAX_STEPS.into()), ..Settings::default() };
        let vector = vector::<FindGoals>(settings).expect("there is such a world");
        assert_eq!(vector.table().is_some(), tables);
        Box::new(vector)
    };
    vec![
        ("table by hand", Box::new(BareTable::new(envs))),
        ("table", made(true, 1)),
        ("table, 2 threads", made(true, 2)),
        ("mazes by hand", Box::new(BareMazes { envs: vec![(Maze::START, 0, false); envs] })),
        ("rules", made(false, 1)),
        ("rules, 2 threads", made(false, 2)),
    ]
}

fn batches(envs: usize) -> Vec<Vec<u8>> {
    let mut random = Random::new(1);
    (0..BATCHES).map(|_| (0..2 * envs).map(|_| random.below(ACTIONS as u64) as u8).collect()).collect()
}

fn step(criterion: &mut Criterion) {
    for envs in SIZES {
        let batches = batches(envs);
        let mut written = Written::new(envs);
        let mut best = BTreeMap::new();
        let mut group = criterion.benchmark_group(format!("{envs} envs"));
        group.throughput(Throughput::Elements(envs as u64));
        group.warm_up_time(Duration::from_millis(500)).measurement_time(Duration::from_secs(2)).sample_size(30);
        for (name, mut stepper) in steppers(envs) {
            group.bench_function(BenchmarkId::from_parameter(name), |bencher| {
                bencher.iter_custom(|times| {
                    let begin = Instant::now();
                    for batch in batches.iter().cycle().take(times as usize) {
                        stepper.step(black_box(batch), &mut written);
                        black_box(&mut written);
                    }
                    let took = begin.elapsed();
                    let each = took.as_secs_f64() * 1e9 / (times as f64 * envs as f64);
                    let least = best.entry(name).or_insert(each);
                    *least = each.min(*least);
                    took
                });
            });
        }
        group.finish();
        report(envs, &best);
    }
}

/// The best samples, each beside what is written by hand.
fn report(envs: usize, best: &BTreeMap<&str, f64>) {
    for (name, each) in best {
        let by_hand = best.get(if name.starts_with("table") { "table by hand" } else { "mazes by hand" });
        let ratio = by_hand.map_or(f64::NAN, |by_hand| by_hand / each);
        println!("{envs:>6} envs, {name:<17} {each:>6.2} ns, {:>6.1} M/s, {ratio:.2} of the loop by hand", 1e3 / each);
    }
}

criterion_group!(benches, step);
criterion_main!(benches);
