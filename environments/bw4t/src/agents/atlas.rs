//! Travel times, which a robot computes from its percepts of the zones.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use situated::iil::EcoString;

use super::body::{Body, Zone};
use crate::geometry::Point;

/// Longer than any way: there is no way, or the robot cannot move.
pub(super) const NEVER: f64 = 1e9;

/// Maximum number of zones whose distances are remembered.
const MOST_KNOWN: usize = 64;

/// The zones of a map, and the number of ticks that a robot needs between their centres.
#[derive(Clone, Debug, Default)]
pub(super) struct Atlas {
    zones: BTreeMap<EcoString, Zone>,
    /// The zones next to each zone. Either of two zones may name the other.
    beside: BTreeMap<EcoString, BTreeSet<EcoString>>,
    stride: f64,
    /// The zones that were found to be blockades.
    blocked: BTreeSet<EcoString>,
    /// The ticks from a zone to others, for zones that have been queried.
    known: RefCell<BTreeMap<EcoString, Arc<BTreeMap<EcoString, f64>>>>,
}

impl Atlas {
    /// Updates the map and the robot's position, if they changed.
    pub(super) fn update(&mut self, body: &Body) {
        if self.zones.len() == body.zones.len() && self.stride == body.stride() {
            return;
        }
        (self.zones, self.stride) = (body.zones.clone(), body.stride());
        self.known.borrow_mut().clear();
        self.beside.clear();
        for (name, zone) in &self.zones {
            for neighbour in &zone.neighbours {
                self.beside.entry(name.clone()).or_default().insert(neighbour.clone());
                self.beside.entry(neighbour.clone()).or_default().insert(name.clone());
            }
        }
    }

    /// Marks a zone as a blockade.
    pub(super) fn block(&mut self, zone: &EcoString) {
        if self.blocked.insert(zone.clone()) {
            self.known.borrow_mut().clear();
        }
    }

    /// Whether a zone is known as a blockade.
    pub(super) fn is_blocked(&self, zone: &str) -> bool {
        self.blocked.contains(zone)
    }

    pub(super) fn center(&self, zone: &str) -> Option<Point> {
        self.zones.get(zone).map(|zone| zone.center)
    }

    /// Returns the zones next to a zone.
    pub(super) fn beside(&self, zone: &str) -> impl Iterator<Item = &EcoString> {
        let beside = self.beside.get(zone).into_iter().flatten();
        beside.filter(|zone| !self.blocked.contains(*zone))
    }

    /// Whether two zones are next to each other.
    pub(super) fn are_beside(&self, one: &str, other: &str) -> bool {
        self.beside.get(one).is_some_and(|beside| beside.contains(other))
    }

    /// Returns a zone from which robots enter a room.
    pub(super) fn front_of(&self, room: &str) -> Option<&EcoString> {
        self.beside(room).next()
    }

    /// Returns the ticks for a straight way.
    pub(super) fn straight(&self, from: Point, to: Point) -> f64 {
        if self.stride <= 0.0 { NEVER } else { (from.distance(to) / self.stride - 1e-6).ceil().max(0.0) + 1.0 }
    }

    /// Returns the ticks between the centres of two zones.
    pub(super) fn ticks(&self, from: &str, to: &str) -> f64 {
        // The way back takes as long, and may already be known.
        let is_known = self.known.borrow().contains_key(to);
        let (from, to) = if is_known { (to, from) } else { (from, to) };
        self.all_ticks(from).get(to).copied().unwrap_or(NEVER)
    }

    /// Returns the ticks from the robot's position to the centre of a zone.
    pub(super) fn ticks_for(&self, body: &Body, to: &str) -> f64 {
        let center = self.center(&body.at).unwrap_or(body.location);
        self.straight(body.location, center) + self.ticks(&body.at, to)
    }

    /// Returns the next zone on the way between two zones around blockades. Returns `None` if there are no blockades,
    /// so that the environment can find the way.
    pub(super) fn next_around(&self, from: &str, to: &str) -> Option<EcoString> {
        if self.blocked.is_empty() || from == to {
            return None;
        }
        let ticks = self.all_ticks(to);
        let here = self.center(from)?;
        let on_the_way = |zone: &&EcoString| {
            let rest = ticks.get(*zone).copied().unwrap_or(NEVER);
            rest + self.center(zone).map_or(NEVER, |there| self.straight(here, there))
        };
        let open = self.beside.get(from)?.iter().filter(|zone| ticks.contains_key(*zone));
        open.min_by(|one, other| on_the_way(one).total_cmp(&on_the_way(other))).cloned()
    }

    /// Returns the ticks from a zone to all zones that can be reached.
    fn all_ticks(&self, from: &str) -> Arc<BTreeMap<EcoString, f64>> {
        if let Some(known) = self.known.borrow().get(from) {
            return Arc::clone(known);
        }
        let found = Arc::new(self.find_ticks(from));
        let mut known = self.known.borrow_mut();
        if known.len() >= MOST_KNOWN {
            known.clear();
        }
        known.insert(from.into(), Arc::clone(&found));
        found
    }

    fn find_ticks(&self, from: &str) -> BTreeMap<EcoString, f64> {
        let mut done = BTreeMap::new();
        // Ticks are rounded to integers, so that they can be ordered.
        let mut next = BTreeSet::from([(0_u64, EcoString::from(from))]);
        while let Some((ticks, zone)) = next.pop_first() {
            if done.contains_key(&zone) {
                continue;
            }
            done.insert(zone.clone(), ticks as f64);
            let Some(here) = self.center(&zone) else { continue };
            for neighbour in self.beside.get(&zone).into_iter().flatten() {
                if let Some(there) = self.center(neighbour).filter(|_| !self.blocked.contains(neighbour)) {
                    next.insert((ticks + self.straight(here, there) as u64, neighbour.clone()));
                }
            }
        }
        done
    }
}
