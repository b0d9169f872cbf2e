//! Sections that entities share: percepts that hold for many entities are kept once, and compared once when they
//! change.

use std::collections::VecDeque;

use super::difference::{Few, Progress, exchange, kept};
use super::percepts::{Change, Listing};
use crate::ontology::Delivery;
use crate::ontology::typed::TypedPercept;

/// Number of ceased percepts that a section remembers for each percept that holds. An entity whose last list is older
/// gets everything again. An agent that perceives once in 64 steps needs less than that.
const REMEMBERED: usize = 64;

/// The largest number of ceased percepts that a section remembers.
const MOST_REMEMBERED: usize = 65_536;

/// The shared sections of an environment.
#[derive(Debug)]
pub(crate) struct Shared<P> {
    sections: Vec<SharedSection<P>>,
    /// A buffer for the changes of one entity after the other.
    pub(crate) buffer: Vec<Change<P>>,
    /// Memory for the differences of one section after another.
    pub(super) room: Vec<P>,
    /// The same for percepts without a section.
    pub(super) loose_room: Vec<P>,
}

/// A section with the versions in which its percepts began and ceased to hold. The difference between any two
/// versions follows from these.
#[derive(Debug)]
struct SharedSection<P> {
    key: u32,
    /// Number of entities that list it. A section that no entity lists remembers little.
    mentions: usize,
    revision: Option<u64>,
    held: Vec<P>,
    /// The version in which each percept began to hold.
    began: Vec<u64>,
    /// Percepts with the delivery `once` that are no longer listed and still hold, with the version in which they
    /// began.
    lasting: Vec<(P, u64)>,
    /// The places in `held` of the percepts that began in the present version, and the number of those that ceased in it.
    newest: Vec<usize>,
    newest_gone: usize,
    /// Counts the lists in which something changed.
    version: u64,
    /// Percepts that ceased to hold, in this order.
    gone: VecDeque<Gone<P>>,
    /// The version up to which ceased percepts are forgotten.
    forgotten: u64,
}

/// A percept that ceased to hold.
#[derive(Debug)]
struct Gone<P> {
    percept: P,
    began: u64,
    ceased: u64,
}

impl<P> Default for Shared<P> {
    fn default() -> Self {
        Self { sections: Vec::new(), buffer: Vec::new(), room: Vec::new(), loose_room: Vec::new() }
    }
}

impl<P: TypedPercept> Shared<P> {
    /// Returns the index of the section with this key, which one more entity lists.
    pub(super) fn enter(&mut self, key: u32) -> u32 {
        let place = self.sections.iter().position(|section| section.key == key).unwrap_or_else(|| {
            self.sections.push(SharedSection::new(key));
            self.sections.len() - 1
        });
        self.sections[place].mentions += 1;
        place as u32
    }

    /// Notes that one entity fewer lists a section.
    pub(super) fn leave(&mut self, place: u32) {
        let section = &mut self.sections[place as usize];
        section.mentions -= 1;
        if section.mentions == 0 {
            section.forget(REMEMBERED);
            section.gone.shrink_to_fit();
        }
    }

    /// Lists a section again, unless it has this revision already. Returns its version.
    pub(super) fn list(&mut self, place: u32, revision: u64, list: impl FnOnce(&mut Listing<'_, P>)) -> u64 {
        let section = &mut self.sections[place as usize];
        if section.revision.replace(revision) != Some(revision) {
            let mut listing = Listing::over(&section.held, std::mem::take(&mut self.room));
            list(&mut listing);
            let progress = listing.into_progress();
            self.room = section.update(progress);
        }
        section.version
    }

    /// Returns the revision at which a section was listed.
    pub(super) fn revision(&self, place: u32) -> Option<u64> {
        self.sections[place as usize].revision
    }

    /// Returns approximately how many percepts of a section began to hold between two versions, and how many ceased.
    pub(crate) fn count_changes(&self, place: u32, from: u64, to: u64) -> (usize, usize) {
        let section = &self.sections[place as usize];
        let ceased = section.gone_after(from).len();
        (section.newest_between(from, to).map_or(ceased, <[usize]>::len), ceased)
    }

    /// Returns all percepts of a section except a hidden one.
    pub(super) fn all(&self, place: u32, hidden: Option<&P>) -> Vec<&P> {
        let SharedSection { held, lasting, .. } = &self.sections[place as usize];
        let mut all: Vec<&P> = held.iter().collect();
        all.extend(lasting.iter().map(|(percept, _)| percept));
        all.retain(|percept| hidden != Some(percept));
        all
    }

    /// Returns whether all percepts that ceased to hold after a version are remembered.
    pub(crate) fn reaches(&self, place: u32, version: u64) -> bool {
        self.sections[place as usize].forgotten <= version
    }

    /// Returns the percepts that held in a remembered version.
    pub(super) fn at(&self, place: u32, version: u64) -> impl Iterator<Item = &P> {
        let held = self.sections[place as usize].percepts().filter(move |(_, began)| *began <= version);
        let gone = self.sections[place as usize].gone_after(version).filter(move |gone| gone.began <= version);
        held.map(|(percept, _)| percept).chain(gone.map(|gone| &gone.percept))
    }

    /// Calls `each` with the percepts, except a hidden one, that hold in one version and not in an earlier one.
    pub(super) fn each_begun<'a>(
        &'a self,
        place: u32,
        (from, to): (u64, u64),
        hidden: Option<&P>,
        each: &mut dyn FnMut(&'a P, bool),
    ) {
        let section = &self.sections[place as usize];
        let mut tell = |percept: &'a P| {
            if Some(percept) != hidden {
                each(percept, true);
            }
        };
        // Most agents know the version before the present one: for them, only its changes are looked at.
        if let Some(newest) = section.newest_between(from, to) {
            return newest.iter().for_each(|place| tell(&section.held[*place]));
        }
        let is_new = |began: u64| from < began && began <= to;
        section.percepts().filter(|(_, began)| is_new(*began)).for_each(|(percept, _)| tell(percept));
        section.gone_after(to).filter(|gone| is_new(gone.began)).for_each(|gone| tell(&gone.percept));
    }

