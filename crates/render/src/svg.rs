//! Draws a scene as an SVG document, for notebooks and web pages.

use std::fmt::{self, Write};

use situated::scene::{Color, Outline, Scene, Shape};

use crate::colors::contrast;
use crate::printable;

/// Number of pixels per unit, unless the picture would become too large.
const SCALE: f64 = 40.0;

/// Maximum number of pixels of the longer side.
const LARGEST: f64 = 800.0;

/// Usual size of text, and the smallest legible size, in pixels.
const USUAL_TEXT: f64 = 14.0;
const SMALLEST_TEXT: f64 = 7.0;

/// Width of a letter, as a fraction of the size of the text.
const LETTER: f64 = 0.6;

/// Thickness of a line in units, and its minimum in pixels.
const LINE: f64 = 0.1;
const THINNEST_LINE: f64 = 1.25;

/// The colour of text on a line, and the colour that separates it from the background.
const INK: Color = Color(20, 22, 26);
const HALO: Color = Color::WHITE;

/// A document that is being written.
struct Document {
    text: String,
    /// The height of the scene; y = 0 is at the bottom.
    top: f64,
    /// Number of pixels per unit.
    scale: f64,
}

/// The position and the size of the room for a label, in units from the upper left corner.
struct Room {
    middle: (f64, f64),
    width: f64,
    height: f64,
}

/// Draws a scene as an SVG document. A label that does not fit is left out.
pub fn svg(scene: &Scene) -> String {
    let mut document = Document { text: opening(scene), top: scene.height, scale: scale(scene) };
    for shape in &scene.shapes {
        // Writing to a string does not fail.
        let _ = document.write(shape);
    }
    document.text + "</svg>"
}

/// Draws one shape with this scale. The bottom of the scene is at the origin of the document.
pub(crate) fn at_origin(shape: &Shape, scale: f64) -> String {
    let mut document = Document { text: String::new(), top: 0.0, scale };
    let _ = document.write(shape);
    document.text
}

/// Returns the tag that begins the document of a scene.
pub(crate) fn opening(scene: &Scene) -> String {
    let Scene { width, height, .. } = scene;
    let scale = scale(scene);
    format!(
        r#"<svg xmlns="http://www.w3.org/2000/svg" width="{}" height="{}" viewBox="0 0 {width} {height}">"#,
        width * scale,
        height * scale
    )
}

/// Returns the number of pixels per unit of a scene.
pub(crate) fn scale(scene: &Scene) -> f64 {
    SCALE.min(LARGEST / scene.width.max(scene.height))
}

impl Document {
    fn write(&mut self, shape: &Shape) -> fmt::Result {
        let room = self.write_outline(shape)?;
        let label: String = printable(&shape.label).collect();
        match room.and_then(|room| Some((room.middle, self.fitting_size(&label, &room)?))) {
            Some((middle, size)) => self.write_label(shape, &label, middle, size),
            None => Ok(()),
        }
    }

