//! Draws an episode as an animated SVG document.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;

use situated::scene::{Outline, Scene, Shape};

use crate::svg;

/// Seconds for which the last scene stays before the animation starts again.
const HOLD: f64 = 2.0;

/// Maximum distance of an animated shape from its real position, as a fraction of the longer side of the scene.
const TOLERANCE: f64 = 0.0005;

/// Scenes that become an animated SVG document.
///
/// The document repeats, needs no script, and plays wherever an image can be shown. SMIL animates the shapes that
/// move or disappear; all other shapes are drawn once.
///
/// ```
/// use situated::scene::{Color, Scene, Shape};
/// use situated_render::Animation;
///
/// let mut animation = Animation::new(0.5);
/// for x in [1.0, 2.0, 3.0] {
///     let shapes = vec![Shape::circle(x, 1.0, 0.5, Color::RED)];
///     animation.add(&Scene { width: 4.0, height: 2.0, shapes });
/// }
/// assert!(animation.svg().contains("<animateTransform"));
/// ```
#[derive(Debug)]
pub struct Animation {
    /// Seconds from one scene to the next.
    period: f64,
    width: f64,
    height: f64,
    scenes: usize,
    parts: Vec<Part>,
    /// Indices of `parts` in the order in which they are painted.
    order: Vec<usize>,
    known: HashMap<Key, usize>,
}

/// Identifies a part: what its shape stands for, how it looks, and the number of equal parts before it in the scene.
type Key = (String, String, usize);

/// A shape with a fixed appearance, and its positions over time.
#[derive(Debug)]
struct Part {
    /// The drawing, with its anchor at the origin.
    drawing: String,
    /// The times at which it is visible, with its position at each.
    path: Vec<Moment>,
}

/// A position in the document at the time of a scene.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Moment {
    scene: usize,
    x: f64,
    y: f64,
}

impl Animation {
    /// Creates an animation that shows a new scene every `period` seconds.
    pub fn new(period: f64) -> Self {
        let (parts, order, known) = Default::default();
        Self { period, width: 0.0, height: 0.0, scenes: 0, parts, order, known }
    }

    /// Adds the next scene.
    pub fn add(&mut self, scene: &Scene) {
        self.width = self.width.max(scene.width);
        self.height = self.height.max(scene.height);
        let mut equal = BTreeMap::new();
        let mut below = None;
        for shape in &scene.shapes {
            let (x, y) = anchor(&shape.outline);
            let drawing = svg::at_origin(&moved(shape, -x, -y), svg::scale(scene));
            let subject = shape.stands_for.as_ref().map(ToString::to_string).unwrap_or_default();
            let count: &mut usize = equal.entry((subject.clone(), drawing.clone())).or_default();
            let part = self.part((subject, drawing, *count), below);
            *count += 1;
            let position = Moment { scene: self.scenes, x: rounded(x), y: rounded(scene.height - y) };
            self.parts[part].path.push(position);
            below = Some(part);
        }
        self.scenes += 1;
    }

    /// Returns the document.
    pub fn svg(&self) -> String {
        let scene = Scene { width: self.width, height: self.height, shapes: Vec::new() };
        let mut text = svg::opening(&scene) + r##"<rect width="100%" height="100%" fill="#ffffff"/>"##;
        for part in self.order.iter().map(|index| &self.parts[*index]) {
            // Writing to a string does not fail.
            let _ = self.write(part, &mut text);
        }
        text + "</svg>\n"
    }

    /// Returns the index of a part. A new one is painted directly above the part that is below it in this scene.
    fn part(&mut self, key: Key, below: Option<usize>) -> usize {
        if let Some(&part) = self.known.get(&key) {
            return part;
        }
        let part = self.parts.len();
        self.parts.push(Part { drawing: key.1.clone(), path: Vec::new() });
        let place = below.and_then(|below| self.order.iter().position(|one| *one == below));
        self.order.insert(place.map_or(0, |place| place + 1), part);
        self.known.insert(key, part);
        part
    }

