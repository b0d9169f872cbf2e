//! Managing the environment: init, start, pause, reset, kill.

use std::collections::{BTreeMap, BTreeSet};

use super::{AgentId, EntityId, Error, Happening, Interface, State};
use crate::environment::{Entity, Environment, Episode, News};
use crate::random::next_seed;
use crate::roster::Roster;

impl<E: Environment> Interface<E> {
    /// Begins the first episode; it is paused then.
    ///
    /// # Errors
    /// When there is or was an episode, or there is no such world.
    pub fn init(&mut self, parameters: E::Parameters, seed: u64) -> Result<(), Error> {
        self.check_init()?;
        let episode = Episode::init_in(&self.ontology, &parameters, seed).map_err(Error::Init)?;
        self.begin(parameters, episode);
        Ok(())
    }

    /// Lets time run.
    ///
    /// # Errors
    /// When it is not paused.
    pub fn start(&mut self) -> Result<(), Error> {
        self.become_state(State::Running, "start")
    }

    /// Stops time; percepts can still be read.
    ///
    /// # Errors
    /// When it is not running.
    pub fn pause(&mut self) -> Result<(), Error> {
        match self.state {
            State::Running => self.become_state(State::Paused, "pause"),
            _ => Err(self.wrong_state("pause")),
        }
    }

    /// Begins a new episode, which is paused then: with the parameters of the last one and a seed that follows from its
    /// seed, unless others are given. Agents keep the entities that exist again under the same name and type. All that
    /// agents believe of their entities is void.
    ///
    /// # Errors
    /// When it is neither paused nor running, or there is no such world; the old episode then goes on.
    pub fn reset(&mut self, parameters: Option<E::Parameters>, seed: Option<u64>) -> Result<(), Error> {
        self.check_reset()?;
        let Some(old) = &self.episode else { return Err(self.wrong_state("reset")) };
        let seed = seed.unwrap_or_else(|| next_seed(old.context().seed()));
        let Some(parameters) = parameters.or_else(|| self.parameters.clone()) else {
            return Err(self.wrong_state("reset"));
        };
        let episode = Episode::init_in(&self.ontology, &parameters, seed).map_err(Error::Init)?;
        self.announce_outcome();
        self.set_state(State::Initializing);
        self.begin(parameters, episode);
        Ok(())
    }

    /// Ends the environment for good. Its entities are gone; agents stay registered.
    ///
    /// # Errors
    /// When it is killed already.
    pub fn kill(&mut self) -> Result<(), Error> {
        if !self.state.may_become(State::Killed) {
            return Err(self.wrong_state("kill"));
        }
        self.announce_outcome();
        self.abandon();
        Ok(())
    }

    /// Ends the environment for good without asking the world anything any more: it is broken. Entities and agents are
    /// as after [`kill`](Self::kill).
    pub fn abandon(&mut self) {
        let entities: Vec<EntityId> = self.entities().collect();
        for entity in entities {
            self.delete(entity, self.entity_name(entity));
        }
        self.set_state(State::Killed);
        self.episode = None;
    }

    pub(super) fn check_init(&self) -> Result<(), Error> {
        if self.state == State::Initializing { Ok(()) } else { Err(self.wrong_state("init")) }
    }

    pub(super) fn check_reset(&self) -> Result<(), Error> {
        if matches!(self.state, State::Running | State::Paused) { Ok(()) } else { Err(self.wrong_state("reset")) }
    }

    /// Says how an episode stands that is broken off.
    pub(super) fn announce_outcome(&mut self) {
        if let Some(outcome) = self.outcome().filter(|_| !self.over) {
            self.happenings.push(Happening::Outcome(outcome));
        }
    }

    pub(super) fn wrong_state(&self, what: &'static str) -> Error {
        Error::WrongState { what, state: self.state }
    }

    fn become_state(&mut self, state: State, what: &'static str) -> Result<(), Error> {
        if !self.state.may_become(state) || self.episode.is_none() {
            return Err(self.wrong_state(what));
        }
        self.set_state(state);
        Ok(())
    }

    pub(super) fn set_state(&mut self, state: State) {
        self.state = state;
        self.changed_at = self.now;
        self.happenings.push(Happening::State(state));
    }

    /// Puts a new episode in the place of the old one, if there is one.
    pub(super) fn begin(&mut self, parameters: E::Parameters, episode: Episode<E>) {
        self.episode_number += 1;
        let seed = episode.context().seed();
        self.happenings.push(Happening::Episode { number: self.episode_number, seed });
        let taken = self.replace(episode);
        self.parameters = Some(parameters);
        self.over = false;
        for entity in taken {
            self.tell_world(News::Taken(entity));
        }
        self.follow_world();
        self.set_state(State::Paused);
    }

    /// Puts the episode in place. Entities that exist again under the same name and type keep their agents, the others
    /// are deleted, and those that are new are announced. Returns those that have agents.
    fn replace(&mut self, mut episode: Episode<E>) -> Vec<EntityId> {
        episode.context_mut().changes.clear();
        let entities: Vec<(EntityId, Entity)> =
            episode.context().entities().map(|(id, entity)| (id, entity.clone())).collect();
        let again: BTreeSet<&Entity> = entities.iter().map(|(_, entity)| entity).collect();
        let mut former = self.take_entities(&again);
        self.episode = Some(episode);
        // What the new episode is told of comes after all that was told of the old one.
        self.changes += 1;

        let mut taken = Vec::new();
        for (id, entity) in entities {
            let Some(Former { agents, requested_by }) = former.remove(&entity) else {
                self.announce(id, entity);
                continue;
            };
            self.add_body(id, &entity);
            for &agent in &agents {
                self.link_silently(agent, id);
            }
            if !agents.is_empty() {
                taken.push(id);
            }
            if let Some(agent) = requested_by {
                self.note_request(agent, id);
            }
        }
        taken
    }

    /// Removes all entities and the relation. Those that do not exist again are announced as deleted; what is known of
    /// the others is returned.
    fn take_entities(&mut self, again: &BTreeSet<&Entity>) -> BTreeMap<Entity, Former> {
        let mut kept = BTreeMap::new();
        let old: Vec<(EntityId, Entity)> = match &self.episode {
            Some(old) => old.context().entities().map(|(id, entity)| (id, entity.clone())).collect(),
            None => Vec::new(),
        };
        for (id, entity) in old {
            if !again.contains(&entity) {
                self.delete(id, entity.name);
            } else if let Some(body) = self.bodies.remove(id) {
                let agents: Vec<AgentId> = body.agents.keys().collect();
                for agent in &agents {
                    if let Some(registered) = self.agents.get_mut(*agent) {
                        registered.entities.remove(id);
                    }
                }
                kept.insert(entity, Former { agents, requested_by: body.requested_by });
            }
        }
        self.bodies = Roster::new();
        self.free.clear();
        self.requested.clear();
        kept
    }
}

/// What was known of an entity of the last episode.
struct Former {
    agents: Vec<AgentId>,
    requested_by: Option<AgentId>,
}
