//! Sections that entities share: what holds for many is kept once, and compared once when it changes.

use std::collections::VecDeque;

use super::percepts::{Change, Listing, Progress, kept};
use crate::ontology::Delivery;
use crate::ontology::typed::TypedPercept;

/// How many percepts that have ceased to hold a section remembers for each that holds. An entity that listed the section
/// before these is told everything anew. An agent that perceives once in 64 steps gets on with less than that.
const REMEMBERED: usize = 64;

/// The largest number of percepts that a section remembers.
const MOST_REMEMBERED: usize = 65_536;

/// What the entities of an environment share.
#[derive(Debug)]
pub(crate) struct Shared<P> {
    sections: Vec<SharedSection<P>>,
    /// Room for the changes of one entity after the other.
    pub(crate) buffer: Vec<Change<P>>,
    /// Room for what one section after the other lists differently.
    pub(super) room: Vec<P>,
}

/// What an entity knows of a shared section.
#[derive(Debug)]
pub(crate) struct Mention<P> {
    /// The place of the section among all shared sections.
    pub(super) place: usize,
    /// The version that the entity listed last.
    pub(super) version: u64,
    /// A percept of the section that the entity does not perceive.
    pub(super) hidden: Option<P>,
}

/// A section with the versions in which its percepts began and ceased to hold: from these follows the difference
/// between any two versions.
#[derive(Debug)]
struct SharedSection<P> {
    key: u32,
    /// How many entities list it. Little is remembered of a section that nobody lists.
    mentions: usize,
    revision: Option<u64>,
    held: Vec<P>,
    /// The version in which each of them began to hold.
    began: Vec<u64>,
    /// What was told once and is no longer listed, which holds from then on, and since which version.
    lasting: Vec<(P, u64)>,
    /// Counts the listings in which something changed.
    version: u64,
    /// What has ceased to hold, in this order.
    gone: VecDeque<Gone<P>>,
    /// The version up to which what has ceased is no longer remembered.
    forgotten: u64,
}

/// A percept that has ceased to hold.
#[derive(Debug)]
struct Gone<P> {
    percept: P,
    began: u64,
    ceased: u64,
}

impl<P> Default for Shared<P> {
    fn default() -> Self {
        Self { sections: Vec::new(), buffer: Vec::new(), room: Vec::new() }
    }
}

impl<P: TypedPercept> Shared<P> {
    /// Returns the place of the section of this key, which one more entity lists.
    pub(super) fn enter(&mut self, key: u32) -> usize {
        let place = self.sections.iter().position(|section| section.key == key).unwrap_or_else(|| {
            self.sections.push(SharedSection::new(key));
            self.sections.len() - 1
        });
        self.sections[place].mentions += 1;
        place
    }

    /// One entity less lists a section.
    pub(super) fn leave(&mut self, place: usize) {
        let section = &mut self.sections[place];
        section.mentions -= 1;
        if section.mentions == 0 {
            section.forget(REMEMBERED);
            section.gone.shrink_to_fit();
        }
    }

