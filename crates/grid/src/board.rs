//! Scenes of grids. A cell is a square of one unit.

use situated::scene::{Color, Scene, Shape};

use crate::{Heading, Place, bounds};

/// The width of a tile. The rest of its cell shows the background.
const TILE: f64 = 0.94;

/// A scene under construction.
#[derive(Clone, Debug)]
pub struct Board {
    scene: Scene,
    corner: Place,
}

impl Board {
    /// Creates a board of this background, with the cell `corner` in the south-west and so many columns and rows.
    pub fn new(corner: Place, (columns, rows): (i32, i32), background: Color) -> Self {
        let (width, height) = (f64::from(columns), f64::from(rows));
        let shapes = vec![Shape::rectangle(0.0, 0.0, width, height, background)];
        Self { scene: Scene { width, height, shapes }, corner }
    }

    /// Creates a board that shows these places and those beside them.
    pub fn around(places: impl Iterator<Item = Place>, background: Color) -> Self {
        let (low, high) = bounds(places).unwrap_or_default();
        Self::new((low.0 - 1, low.1 - 1), (high.0 - low.0 + 3, high.1 - low.1 + 3), background)
    }

    /// Returns the cells on the board.
    pub fn places(&self) -> impl Iterator<Item = Place> + use<> {
        let (x, y) = self.corner;
        let (columns, rows) = (self.scene.width as i32, self.scene.height as i32);
        (y..y + rows).flat_map(move |y| (x..x + columns).map(move |x| (x, y)))
    }

    /// Draws a tile in a cell.
    pub fn tile(&mut self, place: Place, color: Color) -> &mut Shape {
        let (x, y) = self.at(place);
        let margin = (1.0 - TILE) / 2.0;
        self.add(Shape::rectangle(x + margin, y + margin, TILE, TILE, color))
    }

    /// Draws a tile in each cell.
    pub fn pave(&mut self, color: Color) {
        self.places().for_each(|place| {
            self.tile(place, color);
        });
    }

    /// Draws a bar in a cell, from a point in it, in parts of the cell.
    pub fn bar(
        &mut self,
        place: Place,
        (right, up): (f64, f64),
        (width, height): (f64, f64),
        color: Color,
    ) -> &mut Shape {
        let (x, y) = self.at(place);
        self.add(Shape::rectangle(x + right, y + up, width, height, color))
    }

    /// Draws a dot in a cell, around a point in it, in parts of the cell.
    pub fn dot(&mut self, place: Place, (right, up): (f64, f64), radius: f64, color: Color) -> &mut Shape {
        let (x, y) = self.at(place);
        self.add(Shape::circle(x + right, y + up, radius, color))
    }

    /// Draws a round piece with a light on the side to which it looks. Its place is that of a cell, or between two.
    pub fn piece<N: Into<f64>>(&mut self, place: (N, N), heading: Heading, color: Color, name: &str) -> &mut Shape {
        let (x, y) = self.at(place);
        let (right, up) = heading.from((0, 0));
        let body = Shape::circle(x + 0.5, y + 0.5, 0.3, color).standing_for(name);
        let light = (x + 0.5 + 0.33 * f64::from(right), y + 0.5 + 0.33 * f64::from(up));
        self.scene.shapes.extend([body, Shape::circle(light.0, light.1, 0.1, Color::YELLOW)]);
        let body = self.scene.shapes.len() - 2;
        &mut self.scene.shapes[body]
    }

    /// Draws a disc that is a little wider than a piece. Its place is that of a cell, or between two.
    pub fn glow<N: Into<f64>>(&mut self, place: (N, N), color: Color) -> &mut Shape {
        let (x, y) = self.at(place);
        self.add(Shape::circle(x + 0.5, y + 0.5, 0.4, color))
    }

    /// Returns the scene.
    pub fn into_scene(self) -> Scene {
        self.scene
    }

    /// Returns the cell at a point of the scene.
    pub fn place_at(&self, (x, y): (f64, f64)) -> Place {
        (self.corner.0.saturating_add(x.floor() as i32), self.corner.1.saturating_add(y.floor() as i32))
    }

    fn at<N: Into<f64>>(&self, (x, y): (N, N)) -> (f64, f64) {
        let (x, y): (f64, f64) = (x.into(), y.into());
        (x - f64::from(self.corner.0), y - f64::from(self.corner.1))
    }

    fn add(&mut self, shape: Shape) -> &mut Shape {
        self.scene.shapes.push(shape);
        let last = self.scene.shapes.len() - 1;
        &mut self.scene.shapes[last]
    }
}
