//! A grid of pixels on which shapes are painted.

use std::ops::Range;

use situated::scene::{Outline, Scene};

/// The pixels of a scene. The first is in the upper left corner.
pub(crate) struct Canvas<T> {
    pixels: Vec<T>,
    columns: usize,
    lines: usize,
    /// Number of pixels per unit of the scene, horizontally and vertically.
    pub(crate) scale: (f64, f64),
}

/// A rectangle of pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Bounds {
    pub(crate) left: f64,
    pub(crate) right: f64,
    pub(crate) top: f64,
    pub(crate) bottom: f64,
}

/// The radius of the smallest circle that covers at least one pixel, wherever its centre is.
const SMALLEST_RADIUS: f64 = 0.71;

impl Bounds {
    pub(crate) fn center(&self) -> (f64, f64) {
        ((self.left + self.right) / 2.0, (self.top + self.bottom) / 2.0)
    }
}

impl<T: Copy> Canvas<T> {
    /// Creates a canvas for a scene with at most this many pixels. A unit has at most `stretch` times as many pixels
    /// in one direction as in the other. The canvas is empty if the scene is.
    pub(crate) fn new(scene: &Scene, columns: usize, lines: usize, stretch: f64, paper: T) -> Self {
        let (x, y) = (columns as f64 / scene.width, lines as f64 / scene.height);
        let (x, y) = (x.min(stretch * y), y.min(stretch * x));
        if !(x.is_finite() && y.is_finite() && x > 0.0 && y > 0.0) {
            return Self { pixels: Vec::new(), columns: 0, lines: 0, scale: (0.0, 0.0) };
        }
        // Equal sizes of all units look better than the use of every pixel.
        let whole = |scale: f64| if scale >= 2.0 { scale.floor() } else { scale };
        let scale = (whole(x), whole(y));
        let columns = (scene.width * scale.0).round().clamp(1.0, columns as f64) as usize;
        let lines = (scene.height * scale.1).round().clamp(1.0, lines as f64) as usize;
        Self { pixels: vec![paper; columns * lines], columns, lines, scale }
    }

    pub(crate) fn columns(&self) -> usize {
        self.columns
    }

    pub(crate) fn lines(&self) -> usize {
        self.lines
    }

    /// Returns the pixels, row by row from the top.
    pub(crate) fn into_pixels(self) -> Vec<T> {
        self.pixels
    }

    pub(crate) fn pixel(&self, column: usize, line: usize) -> Option<T> {
        if column < self.columns { self.pixels.get(line * self.columns + column).copied() } else { None }
    }

    /// Returns the position of a point of the scene, in pixels.
    pub(crate) fn place(&self, x: f64, y: f64) -> (f64, f64) {
        (x * self.scale.0, self.lines as f64 - y * self.scale.1)
    }

    /// Returns the width and height of an outline, in pixels.
    pub(crate) fn size(&self, outline: &Outline) -> (f64, f64) {
        let (width, height) = match outline {
            Outline::Rectangle { width, height, .. } => (width.abs(), height.abs()),
            Outline::Circle { radius, .. } => (2.0 * radius, 2.0 * radius),
            Outline::Line(_) => (0.0, 0.0),
        };
        ((width * self.scale.0).min(self.columns as f64), (height * self.scale.1).min(self.lines as f64))
    }

    /// Paints an outline.
    pub(crate) fn paint(&mut self, outline: &Outline, paint: T) {
        match outline {
            Outline::Rectangle { .. } => self.fill(&self.bounds(outline), paint),
            Outline::Circle { x, y, radius } => {
                let ((x, y), [width, height]) = (self.place(*x, *y), self.radii(*radius));
                let part = |distance: f64, radius: f64| (distance / radius) * (distance / radius);
                let inside = |(column, line): (f64, f64)| part(column - x, width) + part(line - y, height) <= 1.0;
                let near = |line: f64| {
                    let half = width * (1.0 - part(line - y, height)).max(0.0).sqrt();
                    (x - half - 1.0, x + half + 1.0)
                };
                self.fill_where(&self.bounds(outline), paint, near, inside);
            }
            Outline::Line(points) => {
                for (from, to) in points.iter().zip(points.iter().skip(1)) {
                    self.stroke([*from, *to], paint);
                }
            }
        }
    }

