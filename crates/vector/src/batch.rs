//! Batches of neighbouring envs that one thread steps together.

use rayon::{ThreadPool, ThreadPoolBuilder};
use situated::encoding::Buffers;

use crate::Error;
use crate::settings::Course;
use crate::template::Layout;

/// Neighbouring envs with the actions of their agents and room for the results.
#[derive(Debug)]
pub(crate) struct Batch<'a, Run, Number, Cell> {
    pub(crate) envs: Envs<'a, Run>,
    pub(crate) actions: &'a [Number],
    pub(crate) rows: Rows<'a, Cell>,
}

/// Neighbouring envs, with one slice for each of their properties.
#[derive(Debug)]
pub(crate) struct Envs<'a, Run> {
    pub(crate) runs: &'a mut [Run],
    pub(crate) courses: &'a mut [Course],
    pub(crate) over: &'a mut [bool],
}

/// The part of the output for some envs.
#[derive(Debug)]
pub(crate) struct Rows<'a, Cell> {
    pub(crate) observations: &'a mut [Cell],
    pub(crate) masks: &'a mut [bool],
    pub(crate) rewards: &'a mut [f32],
    pub(crate) terminated: &'a mut [bool],
    pub(crate) truncated: &'a mut [bool],
    pub(crate) finals: FinalRows<'a, Cell>,
}

/// Final observations and the flags that say which envs have them, if they are needed.
pub(crate) type FinalRows<'a, Cell> = Option<(&'a mut [Cell], &'a mut [bool])>;

/// A batch that can be split between two envs.
pub(crate) trait Split: Send + Sized {
    /// Returns the number of envs.
    fn envs(&self) -> usize;

    /// Splits off the first `env` envs.
    fn split(self, layout: &Layout, env: usize) -> (Self, Self);
}

impl<Run> Envs<'_, Run> {
    /// Returns the part for some of these envs.
    pub(crate) fn part(&mut self, first: usize, count: usize) -> Envs<'_, Run> {
        let part = first..first + count;
        Envs {
            runs: &mut self.runs[part.clone()],
            courses: &mut self.courses[part.clone()],
            over: &mut self.over[part],
        }
    }
}

impl<Run: Send> Split for Envs<'_, Run> {
    fn envs(&self) -> usize {
        self.runs.len()
    }

    fn split(self, _: &Layout, env: usize) -> (Self, Self) {
        let (runs, other_runs) = self.runs.split_at_mut(env);
        let (courses, other_courses) = self.courses.split_at_mut(env);
        let (over, other_over) = self.over.split_at_mut(env);
        (Self { runs, courses, over }, Self { runs: other_runs, courses: other_courses, over: other_over })
    }
}

impl<Run: Send, Number: Sync, Cell: Send> Split for Batch<'_, Run, Number, Cell> {
    fn envs(&self) -> usize {
        self.envs.envs()
    }

    fn split(self, layout: &Layout, env: usize) -> (Self, Self) {
        let (envs, other_envs) = self.envs.split(layout, env);
        let (actions, other_actions) = self.actions.split_at(env * layout.agents());
        let (rows, other_rows) = self.rows.split(layout, env);
        let other = Self { envs: other_envs, actions: other_actions, rows: other_rows };
        (Self { envs, actions, rows }, other)
    }
}

