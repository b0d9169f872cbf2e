//! The memory of an agent about its entities.

use std::collections::{BTreeMap, HashSet};

use situated::iil::{EcoString, Percept};
use situated::interface::{Form, Moment, Perception, Version};
use situated_wire::EntityPerception;
use situated_wire::methods::Acknowledged;

/// The versions that an agent has received, by entity. They show which changes and events are repeated, and which versions
/// to acknowledge.
#[derive(Debug, Default)]
pub struct Heard {
    entities: BTreeMap<EcoString, Received>,
}

/// The version that an agent has received last of an entity.
#[derive(Debug)]
struct Received {
    version: Version,
    /// The version that it was relative to.
    since: Version,
    /// The changes between them, unless the agent received everything or has asked for another form.
    add: Vec<Percept>,
    delete: Vec<Percept>,
}

impl Heard {
    /// Notes a perception of an entity in this form. If an acknowledgement was lost, the server repeats changes and events
    /// since the version before; this leaves the part of the perception that is new to the agent.
    pub fn take(&mut self, told: &mut EntityPerception, form: Form) {
        let (version, since) = (told.version, told.since);
        let (add, delete) = match form {
            Form::Update if !told.resync => (told.add.clone(), told.delete.clone()),
            _ => Default::default(),
        };
        let received = Received { version, since, add, delete };
        match self.entities.get_mut(told.entity.as_str()) {
            Some(known) => {
                skip_received_events(told, known.version.events.saturating_sub(since.events));
                let repeats = since.changes == known.since.changes && since.changes < known.version.changes;
                if form == Form::Update && !told.resync && repeats {
                    known.skip_received_changes(told);
                }
                *known = received;
            }
            None => drop(self.entities.insert(told.entity.0.clone(), received)),
        }
    }

    /// The versions that the server may not know to be received.
    pub fn unacknowledged(&self) -> impl Iterator<Item = Acknowledged> {
        let new = self.entities.iter().filter(|(_, known)| known.version != known.since);
        new.map(|(entity, known)| Acknowledged { entity: entity.clone().into(), version: known.version })
    }

    /// Forgets an entity, or all of them.
    pub fn forget(&mut self, entity: Option<&str>) {
        match entity {
            Some(entity) => drop(self.entities.remove(entity)),
            None => self.entities.clear(),
        }
    }
}

impl Received {
    /// Makes changes since the same version changes since this one.
    fn skip_received_changes(&self, told: &mut EntityPerception) {
        fn without<'a>(all: &'a [Percept], others: &[Percept]) -> impl Iterator<Item = Percept> + use<'a> {
            let others: HashSet<Percept> = others.iter().cloned().collect();
            all.iter().filter(move |one| !others.contains(*one)).cloned()
        }
        let add = without(&told.add, &self.add).chain(without(&self.delete, &told.delete)).collect();
        let delete = without(&told.delete, &self.delete).chain(without(&self.add, &told.add)).collect();
        (told.add, told.delete, told.since) = (add, delete, self.version);
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

    /// Takes a perception of an entity; returns its new part.
    pub(super) fn take(
        &mut self,
        mut received: EntityPerception,
        moment: Moment,
        understand: fn(&Percept) -> Option<P>,
    ) -> (EcoString, Perception<P>) {
        self.heard.take(&mut received, Form::Update);
        let entity = received.entity.0.clone();
        let perception = received.into_perception(moment).translate(understand);
        perception.apply(self.beliefs.entry(entity.clone()).or_default());
        (entity, perception)
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

/// Removes the first `heard` events, whether they are in the perception or lost.
fn skip_received_events(received: &mut EntityPerception, heard: u64) {
    let heard_of_told = heard.saturating_sub(received.lost).min(received.events.len() as u64);
    received.events.drain(..heard_of_told as usize);
    received.lost = received.lost.saturating_sub(heard);
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
    fn removes_repeated_events() {
        let mut memory = Memory::default();
        assert_eq!(heard(&mut memory, told((0, 3), (1, 5), &["a", "b"], 0)), (vec!["a".into(), "b".into()], 0));
        assert_eq!(heard(&mut memory, told((0, 3), (2, 6), &["a", "b", "c"], 0)), (vec!["c".into()], 0));
        assert_eq!(memory.beliefs("red"), [Percept::new("at", [2.into()])]);
        assert_eq!(heard(&mut memory, told((2, 6), (3, 7), &["d"], 0)), (vec!["d".into()], 0));
        assert_eq!(memory.beliefs("red"), [Percept::new("at", [3.into()])]);
    }

    #[test]
    fn a_percept_that_ceased_before_a_repeated_perception_is_not_believed() {
        let percepts = |names: &[&str]| names.iter().map(|name| Percept::new(*name, [])).collect::<Vec<_>>();
        let changes = |since, version, add: &[&str], delete: &[&str]| EntityPerception {
            resync: false,
            add: percepts(add),
            delete: percepts(delete),
            ..told((since, 0), (version, 0), &[], 0)
        };
        let mut memory = Memory::default();
        let mut take = |one| {
            let (_, perception) = memory.take(one, Moment::default(), |percept| Some(percept.clone()));
            (perception.add, perception.delete, memory.beliefs("red").to_vec())
        };
        take(EntityPerception { resync: true, ..changes(0, 1, &["a", "b"], &[]) });
        take(changes(1, 2, &["c", "d"], &["a"]));
        // The server does not know that version 2 has arrived. Since then, `c` has ceased, `a` holds again, and `e` is new.
        let repeated = take(changes(1, 3, &["d", "e"], &["b"]));
        assert_eq!(repeated, (percepts(&["e", "a"]), percepts(&["b", "c"]), percepts(&["d", "e", "a"])));
        let again = take(changes(1, 4, &[], &["a"]));
        assert_eq!(again, (percepts(&["b"]), percepts(&["a", "d", "e"]), percepts(&["b"])));
    }

    #[test]
    fn removes_events_that_another_process_of_the_server_repeats() {
        let mut memory = Memory::default();
        assert_eq!(heard(&mut memory, told((0, 0), (1, 2), &["a", "b"], 0)).0, ["a", "b"]);
        assert_eq!(heard(&mut memory, told((1, 2), (2, 4), &["c", "d"], 0)).0, ["c", "d"]);
        // The server does not know that the agent has received `a` to `d`, and no longer has `a`.
        let (events, lost) = heard(&mut memory, told((0, 0), (9, 5), &["b", "c", "d", "e"], 1));
        assert_eq!((events, lost), (vec!["e".into()], 0));
    }

    #[test]
    fn does_not_count_received_events_as_lost() {
        let mut memory = Memory::default();
        assert_eq!(heard(&mut memory, told((0, 0), (1, 2), &["a", "b"], 0)).1, 0);
        assert_eq!(heard(&mut memory, told((0, 0), (2, 5), &["d", "e"], 3)), (vec!["d".into(), "e".into()], 1));
        assert_eq!(heard(&mut memory, told((0, 0), (2, 6), &["e", "f"], 4)), (vec!["f".into()], 0));
    }

    #[test]
    fn acknowledges_only_new_versions() {
        let mut memory = Memory::default();
        heard(&mut memory, told((0, 0), (1, 0), &[], 0));
        assert_eq!(memory.heard.unacknowledged().count(), 1);
        let mut nothing = told((1, 0), (1, 0), &[], 0);
        (nothing.add, nothing.delete) = (vec![], vec![]);
        heard(&mut memory, nothing);
        assert_eq!(memory.heard.unacknowledged().count(), 0);
    }
}
