//! The seeds of episodes, as a function of the base seed, the env and the number of the episode.

use situated::random::next_seed;

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
