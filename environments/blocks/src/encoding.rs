//! What the encodings of both environments share. An observation has a row for each block, first as the blocks stand,
//! then as the goal wants them: 1 for the block or the table (the last element) on which it stands. A reward is the
//! change of the share of blocks that are in place.

use situated::environment::{Ending, Measure};
use situated::iil::EcoString;

use crate::GRIPPER;
use crate::towers::{Support, Towers};

/// Returns the number of elements for arrangements of so many blocks: those that are, and those that are wanted.
pub(crate) const fn elements(count: usize) -> usize {
    2 * count * (count + 1)
}

/// Returns the meanings of these elements, with the names of blocks.
pub(crate) fn meanings(count: usize, name: fn(u8) -> EcoString) -> Vec<String> {
    let blocks = 0..count as u8;
    let below = |block: u8| {
        let onto = (0..count as u8).map(name).chain(["the table".into()]);
        onto.map(move |onto| format!("{} on {onto}", name(block)))
    };
    let is: Vec<String> = blocks.flat_map(below).collect();
    let wanted = is.iter().map(|meaning| format!("goal: {meaning}"));
    is.iter().cloned().chain(wanted).collect()
}

/// Writes both arrangements into elements that are 0.
pub(crate) fn write(towers: &Towers, goal: Option<&Towers>, observation: &mut [u8]) {
    let count = towers.count();
    let (is, wanted) = observation.split_at_mut(count * (count + 1));
    for (towers, rows) in [(Some(towers), is), (goal, wanted)] {
        let Some(towers) = towers else { continue };
        for (block, row) in towers.blocks().zip(rows.chunks_exact_mut(count + 1)) {
            match towers.support(block) {
                Support::Table => row[count] = 1,
                Support::Block(below) => row[usize::from(below)] = 1,
                Support::Arm => {}
            }
        }
    }
}

/// The goal, and the numbers of blocks in place: now, after the last step, and after the step before it.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Progress {
    pub(crate) goal: Option<Towers>,
    in_place: [u8; 3],
    count: u8,
}

impl Progress {
    pub(crate) fn new(towers: &Towers, goal: Option<Towers>) -> Self {
        let mut progress = Self { goal, in_place: [0; 3], count: towers.count() as u8 };
        progress.update(towers);
        progress.in_place = [progress.in_place[0]; 3];
        progress
    }

    pub(crate) fn update(&mut self, towers: &Towers) {
        self.in_place[0] = self.goal.as_ref().map_or(0, |goal| towers.in_place(goal)) as u8;
    }

    pub(crate) fn step(&mut self) {
        self.in_place = [self.in_place[0], self.in_place[0], self.in_place[1]];
    }

    /// Returns the blocks with the things on which the goal wants them.
    pub(crate) fn targets(&self) -> impl Iterator<Item = (u8, Support)> {
        self.goal.iter().flat_map(|goal| goal.blocks().map(|block| (block, goal.support(block))))
    }

    /// Returns how the episode ended: the goal is reached.
    pub(crate) fn ending(&self) -> Option<Ending> {
        (self.goal.is_some() && self.in_place[0] == self.count).then_some(Ending::Terminated)
    }

    /// Returns the results if there is a goal.
    pub(crate) fn results(&self) -> impl Iterator<Item = Measure> {
        let results = self.goal.is_some().then(|| {
            let in_place = Measure::new(GRIPPER, "blocks in place", self.in_place[0]);
            [in_place, Measure::new(GRIPPER, "completed", self.ending().is_some())]
        });
        results.into_iter().flatten()
    }

    /// Returns the reward of the last step.
    pub(crate) fn reward(&self) -> f32 {
        (f32::from(self.in_place[1]) - f32::from(self.in_place[2])) / f32::from(self.count)
    }
}
