//! How an environment lists the percepts that hold for an entity.
//!
//! A section with an unchanged revision is not listed again. Listing the same percepts again costs one comparison each
//! and no allocation.

use std::mem;

use super::difference::{History, List, Listing};
use super::shared::{Share, Shared};
use crate::ontology::typed::TypedPercept;

/// Collects the percepts that hold for an entity, each once. Agents get them in the same order; percepts without a
/// section come first.
#[derive(Debug)]
pub struct Percepts<'a, P: TypedPercept> {
    pub(super) loose: Listing<'a, P>,
    pub(super) sections: &'a mut Sections<P>,
    pub(super) shared: &'a mut Shared<P>,
    /// The moment of this listing, and of the one before.
    pub(super) moment: u64,
    pub(super) before: u64,
    /// Number of changes of sections.
    pub(super) changes: usize,
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

/// The sections of an entity.
#[derive(Debug)]
pub(super) struct Sections<P> {
    /// In the order in which the entity first listed them.
    pub(super) listed: Vec<Mentioned<P>>,
    /// Shared sections that the entity no longer lists.
    pub(super) former: Vec<Share<P>>,
    /// The percepts of the entity alone that are no longer listed.
    pub(super) history: History<P>,
}

/// A section and the moment of the last listing that mentioned it.
#[derive(Debug)]
pub(super) struct Mentioned<P> {
    pub(super) key: u32,
    pub(super) moment: u64,
    pub(super) contents: Contents<P>,
}

/// The percepts of a section, of the entity alone or shared.
#[derive(Debug)]
pub(super) enum Contents<P> {
    Own(List<P>),
    Shared(Share<P>),
}

impl<P: TypedPercept> Percepts<'_, P> {
    /// Adds a percept that holds.
    pub fn add(&mut self, percept: P) {
        self.loose.add(percept);
    }

    /// Adds percepts that hold, such as `is_dark.then_some(Percept::Dark)`.
    pub fn extend(&mut self, percepts: impl IntoIterator<Item = P>) {
        self.loose.extend(percepts);
    }

    /// Adds the percepts that `list` adds. `list` is not called if the section `key` had the same revision when it
    /// was last listed for this entity: an environment increases a revision whenever the contents of the section may
    /// have changed.
    pub fn section(&mut self, key: u32, revision: u64, list: impl FnOnce(&mut Listing<'_, P>)) {
        let Sections { listed, history, .. } = &mut *self.sections;
        let new = || Contents::Own(List::default());
        if let Contents::Own(own) = mention(listed, (key, false), self.moment, new)
            && own.revision.replace(revision) != Some(revision)
        {
            self.changes += usize::from(own.list(self.moment, history, list));
        }
    }

    /// Adds the percepts that `list` adds, for all entities that list this section. `list` is called once for all of
    /// them when the revision has changed, and the changes are kept once. `hidden` is a percept of the section that
    /// this entity does not perceive.
    ///
    /// A percept with the delivery `once` that leaves a shared section still holds for all of its entities. An entity
    /// lists a percept in one section only, shared or not. It can list other sections than before: a shared section is
    /// not the one of the entity alone with the same key.
    pub fn shared(&mut self, key: u32, revision: u64, hidden: Option<P>, list: impl FnOnce(&mut Listing<'_, P>)) {
        let new = || Contents::Shared(self.shared.enter(key, hidden.clone(), self.moment));
        let contents = mention(&mut self.sections.listed, (key, true), self.moment, new);
        let Contents::Shared(share) = contents else { return };
        if self.shared.list(share, revision, self.moment, list) > self.before {
            // It can have changed at several moments, when other entities listed it.
            self.changes += 2;
        }
        if share.hidden != hidden {
            let former = mem::replace(share, self.shared.enter(key, hidden, self.moment));
            self.leave(former);
        }
    }

    /// Drops the sections that this listing has not mentioned.
    pub(super) fn drop_unmentioned(&mut self) {
        let unmentioned = self.sections.listed.extract_if(.., |section| section.moment != self.moment);
        for section in unmentioned.collect::<Vec<_>>() {
            match section.contents {
                Contents::Own(mut own) => {
                    self.changes += usize::from(own.list(self.moment, &mut self.sections.history, |_| {}));
                }
                Contents::Shared(share) => self.leave(share),
            }
        }
    }

    /// Notes that the entity no longer lists a shared section.
    fn leave(&mut self, share: Share<P>) {
        self.changes += 2;
        for (percept, began) in self.shared.once_until(&share, self.before) {
            self.sections.history.keep(percept.clone(), began);
        }
        self.sections.former.push(Share { ceased: self.moment, ..share });
    }
}

/// Notes that a listing mentions the section with this key, a shared one or not. Returns its contents, which are
/// `new` if it was not listed before.
fn mention<P>(
    listed: &mut Vec<Mentioned<P>>,
    (key, is_shared): (u32, bool),
    moment: u64,
    new: impl FnOnce() -> Contents<P>,
) -> &mut Contents<P> {
    let is_it =
        |section: &Mentioned<P>| section.key == key && matches!(section.contents, Contents::Shared(_)) == is_shared;
    let place = listed.iter().position(is_it).unwrap_or_else(|| {
        listed.push(Mentioned { key, moment, contents: new() });
        listed.len() - 1
    });
    listed[place].moment = moment;
    &mut listed[place].contents
}
