//! Shortest ways.

use std::collections::{BTreeSet, VecDeque};

use crate::{Heading, Place};

/// Returns the first step of a shortest way from a place to the nearest goal, over places that can be entered. The goal
/// itself need not be one of them. Returns `None` if there is no way, or if the place is a goal.
pub fn first_step(from: Place, is_goal: impl Fn(Place) -> bool, can_enter: impl Fn(Place) -> bool) -> Option<Heading> {
    let mut known = BTreeSet::from([from]);
    let mut ways = VecDeque::from([(from, None)]);
    while let Some((place, first)) = ways.pop_front() {
        if is_goal(place) {
            return first;
        }
        if place != from && !can_enter(place) {
            continue;
        }
        for heading in Heading::ALL {
            let next = heading.from(place);
            if (can_enter(next) || is_goal(next)) && known.insert(next) {
                ways.push_back((next, first.or(Some(heading))));
            }
        }
    }
    None
}
