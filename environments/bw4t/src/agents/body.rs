//! The percepts of a robot about itself and its surroundings.

use std::collections::{BTreeMap, BTreeSet};

use situated::iil::{EcoString, Parameter};
use situated::interface::Perception;

use crate::geometry::Point;
use crate::map::DROP_ZONE;
use crate::percept::Percept;
use crate::robot::State;
use crate::{Color, robot};

/// The present percepts of a robot.
#[derive(Clone, Debug)]
pub(super) struct Body {
    /// The step of the last perception.
    pub(super) step: u64,
    /// Whether the last perception contains news for the next decision.
    pub(super) has_news: bool,
    pub(super) name: EcoString,
    pub(super) id: u32,
    pub(super) size: f64,
    pub(super) speed: f64,
    pub(super) grippers: usize,
    pub(super) color_blind: bool,
    /// The zones of the map.
    pub(super) zones: BTreeMap<EcoString, Zone>,
    pub(super) sequence: Vec<Color>,
    /// Number of delivered colours of the sequence.
    pub(super) delivered: usize,
    pub(super) location: Point,
    pub(super) at: EcoString,
    /// The rooms in which it is: at most one.
    pub(super) rooms: BTreeSet<EcoString>,
    pub(super) state: State,
    /// The blocks that it holds, the top one first.
    pub(super) held: Vec<u32>,
    pub(super) occupied: BTreeSet<EcoString>,
    /// The names of all other players.
    pub(super) players: BTreeSet<EcoString>,
    pub(super) bumped: BTreeSet<EcoString>,
    /// The colours of the visible blocks.
    pub(super) colors: BTreeMap<u32, Color>,
    /// The centres of objects by their numbers.
    pub(super) positions: BTreeMap<u32, Point>,
    /// The visible blocks within reach.
    pub(super) reachable: BTreeSet<u32>,
}

/// The percepts about a zone.
#[derive(Clone, Debug)]
pub(super) struct Zone {
    pub(super) id: u32,
    pub(super) center: Point,
    pub(super) neighbours: Vec<EcoString>,
}

/// A received message: the sender and the content.
pub(super) type Letter = (EcoString, Parameter);

impl Default for Body {
    fn default() -> Self {
        let robot::Build { size, speed, .. } = robot::Build::default();
        Self {
            step: 0,
            has_news: false,
            name: EcoString::new(),
            id: 0,
            size,
            speed,
            grippers: 0,
            color_blind: false,
            zones: BTreeMap::new(),
            sequence: Vec::new(),
            delivered: 0,
            location: Point::default(),
            at: EcoString::new(),
            rooms: BTreeSet::new(),
            state: State::Arrived,
            held: Vec::new(),
            occupied: BTreeSet::new(),
            players: BTreeSet::new(),
            bumped: BTreeSet::new(),
            colors: BTreeMap::new(),
            positions: BTreeMap::new(),
            reachable: BTreeSet::new(),
        }
    }
}

impl Body {
    /// Processes a perception. Returns the received messages.
    pub(super) fn absorb(&mut self, perception: &Perception<Percept>) -> Vec<Letter> {
        self.step = perception.moment.step;
        if perception.resync {
            self.forget_surroundings();
        }
        perception.delete.iter().for_each(|percept| self.disbelieve(percept));
        perception.add.iter().for_each(|percept| self.believe(percept));
        let mut told = perception.add.iter().chain(&perception.delete);
        self.has_news = perception.resync || !perception.events.is_empty() || told.any(matters);
        let letters = perception.events.iter().filter_map(|event| match event {
            Percept::Message { from, content } if *from != self.name => Some((from.clone(), content.clone())),
            _ => None,
        });
        letters.collect()
    }

    /// Returns the distance that it covers in a tick.
    pub(super) fn stride(&self) -> f64 {
        robot::STRIDE * self.speed
    }

    /// Returns its reach.
    pub(super) fn reach(&self) -> f64 {
        self.size + 1.0
    }

