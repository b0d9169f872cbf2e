//! The percepts that hold for an entity: the environment lists them, and they are compared with the last list.
//!
//! If a list equals the last one, the comparison costs one test per percept and no allocation. A section with an
//! unchanged revision costs nothing. A section that entities share ([`Shared`]) is compared once for all of them.

use hashbrown::{HashMap, HashSet};

use super::difference::{Lookup, Progress};
use super::shared::Shared;
use crate::ontology::Delivery;
use crate::ontology::typed::TypedPercept;

/// The number of the first listing.
const FIRST: u64 = 1;

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
    Shared { place: u32, from: u64, to: u64 },
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
    /// Percepts without a section.
    loose: Vec<P>,
    /// The sections, apart from their percepts: most listings read only these.
    sections: Vec<Known<P>>,
    /// The percepts of each section; none of a shared one.
    percepts: Vec<Vec<P>>,
    /// Percepts with the delivery `once` that are no longer listed and still hold, with the number of their turn.
    lasting: HashMap<P, u64>,
    turns: u64,
    /// Number of listings.
    listings: u64,
}

/// A section of an entity, without its percepts.
#[derive(Debug)]
struct Known<P> {
    key: u32,
    /// The last listing that mentioned it, whose number continues from 0 after the largest one.
    mentioned: u32,
    listed: Listed<P>,
}

/// How a section was listed last.
#[derive(Debug)]
enum Listed<P> {
    Never,
    Own {
        revision: u64,
    },
    Shared {
        /// The index of the section among all shared sections.
        place: u32,
        version: u64,
        /// A percept of the section that the entity does not perceive. Boxed, since few sections have one.
        hidden: Option<Box<P>>,
    },
}

/// Percepts that an environment lists together for an entity.
#[derive(Debug)]
pub struct Section<P> {
    /// The key; `None` for percepts without a section.
    pub key: Option<u32>,
    /// The revision at which it was listed; `None` without a section.
    pub revision: Option<u64>,
    /// The percepts that the entity perceives, in the order of the list.
    pub percepts: Vec<P>,
    /// Whether entities share it.
    pub is_shared: bool,
    /// The percept of a shared section that the entity does not perceive.
    pub hidden: Option<P>,
}

impl<P: TypedPercept> Change<P> {
    /// The number of bytes of the percept. A change of a shared section has none of its own.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Change::Begins(percept) | Change::Ceases(percept) => percept.bytes(),
            Change::Shared { .. } => 0,
        }
    }
}

