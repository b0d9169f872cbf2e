//! Cells in rows and columns.

use std::collections::{BTreeSet, VecDeque};
use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};

use crate::{Heading, Place, beside};

/// A rectangle of cells. (0, 0) is the south-western one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grid<T> {
    /// Row by row from the south.
    cells: Vec<T>,
    width: i32,
}

impl<T> Grid<T> {
    /// Creates a grid with these numbers of columns and rows. `cell` returns the cell for each place, row by row from
    /// the south. A negative number counts as 0.
    pub fn new(width: i32, height: i32, cell: impl FnMut(Place) -> T) -> Self {
        let width = width.max(0);
        Self { cells: places(width, height).map(cell).collect(), width }
    }

    /// Returns the number of columns and rows.
    pub fn size(&self) -> (i32, i32) {
        (self.width, self.cells.len() as i32 / self.width.max(1))
    }

    /// Returns all places, row by row from the south.
    pub fn places(&self) -> impl Iterator<Item = Place> + use<T> {
        let (width, height) = self.size();
        places(width, height)
    }

    /// Returns all places with their cells, row by row from the south.
    pub fn cells(&self) -> impl Iterator<Item = (Place, &T)> {
        self.places().zip(&self.cells)
    }

    /// Returns the places of the grid that are at most this many columns and rows away, row by row from the south.
    pub fn around(&self, (x, y): Place, distance: i32) -> impl Iterator<Item = Place> + use<T> {
        let (width, height) = self.size();
        let (left, right) = ((x - distance).max(0), (x + distance).min(width - 1));
        ((y - distance).max(0)..=(y + distance).min(height - 1)).flat_map(move |y| (left..=right).map(move |x| (x, y)))
    }

    /// Returns the cell at a place, or `None` outside of the grid.
    pub fn get(&self, place: Place) -> Option<&T> {
        self.cells.get(self.index(place)?)
    }

    /// Mutable version of [`get`](Self::get).
    pub fn get_mut(&mut self, place: Place) -> Option<&mut T> {
        let index = self.index(place)?;
        self.cells.get_mut(index)
    }

    /// Changes a cell. Outside of the grid, nothing happens.
    pub fn set(&mut self, place: Place, cell: T) {
        if let Some(old) = self.get_mut(place) {
            *old = cell;
        }
    }

    /// Creates a grid of the same size.
    pub fn map<U>(&self, mut cell: impl FnMut(Place, &T) -> U) -> Grid<U> {
        Grid { cells: self.cells().map(|(place, old)| cell(place, old)).collect(), width: self.width }
    }

    /// Returns whether each open cell can be reached from each other one, along rows and columns over open cells.
    pub fn is_connected(&self, is_open: impl Fn(&T) -> bool) -> bool {
        let mut unreached = self.map(|_, cell| is_open(cell));
        let mut ways: Vec<Place> =
            unreached.cells().find(|(_, is_open)| **is_open).map(|(place, _)| place).into_iter().collect();
        while let Some(place) = ways.pop() {
            if unreached.get_mut(place).is_some_and(std::mem::take) {
                ways.extend(beside(place));
            }
        }
        !unreached.cells.contains(&true)
    }

    fn index(&self, (x, y): Place) -> Option<usize> {
        ((0..self.width).contains(&x) && y >= 0).then(|| y as usize * self.width as usize + x as usize)
    }
}

fn places(width: i32, height: i32) -> impl Iterator<Item = Place> {
    (0..height).flat_map(move |y| (0..width).map(move |x| (x, y)))
}

/// Returns the first step of a shortest way from a place to the nearest goal, over places that can be entered. The goal
/// itself need not be one of them. Returns `None` if there is no way, or if the place is a goal.
pub fn first_step(from: Place, is_goal: impl Fn(Place) -> bool, can_enter: impl Fn(Place) -> bool) -> Option<Heading> {
    let mut known = BTreeSet::from([from]);
    let mut ways = VecDeque::from([(from, None)]);
    while let Some((place, first)) = ways.pop_front() {
        if is_goal(place) {
            return first;
        }
        if place != from && !can_enter(place) {
            continue;
        }
        for heading in Heading::ALL {
            let next = heading.from(place);
            if (can_enter(next) || is_goal(next)) && known.insert(next) {
                ways.push_back((next, first.or(Some(heading))));
            }
        }
    }
    None
}

/// Reads a map that has a line for each row and a character for each cell. All rows have the same length.
///
/// # Errors
/// Returns an error that says what is wrong if the number of rows or columns is not in `sides`, if a row is longer or
/// shorter than the first one, or if a cell is not one of `kinds`.
pub fn read_rows<'a>(
    lines: impl Iterator<Item = &'a str>,
    sides: &RangeInclusive<usize>,
    kinds: &str,
) -> Result<Vec<Vec<char>>, String> {
    let rows: Vec<Vec<char>> = lines.map(|line| line.chars().collect()).collect();
    let (height, width) = (rows.len(), rows.first().map_or(0, Vec::len));
    if !sides.contains(&height) || !sides.contains(&width) {
        let (least, most) = (sides.start(), sides.end());
        return Err(format!("it has {width} x {height} cells; a map has from {least} x {least} to {most} x {most}"));
    }
    for (row, number) in rows.iter().zip(1..) {
        if row.len() != width {
            return Err(format!("row {number} has {} cells, and the first {width}", row.len()));
        }
        if let Some(other) = row.iter().find(|cell| !kinds.contains(**cell)) {
            return Err(format!("row {number} contains `{}`; a cell is one of `{kinds}`", other.escape_debug()));
        }
    }
    Ok(rows)
}
