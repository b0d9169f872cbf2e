//! Maps as files, in the format of the original: XML with the root `newMap`.
//!
//! Unknown elements are skipped, and elements can be in any order. If an element that should be unique occurs several
//! times, the last one counts. Elements that the editor of the original leaves out have the defaults of the original.

use super::check::{Flaw, MapPart};
use super::{Door, Map, Orientation, Spawn, Zone, ZoneKind};
use crate::Color;
use crate::geometry::{Point, Rectangle};
use crate::xml::{self, Element, FileError, Kind, Writer, label};

const KIND: Kind = Kind { name: "map", root: "newMap" };

/// The types of zones, as files name them.
const KINDS: [(&str, ZoneKind); 4] = [
    ("ROOM", ZoneKind::Room),
    ("CORRIDOR", ZoneKind::Corridor),
    ("CHARGINGZONE", ZoneKind::ChargingZone),
    ("BLOCKADE", ZoneKind::Blockade),
];

/// The orientations of doors, as files name them.
const ORIENTATIONS: [(&str, Orientation); 2] =
    [("HORIZONTAL", Orientation::Horizontal), ("VERTICAL", Orientation::Vertical)];

impl Map {
    /// Reads a file of the original, and [checks](Map::check) it.
    ///
    /// # Errors
    /// Returns an error if the text is not XML, has another root, contains a value of the wrong type, lacks the name
    /// or the type of a zone, or if an episode cannot begin on the map. Errors name a line and an element: `line 12,
    /// <zones> RoomA1: ...`.
    pub fn from_xml(text: &str) -> Result<Map, FileError> {
        Map::read_unchecked(text, |map, line| match map.flaws().into_iter().next() {
            None => Ok(map),
            Some(Flaw { place, problem }) => {
                Err(FileError { line: Some(line(place)), part: map.element(place), problem })
            }
        })
    }

    /// Reads a file, and passes the map, on which perhaps no episode can begin, with a function that finds the line of
    /// a part.
    pub(super) fn read_unchecked<T>(
        text: &str,
        then: impl FnOnce(Map, &dyn Fn(MapPart) -> usize) -> Result<T, FileError>,
    ) -> Result<T, FileError> {
        xml::read(text, KIND, |root| {
            let mut map = Map::default();
            for element in root.elements() {
                map.read_part(element).map_err(|flaw| {
                    let name = element.child("name").map_or(String::new(), Element::text);
                    FileError { part: label(element.name(), &name), ..flaw }
                })?;
            }
            let line = |place| {
                let part = match place {
                    MapPart::Map => None,
                    MapPart::Spawn(index) => root.children("entities").nth(index),
                    MapPart::Zone(index) => root.children("zones").nth(index),
                };
                part.unwrap_or(root).line()
            };
            then(map, &line)
        })
    }

    /// Returns the map as a file of the original. [`Map::from_xml`] reads it as an equal map, if this one is
    /// [sound](Map::check).
    pub fn to_xml(&self) -> String {
        Writer::write(KIND.root, |writer| {
            writer.element("area", |writer| write_point(writer, self.area));
            self.spawns.iter().for_each(|spawn| write_spawn(writer, spawn));
            writer.value("oneBotPerCorridorZone", self.one_bot_per_corridor_zone);
            writer.value("randomBlocks", self.random_blocks);
            writer.value("randomSequence", self.random_sequence);
            if let Some(seed) = self.seed {
                writer.value("seed", seed);
            }
            self.sequence.iter().for_each(|color| write_color(writer, "sequence", *color));
            self.zones.iter().for_each(|zone| write_zone(writer, zone));
        })
    }

    /// Reads an element in the root.
    fn read_part(&mut self, element: Element<'_>) -> Result<(), FileError> {
        match element.name() {
            "area" => self.area = point(element)?,
            "entities" => self.spawns.push(spawn(element)?),
            "oneBotPerCorridorZone" => self.one_bot_per_corridor_zone = element.truth_value()?,
            "randomBlocks" => self.random_blocks = element.value("a whole number from 0")?,
            "randomSequence" => self.random_sequence = element.value("a whole number from 0")?,
            "seed" => self.seed = Some(element.value("a whole number")?),
            "sequence" => self.sequence.push(color(element)?),
            "zones" => self.zones.push(zone(element)?),
            _ => {}
        }
        Ok(())
    }
}

