//! The time that robots lose by making way for each other. Robots go to random halls of Rainbow, one after another.
//! For teams of 3, 5 and 10, the example prints the number of journeys in 20,000 ticks when robots pass through each
//! other (off) and when they make way (avoid), for several seeds.

#[path = "../tests/bw4t/crowd.rs"]
mod crowd;

use crowd::Crowd;
use situated_bw4t::world::Collisions;

const TICKS: u64 = 20_000;
const SEEDS: u64 = 5;

fn main() {
    println!("{:>6} {:>6} {:>8} {:>8} {:>8}", "robots", "seed", "off", "avoid", "ratio");
    for robots in [3, 5, 10] {
        for seed in 1..=SEEDS {
            let [off, avoid] = [Collisions::Off, Collisions::Avoid].map(|collisions| {
                let mut crowd = Crowd::in_halls(robots, collisions, seed);
                crowd.run(TICKS);
                crowd.journeys
            });
            println!("{robots:>6} {seed:>6} {off:>8} {avoid:>8} {:>7.1}%", 100.0 * avoid as f64 / off as f64);
        }
    }
}
