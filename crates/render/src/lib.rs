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
pub use grid::{Grid, Ink, Style};
pub use map::draw;
pub use svg::svg;
pub use tag::{Tag, tags};

/// The background colour of scenes.
const PAPER: Color = Color::WHITE;

/// An image of square pixels.
#[derive(Debug)]
pub struct Image {
    /// Number of pixels in a row.
    pub columns: usize,
    /// The colours, row by row from the top.
    pub pixels: Vec<Color>,
}

/// Draws a scene into at most this many pixels, without distortion and without labels.
pub fn paint(scene: &Scene, width: usize, height: usize) -> Image {
    let mut canvas = Canvas::new(scene, width, height, 1.0, PAPER);
    for shape in &scene.shapes {
        canvas.paint(&shape.outline, shape.color);
    }
    Image { columns: canvas.columns(), pixels: canvas.into_pixels() }
}

/// Draws a scene as a PNG file without labels, whose longer side has at most this many pixels.
///
/// # Errors
/// Returns an error if the scene has no size.
#[cfg(feature = "png")]
pub fn png(scene: &Scene, side: usize) -> Result<Vec<u8>, png::EncodingError> {
    let Image { columns, pixels } = paint(scene, side, side);
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, columns as u32, (pixels.len() / columns.max(1)) as u32);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let bytes: Vec<u8> = pixels.iter().flat_map(|color| [color.0, color.1, color.2]).collect();
    encoder.write_header()?.write_image_data(&bytes)?;
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
        let image = paint(&scene, 2, 3);
        let (black, red) = ([Color::BLACK; 2], [Color::RED; 2]);
        assert_eq!((image.columns, image.pixels), (2, [red, red, black].concat()));
    }

    #[test]
    fn an_image_is_not_distorted() {
        let scene = Scene { width: 10.0, height: 4.0, shapes: Vec::new() };
        for (window, size) in [((80, 48), (80, 32)), ((79, 48), (70, 28)), ((80, 12), (30, 12)), ((1, 2), (1, 1))] {
            let image = paint(&scene, window.0, window.1);
            assert_eq!((image.columns, image.pixels.len()), (size.0, size.0 * size.1), "in {window:?}");
        }
    }
}
