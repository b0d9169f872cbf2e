//! Steps envs by the rules, with a bare episode for each env.

use situated::encoding::{Buffers, Encode};
use situated::environment::{EntityId, Episode, Failure, Outcome};
use situated::scene::Scene;

use crate::batch::{Batch, Envs, FinalRows, clear, keep_last};
use crate::buffers::Number;
use crate::fleet::Kernel;
use crate::settings::Course;
use crate::template::Template;
use crate::{Autoreset, Error, Table};

/// Number of envs whose agents act before their time advances. The processor can read what was written for an env only
/// after a while, which it spends on the others.
const NEIGHBOURS: usize = 16;

/// Steps envs by the rules.
#[derive(Debug)]
pub(crate) struct Rules;

/// An env.
#[derive(Debug)]
pub(crate) struct Run<E: Encode> {
    episode: Episode<E>,
    /// The prepared next episode, if the coming step begins it.
    next: Option<Box<Episode<E>>>,
    /// The outcome of the episode before, if the last step has begun this one and outcomes are kept.
    ended: Option<Box<Outcome>>,
    /// The agents whose actions were refused in the last step, if failures are kept.
    failures: Vec<(usize, Failure)>,
}

impl<E: Encode> Run<E> {
    fn new(episode: Episode<E>) -> Self {
        Self { episode, next: None, ended: None, failures: Vec::new() }
    }
}

impl<E: Encode<Parameters: Sync>> Kernel<E> for Rules {
    type Run = Run<E>;

    const LEAST: usize = E::ENVIRONMENTS_PER_THREAD;

    const LEAST_PREPARED: usize = 64;

    fn begin(&self, template: &Template<E>, other: Option<&Run<E>>, seed: u64) -> Result<Run<E>, Error> {
        Ok(Run::new(template.begin(other.map(|run| &run.episode), seed)?))
    }

    fn prepare(&self, template: &Template<E>, run: &mut Run<E>, seed: u64) -> Result<(), Error> {
        if run.next.is_none() {
            run.next = Some(Box::new(template.begin(Some(&run.episode), seed)?));
        }
        Ok(())
    }

    fn adopt(&self, _: &Template<E>, episode: Episode<E>) -> Result<Run<E>, Error> {
        Ok(Run::new(episode))
    }

    fn episode(&self, template: &Template<E>, run: &Run<E>, _: Course) -> Result<Episode<E>, Error> {
        let episode = template.restore(&run.episode.save())?;
        let step = episode.context().step();
        Ok(match episode.environment().essence() {
            Some(essence) => episode.with(essence, step),
            None => episode,
        })
    }

    fn outcome(&self, _: &Template<E>, run: &Run<E>, _: Course) -> Result<Outcome, Error> {
        Ok(run.ended.as_deref().cloned().unwrap_or_else(|| run.episode.outcome()))
    }

    fn scene(&self, _: &Template<E>, run: &Run<E>, _: Course, viewer: Option<EntityId>) -> Result<Scene, Error> {
        Ok(run.episode.scene(viewer))
    }

    fn look(&self, template: &Template<E>, run: &Run<E>, observations: &mut [E::Element], masks: &mut [bool]) {
        template.look(&run.episode, observations, masks);
    }

    fn step<N: Number>(&self, template: &Template<E>, batch: Batch<'_, Run<E>, N, E::Element>) {
        let Batch { mut envs, actions, rows } = batch;
        let agents = template.layout.agents();
        let last_step = template.settings.max_steps.unwrap_or(u64::MAX);
        let (mut rows, mut finals) = rows.each(&template.layout);
        for (part, actions) in actions.chunks(NEIGHBOURS * agents).enumerate() {
            let first = part * NEIGHBOURS;
            let Envs { runs, courses, over } = envs.part(first, actions.len() / agents);
            for ((run, over), actions) in runs.iter_mut().zip(&*over).zip(actions.chunks_exact(agents)) {
                run.failures.clear();
                if !over {
                    template.act(&mut run.episode, actions.iter().map(|action| action.index()), |agent, failure| {
                        if template.settings.failures {
                            run.failures.push((agent, failure));
                        }
                    });
                }
            }
            let envs = runs.iter_mut().zip(courses).zip(over).zip(rows.by_ref());
            for (env, (((run, course), over), mut row)) in (first..).zip(envs) {
                if *over {
                    begin_next(template, run, course, row);
                    *over = false;
                    continue;
                }
                run.episode.step();
                run.ended = None;
                *over = template.encode(&run.episode, &mut row);
                if run.episode.context().step() >= last_step {
                    row.truncated.fill(true);
                    *over = true;
                }
                if *over && template.settings.autoreset == Autoreset::SameStep {
                    *over = !begin_next_after(template, run, course, row, &mut finals, env);
                }
            }
        }
    }

    fn failures<'a>(&self, run: &'a Run<E>) -> &'a [(usize, Failure)] {
        &run.failures
    }

    fn table(&self) -> Option<Table<'_>> {
        None
    }

    fn state(&self, _: &Run<E>) -> Option<usize> {
        None
    }
}

/// Writes a step that begins the next episode.
#[cold]
fn begin_next<E: Encode>(template: &Template<E>, run: &mut Run<E>, course: &mut Course, row: Buffers<'_, E::Element>) {
    if let Some(next) = run.next.take() {
        run.episode = *next;
        *course = course.next();
    }
    template.look(&run.episode, row.observations, row.masks);
    clear(row);
}

/// Begins the next episode in the step that ended one, if it can begin.
#[cold]
fn begin_next_after<E: Encode>(
    template: &Template<E>,
    run: &mut Run<E>,
    course: &mut Course,
    row: Buffers<'_, E::Element>,
    finals: &mut FinalRows<'_, E::Element>,
    env: usize,
) -> bool {
    let Ok(next) = template.begin(Some(&run.episode), course.next().seed) else { return false };
    keep_last(finals, env, row.observations);
    if template.settings.outcomes {
        run.ended = Some(Box::new(run.episode.outcome()));
    }
    run.episode = next;
    *course = course.next();
    template.look(&run.episode, row.observations, row.masks);
    true
}
