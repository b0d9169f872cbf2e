//! Saving and loading: the whole state of an interface as bytes, so that an episode can be gone on with from there.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{AgentId, EntityId, Error, Interface, State};
use crate::environment::{Environment, Episode};
use crate::iil::{EcoString, Parameter};
use crate::ontology::typed::InitParameters;

/// An interface as it is written down. Agents are written as their places in the order of registration.
#[derive(Serialize, Deserialize)]
struct Saved {
    environment: String,
    state: State,
    parameters: BTreeMap<String, Parameter>,
    episode: Vec<u8>,
    episode_number: u64,
    over: bool,
    agents: Vec<EcoString>,
    /// Who has which entity.
    relation: Vec<(u32, EntityId)>,
    /// Who had asked for which.
    requested: Vec<(u32, EntityId)>,
}

impl<E: Environment> Interface<E> {
    /// The whole state, agents and their entities included, as bytes (postcard); none if there is no episode. What agents
    /// have been told is not part of it.
    pub fn save(&self) -> Option<Vec<u8>> {
        let (episode, parameters) = (self.episode.as_ref()?, self.parameters.as_ref()?);
        let place: BTreeMap<_, u32> = self.agents().map(|(id, _)| id).zip(0..).collect();
        let mut relation = Vec::new();
        for (agent, place) in &place {
            let entities = self.agents.get(*agent).into_iter().flat_map(|registered| registered.entities.keys());
            relation.extend(entities.map(|entity| (*place, entity)));
        }
        let saved = Saved {
            environment: self.ontology.name.clone(),
            state: self.state,
            parameters: parameters.to_iil(),
            episode: episode.save(),
            episode_number: self.episode_number,
            over: self.over,
            agents: self.agents().map(|(_, name)| name.clone()).collect(),
            relation,
            requested: self.requested.iter().map(|(agent, entity)| (place[agent], *entity)).collect(),
        };
        Some(postcard::to_allocvec(&saved).expect("the state of an interface can be serialised"))
    }

    /// Puts a saved state in the place of the present one. Agents are told what holds anew, and observers how things
    /// stand.
    ///
    /// # Errors
    /// When the bytes were not saved by such an interface; everything is then as it was.
    pub fn load(&mut self, saved: &[u8]) -> Result<(), Error> {
        let (saved, rest) =
            postcard::take_from_bytes::<Saved>(saved).map_err(|error| self.not_saved(error.to_string()))?;
        if !rest.is_empty() {
            return Err(self.not_saved(format!("{} bytes follow", rest.len())));
        }
        if saved.environment != self.ontology.name {
            return Err(self.not_saved(format!("it is one of `{}`", saved.environment)));
        }
        let episode =
            Episode::load_in(&self.ontology, &saved.episode).map_err(|error| self.not_saved(error.to_string()))?;
        let parameters = E::Parameters::read(&saved.parameters, &self.ontology)?;
        // What is told of it comes after all that was told before.
        let new = Self::with(self.ontology.clone(), self.abilities.clone());
        let loaded = Self { parameters: Some(parameters), changes: self.changes + 1, ..new };
        let loaded = loaded.restore(episode, &saved);
        let loaded = loaded.ok_or_else(|| self.not_saved("its parts contradict each other"))?;
        let former = std::mem::replace(self, loaded);
        self.happenings = former.happenings;
        self.happenings.begin_anew();
        (self.now, self.changed_at) = (former.now, former.now);
        Ok(())
    }

    /// A new interface made to be the one that was saved; none if there can have been no such interface.
    fn restore(mut self, mut episode: Episode<E>, saved: &Saved) -> Option<Self> {
        let agents = saved.agents.iter().map(|name| self.register(name).ok()).collect::<Option<Vec<AgentId>>>()?;
        episode.context_mut().changes.clear();
        for (id, entity) in episode.context().entities() {
            self.add_body(id, entity);
        }
        self.episode = Some(episode);
        for (place, entity) in &saved.relation {
            self.bodies.get(*entity)?;
            self.link_silently(*agents.get(*place as usize)?, *entity);
        }
        for (place, entity) in &saved.requested {
            self.bodies.get(*entity)?;
            self.note_request(*agents.get(*place as usize)?, *entity);
        }
        self.state = saved.state;
        self.episode_number = saved.episode_number;
        self.over = saved.over;
        Some(self)
    }

    fn not_saved(&self, reason: impl Into<String>) -> Error {
        Error::NotSaved { environment: self.ontology.name.clone(), reason: reason.into() }
    }
}
