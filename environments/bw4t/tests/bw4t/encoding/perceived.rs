//! The knowledge of a robot from its percepts and destinations, and the observation computed only from that.

use std::collections::{BTreeMap, BTreeSet};

use situated::encoding::Encode;
use situated_bw4t::Color;
use situated_bw4t::action::Action;
use situated_bw4t::encoding::Choice;
use situated_bw4t::percept::Percept;
use situated_bw4t::robot::State;

use crate::encoding::learner::Learner;

/// The knowledge of a robot.
#[derive(Default)]
pub(crate) struct Mind {
    /// The current percepts.
    percepts: Vec<Percept>,
    /// The visible blocks.
    here: BTreeMap<u32, Color>,
    /// All blocks that it has ever seen.
    colors: BTreeMap<u32, Color>,
    /// The blocks that it has seen in rooms, and when.
    rooms: BTreeMap<String, (u64, Vec<Color>)>,
    /// Its destination.
    goal: Option<String>,
    /// The position where it began.
    home: (f64, f64),
}

/// All percepts of one kind.
macro_rules! received {
    ($mind:expr, $percept:pat => $value:expr) => {
        $mind.percepts.iter().filter_map(|percept| match percept {
            $percept => Some($value),
            _ => None,
        })
    };
}

/// The only percept of its kind.
macro_rules! the {
    ($mind:expr, $percept:pat => $value:expr) => {
        received!($mind, $percept => $value).next().expect("it is always perceived")
    };
}

impl Mind {
    pub(crate) fn of(learner: &Learner, robot: usize) -> Self {
        let mut mind = Self::default();
        mind.perceive(learner, robot);
        mind.home = mind.location();
        mind
    }

    pub(crate) fn choose(&mut self, learner: &Learner, robot: usize, choice: usize) {
        match learner.episode.environment().decode(learner.entities[robot], choice) {
            Some(Action::GoToPlace { place }) => self.goal = Some(place.to_string()),
            Some(Action::GoToBlock { .. }) => self.goal = self.room(),
            _ => {}
        }
    }

    pub(crate) fn perceive(&mut self, learner: &Learner, robot: usize) {
        self.percepts = learner.episode.percepts(learner.entities[robot]);
        self.here = received!(self, Percept::Color { block, color } => (*block, *color)).collect();
        self.colors.extend(&self.here);
        if let Some(room) = self.room() {
            self.rooms.insert(room, (learner.world().tick_count(), self.here.values().copied().collect()));
        }
    }

    /// Computes its observation, with or without memory.
    pub(crate) fn observation(&self, learner: &Learner, remembers: bool) -> Vec<f32> {
        let ground = learner.world().ground();
        let choices = learner.layout().choices();
        let looks: Vec<Color> =
            choices.filter_map(|choice| if let Choice::PickUp(look) = choice { Some(look) } else { None }).collect();
        let mut row = self.own(learner);
        let held = self.held();
        row.extend(looks.iter().map(|look| count(&held, *look) / self.capacity()));
        row.extend(looks.iter().map(|look| flag(held.first() == Some(look))));
        let sequence = self.sequence();
        let needed = (self.index()..self.index() + 6).map(|place| sequence.get(place).copied());
        row.extend(needed.flat_map(|needed| ground.colors().iter().map(move |color| flag(needed == Some(*color)))));
        for room in ground.rooms() {
            let name = ground.zone(*room).name.as_str();
            let known = self.rooms.get(name).filter(|_| remembers || self.room().as_deref() == Some(name));
            let seconds = known.map(|(tick, _)| (learner.world().tick_count() - tick) as f64 / 50.0);
            let colors = known.map_or(&[][..], |(_, colors)| colors);
            row.extend(self.place(name));
            row.extend([flag(known.is_some()), seconds.map_or(1.0, |seconds| seconds / (seconds + 60.0))]);
            row.extend(looks.iter().map(|look| count(colors, *look) / 10.0));
        }
        row.extend(self.place("DropZone"));
        row.into_iter().map(|element| element.min(1.0) as f32).collect()
    }

    fn own(&self, learner: &Learner) -> Vec<f64> {
        let ground = learner.world().ground();
        let spawns = &ground.map().spawns;
        let home = spawns.iter().position(|spawn| (spawn.position.x, spawn.position.y) == self.home);
        let (x, y) = self.location();
        vec![
            x / ground.size().x,
            y / ground.size().y,
            flag(self.state() == State::Arrived),
            flag(self.state() == State::Traveling),
            flag(self.state() == State::Collided),
            flag(received!(self, Percept::Bumped { .. } => ()).next().is_some()),
            the!(self, Percept::Battery { charge } => charge) / 100.0,
            (self.capacity() - self.held().len() as f64) / self.capacity(),
            *the!(self, Percept::Speed { speed } => speed),
            the!(self, Percept::RobotSize { width, .. } => width) / 5.0,
            self.capacity() / 10.0,
            (home.expect("it began there") + 1) as f64 / spawns.len() as f64,
            self.count_others() as f64 / 10.0,
            self.index() as f64 / self.sequence().len() as f64,
            self.sequence().len() as f64 / 12.0,
        ]
    }

    fn place(&self, name: &str) -> [f64; 3] {
        let is_in = received!(self, Percept::In { room } => room).any(|room| room == name);
        let is_bound = self.state() == State::Traveling && self.goal.as_deref() == Some(name);
        let is_occupied = received!(self, Percept::Occupied { room } => room).any(|room| room == name);
        [flag(is_in), flag(is_bound), flag(is_occupied)]
    }

    /// Returns the room in which it is, if that can contain blocks.
    fn room(&self) -> Option<String> {
        received!(self, Percept::In { room } => room.to_string()).find(|room| room != "DropZone")
    }

    /// Returns its blocks, the top one first.
    fn held(&self) -> Vec<Color> {
        the!(self, Percept::HoldingBlocks { blocks } => blocks).iter().map(|block| self.colors[block]).collect()
    }

    /// Returns the number of objects with a position, except the robot itself, blocks and parts of the map.
    fn count_others(&self) -> usize {
        let own = the!(self, Percept::Robot { id } => id);
        let zones: BTreeSet<&u32> = received!(self, Percept::Zone { id, .. } => id).collect();
        let is_other = |id: &&u32| *id != own && !zones.contains(id) && !self.here.contains_key(id);
        received!(self, Percept::Position { id, .. } => id).filter(is_other).count()
    }

    fn capacity(&self) -> f64 {
        f64::from(*the!(self, Percept::GripperCapacity { count } => count))
    }

    fn location(&self) -> (f64, f64) {
        the!(self, Percept::Location { x, y } => (*x, *y))
    }

    fn state(&self) -> State {
        *the!(self, Percept::State { state } => state)
    }

    fn sequence(&self) -> &[Color] {
        the!(self, Percept::Sequence { colors } => colors)
    }

    fn index(&self) -> usize {
        *the!(self, Percept::SequenceIndex { index } => index) as usize
    }
}

fn flag(holds: bool) -> f64 {
    f64::from(u8::from(holds))
}

fn count(colors: &[Color], color: Color) -> f64 {
    colors.iter().filter(|one| **one == color).count() as f64
}
