//! Boxes around places.

use situated::scene::{Outline, Shape};

use super::placing::Area;
use crate::canvas::Canvas;

/// A box around a place.
pub(super) struct Frame {
    /// Its left, bottom, right and top in the scene.
    pub(super) corners: [f64; 4],
    /// Its characters.
    pub(super) area: Area,
    pub(super) drawn: Drawn,
}

/// The way in which a box is drawn.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Drawn {
    Whole,
    /// Only the left and right side, because a whole box would leave no room inside.
    Sides,
    Not,
}

impl Frame {
    pub(super) fn new<T: Copy>(ground: &Canvas<T>, window: Area, corners: [f64; 4]) -> Self {
        let [x, y, right, top] = corners;
        let outline = Outline::Rectangle { x, y, width: right - x, height: top - y };
        let (_, lines) = ground.size(&outline);
        let mut area = Area::of(&ground.bounds(&outline));
        // Boxes of the same height get the same number of rows, wherever they are.
        area.bottom = area.top.saturating_add(((lines / 2.0).round() as usize).max(1));
        let area = area.within(window);
        let drawn = match (area.right - area.left, area.bottom - area.top) {
            (3.., 3..) => Drawn::Whole,
            (3.., _) => Drawn::Sides,
            _ => Drawn::Not,
        };
        Self { corners, area, drawn }
    }

    /// Returns the characters inside the box.
    pub(super) fn inner(&self) -> Area {
        if self.drawn == Drawn::Whole { self.area.inner() } else { self.area }
    }

    /// Returns whether an outline is the place inside the box, or a part of it.
    pub(super) fn belongs_to(&self, outline: &Outline) -> bool {
        self.is_around(outline) || self.encloses(outline)
    }

    /// Returns whether an outline is the place inside the box.
    pub(super) fn is_around(&self, outline: &Outline) -> bool {
        match *outline {
            Outline::Rectangle { x, y, width, height } => self.corners == [x, y, x + width, y + height],
            _ => false,
        }
    }

    /// Returns whether the centre of a smaller outline is inside the box.
    pub(super) fn encloses(&self, outline: &Outline) -> bool {
        let (x, y, width, height) = match *outline {
            Outline::Rectangle { x, y, width, height } => (x + width / 2.0, y + height / 2.0, width, height),
            Outline::Circle { x, y, radius } => (x, y, 2.0 * radius, 2.0 * radius),
            Outline::Line(_) => return false,
        };
        let [left, bottom, right, top] = self.corners;
        let is_inside = left < x && x < right && bottom < y && y < top;
        let (wide, high) = (right - left, top - bottom);
        is_inside && width <= wide && height <= high && (width < wide || height < high)
    }

    /// Returns whether a rectangle lies across the edge of the box, as a door does.
    pub(super) fn is_crossed_by(&self, outline: &Outline) -> bool {
        let Outline::Rectangle { x, y, width, height } = *outline else { return false };
        let [left, bottom, right, top] = self.corners;
        let has = |start: f64, length: f64, edge: f64| start <= edge && edge <= start + length;
        let on_side = (has(x, width, left) || has(x, width, right)) && y >= bottom - height && y <= top;
        let on_end = (has(y, height, bottom) || has(y, height, top)) && x >= left - width && x <= right;
        on_side || on_end
    }
}

/// Returns the left, bottom, right and top of a line if it is a rectangle with horizontal and vertical sides.
pub(super) fn corners(shape: &Shape) -> Option<[f64; 4]> {
    let Outline::Line(points) = &shape.outline else { return None };
    let [first, rest @ ..] = points.as_slice() else { return None };
    let [left, bottom, right, top] = rest.iter().fold([first.0, first.1, first.0, first.1], |all, point| {
        [all[0].min(point.0), all[1].min(point.1), all[2].max(point.0), all[3].max(point.1)]
    });
    let is_corner = |(x, y): &(f64, f64)| (*x == left || *x == right) && (*y == bottom || *y == top);
    let is_box = points.len() == 5 && rest.last() == Some(first) && points.iter().all(is_corner);
    (is_box && left < right && bottom < top).then_some([left, bottom, right, top])
}
