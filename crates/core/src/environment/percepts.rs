//! What holds for an entity: listed by the environment, compared with what held before.
//!
//! A listing that agrees with the last one, position by position, costs one comparison a percept and no allocation; a
//! section whose revision did not change costs nothing.

use hashbrown::{HashMap, HashSet};

use crate::ontology::Delivery;
use crate::ontology::typed::TypedPercept;

/// The place of the section of what is listed without a section. It is always listed anew.
const LOOSE: usize = 0;

/// Up to how many percepts it is faster to look through than to hash.
const FEW: usize = 16;

/// Where an environment lists what holds for an entity: each percept once. The order is that in which agents are told;
/// what stands in no section comes first.
#[derive(Debug)]
pub struct Percepts<'a, P: TypedPercept> {
    holding: &'a mut Holding<P>,
    loose: Progress<P>,
    /// Where the next section is likely to be: sections are mostly listed in the same order.
    likely: usize,
    changes: Vec<(P, bool)>,
    changed_sections: usize,
}

/// Where an environment lists the percepts of one section.
#[derive(Debug)]
pub struct Listing<'a, P: TypedPercept> {
    held: &'a [P],
    progress: Progress<P>,
}

/// What holds for an entity.
#[derive(Debug)]
pub(crate) struct Holding<P> {
    sections: Vec<Section<P>>,
    /// What was told once and is no longer listed, which holds from then on; with the number of its turn.
    lasting: HashMap<P, u64>,
    turns: u64,
}

/// Percepts that an environment has listed together.
#[derive(Debug)]
pub struct Section<P> {
    /// Its key; none for the percepts that are listed without a section.
    pub key: Option<u32>,
    /// The revision at which it was listed; none without a section.
    pub revision: Option<u64>,
    /// The percepts, in the order in which they were listed.
    pub percepts: Vec<P>,
    mentioned: bool,
}

/// How far a section has been listed.
#[derive(Debug)]
struct Progress<P> {
    /// So many percepts are as they were.
    same: usize,
    /// What is listed behind them.
    rest: Vec<P>,
}

impl<P: TypedPercept> Percepts<'_, P> {
    /// This percept holds.
    pub fn add(&mut self, percept: P) {
        self.loose.add(percept, &self.holding.sections[LOOSE].percepts);
    }

    /// The percepts that `list` adds hold. It is not called if the section `key` had this revision when it was last
    /// listed for this entity: an environment counts a revision up whenever what the section lists may have changed.
    pub fn section(&mut self, key: u32, revision: u64, list: impl FnOnce(&mut Listing<'_, P>)) {
        let index = self.holding.section(key, self.likely);
        self.likely = index + 1;
        let section = &mut self.holding.sections[index];
        section.mentioned = true;
        if section.revision == Some(revision) {
            return;
        }
        section.revision = Some(revision);
        let mut listing = Listing { held: &section.percepts, progress: Progress::new() };
        list(&mut listing);
        let progress = listing.progress;
        self.changed_sections += usize::from(progress.finish(&mut section.percepts, &mut self.changes));
    }
}

impl<P: TypedPercept> Listing<'_, P> {
    /// This percept holds.
    pub fn add(&mut self, percept: P) {
        self.progress.add(percept, self.held);
    }
}

impl<P: TypedPercept> Holding<P> {
    pub(crate) fn new() -> Self {
        let loose = Section { key: None, revision: None, mentioned: true, percepts: Vec::new() };
        Self { sections: vec![loose], lasting: HashMap::new(), turns: 0 }
    }

