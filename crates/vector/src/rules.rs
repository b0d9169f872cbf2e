//! The rules themselves: a bare episode for each env.

use situated::encoding::Encode;
use situated::environment::Episode;

use crate::batch::{Batch, Envs, Rows, clear};
use crate::buffers::Number;
use crate::kernel::Kernel;
use crate::seeds::Course;
use crate::world::World;
use crate::{Autoreset, Error, Table};

/// How many envs act before their time moves on: few enough for a cache, and so many that the processor fetches one
/// while it is busy with another.
const NEIGHBOURS: usize = 16;

/// Steps envs by the rules.
#[derive(Debug)]
pub(crate) struct Rules;

/// An env.
#[derive(Debug)]
pub(crate) struct Run<E: Encode> {
    episode: Episode<E>,
    /// The next one, once it is known that the step to come begins it.
    next: Option<Box<Episode<E>>>,
}

impl<E: Encode<Parameters: Sync>> Kernel<E> for Rules {
    type Run = Run<E>;

    const LEAST: usize = E::WORLDS_PER_THREAD;

    const LEAST_PREPARED: usize = 64;

    fn begin(&self, world: &World<E>, seed: u64) -> Result<Run<E>, Error> {
        Ok(Run { episode: world.begin(seed)?, next: None })
    }

    fn prepare(&self, world: &World<E>, run: &mut Run<E>, seed: u64) -> Result<(), Error> {
        if run.next.is_none() {
            run.next = Some(Box::new(world.begin(seed)?));
        }
        Ok(())
    }

    fn adopt(&self, _: &World<E>, episode: Episode<E>) -> Result<Run<E>, Error> {
        Ok(Run { episode, next: None })
    }

    fn episode(&self, world: &World<E>, run: &Run<E>, _: Course) -> Result<Episode<E>, Error> {
        let episode = world.restore(&run.episode.save())?;
        let step = episode.context().step();
        Ok(match episode.environment().essence() {
            Some(essence) => episode.with(essence, step),
            None => episode,
        })
    }

    fn look(&self, world: &World<E>, run: &Run<E>, observations: &mut [E::Element], masks: &mut [bool]) {
        world.look(&run.episode, observations, masks);
    }

    fn step<N: Number>(&self, world: &World<E>, batch: Batch<'_, Run<E>, N, E::Element>) {
        let Batch { mut envs, actions, mut rows } = batch;
        let agents = world.layout.agents();
        for (part, actions) in actions.chunks(NEIGHBOURS * agents).enumerate() {
            let first = part * NEIGHBOURS;
            let envs = envs.part(first, actions.len() / agents);
            let running = |(_, over): &(&mut Run<E>, &bool)| !**over;
            for ((run, _), actions) in
                envs.runs.iter_mut().zip(&*envs.over).zip(actions.chunks_exact(agents)).filter(|(env, _)| running(env))
            {
                world.act(&mut run.episode, actions.iter().map(|action| action.index()));
            }
            for (run, _) in envs.runs.iter_mut().zip(&*envs.over).filter(running) {
                run.episode.step();
            }
            show(world, envs, &mut rows, first);
        }
    }

    fn table(&self) -> Option<Table<'_>> {
        None
    }

    fn state(&self, _: &Run<E>) -> Option<usize> {
        None
    }
}

/// Writes what has come of a step for neighbours of which this is the number of the first; those which were over begin
/// their next episodes.
fn show<E: Encode>(world: &World<E>, envs: Envs<'_, Run<E>>, rows: &mut Rows<'_, E::Element>, first: usize) {
    let Envs { runs, courses, over } = envs;
    let last_step = world.settings.max_steps.unwrap_or(u64::MAX);
    for (env, ((run, course), over)) in (first..).zip(runs.iter_mut().zip(courses).zip(over)) {
        if *over {
            begin_next(world, run, course, rows, env);
            *over = false;
            continue;
        }
        let mut row = rows.of(&world.layout, env);
        *over = world.encode(&run.episode, &mut row);
        if run.episode.context().step() >= last_step {
            row.truncated.fill(true);
            *over = true;
        }
        if *over && world.settings.autoreset == Autoreset::SameStep {
            *over = !go_on(world, run, course, rows, env);
        }
    }
}

/// The step in which the next episode begins.
fn begin_next<E: Encode>(
    world: &World<E>,
    run: &mut Run<E>,
    course: &mut Course,
    rows: &mut Rows<'_, E::Element>,
    env: usize,
) {
    if let Some(next) = run.next.take() {
        run.episode = *next;
        *course = course.next();
    }
    let row = rows.of(&world.layout, env);
    world.look(&run.episode, row.observations, row.masks);
    clear(row);
}

/// The next episode begins in the step in which one has ended, if it can.
fn go_on<E: Encode>(
    world: &World<E>,
    run: &mut Run<E>,
    course: &mut Course,
    rows: &mut Rows<'_, E::Element>,
    env: usize,
) -> bool {
    let Ok(next) = world.begin(course.next().seed) else { return false };
    rows.keep_finals(&world.layout, env);
    run.episode = next;
    *course = course.next();
    let row = rows.of(&world.layout, env);
    world.look(&run.episode, row.observations, row.masks);
    true
}
