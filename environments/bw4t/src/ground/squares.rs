//! Which areas lie where: the plane is divided into squares, each of which knows the areas that reach into it.

use crate::geometry::{Point, Rectangle};

/// The edge of the squares by which areas are looked up, in units, at the least.
const SQUARE: f64 = 5.0;

/// How many squares there are for an area, at the most.
const SQUARES_PER_AREA: f64 = 64.0;

/// Which areas lie in which part of the plane.
#[derive(Debug)]
pub(super) struct Squares {
    left: f64,
    top: f64,
    edge: f64,
    columns: usize,
    rows: usize,
    /// Where the areas of each square begin, row by row, and where those of the last one end.
    starts: Vec<usize>,
    numbers: Vec<usize>,
}

impl Squares {
    /// Those over these areas, by number.
    pub(super) fn of(areas: Vec<Rectangle>) -> Self {
        let least = |edge: fn(&Rectangle) -> f64| areas.iter().map(edge).fold(0.0, f64::min);
        let most = |edge: fn(&Rectangle) -> f64| areas.iter().map(edge).fold(0.0, f64::max);
        let (left, top) = (least(Rectangle::left), least(Rectangle::top));
        let (width, height) = (most(Rectangle::right) - left, most(Rectangle::bottom) - top);
        let edge = (width * height / (SQUARES_PER_AREA * areas.len() as f64)).sqrt().max(SQUARE);
        let count = |length: f64| (length / edge) as usize + 1;
        let (columns, rows) = (count(width), count(height));
        let mut squares = vec![Vec::new(); columns * rows];
        for (number, area) in areas.iter().enumerate() {
            let from = |at: f64, origin: f64| ((at - origin) / edge).max(0.0) as usize;
            for row in from(area.top(), top)..=from(area.bottom(), top).min(rows - 1) {
                for column in from(area.left(), left)..=from(area.right(), left).min(columns - 1) {
                    squares[row * columns + column].push(number);
                }
            }
        }
        let mut starts = vec![0];
        starts.extend(squares.iter().scan(0, |end, square| {
            *end += square.len();
            Some(*end)
        }));
        Self { left, top, edge, columns, rows, starts, numbers: squares.concat() }
    }

    /// The areas that may overlap a rectangle, each once, in order.
    pub(super) fn within(&self, bounds: &Rectangle) -> Vec<usize> {
        let at = |point: f64, origin: f64| ((point - origin) / self.edge).max(0.0) as usize;
        let (first, last) = (at(bounds.left(), self.left), at(bounds.right(), self.left).min(self.columns - 1));
        let mut found = Vec::new();
        for row in at(bounds.top(), self.top)..=at(bounds.bottom(), self.top).min(self.rows - 1) {
            let square = |column: usize| row * self.columns + column;
            if first <= last {
                found.extend_from_slice(&self.numbers[self.starts[square(first)]..self.starts[square(last) + 1]]);
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The areas that may have this point in them, in order.
    pub(super) fn near(&self, point: Point) -> &[usize] {
        let (x, y) = ((point.x - self.left) / self.edge, (point.y - self.top) / self.edge);
        if x < 0.0 || y < 0.0 || x >= self.columns as f64 || y >= self.rows as f64 {
            return &[];
        }
        let square = y as usize * self.columns + x as usize;
        &self.numbers[self.starts[square]..self.starts[square + 1]]
    }
}
