//! Cells in rows and columns.

use serde::{Deserialize, Serialize};

use crate::Place;

/// A rectangle of cells. (0, 0) is the south-western one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grid<T> {
    /// Row by row from the south.
    cells: Vec<T>,
    width: i32,
}

impl<T> Grid<T> {
    /// Creates a grid with these cells.
    pub fn new(width: u16, height: u16, cell: impl FnMut(Place) -> T) -> Self {
        let (width, height) = (i32::from(width), i32::from(height));
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

    /// Returns the cell at a place, or `None` outside of the grid.
    pub fn get(&self, place: Place) -> Option<&T> {
        self.cells.get(self.index(place)?)
    }

    /// Mutable version of [`get`](Self::get).
    pub fn get_mut(&mut self, place: Place) -> Option<&mut T> {
        let index = self.index(place)?;
        self.cells.get_mut(index)
    }

    fn index(&self, (x, y): Place) -> Option<usize> {
        ((0..self.width).contains(&x) && y >= 0).then(|| y as usize * self.width as usize + x as usize)
    }
}

fn places(width: i32, height: i32) -> impl Iterator<Item = Place> {
    (0..height).flat_map(move |y| (0..width).map(move |x| (x, y)))
}
