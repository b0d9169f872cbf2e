//! The envs of a vector: the checks before a step, and what tables and rules have in common.

use situated::encoding::{Encode, Encoding};
use situated::environment::{EntityId, Episode, Failure, Outcome};
use situated::iil::{Action, EcoString};
use situated::ontology::typed::TypedAction;
use situated::scene::Scene;

use crate::batch::{Batch, Envs, Threads, row};
use crate::buffers::{Cell, Number, check_length, rows, typed};
use crate::saved::{self, Saved};
use crate::settings::Course;
use crate::template::Template;
use crate::{Actions, Autoreset, Error, Observations, Outputs, Table, Vector};

/// The envs of a vector, and the kernel that steps them.
#[derive(Debug)]
pub(crate) struct Fleet<E: Encode, K: Kernel<E>> {
    template: Template<E>,
    kernel: K,
    threads: Threads,
    runs: Vec<K::Run>,
    courses: Vec<Course>,
    /// Whether the episode of each env is over and has not been reset.
    over: Vec<bool>,
}

impl<E, K> Fleet<E, K>
where
    E: Encode<Element: Cell, Parameters: Sync>,
    K: Kernel<E>,
{
    pub(crate) fn new(template: Template<E>, kernel: K) -> Result<Self, Error> {
        let threads = Threads::new(template.settings.threads)?;
        let courses = (0..template.settings.envs).map(|env| Course::first(template.settings.seed, env));
        let courses: Vec<Course> = courses.collect();
        let mut runs: Vec<K::Run> = Vec::with_capacity(courses.len());
        for course in &courses {
            runs.push(kernel.begin(&template, runs.first(), course.seed)?);
        }
        let over = vec![false; runs.len()];
        Ok(Self { template, kernel, threads, runs, courses, over })
    }

    fn step_with<N: Number>(&mut self, actions: &[N], outputs: Outputs<'_>) -> Result<(), Error> {
        let layout = &self.template.layout;
        check_length("actions", actions.len(), self.runs.len() * layout.agents())?;
        let finals = self.template.settings.autoreset == Autoreset::SameStep;
        let mut rows = rows(outputs, layout, self.runs.len(), finals)?;
        self.check_actions(actions)?;
        // A loop without an early exit looks at many flags at once.
        if self.over.iter().fold(false, |some, over| some | over) {
            self.prepare()?;
        }
        if let Some((_, mask)) = &mut rows.finals {
            mask.fill(false);
        }
        let Self { template, kernel, threads, runs, courses, over } = self;
        let batch = Batch { envs: Envs { runs, courses, over }, actions, rows };
        threads.run(batch, K::LEAST, &template.layout, &|batch| {
            kernel.step(template, batch);
            Ok(())
        })
    }

    /// Checks the actions. Those of envs whose episode is over are ignored.
    fn check_actions<N: Number>(&self, actions: &[N]) -> Result<(), Error> {
        let (agents, limit) = (self.template.layout.agents(), self.template.layout.actions());
        if N::all_below(actions, limit) {
            return Ok(());
        }
        let wrong = |place: &usize| actions[*place].index() >= limit && !self.over[place / agents];
        match (0..actions.len()).find(wrong) {
            None => Ok(()),
            Some(place) => {
                let (env, agent, action) = (place / agents, place % agents, actions[place].into());
                Err(Error::NoAction { env, agent, action, actions: limit })
            }
        }
    }

    /// Makes sure that each episode that the coming step begins can begin.
    fn prepare(&mut self) -> Result<(), Error> {
        if self.template.settings.autoreset == Autoreset::Disabled
            && let Some(env) = self.over.iter().position(|over| *over)
        {
            return Err(Error::Over { env });
        }
        let Self { template, kernel, threads, runs, courses, over } = self;
        let template = &*template;
        threads.run(Envs { runs, courses, over }, K::LEAST_PREPARED, &template.layout, &|envs: Envs<'_, K::Run>| {
            let all = envs.runs.iter_mut().zip(&*envs.courses).zip(&*envs.over);
            let mut over = all.filter(|(_, over)| **over);
            over.try_for_each(|((run, course), _)| kernel.prepare(template, run, course.next().seed))
        })
    }

    fn put(&mut self, env: usize, run: K::Run, course: Course, over: bool) {
        self.runs[env] = run;
        self.courses[env] = course;
        self.over[env] = over;
    }

    fn check_env(&self, env: usize) -> Result<(), Error> {
        let envs = self.runs.len();
        if env < envs { Ok(()) } else { Err(Error::NoEnv { env, envs }) }
    }

    fn episode(&self, env: usize) -> Result<Episode<E>, Error> {
        self.kernel.episode(&self.template, &self.runs[env], self.courses[env])
    }

    fn read(&self, state: &[u8]) -> Result<(K::Run, Course, bool), Error> {
        let saved = Saved::read(state, &self.template.name)?;
        let episode = self.template.restore(saved.state)?;
        let course = Course { episode: saved.episode, seed: episode.context().seed() };
        Ok((self.kernel.adopt(&self.template, episode)?, course, saved.over))
    }
}

