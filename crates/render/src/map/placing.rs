//! Finds positions for signs and names among the characters of a map.

use std::ops::Range;

use situated::scene::Color;

use crate::canvas::Bounds;

/// Maximum distance of a sign from its place if something else is there, in characters.
const FARTHEST: usize = 3;

/// A character that is drawn over the ground.
#[derive(Clone, Copy)]
pub(super) struct Over {
    pub(super) letter: char,
    pub(super) ink: Color,
    /// The background colour; `None` keeps that of the area.
    pub(super) ground: Option<Color>,
    pub(super) bold: bool,
    pub(super) kind: Kind,
}

/// The kind of a character. Later kinds may cover earlier ones.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Line,
    Name,
    Door,
    Thing,
    Entity,
}

/// A rectangle of characters. Its right and bottom are exclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Area {
    pub(super) left: usize,
    pub(super) right: usize,
    pub(super) top: usize,
    pub(super) bottom: usize,
}

/// The characters in front of the areas of a map.
pub(super) struct Overlay {
    columns: usize,
    cells: Vec<Option<Over>>,
}

impl Area {
    /// Returns the characters of pixels; at least one.
    pub(super) fn of(bounds: &Bounds) -> Self {
        let (left, top) = (bounds.left.round() as usize, (bounds.top / 2.0).round() as usize);
        let (right, bottom) = (bounds.right.round() as usize, (bounds.bottom / 2.0).round() as usize);
        Self { left, right: right.max(left.saturating_add(1)), top, bottom: bottom.max(top.saturating_add(1)) }
    }

    /// Returns the part inside of another area: at least one character, if the other area has any.
    pub(super) fn within(self, other: Area) -> Self {
        let left = self.left.clamp(other.left, other.right.saturating_sub(1).max(other.left));
        let top = self.top.clamp(other.top, other.bottom.saturating_sub(1).max(other.top));
        Self {
            left,
            right: self.right.clamp((left + 1).min(other.right), other.right),
            top,
            bottom: self.bottom.clamp((top + 1).min(other.bottom), other.bottom),
        }
    }

    /// Returns an area of this size, centred on a pixel.
    pub(super) fn around((x, y): (f64, f64), columns: usize, rows: usize) -> Self {
        let (left, top) = ((x - columns as f64 / 2.0).round() as usize, (y / 2.0 - rows as f64 / 2.0).round() as usize);
        Self { left, right: left + columns, top, bottom: top + rows }
    }

    /// Returns the area moved into the other area, and made smaller if it does not fit.
    pub(super) fn moved_into(self, other: Area) -> Self {
        let columns = (self.right - self.left).min(other.right - other.left);
        let rows = (self.bottom - self.top).min(other.bottom - other.top);
        let (left, top) =
            (self.left.clamp(other.left, other.right - columns), self.top.clamp(other.top, other.bottom - rows));
        Self { left, right: left + columns, top, bottom: top + rows }
    }

    /// Returns the area without its outermost characters.
    pub(super) fn inner(self) -> Self {
        Self { left: self.left + 1, right: self.right - 1, top: self.top + 1, bottom: self.bottom - 1 }
    }

    pub(super) fn cells(self) -> impl Iterator<Item = (usize, usize)> {
        (self.top..self.bottom).flat_map(move |row| (self.left..self.right).map(move |column| (column, row)))
    }

    /// Its pixels.
    pub(super) fn bounds(self) -> Bounds {
        let [left, right, top, bottom] =
            [self.left, self.right, 2 * self.top, 2 * self.bottom].map(|place| place as f64);
        Bounds { left, right, top, bottom }
    }

    /// Returns the character of the area that is nearest to this one.
    pub(super) fn clamp(self, column: usize, row: usize) -> (usize, usize) {
        let last = |end: usize, first: usize| end.saturating_sub(1).max(first);
        (column.clamp(self.left, last(self.right, self.left)), row.clamp(self.top, last(self.bottom, self.top)))
    }

