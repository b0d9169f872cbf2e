//! Points and rectangles on the plane of the original: x grows to the right and y downwards, from the upper left corner.

use serde::{Deserialize, Serialize};

/// A point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// Units from the left.
    pub x: f64,
    /// Units from above.
    pub y: f64,
}

/// A rectangle with its sides along the axes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Rectangle {
    /// Its centre.
    pub center: Point,
    /// From left to right.
    pub width: f64,
    /// From top to bottom.
    pub height: f64,
}

/// A rectangle by its edges, which need not be computed as those of a [`Rectangle`]. The default contains nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Area {
    /// Its left edge.
    pub left: f64,
    /// Its upper edge.
    pub top: f64,
    /// Its right edge.
    pub right: f64,
    /// Its lower edge.
    pub bottom: f64,
}

impl Point {
    /// Creates the point at these distances from the left and from the top.
    pub const fn new(x: f64, y: f64) -> Self {
        Self { x, y }
    }

    /// Returns the straight distance to another point.
    pub fn distance(self, other: Point) -> f64 {
        let (x, y) = (other.x - self.x, other.y - self.y);
        (x * x + y * y).sqrt()
    }

    /// Returns the distance to another point on the axis on which it is larger.
    pub fn apart(self, other: Point) -> f64 {
        (self.x - other.x).abs().max((self.y - other.y).abs())
    }

    /// Returns the point that is `step` units from here on the way to another point, or that point if it is not
    /// further away.
    pub fn towards(self, goal: Point, step: f64) -> Point {
        let distance = self.distance(goal);
        if distance <= step {
            return goal;
        }
        let share = step / distance;
        Point::new(self.x + (goal.x - self.x) * share, self.y + (goal.y - self.y) * share)
    }
}

impl Rectangle {
    /// A rectangle around its centre.
    pub const fn around(center: Point, width: f64, height: f64) -> Self {
        Self { center, width, height }
    }

    /// Returns the smallest rectangle that contains both points.
    pub fn around_both(one: Point, other: Point) -> Self {
        let center = Point::new((one.x + other.x) / 2.0, (one.y + other.y) / 2.0);
        Self::around(center, (one.x - other.x).abs(), (one.y - other.y).abs())
    }

    /// Its left edge.
    pub fn left(&self) -> f64 {
        self.center.x - self.width / 2.0
    }

    /// Its upper edge.
    pub fn top(&self) -> f64 {
        self.center.y - self.height / 2.0
    }

    /// Its right edge.
    pub fn right(&self) -> f64 {
        self.center.x + self.width / 2.0
    }

    /// Its lower edge.
    pub fn bottom(&self) -> f64 {
        self.center.y + self.height / 2.0
    }

    /// Whether it contains a point. Points on the left and upper edges are inside, those on the others are not.
    pub fn contains(&self, point: Point) -> bool {
        Area::of(self).contains(point)
    }

    /// Whether it overlaps another rectangle by more than an edge.
    pub fn overlaps(&self, other: &Rectangle) -> bool {
        Area::of(self).overlaps(&Area::of(other))
    }

    /// Returns the intersection with an overlapping rectangle.
    pub fn common(&self, other: &Rectangle) -> Rectangle {
        let (left, right) = (self.left().max(other.left()), self.right().min(other.right()));
        let (top, bottom) = (self.top().max(other.top()), self.bottom().min(other.bottom()));
        Rectangle::around(Point::new((left + right) / 2.0, (top + bottom) / 2.0), right - left, bottom - top)
    }

    /// Returns the rectangle extended by this distance on each side.
    pub fn grown(&self, by: f64) -> Rectangle {
        Rectangle { width: self.width + 2.0 * by, height: self.height + 2.0 * by, ..*self }
    }
}

impl Area {
    /// Returns the area of a rectangle.
    pub fn of(bounds: &Rectangle) -> Self {
        Self { left: bounds.left(), top: bounds.top(), right: bounds.right(), bottom: bounds.bottom() }
    }

    /// Whether it contains a point, as [`Rectangle::contains`] does.
    pub fn contains(&self, point: Point) -> bool {
        self.left <= point.x && point.x < self.right && self.top <= point.y && point.y < self.bottom
    }

    /// Whether it overlaps another area by more than an edge.
    pub fn overlaps(&self, other: &Area) -> bool {
        self.left < other.right && other.left < self.right && self.top < other.bottom && other.top < self.bottom
    }
}
