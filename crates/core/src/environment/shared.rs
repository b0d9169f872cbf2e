//! Sections that entities share: their percepts are listed and stored once for all of them.

use super::difference::{Difference, History, List, Listing, NEVER};
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
}

#[derive(Debug)]
struct SharedSection<P> {
    key: u32,
    list: List<P>,
    history: History<P>,
}

/// The time for which an entity lists a shared section.
#[derive(Debug)]
pub(super) struct Share<P> {
    /// The index of the section among all shared sections.
    pub(super) place: usize,
    /// A percept of the section that the entity does not perceive.
    pub(super) hidden: Option<P>,
    /// The first moment at which the entity listed the section.
    pub(super) began: u64,
    /// The first moment at which it no longer did.
    pub(super) ceased: u64,
}

impl<P> Default for Shared<P> {
    fn default() -> Self {
        Self { sections: Vec::new() }
    }
}

impl<P: TypedPercept> Shared<P> {
    /// Returns the share of an entity that begins to list the section with this key.
    pub(super) fn enter(&mut self, key: u32, hidden: Option<P>, moment: u64) -> Share<P> {
        let place = self.sections.iter().position(|section| section.key == key).unwrap_or_else(|| {
            self.sections.push(SharedSection { key, list: List::default(), history: History::new() });
            self.sections.len() - 1
        });
        Share { place, hidden, began: moment, ceased: NEVER }
    }

    /// Lists a section again, unless it has this revision already. Returns the moment of the last change for the
    /// entity.
    pub(super) fn list(
        &mut self,
        share: &Share<P>,
        revision: u64,
        moment: u64,
        list: impl FnOnce(&mut Listing<'_, P>),
    ) -> u64 {
        let section = &mut self.sections[share.place];
        if section.list.revision.replace(revision) != Some(revision)
            && section.list.list(moment, &mut section.history, list)
        {
            section.history.forget_all_but((REMEMBERED * (section.list.held.len() + 1)).min(MOST_REMEMBERED));
        }
        section.list.changed.max(share.began)
    }

    /// Returns the revision at which a section was listed.
    pub(super) fn revision(&self, share: &Share<P>) -> Option<u64> {
        self.sections[share.place].list.revision
    }

    /// Returns whether the changes of a share since a moment are remembered.
    pub(super) fn reaches(&self, share: &Share<P>, moment: u64) -> bool {
        let lists_then = share.began <= moment && moment < share.ceased;
        !lists_then || self.sections[share.place].history.reaches(moment)
    }

    /// Returns the percepts with the delivery `once` of a share up to a moment, and when they began to hold.
    pub(super) fn once_until(&self, share: &Share<P>, moment: u64) -> impl Iterator<Item = (&P, u64)> {
        let SharedSection { list, history, .. } = &self.sections[share.place];
        let all = list.begun_after(0, history).chain(history.kept_after(0));
        let all = all.filter(move |(percept, began, _)| {
            percept.delivery() == Delivery::Once && *began <= moment && share.hidden.as_ref() != Some(*percept)
        });
        all.map(|(percept, began, _)| (percept, began.max(share.began)))
    }

    /// Adds what changed in a share to a difference, except for the percepts that the history of the entity keeps.
    pub(super) fn compare<'a>(&'a self, share: &Share<P>, own: &History<P>, difference: &mut Difference<'a, P>) {
        let SharedSection { list, history, .. } = &self.sections[share.place];
        let since = difference.since;
        let left = if share.ceased == NEVER { 0 } else { share.ceased };
        if list.changed.max(share.began).max(left) <= since {
            return;
        }
        let add = |(percept, began, ceased): (&'a P, u64, u64)| {
            let (began, ceased) = (began.max(share.began), ceased.min(share.ceased));
            if share.hidden.as_ref() != Some(percept) && !own.keeps(percept) {
                difference.add(percept, began, ceased);
            }
        };
        // All of a section that the entity began or ceased to list.
        let from = if share.began > since || share.ceased != NEVER { 0 } else { since };
        list.begun_after(from, history).chain(history.gone_after(since)).chain(history.kept_after(from)).for_each(add);
    }
}