    /// Returns the positions where text of this length can begin to be in the middle of a row. Rows in the middle of
    /// the area come first.
    pub(super) fn middle_first(self, length: usize) -> Vec<(usize, usize)> {
        let Some(spare) = (self.right - self.left).checked_sub(length) else { return Vec::new() };
        let column = self.left + spare / 2;
        let mut rows: Vec<usize> = (self.top..self.bottom).collect();
        rows.sort_by_key(|row| (2 * row + 1).abs_diff(self.top + self.bottom));
        rows.into_iter().map(|row| (column, row)).collect()
    }
}

impl Overlay {
    pub(super) fn new(columns: usize, rows: usize) -> Self {
        Self { columns, cells: vec![None; columns * rows] }
    }

    pub(super) fn area(&self) -> Area {
        let bottom = self.cells.len().checked_div(self.columns).unwrap_or(0);
        Area { left: 0, right: self.columns, top: 0, bottom }
    }

    /// Returns the character at these pixels, or `None` outside of the area, except for a rounding error.
    pub(super) fn cell(&self, x: f64, y: f64) -> Option<(usize, usize)> {
        let area = self.area();
        let is_near = |place: f64, end: usize| end > 0 && (-1.0..=end as f64 + 1.0).contains(&place);
        let is_inside = is_near(x, area.right) && is_near(y, 2 * area.bottom);
        is_inside.then(|| area.clamp(x.max(0.0) as usize, y.max(0.0) as usize / 2))
    }

    pub(super) fn get(&self, column: usize, row: usize) -> Option<Over> {
        self.cells.get(row * self.columns + column).copied().flatten()
    }

    pub(super) fn set(&mut self, column: usize, row: usize, over: Over) {
        if column < self.columns
            && let Some(cell) = self.cells.get_mut(row * self.columns + column)
        {
            *cell = Some(over);
        }
    }

    /// Removes the characters at this position. A name that is partly there is removed as a whole.
    pub(super) fn uncover(&mut self, columns: Range<usize>, row: usize) {
        let is_name = |column: usize| self.get(column, row).is_some_and(|over| over.kind == Kind::Name);
        let mut first = columns.start;
        let mut end = columns.end.min(self.columns);
        if is_name(first) {
            first -= (0..first).rev().take_while(|column| is_name(*column)).count();
        }
        if end > first && is_name(end - 1) {
            end += (end..self.columns).take_while(|column| is_name(*column)).count();
        }
        self.clear(Area { left: first.min(end), right: end, top: row, bottom: row + 1 });
    }

    pub(super) fn clear(&mut self, area: Area) {
        let area = area.within(self.area());
        for row in area.top..area.bottom {
            self.cells[row * self.columns + area.left..row * self.columns + area.right].fill(None);
        }
    }

    /// Returns whether a character is covered by neither this kind nor a later one.
    pub(super) fn is_free(&self, column: usize, row: usize, kind: Kind) -> bool {
        self.get(column, row).is_none_or(|over| over.kind < kind)
    }

    /// Draws signs one after another, starting at this position or at the nearest one where they cover only what
    /// `may_cover` allows. If there is none, they are drawn at this position.
    pub(super) fn set_near(
        &mut self,
        (column, row): (usize, usize),
        area: Area,
        signs: &[Over],
        may_cover: impl Fn(&Over) -> bool,
    ) {
        let last = area.right.saturating_sub(signs.len()).max(area.left);
        let column = column.min(last);
        let fits = |column: usize, row: usize| {
            column <= last
                && (column..column + signs.len()).all(|column| self.get(column, row).as_ref().is_none_or(&may_cover))
        };
        let mut near: Vec<(usize, usize)> = (row.saturating_sub(FARTHEST).max(area.top)
            ..(row + FARTHEST + 1).min(area.bottom))
            .flat_map(|row| {
                (column.saturating_sub(2 * FARTHEST).max(area.left)..=(column + 2 * FARTHEST).min(last))
                    .map(move |column| (column, row))
            })
            .collect();
        near.sort_by_key(|place| (place.0.abs_diff(column) + 2 * place.1.abs_diff(row), *place));
        let (column, row) = near.into_iter().find(|place| fits(place.0, place.1)).unwrap_or((column, row));
        self.uncover(column..column + signs.len(), row);
        signs.iter().enumerate().for_each(|(place, sign)| self.set(column + place, row, *sign));
    }
}
