//! Draws a scene in characters. Places are coloured areas, with boxes around them where there is room. Things are
//! signs in their colours, and entities are numbers. Names never overlap: those that do not fit are left out.

mod frame;
mod placing;

use std::collections::{HashMap, HashSet};

use situated::scene::{Color, Outline, Scene, Shape};

use crate::PAPER;
use crate::canvas::{Bounds, Canvas};
use crate::colors::{brightness, contrast, lines, night};
use crate::grid::{Grid, Ink, Style};
use crate::label::{Labels, beginnings};
use crate::tag::{Tag, entity, numbers};
use frame::{Drawn, Frame, corners};
use placing::{Area, Kind, Over};

/// Maximum ratio between the sizes of a unit of the scene in the two directions.
const STRETCH: f64 = 1.6;

/// Maximum area of a thing, as a multiple of the area of an entity; without entities, as a fraction of the scene.
const LARGEST_THING: f64 = 6.0;
const THING_OF_SCENE: f64 = 0.01;

/// Characters for areas without colours, from dark to light. Only white is blank.
const SHADES: [char; 6] = ['#', '%', '+', ':', '.', ' '];

/// The colour of text on places.
const LETTERS: Color = Color(222, 226, 234);
const FAINT_LETTERS: Color = Color(140, 146, 158);

/// Draws a scene into at most this many columns and rows. A character counts as twice as high as wide.
pub fn draw(scene: &Scene, tags: &[Tag], columns: usize, rows: usize, colored: bool) -> Grid {
    let mut map = Map::new(scene, tags, columns, rows);
    for (height, shape) in scene.shapes.iter().enumerate() {
        match map.role(shape) {
            Role::Entity => {}
            Role::Box => map.add_box(shape),
            Role::Way => map.add_way(shape),
            Role::Door(frame) => map.add_door(shape, frame),
            Role::Thing => map.add_thing(shape, height),
            Role::Surface => map.add_surface(shape, height),
        }
    }
    map.add_names();
    map.add_entities();
    map.grid(colored)
}

/// The way in which a shape is drawn.
enum Role {
    /// An entity, or its name: drawn as the number of the entity.
    Entity,
    /// A line around a place.
    Box,
    /// Another line.
    Way,
    /// An opening in the box with this index.
    Door(usize),
    /// Something about as large as an entity.
    Thing,
    /// An area on which things and entities can be.
    Surface,
}

/// The paint of a pixel.
#[derive(Clone, Copy)]
struct Ground {
    color: Color,
    /// The colour of the shape in the scene.
    own: Color,
    /// The height of the shape. Of the two pixels of a character, the higher one decides about a sign.
    height: usize,
}

/// A scene that is being drawn.
struct Map<'a> {
    scene: &'a Scene,
    tags: &'a [Tag],
    numbers: HashMap<String, usize>,
    labels: Labels,
    /// The areas: two pixels for each character, one above the other.
    ground: Canvas<Ground>,
    /// The boxes, things, names and entities in front of the areas, by character.
    over: placing::Overlay,
    boxes: Vec<Frame>,
    largest_thing: f64,
    /// The parameters that places represent.
    places: HashSet<String>,
    /// The shapes that name places. Their names are written last.
    names: Vec<&'a Shape>,
}

impl<'a> Map<'a> {
    fn new(scene: &'a Scene, tags: &'a [Tag], columns: usize, rows: usize) -> Self {
        let paper = Ground { color: night(PAPER), own: PAPER, height: 0 };
        let ground = Canvas::new(scene, columns, 2 * rows, STRETCH, paper);
        let numbers = numbers(tags);
        let over = placing::Overlay::new(ground.columns(), ground.lines().div_ceil(2));
        let boxes =
            scene.shapes.iter().filter_map(corners).map(|corners| Frame::new(&ground, over.area(), corners)).collect();
        let largest_thing = largest_thing(scene, &numbers);
        let (labels, places, names) = (Labels::of(scene), HashSet::new(), Vec::new());
        Self { scene, tags, numbers, labels, ground, over, boxes, largest_thing, places, names }
    }

    fn role(&mut self, shape: &Shape) -> Role {
        let is_name = shape.stands_for.is_none() && self.numbers.contains_key(shape.label.as_str());
        if is_name || entity(shape, &self.numbers).is_some() {
            return Role::Entity;
        }
        if matches!(shape.outline, Outline::Line(_)) {
            return if corners(shape).is_some() { Role::Box } else { Role::Way };
        }
        let Some(meaning) = shape.stands_for.as_ref().map(ToString::to_string) else { return Role::Surface };
        let is_small = area(&shape.outline) <= self.largest_thing;
        if let Some(frame) = self.boxes.iter().position(|frame| is_small && frame.is_crossed_by(&shape.outline)) {
            return Role::Door(frame);
        }
        // A small shape for the same parameter as a place is a part of that place, such as a plate with its name.
        if is_small && !self.places.contains(&meaning) {
            Role::Thing
        } else {
            self.places.insert(meaning);
            Role::Surface
        }
    }