impl<E, K> Vector for Fleet<E, K>
where
    E: Encode<Element: Cell, Parameters: Sync>,
    K: Kernel<E>,
{
    fn envs(&self) -> usize {
        self.runs.len()
    }

    fn agents(&self) -> &[EcoString] {
        &self.template.layout.names
    }

    fn encoding(&self) -> &Encoding {
        &self.template.layout.encoding
    }

    fn meanings(&self) -> &[String] {
        &self.template.layout.meanings
    }

    fn reset(&mut self, seed: Option<u64>, mask: Option<&[bool]>) -> Result<(), Error> {
        if let Some(mask) = mask {
            check_length("the mask", mask.len(), self.runs.len())?;
        }
        let chosen = (0..self.runs.len()).filter(|env| mask.is_none_or(|mask| mask[*env]));
        let begun = chosen.map(|env| {
            let course = match seed {
                Some(base) => Course::first(base, env),
                None => self.courses[env].next(),
            };
            Ok((env, self.kernel.begin(&self.template, Some(&self.runs[env]), course.seed)?, course))
        });
        let begun: Vec<_> = begun.collect::<Result<_, Error>>()?;
        for (env, run, course) in begun {
            self.put(env, run, course, false);
        }
        Ok(())
    }

    fn step(&mut self, actions: Actions<'_>, outputs: Outputs<'_>) -> Result<(), Error> {
        match actions {
            Actions::U8(actions) => self.step_with(actions, outputs),
            Actions::I32(actions) => self.step_with(actions, outputs),
            Actions::I64(actions) => self.step_with(actions, outputs),
        }
    }

    fn observe(&self, observations: Observations<'_>, masks: &mut [bool]) -> Result<(), Error> {
        let layout = &self.template.layout;
        let observations = typed::<E::Element>("observations", observations, layout, self.runs.len())?;
        check_length("masks", masks.len(), self.runs.len() * layout.masks())?;
        for (env, run) in self.runs.iter().enumerate() {
            let observations = row(observations, env, layout.observations());
            self.kernel.look(&self.template, run, observations, row(masks, env, layout.masks()));
        }
        Ok(())
    }

    fn is_over(&self, env: usize) -> bool {
        self.over.get(env).is_some_and(|over| *over)
    }

    fn seed(&self, env: usize) -> Option<u64> {
        self.courses.get(env).map(|course| course.seed)
    }

    fn save(&self, env: usize) -> Result<Vec<u8>, Error> {
        self.check_env(env)?;
        let state = self.episode(env)?.save();
        let (over, episode) = (self.over[env], self.courses[env].episode);
        Ok(Saved { of: &self.template.name, over, episode, state: &state }.write())
    }

    fn load(&mut self, env: usize, state: &[u8]) -> Result<(), Error> {
        self.check_env(env)?;
        let (run, course, over) = self.read(state)?;
        self.put(env, run, course, over);
        Ok(())
    }

    fn save_all(&self) -> Result<Vec<u8>, Error> {
        let envs: Vec<Vec<u8>> = (0..self.runs.len()).map(|env| self.save(env)).collect::<Result<_, _>>()?;
        Ok(saved::write_all(envs.into_iter()))
    }

    fn load_all(&mut self, state: &[u8]) -> Result<(), Error> {
        let parts = saved::read_all(state, self.runs.len(), &self.template.name)?;
        let read = parts.into_iter().map(|part| self.read(part));
        let read: Vec<_> = read.collect::<Result<_, _>>()?;
        for (env, (run, course, over)) in read.into_iter().enumerate() {
            self.put(env, run, course, over);
        }
        Ok(())
    }

    fn outcome(&self, env: usize) -> Result<Outcome, Error> {
        self.check_env(env)?;
        self.kernel.outcome(&self.template, &self.runs[env], self.courses[env])
    }

    fn failures(&self, env: usize) -> &[(usize, Failure)] {
        self.runs.get(env).map_or(&[], |run| self.kernel.failures(run))
    }

    fn terms(&self, env: usize, actions: &[usize]) -> Result<Vec<Option<Action>>, Error> {
        self.check_env(env)?;
        let layout = &self.template.layout;
        check_length("actions", actions.len(), layout.agents())?;
        if let Some((agent, action)) = actions.iter().enumerate().find(|(_, action)| **action >= layout.actions()) {
            let action = i64::try_from(*action).unwrap_or(i64::MAX);
            return Err(Error::NoAction { env, agent, action, actions: layout.actions() });
        }
        let mut episode = self.episode(env)?;
        let act = |(&entity, &action)| {
            let action = episode.environment().decode(entity, action)?;
            // The agents act in order, so a later one acts in what the earlier ones have changed.
            let _ = episode.act(entity, &action);
            Some(action.to_iil())
        };
        Ok(layout.entities.iter().zip(actions).map(act).collect())
    }

    fn scene(&self, env: usize, viewer: Option<usize>) -> Result<Scene, Error> {
        self.check_env(env)?;
        let entities = &self.template.layout.entities;
        let viewer = viewer.map(|agent| {
            let entity = entities.get(agent).copied();
            entity.ok_or(Error::NoAgent { agent, agents: entities.len() })
        });
        self.kernel.scene(&self.template, &self.runs[env], self.courses[env], viewer.transpose()?)
    }

    fn table(&self) -> Option<Table<'_>> {
        self.kernel.table()
    }

    fn state(&self, env: usize) -> Option<usize> {
        self.kernel.state(self.runs.get(env)?)
    }
}

