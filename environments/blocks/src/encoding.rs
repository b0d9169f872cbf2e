//! What the encodings of both environments share. An observation has a row for each block, first as the blocks stand,
//! then as the goal wants them: 1 for the block or the table (the last element) on which it stands. A reward is the
//! change of the share of blocks that are in place.

use situated::encoding::Buffers;
use situated::iil::EcoString;

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

/// Writes both arrangements.
pub(crate) fn write(towers: &Towers, goal: Option<&Towers>, observation: &mut [u8]) {
    let count = towers.count();
    observation.fill(0);
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

/// Writes the reward and the flags of a row.
pub(crate) fn finish(buffers: &mut Buffers<'_, u8>, row: usize, progress: Progress, is_done: bool) {
    buffers.rewards[row] = progress.reward();
    buffers.terminated[row] = is_done;
    buffers.truncated[row] = false;
}

/// The numbers of blocks in place: now, after the last step, and after the step before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Progress {
    in_place: [u8; 3],
    count: u8,
}

impl Progress {
    pub(crate) fn new(towers: &Towers, goal: Option<&Towers>) -> Self {
        let in_place = goal.map_or(0, |goal| towers.in_place(goal)) as u8;
        Self { in_place: [in_place; 3], count: towers.count() as u8 }
    }

    pub(crate) fn update(&mut self, towers: &Towers, goal: Option<&Towers>) {
        self.in_place[0] = goal.map_or(0, |goal| towers.in_place(goal)) as u8;
    }

    pub(crate) fn step(&mut self) {
        self.in_place = [self.in_place[0], self.in_place[0], self.in_place[1]];
    }

    pub(crate) fn in_place(self) -> u8 {
        self.in_place[0]
    }

    pub(crate) fn is_done(self) -> bool {
        self.in_place[0] == self.count
    }

    fn reward(self) -> f32 {
        (f32::from(self.in_place[1]) - f32::from(self.in_place[2])) / f32::from(self.count)
    }
}
