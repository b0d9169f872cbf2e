//! Towers of blocks on a table. Blocks have numbers from 0, and so have the columns in which towers stand.

use serde::{Deserialize, Serialize};
use situated::iil::EcoString;
use situated::random::Random;

/// The greatest number of blocks.
pub const MOST_BLOCKS: usize = 60;

/// The thing on which a block stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Support {
    /// The table.
    Table,
    /// The block with this number.
    Block(u8),
    /// None, because an arm holds the block.
    Arm,
}

impl Support {
    /// Returns the name of the block, or `the table`.
    pub(crate) fn in_words(self, name: fn(u8) -> EcoString) -> EcoString {
        if let Support::Block(below) = self { name(below) } else { "the table".into() }
    }
}

/// Blocks, each on another one, on the table, or in an arm.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Towers {
    supports: Vec<Support>,
    /// The columns of the blocks; that of a block in an arm is of no account.
    columns: Vec<u8>,
}

impl Towers {
    /// Creates blocks that stand on the table, each in its column.
    pub fn on_table(count: usize) -> Self {
        Self { supports: vec![Support::Table; count], columns: (0..count as u8).collect() }
    }

    /// Creates blocks that stand on these things.
    ///
    /// # Errors
    /// Returns an error if a block stands on itself, with or without others between, or two blocks stand on the same
    /// one, or on one that does not exist, or if there are too many.
    pub fn new(supports: Vec<Support>) -> Result<Self, String> {
        let count = supports.len();
        if !(1..=MOST_BLOCKS).contains(&count) {
            return Err(format!("there are {count} blocks; there must be from 1 to {MOST_BLOCKS}"));
        }
        let mut is_covered = [false; MOST_BLOCKS];
        for (number, support) in supports.iter().enumerate() {
            let Support::Block(below) = *support else { continue };
            let below = usize::from(below);
            if below >= count {
                return Err(format!("block {} stands on {}, and there are {count} blocks", number + 1, below + 1));
            }
            if std::mem::replace(&mut is_covered[below], true) {
                return Err(format!("two blocks stand on block {}; a block carries one", below + 1));
            }
        }
        let mut towers = Self::on_table(count);
        for block in 0..count {
            let mut base = block;
            for _ in 0..count {
                let Support::Block(below) = supports[base] else { break };
                base = usize::from(below);
            }
            if matches!(supports[base], Support::Block(_)) {
                return Err(format!("block {} stands, with others between, on itself", block + 1));
            }
            towers.columns[block] = base as u8;
        }
        Ok(Self { supports, ..towers })
    }

    /// Creates random towers: the blocks are put on the table, in a random order, or on one of the towers so far, each
    /// equally likely.
    pub fn random(count: usize, random: &mut Random) -> Self {
        let mut towers = Self::on_table(count);
        let mut order: Vec<u8> = (0..count as u8).collect();
        random.shuffle(&mut order);
        let mut tops: Vec<u8> = Vec::new();
        for block in order {
            let tower = random.index(tops.len() + 1);
            match tops.get_mut(tower) {
                Some(top) => {
                    let below = std::mem::replace(top, block);
                    towers.put(block, Support::Block(below));
                }
                None => tops.push(block),
            }
        }
        towers
    }

    /// Creates towers from what somebody perceives of them. Blocks that are not mentioned are in an arm. Returns `None`
    /// for a contradiction.
    pub fn perceived(supports: impl IntoIterator<Item = (u8, Support)>) -> Option<Self> {
        let supports: Vec<(u8, Support)> = supports.into_iter().collect();
        let numbers = supports.iter().flat_map(|(block, support)| match support {
            Support::Block(below) => [*block, *below],
            _ => [*block; 2],
        });
        let mut all = vec![Support::Arm; usize::from(numbers.max()?) + 1];
        supports.into_iter().for_each(|(block, support)| all[usize::from(block)] = support);
        Self::new(all).ok()
    }

