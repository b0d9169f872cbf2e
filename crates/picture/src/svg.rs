//! A scene as an SVG document, for notebooks and pages.

use std::fmt::Write;

use situated::scene::{Color, Outline, Scene, Shape};

use crate::picture::contrast;
use crate::printable;

/// Pixels to a unit, if nothing else is said about its size.
const SCALE: f64 = 40.0;

/// A scene as an SVG document.
pub fn svg(scene: &Scene) -> String {
    let Scene { width, height, shapes } = scene;
    let mut text = format!(
        r#"<svg xmlns="http://www.w3.org/2000/svg" width="{}" height="{}" viewBox="0 0 {width} {height}">"#,
        width * SCALE,
        height * SCALE
    );
    for shape in shapes {
        // Writing to a string does not fail.
        let _ = write(&mut text, shape, *height);
    }
    text.push_str("</svg>");
    text
}

fn write(text: &mut String, shape: &Shape, top: f64) -> std::fmt::Result {
    let color = hexadecimal(shape.color);
    let (x, y, room) = match &shape.outline {
        Outline::Rectangle { x, y, width, height } => {
            let above = top - y - height;
            write!(text, r#"<rect x="{x}" y="{above}" width="{width}" height="{height}" fill="{color}"/>"#)?;
            (x + width / 2.0, above + height / 2.0, width.min(height * 3.0))
        }
        Outline::Circle { x, y, radius } => {
            write!(text, r#"<circle cx="{x}" cy="{}" r="{radius}" fill="{color}"/>"#, top - y)?;
            (*x, top - y, 2.0 * radius)
        }
        Outline::Line(points) => {
            let points: Vec<String> = points.iter().map(|(x, y)| format!("{x},{}", top - y)).collect();
            let points = points.join(" ");
            return write!(text, r#"<polyline points="{points}" fill="none" stroke="{color}" stroke-width="0.1"/>"#);
        }
    };
    let label: String = printable(&shape.label).collect();
    if label.is_empty() {
        return Ok(());
    }
    let size = (1.4 * room / label.chars().count() as f64).min(0.35);
    let (color, label) = (hexadecimal(contrast(shape.color)), escaped(&label));
    write!(
        text,
        r#"<text x="{x}" y="{y}" font-size="{size:.3}" font-family="sans-serif" text-anchor="middle" dominant-baseline="central" fill="{color}">{label}</text>"#
    )
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
    fn y_grows_upwards_and_labels_cannot_break_out() {
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
}
