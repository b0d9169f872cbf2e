//! Runs simulations with many seeds.

use std::ops::Range;

/// Runs a simulation with each of these seeds, or only with the one in the variable `SIMULATION_SEED`. Prints a seed
/// that fails.
pub fn try_seeds(seeds: Range<u64>, mut run: impl FnMut(u64)) {
    let seeds = match std::env::var("SIMULATION_SEED") {
        Ok(seed) => {
            let seed = seed.parse().expect("SIMULATION_SEED is an integer");
            seed..seed + 1
        }
        Err(_) => seeds,
    };
    for seed in seeds {
        let _guard = TellSeed(seed);
        run(seed);
    }
}

struct TellSeed(u64);

impl Drop for TellSeed {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("failed with SIMULATION_SEED={}", self.0);
        }
    }
}
