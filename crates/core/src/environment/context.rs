//! The context that an environment gets with each call: the generator, the entities and their names, the step number,
//! and the way to send events.

use hashbrown::HashMap;
use serde::{Deserialize, Serialize};

use super::{Announcement, Failure};
use crate::iil::EcoString;
use crate::ontology::Ontology;
use crate::random::Random;
use crate::roster::{EntityId, Roster};

/// The part of an episode's state that every environment has.
#[derive(Debug)]
pub struct Context<P> {
    /// The random number generator of the episode.
    pub random: Random,
    seed: u64,
    pub(crate) step: u64,
    /// In a box, since the steps of many environments do not use it.
    population: Box<Population>,
    pub(crate) events: Vec<(EntityId, P)>,
    pub(crate) announcements: Vec<Announcement>,
    /// The percepts that the last action is answered with.
    pub(super) answers: Vec<P>,
    /// Whether events and announcements are dropped.
    pub(super) deaf: bool,
    pub(crate) changes: Vec<EntityChange>,
}

/// The entities of an episode.
#[derive(Debug)]
struct Population {
    entities: Roster<EntityId, Entity>,
    names: HashMap<EcoString, EntityId>,
    /// The names of the types in the ontology.
    types: Vec<EcoString>,
}

/// The name and the type of an entity.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Entity {
    /// The name, unique in the episode.
    pub name: EcoString,
    /// The name of the type.
    pub entity_type: EcoString,
}

/// The creation or deletion of an entity.
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
            population: Box::new(Population {
                entities: Roster::new(),
                names: HashMap::new(),
                types: names_of_types(ontology),
            }),
            events: Vec::new(),
            announcements: Vec::new(),
            answers: Vec::new(),
            deaf: false,
            changes: Vec::new(),
        }
    }

    /// Returns the seed of the episode.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// Returns the number of steps begun: 0 in `init`, 1 in the first `step`.
    pub fn step(&self) -> u64 {
        self.step
    }

    /// Adds an entity of a type in the ontology.
    ///
    /// # Errors
    /// Returns an error if the name is taken or the type is not declared.
    pub fn add_entity(&mut self, name: impl Into<EcoString>, entity_type: &str) -> Result<EntityId, Failure> {
        let name = name.into();
        if !self.population.types.iter().any(|of| of == entity_type) {
            return Err(Failure::new(format!("there is no entity type `{entity_type}`")));
        }
        if self.population.names.contains_key(&name) {
            return Err(Failure::new(format!("an entity `{name}` already exists")));
        }
        let entity = Entity { name: name.clone(), entity_type: entity_type.into() };
        let id = self.population.entities.push(entity);
        let id = id.ok_or_else(|| Failure::new("no more entities in this episode"))?;
        self.population.names.insert(name, id);
        self.changes.push(EntityChange::Added(id));
        Ok(id)
    }

    /// Adds the types of an extended ontology.
    pub(crate) fn declare(&mut self, ontology: &Ontology) {
        self.population.types = names_of_types(ontology);
    }

    /// Deletes an entity. Does nothing if there is no such entity.
    pub fn delete_entity(&mut self, id: EntityId) {
        if let Some(entity) = self.population.entities.remove(id) {
            self.population.names.remove(&entity.name);
            self.changes.push(EntityChange::Deleted(id, entity));
        }
    }

    /// Answers the action in [`Environment::act`](super::Environment::act) with a percept that it finds out (active
    /// sensing): only the agent that acts gets it, whatever the declared delivery. Elsewhere nobody gets it.
    pub fn answer(&mut self, percept: P) {
        self.answers.push(percept);
    }

    /// Sends an event to the agents of an entity. The percept is an event whatever its declared delivery: it comes
    /// once for each call.
    pub fn tell(&mut self, id: EntityId, percept: P) {
        if !self.deaf {
            self.events.push((id, percept));
        }
    }

    /// Sends an event to all entities.
    pub fn tell_all(&mut self, percept: &P) {
        if !self.deaf {
            self.events.extend(self.population.entities.iter().map(|(id, _)| (id, percept.clone())));
        }
    }

    /// Announces something to observers, and to no agent: a word for the kind of announcement, and a text for people.
    pub fn announce(&mut self, name: impl Into<EcoString>, text: impl Into<EcoString>) {
        if !self.deaf {
            self.announcements.push(Announcement { name: name.into(), text: text.into() });
        }
    }

    /// Returns the name and the type of an entity.
    pub fn entity(&self, id: EntityId) -> Option<&Entity> {
        self.population.entities.get(id)
    }

    /// Returns the number of entities.
    pub(crate) fn entity_count(&self) -> usize {
        self.population.names.len()
    }

    /// Finds the entity with this name.
    pub fn find_entity(&self, name: &str) -> Option<EntityId> {
        self.population.names.get(name).copied()
    }

    /// Returns all entities, in order of creation.
    pub fn entities(&self) -> impl Iterator<Item = (EntityId, &Entity)> {
        self.population.entities.iter()
    }
}

fn names_of_types(ontology: &Ontology) -> Vec<EcoString> {
    ontology.entity_types.iter().map(|of| of.name.as_str().into()).collect()
}

/// A serialised context, without pending events.
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
            next_entity: self.population.entities.next_id(),
            entities: self.population.entities.iter().map(|(id, entity)| (id, entity.clone())).collect(),
        }
    }

    /// Restores a context, or returns `None` if the record is invalid.
    pub(super) fn restore(record: Record, ontology: &Ontology) -> Option<Self> {
        let Record { random, seed, step, next_entity, entities } = record;
        let mut context = Self { random, step, ..Self::new(seed, ontology) };
        let ascending = entities.is_sorted_by(|(one, _), (other, _)| one < other);
        if !ascending || entities.last().is_some_and(|(last, _)| *last >= next_entity) {
            return None;
        }
        context.population.entities = Roster::starting_at(next_entity);
        for (id, entity) in entities {
            let declared = context.population.types.contains(&entity.entity_type);
            if !declared || context.population.names.insert(entity.name.clone(), id).is_some() {
                return None;
            }
            context.population.entities.put(id, entity);
        }
        Some(context)
    }
}
