//! The cost of a step of a vector whose robots make random choices: two robots on Rainbow, with steps of a tick and of a
//! decision. Beside it, in turn, a bare loop and a vector with two threads, for the same choices.
//!
//! Making the choices is not measured. Episodes are truncated after 1,000 steps; beginning new ones is measured.
//!
//! `cargo bench --profile wheel -p situated-bw4t --bench encoding`
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

/// Vectors with one and with two threads and the buffers of their steps, and the bare episodes that follow the same
/// choices.
struct Crowd {
    vectors: [Box<dyn Vector>; 2],
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
    fn new(envs: usize, steps: &str) -> Self {
        let parameters = parameters(steps);
        let read = Parameters::read(&parameters, &Bw4t::ontology()).expect("the parameters are valid");
        let bare = (0..envs).map(|env| begin(&read, first_seed(1, env))).collect();
        let settings = Settings { envs, max_steps: Some(LENGTH), parameters, ..Settings::default() };
        let vectors = [1, 2]
            .map(|threads| vector::<Bw4t>(Settings { threads, ..settings.clone() }).expect("the parameters are valid"));
        let vector = &vectors[0];
        let (encoding, rows) = (vector.encoding(), envs * vector.agents().len());
        let mut observations = vec![0.0; rows * encoding.size()];
        let mut masks = vec![false; rows * encoding.actions.len()];
        vector.observe(Observations::F32(&mut observations), &mut masks).expect("the buffers fit");
        let flags = [(); 2].map(|()| vec![false; rows]);
        let (choices, rewards) = (vec![0; rows], vec![0.0; rows]);
        let random = Random::new(1);
        let mut crowd = Self { vectors, bare, parameters: read, random, choices, observations, masks, rewards, flags };
        // First let the robots spread over the map.
        (0..LENGTH / 10).for_each(|_| {
            crowd.pass();
        });
        crowd
    }

    /// Makes a step, and returns the times of the bare episodes, and of the vectors with one and with two threads.
    fn pass(&mut self) -> [Duration; 3] {
        self.choose();
        let steps: [fn(&mut Self); 3] = [Self::step_bare, |crowd| crowd.step(0), |crowd| crowd.step(1)];
        steps.map(|step| {
            let begin = Instant::now();
            step(self);
            begin.elapsed()
        })
    }

    fn choose(&mut self) {
        let masks = self.masks.chunks(self.vectors[0].encoding().actions.len());
        for (choice, mask) in self.choices.iter_mut().zip(masks) {
            let open = mask.iter().filter(|open| **open).count();
            let chosen = self.random.index(open);
            let mut numbers = (0_u8..).zip(mask).filter(|(_, open)| **open);
            *choice = numbers.nth(chosen).map_or(0, |(number, _)| number);
        }
    }

    fn step(&mut self, vector: usize) {
        let [terminated, truncated] = &mut self.flags;
        let observations = Observations::F32(&mut self.observations);
        let (masks, rewards) = (&mut self.masks, &mut self.rewards);
        let outputs = Outputs { observations, masks, rewards, terminated, truncated, finals: None };
        self.vectors[vector].step(Actions::U8(&self.choices), outputs).expect("the choices exist");
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
            let (mut crowd, mut total) = (None, [Duration::ZERO; 3]);
            group.bench_function(BenchmarkId::from_parameter("1 thread"), |bencher| {
                let crowd = crowd.get_or_insert_with(|| Crowd::new(envs, steps));
                bencher.iter_custom(|times| {
                    let before = total[1];
                    for _ in 0..times {
                        let took = crowd.pass();
                        (0..total.len()).for_each(|which| total[which] += took[which]);
                    }
                    total[1] - before
                });
            });
            let [bare, one, two] = total.map(|took| took.as_secs_f64());
            if crowd.is_some() {
                println!(
                    "{envs} envs, a step is a {steps}: {:.2} of the rate of a bare loop, with a second thread {:.2} times that",
                    bare / one,
                    one / two
                );
            }
            group.finish();
        }
    }
}

criterion_group!(benches, step);
criterion_main!(benches);
