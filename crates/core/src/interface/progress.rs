//! The progress of an interface: versions and events, which are not part of a saved state. With both, an interface
//! that is loaded in another process continues from the former one.

use serde::{Deserialize, Serialize};

use super::bookkeeping::Bookkeeping;
use super::log::{Cursor, Log};
use super::{EntityId, Error, Interface};
use crate::environment::Environment;
use crate::iil::EcoString;

/// The progress of an interface's versions, and of each agent with the events of its entities.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Progress {
    /// No version that was sent is later than this moment.
    changes: u64,
    events_of_ended: u64,
    /// When the environment last changed, on the wall clock.
    time: u64,
    entities: Vec<EventsOfEntity>,
}

/// The number of events of an entity, and the numbers that its agents know.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct EventsOfEntity {
    entity: EcoString,
    events: u64,
    agents: Vec<(EcoString, EventsHeard)>,
}

/// The numbers of events of an entity that an agent has acknowledged, and that were sent to it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventsHeard {
    /// The number of acknowledged events.
    pub acknowledged: u64,
    /// The number of sent events.
    pub told: u64,
}

impl<E: Environment> Interface<E> {
    /// Returns the progress of this interface.
    pub fn progress(&self) -> Progress {
        let mut entities = Vec::new();
        for entity in self.entities() {
            let events = self.logs.get(entity).map_or(0, |log| log.version().events);
            entities.push(self.books.events_of(entity, events));
        }
        let (changes, events_of_ended) = (self.changes, self.events_of_ended);
        Progress { changes, events_of_ended, time: self.books.moment.time, entities }
    }

    /// Continues from the progress of another interface, whose state this one has loaded. Versions are later than
    /// those of the other. Agents perceive everything again, and the events that they have not received. Events that
    /// are not remembered here count as lost.
    pub fn resume_progress(&mut self, progress: &Progress) {
        self.changes = self.changes.max(progress.changes) + 1;
        (self.books.now, self.books.moment.time) = (progress.time, progress.time);
        self.events_of_ended = self.events_of_ended.max(progress.events_of_ended);
        for EventsOfEntity { entity, events, agents } in &progress.entities {
            let Ok(id) = self.find_entity(entity) else { continue };
            self.logs.put(id, Log::new(self.changes, *events));
            for (agent, heard) in agents {
                let _ = self.set_heard(agent, entity, *heard);
            }
        }
    }

    /// Sets how many events of an entity an agent knows.
    ///
    /// # Errors
    /// Returns an error if the agent is not associated with the entity.
    pub fn set_heard(&mut self, agent: &str, entity: &str, heard: EventsHeard) -> Result<(), Error> {
        let (agent, entity) = (self.find_agent(agent)?, self.find_entity(entity)?);
        self.check_link(agent, entity)?;
        if let Some(cursor) = self.books.cursor_mut(agent, entity) {
            *cursor = Cursor::of_events(heard);
        }
        Ok(())
    }

    /// Notes that an agent has not received its last perception through an entity. It perceives everything again,
    /// and the events after those that it has acknowledged.
    ///
    /// # Errors
    /// Returns an error if the agent is not associated with the entity.
    pub fn take_back(&mut self, agent: &str, entity: &str) -> Result<EventsHeard, Error> {
        let (of, through) = (self.find_agent(agent)?, self.find_entity(entity)?);
        let acknowledged = self.books.cursor(of, through).map_or(0, |cursor| cursor.acknowledged.events);
        let heard = EventsHeard { acknowledged, told: acknowledged };
        self.set_heard(agent, entity, heard).map(|()| heard)
    }
}

impl Bookkeeping {
    /// Returns what the agents of an entity know of its events, whose number is given.
    fn events_of(&self, entity: EntityId, events: u64) -> EventsOfEntity {
        let heard = |agent| {
            let registered = self.agents.get(agent)?;
            Some((registered.name.clone(), registered.entities.get(&entity)?.heard()))
        };
        let agents = self.agents_of(entity).into_iter().flatten().filter_map(heard).collect();
        EventsOfEntity { entity: self.entity_name(entity), events, agents }
    }
}
