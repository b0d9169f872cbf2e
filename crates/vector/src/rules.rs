//! Steps envs by the rules, with a bare episode for each env.

use situated::encoding::Encode;
use situated::environment::{Episode, Outcome};

use crate::batch::{Batch, Envs, Rows, clear};
use crate::buffers::Number;
use crate::fleet::Kernel;
use crate::settings::Course;
use crate::template::Template;
use crate::{Autoreset, Error, Table};

/// Number of envs whose agents act before their time advances. So few fit into a cache, and they are enough for the
/// processor to fetch one while it works on another.
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
}

impl<E: Encode<Parameters: Sync>> Kernel<E> for Rules {
    type Run = Run<E>;

    const LEAST: usize = E::ENVIRONMENTS_PER_THREAD;

    const LEAST_PREPARED: usize = 64;

    fn begin(&self, template: &Template<E>, seed: u64) -> Result<Run<E>, Error> {
        Ok(Run { episode: template.begin(seed)?, next: None, ended: None })
    }

    fn prepare(&self, template: &Template<E>, run: &mut Run<E>, seed: u64) -> Result<(), Error> {
        if run.next.is_none() {
            run.next = Some(Box::new(template.begin(seed)?));
        }
        Ok(())
    }

    fn adopt(&self, _: &Template<E>, episode: Episode<E>) -> Result<Run<E>, Error> {
        Ok(Run { episode, next: None, ended: None })
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

    fn look(&self, template: &Template<E>, run: &Run<E>, observations: &mut [E::Element], masks: &mut [bool]) {
        template.look(&run.episode, observations, masks);
    }

    fn step<N: Number>(&self, template: &Template<E>, batch: Batch<'_, Run<E>, N, E::Element>) {
        let Batch { mut envs, actions, mut rows } = batch;
        let agents = template.layout.agents();
        for (part, actions) in actions.chunks(NEIGHBOURS * agents).enumerate() {
            let first = part * NEIGHBOURS;
            let envs = envs.part(first, actions.len() / agents);
            let running = |(_, over): &(&mut Run<E>, &bool)| !**over;
            for ((run, _), actions) in
                envs.runs.iter_mut().zip(&*envs.over).zip(actions.chunks_exact(agents)).filter(|(env, _)| running(env))
            {
                template.act(&mut run.episode, actions.iter().map(|action| action.index()));
            }
            for (run, _) in envs.runs.iter_mut().zip(&*envs.over).filter(running) {
                run.episode.step();
                run.ended = None;
            }
            show(template, envs, &mut rows, first);
        }
    }

    fn table(&self) -> Option<Table<'_>> {
        None
    }

    fn state(&self, _: &Run<E>) -> Option<usize> {
        None
    }
}

/// Writes the results of a step for some neighbouring envs, the first of which has this index. Envs whose episode was
/// over begin their next one.
fn show<E: Encode>(template: &Template<E>, envs: Envs<'_, Run<E>>, rows: &mut Rows<'_, E::Element>, first: usize) {
    let Envs { runs, courses, over } = envs;
    let last_step = template.settings.max_steps.unwrap_or(u64::MAX);
    for (env, ((run, course), over)) in (first..).zip(runs.iter_mut().zip(courses).zip(over)) {
        if *over {
            begin_next(template, run, course, rows, env);
            *over = false;
            continue;
        }
        let mut row = rows.of(&template.layout, env);
        *over = template.encode(&run.episode, &mut row);
        if run.episode.context().step() >= last_step {
            row.truncated.fill(true);
            *over = true;
        }
        if *over && template.settings.autoreset == Autoreset::SameStep {
            *over = !begin_next_after(template, run, course, rows, env);
        }
    }
}

/// Writes a step that begins the next episode.
fn begin_next<E: Encode>(
    template: &Template<E>,
    run: &mut Run<E>,
    course: &mut Course,
    rows: &mut Rows<'_, E::Element>,
    env: usize,
) {
    if let Some(next) = run.next.take() {
        run.episode = *next;
        *course = course.next();
    }
    let row = rows.of(&template.layout, env);
    template.look(&run.episode, row.observations, row.masks);
    clear(row);
}

/// Begins the next episode in the step that ended one, if it can begin.
fn begin_next_after<E: Encode>(
    template: &Template<E>,
    run: &mut Run<E>,
    course: &mut Course,
    rows: &mut Rows<'_, E::Element>,
    env: usize,
) -> bool {
    let Ok(next) = template.begin(course.next().seed) else { return false };
    rows.keep_finals(&template.layout, env);
    if template.settings.outcomes {
        run.ended = Some(Box::new(run.episode.outcome()));
    }
    run.episode = next;
    *course = course.next();
    let row = rows.of(&template.layout, env);
    template.look(&run.episode, row.observations, row.masks);
    true
}
