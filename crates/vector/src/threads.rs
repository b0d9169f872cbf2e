//! The threads between which envs are divided, in parts of neighbours.

use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::Error;
use crate::batch::Split;
use crate::layout::Layout;

/// The threads of a vector.
#[derive(Debug)]
pub(crate) struct Threads {
    /// None if whoever calls does everything.
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

    /// Does a job with all envs, divided between threads so that each has `least` of them or more. The error is that of
    /// the first env that has one.
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
