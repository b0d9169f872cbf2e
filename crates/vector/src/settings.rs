//! What a vector is to be.

use std::collections::BTreeMap;

use situated::iil::Parameter;
use situated::interface::FIRST_SEED;

use crate::Error;

/// The greatest number of envs of a vector.
pub const MAX_ENVS: usize = 1 << 20;

/// The greatest number of threads of a vector.
pub const MAX_THREADS: usize = 256;

/// What a vector is to be.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// How many envs: 1 to [`MAX_ENVS`].
    pub envs: usize,
    /// How many threads at the most step them: 1 to [`MAX_THREADS`].
    pub threads: usize,
    /// The base seed, from which those of all episodes [follow](crate::episode_seed).
    pub seed: u64,
    /// What happens to an episode that is over.
    pub autoreset: Autoreset,
    /// After how many steps an episode is truncated, 1 at the least; none means never.
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
