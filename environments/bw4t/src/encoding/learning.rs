//! What a world keeps for learners: how long its steps are, what robots remember, and what they have been given.

use serde::{Deserialize, Serialize};
use situated::environment::{EntityId, Failure};

use crate::Parameters;
use crate::action::Action;
use crate::encoding::layout::Layout;
use crate::encoding::observation::{RoomSeen, View};
use crate::encoding::rewards::{Account, Reward, potential};
use crate::encoding::steps::{Steps, pass};
use crate::ground::Ground;
use crate::team::Team;
use crate::world::World;

/// What a world keeps for learners.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Learning {
    steps: Steps,
    reward: Reward,
    discount: f64,
    remembers: bool,
    /// Whether some of the team are colour-blind.
    color_blind: bool,
    /// Whether a block may have been picked up or put down since the last step.
    handled: bool,
    account: Account,
    /// In the order of the robots.
    notes: Vec<Notes>,
}

/// What is kept for a robot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Notes {
    entity: EntityId,
    /// The rooms in which it was, in their order, each as it saw it last.
    pub(super) rooms: Vec<RoomSeen>,
    /// How promising its situation was after the last step.
    potential: f64,
    /// What the last step has brought.
    pub(super) reward: f32,
}

impl Learning {
    pub(crate) fn new(parameters: &Parameters, team: &Team) -> Result<Self, Failure> {
        let Parameters { steps, reward, discount, memory: remembers, .. } = *parameters;
        if !(0.0..=1.0).contains(&discount) {
            return Err(Failure::new(format!("the discount is {discount}; it has to be from 0 to 1")));
        }
        let (color_blind, handled) = (some_are_color_blind(team), false);
        let (account, notes) = (Account::default(), Vec::new());
        Ok(Self { steps, reward, discount, remembers, color_blind, handled, account, notes })
    }

    /// Somebody has done something.
    pub(crate) fn note(&mut self, action: &Action) {
        self.handled |= matches!(action, Action::PickUp { .. } | Action::PutDown);
    }

    /// Whoever controlled a robot has left, and what it held is put down: the next one knows nothing of what it saw.
    pub(crate) fn forget(&mut self, entity: EntityId) {
        self.handled = true;
        if let Ok(index) = self.find(entity) {
            self.notes[index].rooms.clear();
        }
    }

    /// A step: ticks pass, and what they bring is written down.
    pub(crate) fn step(&mut self, world: &mut World) {
        self.meet(world);
        let (steps, handled) = (self.steps, std::mem::take(&mut self.handled));
        pass(steps, handled, world, |world| self.look_around(world));
        let team = self.account.settle(world, handled);
        for (notes, robot) in self.notes.iter_mut().zip(world.robots()) {
            let before = std::mem::take(&mut notes.potential);
            if self.reward == Reward::Shaped && !self.account.is_over() {
                notes.potential = potential(world, robot);
            }
            notes.reward = (team + self.discount * notes.potential - before) as f32;
        }
    }

    /// What numbers stand for on the ground of its world.
    pub(super) fn layout<'a>(&self, ground: &'a Ground) -> Layout<'a> {
        Layout::of(ground, self.color_blind)
    }

    /// Whether the sequence is complete, or can no longer be completed.
    pub(super) fn is_over(&self) -> bool {
        self.account.is_over()
    }

    /// What is kept for a robot; none before its first step.
    pub(super) fn notes(&self, entity: EntityId) -> Option<&Notes> {
        self.find(entity).ok().map(|index| &self.notes[index])
    }

    fn find(&self, entity: EntityId) -> Result<usize, usize> {
        self.notes.binary_search_by_key(&entity, |notes| notes.entity)
    }

    /// There are notes for each robot, and for nobody else.
    fn meet(&mut self, world: &World) {
        let robots = || world.robots().iter().map(|robot| robot.entity);
        if !self.notes.iter().map(|notes| notes.entity).eq(robots()) {
            self.notes.retain(|notes| world.robot(notes.entity).is_some());
            for entity in robots() {
                if let Err(place) = self.find(entity) {
                    self.notes.insert(place, Notes { entity, rooms: Vec::new(), potential: 0.0, reward: 0.0 });
                }
            }
        }
    }

    /// Robots take notice of what they see.
    fn look_around(&mut self, world: &World) {
        if !self.remembers {
            return;
        }
        for (notes, robot) in self.notes.iter_mut().zip(world.robots()) {
            let View { room: Some(room), counts, .. } = View::of(world, robot) else { continue };
            let seen = RoomSeen { room, tick: world.tick_count(), counts };
            match notes.rooms.binary_search_by_key(&room, |seen| seen.room) {
                Ok(place) => notes.rooms[place] = seen,
                Err(place) => notes.rooms.insert(place, seen),
            }
        }
    }
}

/// Whether some of a team are colour-blind.
pub(super) fn some_are_color_blind(team: &Team) -> bool {
    team.bots.iter().any(|bots| bots.color_blind)
}
