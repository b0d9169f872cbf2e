//! Saved episodes, and vectors of episodes.

use std::collections::BTreeMap;

use situated::environment::Episode;
use situated::iil::Parameter;
use situated::random::Random;
use situated_bw4t::encoding::Steps;
use situated_bw4t::{Bw4t, Parameters};
use situated_vector::{Actions, Observations, Outputs, Settings, Vector, vector};

use crate::encoding::learner::{Learner, MAPS, Seen, parameters, shaped};

fn all() -> Vec<Parameters> {
    let of = |(map, robots)| [Steps::Tick, Steps::Decision].map(|steps| parameters(map, robots, steps));
    MAPS.into_iter().flat_map(of).chain([shaped(0.9)]).collect()
}

#[test]
fn the_same_choices_have_the_same_results() {
    for parameters in all() {
        let [mut one, mut other] = [(); 2].map(|()| Learner::begin(&parameters, 6));
        let mut random = Random::new(3);
        for _ in 0..150 {
            let choices = one.any(&mut random);
            one.step(&choices);
            other.step(&choices);
            assert_eq!(one.seen, other.seen);
        }
        assert_eq!(one.episode.hash(), other.episode.hash());
    }
}

#[test]
fn a_saved_episode_has_the_same_future() {
    for parameters in all() {
        let mut learner = Learner::begin(&parameters, 6);
        let mut random = Random::new(3);
        for _ in 0..4 {
            for _ in 0..60 {
                let choices = learner.any(&mut random);
                learner.step(&choices);
            }
            let mut copy = learner.copy(&parameters);
            assert_eq!(copy.seen, learner.seen);
            for _ in 0..60 {
                let choices = learner.any(&mut random);
                learner.step(&choices);
                copy.step(&choices);
                assert_eq!(copy.seen, learner.seen);
            }
        }
    }
}

/// A vector as the tests control it.
struct Many {
    vector: Box<dyn Vector>,
    seen: Seen,
}

impl Many {
    fn begin(envs: usize) -> Self {
        let word = |text: &str| Parameter::Identifier(text.into());
        let parameters: BTreeMap<String, Parameter> =
            [("robots".to_owned(), Parameter::from(3)), ("steps".to_owned(), word("decision"))].into();
        let settings = Settings { envs, seed: 9, max_steps: Some(120), parameters, ..Settings::default() };
        let vector = vector::<Bw4t>(settings).expect("a sound world");
        let rows = envs * vector.agents().len();
        let encoding = vector.encoding();
        let mut seen = Seen {
            observations: vec![f32::NAN; rows * encoding.size()],
            masks: vec![false; rows * encoding.actions.len()],
            rewards: vec![f32::NAN; rows],
            terminated: vec![false; rows],
            truncated: vec![false; rows],
        };
        vector.observe(Observations::F32(&mut seen.observations), &mut seen.masks).expect("the buffers fit");
        Self { vector, seen }
    }

    fn step(&mut self, choices: &[i64]) {
        let Seen { observations, masks, rewards, terminated, truncated } = &mut self.seen;
        let observations = Observations::F32(observations);
        let outputs = Outputs { observations, masks, rewards, terminated, truncated, finals: None };
        self.vector.step(Actions::I64(choices), outputs).expect("the choices exist");
    }

    fn any(&self, random: &mut Random) -> Vec<i64> {
        let masks = self.seen.masks.chunks(self.vector.encoding().actions.len());
        let open = |mask: &[bool]| (0..mask.len()).filter(|choice| mask[*choice]).collect::<Vec<_>>();
        masks.map(|mask| *random.choose(&open(mask)).expect("one can always wait") as i64).collect()
    }
}

#[test]
fn vectors_step_like_single_episodes() {
    let parameters = parameters("Rainbow", 3, Steps::Decision);
    let mut many = Many::begin(3);
    let seeds: Vec<u64> = (0..3).map(|env| many.vector.seed(env).expect("there is such an env")).collect();
    let mut learners: Vec<Learner> = seeds.into_iter().map(|seed| Learner::begin(&parameters, seed)).collect();
    let mut random = Random::new(2);
    for _ in 0..119 {
        let choices = many.any(&mut random);
        many.step(&choices);
        for (env, learner) in learners.iter_mut().enumerate().filter(|(_, learner)| !learner.is_over()) {
            let numbers: Vec<usize> = choices[3 * env..][..3].iter().map(|choice| *choice as usize).collect();
            learner.step(&numbers);
            let size = learner.seen.observations.len();
            assert_eq!(many.seen.observations[env * size..][..size], learner.seen.observations);
            assert_eq!(many.seen.rewards[3 * env..][..3], learner.seen.rewards);
            assert_eq!(many.seen.terminated[3 * env..][..3], learner.seen.terminated);
        }
    }
}

#[test]
fn rejects_a_discount_out_of_bounds() {
    let refused = Episode::<Bw4t>::init(&shaped(1.5), 1).expect_err("there is no such discount");
    assert_eq!(refused.reason, "`discount` is 1.5; it must be from 0 to 1");
}
