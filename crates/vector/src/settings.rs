//! Settings of a vector, and the seeds of its episodes: a function of the base seed, the env and the episode's
//! number.

use std::collections::BTreeMap;

use situated::iil::Parameter;
use situated::interface::FIRST_SEED;
use situated::random::next_seed;

use crate::Error;

/// The greatest number of envs of a vector.
pub const MAX_ENVS: usize = 1 << 20;

/// The greatest number of threads of a vector.
pub const MAX_THREADS: usize = 256;

/// Settings of a vector.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// How many envs: 1 to [`MAX_ENVS`].
    pub envs: usize,
    /// Maximum number of threads: 1 to [`MAX_THREADS`].
    pub threads: usize,
    /// The base seed, from which those of all episodes [follow](crate::episode_seed).
    pub seed: u64,
    /// What happens to an episode that is over.
    pub autoreset: Autoreset,
    /// Number of steps after which an episode is truncated, at least 1; `None` means never.
    pub max_steps: Option<u64>,
    /// The parameters of all episodes; those left out have their defaults.
    pub parameters: BTreeMap<String, Parameter>,
    /// Whether a table may take the place of the rules.
    pub tables: bool,
}

/// What happens to an episode that is over, as in Gymnasium.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Autoreset {
    /// The step after its end begins the next one: that step's actions are ignored, its observations are the first of
    /// the new episode, its rewards are 0, and nothing is terminated or truncated.
    #[default]
    NextStep,
    /// The next one begins at once: the observations of the step are its first, and the last of the old one are
    /// [finals](crate::Finals).
    SameStep,
    /// It stays over until it is [reset](crate::Vector::reset); a step before that is an error.
    Disabled,
}

impl Default for Settings {
    /// One env without a limit.
    fn default() -> Self {
        Self {
            envs: 1,
            threads: 1,
            seed: FIRST_SEED,
            autoreset: Autoreset::default(),
            max_steps: None,
            parameters: BTreeMap::new(),
            tables: true,
        }
    }
}

impl Settings {
    pub(crate) fn check(&self) -> Result<(), Error> {
        let within = |what, given: usize, most| match given {
            given if (1..=most).contains(&given) => Ok(()),
            given => Err(Error::OutOfBounds { what, given, most }),
        };
        within("envs", self.envs, MAX_ENVS)?;
        within("threads", self.threads, MAX_THREADS)?;
        if self.max_steps == Some(0) {
            return Err(Error::NoSteps);
        }
        Ok(())
    }
}

/// The seed of the first episode of an env: `next_seed(next_seed(base) + env)`, which has 53 bits.
pub fn first_seed(base: u64, env: usize) -> u64 {
    next_seed(next_seed(base).wrapping_add(env as u64))
}

/// The seed of an episode of an env, counted from 0: that of the first one, and of each further one
/// [what follows](next_seed) the one before, as where an interface is reset without a seed. It takes time for the
/// number of episodes.
pub fn episode_seed(base: u64, env: usize, episode: u64) -> u64 {
    (0..episode).fold(first_seed(base, env), |seed, _| next_seed(seed))
}

/// Which episode of an env it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Course {
    /// Counted from 0.
    pub(crate) episode: u64,
    /// Its seed.
    pub(crate) seed: u64,
}

impl Course {
    pub(crate) fn first(base: u64, env: usize) -> Self {
        Self { episode: 0, seed: first_seed(base, env) }
    }

    pub(crate) fn next(self) -> Self {
        Self { episode: self.episode.wrapping_add(1), seed: next_seed(self.seed) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// These values are a promise: results of learners depend on them.
    #[test]
    fn seeds_never_change() {
        let seeds = [(1, 0, 0), (1, 1, 0), (1, 0, 1), (2, 0, 0), (42, 7, 3)];
        let seeds = seeds.map(|(base, env, episode)| episode_seed(base, env, episode));
        assert_eq!(seeds, [5856522039389509, 6358073304894874, 8507400759398892, 1852761043075536, 1956487550650412]);
        assert!(seeds.iter().all(|seed| seed >> 53 == 0));
    }

    #[test]
    fn courses_count_them() {
        let mut course = Course::first(9, 4);
        for episode in 0..10 {
            assert_eq!(course, Course { episode, seed: episode_seed(9, 4, episode) });
            course = course.next();
        }
    }
}
