//! Takes over the changes of an environment: new and deleted entities, events, announcements, the end of an episode.

use super::log::Log;
use super::{EntityId, Happening, Interface};
use crate::environment::{Entity, EntityChange, Environment, Episode, News};

impl<E: Environment> Interface<E> {
    /// Notifies the environment about one of its entities.
    pub(super) fn tell_environment(&mut self, news: News) {
        if let Some(run) = &mut self.run {
            run.episode.hear(news);
            self.follow_environment();
        }
    }

    /// Applies what the environment has done: new and deleted entities, events, announcements, the end of the
    /// episode.
    pub(crate) fn follow_environment(&mut self) {
        self.changes += 1;
        let Some(run) = &mut self.run else { return };
        let context = run.episode.context_mut();
        (self.books.moment.time, self.books.moment.step) = (self.books.now, context.step());
        let changes = std::mem::take(&mut context.changes);
        changes.into_iter().for_each(|change| self.follow_change(change));
        self.hand_out_events();
        self.pass_on_announcements();
        self.notice_the_end();
    }

    fn follow_change(&mut self, change: EntityChange) {
        match change {
            EntityChange::Deleted(id, _) => self.delete(id),
            EntityChange::Added(id) => {
                let context = self.episode().map(Episode::context);
                if let Some(entity) = context.and_then(|context| context.entity(id)).cloned() {
                    self.announce(id, entity);
                }
            }
        }
    }

    /// Adds a new entity, and informs observers.
    pub(super) fn announce(&mut self, id: EntityId, entity: Entity) {
        self.add(id, &entity, self.events_of_ended);
        let Entity { name, entity_type } = entity;
        self.books.happenings.push(Happening::New { entity: name, entity_type });
    }

    /// Adds a free entity. Its events are numbered from this number.
    pub(super) fn add(&mut self, id: EntityId, entity: &Entity, events: u64) {
        self.books.add(id, entity);
        self.logs.put(id, Log::new(self.changes, events));
    }

    /// Removes a deleted entity.
    pub(super) fn delete(&mut self, entity: EntityId) {
        self.books.delete(entity);
        if let Some(mut log) = self.logs.remove(entity) {
            log.forget();
            self.events_of_ended = self.events_of_ended.max(log.version().events);
        }
    }

    fn hand_out_events(&mut self) {
        let Some(run) = &mut self.run else { return };
        for (entity, percept) in run.episode.context_mut().events.drain(..) {
            if let Some(log) = self.logs.get_mut(entity)
                && self.books.entities.get(entity).is_some_and(|known| !known.agents.is_empty())
            {
                log.push_event(percept);
            }
        }
    }

    fn pass_on_announcements(&mut self) {
        let Some(run) = &mut self.run else { return };
        let announcements = run.episode.context_mut().announcements.drain(..);
        announcements.for_each(|one| self.books.happenings.push(Happening::Announcement(one)));
    }

    fn notice_the_end(&mut self) {
        let Some(run) = &self.run else { return };
        if !self.books.over && run.episode.environment().ending().is_some() {
            self.books.over = true;
            self.books.happenings.push(Happening::Outcome(run.episode.outcome()));
        }
    }
}
