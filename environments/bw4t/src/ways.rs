//! Searches for the shortest ways among numbered places.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// The ways that a search has found: for each place, the length of the shortest one, and the place before it.
pub(crate) struct Ways {
    from: usize,
    known: Vec<(f64, usize)>,
}

/// A place that was reached by a way of this length, with the expected length of the whole way through it.
#[derive(PartialEq)]
struct Reached {
    expected: f64,
    length: f64,
    place: usize,
}

impl Ways {
    /// Searches for the shortest ways from a place. If only the way `to` one place is needed, others may be too long or
    /// missing. `parts` returns the places next to a place, each with the length of the part of the way to it, and
    /// `left` a length that the way from a place still has at least. Of several places that could be next on the
    /// search, the one with the least number is first.
    pub(crate) fn search<Parts: Iterator<Item = (usize, f64)>>(
        places: usize,
        from: usize,
        to: Option<usize>,
        parts: impl Fn(usize) -> Parts,
        left: impl Fn(usize) -> f64,
    ) -> Self {
        let mut known = vec![(f64::INFINITY, from); places];
        known[from].0 = 0.0;
        let mut frontier = BinaryHeap::from([Reverse(Reached { expected: 0.0, length: 0.0, place: from })]);
        while let Some(Reverse(Reached { length, place, .. })) = frontier.pop() {
            if Some(place) == to {
                break;
            }
            if length > known[place].0 {
                continue;
            }
            for (next, further) in parts(place) {
                let length = length + further;
                if length < known[next].0 {
                    known[next] = (length, place);
                    frontier.push(Reverse(Reached { expected: length + left(next), length, place: next }));
                }
            }
        }
        Self { from, known }
    }

    /// Returns for each place the one before it on the way, or `None` if no way was found.
    pub(crate) fn before(&self) -> impl Iterator<Item = Option<usize>> {
        self.known.iter().map(|(length, before)| length.is_finite().then_some(*before))
    }

    /// Returns the places on the way to a place, including both ends, if one was found.
    pub(crate) fn way(&self, to: usize) -> Option<Vec<usize>> {
        self.known[to].0.is_finite().then(|| trace(|place| self.known[place].1, self.from, to))
    }
}

/// Returns a way, given the place before each place.
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
