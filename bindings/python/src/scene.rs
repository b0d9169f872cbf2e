//! What a world looks like: as an image, as characters, as SVG.

use numpy::{PyArray3, PyArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use situated::scene::Color;
use situated_picture::{draw, paint, svg};

/// What a world looks like: plain shapes on a plane of so many units, which can be drawn in several ways.
#[pyclass(module = "situated._native", frozen)]
pub(crate) struct Scene(pub(crate) situated::scene::Scene);

#[pymethods]
impl Scene {
    /// Units from left to right.
    #[getter]
    fn width(&self) -> f64 {
        self.0.width
    }

    /// Units from bottom to top.
    #[getter]
    fn height(&self) -> f64 {
        self.0.height
    }

    /// The shapes, in the order in which they are painted, as JSON.
    fn to_json(&self) -> PyResult<String> {
        serde_json::to_string(&self.0).map_err(|error| PyValueError::new_err(error.to_string()))
    }

    /// As an image of the shape [height, width, 3], uint8, with so many pixels to a unit.
    #[pyo3(signature = (scale=32.0))]
    fn pixels<'py>(&self, py: Python<'py>, scale: f64) -> PyResult<Bound<'py, PyArray3<u8>>> {
        let pixels = |units: f64| (units * scale).round().clamp(0.0, 16_384.0) as usize;
        let picture = paint(&self.0, pixels(self.0.width), pixels(self.0.height));
        let colors: Vec<u8> = picture.pixels().flat_map(|Color(red, green, blue)| [red, green, blue]).collect();
        let width = picture.columns();
        let height = (colors.len() / 3).checked_div(width).unwrap_or(0);
        numpy::PyArray1::from_vec(py, colors).reshape([height, width, 3])
    }

    /// As text of so many columns and rows at the most, in colours or in plain characters.
    #[pyo3(signature = (columns=80, rows=24, colored=false))]
    fn text(&self, columns: usize, rows: usize, colored: bool) -> String {
        draw(&self.0, columns, rows).lines(colored).join("\n")
    }

    /// As an SVG document.
    fn svg(&self) -> String {
        svg(&self.0)
    }

    /// Notebooks show it so.
    fn _repr_svg_(&self) -> String {
        self.svg()
    }
}