    /// Returns the characters that a rectangle covers; at least one.
    fn area(&self, bounds: &Bounds) -> Area {
        Area::of(bounds).within(self.over.area())
    }

    fn add_surface(&mut self, shape: &'a Shape, height: usize) {
        let paint = Ground { color: night(shape.color), own: shape.color, height };
        let is_snapped = matches!(shape.outline, Outline::Rectangle { .. })
            && self.boxes.iter().any(|frame| frame.drawn != Drawn::Not);
        if is_snapped {
            // Rounded to whole characters, because boxes are drawn with characters.
            let mut place = self.area(&self.ground.bounds(&shape.outline));
            if let Some(frame) = self.boxes.iter().find(|frame| frame.belongs_to(&shape.outline)) {
                place = if frame.is_around(&shape.outline) { frame.area } else { place.within(frame.inner()) };
            }
            self.ground.fill(&place.bounds(), paint);
            self.over.clear(place);
        } else {
            self.ground.paint(&shape.outline, paint);
        }
        if !shape.label.is_empty() {
            self.names.push(shape);
        }
    }

    fn add_box(&mut self, shape: &Shape) {
        let corners = corners(shape);
        let Some(Frame { area, drawn, .. }) = self.boxes.iter().find(|frame| Some(frame.corners) == corners) else {
            return;
        };
        let (area, ink) = (*area, lines(shape.color));
        let line = |letter| Over { letter, ink, ground: None, bold: false, kind: Kind::Line };
        match drawn {
            Drawn::Not => return,
            Drawn::Sides => {
                for row in area.top..area.bottom {
                    self.over.set(area.left, row, line('▏'));
                    self.over.set(area.right - 1, row, line('▕'));
                }
                return;
            }
            Drawn::Whole => {}
        }
        for column in area.left..area.right {
            self.over.set(column, area.top, line('─'));
            self.over.set(column, area.bottom - 1, line('─'));
        }
        for row in area.top..area.bottom {
            self.over.set(area.left, row, line('│'));
            self.over.set(area.right - 1, row, line('│'));
        }
        for (column, row, letter) in [
            (area.left, area.top, '╭'),
            (area.right - 1, area.top, '╮'),
            (area.left, area.bottom - 1, '╰'),
            (area.right - 1, area.bottom - 1, '╯'),
        ] {
            self.over.set(column, row, line(letter));
        }
    }

    fn add_way(&mut self, shape: &'a Shape) {
        let Outline::Line(points) = &shape.outline else { return };
        let dot = Over { letter: '·', ink: shape.color, ground: None, bold: true, kind: Kind::Line };
        for (from, to) in points.iter().zip(points.iter().skip(1)) {
            let (from, to) = (self.ground.place(from.0, from.1), self.ground.place(to.0, to.1));
            let count = (to.0 - from.0).abs().max((to.1 - from.1).abs() / 2.0).clamp(1.0, 2000.0) as usize;
            for place in 0..=count {
                let part = place as f64 / count as f64;
                let (x, y) = (from.0 + part * (to.0 - from.0), from.1 + part * (to.1 - from.1));
                if let Some((column, row)) = self.over.cell(x, y) {
                    self.over.set(column, row, dot);
                }
            }
        }
        if !shape.label.is_empty() {
            self.names.push(shape);
        }
    }

    /// Draws a door: as a part of the box in its own colour, or as an area if the box is not drawn.
    fn add_door(&mut self, shape: &Shape, frame: usize) {
        let bounds = self.ground.bounds(&shape.outline);
        let frame = &self.boxes[frame];
        if frame.drawn != Drawn::Whole {
            let paint = Ground { color: shape.color, own: shape.color, height: usize::MAX };
            return self.ground.fill(&bounds, paint);
        }
        let frame = frame.area;
        let place = |letter| Over { letter, ink: shape.color, ground: None, bold: true, kind: Kind::Door };
        let ((x, y), all) = (bounds.center(), frame.bounds());
        let (left, right, top, bottom) =
            ((x - all.left).abs(), (x - all.right).abs(), (y - all.top).abs(), (y - all.bottom).abs());
        let door = Area::of(&bounds).within(frame);
        if top.min(bottom) <= left.min(right) {
            let row = if top < bottom { frame.top } else { frame.bottom - 1 };
            (door.left..door.right).for_each(|column| self.over.set(column, row, place('━')));
        } else {
            let column = if left < right { frame.left } else { frame.right - 1 };
            (door.top..door.bottom).for_each(|row| self.over.set(column, row, place('┃')));
        }
    }