/// The code that steps envs: by the rules or by a table.
pub(crate) trait Kernel<E: Encode>: Send + Sync {
    /// The state of an env.
    type Run: Send;

    /// Smallest number of envs for which a thread of their own is worthwhile.
    const LEAST: usize;

    /// The same for [`prepare`](Self::prepare) alone.
    const LEAST_PREPARED: usize;

    /// Begins the episode with this seed, which shares with another one what never changes.
    fn begin(&self, template: &Template<E>, other: Option<&Self::Run>, seed: u64) -> Result<Self::Run, Error>;

    /// Makes sure that the next episode of an env, with this seed, can begin.
    fn prepare(&self, template: &Template<E>, run: &mut Self::Run, seed: u64) -> Result<(), Error>;

    /// Returns a run that continues with a saved episode.
    fn adopt(&self, template: &Template<E>, episode: Episode<E>) -> Result<Self::Run, Error>;

    /// Returns the episode of an env. With a table, it is restored from the essence of its environment.
    fn episode(&self, template: &Template<E>, run: &Self::Run, course: Course) -> Result<Episode<E>, Error>;

    /// Returns the [outcome](Vector::outcome) of the episode of an env.
    fn outcome(&self, template: &Template<E>, run: &Self::Run, course: Course) -> Result<Outcome, Error> {
        Ok(self.episode(template, run, course)?.outcome())
    }

    /// Returns the [scene](Vector::scene) of the episode of an env.
    fn scene(
        &self,
        template: &Template<E>,
        run: &Self::Run,
        course: Course,
        viewer: Option<EntityId>,
    ) -> Result<Scene, Error> {
        Ok(self.episode(template, run, course)?.scene(viewer))
    }

    /// Writes the observations of the agents of an env and the actions that they can do.
    fn look(&self, template: &Template<E>, run: &Self::Run, observations: &mut [E::Element], masks: &mut [bool]);

    /// Makes a step. The caller has checked that the actions exist, and has prepared the next episodes of envs whose
    /// episode is over.
    fn step<N: Number>(&self, template: &Template<E>, batch: Batch<'_, Self::Run, N, E::Element>);

    /// Returns the [failures](Vector::failures) of an env.
    fn failures<'a>(&self, _: &'a Self::Run) -> &'a [(usize, Failure)] {
        &[]
    }

    fn table(&self) -> Option<Table<'_>>;

    fn state(&self, run: &Self::Run) -> Option<usize>;
}
