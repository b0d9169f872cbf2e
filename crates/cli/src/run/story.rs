//! The story of a run so far: the latest action of each entity, and the latest events.

use std::collections::{BTreeMap, VecDeque};

use situated::environment::Announcement;
use situated::iil::{Action, EcoString, Parameter, Percept};

use super::step::{Step, Told};

/// The number of events that are remembered.
const EVENTS: usize = 200;

/// The number of events with which a new one is compared.
const RECENT: usize = 32;

/// The story of an episode so far.
#[derive(Debug, Default)]
pub(super) struct Story {
    step: u64,
    doings: BTreeMap<EcoString, Doing>,
    events: VecDeque<Event>,
    /// Number of events in the episode; `events` contains only the latest.
    count: u64,
}

/// The latest action of an entity.
#[derive(Debug, Default)]
pub(super) struct Doing {
    /// Its last action.
    pub(super) action: Option<Action>,
    /// Why the action failed, if it did.
    pub(super) error: Option<String>,
}

/// Something that has happened.
#[derive(Debug)]
pub(super) struct Event {
    pub(super) step: u64,
    pub(super) what: What,
}

/// The content of an event.
#[derive(Debug, PartialEq)]
pub(super) enum What {
    /// An announcement of the environment for observers.
    Announced(Announcement),
    /// These entities have perceived this, in a sentence of the environment if it has one.
    Perceived { by: Vec<EcoString>, percept: Percept, sentence: Option<String> },
}

impl Story {
    /// Adds a step. `in_words` returns the environment's sentence for a percept.
    pub(super) fn tell(&mut self, step: Step, in_words: &dyn Fn(&Percept) -> Option<String>) {
        if step.number <= self.step {
            // After a reset, the numbers of steps begin again.
            *self = Self::default();
        }
        self.step = step.number;
        for announcement in step.announcements {
            self.add(What::Announced(announcement));
        }
        for (entity, Told { events, .. }) in step.percepts {
            for percept in events {
                self.hear(entity.clone(), percept, in_words);
            }
        }
        let mut errors = step.errors;
        for (entity, action) in step.actions {
            // A message is an event for its receivers, and does not hide the last other action.
            if action.parameters.iter().any(is_said) && self.doings.contains_key(&entity) {
                continue;
            }
            // The view shows the entity already, so that the reason is enough.
            let error = errors.remove(&entity).map(|error| match error.split_once(" failed: ") {
                Some((_, reason)) => reason.to_owned(),
                None => error,
            });
            self.doings.insert(entity, Doing { action: Some(action), error });
        }
    }

    /// Returns the latest action of an entity, if it has acted.
    pub(super) fn doing(&self, entity: &str) -> Option<&Doing> {
        self.doings.get(entity)
    }

    /// The events that are remembered, the last one first.
    pub(super) fn events(&self) -> impl Iterator<Item = &Event> {
        self.events.iter().rev()
    }

    /// The number of events in the episode.
    pub(super) fn count(&self) -> u64 {
        self.count
    }

    /// Adds a percept of an entity. If other entities had the same percept just before, it belongs to the same event.
    fn hear(&mut self, entity: EcoString, percept: Percept, in_words: &dyn Fn(&Percept) -> Option<String>) {
        let now = self.step;
        let recent = self.events.iter_mut().rev().take(RECENT).take_while(|event| event.step + 1 >= now);
        let same = recent.into_iter().find_map(|event| match &mut event.what {
            What::Perceived { by, percept: other, .. } if *other == percept && !by.contains(&entity) => Some(by),
            _ => None,
        });
        match same {
            Some(by) => by.push(entity),
            None => {
                let sentence = in_words(&percept);
                self.add(What::Perceived { by: vec![entity], percept, sentence });
            }
        }
    }

    fn add(&mut self, what: What) {
        if self.events.len() == EVENTS {
            self.events.pop_front();
        }
        self.events.push_back(Event { step: self.step, what });
        self.count += 1;
    }
}

/// Returns whether a parameter looks like speech: a term, or a sentence.
pub(super) fn is_said(parameter: &Parameter) -> bool {
    match parameter {
        Parameter::Function(_) => true,
        Parameter::Identifier(text) => text.contains(' '),
        _ => false,
    }
}

/// The percepts of a step in which an entity has perceived an event.
#[cfg(test)]
pub(super) fn heard(entity: &str, event: Percept) -> BTreeMap<EcoString, Told> {
    let mut told = Told::default();
    told.events.push(event);
    BTreeMap::from([(entity.into(), told)])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(number: u64, events: &[(&str, &str)]) -> Step {
        let mut step = Step { number, ..Step::default() };
        for (entity, percept) in events {
            let told = heard(entity, Percept::new(*percept, [])).pop_first().expect("one");
            step.percepts.entry(told.0).or_default().events.extend(told.1.events);
        }
        step
    }

    #[test]
    fn a_percept_of_several_entities_is_one_event() {
        let mut story = Story::default();
        story.tell(step(1, &[("a", "bell"), ("b", "bell"), ("b", "knock")]), &|_| None);
        story.tell(step(2, &[("c", "bell")]), &|_| None);
        assert_eq!(story.count(), 2);
        story.tell(step(3, &[("a", "bell")]), &|_| None);
        assert_eq!((story.count(), story.events().next().map(|event| event.step)), (3, Some(3)));
    }

    #[test]
    fn an_episode_begins_with_an_empty_story() {
        let mut story = Story::default();
        story.tell(step(7, &[("a", "bell")]), &|_| None);
        story.tell(step(1, &[]), &|_| None);
        assert_eq!(story.count(), 0);
    }

    #[test]
    fn old_events_are_forgotten() {
        let mut story = Story::default();
        (1..=1000).for_each(|number| story.tell(step(number, &[("a", "bell")]), &|_| None));
        assert_eq!((story.events().count(), story.count()), (EVENTS, 1000));
    }
}
