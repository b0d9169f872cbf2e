//! What steps envs: the rules, or a table made from them.

use situated::encoding::Encode;
use situated::environment::Episode;

use crate::batch::Batch;
use crate::buffers::Number;
use crate::seeds::Course;
use crate::world::World;
use crate::{Error, Table};

/// What steps envs.
pub(crate) trait Kernel<E: Encode>: Send + Sync {
    /// What it knows of an env.
    type Run: Send;

    /// From how many envs on a thread of their own is worth it.
    const LEAST: usize;

    /// The same where they only have to be [prepared](Self::prepare).
    const LEAST_PREPARED: usize;

    /// The beginning of the episode with this seed.
    fn begin(&self, world: &World<E>, seed: u64) -> Result<Self::Run, Error>;

    /// Makes sure that the next episode of an env, with this seed, can begin.
    fn prepare(&self, world: &World<E>, run: &mut Self::Run, seed: u64) -> Result<(), Error>;

    /// An episode that was saved.
    fn adopt(&self, world: &World<E>, episode: Episode<E>) -> Result<Self::Run, Error>;

    /// The episode of an env, or what its world's essence makes of it.
    fn episode(&self, world: &World<E>, run: &Self::Run, course: Course) -> Result<Episode<E>, Error>;

    /// Writes what the agents of an env observe and may do.
    fn look(&self, world: &World<E>, run: &Self::Run, observations: &mut [E::Element], masks: &mut [bool]);

    /// Makes a step. The actions of all envs exist, and the next episodes of those that are over have been prepared.
    fn step<N: Number>(&self, world: &World<E>, batch: Batch<'_, Self::Run, N, E::Element>);

    fn table(&self) -> Option<Table<'_>>;

    fn state(&self, run: &Self::Run) -> Option<usize>;
}