    /// Draws a thing: it fills its characters if it has several, and is a sign if it has one.
    fn add_thing(&mut self, shape: &Shape, height: usize) {
        let bounds = self.ground.bounds(&shape.outline);
        let (x, y) = bounds.center();
        let Some((column, row)) = self.over.cell(x, y) else { return };
        let frame = self.boxes.iter().find(|frame| frame.encloses(&shape.outline));
        let inside = frame.map_or(self.over.area(), Frame::inner);
        let (ink, ground) = (contrast(shape.color), Some(shape.color));
        let sign = |letter| Over { letter, ink, ground, bold: true, kind: Kind::Thing };
        let label: Vec<char> = crate::printable(&shape.label).collect();
        let initial = label.first().copied().filter(|letter| letter.is_alphabetic());
        let (columns, lines) = self.ground.size(&shape.outline);
        if columns < 1.75 || lines < 1.0 {
            let sign = sign(initial.unwrap_or('■'));
            return self.over.set_near(inside.clamp(column, row), inside, &[sign], |over| over.kind < Kind::Thing);
        }
        let (columns, rows) = (columns.round() as usize, (lines / 2.0).round() as usize);
        let place = Area::around(bounds.center(), columns, rows.max(1)).moved_into(inside);
        self.ground.fill(&place.bounds(), Ground { color: shape.color, own: shape.color, height });
        self.over.clear(place);
        let text = if label.len() <= columns { label } else { initial.into_iter().collect() };
        let (first, row) = (place.left + (columns - text.len()) / 2, (place.top + place.bottom - 1) / 2);
        text.into_iter().enumerate().for_each(|(at, letter)| self.over.set(first + at, row, sign(letter)));
    }

    fn add_names(&mut self) {
        let names = std::mem::take(&mut self.names);
        for shape in &names {
            // If one name of a kind must be shortened, all of them are.
            let of_kind = names.iter().filter(|other| other.color == shape.color);
            let is_long = of_kind.into_iter().any(|other| {
                let area = self.area(&self.ground.bounds(&other.outline));
                other.label.chars().count() + 2 > area.right - area.left
            });
            let mut forms = self.labels.forms(&shape.label, shape.color);
            if is_long && forms.len() > 1 {
                forms.remove(0);
            }
            forms.extend(forms.last().map(|shortest| beginnings(shortest)).unwrap_or_default());
            let bounds = self.ground.bounds(&shape.outline);
            if !self.add_title(&forms, shape) {
                self.add_name(shape, &forms, self.area(&bounds));
            }
        }
    }

    /// Writes a name in the middle of its place, on free characters.
    fn add_name(&mut self, shape: &Shape, forms: &[String], area: Area) {
        let is_line = matches!(shape.outline, Outline::Line(_));
        let is_own = |column, row| {
            let pixels = [2 * row, 2 * row + 1].map(|line| self.ground.pixel(column, line));
            is_line || pixels.iter().flatten().all(|ground| ground.own == shape.color)
        };
        for form in forms {
            let letters: Vec<char> = form.chars().collect();
            let place = area.middle_first(letters.len()).into_iter().find(|(column, row)| {
                let mut inside = *column..column + letters.len();
                let mut around = column.saturating_sub(1)..column + letters.len() + 1;
                around.all(|column| self.over.is_free(column, *row, Kind::Name))
                    && inside.all(|column| self.over.is_free(column, *row, Kind::Line) && is_own(column, *row))
            });
            if let Some((column, row)) = place {
                return self.write_name(column, row, &letters, FAINT_LETTERS);
            }
        }
    }

    /// Writes a name into the upper or lower line of the box of its place, if it has one.
    fn add_title(&mut self, forms: &[String], shape: &Shape) -> bool {
        let mut frames = self.boxes.iter().filter(|frame| frame.drawn == Drawn::Whole);
        let Some(frame) = frames.find(|frame| frame.belongs_to(&shape.outline)) else { return false };
        let frame = frame.area;
        let room = frame.right - frame.left;
        let Some(form) = forms.iter().find(|form| form.chars().count() + 4 <= room) else { return false };
        let letters: Vec<char> = format!(" {form} ").chars().collect();
        let column = frame.left + (room - letters.len()) / 2;
        let is_free =
            |row: &usize| (column..column + letters.len()).all(|column| self.over.is_free(column, *row, Kind::Name));
        let Some(row) = [frame.top, frame.bottom - 1].into_iter().find(is_free) else { return false };
        self.write_name(column, row, &letters, LETTERS);
        true
    }