    /// Returns the room in which it is.
    pub(super) fn room(&self) -> Option<&EcoString> {
        self.rooms.first()
    }

    /// Whether it is in the drop zone.
    pub(super) fn is_in_drop_zone(&self) -> bool {
        self.rooms.iter().any(|room| room == DROP_ZONE)
    }

    /// Returns the number of blocks that it can still pick up.
    pub(super) fn free_grippers(&self) -> usize {
        self.grippers.saturating_sub(self.held.len())
    }

    /// Whether it overlaps another object that is neither a block nor a part of the map.
    pub(super) fn is_in_another(&self) -> bool {
        let others = self.positions.iter().filter(|(id, _)| **id != self.id && !self.colors.contains_key(id));
        let mut near = others.filter(|(_, place)| place.distance(self.location) < self.size / 2.0);
        near.any(|(id, _)| self.zones.values().all(|zone| zone.id != *id))
    }

    /// Returns the colours left to deliver, in order.
    pub(super) fn wanted(&self) -> &[Color] {
        self.sequence.get(self.delivered..).unwrap_or_default()
    }

    fn forget_surroundings(&mut self) {
        self.rooms.clear();
        self.held.clear();
        self.occupied.clear();
        self.players.clear();
        self.bumped.clear();
        self.colors.clear();
        self.positions.clear();
        self.reachable.clear();
    }

    /// Removes a percept. Percepts that are replaced at each change need no removal.
    fn disbelieve(&mut self, percept: &Percept) {
        match percept {
            Percept::In { room } => drop(self.rooms.remove(room)),
            Percept::Occupied { room } => drop(self.occupied.remove(room)),
            Percept::Player { player } => drop(self.players.remove(player)),
            Percept::Bumped { object } => drop(self.bumped.remove(object)),
            Percept::Color { block, .. } => drop(self.colors.remove(block)),
            Percept::Position { id, .. } => drop(self.positions.remove(id)),
            Percept::AtBlock { block } => drop(self.reachable.remove(block)),
            _ => {}
        }
    }

    fn believe(&mut self, percept: &Percept) {
        match percept {
            Percept::OwnName { player } => self.name = player.clone(),
            Percept::Robot { id } => self.id = *id,
            Percept::RobotSize { width, .. } => self.size = *width,
            Percept::Speed { speed } => self.speed = *speed,
            Percept::GripperCapacity { count } => self.grippers = *count as usize,
            Percept::ColorBlind { color_blind } => self.color_blind = *color_blind,
            Percept::Zone { id, name, x, y, neighbours } => {
                let zone = Zone { id: *id, center: Point::new(*x, *y), neighbours: neighbours.clone() };
                self.zones.insert(name.clone(), zone);
            }
            Percept::Sequence { colors } => self.sequence = colors.clone(),
            Percept::SequenceIndex { index } => self.delivered = *index as usize,
            Percept::Location { x, y } => self.location = Point::new(*x, *y),
            Percept::At { place } => self.at = place.clone(),
            Percept::In { room } => drop(self.rooms.insert(room.clone())),
            Percept::State { state } => self.state = *state,
            Percept::HoldingBlocks { blocks } => self.held = blocks.clone(),
            Percept::Occupied { room } => drop(self.occupied.insert(room.clone())),
            Percept::Player { player } => drop(self.players.insert(player.clone())),
            Percept::Bumped { object } => drop(self.bumped.insert(object.clone())),
            Percept::Color { block, color } => drop(self.colors.insert(*block, *color)),
            Percept::Position { id, x, y } => drop(self.positions.insert(*id, Point::new(*x, *y))),
            Percept::AtBlock { block } => drop(self.reachable.insert(*block)),
            _ => {}
        }
    }
}

/// Whether a percept can change the next decision. Others only show progress.
fn matters(percept: &Percept) -> bool {
    use Percept::{AtBlock, Battery, Location, Position, State};
    !matches!(percept, AtBlock { .. } | Battery { .. } | Location { .. } | Position { .. } | State { .. })
}
