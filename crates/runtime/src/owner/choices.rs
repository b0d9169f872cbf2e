//! The choices for the next step of a lockstep environment: the entities with agents, and their chosen actions.

use std::collections::BTreeMap;
use std::collections::HashMap;

use situated::iil::EcoString;
use situated::interface::{EntityId, EnvironmentInterface, Happening, Moment, Observer};

use crate::error::Error;

/// The number of a request without a response.
pub(super) type PendingId = u64;

/// The entities with agents, and the choices for them.
#[derive(Debug, Default)]
pub(super) struct Choices {
    observer: Observer,
    /// The number of the episode.
    episode: u64,
    /// In order of creation, which is also the order of actions.
    seats: BTreeMap<EntityId, Seat>,
    by_name: HashMap<EcoString, EntityId>,
    /// Number of entities without a choice.
    undecided: usize,
}

/// An entity with agents.
#[derive(Debug)]
struct Seat {
    entity: EcoString,
    agents: usize,
    choice: Option<Choice>,
}

/// A choice.
#[derive(Clone, Debug)]
pub(super) struct Choice {
    /// The agent that chose.
    pub(super) agent: EcoString,
    /// The request with the action or the pass.
    pub(super) pending: PendingId,
}

/// A choice that no longer counts, because its agent no longer controls the entity.
#[derive(Debug)]
pub(super) struct Voided {
    pub(super) entity: EcoString,
    pub(super) choice: Choice,
}

impl Choices {
    /// Returns whether there is a choice for every entity that has an agent.
    pub(super) fn are_complete(&self) -> bool {
        self.undecided == 0 && !self.seats.is_empty()
    }

    /// Returns whether no entity has an agent.
    pub(super) fn are_nobodys(&self) -> bool {
        self.seats.is_empty()
    }

    /// Returns the entities that have an agent and no choice.
    pub(super) fn open(&self) -> impl Iterator<Item = &EcoString> {
        self.seats.values().filter(|seat| seat.choice.is_none()).map(|seat| &seat.entity)
    }

    /// Returns whether this entity has an agent and no choice.
    pub(super) fn is_open(&self, entity: &EcoString) -> bool {
        let seat = self.by_name.get(entity).and_then(|id| self.seats.get(id));
        seat.is_some_and(|seat| seat.choice.is_none())
    }

    /// Checks whether an action can be chosen for this entity.
    pub(super) fn check(&self, id: EntityId, moment: Moment) -> Result<(), Error> {
        match self.seats.get(&id) {
            Some(Seat { entity, choice: Some(choice), .. }) => {
                Err(Error::AlreadyChosen { entity: entity.clone(), by: choice.agent.clone(), step: moment.step + 1 })
            }
            _ => Ok(()),
        }
    }

    /// Notes the choice of an agent.
    pub(super) fn choose(&mut self, id: EntityId, agent: &EcoString, pending: PendingId) {
        if let Some(seat) = self.seats.get_mut(&id)
            && seat.choice.replace(Choice { agent: agent.clone(), pending }).is_none()
        {
            self.undecided -= 1;
        }
    }

    /// Returns the entities with agents, in order of creation, with their choices, and clears the choices.
    pub(super) fn take(&mut self) -> Vec<(EcoString, Option<Choice>)> {
        self.undecided = self.seats.len();
        self.seats.values_mut().map(|seat| (seat.entity.clone(), seat.choice.take())).collect()
    }

    /// Follows changes of the relation. Returns the choices that become void; a new episode voids all.
    pub(super) fn follow(&mut self, interface: &dyn EnvironmentInterface) -> Vec<Voided> {
        let drained = interface.drain(&mut self.observer);
        let episode = interface.moment().episode;
        if drained.missed > 0 || self.episode != episode {
            let is_new = std::mem::replace(&mut self.episode, episode) != episode;
            return self.recount(interface, is_new);
        }
        let mut voided = Vec::new();
        for happening in drained.happenings {
            match happening {
                Happening::Taken { entity, .. } => self.seat(entity, interface),
                Happening::Released { entity, agent } => voided.extend(self.unseat(&entity, &agent)),
                Happening::Deleted { entity, .. } => voided.extend(self.remove(&entity)),
                _ => {}
            }
        }
        voided
    }

    /// Reads the relation again. Returns the choices that become void: all of them in a new episode.
    fn recount(&mut self, interface: &dyn EnvironmentInterface, is_new: bool) -> Vec<Voided> {
        let chosen = self.take();
        self.seats.clear();
        self.by_name.clear();
        self.undecided = 0;
        for entity in interface.entities() {
            let agents = interface.associated_agents(&entity).map_or(0, |agents| agents.len());
            for _ in 0..agents {
                self.seat(entity.clone(), interface);
            }
        }
        let mut voided = Vec::new();
        for (entity, choice) in chosen {
            let Some(choice) = choice else { continue };
            let still_its = interface.associated_agents(&entity).is_ok_and(|agents| agents.contains(&choice.agent));
            match self.by_name.get(&entity).copied() {
                Some(id) if still_its && !is_new => self.choose(id, &choice.agent, choice.pending),
                _ => voided.push(Voided { entity, choice }),
            }
        }
        voided
    }

    fn seat(&mut self, entity: EcoString, interface: &dyn EnvironmentInterface) {
        if let Some(seat) = self.by_name.get(&entity).and_then(|id| self.seats.get_mut(id)) {
            seat.agents += 1;
        } else if let Ok(id) = interface.entity_id(&entity) {
            self.by_name.insert(entity.clone(), id);
            self.seats.insert(id, Seat { entity, agents: 1, choice: None });
            self.undecided += 1;
        }
    }

    /// Notes that an agent has left this entity.
    fn unseat(&mut self, entity: &EcoString, agent: &EcoString) -> Option<Voided> {
        let seat = self.by_name.get(entity).and_then(|id| self.seats.get_mut(id))?;
        seat.agents -= 1;
        if seat.agents == 0 {
            return self.remove(entity);
        }
        let choice = seat.choice.take_if(|choice| choice.agent == *agent)?;
        self.undecided += 1;
        Some(Voided { entity: entity.clone(), choice })
    }

    fn remove(&mut self, entity: &EcoString) -> Option<Voided> {
        let seat = self.by_name.remove(entity).and_then(|id| self.seats.remove(&id))?;
        if seat.choice.is_none() {
            self.undecided -= 1;
        }
        Some(Voided { entity: seat.entity, choice: seat.choice? })
    }
}
