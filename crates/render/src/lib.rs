//! Draws the scene of any environment. On a terminal, shapes become pixels, of which a character cell has two, one above the
//! other, and labels become characters on them. An image has as many pixels as the caller wants, and no labels. An SVG
//! document keeps shapes and labels.

mod animation;
mod picture;
mod svg;

use situated::scene::{Color, Outline, Scene, Shape};

pub use animation::Animation;
pub use picture::Picture;
use picture::{Paint, brightness};
pub use svg::svg;

/// What is painted on.
const PAPER: Color = Color::WHITE;

/// Colours where there are none, from dark to light.
const SHADES: [char; 6] = ['#', '%', '+', ':', '.', ' '];

/// Draws a scene as large as it fits into so many columns and rows, without distortion if characters are twice as high
/// as wide.
pub fn draw(scene: &Scene, columns: usize, rows: usize) -> Picture {
    let mut canvas = Canvas::new(scene, columns, 2 * rows);
    for (index, shape) in scene.shapes.iter().enumerate() {
        let legible = canvas.paint(shape, index + 1);
        if let Some((bounds, paint)) = legible {
            canvas.write(&shape.label, &bounds, paint);
        }
    }
    canvas.picture
}

/// Draws a scene as large as it fits into so many pixels, without distortion and without labels.
pub fn paint(scene: &Scene, width: usize, height: usize) -> Picture {
    let mut canvas = Canvas::new(scene, width, height);
    for (index, shape) in scene.shapes.iter().enumerate() {
        canvas.paint(shape, index + 1);
    }
    canvas.picture
}

/// A picture that is being painted. Its pixels are squares of size 1; the first is in the upper left corner.
struct Canvas {
    picture: Picture,
    /// Pixels to a unit of the scene.
    scale: f64,
    width: f64,
    height: f64,
}

/// A rectangle of pixels.
struct Bounds {
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
}

impl Canvas {
    /// An empty one for a scene, of so many pixels at the most.
    fn new(scene: &Scene, columns: usize, lines: usize) -> Self {
        let scale = (columns as f64 / scene.width).min(lines as f64 / scene.height);
        if !(scale.is_finite() && scale > 0.0) {
            return Self { picture: Picture::default(), scale: 0.0, width: 0.0, height: 0.0 };
        }
        // Equal units of the scene look better than the last pixel in use.
        let scale = if scale >= 2.0 { scale.floor() } else { scale };
        let width = (scene.width * scale).round().clamp(1.0, columns as f64);
        let height = (scene.height * scale).round().clamp(1.0, lines as f64);
        let paper = Paint { color: PAPER, mark: shade(PAPER), height: 0 };
        Self { picture: Picture::new(width as usize, height as usize, paper), scale, width, height }
    }

    /// Paints a shape, so many above the paper; where its label is to be written, if that can be read there.
    fn paint(&mut self, shape: &Shape, height: usize) -> Option<(Bounds, Paint)> {
        let bounds = self.bounds(&shape.outline);
        let legible = bounds.bottom - bounds.top >= 2.0;
        let initial = printable(&shape.label).next().filter(|_| !legible);
        let mark = initial.unwrap_or_else(|| shade(shape.color));
        let paint = Paint { color: shape.color, mark, height };
        match &shape.outline {
            Outline::Rectangle { .. } => self.fill(&bounds, paint, |_| true),
            Outline::Circle { x, y, radius } => {
                let centre = self.place(*x, *y);
                // The smallest circle has a pixel, wherever its centre is.
                let radius = (radius * self.scale).max(0.71);
                self.fill(&bounds, paint, |pixel| distance(pixel, centre, centre) <= radius);
            }
            Outline::Line(points) => {
                for (&from, &to) in points.iter().zip(points.iter().skip(1)) {
                    let bounds = self.around(&[from, to], 0.5);
                    let (from, to) = (self.place(from.0, from.1), self.place(to.0, to.1));
                    self.fill(&bounds, paint, |pixel| distance(pixel, from, to) <= 0.5);
                }
            }
        }
        legible.then_some((bounds, paint))
    }

    /// Where a point of the scene is among the pixels.
    fn place(&self, x: f64, y: f64) -> (f64, f64) {
        (x * self.scale, self.height - y * self.scale)
    }