    /// Lists a section anew, unless it has this revision already. Returns its version.
    pub(super) fn list(&mut self, place: usize, revision: u64, list: impl FnOnce(&mut Listing<'_, P>)) -> u64 {
        let section = &mut self.sections[place];
        if section.revision.replace(revision) != Some(revision) {
            let mut listing = Listing::over(&section.held, Vec::new());
            list(&mut listing);
            let progress = listing.into_progress();
            section.update(progress);
        }
        section.version
    }

    /// The revision at which a section was listed.
    pub(super) fn revision(&self, place: usize) -> Option<u64> {
        self.sections[place].revision
    }

    /// Returns about how many percepts of a section have ceased to hold, and as many begun, after a version.
    pub(crate) fn changes_after(&self, place: usize, version: u64) -> usize {
        self.sections[place].gone_after(version).len()
    }

    /// All percepts of a section that an entity perceives.
    pub(crate) fn all<'a>(&'a self, mention: &'a Mention<P>) -> impl Iterator<Item = &'a P> {
        let percepts = self.sections[mention.place].percepts().map(|(percept, _)| percept);
        percepts.filter(|percept| mention.hidden.as_ref() != Some(percept))
    }

    /// Whether all that has ceased to hold after a version is remembered.
    pub(crate) fn reaches(&self, place: usize, version: u64) -> bool {
        self.sections[place].forgotten <= version
    }

    /// The percepts that held in a version which is remembered.
    pub(super) fn at(&self, place: usize, version: u64) -> impl Iterator<Item = &P> {
        let held = self.sections[place].percepts().filter(move |(_, began)| *began <= version);
        let gone = self.sections[place].gone_after(version).filter(move |gone| gone.began <= version);
        held.map(|(percept, _)| percept).chain(gone.map(|gone| &gone.percept))
    }

    /// The percepts that hold in one version and not in an earlier one.
    pub(super) fn begun(&self, place: usize, from: u64, to: u64) -> impl Iterator<Item = &P> {
        let is_new = move |began: u64| from < began && began <= to;
        let held = self.sections[place].percepts().filter(move |(_, began)| is_new(*began));
        let gone = self.sections[place].gone_after(to).filter(move |gone| is_new(gone.began));
        held.map(|(percept, _)| percept).chain(gone.map(|gone| &gone.percept))
    }

    /// The percepts that hold in one version, cease to and do not hold in a later one, or hold there again.
    pub(super) fn ceased(&self, place: usize, from: u64, to: u64) -> impl Iterator<Item = &P> {
        let gone = self.sections[place].gone_after(from).take_while(move |gone| gone.ceased <= to);
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
            version: 0,
            gone: VecDeque::new(),
            forgotten: 0,
        }
    }

    /// What holds, and since which version.
    fn percepts(&self) -> impl Iterator<Item = (&P, u64)> {
        let held = self.held.iter().zip(self.began.iter().copied());
        held.chain(self.lasting.iter().map(|(percept, began)| (percept, *began)))
    }

    fn gone_after(&self, version: u64) -> impl ExactSizeIterator<Item = &Gone<P>> {
        // Mostly the last version is compared with the one before.
        let count = self.gone.iter().rev().take_while(|gone| gone.ceased > version).count();
        self.gone.range(self.gone.len() - count..)
    }

    /// Makes what is held what was listed.
    fn update(&mut self, progress: Progress<P>) {
        let (Some(changed), new) = progress.changed(&self.held) else { return };
        self.version += 1;
        let ceased = self.version;
        let (places, stays) = kept(&self.held[changed.clone()], &new);
        let began = &self.began[changed.clone()];
        let since: Vec<u64> = places.iter().map(|place| place.map_or(ceased, |place| began[place])).collect();
        let former: Vec<P> = self.held.splice(changed.clone(), new).collect();
        let began: Vec<u64> = self.began.splice(changed.clone(), since).collect();
        for ((percept, began), stays) in former.into_iter().zip(began).zip(stays) {
            match percept.delivery() {
                _ if stays => {}
                Delivery::Once => self.lasting.push((percept, began)),
                _ => self.gone.push_back(Gone { percept, began, ceased }),
            }
        }
        self.take_up_what_lasts(changed.start);
        self.forget((REMEMBERED * (self.held.len() + 1)).min(MOST_REMEMBERED));
    }

    /// Forgets what has ceased, but for so many of the last.
    fn forget(&mut self, most: usize) {
        let forgotten = self.gone.len().saturating_sub(most);
        if let Some(last) = self.gone.drain(..forgotten).next_back() {
            self.forgotten = last.ceased;
        }
    }

    /// What was told once, and is listed again, has held all the time.
    fn take_up_what_lasts(&mut self, from: usize) {
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
