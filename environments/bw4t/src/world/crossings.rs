//! The crossings of the lines of a grid, and the parts of lines between them, which are open or closed.
//!
//! A bit stands for a crossing, row after row, so that exploring takes one addition for up to 64 crossings.

use std::ops::Range;

/// Crossings, of which each has a number: row after row, from the left.
pub(super) struct Crossings {
    columns: usize,
    /// For each crossing, whether the part of the row to the next crossing on the right is closed, and the part of the
    /// column to the next one below.
    closed_right: Bits,
    closed_below: Bits,
    /// Whether there is a way to a crossing from those that were explored.
    reached: Bits,
}

/// A bit for each crossing.
struct Bits {
    words: Vec<u64>,
    /// Number of words for a row.
    width: usize,
}

impl Crossings {
    /// Creates crossings between which all parts are open, except those that lead out.
    pub(super) fn new(columns: usize, rows: usize) -> Self {
        let [mut closed_right, mut closed_below, reached] = [(); 3].map(|()| Bits::new(columns, rows));
        (0..rows).for_each(|row| closed_right.set(row, columns.saturating_sub(1)..columns));
        rows.checked_sub(1).into_iter().for_each(|last| closed_below.set(last, 0..columns));
        Self { columns, closed_right, closed_below, reached }
    }

    /// Closes the parts of a row on the right of these crossings.
    pub(super) fn close_right(&mut self, row: usize, columns: Range<usize>) {
        self.closed_right.set(row, columns);
    }

    /// Closes the parts of columns below these crossings of a row.
    pub(super) fn close_below(&mut self, row: usize, columns: Range<usize>) {
        self.closed_below.set(row, columns);
    }

    /// Returns the crossings next to a crossing to which the way is open.
    pub(super) fn neighbours(&self, crossing: usize) -> impl Iterator<Item = usize> {
        let (row, column) = (crossing / self.columns, crossing % self.columns);
        let right = !self.closed_right.has(row, column);
        let left = column > 0 && !self.closed_right.has(row, column - 1);
        let below = !self.closed_below.has(row, column);
        let above = row > 0 && !self.closed_below.has(row - 1, column);
        let right = right.then_some(crossing + 1);
        let left = left.then(|| crossing - 1);
        let below = below.then_some(crossing + self.columns);
        let above = above.then(|| crossing - self.columns);
        [right, left, below, above].into_iter().flatten()
    }

    /// Explores all crossings to which there is a way from this one.
    pub(super) fn explore(&mut self, crossing: usize) {
        let (row, column) = (crossing / self.columns, crossing % self.columns);
        self.reached.set(row, column..column + 1);
        let mut rim = vec![row];
        while let Some(row) = rim.pop() {
            self.explore_row(row);
            if row > 0 && self.step(row, row - 1) {
                rim.push(row - 1);
            }
            if row + 1 < self.rows() && self.step(row, row + 1) {
                rim.push(row + 1);
            }
        }
    }

    /// Whether there is a way to a crossing from one that was explored.
    pub(super) fn is_reached(&self, crossing: usize) -> bool {
        self.reached.has(crossing / self.columns, crossing % self.columns)
    }

    fn rows(&self) -> usize {
        self.reached.words.len() / self.reached.width
    }

    /// Reaches everything in a row to which there is a way in this row.
    fn explore_row(&mut self, row: usize) {
        let range = self.reached.range(row);
        let (reached, closed) = (&mut self.reached.words[range.clone()], &self.closed_right.words[range]);
        let mut enters = false;
        for (reached, closed) in reached.iter_mut().zip(closed) {
            (*reached, enters) = run(*reached | u64::from(enters), !closed);
        }
        enters = false;
        for word in (0..reached.len()).rev() {
            let left = word.checked_sub(1).map_or(u64::MAX, |left| closed[left]);
            let open = !(closed[word] << 1 | left >> 63);
            let (run, leaves) = run(reached[word].reverse_bits() | u64::from(enters), open.reverse_bits());
            (reached[word], enters) = (run.reverse_bits(), leaves);
        }
    }

    /// Goes from the crossings of a row that were reached to those of the row above or below, where the parts between them
    /// are open. Returns whether it reaches any for the first time.
    fn step(&mut self, from: usize, to: usize) -> bool {
        let mut new = false;
        for word in 0..self.reached.width {
            let at = |row: usize| row * self.reached.width + word;
            let (from, upper, to) = (at(from), at(from.min(to)), at(to));
            let before = self.reached.words[to];
            let after = before | (self.reached.words[from] & !self.closed_below.words[upper]);
            self.reached.words[to] = after;
            new |= after != before;
        }
        new
    }
}

impl Bits {
    fn new(columns: usize, rows: usize) -> Self {
        let width = columns.div_ceil(64);
        Self { words: vec![0; width * rows], width }
    }

    /// Returns the words of a row.
    fn range(&self, row: usize) -> Range<usize> {
        row * self.width..(row + 1) * self.width
    }

    /// Sets the bits of some columns in a row.
    fn set(&mut self, row: usize, columns: Range<usize>) {
        if columns.is_empty() {
            return;
        }
        let (first, last) = (columns.start, columns.end - 1);
        for word in first / 64..=last / 64 {
            let from = if word == first / 64 { u64::MAX << (first % 64) } else { u64::MAX };
            let to = if word == last / 64 { u64::MAX >> (63 - last % 64) } else { u64::MAX };
            self.words[row * self.width + word] |= from & to;
        }
    }

    fn has(&self, row: usize, column: usize) -> bool {
        self.words[row * self.width + column / 64] >> (column % 64) & 1 == 1
    }
}

/// Moves each bit towards the highest one as long as the way is open, and sets the bits on its way. `open` tells for each
/// place whether the way to the next higher one is open. Also returns whether a bit leaves the word.
fn run(bits: u64, open: u64) -> (u64, bool) {
    // The carry of an addition runs over the open places, and ends in the first closed one.
    let (sum, leaves) = (bits & open).overflowing_add(open);
    (bits | (sum ^ open), leaves)
}

#[cfg(test)]
mod tests {
    use situated::random::Random;

    use super::*;

    #[test]
    fn exploring_reaches_what_steps_to_neighbours_reach() {
        let mut random = Random::new(1);
        for _ in 0..500 {
            let (columns, rows) = (1 + random.index(200), 1 + random.index(20));
            let mut crossings = Crossings::new(columns, rows);
            for _ in 0..random.index(columns * rows) {
                let (row, column) = (random.index(rows), random.index(columns));
                let end = (column + random.index(10)).min(columns);
                if random.chance(0.5) {
                    crossings.close_right(row, column..end);
                } else {
                    crossings.close_below(row, column..end);
                }
            }
            let start = random.index(columns * rows);
            let (mut reached, mut rim) = (vec![false; columns * rows], vec![start]);
            while let Some(crossing) = rim.pop() {
                if !std::mem::replace(&mut reached[crossing], true) {
                    rim.extend(crossings.neighbours(crossing));
                }
            }
            crossings.explore(start);
            let explored: Vec<bool> = (0..columns * rows).map(|crossing| crossings.is_reached(crossing)).collect();
            assert_eq!(explored, reached, "{columns} columns, {rows} rows, from {start}");
        }
    }
}
