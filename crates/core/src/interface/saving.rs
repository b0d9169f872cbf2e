//! Saving and loading: the whole state of an interface as bytes, from which an episode can continue.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::bookkeeping::Bookkeeping;
use super::{AgentId, EntityId, Error, Interface, Run, State};
use crate::environment::{Environment, Episode};
use crate::iil::{EcoString, Parameter};
use crate::ontology::typed::InitParameters;

/// A serialised interface. Agents are represented by their positions in the order of registration.
#[derive(Serialize, Deserialize)]
struct Saved {
    environment: String,
    state: State,
    parameters: BTreeMap<String, Parameter>,
    episode: Vec<u8>,
    episode_number: u64,
    over: bool,
    agents: Vec<EcoString>,
    /// The relation between agents and entities.
    relation: Vec<(u32, EntityId)>,
    /// The agents that requested entities.
    requested: Vec<(u32, EntityId)>,
}

impl<E: Environment> Interface<E> {
    /// Returns the whole state, including agents and their entities, as bytes (postcard). It does not contain what
    /// agents have perceived.
    ///
    /// # Errors
    /// Returns an error if there is no episode.
    pub fn save(&self) -> Result<Vec<u8>, Error> {
        let Some(run) = &self.run else { return Err(self.books.wrong_state("saving")) };
        let saved = self.books.saved(run.parameters.to_iil(), run.episode.save())?;
        Ok(postcard::to_allocvec(&saved).expect("the state of an interface can be serialised"))
    }

    /// Replaces the current state by a saved one. Agents then perceive everything that holds, and observers receive
    /// the current state.
    ///
    /// # Errors
    /// Returns an error if the bytes were not saved by such an interface; the state is then unchanged.
    pub fn load(&mut self, saved: &[u8]) -> Result<(), Error> {
        let (saved, ontology) = (self.books.read_saved(saved)?, self.ontology());
        let episode = Episode::load_in(ontology, &saved.episode);
        let episode = episode.map_err(|error| self.books.not_saved(&error.to_string()))?;
        let parameters = E::Parameters::read(&saved.parameters, ontology)?;
        // Everything that it reports comes after all earlier reports.
        let new = Self::with(ontology.clone(), self.books.abilities.clone());
        let mut events_of_ended = self.events_of_ended;
        for (_, log) in self.logs.iter() {
            events_of_ended = events_of_ended.max(log.version().events);
        }
        let mut loaded = Self { changes: self.changes + 1, events_of_ended, ..new };
        E::ontology_of(&parameters).into_iter().for_each(|ontology| loaded.books.adapt(ontology));
        let loaded = loaded.restore(Run { parameters, episode }, &saved);
        let loaded = loaded.ok_or_else(|| self.books.not_saved("its parts contradict each other"))?;
        let former = std::mem::replace(self, loaded).books;
        self.books.happenings = former.happenings;
        self.books.happenings.restart();
        (self.books.now, self.books.moment.time) = (former.now, former.now);
        Ok(())
    }

    /// Turns a new interface into the saved one, or returns `None` if there can be no such interface.
    fn restore(mut self, mut run: Run<E>, saved: &Saved) -> Option<Self> {
        let agents = saved.agents.iter().map(|name| self.register(name).ok()).collect::<Option<Vec<AgentId>>>()?;
        run.episode.context_mut().changes.clear();
        let context = run.episode.context();
        for (id, entity) in context.entities() {
            self.add(id, entity, self.events_of_ended);
        }
        (self.books.seed, self.books.moment.step) = (context.seed(), context.step());
        self.run = Some(run);
        for (place, entity) in &saved.relation {
            self.entity(*entity).ok()?;
            let beginning = self.logs.get(*entity)?.beginning();
            self.books.link_silently(*agents.get(*place as usize)?, *entity, beginning);
        }
        for (place, entity) in &saved.requested {
            self.entity(*entity).ok()?;
            self.books.note_request(*agents.get(*place as usize)?, *entity);
        }
        self.books.state = saved.state;
        self.books.moment.episode = saved.episode_number;
        self.books.over = saved.over;
        Some(self)
    }
}

impl Bookkeeping {
    /// The interface with these parameters and this state of the episode.
    fn saved(&self, parameters: BTreeMap<String, Parameter>, episode: Vec<u8>) -> Result<Saved, Error> {
        let place: BTreeMap<_, u32> = self.agents().map(|(id, _)| id).zip(0..).collect();
        let mut relation = Vec::new();
        for (agent, place) in &place {
            relation.extend(self.entities_of(*agent)?.map(|entity| (*place, entity)));
        }
        Ok(Saved {
            environment: self.ontology.name.clone(),
            state: self.state,
            parameters,
            episode,
            episode_number: self.moment.episode,
            over: self.over,
            agents: self.agents().map(|(_, name)| name.clone()).collect(),
            relation,
            requested: self.requested.iter().map(|(agent, entity)| (place[agent], *entity)).collect(),
        })
    }

    fn read_saved(&self, saved: &[u8]) -> Result<Saved, Error> {
        let (saved, rest) =
            postcard::take_from_bytes::<Saved>(saved).map_err(|error| self.not_saved(&error.to_string()))?;
        if !rest.is_empty() {
            return Err(self.not_saved(&format!("{} bytes follow", rest.len())));
        }
        if saved.environment != self.ontology.name {
            return Err(self.not_saved(&format!("it belongs to environment `{}`", saved.environment)));
        }
        Ok(saved)
    }

    fn not_saved(&self, reason: &str) -> Error {
        Error::NotSaved { environment: self.ontology.name.clone(), reason: reason.into() }
    }
}
