//! The crossings of the lines of a grid, and the parts of lines between them, which are open or closed.

use std::ops::Range;

/// Crossings, of which each has a number: row after row, from the left.
pub(super) struct Crossings {
    columns: usize,
    /// For each crossing, whether the part of the row to the next crossing on the right is closed, and the part of the
    /// column to the next one below.
    closed_right: Vec<bool>,
    closed_below: Vec<bool>,
}

impl Crossings {
    /// Creates crossings between which all parts are open, except those that lead out.
    pub(super) fn new(columns: usize, rows: usize) -> Self {
        let [closed_right, closed_below] = [(); 2].map(|()| vec![false; columns * rows]);
        let mut this = Self { columns, closed_right, closed_below };
        (0..rows).for_each(|row| this.close_right(row, columns.saturating_sub(1)..columns));
        rows.checked_sub(1).into_iter().for_each(|last| this.close_below(last, 0..columns));
        this
    }

    /// Closes the parts of a row on the right of these crossings.
    pub(super) fn close_right(&mut self, row: usize, columns: Range<usize>) {
        self.closed_right[row * self.columns..][columns].fill(true);
    }

    /// Closes the parts of columns below these crossings of a row.
    pub(super) fn close_below(&mut self, row: usize, columns: Range<usize>) {
        self.closed_below[row * self.columns..][columns].fill(true);
    }

    /// Returns the crossings next to a crossing to which the way is open.
    pub(super) fn neighbours(&self, crossing: usize) -> impl Iterator<Item = usize> {
        let right = (!self.closed_right[crossing]).then_some(crossing + 1);
        let left = crossing.checked_sub(1).filter(|left| !self.closed_right[*left]);
        let below = (!self.closed_below[crossing]).then_some(crossing + self.columns);
        let above = crossing.checked_sub(self.columns).filter(|above| !self.closed_below[*above]);
        [right, left, below, above].into_iter().flatten()
    }

    /// Returns for each crossing whether there is a way to it from this one.
    pub(super) fn reachable(&self, from: usize) -> Vec<bool> {
        let mut reachable = vec![false; self.closed_right.len()];
        reachable[from] = true;
        let mut rim = vec![from];
        while let Some(crossing) = rim.pop() {
            for neighbour in self.neighbours(crossing) {
                if !reachable[neighbour] {
                    reachable[neighbour] = true;
                    rim.push(neighbour);
                }
            }
        }
        reachable
    }
}
