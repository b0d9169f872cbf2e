//! A model of vectors, made of single bare episodes.

use situated::encoding::{Buffers, Encode};
use situated::environment::{Ending, EntityId, Episode};
use situated_vector::{Autoreset, episode_seed};

use crate::written::{Room, Written};

/// The model of one env.
pub(crate) struct Model<E: Encode> {
    parameters: E::Parameters,
    episode: Episode<E>,
    base: u64,
    env: usize,
    /// The number of its episode.
    number: u64,
    pub(crate) over: bool,
}

impl<E: Encode<Element: Room>> Model<E> {
    pub(crate) fn new(parameters: &E::Parameters, base: u64, env: usize) -> Self {
        let episode = Episode::init(parameters, episode_seed(base, env, 0)).expect("there is such an environment");
        Self { parameters: parameters.clone(), episode, base, env, number: 0, over: false }
    }

    pub(crate) fn reset(&mut self, base: Option<u64>) {
        self.number = if base.is_some() { 0 } else { self.number + 1 };
        self.base = base.unwrap_or(self.base);
        let seed = episode_seed(self.base, self.env, self.number);
        self.episode = Episode::init(&self.parameters, seed).expect("there is such an environment");
        self.over = false;
    }

    /// Makes a step; `last` is the output of the step before.
    pub(crate) fn step(
        &mut self,
        actions: &[i64],
        autoreset: Autoreset,
        max_steps: Option<u64>,
        last: &Written<E::Element>,
    ) -> Written<E::Element> {
        let mut written = last.clone();
        written.ended = vec![if autoreset == Autoreset::SameStep { false } else { last.ended[0] }];
        if self.over {
            assert_eq!(autoreset, Autoreset::NextStep);
            self.reset(None);
            self.encode(&mut written);
            written.rewards.fill(0.0);
            written.terminated.fill(false);
            written.truncated.fill(false);
            return written;
        }
        for (entity, action) in self.agents().into_iter().zip(actions) {
            if let Some(action) = self.episode.environment().decode(entity, *action as usize) {
                let _ = self.episode.act(entity, &action);
            }
        }
        self.episode.step();
        self.encode(&mut written);
        match self.episode.ending() {
            Some(Ending::Terminated) => written.terminated.fill(true),
            Some(Ending::Truncated) => written.truncated.fill(true),
            None => {}
        }
        if max_steps == Some(self.episode.context().step()) {
            written.truncated.fill(true);
        }
        self.over = (0..actions.len()).all(|agent| written.terminated[agent] || written.truncated[agent]);
        if self.over && autoreset == Autoreset::SameStep {
            written.ended = vec![true];
            written.finals = written.observations.clone();
            self.reset(None);
            let mut begun = written.clone();
            self.encode(&mut begun);
            (written.observations, written.masks) = (begun.observations, begun.masks);
        }
        written
    }

    pub(crate) fn seed(&self) -> u64 {
        self.episode.context().seed()
    }

    fn agents(&self) -> Vec<EntityId> {
        let encoded = |entity_type: &str| E::encoding(&self.parameters, entity_type).is_some();
        let entities = self.episode.context().entities();
        entities.filter(|(_, entity)| encoded(&entity.entity_type)).map(|(id, _)| id).collect()
    }

    fn encode(&self, written: &mut Written<E::Element>) {
        let buffers = Buffers {
            observations: &mut written.observations,
            masks: &mut written.masks,
            rewards: &mut written.rewards,
            terminated: &mut written.terminated,
            truncated: &mut written.truncated,
        };
        self.episode.environment().encode(&self.agents(), buffers);
    }
}
