//! The pictures of the cave, as a whole and as far as the explorer knows it, and the choices of a person. A cell is a
//! square of one unit.

use situated::iil::EcoString;
use situated::menu::{Menu, MenuItem};
use situated::scene::{Color, Scene, Shape};

use crate::cave::{Cave, Cell, End, Place, Side};
use crate::notes::{Note, Notes};
use crate::{Action, NAME};

const ROCK: Color = Color(44, 42, 50);
const GROUND: Color = Color(232, 224, 208);
const DARK: Color = Color(92, 88, 100);
const SAFE: Color = Color(196, 222, 188);
const BREEZE: Color = Color(120, 180, 220);
const STENCH: Color = Color(150, 170, 60);
const WUMPUS: Color = Color(140, 40, 110);
const DEAD: Color = Color(170, 150, 165);

/// A picture from a south-western cell on.
struct Drawing {
    scene: Scene,
    corner: Place,
}

impl Drawing {
    fn new(corner: Place, (width, height): (i32, i32)) -> Self {
        let (width, height) = (f64::from(width), f64::from(height));
        let shapes = vec![Shape::rectangle(0.0, 0.0, width, height, ROCK)];
        Self { scene: Scene { width, height, shapes }, corner }
    }

    fn at(&self, (x, y): Place) -> (f64, f64) {
        (f64::from(x - self.corner.0), f64::from(y - self.corner.1))
    }

    fn cell(&mut self, place: Place, color: Color) {
        let (x, y) = self.at(place);
        self.scene.shapes.push(Shape::rectangle(x + 0.03, y + 0.03, 0.94, 0.94, color));
    }

    fn dot(&mut self, place: Place, (right, up): (f64, f64), radius: f64, color: Color, label: &str) {
        let (x, y) = self.at(place);
        self.scene.shapes.push(Shape::circle(x + right, y + up, radius, color).labelled(label));
    }

    fn senses(&mut self, place: Place, breeze: bool, stench: bool) {
        if breeze {
            self.dot(place, (0.2, 0.8), 0.12, BREEZE, "");
        }
        if stench {
            self.dot(place, (0.8, 0.8), 0.12, STENCH, "");
        }
    }

    /// Draws the entrance, and the explorer with a light in the direction in which it looks.
    fn finish(mut self, cave: &Cave) -> Scene {
        let (x, y) = self.at((0, 0));
        self.scene.shapes.push(Shape::rectangle(x + 0.08, y + 0.06, 0.36, 0.1, Color::GREEN));
        if cave.end() != Some(End::ClimbedOut) {
            let (x, y) = self.at(cave.place());
            let (right, up) = cave.heading().from((0, 0));
            let body = if cave.end().is_some() { DEAD } else { Color::BLUE };
            self.scene.shapes.push(Shape::circle(x + 0.5, y + 0.5, 0.3, body).standing_for(NAME));
            let light = (0.5 + 0.33 * f64::from(right), 0.5 + 0.33 * f64::from(up));
            self.dot(cave.place(), light, 0.1, Color::YELLOW, "");
        }
        self.scene
    }
}

/// Returns the whole cave.
pub(crate) fn whole(cave: &Cave) -> Scene {
    let (corner, (width, height)) = (cave.corner(), cave.size());
    let mut drawing = Drawing::new((corner.0 - 1, corner.1 - 1), (width + 2, height + 2));
    for place in (0..height).flat_map(|y| (0..width).map(move |x| (corner.0 + x, corner.1 + y))) {
        match cave.cell(place) {
            Cell::Wall => continue,
            Cell::Ground => drawing.cell(place, GROUND),
            Cell::Pit => {
                drawing.cell(place, GROUND);
                drawing.dot(place, (0.5, 0.5), 0.38, Color::BLACK, "pit");
            }
        }
        drawing.senses(place, cave.is_beside_pit(place), cave.is_beside_wumpus(place));
    }
    if let Some((place, is_alive)) = cave.wumpus() {
        drawing.dot(place, (0.5, 0.5), 0.36, if is_alive { WUMPUS } else { DEAD }, "wumpus");
    }
    if let Some(place) = cave.gold() {
        drawing.dot(place, (0.5, 0.22), 0.16, Color::YELLOW, "gold");
    }
    drawing.finish(cave)
}

/// Returns what the explorer knows: the cells that it has visited, walls, and the cells beside these, green if safe.
pub(crate) fn seen(cave: &Cave, notes: &Notes) -> Scene {
    let places = || notes.cells().map(|(place, _)| place);
    let (left, right) = places().fold((0, 0), |(least, most), (x, _)| (x.min(least), x.max(most)));
    let (bottom, top) = places().fold((0, 0), |(least, most), (_, y)| (y.min(least), y.max(most)));
    let mut drawing = Drawing::new((left - 1, bottom - 1), (right - left + 3, top - bottom + 3));
    for place in (bottom - 1..=top + 1).flat_map(|y| (left - 1..=right + 1).map(move |x| (x, y))) {
        drawing.cell(place, DARK);
    }
    for place in notes.frontier() {
        drawing.cell(place, SAFE);
    }
    for (place, note) in notes.cells() {
        match note {
            Note::Wall => drawing.cell(place, ROCK),
            Note::Visited { breeze, stench } => {
                drawing.cell(place, GROUND);
                drawing.senses(place, breeze, stench);
            }
        }
    }
    if cave.glitter() && cave.end().is_none() {
        drawing.dot(cave.place(), (0.5, 0.15), 0.12, Color::YELLOW, "gold");
    }
    drawing.finish(cave)
}

/// Returns all actions, whose number is small, wherever a person points.
pub(crate) fn menu(cave: &Cave) -> Menu<Action> {
    if cave.end().is_some() {
        return Menu::default();
    }
    let label = |action: Action| match action {
        Action::Forward => "Go forward",
        Action::Turn { side: Side::Left } => "Turn left",
        Action::Turn { side: Side::Right } => "Turn right",
        Action::Grab => "Grab the gold",
        Action::Shoot => "Shoot the arrow",
        Action::Climb => "Climb out",
    };
    let makes_sense = |action: &Action| match action {
        Action::Grab => cave.glitter(),
        Action::Shoot => cave.has_arrow(),
        Action::Climb => cave.place() == (0, 0),
        _ => true,
    };
    let possible = Action::ALL.into_iter().filter(makes_sense);
    let item = |action| MenuItem { sections: Vec::new(), label: label(action).into(), direct: true, action };
    Menu { subject: EcoString::from("the explorer"), items: possible.map(item).collect() }
}
