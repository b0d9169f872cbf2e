//! The frontier of a search for the shortest way among numbered places, and the way that was found.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// The places that were reached but not yet expanded.
pub(crate) struct Frontier(BinaryHeap<Reverse<Reached>>);

/// A place that was reached by a way of this length, with the expected length of the whole way through it.
#[derive(PartialEq)]
struct Reached {
    expected: f64,
    length: f64,
    place: usize,
}

impl Frontier {
    /// Creates the frontier of a search that begins at this place.
    pub(crate) fn at(start: usize) -> Self {
        Self(BinaryHeap::from([Reverse(Reached { expected: 0.0, length: 0.0, place: start })]))
    }

    /// Adds a place that was reached by a way of this length, with the expected length of the whole way through it.
    pub(crate) fn add(&mut self, place: usize, length: f64, expected: f64) {
        self.0.push(Reverse(Reached { expected, length, place }));
    }

    /// Removes the place with the shortest expected way; of several the one with the least number. Also returns the
    /// length of the way to it.
    pub(crate) fn take(&mut self) -> Option<(usize, f64)> {
        self.0.pop().map(|Reverse(reached)| (reached.place, reached.length))
    }
}

/// Returns the way that was found, given the place before each place.
pub(crate) fn trace(before: impl Fn(usize) -> usize, from: usize, to: usize) -> Vec<usize> {
    let mut way = vec![to];
    let mut place = to;
    while place != from {
        place = before(place);
        way.push(place);
    }
    way.reverse();
    way
}

impl Eq for Reached {}

impl PartialOrd for Reached {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Reached {
    fn cmp(&self, other: &Self) -> Ordering {
        self.expected.total_cmp(&other.expected).then(self.place.cmp(&other.place))
    }
}
