//! Measures a step of Find the Goals in a vector, and in the simplest loops that do the same.
//!
//! `cargo bench --profile wheel -p situated-vector --bench vector`

mod bare;

use std::collections::BTreeMap;
use std::hint::black_box;
use std::time::{Duration, Instant};

use bare::{BareMazes, BareTable, MAX_STEPS, Stepper, Written, batches};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use situated_find_goals::FindGoals;
use situated_vector::{Actions, Observations, Outputs, Settings, Vector, vector};

const SIZES: [usize; 2] = [1_024, 16_384];
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
        let vector = vector::<FindGoals>(settings).expect("the parameters are valid");
        assert_eq!(vector.table().is_some(), tables);
        Box::new(vector)
    };
    vec![
        ("table by hand", Box::new(BareTable::new(envs))),
        ("table", made(true, 1)),
        ("table, 2 threads", made(true, 2)),
        ("mazes by hand", Box::new(BareMazes::new(envs))),
        ("rules", made(false, 1)),
        ("rules, 2 threads", made(false, 2)),
    ]
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

/// Prints the best samples, each next to that of the loop written by hand.
fn report(envs: usize, best: &BTreeMap<&str, f64>) {
    for (name, each) in best {
        let by_hand = best.get(if name.starts_with("table") { "table by hand" } else { "mazes by hand" });
        let ratio = by_hand.map_or(f64::NAN, |by_hand| by_hand / each);
        println!("{envs:>6} envs, {name:<17} {each:>6.2} ns, {:>6.1} M/s, {ratio:.2} of the loop by hand", 1e3 / each);
    }
}

criterion_group!(benches, step);
criterion_main!(benches);