    /// Lists anew what holds. Returns what has changed, each percept once: whether it has begun to hold or ceased.
    pub(crate) fn list(&mut self, list: impl FnOnce(&mut Percepts<'_, P>)) -> Vec<(P, bool)> {
        let (mut changes, mut changed_sections) = self.list_sections(list);
        changed_sections += self.drop_unmentioned_sections(&mut changes);
        if changed_sections > 1 {
            cancel_moves(&mut changes);
        }
        self.keep_what_is_told_once(&mut changes);
        debug_assert!(changes.is_empty() || self.each_is_listed_once(), "a percept is listed twice");
        changes
    }

    /// The sections that are listed where nothing was listed before.
    pub(crate) fn sections(list: impl FnOnce(&mut Percepts<'_, P>)) -> Vec<Section<P>> {
        let mut holding = Self::new();
        holding.list_sections(list);
        holding.sections
    }

    /// Lists the sections whose revisions have changed. Returns what has changed in them, and in how many.
    fn list_sections(&mut self, list: impl FnOnce(&mut Percepts<'_, P>)) -> (Vec<(P, bool)>, usize) {
        self.sections[LOOSE + 1..].iter_mut().for_each(|section| section.mentioned = false);
        let (changes, loose) = (Vec::new(), Progress::new());
        let mut percepts = Percepts { holding: self, loose, likely: LOOSE + 1, changes, changed_sections: 0 };
        list(&mut percepts);
        let Percepts { loose, mut changes, mut changed_sections, .. } = percepts;
        changed_sections += usize::from(loose.finish(&mut self.sections[LOOSE].percepts, &mut changes));
        (changes, changed_sections)
    }

    /// What holds, in the order in which it is listed.
    pub(crate) fn all(&self) -> impl Iterator<Item = &P> {
        let listed = self.sections.iter().flat_map(|section| &section.percepts);
        let mut lasting: Vec<(&P, &u64)> = self.lasting.iter().collect();
        lasting.sort_unstable_by_key(|(_, turn)| **turn);
        listed.chain(lasting.into_iter().map(|(percept, _)| percept))
    }

    /// The index of the section of this key, which is likely to be this one.
    fn section(&mut self, key: u32, likely: usize) -> usize {
        let is_it = |section: &Section<P>| section.key == Some(key);
        if self.sections.get(likely).is_some_and(is_it) {
            return likely;
        }
        self.sections.iter().position(is_it).unwrap_or_else(|| {
            let (key, percepts) = (Some(key), Vec::new());
            self.sections.push(Section { key, revision: None, mentioned: true, percepts });
            self.sections.len() - 1
        })
    }

    /// Returns how many there were.
    fn drop_unmentioned_sections(&mut self, changes: &mut Vec<(P, bool)>) -> usize {
        let before = self.sections.len();
        for gone in self.sections.extract_if(.., |section| !section.mentioned) {
            changes.extend(gone.percepts.into_iter().map(|percept| (percept, false)));
        }
        before - self.sections.len()
    }

    /// What is told once does not cease to hold, and does not begin again.
    fn keep_what_is_told_once(&mut self, changes: &mut Vec<(P, bool)>) {
        let Self { lasting, turns, .. } = self;
        changes.retain(|(percept, holds)| {
            if percept.delivery() != Delivery::Once {
                return true;
            }
            if *holds {
                return lasting.remove(percept).is_none();
            }
            *turns += 1;
            lasting.insert(percept.clone(), *turns);
            false
        });
    }

    fn each_is_listed_once(&self) -> bool {
        let mut seen = HashSet::new();
        self.sections.iter().flat_map(|section| &section.percepts).all(|one| seen.insert(one))
    }
}

impl<P: TypedPercept> Progress<P> {
    fn new() -> Self {
        Self { same: 0, rest: Vec::new() }
    }

    fn add(&mut self, percept: P, held: &[P]) {
        if self.rest.is_empty() && held.get(self.same) == Some(&percept) {
            self.same += 1;
        } else {
            if self.rest.is_empty() {
                self.rest.reserve(held.len() - self.same);
            }
            self.rest.push(percept);
        }
    }

    /// Makes what is held what was listed, and adds the differences to `changes`. Whether there were any.
    fn finish(self, held: &mut Vec<P>, changes: &mut Vec<(P, bool)>) -> bool {
        let Progress { same, rest: mut new } = self;
        if new.is_empty() && same == held.len() {
            return false;
        }
        let suffix = held[same..].iter().rev().zip(new.iter().rev());
        let suffix = suffix.take_while(|(old, new)| old == new).count();
        new.truncate(new.len() - suffix);
        let end = held.len() - suffix;
        let (former, present) = (&held[same..end], new.as_slice());
        for (percepts, others, holds) in [(former, present, false), (present, former, true)] {
            let others = Lookup::new(others);
            let changed = percepts.iter().filter(|percept| !others.contains(percept));
            changes.extend(changed.map(|percept| (percept.clone(), holds)));
        }
        if new.len() == end - same {
            held[same..end].iter_mut().zip(new).for_each(|(old, new)| *old = new);
        } else {
            held.splice(same..end, new);
        }
        true
    }
}

/// Takes out what was moved from one section to another: it ceased in one and began in the other.
fn cancel_moves<P: TypedPercept>(changes: &mut Vec<(P, bool)>) {
    let of = |wanted: bool| -> HashSet<P> {
        changes.iter().filter(|(_, holds)| *holds == wanted).map(|(one, _)| one.clone()).collect()
    };
    let (begun, ceased) = (of(true), of(false));
    changes.retain(|(percept, _)| !(begun.contains(percept) && ceased.contains(percept)));
}

/// Whether a percept is among others.
enum Lookup<'a, P> {
    Few(&'a [P]),
    Many(HashSet<&'a P>),
}

impl<'a, P: TypedPercept> Lookup<'a, P> {
    fn new(percepts: &'a [P]) -> Self {
        if percepts.len() <= FEW { Lookup::Few(percepts) } else { Lookup::Many(percepts.iter().collect()) }
    }

    fn contains(&self, percept: &P) -> bool {
        match self {
            Lookup::Few(percepts) => percepts.contains(percept),
            Lookup::Many(percepts) => percepts.contains(percept),
        }
    }
}
