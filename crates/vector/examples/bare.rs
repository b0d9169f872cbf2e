//! Prints how many env-steps per second the simplest loop over Find the Goals makes: `bare table|rules ENVS`. With
//! this, `python -m situated.bench --bare FILE` compares the Python package with that loop.

#[path = "../benches/vector/bare.rs"]
mod bare;

use std::hint::black_box;
use std::time::{Duration, Instant};

use bare::{BareMazes, BareTable, Stepper, Written, batches};

const SPAN: Duration = Duration::from_millis(300);

fn main() {
    let [_, how, envs] = &std::env::args().collect::<Vec<_>>()[..] else { panic!("usage: bare table|rules ENVS") };
    let envs: usize = envs.parse().expect("a number of envs");
    let mut stepper: Box<dyn Stepper> = match how.as_str() {
        "table" => Box::new(BareTable::new(envs)),
        "rules" => Box::new(BareMazes::new(envs)),
        _ => panic!("`{how}` is neither table nor rules"),
    };
    let (batches, mut written) = (batches(envs), Written::new(envs));
    let (mut steps, begin) = (0, Instant::now());
    while begin.elapsed() < SPAN {
        for batch in &batches {
            stepper.step(black_box(batch), &mut written);
            black_box(&mut written);
        }
        steps += batches.len() * envs;
    }
    println!("{}", steps as f64 / begin.elapsed().as_secs_f64());
}
