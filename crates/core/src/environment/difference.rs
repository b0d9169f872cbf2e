//! The difference between two lists of percepts.

use std::hash::{BuildHasher as _, Hash};
use std::ops::Range;

use hashbrown::{DefaultHashBuilder, HashMap};
use smallvec::SmallVec;

use super::percepts::Change;
use crate::ontology::typed::TypedPercept;

/// Number of percepts up to which a linear search is faster than a table.
const FEW: usize = 16;

/// Number of percepts up to which comparing is faster than hashing.
const VERY_FEW: usize = 4;

/// A list that needs no allocation if there are few.
pub(super) type Few<T> = SmallVec<[T; FEW]>;

/// Progress in listing a section.
#[derive(Debug)]
pub(super) struct Progress<P> {
    /// Number of percepts equal to those of the last list.
    same: usize,
    /// The percepts listed after these.
    rest: Vec<P>,
}

impl<P: TypedPercept> Progress<P> {
    /// Creates a collector that puts differences into this memory.
    pub(super) fn new(room: Vec<P>) -> Self {
        Self { same: 0, rest: room }
    }

    pub(super) fn add(&mut self, percept: P, held: &[P]) {
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
    pub(super) fn finish(self, held: &mut Vec<P>, changes: &mut Vec<Change<P>>) -> (bool, Vec<P>) {
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
        let kept = kept(&held[range.clone()], &listed);
        let present = range.start..range.start + listed.len();
        let mut former = exchange(held, range, listed);
        let begins = |percept: &P| Change::Begins(percept.clone());
        let Some((places, stays)) = kept else {
            changes.extend(former.drain(..).map(Change::Ceases));
            changes.extend(held[present].iter().map(begins));
            return (true, former);
        };
        let ceased = former.drain(..).zip(stays).filter(|(_, stays)| !stays);
        changes.extend(ceased.map(|(percept, _)| Change::Ceases(percept)));
        let begun = held[present].iter().zip(places).filter(|(_, place)| place.is_none());
        changes.extend(begun.map(|(percept, _)| begins(percept)));
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
/// it remains; `None` if none remains.
#[inline]
pub(super) fn kept<P: TypedPercept>(former: &[P], present: &[P]) -> Option<(Few<Option<usize>>, Few<bool>)> {
    let lookup = Lookup::new(former);
    let first = present.iter().position(|percept| lookup.find(percept).is_some())?;
    let mut places: Few<Option<usize>> = Few::from_elem(None, first);
    places.extend(present[first..].iter().map(|percept| lookup.find(percept)));
    let mut stays = Few::from_elem(false, former.len());
    places.iter().flatten().for_each(|place| stays[*place] = true);
    Some((places, stays))
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
