//! The percepts that hold for an entity: the environment lists them, and they are compared with the last list.
//!
//! If a list equals the last one, the comparison costs one test per percept and no allocation. A section with an
//! unchanged revision costs nothing. A section that entities share ([`Shared`]) is compared once for all of them.

use std::hash::{BuildHasher as _, Hash};
use std::iter;
use std::ops::Range;

use hashbrown::{DefaultHashBuilder, HashMap, HashSet};
use smallvec::SmallVec;

use super::shared::{Mention, Shared};
use crate::ontology::Delivery;
use crate::ontology::typed::TypedPercept;

/// Index of the section for percepts without a section, which is always listed again.
const LOOSE: usize = 0;

/// The number of the first listing.
const FIRST: u64 = 1;

/// Number of percepts up to which a linear search is faster than a table.
const FEW: usize = 16;

/// Number of percepts up to which comparing is faster than hashing.
const VERY_FEW: usize = 4;

/// A list that needs no allocation if there are few.
pub(super) type Few<T> = SmallVec<[T; FEW]>;

/// Collects the percepts that hold for an entity, each once. Agents get them in the same order; percepts without a
/// section come first.
#[derive(Debug)]
pub struct Percepts<'a, P: TypedPercept> {
    holding: &'a mut Holding<P>,
    shared: &'a mut Shared<P>,
    loose: Progress<P>,
    /// The probable index of the next section, because sections are mostly listed in the same order.
    likely: usize,
    changes: Changes<P>,
    changed_sections: usize,
    /// Number of sections in this listing.
    mentioned: usize,
}

/// Changes in the percepts of an entity.
#[derive(Debug)]
pub(crate) struct Changes<P> {
    /// In the order of the sections; a percept changes at most once.
    pub(crate) list: Vec<Change<P>>,
    /// Whether this was the first list, or an old version of a shared section is no longer known. The changes are
    /// then incomplete.
    pub(crate) resync: bool,
}

/// A change in the percepts of an entity.
///
/// The tag takes 8 bytes, so that a percept is copied as a whole: that halves the time of listing.
#[derive(Debug)]
#[repr(u64)]
pub(crate) enum Change<P> {
    /// A percept begins to hold.
    Begins(P),
    /// A percept ceases to hold.
    Ceases(P),
    /// A shared section changed: its index, and the versions before and after.
    Shared { place: usize, from: u64, to: u64 },
}

/// Collects the percepts of one section.
#[derive(Debug)]
pub struct Listing<'a, P: TypedPercept> {
    held: &'a [P],
    progress: Progress<P>,
}

/// The percepts that hold for an entity.
#[derive(Debug)]
pub(crate) struct Holding<P> {
    sections: Vec<Section<P>>,
    /// Percepts with the delivery `once` that are no longer listed and still hold, with the number of their turn.
    lasting: HashMap<P, u64>,
    turns: u64,
    /// Number of listings.
    listings: u64,
}

/// Percepts that an environment lists together.
#[derive(Debug)]
pub struct Section<P> {
    /// The key; `None` for percepts without a section.
    pub key: Option<u32>,
    /// The revision at which it was listed; `None` without a section.
    pub revision: Option<u64>,
    /// The percepts, in the order of the list.
    pub percepts: Vec<P>,
    /// The last listing that mentioned it.
    mentioned: u64,
    /// The entity's knowledge of a shared section, which has no percepts here.
    mention: Option<Mention<P>>,
}

/// Progress in listing a section.
#[derive(Debug)]
pub(super) struct Progress<P> {
    /// Number of percepts equal to those of the last list.
    same: usize,
    /// The percepts listed after these.
    rest: Vec<P>,
}

