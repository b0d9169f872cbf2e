//! Scenes as images, characters and SVG.

use numpy::{PyArray1, PyArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use situated::scene::{self, Color};
use situated_render::{Image, brightness, draw, paint, rgb, svg};

use crate::terms;

/// A picture of an environment: plain shapes on a plane.
#[pyclass(module = "situated._native", frozen)]
pub(crate) struct Scene(pub(crate) scene::Scene);

#[pymethods]
impl Scene {
    /// Creates a plane of this width and height with shapes. Later shapes cover earlier ones.
    #[new]
    fn new(width: f64, height: f64, shapes: Vec<PyRef<'_, Shape>>) -> Self {
        Self(scene::Scene { width, height, shapes: shapes.iter().map(|shape| shape.0.clone()).collect() })
    }

    /// The width in units.
    #[getter]
    fn width(&self) -> f64 {
        self.0.width
    }

    /// The height in units.
    #[getter]
    fn height(&self) -> f64 {
        self.0.height
    }

    /// The scene as JSON, with the shapes in the order in which they are painted.
    fn to_json(&self) -> PyResult<String> {
        serde_json::to_string(&self.0).map_err(|error| PyValueError::new_err(error.to_string()))
    }

    /// Reads what `to_json` writes.
    #[staticmethod]
    fn from_json(text: &str) -> PyResult<Self> {
        terms::read_json(text).map(Self)
    }

    fn __reduce__(this: PyRef<'_, Self>) -> PyResult<(Py<PyAny>, (String,))> {
        let from_json = this.py().get_type::<Self>().getattr("from_json")?;
        Ok((from_json.unbind(), (this.to_json()?,)))
    }

    /// The scene as an image with the shape [height, width, 3], or [height, width] if `grayscale`, uint8, with `scale`
    /// pixels for each unit. With `size`, a height and a width, the scene is drawn as large as it fits into an image of
    /// this size, in its middle.
    #[pyo3(signature = (scale=32.0, size=None, grayscale=false))]
    fn pixels<'py>(
        &self,
        py: Python<'py>,
        scale: f64,
        size: Option<(u16, u16)>,
        grayscale: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let pixels = |units: f64| (units * scale).round().clamp(0.0, 16_384.0) as usize;
        let size = size.map(|(height, width)| (width.into(), height.into()));
        let most = size.unwrap_or_else(|| (pixels(self.0.width), pixels(self.0.height)));
        if grayscale {
            let image = drawn(&self.0, most, size.is_some(), brightness);
            let rows = image.rows();
            Ok(PyArray1::from_vec(py, image.pixels).reshape([rows, image.columns])?.into_any())
        } else {
            let image = drawn(&self.0, most, size.is_some(), rgb);
            let rows = image.rows();
            Ok(PyArray1::from_vec(py, image.pixels.into_flattened()).reshape([rows, image.columns, 3])?.into_any())
        }
    }

    /// The scene as text of at most this size, in colours or in plain characters.
    #[pyo3(signature = (columns=80, rows=24, colored=false))]
    fn text(&self, columns: usize, rows: usize, colored: bool) -> String {
        draw(&self.0, &[], columns, rows, colored).lines().join("\n")
    }

    /// The scene as an SVG document.
    fn svg(&self) -> String {
        svg(&self.0)
    }

    fn __repr__(&self) -> String {
        format!("<scene of {} x {} units with {} shapes>", self.0.width, self.0.height, self.0.shapes.len())
    }

    /// The display in notebooks.
    fn _repr_svg_(&self) -> String {
        self.svg()
    }
}

/// Draws a scene into at most this many columns and rows. A frame fills the rest of them.
fn drawn<T: Copy>(
    scene: &scene::Scene,
    (columns, rows): (usize, usize),
    framed: bool,
    tone: fn(Color) -> T,
) -> Image<T> {
    let image = paint(scene, columns, rows, tone);
    if framed { image.framed(columns, rows, tone(Color::WHITE)) } else { image }
}

/// Scenes that become an animated SVG document.
#[pyclass(module = "situated._native")]
pub(crate) struct Animation(situated_render::Animation);

#[pymethods]
impl Animation {
    /// Creates an animation that shows a new scene every `period` seconds.
    #[new]
    fn new(period: f64) -> Self {
        Self(situated_render::Animation::new(period))
    }

    /// Adds the next scene.
    fn add(&mut self, scene: &Scene) {
        self.0.add(&scene.0);
    }

    /// The animation as an SVG document.
    fn svg(&self) -> String {
        self.0.svg()
    }
}

/// A shape of a scene.
#[pyclass(module = "situated._native", frozen)]
pub(crate) struct Shape(scene::Shape);

/// The name of a colour, or its red, green and blue from 0 to 255.
#[derive(FromPyObject)]
enum Painted {
    Named(String),
    Parts(u8, u8, u8),
}

#[pymethods]
impl Shape {
    /// A rectangle from its lower left corner.
    #[staticmethod]
    #[pyo3(signature = (x, y, width, height, color, *, label="", stands_for=None))]
    fn rectangle(
        x: f64,
        y: f64,
        width: f64,
        height: f64,
        color: Painted,
        label: &str,
        stands_for: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        Self::showing(scene::Shape::rectangle(x, y, width, height, color.read()?), label, stands_for)
    }

    /// A circle around its centre.
    #[staticmethod]
    #[pyo3(signature = (x, y, radius, color, *, label="", stands_for=None))]
    fn circle(
        x: f64,
        y: f64,
        radius: f64,
        color: Painted,
        label: &str,
        stands_for: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        Self::showing(scene::Shape::circle(x, y, radius, color.read()?), label, stands_for)
    }

    /// A line through points.
    #[staticmethod]
    #[pyo3(signature = (points, color, *, label="", stands_for=None))]
    fn line(
        points: Vec<(f64, f64)>,
        color: Painted,
        label: &str,
        stands_for: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        Self::showing(scene::Shape::line(points, color.read()?), label, stands_for)
    }

    fn __repr__(&self) -> PyResult<String> {
        Ok(format!("<shape {}>", terms::json(&self.0)?))
    }
}

impl Shape {
    fn showing(shape: scene::Shape, label: &str, stands_for: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let stands_for = stands_for.map(terms::read_parameter).transpose()?;
        Ok(Self(scene::Shape { stands_for, ..shape.labelled(label) }))
    }
}

impl Painted {
    fn read(self) -> PyResult<Color> {
        let name = match self {
            Self::Parts(red, green, blue) => return Ok(Color(red, green, blue)),
            Self::Named(name) => name,
        };
        let found = COLORS.iter().find(|(known, _)| *known == name);
        found.map(|(_, color)| *color).ok_or_else(|| {
            let known = COLORS.map(|(known, _)| known).join(", ");
            PyValueError::new_err(format!(
                "unknown color {name:?}; use one of {known}, or (red, green, blue) from 0 to 255"
            ))
        })
    }
}

const COLORS: [(&str, Color); 7] = [
    ("black", Color::BLACK),
    ("white", Color::WHITE),
    ("grey", Color::GREY),
    ("red", Color::RED),
    ("blue", Color::BLUE),
    ("yellow", Color::YELLOW),
    ("green", Color::GREEN),
];
