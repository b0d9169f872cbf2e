//! Buffers, and a vector with buffers around it.

use std::fmt::Debug;

use situated::encoding::Encode;
use situated::iil::Parameter;
use situated::random::Random;
use situated_vector::{Actions, Cell, Error, Finals, Observations, Outputs, Settings, Vector, vector};

/// The output of a step.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Written<T> {
    pub(crate) observations: Vec<T>,
    pub(crate) masks: Vec<bool>,
    pub(crate) rewards: Vec<f32>,
    pub(crate) terminated: Vec<bool>,
    pub(crate) truncated: Vec<bool>,
    pub(crate) finals: Vec<T>,
    pub(crate) ended: Vec<bool>,
}

/// An element type for observations, with a buffer of its own.
pub(crate) trait Room: Cell + Debug {
    fn room(elements: &mut [Self]) -> Observations<'_>;
}

impl Room for u8 {
    fn room(elements: &mut [Self]) -> Observations<'_> {
        Observations::U8(elements)
    }
}

impl Room for f32 {
    fn room(elements: &mut [Self]) -> Observations<'_> {
        Observations::F32(elements)
    }
}

impl<T: Room> Written<T> {
    /// Creates buffers with values that must be overwritten.
    pub(crate) fn new(vector: &dyn Vector) -> Self {
        let (envs, agents) = (vector.envs(), vector.agents().len());
        let size = envs * agents * vector.encoding().size();
        Self {
            observations: vec![T::default(); size],
            masks: vec![true; envs * agents * vector.encoding().actions.len()],
            rewards: vec![77.0; envs * agents],
            terminated: vec![true; envs * agents],
            truncated: vec![true; envs * agents],
            finals: vec![T::default(); size],
            ended: vec![true; envs],
        }
    }

    pub(crate) fn outputs(&mut self) -> Outputs<'_> {
        Outputs {
            observations: Room::room(&mut self.observations),
            masks: &mut self.masks,
            rewards: &mut self.rewards,
            terminated: &mut self.terminated,
            truncated: &mut self.truncated,
            finals: Some(Finals { observations: Room::room(&mut self.finals), mask: &mut self.ended }),
        }
    }

    /// The part of an env.
    pub(crate) fn of(&self, env: usize) -> Self {
        let envs = self.ended.len();
        fn part<T: Clone>(all: &[T], env: usize, envs: usize) -> Vec<T> {
            all.chunks(all.len() / envs).nth(env).expect("an env").to_vec()
        }
        Self {
            observations: part(&self.observations, env, envs),
            masks: part(&self.masks, env, envs),
            rewards: part(&self.rewards, env, envs),
            terminated: part(&self.terminated, env, envs),
            truncated: part(&self.truncated, env, envs),
            finals: part(&self.finals, env, envs),
            ended: part(&self.ended, env, envs),
        }
    }
}

/// A vector and its latest output.
pub(crate) struct Run<T> {
    pub(crate) vector: Box<dyn Vector>,
    pub(crate) written: Written<T>,
}

impl<T: Room> Run<T> {
    pub(crate) fn new<E>(settings: Settings) -> Self
    where
        E: Encode<Element = T, Parameters: Sync>,
    {
        let vector = vector::<E>(settings).expect("there is such an environment");
        Self { written: Written::new(&*vector), vector }
    }

    pub(crate) fn step(&mut self, actions: &[i64]) -> Result<(), Error> {
        self.vector.step(Actions::I64(actions), self.written.outputs())
    }

    /// Returns the observations without a step.
    pub(crate) fn observe(&self) -> (Vec<T>, Vec<bool>) {
        let mut seen = Written::<T>::new(&*self.vector);
        self.vector.observe(Room::room(&mut seen.observations), &mut seen.masks).expect("buffers that fit");
        (seen.observations, seen.masks)
    }

    /// Returns a random action for each agent.
    pub(crate) fn random_actions(&self, random: &mut Random) -> Vec<i64> {
        let choices = self.vector.encoding().actions.len() as u64;
        (0..self.written.rewards.len()).map(|_| random.below(choices) as i64).collect()
    }

    /// Makes steps with random actions, and resets episodes that are over.
    pub(crate) fn play(&mut self, random: &mut Random, steps: usize) {
        for _ in 0..steps {
            let over: Vec<bool> = (0..self.vector.envs()).map(|env| self.vector.is_over(env)).collect();
            let actions = self.random_actions(random);
            if let Err(Error::Over { env }) = self.step(&actions) {
                assert!(over[env]);
                self.vector.reset(None, Some(&over)).expect("they can begin");
                self.step(&actions).expect("none is over");
            }
        }
    }
}

/// Returns the settings with this parameter.
pub(crate) fn with(settings: Settings, name: &str, value: impl Into<Parameter>) -> Settings {
    let mut settings = settings;
    settings.parameters.insert(name.into(), value.into());
    settings
}
