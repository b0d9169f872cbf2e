//! Tests that a step allocates no memory.

use allocation_counter::measure;
use situated::random::Random;
use situated_find_goals::FindGoals;
use situated_vector::{Autoreset, Settings};

use crate::herd::Herd;
use crate::written::{Room, Run, with};

fn allocations<T: Room>(mut run: Run<T>) -> u64 {
    let mut random = Random::new(1);
    run.play(&mut random, 3);
    let actions: Vec<Vec<i64>> = (0..50).map(|_| run.random_actions(&mut random)).collect();
    measure(|| actions.iter().for_each(|actions| run.step(actions).expect("they exist"))).count_total
}

#[test]
fn steps_allocate_nothing() {
    let settings = |tables| Settings { envs: 300, tables, ..Settings::default() };
    assert_eq!(allocations(Run::new::<FindGoals>(settings(false))), 0);
    assert_eq!(allocations(Run::new::<FindGoals>(settings(true))), 0);
    for autoreset in [Autoreset::NextStep, Autoreset::SameStep] {
        // With a table, the begin of an episode allocates nothing either.
        let settings = Settings { autoreset, max_steps: Some(4), ..settings(true) };
        assert_eq!(allocations(Run::new::<Herd>(settings)), 0);
    }
    let settings = Settings { max_steps: Some(4), ..settings(false) };
    assert!(allocations(Run::new::<Herd>(with(settings, "chance", true))) > 0, "the counter counts");
}

/// Threads allocate one block of their queue for some dozens of steps.
#[test]
fn threads_allocate_almost_nothing() {
    let settings = Settings { envs: 16_384, threads: 2, ..Settings::default() };
    assert!(allocations(Run::new::<FindGoals>(settings)) <= 2);
}