impl<'a, Cell> Rows<'a, Cell> {
    /// Returns the rows of one env.
    #[inline(always)]
    pub(crate) fn of(&mut self, layout: &Layout, env: usize) -> Buffers<'_, Cell> {
        let agents = layout.agents();
        Buffers {
            observations: row(self.observations, env, layout.observations()),
            masks: row(self.masks, env, layout.masks()),
            rewards: row(self.rewards, env, agents),
            terminated: row(self.terminated, env, agents),
            truncated: row(self.truncated, env, agents),
        }
    }

    /// Returns the rows of each env, in order, and the final observations.
    pub(crate) fn each(self, layout: &Layout) -> (impl Iterator<Item = Buffers<'a, Cell>>, FinalRows<'a, Cell>) {
        let agents = layout.agents();
        let observations = self.observations.chunks_exact_mut(layout.observations());
        let masks = self.masks.chunks_exact_mut(layout.masks());
        let rewards = self.rewards.chunks_exact_mut(agents);
        let terminated = self.terminated.chunks_exact_mut(agents);
        let truncated = self.truncated.chunks_exact_mut(agents);
        let all = observations.zip(masks).zip(rewards).zip(terminated).zip(truncated);
        let rows = all.map(|((((observations, masks), rewards), terminated), truncated)| Buffers {
            observations,
            masks,
            rewards,
            terminated,
            truncated,
        });
        (rows, self.finals)
    }

    fn split(self, layout: &Layout, env: usize) -> (Self, Self) {
        let agents = env * layout.agents();
        let (observations, other_observations) = self.observations.split_at_mut(env * layout.observations());
        let (masks, other_masks) = self.masks.split_at_mut(env * layout.masks());
        let (rewards, other_rewards) = self.rewards.split_at_mut(agents);
        let (terminated, other_terminated) = self.terminated.split_at_mut(agents);
        let (truncated, other_truncated) = self.truncated.split_at_mut(agents);
        let finals = self.finals.map(|(observations, mask)| {
            let (one, other) = observations.split_at_mut(env * layout.observations());
            let (one_mask, other_mask) = mask.split_at_mut(env);
            ((one, one_mask), (other, other_mask))
        });
        let (finals, other_finals) = finals.unzip();
        let other = Self {
            observations: other_observations,
            masks: other_masks,
            rewards: other_rewards,
            terminated: other_terminated,
            truncated: other_truncated,
            finals: other_finals,
        };
        (Self { observations, masks, rewards, terminated, truncated, finals }, other)
    }
}

/// Keeps the last observations of an env whose next episode is about to begin.
pub(crate) fn keep_last<Cell: Copy>(finals: &mut FinalRows<'_, Cell>, env: usize, last: &[Cell]) {
    if let Some((observations, mask)) = finals {
        row(observations, env, last.len()).copy_from_slice(last);
        mask[env] = true;
    }
}

/// Writes the rewards and flags of a step that only begins an episode.
pub(crate) fn clear<Cell>(row: Buffers<'_, Cell>) {
    row.rewards.fill(0.0);
    row.terminated.fill(false);
    row.truncated.fill(false);
}

/// Returns the elements of one env.
#[inline(always)]
pub(crate) fn row<T>(rows: &mut [T], env: usize, length: usize) -> &mut [T] {
    &mut rows[env * length..][..length]
}

/// The threads of a vector.
#[derive(Debug)]
pub(crate) struct Threads {
    /// `None` if the calling thread does all the work.
    pool: Option<ThreadPool>,
    count: usize,
}

impl Threads {
    pub(crate) fn new(count: usize) -> Result<Self, Error> {
        let failed =
            |error: rayon::ThreadPoolBuildError| Error::NoThreads { threads: count, reason: error.to_string() };
        let build = || ThreadPoolBuilder::new().num_threads(count).build().map_err(failed);
        let pool = if count > 1 { Some(build()?) } else { None };
        Ok(Self { pool, count })
    }

    /// Runs a job for all envs, divided between threads so that each thread has at least `least` envs. Returns the
    /// error of the first env that has one.
    pub(crate) fn run<B: Split>(
        &self,
        batch: B,
        least: usize,
        layout: &Layout,
        job: &(impl Fn(B) -> Result<(), Error> + Sync),
    ) -> Result<(), Error> {
        let parts = self.count.min(batch.envs() / least);
        match &self.pool {
            Some(pool) if parts > 1 => pool.install(|| divide(batch, parts, layout, job)),
            _ => job(batch),
        }
    }
}

fn divide<B: Split>(
    batch: B,
    parts: usize,
    layout: &Layout,
    job: &(impl Fn(B) -> Result<(), Error> + Sync),
) -> Result<(), Error> {
    if parts == 1 {
        return job(batch);
    }
    let first = parts / 2;
    let middle = batch.envs() * first / parts;
    let (one, other) = batch.split(layout, middle);
    let (one, other) = rayon::join(|| divide(one, first, layout, job), || divide(other, parts - first, layout, job));
    one.and(other)
}