    /// The pixels that may show an outline.
    fn bounds(&self, outline: &Outline) -> Bounds {
        match outline {
            Outline::Rectangle { x, y, width, height } => {
                let (left, bottom) = self.place(*x, *y);
                let (right, top) = self.place(x + width, y + height);
                // Edges between pixels, so that neighbours meet; and the thinnest rectangle has a pixel.
                let (left, bottom) = (left.round(), bottom.round());
                Bounds { left, right: right.round().max(left + 1.0), top: top.round().min(bottom - 1.0), bottom }
            }
            Outline::Circle { x, y, radius } => self.around(&[(*x, *y)], (radius * self.scale).max(0.71)),
            Outline::Line(points) => self.around(points, 0.5),
        }
    }

    /// The pixels that are at most so far from a rectangle around the points.
    fn around(&self, points: &[(f64, f64)], margin: f64) -> Bounds {
        let places = || points.iter().map(|&(x, y)| self.place(x, y));
        let least = |of: fn((f64, f64)) -> f64| places().map(of).fold(f64::INFINITY, f64::min);
        let most = |of: fn((f64, f64)) -> f64| places().map(of).fold(f64::NEG_INFINITY, f64::max);
        Bounds {
            left: (least(|place| place.0) - margin).floor(),
            right: (most(|place| place.0) + margin).ceil(),
            top: (least(|place| place.1) - margin).floor(),
            bottom: (most(|place| place.1) + margin).ceil(),
        }
    }

    /// Paints those pixels whose centres are covered.
    fn fill(&mut self, bounds: &Bounds, paint: Paint, covers: impl Fn((f64, f64)) -> bool) {
        let columns = |column: f64| column.clamp(0.0, self.width) as usize;
        let lines = |line: f64| line.clamp(0.0, self.height) as usize;
        for line in lines(bounds.top)..lines(bounds.bottom) {
            for column in columns(bounds.left)..columns(bounds.right) {
                if covers((column as f64 + 0.5, line as f64 + 0.5)) {
                    self.picture.set_pixel(column, line, paint);
                }
            }
        }
    }

    /// Writes a label in the middle, as much of it as there is room for.
    fn write(&mut self, label: &str, bounds: &Bounds, paint: Paint) {
        let room = (bounds.right - bounds.left) as usize;
        let letters: Vec<char> = printable(label).take(room).collect();
        let first = ((bounds.left + bounds.right - letters.len() as f64) / 2.0).floor();
        let line = ((bounds.top + bounds.bottom) / 2.0).floor();
        for (column, letter) in letters.into_iter().enumerate() {
            let column = first + column as f64;
            if (0.0..self.width).contains(&column) && (0.0..self.height).contains(&line) {
                self.picture.set_letter(column as usize, line as usize, letter, paint);
            }
        }
    }
}

/// What can be shown of a text that comes from an environment: nothing that steers the terminal.
pub fn printable(text: &str) -> impl Iterator<Item = char> {
    text.chars().filter(|letter| !letter.is_control())
}

fn shade(color: Color) -> char {
    // Nothing but white is left blank.
    SHADES[brightness(color) * (SHADES.len() - 1) / 255]
}

