//! Draws the scene of any environment: in characters for a terminal, in pixels, and as SVG.

mod animation;
mod canvas;
mod colors;
mod grid;
mod label;
mod map;
mod svg;
mod tag;

use situated::scene::{Color, Scene};

pub use animation::Animation;
use canvas::Canvas;
pub use colors::brightness;
pub use grid::{Grid, Ink, Style};
pub use map::draw;
pub use svg::svg;
pub use tag::{Tag, tags};

/// The background colour of scenes.
const PAPER: Color = Color::WHITE;

/// An image of square pixels.
#[derive(Debug)]
pub struct Image<T> {
    /// Number of pixels in a row.
    pub columns: usize,
    /// The pixels, row by row from the top.
    pub pixels: Vec<T>,
}

/// Draws a scene into at most this many pixels, without distortion and without labels. `tone` makes a pixel of a
/// colour.
pub fn paint<T: Copy>(scene: &Scene, width: usize, height: usize, tone: impl Fn(Color) -> T) -> Image<T> {
    let mut canvas = Canvas::new(scene, width, height, 1.0, tone(PAPER));
    for shape in &scene.shapes {
        canvas.paint(&shape.outline, tone(shape.color));
    }
    Image { columns: canvas.columns(), pixels: canvas.into_pixels() }
}

impl<T: Copy> Image<T> {
    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.pixels.len().checked_div(self.columns).unwrap_or(0)
    }

    /// Puts the image into the middle of a larger one with these columns and rows.
    pub fn framed(self, columns: usize, rows: usize, frame: T) -> Self {
        let drawn = self.rows();
        if (self.columns, drawn) == (columns, rows) {
            return self;
        }
        let mut pixels = vec![frame; columns * rows];
        let (left, top) = ((columns - self.columns) / 2, (rows - drawn) / 2);
        for (row, line) in self.pixels.chunks_exact(self.columns.max(1)).enumerate() {
            pixels[(top + row) * columns + left..][..self.columns].copy_from_slice(line);
        }
        Self { columns, pixels }
    }
}

/// The red, green and blue of a colour.
pub fn rgb(Color(red, green, blue): Color) -> [u8; 3] {
    [red, green, blue]
}

/// Draws a scene as a PNG file without labels, whose longer side has at most this many pixels.
///
/// # Errors
/// Returns an error if the scene has no size.
#[cfg(feature = "png")]
pub fn png(scene: &Scene, side: usize) -> Result<Vec<u8>, png::EncodingError> {
    let image = paint(scene, side, side, rgb);
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, image.columns as u32, image.rows() as u32);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.write_header()?.write_image_data(image.pixels.as_flattened())?;
    Ok(file)
}

/// Returns the characters of a text from an environment that are safe to show. It leaves out control characters,
/// which could change the terminal.
pub fn printable(text: &str) -> impl Iterator<Item = char> {
    text.chars().filter(|letter| !letter.is_control())
}

#[cfg(test)]
mod tests {
    use situated::scene::Shape;

    use super::*;

    #[test]
    fn an_image_has_a_color_for_each_pixel_from_the_top() {
        let lower = Shape::rectangle(0.0, 0.0, 2.0, 1.0, Color::BLACK).labelled("dark");
        let upper = Shape::rectangle(0.0, 1.0, 2.0, 2.0, Color::RED);
        let scene = Scene { width: 2.0, height: 3.0, shapes: vec![lower, upper] };
        let image = paint(&scene, 2, 3, |color| color);
        let (black, red) = ([Color::BLACK; 2], [Color::RED; 2]);
        assert_eq!((image.columns, image.pixels), (2, [red, red, black].concat()));
    }

    #[test]
    fn an_image_is_not_distorted() {
        let scene = Scene { width: 10.0, height: 4.0, shapes: Vec::new() };
        for (window, size) in [((80, 48), (80, 32)), ((79, 48), (70, 28)), ((80, 12), (30, 12)), ((1, 2), (1, 1))] {
            let image = paint(&scene, window.0, window.1, brightness);
            assert_eq!((image.columns, image.pixels.len()), (size.0, size.0 * size.1), "in {window:?}");
        }
    }
}
