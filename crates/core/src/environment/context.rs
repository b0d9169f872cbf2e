//! What an environment is handed with each call: the generator, the entities and their names, the number of the
//! step, and the means to tell events.

use hashbrown::HashMap;
use serde::{Deserialize, Serialize};

use super::{Announcement, Failure};
use crate::iil::EcoString;
use crate::ontology::Ontology;
use crate::random::Random;
use crate::roster::{EntityId, Roster};

/// The part of an episode's state that every environment has, and its voice.
#[derive(Debug)]
pub struct Context<P> {
    /// The generator of the episode.
    pub random: Random,
    seed: u64,
    pub(crate) step: u64,
    entities: Roster<EntityId, Entity>,
    names: HashMap<EcoString, EntityId>,
    pub(crate) told: Vec<(EntityId, P)>,
    pub(crate) announcements: Vec<Announcement>,
    /// Whether nobody listens to what is told.
    pub(super) deaf: bool,
    pub(crate) changes: Vec<EntityChange>,
    /// The names of the types that the ontology declares.
    entity_types: Vec<EcoString>,
}

/// What is known of an entity.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Entity {
    /// Its name, unique in the episode.
    pub name: EcoString,
    /// The name of its type.
    pub entity_type: EcoString,
}

/// An entity has come or gone.
#[derive(Debug)]
pub(crate) enum EntityChange {
    Added(EntityId),
    Deleted(EntityId, Entity),
}

impl<P: Clone> Context<P> {
    pub(super) fn new(seed: u64, ontology: &Ontology) -> Self {
        Self {
            random: Random::new(seed),
            seed,
            step: 0,
            entities: Roster::new(),
            names: HashMap::new(),
            told: Vec::new(),
            announcements: Vec::new(),
            deaf: false,
            changes: Vec::new(),
            entity_types: names_of_types(ontology),
        }
    }

    /// The seed of the episode.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// How many steps have been begun: 0 in `init`, 1 in the first `step`.
    pub fn step(&self) -> u64 {
        self.step
    }

    /// Adds an entity of a type that the ontology declares.
    ///
    /// # Errors
    /// When the name is taken, or the type is not declared.
    pub fn add_entity(&mut self, name: impl Into<EcoString>, entity_type: &str) -> Result<EntityId, Failure> {
        let name = name.into();
        if !self.entity_types.iter().any(|of| of == entity_type) {
            return Err(Failure::new(format!("there is no entity type `{entity_type}`")));
        }
        if self.names.contains_key(&name) {
            return Err(Failure::new(format!("there is an entity `{name}` already")));
        }
        let entity = Entity { name: name.clone(), entity_type: entity_type.into() };
        let id = self.entities.push(entity);
        let id = id.ok_or_else(|| Failure::new("no more entities in this episode"))?;
        self.names.insert(name, id);
        self.changes.push(EntityChange::Added(id));
        Ok(id)
    }

    /// Declares the types of an ontology that has been added to.
    pub(crate) fn declare(&mut self, ontology: &Ontology) {
        self.entity_types = names_of_types(ontology);
    }

    /// Deletes an entity; nothing happens if there is none.
    pub fn delete_entity(&mut self, id: EntityId) {
        if let Some(entity) = self.entities.remove(id) {
            self.names.remove(&entity.name);
            self.changes.push(EntityChange::Deleted(id, entity));
        }
    }

    /// Tells whoever controls the entity that something happened. It is an event, however its percept is declared:
    /// it comes once each time it is told.
    pub fn tell(&mut self, id: EntityId, percept: P) {
        if !self.deaf {
            self.told.push((id, percept));
        }
    }

    /// Tells it to all entities.
    pub fn tell_all(&mut self, percept: &P) {
        if !self.deaf {
            self.told.extend(self.entities.iter().map(|(id, _)| (id, percept.clone())));
        }
    }

    /// Tells those who watch the environment, and no agent: a word for what kind of announcement it is, and a text for
    /// people.
    pub fn announce(&mut self, name: impl Into<EcoString>, text: impl Into<EcoString>) {
        if !self.deaf {
            self.announcements.push(Announcement { name: name.into(), text: text.into() });
        }
    }

    /// What is known of an entity.
    pub fn entity(&self, id: EntityId) -> Option<&Entity> {
        self.entities.get(id)
    }

    /// How many entities there are.
    pub fn entity_count(&self) -> usize {
        self.names.len()
    }

    /// The entity of this name.
    pub fn find_entity(&self, name: &str) -> Option<EntityId> {
        self.names.get(name).copied()
    }

    /// All entities, in order of creation.
    pub fn entities(&self) -> impl Iterator<Item = (EntityId, &Entity)> {
        self.entities.iter()
    }
}

fn names_of_types(ontology: &Ontology) -> Vec<EcoString> {
    ontology.entity_types.iter().map(|of| of.name.as_str().into()).collect()
}

/// A context as it is written down: what was told has been heard by then.
#[derive(Serialize, Deserialize)]
pub(super) struct Record {
    random: Random,
    seed: u64,
    step: u64,
    next_entity: EntityId,
    entities: Vec<(EntityId, Entity)>,
}

impl<P: Clone> Context<P> {
    pub(super) fn record(&self) -> Record {
        Record {
            random: self.random.clone(),
            seed: self.seed,
            step: self.step,
            next_entity: self.entities.next_id(),
            entities: self.entities.iter().map(|(id, entity)| (id, entity.clone())).collect(),
        }
    }

    /// The context that was written down; none if no context can have been.
    pub(super) fn restore(record: Record, ontology: &Ontology) -> Option<Self> {
        let Record { random, seed, step, next_entity, entities } = record;
        let mut context = Self { random, step, ..Self::new(seed, ontology) };
        let ascending = entities.is_sorted_by(|(one, _), (other, _)| one < other);
        if !ascending || entities.last().is_some_and(|(last, _)| *last >= next_entity) {
            return None;
        }
        context.entities = Roster::starting_at(next_entity);
        for (id, entity) in entities {
            let declared = context.entity_types.contains(&entity.entity_type);
            if !declared || context.names.insert(entity.name.clone(), id).is_some() {
                return None;
            }
            context.entities.put(id, entity);
        }
        Some(context)
    }
}
