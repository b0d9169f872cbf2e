//! The cost of a step of a vector whose robots make random choices, beside a bare loop over the same choices: two
//! robots on Rainbow, with steps of a tick and of a decision, on one thread and on two.
//!
//! Making the choices is not measured. Episodes are truncated after 1,000 steps; beginning new ones is measured.
//!
//! `cargo bench -p situated-bw4t --bench encoding`
#![allow(clippy::disallowed_types, reason = "it measures time")]

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use situated::encoding::Encode;
use situated::environment::{EntityId, Environment, Episode};
use situated::iil::Parameter;
use situated::ontology::typed::InitParameters;
use situated::random::{Random, next_seed};
use situated_bw4t::{Bw4t, Parameters};
use situated_vector::{Actions, Observations, Outputs, Settings, Vector, first_seed, vector};

/// Numbers of environments. A vector uses a second thread only above a minimum.
const ENVS: [usize; 2] = [256, 4_096];

const ROBOTS: usize = 2;

const LENGTH: u64 = 1_000;

fn parameters(steps: &str) -> BTreeMap<String, Parameter> {
    [
        ("robots".to_owned(), Parameter::from(ROBOTS as i64)),
        ("steps".to_owned(), Parameter::Identifier(steps.into())),
        ("reward".to_owned(), Parameter::Identifier("shaped".into())),
    ]
    .into()
}

/// A vector with the buffers of its steps, and the bare episodes that follow the same choices.
struct Crowd {
    vector: Box<dyn Vector>,
    bare: Vec<Episode<Bw4t>>,
    parameters: Parameters,
    random: Random,
    choices: Vec<u8>,
    observations: Vec<f32>,
    masks: Vec<bool>,
    rewards: Vec<f32>,
    flags: [Vec<bool>; 2],
}

impl Crowd {
    fn new(envs: usize, threads: usize, steps: &str, with_bare: bool) -> Self {
        let parameters = parameters(steps);
        let read = Parameters::read(&parameters, &Bw4t::ontology()).expect("the parameters are valid");
        let bare = (0..if with_bare { envs } else { 0 }).map(|env| begin(&read, first_seed(1, env))).collect();
        let settings = Settings { envs, threads, max_steps: Some(LENGTH), parameters, ..Settings::default() };
        let vector = vector::<Bw4t>(settings).expect("the parameters are valid");
        let (encoding, rows) = (vector.encoding(), envs * vector.agents().len());
        let mut observations = vec![0.0; rows * encoding.size()];
        let mut masks = vec![false; rows * encoding.actions.len()];
        vector.observe(Observations::F32(&mut observations), &mut masks).expect("the buffers fit");
        let flags = [(); 2].map(|()| vec![false; rows]);
        let (choices, rewards) = (vec![0; rows], vec![0.0; rows]);
        let random = Random::new(1);
        let mut crowd = Self { vector, bare, parameters: read, random, choices, observations, masks, rewards, flags };
        // First let the robots spread over the map.
        (0..LENGTH / 10).for_each(|_| {
            crowd.pass();
        });
        crowd
    }

    /// Makes a step, and returns the times of the vector and of the bare episodes.
    fn pass(&mut self) -> [Duration; 2] {
        self.choose();
        let begin = Instant::now();
        self.step_bare();
        let bare = begin.elapsed();
        let begin = Instant::now();
        self.step();
        [begin.elapsed(), bare]
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

    /// What any loop has to do: the choices become actions, time advances, and what is over begins again. Nothing is
    /// observed.
    fn step_bare(&mut self) {
        let Self { bare, choices, flags: [terminated, truncated], parameters, .. } = self;
        let over = terminated.chunks_exact(ROBOTS).zip(truncated.chunks_exact(ROBOTS));
        for ((episode, choices), (terminated, truncated)) in bare.iter_mut().zip(choices.chunks_exact(ROBOTS)).zip(over)
        {
            if terminated[0] || truncated[0] {
                *episode = begin(parameters, next_seed(episode.context().seed()));
                continue;
            }
            let entities: Vec<EntityId> = episode.context().entities().map(|(entity, _)| entity).collect();
            for (entity, choice) in entities.into_iter().zip(choices) {
                if let Some(action) = episode.environment().decode(entity, usize::from(*choice)) {
                    // A refused action has no effect.
                    let _ = episode.act(entity, &action);
                }
            }
            episode.step();
        }
    }
}

fn begin(parameters: &Parameters, seed: u64) -> Episode<Bw4t> {
    let mut episode = Episode::init(parameters, seed).expect("a map with room for the robots");
    episode.deafen();
    episode
}

fn step(criterion: &mut Criterion) {
    for envs in ENVS {
        for steps in ["tick", "decision"] {
            let mut group = criterion.benchmark_group(format!("{envs} envs, a step is a {steps}"));
            group.throughput(Throughput::Elements(envs as u64));
            group.warm_up_time(Duration::from_millis(500)).measurement_time(Duration::from_secs(3)).sample_size(20);
            for (name, threads, with_bare) in [("1 thread", 1, true), ("2 threads", 2, false)] {
                let (mut crowd, mut total) = (None, [Duration::ZERO; 2]);
                group.bench_function(BenchmarkId::from_parameter(name), |bencher| {
                    let crowd = crowd.get_or_insert_with(|| Crowd::new(envs, threads, steps, with_bare));
                    bencher.iter_custom(|times| {
                        let mut took = Duration::ZERO;
                        for _ in 0..times {
                            let [vector, bare] = crowd.pass();
                            took += vector;
                            total = [total[0] + vector, total[1] + bare];
                        }
                        took
                    });
                });
                if with_bare && crowd.is_some() {
                    let ratio = total[1].as_secs_f64() / total[0].as_secs_f64();
                    println!("{envs} envs, a step is a {steps}: {ratio:.2} of the rate of a bare loop");
                }
            }
            group.finish();
        }
    }
}

criterion_group!(benches, step);
criterion_main!(benches);
