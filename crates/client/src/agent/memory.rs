//! What an agent remembers of its entities: what it believes, and what it has heard.

use std::collections::BTreeMap;

use situated::iil::{EcoString, Percept};
use situated::interface::{Moment, Perception, Version};
use situated_wire::EntityPerception;
use situated_wire::methods::Acknowledged;

/// What an agent remembers, by entity.
#[derive(Debug)]
pub(super) struct Memory<P> {
    entities: BTreeMap<EcoString, Known<P>>,
}

/// What it knows of one entity.
#[derive(Debug)]
struct Known<P> {
    beliefs: Vec<P>,
    /// What it was told last.
    version: Version,
    /// What the server knew it to know then.
    since: Version,
}

impl<P> Default for Memory<P> {
    fn default() -> Self {
        Self { entities: BTreeMap::new() }
    }
}

impl<P: Clone + PartialEq> Memory<P> {
    pub(super) fn beliefs(&self, entity: &str) -> &[P] {
        self.entities.get(entity).map_or(&[], |known| known.beliefs.as_slice())
    }

    /// Takes what it is told of an entity; returns what of it is new.
    pub(super) fn take(
        &mut self,
        mut told: EntityPerception,
        moment: Moment,
        understand: fn(&Percept) -> Option<P>,
    ) -> (EcoString, Perception<P>) {
        let entity = told.entity.0.clone();
        let known = self.entities.get(&entity);
        if let Some(known) = known.filter(|known| known.since == told.since) {
            // An acknowledgement was lost, and all since the one before is told again.
            leave_out_heard(&mut told, known.version.events - known.since.events);
        }
        let perception = told.into_perception(moment).translate(understand);
        let mut beliefs = self.entities.remove(&entity).map(|known| known.beliefs).unwrap_or_default();
        perception.apply(&mut beliefs);
        let (version, since) = (perception.version, perception.since);
        self.entities.insert(entity.clone(), Known { beliefs, version, since });
        (entity, perception)
    }

    /// What it knows and the server perhaps does not know that it does.
    pub(super) fn unacknowledged(&self) -> impl Iterator<Item = Acknowledged> {
        let acknowledged = |(entity, known): (&EcoString, &Known<P>)| Acknowledged {
            entity: entity.clone().into(),
            version: known.version,
        };
        self.entities.iter().filter(|(_, known)| known.version != known.since).map(acknowledged)
    }

    /// Forgets what it knows of an entity, with which it begins anew.
    pub(super) fn forget(&mut self, entity: &str) {
        self.entities.remove(entity);
    }

    /// The same in another language.
    pub(super) fn translate<Q>(self, mut percept: impl FnMut(&P) -> Option<Q>) -> Memory<Q> {
        let mut known = |known: Known<P>| Known {
            beliefs: known.beliefs.iter().filter_map(&mut percept).collect(),
            version: known.version,
            since: known.since,
        };
        Memory { entities: self.entities.into_iter().map(|(entity, one)| (entity, known(one))).collect() }
    }
}

/// Leaves out the first so many events of those that are told, or were lost.
fn leave_out_heard(told: &mut EntityPerception, heard: u64) {
    let heard_of_told = heard.saturating_sub(told.lost).min(told.events.len() as u64);
    told.events.drain(..heard_of_told as usize);
    told.lost = told.lost.saturating_sub(heard);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(since: (u64, u64), version: (u64, u64), events: &[&str], lost: u64) -> EntityPerception {
        let version_of = |(changes, events)| Version { changes, events };
        let percept = |name: &&str| Percept::new(*name, []);
        EntityPerception {
            entity: "red".into(),
            since: version_of(since),
            version: version_of(version),
            resync: since.0 == 0,
            add: vec![Percept::new("at", [(version.0 as i64).into()])],
            delete: if since.0 == 0 { vec![] } else { vec![Percept::new("at", [(since.0 as i64).into()])] },
            events: events.iter().map(percept).collect(),
            lost,
        }
    }

    fn heard(memory: &mut Memory<Percept>, told: EntityPerception) -> (Vec<String>, u64) {
        let (_, perception) = memory.take(told, Moment::default(), |percept| Some(percept.clone()));
        (perception.events.iter().map(ToString::to_string).collect(), perception.lost)
    }

    #[test]
    fn what_is_told_again_is_heard_once() {
        let mut memory = Memory::default();
        assert_eq!(heard(&mut memory, told((0, 3), (1, 5), &["a", "b"], 0)), (vec!["a".into(), "b".into()], 0));
        assert_eq!(heard(&mut memory, told((0, 3), (2, 6), &["a", "b", "c"], 0)), (vec!["c".into()], 0));
        assert_eq!(memory.beliefs("red"), [Percept::new("at", [2.into()])]);
        assert_eq!(heard(&mut memory, told((2, 6), (3, 7), &["d"], 0)), (vec!["d".into()], 0));
        assert_eq!(memory.beliefs("red"), [Percept::new("at", [3.into()])]);
    }

    #[test]
    fn what_was_heard_before_it_was_lost_is_not_missed() {
        let mut memory = Memory::default();
        assert_eq!(heard(&mut memory, told((0, 0), (1, 2), &["a", "b"], 0)).1, 0);
        assert_eq!(heard(&mut memory, told((0, 0), (2, 5), &["d", "e"], 3)), (vec!["d".into(), "e".into()], 1));
        assert_eq!(heard(&mut memory, told((0, 0), (2, 6), &["e", "f"], 4)), (vec!["f".into()], 0));
    }

    #[test]
    fn what_is_known_already_needs_no_acknowledgement() {
        let mut memory = Memory::default();
        heard(&mut memory, told((0, 0), (1, 0), &[], 0));
        assert_eq!(memory.unacknowledged().count(), 1);
        let mut nothing = told((1, 0), (1, 0), &[], 0);
        (nothing.add, nothing.delete) = (vec![], vec![]);
        heard(&mut memory, nothing);
        assert_eq!(memory.unacknowledged().count(), 0);
    }
}
