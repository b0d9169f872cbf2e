//! Runs simulations with many seeds.

use std::ops::Range;

/// Runs a simulation with each of these seeds, with as many of them as the variable `SIMULATION_SEEDS` says, or only
/// with the one in the variable `SIMULATION_SEED`. Prints a seed that fails. Returns whether it has run with all seeds.
pub fn try_seeds(seeds: Range<u64>, mut run: impl FnMut(u64)) -> bool {
    let variable = |name: &str| std::env::var(name).ok().map(|value| value.parse::<u64>().expect("an integer"));
    let tried = match (variable("SIMULATION_SEED"), variable("SIMULATION_SEEDS")) {
        (Some(seed), _) => seed..seed + 1,
        (None, Some(most)) => seeds.start..seeds.end.min(seeds.start + most),
        (None, None) => seeds.clone(),
    };
    for seed in tried.clone() {
        let _guard = TellSeed(seed);
        run(seed);
    }
    tried == seeds
}

struct TellSeed(u64);

impl Drop for TellSeed {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("failed with SIMULATION_SEED={}", self.0);
        }
    }
}
