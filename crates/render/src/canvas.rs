//! A grid of pixels on which shapes are painted.

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
        let bounds = self.bounds(outline);
        match outline {
            Outline::Rectangle { .. } => self.fill(&bounds, paint, |_| true),
            Outline::Circle { x, y, radius } => {
                let ((x, y), [width, height]) = (self.place(*x, *y), self.radii(*radius));
                let inside = |(column, line): (f64, f64)| ((column - x) / width).hypot((line - y) / height) <= 1.0;
                self.fill(&bounds, paint, inside);
            }
            Outline::Line(points) => {
                for (&from, &to) in points.iter().zip(points.iter().skip(1)) {
                    let bounds = self.around(&[from, to], [0.5; 2]);
                    let (from, to) = (self.place(from.0, from.1), self.place(to.0, to.1));
                    self.fill(&bounds, paint, |pixel| distance(pixel, from, to) <= 0.5);
                }
            }
        }
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

    /// Paints those pixels whose centre is covered.
    pub(crate) fn fill(&mut self, bounds: &Bounds, paint: T, covers: impl Fn((f64, f64)) -> bool) {
        let columns = |column: f64| column.clamp(0.0, self.columns as f64) as usize;
        let lines = |line: f64| line.clamp(0.0, self.lines as f64) as usize;
        for line in lines(bounds.top)..lines(bounds.bottom) {
            for column in columns(bounds.left)..columns(bounds.right) {
                if covers((column as f64 + 0.5, line as f64 + 0.5)) {
                    self.pixels[line * self.columns + column] = paint;
                }
            }
        }
    }
}

/// Returns the distance of a point from the line between two other points.
fn distance(point: (f64, f64), from: (f64, f64), to: (f64, f64)) -> f64 {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let (x, y) = (point.0 - from.0, point.1 - from.1);
    let length = dx * dx + dy * dy;
    let along = if length > 0.0 { ((x * dx + y * dy) / length).clamp(0.0, 1.0) } else { 0.0 };
    (x - along * dx).hypot(y - along * dy)
}
