//! The difference between the percepts that hold now and those that held at an earlier moment.
//!
//! Each percept is stored with the time for which it holds: a [`List`] has the percepts that hold, with the moment at
//! which each began, and a [`History`] those that ceased. Moments are numbered as the interface counts them.

use std::collections::VecDeque;

use hashbrown::{HashMap, HashSet};

use crate::ontology::Delivery;
use crate::ontology::typed::TypedPercept;

/// The moment at which a percept ceases that still holds.
pub(super) const NEVER: u64 = u64::MAX;

/// A percept that holds, and the moment at which it began.
#[derive(Debug)]
pub(super) struct Held<P> {
    pub(super) percept: P,
    pub(super) began: u64,
}

/// Percepts that are listed together, in the order of the list.
#[derive(Debug)]
pub(super) struct List<P> {
    /// The revision at which they were listed.
    pub(super) revision: Option<u64>,
    pub(super) held: Vec<Held<P>>,
    /// The moment of the last change.
    pub(super) changed: u64,
}

/// Collects the percepts of one section.
#[derive(Debug)]
pub struct Listing<'a, P: TypedPercept> {
    held: &'a [Held<P>],
    /// Number of percepts equal to those of the last list.
    pub(super) same: usize,
    /// The percepts listed after these.
    pub(super) rest: Vec<P>,
}

/// Percepts that are no longer listed.
#[derive(Debug)]
pub(super) struct History<P> {
    /// In the order in which they ceased to hold.
    gone: VecDeque<Gone<P>>,
    /// The size of these percepts.
    bytes: usize,
    /// The moment up to which percepts that ceased are forgotten.
    forgotten: u64,
    /// Percepts with the delivery `once`, which still hold: the moment at which each began, and its place in the order
    /// of all of them.
    lasting: HashMap<P, (u64, usize)>,
}

/// A percept that ceased to hold.
#[derive(Debug)]
struct Gone<P> {
    percept: P,
    began: u64,
    ceased: u64,
}

/// The percepts that hold now and did not hold at an earlier moment, and the reverse.
#[derive(Debug)]
pub(crate) struct Difference<'a, P> {
    pub(super) since: u64,
    pub(crate) begun: Vec<&'a P>,
    pub(crate) ceased: Vec<&'a P>,
}

impl<P> Default for List<P> {
    fn default() -> Self {
        Self { revision: None, held: Vec::new(), changed: 0 }
    }
}

impl<P: TypedPercept> List<P> {
    /// Replaces the percepts by those of a listing: `rest`, after the first `same` ones. Returns whether any begin or
    /// cease to hold.
    pub(super) fn replace(&mut self, same: usize, rest: Vec<P>, moment: u64, history: &mut History<P>) -> bool {
        if rest.is_empty() && same == self.held.len() {
            return false;
        }
        let former: Vec<Held<P>> = self.held.drain(same..).collect();
        let places: HashMap<&P, usize> =
            former.iter().enumerate().map(|(place, held)| (&held.percept, place)).collect();
        let mut stays = vec![false; former.len()];
        let mut changed = rest.len() != former.len();
        self.held.extend(rest.into_iter().map(|percept| {
            let place = places.get(&percept).copied();
            changed |= place.is_none();
            let began = place.map_or(moment, |place| {
                stays[place] = true;
                former[place].began
            });
            Held { percept, began }
        }));
        drop(places);
        let gone = former.into_iter().zip(stays).filter(|(_, stays)| !stays);
        gone.for_each(|(Held { percept, began }, _)| history.push(percept, began, moment));
        if changed {
            self.changed = moment;
        }
        changed
    }

    /// Returns the percepts that began to hold after a moment and that the history does not keep, with the moments at
    /// which they begin and cease to hold.
    pub(super) fn begun_after(&self, moment: u64, history: &History<P>) -> impl Iterator<Item = (&P, u64, u64)> {
        let begun = self.held.iter().filter(move |held| held.began > moment && !history.keeps(&held.percept));
        begun.map(|held| (&held.percept, held.began, NEVER))
    }

    /// Lists the percepts again. Returns whether they have changed.
    pub(super) fn list(
        &mut self,
        moment: u64,
        history: &mut History<P>,
        list: impl FnOnce(&mut Listing<'_, P>),
    ) -> bool {
        let mut listing = Listing::new(&self.held);
        list(&mut listing);
        let Listing { same, rest, .. } = listing;
        self.replace(same, rest, moment, history)
    }
}

impl<'a, P: TypedPercept> Listing<'a, P> {
    pub(super) fn new(held: &'a [Held<P>]) -> Self {
        Self { held, same: 0, rest: Vec::new() }
    }

