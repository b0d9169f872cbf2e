//! The data of an environment for learners: the length of its steps, memories of robots, and rewards.

use serde::{Deserialize, Serialize};
use situated::environment::EntityId;

use crate::action::Action;
use crate::encoding::layout::Layout;
use crate::encoding::observation::{RoomSeen, View};
use crate::ground::Ground;
use crate::parameters::{Parameters, Reward, Steps};
use crate::robot::{Robot, State};
use crate::team::Team;
use crate::world::{TICKS_PER_SECOND, World};

/// The data of an environment for learners.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Learning {
    steps: Steps,
    reward: Reward,
    discount: f64,
    remembers: bool,
    /// Whether some robots of the team are colour-blind.
    color_blind: bool,
    /// Whether a block may have been picked up or put down since the last step.
    handled: bool,
    account: Account,
    /// The memories of the robots, in their order.
    notes: Vec<Notes>,
}

/// The data of a robot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Notes {
    entity: EntityId,
    /// The rooms that it has visited, in their order, each as last seen.
    pub(super) rooms: Vec<RoomSeen>,
    /// The potential of its situation after the last step.
    potential: f64,
    /// The reward of the last step.
    pub(super) reward: f32,
}

impl Learning {
    pub(crate) fn new(parameters: &Parameters, team: &Team) -> Self {
        let Parameters { steps, reward, discount, memory: remembers, .. } = *parameters;
        let (color_blind, handled) = (some_are_color_blind(team), false);
        let (account, notes) = (Account::default(), Vec::new());
        Self { steps, reward, discount, remembers, color_blind, handled, account, notes }
    }

    /// Notes an action of a robot.
    pub(crate) fn note(&mut self, action: &Action) {
        self.handled |= matches!(action, Action::PickUp { .. } | Action::PutDown);
    }

    /// Forgets the memory of a robot whose agent has left, and which has put down its blocks.
    pub(crate) fn forget(&mut self, entity: EntityId) {
        self.handled = true;
        if let Ok(index) = self.find(entity) {
            self.notes[index].rooms.clear();
        }
    }

    /// Makes a step, and computes its rewards.
    pub(crate) fn step(&mut self, world: &mut World) {
        self.meet(world);
        let (steps, handled) = (self.steps, std::mem::take(&mut self.handled));
        pass(steps, handled, world, |world| self.look_around(world));
        let team = self.account.settle(world);
        for (notes, robot) in self.notes.iter_mut().zip(world.robots()) {
            let before = std::mem::take(&mut notes.potential);
            if self.reward == Reward::Shaped && !self.account.is_over() {
                notes.potential = potential(world, robot);
            }
            notes.reward = (team + self.discount * notes.potential - before) as f32;
        }
    }

    /// Returns the layout for the map of this environment.
    pub(super) fn layout<'a>(&self, ground: &'a Ground) -> Layout<'a> {
        Layout::of(ground, self.color_blind)
    }

    /// Whether the sequence is complete, or can no longer be completed.
    pub(super) fn is_over(&self) -> bool {
        self.account.is_over()
    }

    /// Returns the data of a robot; `None` before its first step.
    pub(super) fn notes(&self, entity: EntityId) -> Option<&Notes> {
        self.find(entity).ok().map(|index| &self.notes[index])
    }

    fn find(&self, entity: EntityId) -> Result<usize, usize> {
        self.notes.binary_search_by_key(&entity, |notes| notes.entity)
    }

    /// Creates memories for new robots, and removes those of deleted ones.
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

    /// Updates the robots' memories of visible rooms.
    fn look_around(&mut self, world: &World) {
        if !self.remembers {
            return;
        }
        let tick = world.tick_count();
        for (notes, robot) in self.notes.iter_mut().zip(world.robots()) {
            let Some(room) = View::room_of(world, robot) else { continue };
            let seen = RoomSeen { room, tick, counts: View::of(world, robot).counts };
            match notes.rooms.binary_search_by_key(&room, |seen| seen.room) {
                Ok(place) => notes.rooms[place] = seen,
                Err(place) => notes.rooms.insert(place, seen),
            }
        }
    }
}

