//! The percepts of an e-partner about itself.

use std::collections::BTreeSet;

use situated::iil::EcoString;
use situated::interface::Perception;

use crate::geometry::Point;
use crate::percept::{Function, Percept};

/// The present percepts of an e-partner, under either set of names.
#[derive(Clone, Debug, Default)]
pub(super) struct Device {
    pub(super) step: u64,
    pub(super) name: EcoString,
    pub(super) gps: bool,
    pub(super) forget_me_not: bool,
    pub(super) places: BTreeSet<EcoString>,
    /// The place where it is, if it has a GPS.
    pub(super) at: Option<EcoString>,
    pub(super) room: Option<EcoString>,
    pub(super) location: Point,
    /// Whether a Forget-me-not is carried.
    pub(super) is_held: bool,
    pub(super) players: BTreeSet<EcoString>,
}

impl Device {
    /// Returns its place; without a GPS, its room.
    pub(super) fn whereabouts(&self) -> Option<&EcoString> {
        self.room.as_ref().or(self.at.as_ref())
    }

    pub(super) fn absorb(&mut self, perception: &Perception<Percept>) {
        self.step = perception.moment.step;
        if perception.resync {
            (self.room, self.is_held) = (None, false);
            self.players.clear();
        }
        perception.delete.iter().for_each(|percept| self.disbelieve(percept));
        perception.add.iter().for_each(|percept| self.believe(percept));
    }

    fn disbelieve(&mut self, percept: &Percept) {
        match percept {
            Percept::GetRoom { room } | Percept::In { room } if self.room.as_ref() == Some(room) => self.room = None,
            Percept::HeldBy { .. } => self.is_held = false,
            Percept::Player { player } => _ = self.players.remove(player),
            _ => {}
        }
    }

    fn believe(&mut self, percept: &Percept) {
        match percept {
            Percept::OwnName { player } => self.name = player.clone(),
            Percept::GetFunctionalities { function } | Percept::Functionality { function } => match function {
                Function::Gps => self.gps = true,
                Function::ForgetMeNot => self.forget_me_not = true,
            },
            Percept::Place { place } | Percept::GetRooms { room: place } => _ = self.places.insert(place.clone()),
            Percept::GetAt { place } | Percept::At { place } => self.at = Some(place.clone()),
            Percept::GetRoom { room } | Percept::In { room } => self.room = Some(room.clone()),
            Percept::GetLocation { x, y } | Percept::Location { x, y } => self.location = Point::new(*x, *y),
            Percept::HeldBy { .. } => self.is_held = true,
            Percept::Player { player } => _ = self.players.insert(player.clone()),
            _ => {}
        }
    }
}