    /// Adds a percept that holds.
    pub fn add(&mut self, percept: P) {
        if self.rest.is_empty() {
            if self.held.get(self.same).is_some_and(|held| held.percept == percept) {
                self.same += 1;
                return;
            }
            self.rest.reserve(self.held.len() - self.same);
        }
        self.rest.push(percept);
    }

    /// Adds percepts that hold, such as `is_dark.then_some(Percept::Dark)`.
    pub fn extend(&mut self, percepts: impl IntoIterator<Item = P>) {
        percepts.into_iter().for_each(|percept| self.add(percept));
    }
}

impl<P: TypedPercept> History<P> {
    pub(super) fn new() -> Self {
        Self { gone: VecDeque::new(), bytes: 0, forgotten: 0, lasting: HashMap::new() }
    }

    /// Adds a percept that is no longer listed.
    fn push(&mut self, percept: P, began: u64, ceased: u64) {
        if percept.delivery() == Delivery::Once {
            self.keep(percept, began);
        } else {
            self.bytes += percept.bytes();
            self.gone.push_back(Gone { percept, began, ceased });
        }
    }

    /// Keeps a percept with the delivery `once`.
    pub(super) fn keep(&mut self, percept: P, began: u64) {
        let place = self.lasting.len();
        self.lasting.entry(percept).or_insert((began, place));
    }

    /// Returns whether this percept holds even if it is not listed. If it is, it is listed again.
    pub(super) fn keeps(&self, percept: &P) -> bool {
        self.lasting.contains_key(percept)
    }

    /// Returns the percepts with the delivery `once` that began to hold after a moment, and hold even if they are not
    /// listed, in order.
    pub(super) fn kept_after(&self, moment: u64) -> impl Iterator<Item = (&P, u64, u64)> {
        let mut kept: Vec<_> = self.lasting.iter().filter(|(_, (began, _))| *began > moment).collect();
        kept.sort_unstable_by_key(|(_, (_, place))| *place);
        kept.into_iter().map(|(percept, (began, _))| (percept, *began, NEVER))
    }

    /// Returns the percepts that ceased to hold after a moment, with the moments at which they began and ceased.
    pub(super) fn gone_after(&self, moment: u64) -> impl Iterator<Item = (&P, u64, u64)> {
        let first = self.gone.partition_point(|gone| gone.ceased <= moment);
        self.gone.range(first..).map(|gone| (&gone.percept, gone.began, gone.ceased))
    }

    /// Returns whether all percepts that ceased to hold after a moment are remembered.
    pub(super) fn reaches(&self, moment: u64) -> bool {
        self.forgotten <= moment
    }

    /// Returns the number of percepts that ceased to hold, and their size.
    pub(super) fn size(&self) -> (usize, usize) {
        (self.gone.len(), self.bytes)
    }

    /// Forgets the first percepts that ceased to hold, up to this number.
    fn forget(&mut self, count: usize) {
        for Gone { percept, ceased, .. } in self.gone.drain(..count) {
            self.bytes -= percept.bytes();
            self.forgotten = ceased;
        }
    }

    /// Forgets the percepts that ceased to hold up to a moment.
    pub(super) fn forget_until(&mut self, moment: u64) {
        self.forget(self.gone.partition_point(|gone| gone.ceased <= moment));
    }

    /// Forgets all but the last `most` percepts that ceased to hold.
    pub(super) fn forget_all_but(&mut self, most: usize) {
        self.forget(self.gone.len().saturating_sub(most));
    }
}

impl<'a, P: TypedPercept> Difference<'a, P> {
    /// Creates the difference to this moment, in which nothing is compared yet.
    pub(crate) fn new(since: u64) -> Self {
        Self { since, begun: Vec::new(), ceased: Vec::new() }
    }

    /// Adds a percept that began to hold at one moment and ceased at another.
    pub(super) fn add(&mut self, percept: &'a P, began: u64, ceased: u64) {
        match (began <= self.since && self.since < ceased, ceased == NEVER) {
            (false, true) => self.begun.push(percept),
            (true, false) => self.ceased.push(percept),
            _ => {}
        }
    }

    /// Removes the percepts that ceased to hold in one place or time, and began in another.
    pub(super) fn cancel(mut self) -> Self {
        if self.begun.is_empty() {
            return self;
        }
        let mut ceased: HashSet<&P> = self.ceased.iter().copied().collect();
        self.begun.retain(|percept| !ceased.remove(percept));
        if ceased.len() < self.ceased.len() {
            self.ceased.retain(|percept| ceased.contains(percept));
        }
        self
    }
}
