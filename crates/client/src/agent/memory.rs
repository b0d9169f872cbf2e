//! The memory of an agent about its entities.

use std::collections::BTreeMap;

use situated::iil::{EcoString, Percept};
use situated::interface::{Moment, Perception, Version};
use situated_wire::methods::Acknowledged;
use situated_wire::{EntityPerception, Name};

/// The versions of the percepts of its entities that an agent has.
#[derive(Debug, Default)]
pub struct Heard(BTreeMap<Name, Version>);

impl Heard {
    /// Takes a perception of an entity. Returns whether it fits what the agent has, and is new to it as a whole. One
    /// that does not fit must be ignored: the next call says which versions the agent [knows](Self::known), and gets
    /// what is missing.
    pub fn take(&mut self, told: &EntityPerception) -> bool {
        let EntityPerception { entity, since, version, resync, .. } = told;
        let fits = self.0.get(entity).is_none_or(|known| since == known || *resync && since.events >= known.events);
        if fits {
            self.0.insert(entity.clone(), *version);
        }
        fits
    }

    /// The versions that the agent has.
    pub fn known(&self) -> Vec<Acknowledged> {
        let known = |(entity, version): (&Name, &Version)| Acknowledged { entity: entity.clone(), version: *version };
        self.0.iter().map(known).collect()
    }

    /// Forgets an entity, or all of them.
    pub fn forget(&mut self, entity: Option<&str>) {
        match entity {
            Some(entity) => drop(self.0.remove(entity)),
            None => self.0.clear(),
        }
    }
}

/// The memory of an agent: the versions received, and the beliefs about each entity.
#[derive(Debug)]
pub(super) struct Memory<P> {
    pub(super) heard: Heard,
    beliefs: BTreeMap<EcoString, Vec<P>>,
}

impl<P> Default for Memory<P> {
    fn default() -> Self {
        Self { heard: Heard::default(), beliefs: BTreeMap::new() }
    }
}

impl<P: Clone + PartialEq> Memory<P> {
    pub(super) fn beliefs(&self, entity: &str) -> &[P] {
        self.beliefs.get(entity).map_or(&[], Vec::as_slice)
    }

    /// Takes a perception of an entity; `None` if it does not fit what the agent has.
    pub(super) fn take(
        &mut self,
        told: EntityPerception,
        moment: Moment,
        understand: fn(&Percept) -> Option<P>,
    ) -> Option<(EcoString, Perception<P>)> {
        if !self.heard.take(&told) {
            return None;
        }
        let entity = told.entity.0.clone();
        let perception = told.into_perception(moment).translate(understand);
        perception.apply(self.beliefs.entry(entity.clone()).or_default());
        Some((entity, perception))
    }

    /// Forgets an entity, or all of them.
    pub(super) fn forget(&mut self, entity: Option<&str>) {
        self.heard.forget(entity);
        match entity {
            Some(entity) => drop(self.beliefs.remove(entity)),
            None => self.beliefs.clear(),
        }
    }

    /// Converts the beliefs.
    pub(super) fn translate<Q>(self, mut percept: impl FnMut(&P) -> Option<Q>) -> Memory<Q> {
        let mut translated = |beliefs: Vec<P>| beliefs.iter().filter_map(&mut percept).collect();
        let beliefs = self.beliefs.into_iter().map(|(entity, of)| (entity, translated(of))).collect();
        Memory { heard: self.heard, beliefs }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(since: (u64, u64), version: (u64, u64), resync: bool) -> EntityPerception {
        let (since, version) = (since.into(), version.into());
        let perception = Perception { since, version, resync, ..empty() };
        EntityPerception::new("red", perception)
    }

    fn empty() -> Perception {
        let (moment, version) = (Moment::default(), Version::default());
        let (add, delete, events) = Default::default();
        Perception { moment, since: version, version, resync: false, add, delete, events, lost: 0 }
    }

    #[test]
    fn takes_what_begins_at_its_version_or_has_everything() {
        let mut heard = Heard::default();
        assert!(heard.take(&told((0, 3), (1, 5), true)));
        assert!(heard.take(&told((1, 5), (2, 6), false)));
        // Repeated, because the server does not know that it has arrived.
        assert!(!heard.take(&told((1, 5), (3, 6), false)));
        assert!(!heard.take(&told((0, 3), (4, 7), true)));
        assert_eq!(heard.known(), [Acknowledged { entity: "red".into(), version: (2, 6).into() }]);
        assert!(heard.take(&told((2, 6), (4, 7), false)));
        // In another process of the server, versions of percepts are others; events are counted on.
        assert!(heard.take(&told((0, 7), (9, 8), true)));
        // An observer misses events while its connection is lost.
        assert!(heard.take(&told((0, 11), (12, 11), true)));
        heard.forget(Some("red"));
        assert!(heard.take(&told((0, 0), (13, 0), false)));
    }
}