    /// Paints a line of the width of a pixel between two points of the scene.
    fn stroke(&mut self, ends: [(f64, f64); 2], paint: T) {
        let [from, to] = ends.map(|(x, y)| self.place(x, y));
        // A NaN is nowhere, but `min` and `max` would take the other number for it.
        if (from.0 + from.1 + to.0 + to.1).is_nan() {
            return;
        }
        let (left, right) = (from.0.min(to.0), from.0.max(to.0));
        let (top, bottom) = (from.1.min(to.1), from.1.max(to.1));
        if left == right || top == bottom {
            return self.stroke_straight(&Bounds { left, right, top, bottom }, paint);
        }
        let near = |line: f64| {
            let [one, other] = [-0.5, 0.5].map(|off| column_at(line + off, from, to));
            (one.min(other) - 1.0, one.max(other) + 1.0)
        };
        self.fill_where(&self.around(&ends, [0.5; 2]), paint, near, |pixel| squared_distance(pixel, from, to) <= 0.25);
    }

    /// Paints a level or upright line of the width of a pixel, which is as long as its bounds.
    fn stroke_straight(&mut self, of: &Bounds, paint: T) {
        let beside = self.columns_around(of, 0.5);
        for line in self.lines_between((of.top - 1.0).ceil(), (of.bottom + 1.0).floor()) {
            let middle = line as f64 + 0.5;
            let beyond = (of.top - middle).max(middle - of.bottom);
            let is_beside = beyond <= 0.0;
            let columns =
                if is_beside { beside.clone() } else { self.columns_around(of, (0.25 - beyond * beyond).sqrt()) };
            self.pixels[line * self.columns..][columns].fill(paint);
        }
    }

    /// Returns the columns whose middles are at most this far to the left or right of the bounds.
    fn columns_around(&self, bounds: &Bounds, far: f64) -> Range<usize> {
        self.columns_between((bounds.left - far - 0.5).ceil(), (bounds.right + far + 0.5).floor())
    }

    /// Returns the pixels that an outline may cover.
    pub(crate) fn bounds(&self, outline: &Outline) -> Bounds {
        match outline {
            Outline::Rectangle { x, y, width, height } => {
                let (left, bottom) = self.place(*x, *y);
                let (right, top) = self.place(x + width, y + height);
                // The edges lie between pixels, so that neighbours meet. Even the thinnest rectangle covers a pixel.
                let (left, bottom) = (left.round(), bottom.round());
                Bounds { left, right: right.round().max(left + 1.0), top: top.round().min(bottom - 1.0), bottom }
            }
            Outline::Circle { x, y, radius } => self.around(&[(*x, *y)], self.radii(*radius)),
            Outline::Line(points) => self.around(points, [0.5; 2]),
        }
    }

    fn radii(&self, radius: f64) -> [f64; 2] {
        [self.scale.0, self.scale.1].map(|scale| (radius * scale).max(SMALLEST_RADIUS))
    }

    /// Returns the pixels within this distance of the rectangle around the points.
    fn around(&self, points: &[(f64, f64)], [x, y]: [f64; 2]) -> Bounds {
        let places = || points.iter().map(|&(x, y)| self.place(x, y));
        let least = |of: fn((f64, f64)) -> f64| places().map(of).fold(f64::INFINITY, f64::min);
        let most = |of: fn((f64, f64)) -> f64| places().map(of).fold(f64::NEG_INFINITY, f64::max);
        Bounds {
            left: (least(|place| place.0) - x).floor(),
            right: (most(|place| place.0) + x).ceil(),
            top: (least(|place| place.1) - y).floor(),
            bottom: (most(|place| place.1) + y).ceil(),
        }
    }

    /// Paints all pixels within the bounds.
    pub(crate) fn fill(&mut self, bounds: &Bounds, paint: T) {
        let columns = self.columns_between(bounds.left, bounds.right);
        for line in self.lines_between(bounds.top, bounds.bottom) {
            self.pixels[line * self.columns..][columns.clone()].fill(paint);
        }
    }

    /// Paints those pixels within the bounds whose centre is covered by an area without dents. In each line, none is
    /// covered outside of the columns that are `near`.
    fn fill_where(
        &mut self,
        bounds: &Bounds,
        paint: T,
        near: impl Fn(f64) -> (f64, f64),
        covers: impl Fn((f64, f64)) -> bool,
    ) {
        for line in self.lines_between(bounds.top, bounds.bottom) {
            let middle = line as f64 + 0.5;
            let covered = |column: &usize| covers((*column as f64 + 0.5, middle));
            let (left, right) = near(middle);
            let mut columns = self.columns_between(left.max(bounds.left), right.min(bounds.right));
            let Some(first) = columns.find(covered) else { continue };
            let last = columns.rfind(covered).unwrap_or(first);
            self.pixels[line * self.columns..][first..=last].fill(paint);
        }
    }

