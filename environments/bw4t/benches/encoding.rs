//! The cost of a step of a vector whose robots make random choices: three robots on Rainbow, with steps of a tick and
//! of a decision, on one thread and on two.
//!
//! Making the choices is not measured. Episodes are truncated after 1,000 steps; beginning new ones is measured.
//!
//! `cargo bench -p situated-bw4t --bench encoding`
#![allow(clippy::disallowed_types, reason = "it measures time")]

use std::collections::BTreeMap;
use std::hint::black_box;
use std::time::{Duration, Instant};

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use situated::iil::Parameter;
use situated::random::Random;
use situated_bw4t::Bw4t;
use situated_vector::{Actions, Observations, Outputs, Settings, Vector, vector};

/// Numbers of environments. A vector uses a second thread only above a minimum.
const ENVS: [usize; 2] = [256, 4_096];

const ROBOTS: i64 = 3;

const LENGTH: u64 = 1_000;

/// Environments with the buffers of their steps.
struct Crowd {
    vector: Box<dyn Vector>,
    random: Random,
    choices: Vec<u8>,
    observations: Vec<f32>,
    masks: Vec<bool>,
    rewards: Vec<f32>,
    flags: [Vec<bool>; 2],
}

impl Crowd {
    fn new(envs: usize, threads: usize, steps: &str) -> Self {
        let parameters: BTreeMap<String, Parameter> = [
            ("robots".to_owned(), Parameter::from(ROBOTS)),
            ("steps".to_owned(), Parameter::Identifier(steps.into())),
            ("reward".to_owned(), Parameter::Identifier("shaped".into())),
        ]
        .into();
        let settings = Settings { envs, threads, max_steps: Some(LENGTH), parameters, ..Settings::default() };
        let vector = vector::<Bw4t>(settings).expect("the parameters are valid");
        let (encoding, rows) = (vector.encoding(), envs * vector.agents().len());
        let mut observations = vec![0.0; rows * encoding.size()];
        let mut masks = vec![false; rows * encoding.actions.len()];
        vector.observe(Observations::F32(&mut observations), &mut masks).expect("the buffers fit");
        let flags = [(); 2].map(|()| vec![false; rows]);
        let (choices, rewards) = (vec![0; rows], vec![0.0; rows]);
        let mut crowd = Self { vector, random: Random::new(1), choices, observations, masks, rewards, flags };
        // First let the robots spread over the map.
        (0..LENGTH / 10).for_each(|_| {
            crowd.choose();
            crowd.step();
        });
        crowd
    }

    fn choose(&mut self) {
        let masks = self.masks.chunks(self.vector.encoding().actions.len());
        for (choice, mask) in self.choices.iter_mut().zip(masks) {
            let open = mask.iter().filter(|open| **open).count();
            let chosen = self.random.index(open);
            let mut numbers = (0_u8..).zip(mask).filter(|(_, open)| **open);
            *choice = numbers.nth(chosen).map_or(0, |(number, _)| number);
        }
    }

    fn step(&mut self) {
        let [terminated, truncated] = &mut self.flags;
        let observations = Observations::F32(&mut self.observations);
        let (masks, rewards) = (&mut self.masks, &mut self.rewards);
        let outputs = Outputs { observations, masks, rewards, terminated, truncated, finals: None };
        self.vector.step(Actions::U8(&self.choices), outputs).expect("the choices exist");
    }
}

fn step(criterion: &mut Criterion) {
    for envs in ENVS {
        for steps in ["tick", "decision"] {
            let mut group = criterion.benchmark_group(format!("{envs} envs, a step is a {steps}"));
            group.throughput(Throughput::Elements(envs as u64));
            group.warm_up_time(Duration::from_millis(500)).measurement_time(Duration::from_secs(3)).sample_size(20);
            for threads in [1, 2] {
                let mut crowd = Crowd::new(envs, threads, steps);
                group.bench_function(BenchmarkId::from_parameter(format!("{threads} threads")), |bencher| {
                    bencher.iter_custom(|times| {
                        let mut took = Duration::ZERO;
                        for _ in 0..times {
                            crowd.choose();
                            let begin = Instant::now();
                            crowd.step();
                            took += begin.elapsed();
                            black_box(&crowd.observations);
                        }
                        took
                    });
                });
            }
            group.finish();
        }
    }
}

criterion_group!(benches, step);
criterion_main!(benches);