    /// Returns the number of blocks.
    pub fn count(&self) -> usize {
        self.supports.len()
    }

    /// Returns the numbers of the blocks.
    pub fn blocks(&self) -> impl Iterator<Item = u8> + use<> {
        0..self.supports.len() as u8
    }

    /// Returns the thing on which a block stands.
    pub fn support(&self, block: u8) -> Support {
        self.supports[usize::from(block)]
    }

    /// Returns the column of a block.
    pub fn column(&self, block: u8) -> u8 {
        self.columns[usize::from(block)]
    }

    /// Returns the number of blocks below a block.
    pub fn height(&self, mut block: u8) -> u8 {
        let mut height = 0;
        while let Support::Block(below) = self.support(block) {
            (block, height) = (below, height + 1);
        }
        height
    }

    /// Returns the block on a block.
    pub fn above(&self, block: u8) -> Option<u8> {
        let above = self.supports.iter().position(|support| *support == Support::Block(block));
        above.map(|above| above as u8)
    }

    /// Returns whether a block stands, and carries none.
    pub fn is_clear(&self, block: u8) -> bool {
        self.support(block) != Support::Arm && self.above(block).is_none()
    }

    /// Returns the empty column that is nearest to a column; of two, the left one. A block in an arm leaves its column
    /// empty.
    pub fn empty_column(&self, near: u8) -> u8 {
        let taken =
            |column: u8| self.blocks().any(|block| self.column(block) == column && self.support(block) != Support::Arm);
        let empty = self.blocks().filter(|column| !taken(*column));
        empty.min_by_key(|column| (column.abs_diff(near), *column)).unwrap_or(near)
    }

    /// Puts a clear block onto a thing: onto the table in the first empty column.
    pub fn put(&mut self, block: u8, onto: Support) {
        let column = match onto {
            Support::Table if self.support(block) == Support::Table => self.column(block),
            Support::Table => self.empty_column(0),
            Support::Block(below) => self.column(below),
            Support::Arm => self.column(block),
        };
        self.put_in_column(block, onto, column);
    }

    /// Puts a clear block onto a thing in this column.
    pub fn put_in_column(&mut self, block: u8, onto: Support, column: u8) {
        self.supports[usize::from(block)] = onto;
        self.columns[usize::from(block)] = column;
    }

    /// Returns whether a block, and all blocks below it, stand where they stand in the goal.
    pub fn is_in_place(&self, mut block: u8, goal: &Towers) -> bool {
        loop {
            match (self.support(block), goal.support(block)) {
                (Support::Table, Support::Table) => return true,
                (Support::Block(is), Support::Block(wanted)) if is == wanted => block = is,
                _ => return false,
            }
        }
    }

    /// Returns the number of blocks that are [in place](Self::is_in_place).
    pub fn in_place(&self, goal: &Towers) -> usize {
        self.blocks().filter(|block| self.is_in_place(*block, goal)).count()
    }

    /// Returns where a block that is clear or in an arm is best put: where the goal wants it if this is ready, or onto
    /// the table.
    pub fn destination(&self, block: u8, goal: &Towers) -> Support {
        match goal.support(block) {
            Support::Block(below) if self.is_clear(below) && self.is_in_place(below, goal) => Support::Block(below),
            _ => Support::Table,
        }
    }

    /// Returns the next move towards a goal with the same blocks; `None` if all blocks are in place. Each block is
    /// moved at most twice: onto the table, and into its place.
    pub fn next_move(&self, goal: &Towers) -> Option<(u8, Support)> {
        let misplaced = || self.blocks().filter(|block| self.is_clear(*block) && !self.is_in_place(*block, goal));
        let moves = || misplaced().map(|block| (block, self.destination(block, goal)));
        let is_final = |(block, onto): &(u8, Support)| *onto == goal.support(*block);
        moves().find(is_final).or_else(|| moves().find(|(block, _)| self.support(*block) != Support::Table))
    }
}
