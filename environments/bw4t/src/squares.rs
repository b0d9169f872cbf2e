//! A spatial index: the plane in squares, each with the numbers of the things in it.

use crate::geometry::{Area, Point};

/// Numbers by squares.
#[derive(Debug, Default)]
pub(crate) struct Squares {
    corner: Point,
    edge: f64,
    columns: usize,
    rows: usize,
    /// The beginning of each square, row by row, among the numbers, and the end of the last one.
    begins: Vec<usize>,
    numbers: Vec<usize>,
}

impl Squares {
    /// Creates the index of these areas, by number: divides the area of `all` of them into squares with this edge.
    pub(crate) fn of<Areas>(areas: Areas, all: &Area, edge: f64) -> Self
    where
        Areas: DoubleEndedIterator<Item = Area> + ExactSizeIterator + Clone,
    {
        let along = |length: f64| (length / edge) as usize + 1;
        let (columns, rows) = (along(all.right - all.left), along(all.bottom - all.top));
        let corner = Point::new(all.left, all.top);
        let this = Self { corner, edge, columns, rows, begins: Vec::new(), numbers: Vec::new() };
        // From the end of each square back to its beginning.
        let mut begins = vec![0; columns * rows + 1];
        let squares_of = |area: &Area| this.touched(area).flat_map(|(first, last)| first..=last);
        areas.clone().flat_map(|area| squares_of(&area)).for_each(|square| begins[square] += 1);
        for square in 1..begins.len() {
            begins[square] += begins[square - 1];
        }
        let mut numbers = vec![0; begins[columns * rows]];
        for (number, area) in areas.enumerate().rev() {
            for square in squares_of(&area) {
                begins[square] -= 1;
                numbers[begins[square]] = number;
            }
        }
        Self { begins, numbers, ..this }
    }

    /// Returns the numbers in the squares that an area touches, square by square: a number that is in several of them
    /// occurs several times.
    pub(crate) fn touching(&self, area: &Area) -> impl Iterator<Item = usize> + use<'_> {
        self.touched(area).flat_map(|(first, last)| &self.numbers[self.begins[first]..self.begins[last + 1]]).copied()
    }

    /// Returns the numbers in the square that contains a point, or in the nearest one, in order.
    pub(crate) fn at(&self, point: Point) -> &[usize] {
        let (column, row) = self.square(point);
        let square = row * self.columns + column;
        &self.numbers[self.begins[square]..self.begins[square + 1]]
    }

    /// Returns the first and the last of the squares that an area touches in each row.
    fn touched(&self, area: &Area) -> impl Iterator<Item = (usize, usize)> + use<> {
        let (left, top) = self.square(Point::new(area.left, area.top));
        let (right, bottom) = self.square(Point::new(area.right, area.bottom));
        let columns = self.columns;
        (top..=bottom).map(move |row| (row * columns + left, row * columns + right))
    }

    /// Returns the column and the row of the square that contains a point, or of the nearest one.
    fn square(&self, point: Point) -> (usize, usize) {
        let along = |distance: f64, count: usize| ((distance / self.edge) as usize).min(count - 1);
        (along(point.x - self.corner.x, self.columns), along(point.y - self.corner.y, self.rows))
    }
}