    /// Returns the percepts that began to hold between two versions, and those that ceased, if these are the last two
    /// versions of a section.
    pub(super) fn newest(
        &self,
        place: u32,
        (from, to): (u64, u64),
    ) -> Option<(impl Iterator<Item = &P>, impl Iterator<Item = &P>)> {
        let section = &self.sections[place as usize];
        let begun = section.newest_between(from, to)?.iter().map(|place| &section.held[*place]);
        Some((begun, section.gone_after(from).map(|gone| &gone.percept)))
    }

    /// Returns the percepts that hold in one version, cease, and do not hold in a later one or hold there again.
    pub(super) fn ceased(&self, place: u32, from: u64, to: u64) -> impl Iterator<Item = &P> {
        let gone = self.sections[place as usize].gone_after(from).take_while(move |gone| gone.ceased <= to);
        gone.filter(move |gone| gone.began <= from).map(|gone| &gone.percept)
    }
}

impl<P: TypedPercept> SharedSection<P> {
    fn new(key: u32) -> Self {
        Self {
            key,
            mentions: 0,
            revision: None,
            held: Vec::new(),
            began: Vec::new(),
            lasting: Vec::new(),
            newest: Vec::new(),
            newest_gone: 0,
            version: 0,
            gone: VecDeque::new(),
            forgotten: 0,
        }
    }

    /// Returns the percepts that hold, with the version in which they began.
    fn percepts(&self) -> impl Iterator<Item = (&P, u64)> {
        let held = self.held.iter().zip(self.began.iter().copied());
        held.chain(self.lasting.iter().map(|(percept, began)| (percept, *began)))
    }

    /// Returns the places of the percepts that began after one version and up to another, if these are the last two.
    fn newest_between(&self, from: u64, to: u64) -> Option<&[usize]> {
        (from + 1 == to && to == self.version).then_some(&self.newest)
    }

    fn gone_after(&self, version: u64) -> impl ExactSizeIterator<Item = &Gone<P>> {
        // Usually the last version is compared with the one before.
        let count = if version + 1 == self.version {
            self.newest_gone.min(self.gone.len())
        } else {
            self.gone.iter().rev().take_while(|gone| gone.ceased > version).count()
        };
        self.gone.range(self.gone.len() - count..)
    }

    /// Replaces the percepts by those that were listed. Returns the memory of the list.
    fn update(&mut self, progress: Progress<P>) -> Vec<P> {
        let (changed, listed) = progress.changed(&self.held);
        let Some(changed) = changed else { return listed };
        self.version += 1;
        let ceased = self.version;
        let (places, stays) = kept(&self.held[changed.clone()], &listed)
            .unwrap_or_else(|| (Few::from_elem(None, listed.len()), Few::from_elem(false, changed.len())));
        let began = Few::from_slice(&self.began[changed.clone()]);
        let since = places.iter().map(|place| place.map_or(ceased, |place| began[place]));
        self.began.splice(changed.clone(), since);
        let mut former = exchange(&mut self.held, changed.clone(), listed);
        let before = self.gone.len();
        for ((percept, began), stays) in former.drain(..).zip(&began).zip(stays) {
            match percept.delivery() {
                _ if stays => {}
                Delivery::Once => self.lasting.push((percept, *began)),
                _ => self.gone.push_back(Gone { percept, began: *began, ceased }),
            }
        }
        self.newest_gone = self.gone.len() - before;
        self.restore_lasting(changed.start);
        self.newest.clear();
        self.newest.extend((changed.start..changed.start + places.len()).filter(|place| self.began[*place] == ceased));
        self.forget((REMEMBERED * (self.held.len() + 1)).min(MOST_REMEMBERED));
        former
    }

    /// Forgets ceased percepts, except for the last `most`.
    fn forget(&mut self, most: usize) {
        let forgotten = self.gone.len().saturating_sub(most);
        if let Some(last) = self.gone.drain(..forgotten).next_back() {
            self.forgotten = last.ceased;
        }
    }

    /// A percept with the delivery `once` that is listed again has held all the time.
    fn restore_lasting(&mut self, from: usize) {
        if self.lasting.is_empty() {
            return;
        }
        for (percept, began) in self.held[from..].iter().zip(&mut self.began[from..]) {
            if let Some(place) = self.lasting.iter().position(|(lasting, _)| lasting == percept) {
                *began = self.lasting.remove(place).1;
            }
        }
    }
}