impl<P: TypedPercept> Percepts<'_, P> {
    /// Adds a percept that holds.
    pub fn add(&mut self, percept: P) {
        self.loose.add(percept, &self.holding.sections[LOOSE].percepts);
    }

    /// Adds percepts that hold, such as `is_dark.then_some(Percept::Dark)`.
    pub fn extend(&mut self, percepts: impl IntoIterator<Item = P>) {
        percepts.into_iter().for_each(|percept| self.add(percept));
    }

    /// Adds the percepts that `list` adds. `list` is not called if the section `key` had the same revision when it
    /// was last listed for this entity: an environment increases a revision whenever the contents of the section may
    /// have changed.
    pub fn section(&mut self, key: u32, revision: u64, list: impl FnOnce(&mut Listing<'_, P>)) {
        let index = self.holding.section(key, self.likely);
        self.likely = index + 1;
        let section = &mut self.holding.sections[index];
        self.mentioned += usize::from(section.mention(self.holding.listings));
        if section.revision == Some(revision) {
            return;
        }
        section.revision = Some(revision);
        let mut listing = Listing::over(&section.percepts, std::mem::take(&mut self.shared.room));
        list(&mut listing);
        let (changed, room) = listing.progress.finish(&mut section.percepts, &mut self.changes.list);
        self.changed_sections += usize::from(changed);
        self.shared.room = room;
    }

    /// Adds the percepts that `list` adds, for all entities that list this section. `list` is called once for all of
    /// them when the revision has changed, and the changes are kept once. `hidden` is a percept of the section that
    /// this entity does not perceive.
    ///
    /// A percept with the delivery `once` that leaves a shared section still holds for all of its entities. An entity
    /// lists a percept in one section only, shared or not. It can list other shared sections than before.
    pub fn shared(&mut self, key: u32, revision: u64, hidden: Option<P>, list: impl FnOnce(&mut Listing<'_, P>)) {
        let index = self.holding.section(key, self.likely);
        self.likely = index + 1;
        let is_listed = self.holding.listings > FIRST;
        let section = &mut self.holding.sections[index];
        self.mentioned += usize::from(section.mention(self.holding.listings));
        let place = section.mention.as_ref().map_or_else(|| self.shared.enter(key), |known| known.place);
        let to = self.shared.list(place, revision, list);
        match &mut section.mention {
            Some(known) if known.hidden.as_deref() == hidden.as_ref() => {
                let from = std::mem::replace(&mut known.version, to);
                if from != to {
                    self.changes.list.push(Change::Shared { place, from, to });
                }
            }
            mention => {
                self.changes.resync |= mention.is_some();
                let mention = mention.insert(Mention { place, version: to, hidden: hidden.map(Box::new) });
                if is_listed {
                    for percept in self.shared.all(mention) {
                        self.changes.list.push(Change::Begins(percept.clone()));
                    }
                    self.changed_sections += 1;
                }
            }
        }
    }
}

impl<'a, P: TypedPercept> Listing<'a, P> {
    pub(super) fn over(held: &'a [P], room: Vec<P>) -> Self {
        Self { held, progress: Progress::new(room) }
    }

    pub(super) fn into_progress(self) -> Progress<P> {
        self.progress
    }

    /// Adds a percept that holds.
    pub fn add(&mut self, percept: P) {
        self.progress.add(percept, self.held);
    }

    /// Adds percepts that hold, such as `is_dark.then_some(Percept::Dark)`.
    pub fn extend(&mut self, percepts: impl IntoIterator<Item = P>) {
        percepts.into_iter().for_each(|percept| self.add(percept));
    }
}

impl<P: TypedPercept> Holding<P> {
    pub(crate) fn new() -> Self {
        Self { sections: vec![Section::new(None)], lasting: HashMap::new(), turns: 0, listings: 0 }
    }

    /// Lists the percepts again and returns the changes.
    pub(crate) fn list(&mut self, shared: &mut Shared<P>, list: impl FnOnce(&mut Percepts<'_, P>)) -> Changes<P> {
        let (mut changes, mut changed_sections, mentioned) = self.list_sections(shared, list);
        if mentioned < self.sections.len() {
            changed_sections += self.drop_unmentioned_sections(shared, &mut changes);
        }
        if changed_sections > 1 {
            cancel_moves(&mut changes.list);
        }
        self.keep_once_percepts(&mut changes.list);
        changes.resync |= self.listings == FIRST;
        debug_assert!(changes.list.is_empty() || self.each_is_listed_once(shared), "a percept is listed twice");
        changes
    }

    /// Returns the sections that are listed for an entity without earlier lists.
    pub(crate) fn sections(list: impl FnOnce(&mut Percepts<'_, P>)) -> Vec<Section<P>> {
        let (mut holding, mut shared) = (Self::new(), Shared::default());
        holding.list_sections(&mut shared, list);
        for section in &mut holding.sections {
            if let Some(mention) = &section.mention {
                section.revision = shared.revision(mention.place);
                section.percepts = shared.all(mention).into_iter().cloned().collect();
            }
        }
        holding.sections
    }

    /// Lists the sections whose revisions have changed. Returns the changes, the number of changed sections, and the
    /// number of all sections.
    fn list_sections(
        &mut self,
        shared: &mut Shared<P>,
        list: impl FnOnce(&mut Percepts<'_, P>),
    ) -> (Changes<P>, usize, usize) {
        self.listings += 1;
        self.sections[LOOSE].mentioned = self.listings;
        let changes = Changes { list: std::mem::take(&mut shared.buffer), resync: false };
        let loose = Progress::new(std::mem::take(&mut shared.loose_room));
        let mut percepts =
            Percepts { holding: self, shared, loose, likely: LOOSE + 1, changes, changed_sections: 0, mentioned: 1 };
        list(&mut percepts);
        let Percepts { loose, mut changes, mut changed_sections, mentioned, holding, shared, .. } = percepts;
        let (changed, room) = loose.finish(&mut holding.sections[LOOSE].percepts, &mut changes.list);
        shared.loose_room = room;
        changed_sections += usize::from(changed);
        (changes, changed_sections, mentioned)
    }

    /// Returns the percepts that hold, in the order of the list.
    pub(crate) fn all<'a>(&'a self, shared: &'a Shared<P>) -> Vec<&'a P> {
        let own = self.sections.iter().map(|section| section.percepts.len()).sum();
        let mut all = Vec::with_capacity(own);
        for section in &self.sections {
            all.extend(&section.percepts);
            if let Some(mention) = &section.mention {
                all.append(&mut shared.all(mention));
            }
        }
        let lasting: Vec<&P> = self.lasting.keys().collect();
        let mut turns: Vec<(u64, usize)> = self.lasting.values().copied().zip(0..).collect();
        turns.sort_unstable();
        all.extend(turns.into_iter().map(|(_, place)| lasting[place]));
        all
    }

    /// Calls `each` with every percept of a change, and whether it holds.
    pub(crate) fn each_of<'a>(
        &'a self,
        change: &'a Change<P>,
        shared: &'a Shared<P>,
        mut each: impl FnMut(&'a P, bool),
    ) {
        match *change {
            Change::Begins(ref percept) => each(percept, true),
            Change::Ceases(ref percept) => each(percept, false),
            Change::Shared { place, from, to } => self.each_of_shared(shared, place, (from, to), &mut each),
        }
    }

    /// Returns the percepts that begin and cease to hold by a change, if it is the last one of a shared section of which
    /// the entity perceives everything.
    pub(crate) fn newest<'a>(
        &self,
        change: &Change<P>,
        shared: &'a Shared<P>,
    ) -> Option<(impl Iterator<Item = &'a P>, impl Iterator<Item = &'a P>)> {
        let Change::Shared { place, from, to } = *change else { return None };
        if self.hidden(place).is_some() { None } else { shared.newest(place, (from, to)) }
    }

    /// Calls `each` with every percept of a change of a shared section between two versions. It is compiled once for each
    /// environment, not once for each caller.
    fn each_of_shared<'a>(
        &'a self,
        shared: &'a Shared<P>,
        place: usize,
        (from, to): (u64, u64),
        each: &mut dyn FnMut(&'a P, bool),
    ) {
        let hidden = self.hidden(place);
        let ceased = shared.ceased(place, from, to).filter(|percept| Some(*percept) != hidden);
        if to == from + 1 {
            ceased.for_each(|percept| each(percept, false));
            return shared.each_begun(place, (from, to), hidden, each);
        }
        // A percept that ceased in one list and began in a later one still holds.
        let mut begun = Vec::new();
        shared.each_begun(place, (from, to), hidden, &mut |percept, _| begun.push(percept));
        let (known, mut again) = (Lookup::new(&begun), vec![false; begun.len()]);
        ceased.for_each(|percept| match known.find(&percept) {
            Some(place) => again[place] = true,
            None => each(percept, false),
        });
        let new = begun.iter().zip(&again).filter(|(_, again)| !**again);
        new.for_each(|(percept, _)| each(percept, true));
    }

    /// Returns the percept of a shared section that the entity does not perceive.
    fn hidden(&self, place: usize) -> Option<&P> {
        let mut mentions = self.sections.iter().filter_map(|section| section.mention.as_ref());
        mentions.find(|mention| mention.place == place)?.hidden.as_deref()
    }

    /// Releases shared sections when no agent perceives through the entity any more.
    pub(crate) fn leave(&self, shared: &mut Shared<P>) {
        self.sections.iter().filter_map(|section| section.mention.as_ref()).for_each(|one| shared.leave(one.place));
    }

    /// Returns the index of the section with this key, which is probably `likely`.
    fn section(&mut self, key: u32, likely: usize) -> usize {
        let is_it = |section: &Section<P>| section.key == Some(key);
        if self.sections.get(likely).is_some_and(is_it) {
            return likely;
        }
        self.sections.iter().position(is_it).unwrap_or_else(|| {
            self.sections.push(Section::new(Some(key)));
            self.sections.len() - 1
        })
    }

    /// Returns the number of dropped sections.
    fn drop_unmentioned_sections(&mut self, shared: &mut Shared<P>, changes: &mut Changes<P>) -> usize {
        let before = self.sections.len();
        for gone in self.sections.extract_if(.., |section| section.mentioned < self.listings) {
            for percept in gone.percepts {
                changes.list.push(Change::Ceases(percept));
            }
            if let Some(Mention { place, version, hidden }) = gone.mention {
                changes.resync |= !shared.reaches(place, version);
                for percept in shared.at(place, version) {
                    if hidden.as_deref() != Some(percept) {
                        changes.list.push(Change::Ceases(percept.clone()));
                    }
                }
                changes.resync |= hidden.is_some();
                shared.leave(place);
            }
        }
        before - self.sections.len()
    }

    /// A percept with the delivery `once` does not cease to hold, and does not begin again.
    fn keep_once_percepts(&mut self, changes: &mut Vec<Change<P>>) {
        if !P::has_delivery_once() {
            return;
        }
        let Self { lasting, turns, .. } = self;
        changes.retain(|change| match change {
            Change::Begins(percept) if percept.delivery() == Delivery::Once => lasting.remove(percept).is_none(),
            Change::Ceases(percept) if percept.delivery() == Delivery::Once => {
                *turns += 1;
                lasting.insert(percept.clone(), *turns);
                false
            }
            Change::Begins(_) | Change::Ceases(_) | Change::Shared { .. } => true,
        });
    }

    fn each_is_listed_once(&self, shared: &Shared<P>) -> bool {
        let mut seen = HashSet::new();
        self.all(shared).into_iter().all(|one| seen.insert(one))
    }
}

impl<P> Section<P> {
    /// Whether entities share it.
    pub fn is_shared(&self) -> bool {
        self.mention.is_some()
    }

    /// The percept of a shared section that the entity does not perceive.
    pub fn hidden(&self) -> Option<&P> {
        self.mention.as_ref()?.hidden.as_deref()
    }

    fn new(key: Option<u32>) -> Self {
        Self { key, revision: None, percepts: Vec::new(), mentioned: 0, mention: None }
    }

    /// Notes that this listing mentions the section. Returns whether it is the first mention in it.
    fn mention(&mut self, listing: u64) -> bool {
        std::mem::replace(&mut self.mentioned, listing) < listing
    }
}

impl<P: TypedPercept> Progress<P> {
    /// Creates a collector that puts differences into this memory.
    fn new(room: Vec<P>) -> Self {
        Self { same: 0, rest: room }
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

    /// Returns the range of `held` that was listed differently, if any, and the percepts that were listed there instead.
    pub(super) fn changed(self, held: &[P]) -> (Option<Range<usize>>, Vec<P>) {
        let Progress { same, rest: mut new } = self;
        if new.is_empty() && same == held.len() {
            return (None, new);
        }
        let suffix = held[same..].iter().rev().zip(new.iter().rev());
        let suffix = suffix.take_while(|(old, new)| old == new).count();
        new.truncate(new.len() - suffix);
        (Some(same..held.len() - suffix), new)
    }

    /// Replaces `held` by the listed percepts, and adds the differences to `changes`. Returns whether there were any,
    /// and the memory.
    fn finish(self, held: &mut Vec<P>, changes: &mut Vec<Change<P>>) -> (bool, Vec<P>) {
        let (range, mut listed) = self.changed(held);
        let Some(range) = range else { return (false, listed) };
        if let ([former], [present]) = (&mut held[range.clone()], &mut listed[..]) {
            // The usual change: one percept takes the place of another.
            std::mem::swap(former, present);
            let begun = Change::Begins(former.clone());
            changes.extend(listed.drain(..).map(Change::Ceases));
            changes.push(begun);
            return (true, listed);
        }
        let (places, stays) = kept(&held[range.clone()], &listed);
        let present = range.start..range.start + listed.len();
        let mut former = exchange(held, range, listed);
        for (percept, stays) in former.drain(..).zip(&stays) {
            if !stays {
                changes.push(Change::Ceases(percept));
            }
        }
        for (percept, place) in held[present].iter().zip(&places) {
            if place.is_none() {
                // Made in its place: a percept that is made elsewhere and copied at once takes twice as long.
                changes.extend(iter::once(percept).map(|one| Change::Begins(one.clone())));
            }
        }
        (true, former)
    }
}

/// Puts percepts in the place of others, which it returns, if possible in the same memory.
pub(super) fn exchange<P>(held: &mut Vec<P>, range: Range<usize>, mut listed: Vec<P>) -> Vec<P> {
    if range.len() == listed.len() {
        held[range].swap_with_slice(&mut listed);
        return listed;
    }
    held.splice(range, listed).collect()
}

/// Returns for each current percept its index among the former ones, if it was there, and for each former one whether
/// it remains.
#[inline]
pub(super) fn kept<P: TypedPercept>(former: &[P], present: &[P]) -> (Few<Option<usize>>, Few<bool>) {
    let lookup = Lookup::new(former);
    let places: Few<Option<usize>> = present.iter().map(|percept| lookup.find(percept)).collect();
    let mut stays = Few::from_elem(false, former.len());
    places.iter().flatten().for_each(|place| stays[*place] = true);
    (places, stays)
}

/// Removes percepts that moved from one section to another: they ceased in one and began in the other.
fn cancel_moves<P: TypedPercept>(changes: &mut Vec<Change<P>>) {
    let moved: HashSet<P> = {
        let (mut begun, mut ceased) = (Vec::new(), Vec::new());
        for change in &*changes {
            match change {
                Change::Begins(percept) => begun.push(percept),
                Change::Ceases(percept) => ceased.push(percept),
                Change::Shared { .. } => {}
            }
        }
        let ceased = Lookup::new(&ceased);
        begun.into_iter().filter(|percept| ceased.find(percept).is_some()).cloned().collect()
    };
    if moved.is_empty() {
        return;
    }
    changes.retain(|change| match change {
        Change::Begins(percept) | Change::Ceases(percept) => !moved.contains(percept),
        Change::Shared { .. } => true,
    });
}

/// Finds the positions of values in a list.
pub(super) enum Lookup<'a, T> {
    Few { all: &'a [T], marks: Option<Marks> },
    Many(HashMap<&'a T, usize>),
}

/// A bit for the hash of each value in a short list: most values that are not in it have another one.
pub(super) struct Marks {
    bits: u64,
    hasher: DefaultHashBuilder,
}

impl<'a, T: Eq + Hash> Lookup<'a, T> {
    pub(super) fn new(all: &'a [T]) -> Self {
        if all.len() > FEW {
            return Lookup::Many(all.iter().zip(0..).collect());
        }
        Lookup::Few { all, marks: (all.len() > VERY_FEW).then(|| Marks::of(all)) }
    }

    pub(super) fn find(&self, one: &T) -> Option<usize> {
        match self {
            Lookup::Few { marks: Some(marks), .. } if !marks.may_have(one) => None,
            Lookup::Few { all, .. } => all.iter().position(|other| other == one),
            Lookup::Many(all) => all.get(one).copied(),
        }
    }
}

impl Marks {
    fn of<T: Hash>(all: &[T]) -> Self {
        let mut marks = Self { bits: 0, hasher: DefaultHashBuilder::default() };
        all.iter().for_each(|one| marks.bits |= marks.bit(one));
        marks
    }

    fn may_have<T: Hash>(&self, one: &T) -> bool {
        self.bits & self.bit(one) != 0
    }

    fn bit<T: Hash>(&self, one: &T) -> u64 {
        1 << (self.hasher.hash_one(one) >> (u64::BITS - u64::BITS.ilog2()))
    }
}
