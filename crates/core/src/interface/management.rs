//! Managing the environment: init, start, pause, reset, kill.

use std::collections::{BTreeMap, BTreeSet};

use super::bookkeeping::KnownEntity;
use super::log::Cursor;
use super::{AgentId, EntityId, Error, Happening, Interface, Run, State};
use crate::environment::{Entity, Environment, Episode, News, Shared};
use crate::random::next_seed;
use crate::roster::Roster;

/// An entity of the last episode that exists again in the next one.
struct Former {
    known: KnownEntity,
    /// The cursors of its agents.
    cursors: Vec<(AgentId, Cursor)>,
    /// The number of its events.
    events: u64,
}

impl<E: Environment> Interface<E> {
    /// Begins the first episode, paused.
    ///
    /// # Errors
    /// Returns an error if there is or was an episode, or the environment cannot begin with these parameters.
    pub fn init(&mut self, parameters: E::Parameters, seed: u64) -> Result<(), Error> {
        self.books.check_init()?;
        let episode = Episode::init_in(&self.books.ontology, &parameters, seed).map_err(Error::Init)?;
        self.begin(parameters, episode);
        Ok(())
    }

    /// Lets time run.
    ///
    /// # Errors
    /// Returns an error if the environment is not paused.
    pub fn start(&mut self) -> Result<(), Error> {
        self.become_state(State::Running, "start")
    }

    /// Stops time. Agents can still perceive.
    ///
    /// # Errors
    /// Returns an error if the environment is not running.
    pub fn pause(&mut self) -> Result<(), Error> {
        match self.books.state {
            State::Running => self.become_state(State::Paused, "pause"),
            _ => Err(self.books.wrong_state("pause")),
        }
    }

    /// Begins a new episode, paused. By default it has the parameters of the last one and a seed that follows from
    /// the last seed. Agents keep the entities that exist again under the same name and type. All beliefs about
    /// entities become void.
    ///
    /// # Errors
    /// Returns an error if the environment is neither paused nor running, or cannot begin with these parameters; the
    /// old episode then continues.
    pub fn reset(&mut self, parameters: Option<E::Parameters>, seed: Option<u64>) -> Result<(), Error> {
        self.books.check_reset()?;
        let Some(old) = &self.run else { return Err(self.books.wrong_state("reset")) };
        let seed = seed.unwrap_or_else(|| next_seed(self.books.seed));
        let parameters = parameters.unwrap_or_else(|| old.parameters.clone());
        let episode = Episode::init_in(&self.books.ontology, &parameters, seed).map_err(Error::Init)?;
        self.announce_outcome();
        self.set_state(State::Initializing);
        self.begin(parameters, episode);
        Ok(())
    }

    /// Ends the environment for good. It deletes all entities; agents stay registered.
    ///
    /// # Errors
    /// Returns an error if it is already killed.
    pub fn kill(&mut self) -> Result<(), Error> {
        if !self.books.state.may_become(State::Killed) {
            return Err(self.books.wrong_state("kill"));
        }
        self.announce_outcome();
        self.abandon();
        Ok(())
    }

    /// Ends the environment for good without calling it again, because it has crashed. Entities and agents are as
    /// after [`kill`](Self::kill).
    pub fn abandon(&mut self) {
        let entities: Vec<EntityId> = self.entities().collect();
        for entity in entities {
            self.delete(entity);
        }
        self.set_state(State::Killed);
        self.books.moment.step = 0;
        self.run = None;
    }

    /// Announces the outcome of an episode that is broken off.
    pub(crate) fn announce_outcome(&mut self) {
        if let Some(outcome) = self.outcome().filter(|_| !self.books.over) {
            self.books.happenings.push(Happening::Outcome(outcome));
        }
    }

    pub(crate) fn set_state(&mut self, state: State) {
        self.books.set_state(state);
    }

    fn become_state(&mut self, state: State, what: &'static str) -> Result<(), Error> {
        if !self.books.state.may_become(state) || self.run.is_none() {
            return Err(self.books.wrong_state(what));
        }
        self.set_state(state);
        Ok(())
    }

    /// Replaces the old episode, if there is one, by a new one.
    pub(crate) fn begin(&mut self, parameters: E::Parameters, episode: Episode<E>) {
        E::ontology_of(&parameters).into_iter().for_each(|ontology| self.books.adapt(ontology));
        self.books.moment.episode += 1;
        self.books.seed = episode.context().seed();
        let (number, seed) = (self.books.moment.episode, self.books.seed);
        self.books.happenings.push(Happening::Episode { number, seed: Some(seed) });
        let taken = self.replace(Run { parameters, episode });
        self.books.over = false;
        for entity in taken {
            self.tell_environment(News::Taken(entity));
        }
        self.follow_environment();
        self.set_state(State::Paused);
    }

    /// Replaces the episode. Entities that exist again under the same name and type keep their agents; the others are
    /// deleted, and new ones are announced. Returns the entities that have agents.
    fn replace(&mut self, mut run: Run<E>) -> Vec<EntityId> {
        let context = run.episode.context_mut();
        context.changes.clear();
        let entities: Vec<(EntityId, Entity)> = context.entities().map(|(id, entity)| (id, entity.clone())).collect();
        let again: BTreeSet<&Entity> = entities.iter().map(|(_, entity)| entity).collect();
        let mut former = self.take_entities(&again);
        self.run = Some(run);
        // Everything that the new episode reports comes after all reports of the old one.
        self.changes += 1;

        let mut taken = Vec::new();
        for (id, entity) in entities {
            let Some(Former { known, cursors, events }) = former.remove(&entity) else {
                self.announce(id, entity);
                continue;
            };
            self.add(id, &entity, events);
            if !cursors.is_empty() {
                taken.push(id);
            }
            for (agent, cursor) in cursors {
                self.books.link_silently(agent, id, cursor.in_next_episode());
            }
            if let Some(agent) = known.requested_by {
                self.books.note_request(agent, id);
            }
        }
        taken
    }

    /// Removes all entities and the relation. Announces the deletion of entities that do not exist again, and returns
    /// the others.
    fn take_entities(&mut self, again: &BTreeSet<&Entity>) -> BTreeMap<Entity, Former> {
        let mut kept = BTreeMap::new();
        let old: Vec<(EntityId, Entity)> = match self.episode() {
            Some(old) => old.context().entities().map(|(id, entity)| (id, entity.clone())).collect(),
            None => Vec::new(),
        };
        for (id, entity) in old {
            if !again.contains(&entity) {
                self.delete(id);
            } else if let Some((known, cursors)) = self.books.take(id) {
                let events = self.logs.get(id).map_or(0, |log| log.version().events);
                kept.insert(entity, Former { known, cursors, events });
            }
        }
        self.books.forget_entities();
        (self.logs, self.shared) = (Roster::new(), Shared::default());
        kept
    }
}
