//! The robot arm of Tower. It moves in the steps of the original: lengths are in the original's units, of which a block
//! has 30. Heights are counted from the table.

use serde::{Deserialize, Serialize};

use crate::towers::{Support, Towers};

/// The width and height of a block.
pub(crate) const SIZE: i32 = 30;
/// The distance between the left edges of two columns.
const PITCH: i32 = 40;
/// The left edge of the first column.
const MARGIN: i32 = 15;
/// The distance that the arm moves in a step.
const STEP: i32 = 4;
/// The space above the highest possible tower, at which the arm moves sideways.
const CLEARANCE: i32 = 15;
/// The steps in which the claw opens or closes.
const CLAW: u8 = 3;

/// An order that the arm carries out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Order {
    /// To move to its place of rest.
    Nil,
    /// To pick up a block.
    Pickup(u8),
    /// To put down a block onto a thing.
    Putdown(u8, Support),
}

/// The arm.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Arm {
    pub(crate) order: Order,
    pub(crate) holds: Option<u8>,
    /// The left upper corner of the block that it holds, or would hold.
    at: (i32, i32),
    rest: (i32, i32),
    /// The opening of the claw, from 0 to [`CLAW`].
    claw: u8,
}

impl Arm {
    /// Creates an arm at its place of rest, above so many blocks.
    pub(crate) fn new(count: usize) -> Self {
        let rest = (MARGIN, count as i32 * SIZE + CLEARANCE);
        Self { order: Order::Nil, holds: None, at: rest, rest, claw: CLAW }
    }

    /// Returns the left lower corner of the block that it holds, or would hold, in blocks.
    pub(crate) fn position(&self) -> (f64, f64) {
        let part = |length: i32| f64::from(length) / f64::from(SIZE);
        (part(self.at.0), part(self.at.1 - SIZE))
    }

    /// Returns the opening of the claw, from 0 to 1.
    pub(crate) fn opening(&self) -> f64 {
        f64::from(self.claw) / f64::from(CLAW)
    }

    /// Moves for one step. Returns whether it has picked up or put down a block.
    pub(crate) fn step(&mut self, towers: &mut Towers) -> bool {
        match self.order {
            Order::Nil => {
                let aside = if self.at.1 == self.rest.1 { self.rest.0 } else { self.at.0 };
                self.follow((aside, self.rest.1));
                false
            }
            Order::Pickup(block) => self.pick_up(block, towers),
            Order::Putdown(block, onto) => self.put_down(block, onto, towers),
        }
    }

    /// Goes to a block and takes it. As long as the arm holds a block, or there is one on the block, it waits.
    fn pick_up(&mut self, block: u8, towers: &mut Towers) -> bool {
        if self.holds.is_some() || !towers.is_clear(block) {
            return false;
        }
        let target = (left(towers.column(block)), top(towers.height(block)));
        if self.at != target {
            self.approach(target);
        } else if self.claw > 0 {
            self.claw -= 1;
        } else {
            towers.put(block, Support::Arm);
            self.holds = Some(block);
            return true;
        }
        false
    }

    /// Carries a block to its place. As long as the arm does not hold the block, or there is one on its place, it
    /// waits.
    fn put_down(&mut self, block: u8, onto: Support, towers: &mut Towers) -> bool {
        if self.holds != Some(block) {
            return false;
        }
        let (column, height) = match onto {
            Support::Block(below) if towers.is_clear(below) => (towers.column(below), towers.height(below) + 1),
            Support::Table => {
                let near = (self.at.0 - MARGIN + PITCH / 2) / PITCH;
                (towers.empty_column(near as u8), 0)
            }
            _ => return false,
        };
        let target = (left(column), top(height));
        if self.at != target {
            self.approach(target);
        } else if self.claw < CLAW {
            self.claw += 1;
        } else {
            towers.put_in_column(block, onto, column);
            self.holds = None;
            return true;
        }
        false
    }

    /// Moves up, aside, and down.
    fn approach(&mut self, target: (i32, i32)) {
        let (x, y) = self.at;
        let next = match () {
            () if x == target.0 => (x, target.1),
            () if y == self.rest.1 => (target.0, y),
            () => (x, self.rest.1),
        };
        self.follow(next);
    }

    fn follow(&mut self, (x, y): (i32, i32)) {
        if self.at != (x, y) {
            self.claw = if self.holds.is_some() { 0 } else { CLAW };
        }
        let nearer = |from: i32, to: i32| from + (to - from).clamp(-STEP, STEP);
        self.at = (nearer(self.at.0, x), nearer(self.at.1, y));
    }
}

fn left(column: u8) -> i32 {
    MARGIN + PITCH * i32::from(column)
}

fn top(height: u8) -> i32 {
    SIZE * (i32::from(height) + 1)
}
