//! The percepts that hold for an entity, and the changes that agents may still need.

use std::{iter, mem};

use hashbrown::HashSet;

use super::difference::{Difference, History, List, Listing};
use super::percepts::{Contents, Mentioned, Percepts, Section, Sections};
use super::shared::Shared;
use crate::ontology::typed::TypedPercept;

/// The percepts that hold for an entity.
#[derive(Debug)]
pub(crate) struct Holding<P> {
    /// Percepts without a section.
    loose: List<P>,
    sections: Sections<P>,
    /// The moment of the last listing, and of the one before; 0 if there was none.
    moment: u64,
    before: u64,
    /// Number of changes of sections between these.
    changes: usize,
}

impl<P: TypedPercept> Holding<P> {
    pub(crate) fn new() -> Self {
        let sections = Sections { listed: Vec::new(), former: Vec::new(), history: History::new() };
        Self { loose: List::default(), sections, moment: 0, before: 0, changes: 0 }
    }

    /// Lists the percepts at a moment. Returns whether a section differs from the last listing.
    pub(crate) fn list(
        &mut self,
        moment: u64,
        shared: &mut Shared<P>,
        list: impl FnOnce(&mut Percepts<'_, P>),
    ) -> bool {
        let before = mem::replace(&mut self.moment, moment);
        let Self { loose, sections, .. } = self;
        let mut percepts = Percepts { loose: Listing::new(&loose.held), sections, shared, moment, before, changes: 0 };
        list(&mut percepts);
        percepts.drop_unmentioned();
        let Percepts { loose: Listing { same, rest, .. }, mut changes, .. } = percepts;
        changes += usize::from(self.loose.replace(same, rest, moment, &mut self.sections.history));
        (self.before, self.changes) = (before, changes);
        changes > 0
    }

    /// Returns the moment of the last listing; 0 if there was none.
    pub(crate) fn moment(&self) -> u64 {
        self.moment
    }

    /// Returns the percepts that hold, in the order of the list: the difference to a time without percepts.
    pub(crate) fn all<'a>(&'a self, shared: &'a Shared<P>) -> Difference<'a, P> {
        self.compare(0, shared)
    }

    /// Returns the difference to a moment of an earlier listing; `None` if not all changes after it are remembered.
    pub(crate) fn difference<'a>(&'a self, since: u64, shared: &'a Shared<P>) -> Option<Difference<'a, P>> {
        let listed = self.sections.listed.iter().filter_map(|section| match &section.contents {
            Contents::Own(_) => None,
            Contents::Shared(share) => Some(share),
        });
        let is_remembered = since > 0 && listed.chain(&self.sections.former).all(|share| shared.reaches(share, since));
        // Percepts can move from one section to another, and cease and begin again.
        let may_cancel = since < self.before || self.changes > 1;
        let difference = is_remembered.then(|| self.compare(since, shared));
        difference.map(|difference| if may_cancel { difference.cancel() } else { difference })
    }

    /// Compares the percepts with those at a moment, section by section.
    fn compare<'a>(&'a self, since: u64, shared: &'a Shared<P>) -> Difference<'a, P> {
        let Sections { listed, former, history } = &self.sections;
        let mut difference = Difference::new(since);
        let add = |list: &'a List<P>, difference: &mut Difference<'a, P>| {
            if list.changed > since {
                let begun = list.begun_after(since, history);
                begun.for_each(|(percept, began, ceased)| difference.add(percept, began, ceased));
            }
        };
        add(&self.loose, &mut difference);
        for section in listed {
            match &section.contents {
                Contents::Own(list) => add(list, &mut difference),
                Contents::Shared(share) => shared.compare(share, history, &mut difference),
            }
        }
        former.iter().for_each(|share| shared.compare(share, history, &mut difference));
        let gone = history.gone_after(since).chain(history.kept_after(since));
        gone.for_each(|(percept, began, ceased)| difference.add(percept, began, ceased));
        difference
    }

    /// Returns the number of changes that are remembered, and their size.
    pub(crate) fn remembered(&self) -> (usize, usize) {
        let (count, bytes) = self.sections.history.size();
        (count + self.sections.former.len(), bytes)
    }

    /// Forgets the changes up to a moment.
    pub(crate) fn forget_until(&mut self, moment: u64) {
        self.sections.history.forget_until(moment);
        self.sections.former.retain(|share| share.ceased > moment);
    }

    /// Returns the sections that are listed for an entity without earlier lists.
    pub(crate) fn sections(list: impl FnOnce(&mut Percepts<'_, P>)) -> Vec<Section<P>> {
        let (mut holding, mut shared) = (Self::new(), Shared::default());
        holding.list(1, &mut shared, list);
        let Self { loose, sections: Sections { listed, history, .. }, .. } = holding;
        let own = |key, list: List<P>| Section {
            key,
            revision: list.revision,
            percepts: list.held.into_iter().map(|held| held.percept).collect(),
            is_shared: false,
            hidden: None,
        };
        let section = |Mentioned { key, contents, .. }| match contents {
            Contents::Own(list) => own(Some(key), list),
            Contents::Shared(share) => {
                let mut all = Difference::new(0);
                shared.compare(&share, &history, &mut all);
                let percepts = all.begun.into_iter().cloned().collect();
                let (revision, hidden) = (shared.revision(&share), share.hidden);
                Section { key: Some(key), revision, percepts, is_shared: true, hidden }
            }
        };
        iter::once(own(None, loose)).chain(listed.into_iter().map(section)).collect()
    }

    /// Returns whether no percept is listed twice.
    pub(crate) fn is_sound(&self, shared: &Shared<P>) -> bool {
        let mut seen = HashSet::new();
        self.all(shared).begun.into_iter().all(|one| seen.insert(one))
    }
}
