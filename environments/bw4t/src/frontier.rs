//! Searches for the shortest way among places that have numbers: those that were reached and from which it is still to be
//! gone on, and the way that was found.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// The places that were reached and from which it is still to be gone on.
pub(crate) struct Frontier(BinaryHeap<Reverse<Reached>>);

/// A place to which there is a way of this length, over which the end could be reached by one of the length that is
/// expected.
#[derive(PartialEq)]
struct Reached {
    expected: f64,
    length: f64,
    place: usize,
}

impl Frontier {
    /// That of a search that begins in this place.
    pub(crate) fn at(start: usize) -> Self {
        Self(BinaryHeap::from([Reverse(Reached { expected: 0.0, length: 0.0, place: start })]))
    }

    /// A place is reached by a way of this length, over which the end could be reached by one of the length that is expected.
    pub(crate) fn add(&mut self, place: usize, length: f64, expected: f64) {
        self.0.push(Reverse(Reached { expected, length, place }));
    }

    /// Takes out the place over which the shortest way is expected, of several that with the least number, with the length
    /// of the way to it.
    pub(crate) fn take(&mut self) -> Option<(usize, f64)> {
        self.0.pop().map(|Reverse(reached)| (reached.place, reached.length))
    }
}

/// The way that was found, by how far each place is and from where it was reached.
pub(crate) fn trace(known: &[(f64, usize)], from: usize, to: usize) -> Vec<usize> {
    let mut way = vec![to];
    let mut place = to;
    while place != from {
        place = known[place].1;
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
