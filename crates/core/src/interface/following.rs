//! Following the world: entities that come and go, events, announcements, the end of an episode.

use super::links::Links;
use super::log::Log;
use super::{Body, EntityId, Happening, Interface};
use crate::environment::{Entity, EntityChange, Environment, Episode, News};
use crate::iil::EcoString;

impl<E: Environment> Interface<E> {
    /// The world hears something about one of its entities.
    pub(super) fn tell_world(&mut self, news: News) {
        if let Some(episode) = &mut self.episode {
            episode.hear(news);
            self.follow_world();
        }
    }

    /// Takes over what the world has done: entities that came and went, events, announcements, the end of the episode.
    pub(super) fn follow_world(&mut self) {
        self.changes += 1;
        self.changed_at = self.now;
        let Some(episode) = &mut self.episode else { return };
        let context = episode.context_mut();
        if !context.changes.is_empty() {
            let changes = std::mem::take(&mut context.changes);
            changes.into_iter().for_each(|change| self.follow_change(change));
        }
        self.hand_out_events();
        self.pass_on_announcements();
        self.notice_the_end();
    }

    fn follow_change(&mut self, change: EntityChange) {
        match change {
            EntityChange::Deleted(id, entity) => self.delete(id, entity.name),
            EntityChange::Added(id) => {
                let context = self.episode.as_ref().map(Episode::context);
                if let Some(entity) = context.and_then(|context| context.entity(id)).cloned() {
                    self.announce(id, entity);
                }
            }
        }
    }

    /// Keeps the books for a new entity, and tells observers.
    pub(super) fn announce(&mut self, id: EntityId, entity: Entity) {
        self.add_body(id, &entity);
        let Entity { name, entity_type } = entity;
        self.happenings.push(Happening::New { entity: name, entity_type });
    }

    /// Keeps the books for an entity, which is free.
    pub(super) fn add_body(&mut self, id: EntityId, entity: &Entity) {
        let declared = &self.ontology.entity_types;
        let entity_type = declared.iter().position(|of| of.name == *entity.entity_type);
        let entity_type = entity_type.expect("a context takes only entities of declared types");
        let (agents, log) = (Links::None, Log::new(self.changes));
        self.bodies.put(id, Body { entity_type, agents, requested_by: None, log });
        self.free.insert(id);
    }

    /// Removes what is kept for an entity that is no more.
    pub(super) fn delete(&mut self, entity: EntityId, name: EcoString) {
        let Some(body) = self.bodies.remove(entity) else { return };
        self.free.remove(&entity);
        if let Some(agent) = body.requested_by {
            self.requested.remove(&(agent, entity));
        }
        let mut agents = Vec::new();
        for agent in body.agents.keys() {
            if let Some(registered) = self.agents.get_mut(agent) {
                registered.entities.remove(entity);
                agents.push(registered.name.clone());
            }
        }
        self.happenings.push(Happening::Deleted { entity: name, agents });
    }

    fn hand_out_events(&mut self) {
        let Some(episode) = &mut self.episode else { return };
        for (entity, percept) in episode.context_mut().told.drain(..) {
            if let Some(body) = self.bodies.get_mut(entity)
                && !body.agents.is_empty()
            {
                body.log.push_event(percept);
            }
        }
    }

    fn pass_on_announcements(&mut self) {
        let Some(episode) = &mut self.episode else { return };
        episode
            .context_mut()
            .announcements
            .drain(..)
            .for_each(|announcement| self.happenings.push(Happening::Announcement(announcement)));
    }

    fn notice_the_end(&mut self) {
        let Some(episode) = &self.episode else { return };
        if !self.over && episode.environment().ending().is_some() {
            self.over = true;
            self.happenings.push(Happening::Outcome(episode.outcome()));
        }
    }
}