impl<P: TypedPercept> Percepts<'_, P> {
    /// Adds a percept that holds.
    pub fn add(&mut self, percept: P) {
        self.loose.add(percept, &self.holding.loose);
    }

    /// Adds percepts that hold, such as `is_dark.then_some(Percept::Dark)`.
    pub fn extend(&mut self, percepts: impl IntoIterator<Item = P>) {
        percepts.into_iter().for_each(|percept| self.add(percept));
    }

    /// Adds the percepts that `list` adds. `list` is not called if the section `key` had the same revision when it
    /// was last listed for this entity: an environment increases a revision whenever the contents of the section may
    /// have changed.
    pub fn section(&mut self, key: u32, revision: u64, list: impl FnOnce(&mut Listing<'_, P>)) {
        let index = self.mention(key, false);
        let listed = &mut self.holding.sections[index].listed;
        if matches!(listed, Listed::Own { revision: before } if *before == revision) {
            return;
        }
        *listed = Listed::Own { revision };
        let percepts = &mut self.holding.percepts[index];
        let mut listing = Listing::over(percepts, std::mem::take(&mut self.shared.room));
        list(&mut listing);
        let (changed, room) = listing.progress.finish(percepts, &mut self.changes.list);
        self.changed_sections += usize::from(changed);
        self.shared.room = room;
    }

    /// Adds the percepts that `list` adds, for all entities that list this section. `list` is called once for all of
    /// them when the revision has changed, and the changes are kept once. `hidden` is a percept of the section that
    /// this entity does not perceive.
    ///
    /// A percept with the delivery `once` that leaves a shared section still holds for all of its entities. An entity
    /// lists a percept in one section only, shared or not. It can list other sections than before: a shared section is
    /// not the one of the entity alone with the same key.
    pub fn shared(&mut self, key: u32, revision: u64, hidden: Option<P>, list: impl FnOnce(&mut Listing<'_, P>)) {
        let index = self.mention(key, true);
        let known = &mut self.holding.sections[index].listed;
        let before = if let Listed::Shared { place, .. } = known { Some(*place) } else { None };
        let place = before.unwrap_or_else(|| self.shared.enter(key));
        let to = self.shared.list(place, revision, list);
        match known {
            Listed::Shared { version, hidden: known, .. } if known.as_deref() == hidden.as_ref() => {
                let from = std::mem::replace(version, to);
                if from != to {
                    self.changes.list.push(Change::Shared { place, from, to });
                }
            }
            _ => {
                self.changes.resync |= before.is_some();
                if self.holding.listings > FIRST {
                    for percept in self.shared.all(place, hidden.as_ref()) {
                        self.changes.list.push(Change::Begins(percept.clone()));
                    }
                    self.changed_sections += 1;
                }
                *known = Listed::Shared { place, version: to, hidden: hidden.map(Box::new) };
            }
        }
    }

    /// Notes that this listing mentions the section with this key, either a shared one or one of the entity alone. Returns
    /// its index.
    fn mention(&mut self, key: u32, is_shared: bool) -> usize {
        let likely = self.holding.sections.get(self.likely).filter(|section| section.is(key, is_shared));
        let index = if likely.is_some() { self.likely } else { self.holding.find(key, is_shared) };
        self.likely = index + 1;
        let listing = self.holding.listings as u32;
        let before = std::mem::replace(&mut self.holding.sections[index].mentioned, listing);
        self.mentioned += usize::from(before != listing);
        index
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

impl<P> Known<P> {
    /// Returns whether this is the section with a key, either a shared one or one of the entity alone.
    fn is(&self, key: u32, is_shared: bool) -> bool {
        self.key == key && matches!(self.listed, Listed::Shared { .. }) == is_shared
    }
}

impl<P: TypedPercept> Holding<P> {
    pub(crate) fn new() -> Self {
        let (loose, sections, percepts) = (Vec::new(), Vec::new(), Vec::new());
        Self { loose, sections, percepts, lasting: HashMap::new(), turns: 0, listings: 0 }
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
        let Self { loose, sections, percepts, .. } = holding;
        let loose = Section { key: None, revision: None, percepts: loose, is_shared: false, hidden: None };
        let section = |(Known { key, listed, .. }, own)| {
            let (revision, percepts, hidden) = match listed {
                Listed::Never => (None, own, None),
                Listed::Own { revision } => (Some(revision), own, None),
                Listed::Shared { place, hidden, .. } => {
                    let all = shared.all(place, hidden.as_deref()).into_iter().cloned().collect();
                    (shared.revision(place), all, Some(hidden))
                }
            };
            let (is_shared, hidden) = (hidden.is_some(), hidden.flatten().map(|hidden| *hidden));
            Section { key: Some(key), revision, percepts, is_shared, hidden }
        };
        std::iter::once(loose).chain(sections.into_iter().zip(percepts).map(section)).collect()
    }

    /// Lists the sections whose revisions have changed. Returns the changes, the number of changed sections, and the
    /// number of all sections.
    fn list_sections(
        &mut self,
        shared: &mut Shared<P>,
        list: impl FnOnce(&mut Percepts<'_, P>),
    ) -> (Changes<P>, usize, usize) {
        self.listings += 1;
        let changes = Changes { list: std::mem::take(&mut shared.buffer), resync: false };
        let loose = Progress::new(std::mem::take(&mut shared.loose_room));
        let mut percepts =
            Percepts { holding: self, shared, loose, likely: 0, changes, changed_sections: 0, mentioned: 0 };
        list(&mut percepts);
        let Percepts { loose, mut changes, mut changed_sections, mentioned, holding, shared, .. } = percepts;
        let (changed, room) = loose.finish(&mut holding.loose, &mut changes.list);
        shared.loose_room = room;
        changed_sections += usize::from(changed);
        (changes, changed_sections, mentioned)
    }

    /// Returns the percepts that hold, in the order of the list.
    pub(crate) fn all<'a>(&'a self, shared: &'a Shared<P>) -> Vec<&'a P> {
        let own = self.percepts.iter().map(Vec::len).sum::<usize>();
        let mut all = Vec::with_capacity(self.loose.len() + own);
        all.extend(&self.loose);
        for (section, own) in self.sections.iter().zip(&self.percepts) {
            all.extend(own);
            if let Listed::Shared { place, hidden, .. } = &section.listed {
                all.append(&mut shared.all(*place, hidden.as_deref()));
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

    /// Returns the percepts that begin and cease to hold when a shared section changes from one version to another, if
    /// that is its last change and the entity perceives everything of it.
    pub(crate) fn newest<'a>(
        &self,
        shared: &'a Shared<P>,
        place: u32,
        versions: (u64, u64),
    ) -> Option<(impl Iterator<Item = &'a P>, impl Iterator<Item = &'a P>)> {
        if self.hidden(place).is_some() { None } else { shared.newest(place, versions) }
    }

    /// Calls `each` with every percept of a change of a shared section between two versions. It is compiled once for each
    /// environment, not once for each caller.
    pub(crate) fn each_of_shared<'a>(
        &'a self,
        shared: &'a Shared<P>,
        place: u32,
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
    fn hidden(&self, place: u32) -> Option<&P> {
        self.sections.iter().find_map(|section| match &section.listed {
            Listed::Shared { place: other, hidden, .. } if *other == place => Some(hidden.as_deref()),
            _ => None,
        })?
    }

    /// Releases shared sections when no agent perceives through the entity any more.
    pub(crate) fn leave(&self, shared: &mut Shared<P>) {
        for section in &self.sections {
            if let Listed::Shared { place, .. } = section.listed {
                shared.leave(place);
            }
        }
    }

    /// Returns the index of the section with this key, either a shared one or one of the entity alone.
    #[cold]
    fn find(&mut self, key: u32, is_shared: bool) -> usize {
        self.sections.iter().position(|section| section.is(key, is_shared)).unwrap_or_else(|| {
            self.sections.push(Known { key, mentioned: !(self.listings as u32), listed: Listed::Never });
            self.percepts.push(Vec::new());
            self.sections.len() - 1
        })
    }

    /// Returns the number of dropped sections.
    fn drop_unmentioned_sections(&mut self, shared: &mut Shared<P>, changes: &mut Changes<P>) -> usize {
        let (count, listing) = (self.sections.len(), self.listings as u32);
        let mut kept = 0;
        for at in 0..count {
            let section = &mut self.sections[at];
            if section.mentioned == listing {
                self.sections.swap(kept, at);
                self.percepts.swap(kept, at);
                kept += 1;
                continue;
            }
            changes.list.extend(self.percepts[at].drain(..).map(Change::Ceases));
            if let Listed::Shared { place, version, ref hidden } = section.listed {
                let hidden = hidden.as_deref();
                changes.resync |= !shared.reaches(place, version) || hidden.is_some();
                let ceased = shared.at(place, version).filter(|percept| hidden != Some(percept));
                changes.list.extend(ceased.map(|percept| Change::Ceases(percept.clone())));
                shared.leave(place);
            }
        }
        self.sections.truncate(kept);
        self.percepts.truncate(kept);
        count - kept
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
