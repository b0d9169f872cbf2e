//! What robots are given for what they do.

use serde::{Deserialize, Serialize};
use situated::ParameterType;

use crate::robot::Robot;
use crate::world::TICKS_PER_SECOND;
use crate::world::World;

/// For each colour that is delivered when it is needed.
const DELIVERED: f64 = 1.0;

/// For the last one of the sequence, beside that.
const COMPLETED: f64 = 5.0;

/// For each block that is put down in the drop zone when another colour is needed.
const WRONG_DROP: f64 = -1.0;

/// When too many blocks are lost to complete the sequence. It is more than what it costs to go on for a quarter of an
/// hour, so that nobody gives up to save time.
const HOPELESS: f64 = -10.0;

/// For each second.
const SECOND: f64 = -0.01;

/// How promising it is to hold a block of a colour that is still needed.
const HOLDING: f64 = 0.25;

/// How promising it is, beside that, to be in the drop zone when the colour is needed now that would be put down.
const AT_DROP_ZONE: f64 = 0.25;

/// What robots are given for what they do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ParameterType)]
pub enum Reward {
    /// All the same: 1 for each colour that one of them delivers when it is needed, and 5 more for the last; -1 for
    /// each wrong drop; -10 when the sequence can no longer be completed; -0.01 for each second; after the end nothing.
    #[default]
    Team,
    /// Beside that, each what its own situation has gained in promise: 0.25 to hold a block of a colour that is still
    /// needed, and 0.25 more to be in the drop zone when it would put down the colour that is needed now.
    ///
    /// A step brings `discount` times the promise after it less that before it (potential-based shaping; Ng, Harada
    /// and Russell 1999). An episode begins and ends without promise, so that what is best to do stays the same for
    /// learners that discount each step by so much, however long it takes.
    Shaped,
}

/// How a team stood after the last step.
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

    /// What has been done since the last step: what all are given for it. Only in the first one, and where blocks were
    /// `handled`, can the sequence turn out to be hopeless.
    pub(super) fn settle(&mut self, world: &World, handled: bool) -> f64 {
        let before = *self;
        let unsure = handled || before.tick == 0;
        *self = Self {
            tick: world.tick_count(),
            delivered: world.delivered(),
            wrong_drops: world.robots().iter().map(|robot| robot.deeds.wrong_drops).sum(),
            completed: world.completed().is_some(),
            hopeless: before.hopeless || (unsure && !world.is_solvable()),
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

/// How promising the situation of a robot is.
pub(super) fn potential(world: &World, robot: &Robot) -> f64 {
    let needed = &world.sequence()[world.delivered()..];
    let color = |block: &usize| world.blocks()[*block].color;
    let is_useful = robot.load.iter().any(|block| needed.contains(&color(block)));
    let is_there = robot.zones.contains(&world.ground().drop_zone());
    let is_due = is_there && robot.load.last().is_some_and(|block| needed.first() == Some(&color(block)));
    (if is_useful { HOLDING } else { 0.0 }) + (if is_due { AT_DROP_ZONE } else { 0.0 })
}