    fn write_name(&mut self, column: usize, row: usize, letters: &[char], ink: Color) {
        for (place, letter) in letters.iter().enumerate() {
            let over = Over { letter: *letter, ink, ground: None, bold: false, kind: Kind::Name };
            self.over.set(column + place, row, over);
        }
    }

    /// Writes the numbers of entities at their positions.
    fn add_entities(&mut self) {
        let mut bodies: Vec<Option<Bounds>> = vec![None; self.tags.len()];
        for shape in &self.scene.shapes {
            if let Some(index) = entity(shape, &self.numbers) {
                bodies[index].get_or_insert(self.ground.bounds(&shape.outline));
            }
        }
        for (tag, body) in self.tags.iter().zip(bodies) {
            let Some((body, (column, row))) =
                body.and_then(|body| Some((body, self.over.cell(body.center().0, body.center().1)?)))
            else {
                continue;
            };
            let (ink, ground) = (contrast(tag.color), Some(tag.color));
            let sign = |letter| Over { letter, ink, ground, bold: true, kind: Kind::Entity };
            let mut signs: Vec<Over> = tag.number.to_string().chars().map(sign).collect();
            signs.extend(tag.load.map(|load| Over { ink: load, ..sign('■') }));
            let area = self.area(&body);
            let is_alone = area.cells().all(|(column, row)| self.over.is_free(column, row, Kind::Entity));
            if area.right - area.left > signs.len() && is_alone {
                // An entity of several characters: a rectangle of its own size, with the number in a row that it
                // fills.
                let paint = Ground { color: tag.color, own: tag.color, height: usize::MAX };
                (area.top..area.bottom).for_each(|row| self.over.uncover(area.left..area.right, row));
                let filled = [(body.top / 2.0).ceil(), (body.bottom / 2.0).floor()];
                let [top, bottom] = filled.map(|row| (row as usize).min(area.bottom));
                let is_high = bottom > top && body.bottom - body.top >= 3.0;
                let (top, bottom) = if is_high { (top, bottom) } else { (area.top, area.bottom) };
                self.ground.fill(&if is_high { body } else { area.bounds() }, paint);
                let (first, row) = (area.left + (area.right - area.left - signs.len()) / 2, (top + bottom - 1) / 2);
                signs.into_iter().enumerate().for_each(|(place, sign)| self.over.set(first + place, row, sign));
            } else {
                self.over.set_near((column, row), self.over.area(), &signs, |over| over.kind < Kind::Entity);
            }
        }
    }

    fn grid(self, colored: bool) -> Grid {
        let area = self.over.area();
        let mut grid = Grid::new(area.right, area.bottom, colored);
        for row in 0..area.bottom {
            for column in 0..area.right {
                let Some(upper) = self.ground.pixel(column, 2 * row) else { continue };
                let lower = self.ground.pixel(column, 2 * row + 1);
                let top = lower.filter(|lower| lower.height > upper.height).unwrap_or(upper);
                let (letter, style) = match self.over.get(column, row) {
                    Some(over) => {
                        let ground = over.ground.or(Some(top.color));
                        (over.letter, Style { ink: Ink::Of(over.ink), ground, bold: over.bold })
                    }
                    None if !colored => (shade(top.own), Style::USUAL),
                    None if lower.is_some_and(|lower| lower.color == upper.color) => {
                        (' ', Style { ground: Some(upper.color), ..Style::USUAL })
                    }
                    None => ('▀', Style { ground: lower.map(|lower| lower.color), ..Style::of(upper.color) }),
                };
                grid.set(column, row, letter, style);
            }
        }
        grid
    }
}

fn area(outline: &Outline) -> f64 {
    match outline {
        Outline::Rectangle { width, height, .. } => (width * height).abs(),
        Outline::Circle { radius, .. } => std::f64::consts::PI * radius * radius,
        Outline::Line(_) => 0.0,
    }
}

fn largest_thing(scene: &Scene, numbers: &HashMap<String, usize>) -> f64 {
    let bodies = scene.shapes.iter().filter(|shape| entity(shape, numbers).is_some());
    let mut areas: Vec<f64> = bodies.map(|shape| area(&shape.outline)).collect();
    areas.sort_by(f64::total_cmp);
    areas.get(areas.len() / 2).map_or(THING_OF_SCENE * scene.width * scene.height, |usual| LARGEST_THING * usual)
}

fn shade(color: Color) -> char {
    SHADES[usize::from(brightness(color)) * (SHADES.len() - 1) / 255]
}

#[cfg(test)]
mod tests;