    /// Writes the outline of a shape. Returns the room for its label, if there is any.
    fn write_outline(&mut self, shape: &Shape) -> Result<Option<Room>, fmt::Error> {
        let (text, top, color) = (&mut self.text, self.top, hexadecimal(shape.color));
        match &shape.outline {
            Outline::Rectangle { x, y, width, height } => {
                let above = top - y - height;
                write!(text, r#"<rect x="{x}" y="{above}" width="{width}" height="{height}" fill="{color}"/>"#)?;
                let middle = (x + width / 2.0, above + height / 2.0);
                Ok(Some(Room { middle, width: 0.9 * width, height: 0.6 * height }))
            }
            Outline::Circle { x, y, radius } => {
                write!(text, r#"<circle cx="{x}" cy="{}" r="{radius}" fill="{color}"/>"#, top - y)?;
                Ok(Some(Room { middle: (*x, top - y), width: 1.7 * radius, height: *radius }))
            }
            Outline::Line(points) => {
                let points: Vec<(f64, f64)> = points.iter().map(|(x, y)| (*x, top - y)).collect();
                let listed: Vec<String> = points.iter().map(|(x, y)| format!("{x},{y}")).collect();
                let (listed, width) = (listed.join(" "), LINE.max(THINNEST_LINE / self.scale));
                write!(
                    text,
                    r#"<polyline points="{listed}" fill="none" stroke="{color}" stroke-width="{width:.3}"/>"#
                )?;
                // A line has no inside, so its text is written across it.
                let (width, height) = (f64::INFINITY, 0.9 * USUAL_TEXT / self.scale);
                Ok(middle(&points).map(|middle| Room { middle, width, height }))
            }
        }
    }

    /// Returns the size at which a text fits, in units; `None` if it would be illegible or if there is no text.
    fn fitting_size(&self, text: &str, room: &Room) -> Option<f64> {
        let letters = Some(text.chars().count()).filter(|count| *count > 0)?;
        let usual = USUAL_TEXT / self.scale;
        let widest = room.width / (LETTER * letters as f64);
        let size = widest.min(room.height).min(usual.max(room.height / 2.0));
        (size >= SMALLEST_TEXT / self.scale).then_some(size)
    }

    fn write_label(&mut self, shape: &Shape, label: &str, (x, y): (f64, f64), size: f64) -> fmt::Result {
        let (ink, halo) = match shape.outline {
            Outline::Line(_) => {
                let (halo, width) = (hexadecimal(HALO), size / 4.0);
                (INK, format!(r#" stroke="{halo}" stroke-width="{width:.3}" paint-order="stroke""#))
            }
            _ => (contrast(shape.color), String::new()),
        };
        let (ink, label) = (hexadecimal(ink), escaped(label));
        write!(
            self.text,
            r#"<text x="{x}" y="{y}" font-size="{size:.3}" font-family="sans-serif" text-anchor="middle" dominant-baseline="central" fill="{ink}"{halo}>{label}</text>"#
        )
    }
}

/// Returns the centre of the rectangle around the points, if there are any.
fn middle(points: &[(f64, f64)]) -> Option<(f64, f64)> {
    let halfway = |of: fn(&(f64, f64)) -> f64| {
        let all = points.iter().map(of);
        Some((all.clone().reduce(f64::min)? + all.reduce(f64::max)?) / 2.0)
    };
    Some((halfway(|point| point.0)?, halfway(|point| point.1)?))
}

fn hexadecimal(Color(red, green, blue): Color) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn y_grows_upwards_and_labels_are_escaped() {
        let shapes = vec![
            Shape::rectangle(0.0, 0.0, 2.0, 1.0, Color::BLACK).labelled("<b>&"),
            Shape::circle(1.0, 2.0, 0.5, Color::RED),
            Shape::line([(0.0, 0.0), (2.0, 3.0)], Color::BLUE),
        ];
        let text = svg(&Scene { width: 2.0, height: 3.0, shapes });
        for part in [
            r##"<rect x="0" y="2" width="2" height="1" fill="#000000"/>"##,
            r##"fill="#ffffff">&lt;b&gt;&amp;</text>"##,
            r##"<circle cx="1" cy="1" r="0.5" fill="#d62728"/>"##,
            r##"<polyline points="0,3 2,0""##,
        ] {
            assert!(text.contains(part), "{part} in {text}");
        }
    }

    /// Returns the sizes of the texts in a square scene of this size, in pixels.
    fn sizes(size: f64, shapes: Vec<Shape>) -> Vec<f64> {
        let text = svg(&Scene { width: size, height: size, shapes });
        let number = |after: &str| after.split('"').next().and_then(|number| number.parse::<f64>().ok());
        let width = text.split("width=\"").nth(1).and_then(number).expect("it says its width");
        let texts = text.split("font-size=\"").skip(1);
        texts.map(|after| number(after).expect("a number") * width / size).collect()
    }

    #[test]
    fn texts_have_the_same_size_in_large_and_small_scenes() {
        let room = |size: f64| vec![Shape::rectangle(0.0, 0.0, size, size / 2.0, Color::WHITE).labelled("RoomC1")];
        let [small, large] = [10.0, 1000.0].map(|size| sizes(size, room(size))[0]);
        assert!(small >= USUAL_TEXT && (large / small - 2.0).abs() < 0.1, "{small}, {large}");
    }

    #[test]
    fn a_label_that_does_not_fit_is_left_out() {
        let block = |width| Shape::rectangle(0.0, 0.0, width, 1.0, Color::RED).labelled("long name");
        assert_eq!(sizes(10.0, vec![block(0.5)]).len(), 0);
        assert_eq!(sizes(10.0, vec![block(5.0)]).len(), 1);
        assert_eq!(sizes(1000.0, vec![block(5.0)]).len(), 0);
        assert_eq!(sizes(10.0, vec![Shape::circle(1.0, 1.0, 0.5, Color::RED).labelled("")]).len(), 0);
    }

    #[test]
    fn lines_have_labels_too() {
        let line = Shape::line([(1.0, 9.0), (3.0, 9.0)], Color::BLACK).labelled("Bot_1");
        let text = svg(&Scene { width: 10.0, height: 10.0, shapes: vec![line] });
        assert!(text.contains(r#"<text x="2" y="1" "#) && text.contains(">Bot_1</text>"), "{text}");
        let nothing = Shape::line([], Color::BLACK).labelled("nowhere");
        assert!(!svg(&Scene { width: 10.0, height: 10.0, shapes: vec![nothing] }).contains("<text"));
    }
}