    fn columns_between(&self, left: f64, right: f64) -> Range<usize> {
        let column = |column: f64| (column.max(0.0) as usize).min(self.columns);
        column(left)..column(right).max(column(left))
    }

    fn lines_between(&self, top: f64, bottom: f64) -> Range<usize> {
        let line = |line: f64| (line.max(0.0) as usize).min(self.lines);
        line(top)..line(bottom).max(line(top))
    }
}

/// Returns the column in which the line through two points, of which the second is not beside the first, is at a
/// height; beyond a point, its own.
fn column_at(line: f64, from: (f64, f64), to: (f64, f64)) -> f64 {
    let along = ((line - from.1) / (to.1 - from.1)).clamp(0.0, 1.0);
    from.0 + along * (to.0 - from.0)
}

/// Returns the square of the distance of a point from the line between two other points.
#[inline]
fn squared_distance(point: (f64, f64), from: (f64, f64), to: (f64, f64)) -> f64 {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let (x, y) = (point.0 - from.0, point.1 - from.1);
    let length = dx * dx + dy * dy;
    let along = if length > 0.0 { ((x * dx + y * dy) / length).clamp(0.0, 1.0) } else { 0.0 };
    let (x, y) = (x - along * dx, y - along * dy);
    x * x + y * y
}

#[cfg(test)]
mod tests {
    use situated::random::Random;
    use situated::scene::{Color, Shape};

    use super::*;

    /// Each pixel is painted if its centre is inside of the outline, and no other.
    #[test]
    fn outlines_cover_the_pixels_whose_centres_are_inside() {
        let scene = Scene { width: 10.0, height: 7.0, shapes: Vec::new() };
        let mut random = Random::new(1);
        // In halves of a pixel, so that many edges pass through centres.
        let mut place = |most: f64| (random.unit() * 8.0 * most).round() / 4.0 - most / 2.0;
        for _ in 0..2000 {
            let [(ax, ay), (bx, by)] = [(); 2].map(|()| (place(10.0), place(7.0)));
            let radius = place(4.0).abs() + 1.0;
            for (bx, by) in [(bx, by), (bx, ay), (ax, by)] {
                let near_line = |x: f64, y: f64| {
                    let (dx, dy) = (bx - ax, by - ay);
                    let along = ((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy).max(f64::MIN_POSITIVE);
                    let along = along.clamp(0.0, 1.0);
                    (x - ax - along * dx).hypot(y - ay - along * dy) * 2.0 - 0.5
                };
                check(&scene, &Shape::line([(ax, ay), (bx, by)], Color::BLACK).outline, near_line);
            }
            let in_circle = |x: f64, y: f64| (x - ax).hypot(y - ay) / radius - 1.0;
            check(&scene, &Shape::circle(ax, ay, radius, Color::BLACK).outline, in_circle);
        }
    }

    #[test]
    fn a_line_to_nowhere_is_not_painted() {
        let scene = Scene { width: 10.0, height: 7.0, shapes: Vec::new() };
        for from in [(f64::NAN, 1.0), (5.0, f64::NAN)] {
            let mut canvas = Canvas::new(&scene, 20, 14, 1.0, false);
            canvas.paint(&Shape::line([from, (5.0, 3.0)], Color::BLACK).outline, true);
            assert!(!canvas.into_pixels().contains(&true), "from {from:?}");
        }
    }

    /// `beyond` is positive for points outside.
    fn check(scene: &Scene, outline: &Outline, beyond: impl Fn(f64, f64) -> f64) {
        let mut canvas = Canvas::new(scene, 20, 14, 1.0, false);
        canvas.paint(outline, true);
        for (line, column) in (0..14).flat_map(|line| (0..20).map(move |column| (line, column))) {
            let beyond = beyond((column as f64 + 0.5) / 2.0, (14.0 - line as f64 - 0.5) / 2.0);
            // Rounding decides about points on the edge.
            if beyond.abs() > 1e-9 {
                assert_eq!(canvas.pixel(column, line), Some(beyond < 0.0), "{outline:?} at {column}, {line}");
            }
        }
    }
}
