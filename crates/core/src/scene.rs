//! Scenes: pictures of an environment as plain shapes, which any viewer can draw without knowing the environment.

use crate::data;
use crate::iil::{EcoString, Parameter};

/// A picture of an environment: shapes in the order in which they are painted, on a plane whose x grows to the right
/// and whose y grows upwards. A viewer need not show what lies outside of 0..width and 0..height.
#[data(Default)]
pub struct Scene {
    /// Units from left to right.
    pub width: f64,
    /// Units from bottom to top.
    pub height: f64,
    /// The shapes; later ones cover earlier ones.
    pub shapes: Vec<Shape>,
}

/// A shape in a scene.
#[data]
pub struct Shape {
    /// Its form and position.
    pub outline: Outline,
    /// Its colour.
    pub color: Color,
    /// A short text on it.
    #[serde(default, skip_serializing_if = "EcoString::is_empty")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub label: EcoString,
    /// The parameter that it represents in actions and percepts, such as an entity's name or a place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stands_for: Option<Parameter>,
    /// Its part in the scene, from which viewers for people choose its look and its use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<Role>,
}

/// The part that a shape plays in a scene. Shapes without a role are the ground, or decoration.
#[data(Copy, Eq, Hash)]
pub enum Role {
    /// A place where an entity can be, such as a room.
    Place,
    /// A place into which the viewer does not see now. People are shown what they have seen of it, if anything.
    UnseenPlace,
    /// A door that the viewer can use.
    Door,
    /// A door that is closed.
    ClosedDoor,
    /// A thing that can be used, such as a block.
    Thing,
    /// An entity other than the viewer. Further shapes that represent the same entity are what it holds.
    Entity,
    /// The entity that views the scene. Further shapes that represent it are what it holds.
    Oneself,
    /// The way that the viewer is going.
    Route,
    /// A part of the goal that is not reached yet, in the order of the scene.
    Goal,
    /// A part of the goal that is reached.
    ReachedGoal,
}

/// The form and position of a shape.
#[data]
pub enum Outline {
    /// A rectangle with its sides along the axes.
    Rectangle {
        /// Its left edge.
        x: f64,
        /// Its lower edge.
        y: f64,
        /// The width.
        width: f64,
        /// The height.
        height: f64,
    },
    /// A circle.
    Circle {
        /// The x of its centre.
        x: f64,
        /// The y of its centre.
        y: f64,
        /// The radius.
        radius: f64,
    },
    /// A line through these points.
    Line(Vec<(f64, f64)>),
}

/// A colour: red, green and blue, each from 0 to 255.
#[data(Copy, Eq)]
pub struct Color(pub u8, pub u8, pub u8);

impl Scene {
    /// Returns the shapes that an earlier scene does not have at the same place, with their places.
    pub fn changes_since<'a>(&'a self, earlier: &Scene) -> Vec<(usize, &'a Shape)> {
        let shapes = self.shapes.iter().enumerate();
        shapes.filter(|(place, shape)| earlier.shapes.get(*place) != Some(shape)).collect()
    }

    /// Replaces the shapes at these places, and removes those from the place `count` on.
    pub fn change(&mut self, count: usize, shapes: &[(usize, Shape)]) {
        self.shapes.truncate(count);
        for (place, shape) in shapes {
            match self.shapes.get_mut(*place) {
                Some(old) => *old = shape.clone(),
                None => self.shapes.push(shape.clone()),
            }
        }
    }
}

impl Color {
    /// Black.
    pub const BLACK: Color = Color(0, 0, 0);
    /// White.
    pub const WHITE: Color = Color(255, 255, 255);
    /// A light grey, for things out of sight.
    pub const GREY: Color = Color(211, 211, 211);
    /// Red.
    pub const RED: Color = Color(214, 39, 40);
    /// Blue.
    pub const BLUE: Color = Color(31, 119, 180);
    /// Yellow.
    pub const YELLOW: Color = Color(255, 200, 40);
    /// Green.
    pub const GREEN: Color = Color(44, 160, 44);

    /// Mixes the colour with white: 0 is the colour itself, 1 is white.
    pub fn lighter(self, white: f64) -> Color {
        let mix = |part: u8| (f64::from(part) + (255.0 - f64::from(part)) * white) as u8;
        Color(mix(self.0), mix(self.1), mix(self.2))
    }
}

impl Shape {
    /// Creates a rectangle from its lower left corner.
    pub fn rectangle(x: f64, y: f64, width: f64, height: f64, color: Color) -> Self {
        Self::new(Outline::Rectangle { x, y, width, height }, color)
    }

    /// Creates a circle from its centre.
    pub fn circle(x: f64, y: f64, radius: f64, color: Color) -> Self {
        Self::new(Outline::Circle { x, y, radius }, color)
    }

    /// Creates a line through points.
    pub fn line(points: impl IntoIterator<Item = (f64, f64)>, color: Color) -> Self {
        Self::new(Outline::Line(points.into_iter().collect()), color)
    }

    fn new(outline: Outline, color: Color) -> Self {
        Self { outline, color, label: EcoString::new(), stands_for: None, role: None }
    }

    /// Adds a text.
    pub fn labelled(mut self, label: impl Into<EcoString>) -> Self {
        self.label = label.into();
        self
    }

    /// Sets the role.
    pub fn as_a(mut self, role: Role) -> Self {
        self.role = Some(role);
        self
    }

    /// Sets the parameter that the shape represents.
    pub fn standing_for(mut self, parameter: impl Into<Parameter>) -> Self {
        self.stands_for = Some(parameter.into());
        self
    }
}