/// Whether some robots of a team are colour-blind.
pub(super) fn some_are_color_blind(team: &Team) -> bool {
    team.bots.iter().any(|bots| bots.color_blind)
}

/// Maximum number of ticks of a step that lasts until there is something to decide: 10 seconds.
pub const MOST_TICKS: u32 = 500;

/// Makes the ticks of a step, and calls `look_around` before each of them. `handled` says whether a block was picked up
/// or put down since the last step.
pub(super) fn pass(steps: Steps, handled: bool, world: &mut World, mut look_around: impl FnMut(&World)) {
    let most = if steps == Steps::Decision && !handled { MOST_TICKS } else { 1 };
    let mut on_the_way = count_on_the_way(world);
    for _ in 0..most {
        look_around(world);
        world.tick();
        let before = std::mem::replace(&mut on_the_way, count_on_the_way(world));
        if on_the_way == 0 || on_the_way < before {
            break;
        }
    }
}

fn count_on_the_way(world: &World) -> usize {
    world.robots().iter().filter(|robot| robot.state == State::Traveling).count()
}

/// For each colour delivered when it is needed.
const DELIVERED: f64 = 1.0;

/// Additionally, for the last colour of the sequence.
const COMPLETED: f64 = 5.0;

/// For each block brought to the drop zone when another colour is needed.
const WRONG_DROP: f64 = -1.0;

/// When too many blocks are lost to complete the sequence. It costs more than continuing for a quarter of an hour, so
/// that giving up to save time does not pay.
const HOPELESS: f64 = -10.0;

/// For each second.
const SECOND: f64 = -0.01;

/// The potential of holding a block of a colour that is still needed.
const HOLDING: f64 = 0.25;

/// The additional potential of being in the drop zone with the colour that is needed now on top.
const AT_DROP_ZONE: f64 = 0.25;

/// The state of a team after the last step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Account {
    tick: u64,
    delivered: usize,
    wrong_drops: u64,
    completed: bool,
    hopeless: bool,
}

impl Account {
    /// Whether the sequence is complete, or can no longer be completed.
    pub(super) fn is_over(&self) -> bool {
        self.completed || self.hopeless
    }

    /// Returns the reward of all robots since the last step.
    pub(super) fn settle(&mut self, world: &World) -> f64 {
        let before = *self;
        *self = Self {
            tick: world.tick_count(),
            delivered: world.delivered(),
            wrong_drops: world.robots().iter().map(|robot| robot.deeds.wrong_drops).sum(),
            completed: world.completed().is_some(),
            hopeless: before.hopeless || !world.is_solvable(),
        };
        if before.is_over() {
            return 0.0;
        }
        let seconds = self.tick.saturating_sub(before.tick) as f64 / TICKS_PER_SECOND;
        DELIVERED * self.delivered.saturating_sub(before.delivered) as f64
            + WRONG_DROP * self.wrong_drops.saturating_sub(before.wrong_drops) as f64
            + if self.completed { COMPLETED } else { 0.0 }
            + if self.hopeless { HOPELESS } else { 0.0 }
            + SECOND * seconds
    }
}

/// Returns the potential of a robot's situation.
pub(super) fn potential(world: &World, robot: &Robot) -> f64 {
    let needed = &world.sequence()[world.delivered()..];
    let color = |block: &usize| world.blocks()[*block].color;
    let is_useful = robot.load.iter().any(|block| needed.contains(&color(block)));
    let is_there = robot.zones.contains(&world.ground().drop_zone());
    let is_due = is_there && robot.load.last().is_some_and(|block| needed.first() == Some(&color(block)));
    (if is_useful { HOLDING } else { 0.0 }) + (if is_due { AT_DROP_ZONE } else { 0.0 })
}