    fn write(&self, part: &Part, text: &mut String) -> std::fmt::Result {
        let [first, ..] = part.path[..] else { return Ok(()) };
        let always = part.path.len() == self.scenes;
        let hidden = if first.scene == 0 { "" } else { r#" visibility="hidden""# };
        write!(text, r#"<g transform="translate({} {})"{hidden}>{}"#, first.x, first.y, part.drawing)?;
        if part.path.iter().any(|moment| (moment.x, moment.y) != (first.x, first.y)) {
            let path = simplified(&part.path, TOLERANCE * self.width.max(self.height));
            let positions = path.iter().map(|moment| (moment.scene, format!("{},{}", moment.x, moment.y)));
            text.push_str(r#"<animateTransform attributeName="transform" type="translate" "#);
            self.write_values(positions.collect(), true, text)?;
        }
        if !always {
            text.push_str(r#"<animate attributeName="visibility" calcMode="discrete" "#);
            self.write_values(visibility(&part.path, self.scenes), false, text)?;
        }
        text.push_str("</g>\n");
        Ok(())
    }

    /// Writes the values of an animation with their times. The first value applies from the beginning. An animation
    /// that moves also needs a value at the end.
    fn write_values(&self, mut values: Vec<(usize, String)>, moves: bool, text: &mut String) -> std::fmt::Result {
        let seconds = self.scenes as f64 * self.period + HOLD;
        if let Some(first) = values.first_mut() {
            first.0 = 0;
        }
        let mut times: Vec<String> =
            values.iter().map(|(scene, _)| fraction(*scene as f64 * self.period / seconds)).collect();
        let mut values: Vec<String> = values.into_iter().map(|(_, value)| value).collect();
        if let Some(last) = values.last().cloned().filter(|_| moves) {
            times.push("1".into());
            values.push(last);
        }
        let (values, times) = (values.join(";"), times.join(";"));
        write!(text, r#"values="{values}" keyTimes="{times}" dur="{seconds:.2}s" repeatCount="indefinite"/>"#)
    }
}

/// Returns the reference point of a shape, from which its position in a document is measured, in units of the scene.
fn anchor(outline: &Outline) -> (f64, f64) {
    match outline {
        Outline::Rectangle { x, y, .. } | Outline::Circle { x, y, .. } => (*x, *y),
        Outline::Line(points) => points.first().copied().unwrap_or_default(),
    }
}

fn moved(shape: &Shape, right: f64, up: f64) -> Shape {
    let mut shape = shape.clone();
    match &mut shape.outline {
        Outline::Rectangle { x, y, width, height } => {
            (*x, *y) = (rounded(*x + right), rounded(*y + up));
            (*width, *height) = (rounded(*width), rounded(*height));
        }
        Outline::Circle { x, y, .. } => (*x, *y) = (rounded(*x + right), rounded(*y + up)),
        Outline::Line(points) => {
            points.iter_mut().for_each(|(x, y)| (*x, *y) = (rounded(*x + right), rounded(*y + up)));
        }
    }
    shape
}

/// Rounds to hundredths of a unit, so that numbers are short and equal shapes look equal.
fn rounded(number: f64) -> f64 {
    // Adding 0 turns -0 into 0.
    (number * 100.0).round() / 100.0 + 0.0
}

fn fraction(part: f64) -> String {
    let digits = format!("{part:.5}");
    digits.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Removes the moments at which a part is within `tolerance` of the straight line between the moments that are kept.
fn simplified(path: &[Moment], tolerance: f64) -> Vec<Moment> {
    let mut kept: Vec<Moment> = path.first().copied().into_iter().collect();
    let mut start = 0;
    for end in 2..path.len() {
        let strays = |moment: &Moment| {
            let (from, to) = (path[start], path[end]);
            let part = (moment.scene - from.scene) as f64 / (to.scene - from.scene) as f64;
            let (x, y) = (from.x + part * (to.x - from.x), from.y + part * (to.y - from.y));
            (moment.x - x).abs().max((moment.y - y).abs()) > tolerance
        };
        if path[start + 1..end].iter().any(strays) {
            start = end - 1;
            kept.push(path[start]);
        }
    }
    kept.extend(path.get(1..).and_then(<[Moment]>::last));
    kept
}

/// Returns the indices of the scenes at which a part becomes visible or hidden, starting with the first scene.
fn visibility(path: &[Moment], scenes: usize) -> Vec<(usize, String)> {
    let mut changes = Vec::new();
    let mut next = 0;
    for moment in path {
        if moment.scene > next || changes.is_empty() {
            if moment.scene > next {
                changes.push((next, "hidden".to_owned()));
            }
            changes.push((moment.scene, "visible".to_owned()));
        }
        next = moment.scene + 1;
    }
    if next < scenes {
        changes.push((next, "hidden".to_owned()));
    }
    changes
}

#[cfg(test)]
mod tests {
    use situated::scene::Color;

    use super::*;

    /// Returns an animation with these shapes in each scene, at one scene per second.
    fn animated(scenes: &[Vec<Shape>]) -> String {
        let mut animation = Animation::new(1.0);
        for shapes in scenes {
            animation.add(&Scene { width: 10.0, height: 4.0, shapes: shapes.clone() });
        }
        animation.svg()
    }

    fn block(x: f64) -> Shape {
        Shape::rectangle(x, 1.0, 2.0, 1.0, Color::RED).standing_for("block")
    }

    #[test]
    fn draws_shapes_that_stay_once_and_without_animation() {
        let text = animated(&[vec![block(1.0)], vec![block(1.0)]]);
        assert_eq!(text.matches("<g").count(), 1);
        assert!(text.contains(r#"<g transform="translate(1 3)"><rect x="0" y="-1" width="2""#), "{text}");
        assert!(!text.contains("<animate"), "{text}");
    }

    #[test]
    fn keeps_only_the_corners_of_a_way() {
        let way = [0.0, 1.0, 2.0, 3.0, 3.0, 3.0].map(|x| vec![block(x)]);
        let text = animated(&way);
        // The animation lasts eight seconds: six for the scenes and two at the end. The path ends after three
        // seconds, and the last scene begins after five.
        let expected = r#"values="0,3;3,3;3,3;3,3" keyTimes="0;0.375;0.625;1" dur="8.00s""#;
        assert!(text.contains(expected), "{text}");
    }

    #[test]
    fn hides_shapes_that_are_not_in_a_scene() {
        let text = animated(&[vec![], vec![block(1.0)], vec![], vec![block(5.0)], vec![block(5.0)]]);
        let expected = r#"values="hidden;visible;hidden;visible" keyTimes="0;0.14286;0.28571;0.42857""#;
        assert!(text.contains(expected) && text.contains(r#"visibility="hidden""#), "{text}");
        let ends = animated(&[vec![block(1.0)], vec![]]);
        assert!(ends.contains(r#"values="visible;hidden" keyTimes="0;0.25""#), "{ends}");
    }

    #[test]
    fn paints_a_shape_that_comes_later_above_the_shape_below_it() {
        let top = Shape::circle(1.0, 1.0, 0.5, Color::BLACK);
        let text = animated(&[vec![block(1.0), top.clone()], vec![block(1.0), block(1.5), top]]);
        let painted: Vec<&str> =
            text.split('<').filter(|tag| tag.starts_with("rect x") || tag.starts_with("circle")).collect();
        assert_eq!(painted.len(), 3, "{text}");
        assert!(painted[2].starts_with("circle"), "{text}");
    }

    #[test]
    fn shows_a_change_of_colour_as_two_parts() {
        let blue = Shape::rectangle(1.0, 1.0, 2.0, 1.0, Color::BLUE).standing_for("block");
        let text = animated(&[vec![block(1.0)], vec![blue]]);
        assert_eq!(text.matches("<g").count(), 2);
        assert_eq!(text.matches("calcMode=\"discrete\"").count(), 2);
    }
}
