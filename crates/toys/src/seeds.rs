//! Seeds of simulations.

use std::ops::Range;

/// Runs a simulation with these seeds, or only with that of the variable `SIMULATION_SEED`. A seed that fails is printed.
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
