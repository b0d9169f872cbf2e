//! Settings of a vector, and the seeds of its episodes, which depend on the base seed, the env and the number of the
//! episode.

use std::collections::BTreeMap;

use situated::iil::Parameter;
use situated::interface::FIRST_SEED;
use situated::random::next_seed;

use crate::Error;

/// Maximum number of envs of a vector.
const MAX_ENVS: usize = 1 << 20;

/// Maximum number of threads of a vector.
const MAX_THREADS: usize = 256;

/// Settings of a vector.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Number of envs: 1 to 1,048,576.
    pub envs: usize,
    /// Maximum number of threads: 1 to 256.
    pub threads: usize,
    /// The base seed, which determines the [seeds](crate::episode_seed) of all episodes.
    pub seed: u64,
    /// The behaviour of the vector after an episode is over.
    pub autoreset: Autoreset,
    /// Number of steps after which an episode is truncated, at least 1; `None` means never.
    pub max_steps: Option<u64>,
    /// The parameters of all episodes. A parameter that is left out has its default.
    pub parameters: BTreeMap<String, Parameter>,
    /// Whether the vector may use a table instead of the rules.
    pub tables: bool,
    /// Whether the [outcome](crate::Vector::outcome) of an episode that the last step has ended is kept where the same
    /// step begins the next episode.
    pub outcomes: bool,
    /// Whether the [failures](crate::Vector::failures) of the last step are kept.
    pub failures: bool,
}

/// The behaviour of a vector after an episode is over, as in Gymnasium.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Autoreset {
    /// The next step begins the next episode. That step ignores the actions; its observations are the first of the
    /// new episode, its rewards are 0, and its flags are false.
    #[default]
    NextStep,
    /// The same step begins the next episode. Its observations are the first of the new episode, and the last of the
    /// old one are the [final observations](crate::Finals).
    SameStep,
    /// The episode stays over until the caller [resets](crate::Vector::reset) it; a step before that is an error.
    Disabled,
}

impl Default for Settings {
    /// Returns settings for one env without a limit of steps.
    fn default() -> Self {
        Self {
            envs: 1,
            threads: 1,
            seed: FIRST_SEED,
            autoreset: Autoreset::default(),
            max_steps: None,
            parameters: BTreeMap::new(),
            tables: true,
            outcomes: false,
            failures: false,
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

/// Returns the seed of the first episode of an env: `base + env`, as in Gymnasium. The first env plays the episode that
/// an interface plays with the seed `base`.
pub fn first_seed(base: u64, env: usize) -> u64 {
    base.wrapping_add(env as u64)
}

/// Returns the seed of an episode of an env; episodes are counted from 0. The first has the [first seed](first_seed)
/// of the env, and each further one the [next seed](next_seed) of the one before, as when an interface is reset
/// without a seed. The time this takes grows with the number of the episode.
pub fn episode_seed(base: u64, env: usize, episode: u64) -> u64 {
    (0..episode).fold(first_seed(base, env), |seed, _| next_seed(seed))
}

/// The current episode of an env.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Course {
    /// The number of the episode, counted from 0.
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

    /// The seeds must never change, because results of learning programs depend on them.
    #[test]
    fn seeds_never_change() {
        let seeds = [(1, 0, 0), (1, 1, 0), (1, 0, 1), (2, 0, 0), (42, 7, 3)];
        let seeds = seeds.map(|(base, env, episode)| episode_seed(base, env, episode));
        assert_eq!(seeds, [1, 2, 5103132997656651, 2, 6618127541285849]);
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