/// How far a point is from a line between two others.
fn distance(point: (f64, f64), from: (f64, f64), to: (f64, f64)) -> f64 {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let (x, y) = (point.0 - from.0, point.1 - from.1);
    let length = dx * dx + dy * dy;
    let along = if length > 0.0 { ((x * dx + y * dy) / length).clamp(0.0, 1.0) } else { 0.0 };
    (x - along * dx).hypot(y - along * dy)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A corridor with walls, two goals and two walkers.
    fn maze() -> Scene {
        let mut shapes = vec![Shape::rectangle(0.0, 0.0, 10.0, 4.0, Color::BLACK)];
        let mut cell = |x, y, color, label| {
            shapes.push(Shape::rectangle(x, y, 1.0, 1.0, color).labelled(label));
        };
        (1..9).for_each(|x| cell(f64::from(x), 2.0, Color::WHITE, ""));
        cell(3.0, 1.0, Color::WHITE, "");
        cell(6.0, 1.0, Color::WHITE, "");
        cell(8.0, 2.0, Color::RED.lighter(0.5), "");
        shapes.push(Shape::circle(3.5, 1.5, 0.4, Color::RED).labelled("red"));
        shapes.push(Shape::circle(6.5, 2.5, 0.4, Color::BLUE).labelled("blue"));
        Scene { width: 10.0, height: 4.0, shapes }
    }

    fn plain(scene: &Scene, columns: usize, rows: usize) -> String {
        draw(scene, columns, rows).lines(false).join("\n")
    }

    #[test]
    fn it_is_as_large_as_fits_and_not_distorted() {
        for (window, size) in [
            ((80, 24), (80, 16)),
            ((80, 20), (80, 16)),
            ((200, 60), (200, 40)),
            ((79, 24), (70, 14)),
            ((80, 6), (30, 6)),
            ((20, 5), (20, 4)),
            ((9, 9), (9, 2)),
            ((1, 1), (1, 1)),
        ] {
            let lines = draw(&maze(), window.0, window.1).lines(false);
            assert_eq!((lines[0].chars().count(), lines.len()), size, "in {window:?}");
        }
    }

    #[test]
    fn nothing_is_drawn_where_there_is_nothing_to_see() {
        assert!(draw(&Scene::default(), 80, 24).lines(true).is_empty());
        assert!(draw(&maze(), 0, 24).lines(true).is_empty());
        assert!(draw(&maze(), 80, 0).lines(true).is_empty());
        let scene = Scene { width: f64::NAN, height: 1.0, shapes: Vec::new() };
        assert!(draw(&scene, 80, 24).lines(true).is_empty());
    }

    #[test]
    fn an_image_has_a_color_for_each_pixel_from_above() {
        let lower = Shape::rectangle(0.0, 0.0, 2.0, 1.0, Color::BLACK).labelled("dark");
        let upper = Shape::rectangle(0.0, 1.0, 2.0, 2.0, Color::RED);
        let scene = Scene { width: 2.0, height: 3.0, shapes: vec![lower, upper] };
        let image = paint(&scene, 2, 3);
        let (black, red) = ([Color::BLACK; 2], [Color::RED; 2]);
        assert_eq!((image.columns(), image.pixels().collect::<Vec<_>>()), (2, [red, red, black].concat()));
    }

    #[test]
    fn y_grows_upwards_and_later_shapes_cover_earlier_ones() {
        let lower = Shape::rectangle(0.0, 0.0, 4.0, 2.0, Color::BLACK);
        let upper = Shape::rectangle(0.0, 2.0, 4.0, 2.0, Color::GREY);
        let cover = Shape::rectangle(3.0, 0.0, 1.0, 4.0, Color::WHITE);
        let scene = Scene { width: 4.0, height: 4.0, shapes: vec![lower, upper, cover] };
        assert_eq!(plain(&scene, 4, 2), "... \n### ");
    }

    #[test]
    fn labels_are_written_where_there_is_room_and_else_are_initials() {
        let wide = Shape::rectangle(0.0, 0.0, 8.0, 2.0, Color::BLACK).labelled("\x1bhome");
        let scene = |width| Scene { width, height: 2.0, shapes: vec![wide.clone()] };
        assert_eq!(plain(&scene(8.0), 8, 1), "##home##");
        assert_eq!(plain(&scene(16.0), 8, 1), "hhhh    ");
    }

    #[test]
    fn the_smallest_things_are_seen() {
        let shapes = vec![
            Shape::rectangle(1.0, 0.0, 0.01, 9.0, Color::BLACK),
            Shape::circle(3.0, 5.0, 0.01, Color::BLACK),
            Shape::line([(5.0, 0.0), (7.0, 8.0)], Color::BLACK),
        ];
        let scene = Scene { width: 9.0, height: 9.0, shapes };
        for size in [3, 5, 9, 20] {
            let text = plain(&scene, size, size);
            assert!(text.lines().all(|line| line.contains('#')), "{text}");
        }
    }

    #[test]
    fn foreign_numbers_do_no_harm() {
        for odd in [f64::NAN, f64::INFINITY, -1e300, 1e300] {
            let shapes = vec![
                Shape::rectangle(odd, 0.0, odd, odd, Color::RED).labelled("a"),
                Shape::circle(odd, odd, odd, Color::RED).labelled("b"),
                Shape::line([(odd, 0.0), (1.0, odd)], Color::RED).labelled("c"),
                Shape::line([], Color::RED).labelled("d"),
            ];
            draw(&Scene { width: 4.0, height: 4.0, shapes }, 80, 24).lines(true);
        }
    }

    #[test]
    fn a_window_of_20_by_5() {
        let expected = "\
####################
##          bl  ::##
######re####  ######
####################";
        assert_eq!(plain(&maze(), 20, 5), expected);
    }

    #[test]
    fn a_window_of_80_by_24() {
        let expected = "\
########                                          ++++          ::::::::########
########                                         ++++++         ::::::::########
########                                         +blue+         ::::::::########
########                                          ++++          ::::::::########
########################  %%%%  ################        ########################
######################## %%%%%% ################        ########################
######################## %red%% ################        ########################
########################  %%%%  ################        ########################";
        let text = plain(&maze(), 80, 24);
        let walls = "#".repeat(80) + "\n";
        assert_eq!(text + "\n", walls.repeat(4) + expected + "\n" + &walls.repeat(4));
    }
}
