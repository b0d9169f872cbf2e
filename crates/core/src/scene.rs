//! What an environment looks like: plain shapes that any viewer can draw without knowing the environment.

use serde::{Deserialize, Serialize};

use crate::iil::Parameter;

/// A picture of an environment: shapes in the order in which they are painted, on a plane whose x grows to the right
/// and whose y grows upwards. What lies outside of 0..width and 0..height need not be shown.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Scene {
    /// Units from left to right.
    pub width: f64,
    /// Units from bottom to top.
    pub height: f64,
    /// What there is to see; later shapes cover earlier ones.
    pub shapes: Vec<Shape>,
}

/// One thing to see.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Shape {
    /// Where it is, and in which form.
    pub outline: Outline,
    /// Its colour.
    pub color: Color,
    /// A short text on it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub label: String,
    /// What it shows, as a parameter that actions or percepts may have: an entity's name, a place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stands_for: Option<Parameter>,
}

/// Where a shape is, and in which form.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum Outline {
    /// A rectangle with its sides along the axes.
    Rectangle {
        /// Its left edge.
        x: f64,
        /// Its lower edge.
        y: f64,
        /// From left to right.
        width: f64,
        /// From bottom to top.
        height: f64,
    },
    /// A circle.
    Circle {
        /// Its centre, from left.
        x: f64,
        /// Its centre, from below.
        y: f64,
        /// From the centre to the edge.
        radius: f64,
    },
    /// A line through these points, one after another.
    Line(Vec<(f64, f64)>),
}

/// A colour, as parts of 255 of red, green and blue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Color(pub u8, pub u8, pub u8);

impl Color {
    /// Black.
    pub const BLACK: Color = Color(0, 0, 0);
    /// White.
    pub const WHITE: Color = Color(255, 255, 255);
    /// A light grey, as of what is out of sight.
    pub const GREY: Color = Color(211, 211, 211);
    /// Red.
    pub const RED: Color = Color(214, 39, 40);
    /// Blue.
    pub const BLUE: Color = Color(31, 119, 180);
    /// Yellow.
    pub const YELLOW: Color = Color(255, 200, 40);
    /// Green.
    pub const GREEN: Color = Color(44, 160, 44);

    /// The colour mixed with so much white: 0 is the colour itself, 1 is white.
    pub fn lighter(self, white: f64) -> Color {
        let mix = |part: u8| (f64::from(part) + (255.0 - f64::from(part)) * white) as u8;
        Color(mix(self.0), mix(self.1), mix(self.2))
    }
}

impl Shape {
    /// A rectangle from its lower left corner.
    pub fn rectangle(x: f64, y: f64, width: f64, height: f64, color: Color) -> Self {
        Self::new(Outline::Rectangle { x, y, width, height }, color)
    }

    /// A circle around its centre.
    pub fn circle(x: f64, y: f64, radius: f64, color: Color) -> Self {
        Self::new(Outline::Circle { x, y, radius }, color)
    }

    /// A line through points.
    pub fn line(points: impl IntoIterator<Item = (f64, f64)>, color: Color) -> Self {
        Self::new(Outline::Line(points.into_iter().collect()), color)
    }

    fn new(outline: Outline, color: Color) -> Self {
        Self { outline, color, label: String::new(), stands_for: None }
    }

    /// With a text on it.
    pub fn labelled(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    /// Standing for something.
    pub fn standing_for(mut self, parameter: impl Into<Parameter>) -> Self {
        self.stands_for = Some(parameter.into());
        self
    }
}