fn spawn(element: Element<'_>) -> Result<Spawn, FileError> {
    let text = |name, default: &str| element.child(name).map_or(default.to_owned(), Element::text);
    let position = element.child("position").map(point).transpose()?.unwrap_or_default();
    Ok(Spawn { name: text("name", "-"), position, kind: text("type", "NORMAL") })
}

fn zone(element: Element<'_>) -> Result<Zone, FileError> {
    let required = |name: &str| element.child(name).ok_or_else(|| element.flaw(format!("it has no <{name}>")));
    let label_visible = element.child("renderOptions").and_then(|options| options.child("labelVisible"));
    Ok(Zone {
        name: required("name")?.text(),
        kind: required("type")?.one_of(&KINDS)?,
        bounds: element.child("boundingbox").map(bounds).transpose()?.unwrap_or_default(),
        blocks: element.children("blocks").map(color).collect::<Result<_, _>>()?,
        doors: element.children("doors").map(door).collect::<Result<_, _>>()?,
        neighbours: element.children("neighbours").map(Element::text).collect(),
        label_visible: label_visible.map(Element::truth_value).transpose()?.unwrap_or(true),
    })
}

fn door(element: Element<'_>) -> Result<Door, FileError> {
    let orientation = element.child("orientation").map(|child| child.one_of(&ORIENTATIONS)).transpose()?;
    Ok(Door {
        position: element.child("position").map(point).transpose()?.unwrap_or_default(),
        orientation: orientation.unwrap_or(Orientation::Horizontal),
    })
}

fn bounds(element: Element<'_>) -> Result<Rectangle, FileError> {
    Ok(Rectangle::around(point(element)?, number(element, "width")?, number(element, "height")?))
}

fn point(element: Element<'_>) -> Result<Point, FileError> {
    Ok(Point::new(number(element, "x")?, number(element, "y")?))
}

/// Returns the number in the child with this name, or 0 if there is none.
fn number(element: Element<'_>, name: &str) -> Result<f64, FileError> {
    element.child(name).map_or(Ok(0.0), |child| child.value("a number"))
}

fn color(element: Element<'_>) -> Result<Color, FileError> {
    let names = || format!("one of {}", Color::ALL.map(Color::name).join(", "));
    Color::find(&element.text()).ok_or_else(|| element.wrong(&names()))
}

fn write_spawn(writer: &mut Writer, spawn: &Spawn) {
    writer.element("entities", |writer| {
        writer.value("name", &spawn.name);
        writer.element("position", |writer| write_point(writer, spawn.position));
        writer.value("type", &spawn.kind);
    });
}

fn write_zone(writer: &mut Writer, zone: &Zone) {
    writer.element("zones", |writer| {
        writer.value("name", &zone.name);
        writer.value("type", name_of(zone.kind, &KINDS));
        writer.element("boundingbox", |writer| {
            write_point(writer, zone.bounds.center);
            write_number(writer, "width", zone.bounds.width);
            write_number(writer, "height", zone.bounds.height);
        });
        zone.blocks.iter().for_each(|color| write_color(writer, "blocks", *color));
        zone.doors.iter().for_each(|door| write_door(writer, door));
        zone.neighbours.iter().for_each(|neighbour| writer.value("neighbours", neighbour));
        if !zone.label_visible {
            writer.element("renderOptions", |writer| writer.value("labelVisible", false));
        }
    });
}

fn write_door(writer: &mut Writer, door: &Door) {
    writer.element("doors", |writer| {
        writer.element("position", |writer| write_point(writer, door.position));
        writer.value("orientation", name_of(door.orientation, &ORIENTATIONS));
    });
}

fn write_point(writer: &mut Writer, point: Point) {
    write_number(writer, "x", point.x);
    write_number(writer, "y", point.y);
}

/// Writes a number with all necessary digits, and a decimal point.
fn write_number(writer: &mut Writer, name: &str, value: f64) {
    writer.value(name, format_args!("{value:?}"));
}

fn write_color(writer: &mut Writer, name: &str, color: Color) {
    writer.value(name, color.name().to_ascii_uppercase());
}

fn name_of<T: PartialEq>(value: T, values: &[(&'static str, T)]) -> &'static str {
    values.iter().find(|(_, other)| *other == value).map_or("", |(name, _)| name)
}
