//! Checks of maps: whether an episode can begin, and if not, the problem and its place.

use std::collections::BTreeMap;

use super::filling::{BLOCK_SIZE, ROOM_CAPACITY};
use super::{DROP_ZONE, Door, Map, Spawn, Zone, ZoneKind};
use crate::Color;
use crate::xml::{FileError, excerpt, fault_of_text, label};

/// Maximum number of zones on a map.
pub const MOST_ZONES: usize = 65_536;

/// Maximum number of starting points.
pub const MOST_SPAWNS: usize = 65_536;

/// Maximum number of blocks on a map, including random ones.
pub const MOST_BLOCKS: usize = 1_000_000;

/// Maximum number of doors of a room.
pub const MOST_DOORS: usize = 64;

/// Maximum number of neighbours that a zone lists.
pub const MOST_NEIGHBOURS: usize = 1_024;

/// Maximum number of colours to deliver, including random ones.
pub const LONGEST_SEQUENCE: usize = 10_000;

/// Maximum number of characters in a name.
pub const LONGEST_NAME: usize = 256;

/// Maximum distance of a coordinate from 0, and maximum size.
pub const FARTHEST: f64 = 1_000_000.0;

/// A problem of a map, and its place.
pub(super) struct Flaw {
    pub(super) place: MapPart,
    pub(super) problem: String,
}

/// A part of a map.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum MapPart {
    /// The map as a whole.
    Map,
    /// The spawn point of this index.
    Spawn(usize),
    /// The zone of this index.
    Zone(usize),
}

/// For each zone the zones to which robots can go from it, as indices, in both directions.
pub(super) type Ways = Vec<Vec<usize>>;

impl Map {
    /// Checks whether an episode can begin on the map: it has one drop zone; names are unique and neighbours exist;
    /// numbers are finite and sizes positive; only rooms have doors and blocks; rooms can be entered and left; the
    /// rooms have space for all random blocks; and no [limit](self) is exceeded.
    ///
    /// The map need not be useful: robots may begin anywhere, halls may lead nowhere, and blocks of a required colour
    /// may be missing.
    ///
    /// # Errors
    /// Returns the first problem, without a line.
    pub fn check(&self) -> Result<(), FileError> {
        self.flaws()
            .into_iter()
            .next()
            .map_or(Ok(()), |Flaw { place, problem }| Err(FileError { line: None, part: self.element(place), problem }))
    }

    /// Returns the problems because of which no episode can begin on the map. A map that exceeds a limit may have more.
    pub(super) fn flaws(&self) -> Vec<Flaw> {
        let mut flaws = Vec::new();
        let mut note = |place, checked: Result<(), String>| {
            let is_good = checked.is_ok();
            flaws.extend(checked.err().map(|problem| Flaw { place, problem }));
            is_good
        };
        note(MapPart::Map, check_size("<x> of <area>", self.area.x));
        note(MapPart::Map, check_size("<y> of <area>", self.area.y));
        let counted = note(MapPart::Map, check_count("spawn points", self.spawns.len(), MOST_SPAWNS))
            & note(MapPart::Map, check_count("zones", self.zones.len(), MOST_ZONES));
        if !counted {
            return flaws;
        }
        for (index, spawn) in self.spawns.iter().enumerate() {
            note(MapPart::Spawn(index), check_spawn(spawn));
        }
        for (index, zone) in self.zones.iter().enumerate() {
            note(MapPart::Zone(index), check_zone(zone));
        }
        note(MapPart::Map, self.check_contents());
        let (ways, lost) = self.ways();
        flaws.extend(lost);
        match self.drop_zone() {
            Some(drop_zone) => flaws.extend(self.unusable_rooms(drop_zone, &ways)),
            None => flaws.push(Flaw {
                place: MapPart::Map,
                problem: format!("there is no drop zone: name a zone of the type ROOM {DROP_ZONE}"),
            }),
        }
        flaws
    }

    pub(super) fn drop_zone(&self) -> Option<usize> {
        self.zones.iter().position(Zone::is_drop_zone)
    }

    /// The name of a part in files: `<zones> RoomA1`.
    pub(super) fn element(&self, place: MapPart) -> String {
        match place {
            MapPart::Map => "<newMap>".to_owned(),
            MapPart::Spawn(index) => label("entities", &self.spawns[index].name),
            MapPart::Zone(index) => label("zones", &self.zones[index].name),
        }
    }

    /// Checks the limits of sequence and blocks, and that rooms have space for the random blocks.
    fn check_contents(&self) -> Result<(), String> {
        let [random_sequence, random_blocks] = [self.random_sequence, self.random_blocks].map(|count| count as usize);
        check_count("colours to deliver", self.sequence.len().saturating_add(random_sequence), LONGEST_SEQUENCE)?;
        check_colors(&self.sequence)?;
        let random = random_sequence.saturating_add(random_blocks);
        let fixed: usize = self.zones.iter().map(|zone| zone.blocks.len()).sum();
        check_count("blocks", fixed.saturating_add(random), MOST_BLOCKS)?;
        let rooms = self.zones.iter().filter(|zone| zone.holds_blocks());
        let free: usize = rooms.map(|room| ROOM_CAPACITY.saturating_sub(room.blocks.len())).sum();
        if random <= free {
            return Ok(());
        }
        Err(format!(
            "<randomSequence> and <randomBlocks> ask for {random} blocks, and there is room for {free}: \
             chance fills a room with {ROOM_CAPACITY}"
        ))
    }

    /// Returns the ways between zones, and the problems with names and neighbours.
    pub(super) fn ways(&self) -> (Ways, Vec<Flaw>) {
        let mut flaws = Vec::new();
        let mut indices = BTreeMap::new();
        for (index, zone) in self.zones.iter().enumerate() {
            if indices.insert(zone.name.as_str(), index).is_some() {
                flaws.push(Flaw { place: MapPart::Zone(index), problem: "another zone has the same name".to_owned() });
            }
        }
        let mut ways = vec![Vec::new(); self.zones.len()];
        for (from, zone) in self.zones.iter().enumerate() {
            for name in &zone.neighbours {
                match indices.get(name.as_str()) {
                    Some(&to) if to != from => {
                        ways[from].push(to);
                        ways[to].push(from);
                    }
                    _ => {
                        let wrong = if *name == zone.name { "itself" } else { "not a zone of this map" };
                        let problem = format!("its neighbour {} is {wrong}", excerpt(name));
                        flaws.push(Flaw { place: MapPart::Zone(from), problem });
                    }
                }
            }
        }
        (ways, flaws)
    }

    /// Returns the rooms, including the drop zone, that cannot be entered or are not connected with the drop zone.
    fn unusable_rooms(&self, drop_zone: usize, ways: &Ways) -> Vec<Flaw> {
        let connected = self.connected(drop_zone, ways);
        let rooms = self.zones.iter().enumerate().filter(|(_, zone)| zone.kind == ZoneKind::Room);
        let problem = |(index, room): (usize, &Zone)| {
            let problem = if room.doors.is_empty() {
                "it has no door, so no robot can enter it".to_owned()
            } else if !ways[index].iter().any(|&neighbour| leads(room, &self.zones[neighbour])) {
                "none of its doors lies between it and a neighbour that can be entered".to_owned()
            } else if !connected[index] {
                format!("no way leads from it to {DROP_ZONE}")
            } else {
                return None;
            };
            Some(Flaw { place: MapPart::Zone(index), problem })
        };
        rooms.filter_map(problem).collect()
    }

    /// Returns for each zone whether it can be reached from a zone, around blockades.
    pub(super) fn connected(&self, start: usize, ways: &Ways) -> Vec<bool> {
        let mut connected = vec![false; self.zones.len()];
        connected[start] = true;
        let mut ahead = vec![start];
        while let Some(zone) = ahead.pop() {
            for &next in &ways[zone] {
                if !connected[next] && self.zones[next].kind != ZoneKind::Blockade {
                    connected[next] = true;
                    ahead.push(next);
                }
            }
        }
        connected
    }
}

/// Whether a door of a room leads to a neighbour.
fn leads(room: &Zone, neighbour: &Zone) -> bool {
    let opens = |door: &Door| door.bounds().overlaps(&room.bounds) && door.bounds().overlaps(&neighbour.bounds);
    neighbour.kind != ZoneKind::Blockade && room.doors.iter().any(opens)
}

fn check_spawn(spawn: &Spawn) -> Result<(), String> {
    check_text("name", &spawn.name)?;
    check_text("type", &spawn.kind)?;
    check_coordinate("<x>", spawn.position.x)?;
    check_coordinate("<y>", spawn.position.y)
}

fn check_zone(zone: &Zone) -> Result<(), String> {
    if zone.name.is_empty() {
        return Err("its name is empty".to_owned());
    }
    check_text("name", &zone.name)?;
    check_coordinate("<x> of <boundingbox>", zone.bounds.center.x)?;
    check_coordinate("<y> of <boundingbox>", zone.bounds.center.y)?;
    check_size("<width>", zone.bounds.width)?;
    check_size("<height>", zone.bounds.height)?;
    check_count("doors", zone.doors.len(), MOST_DOORS)?;
    check_count("neighbours", zone.neighbours.len(), MOST_NEIGHBOURS)?;
    for door in &zone.doors {
        check_coordinate("<x> of <doors>", door.position.x)?;
        check_coordinate("<y> of <doors>", door.position.y)?;
    }
    if zone.kind != ZoneKind::Room && !zone.doors.is_empty() {
        return Err("it has a door, but only rooms can have doors".to_owned());
    }
    if !zone.holds_blocks() {
        return if zone.blocks.is_empty() {
            Ok(())
        } else {
            Err("it contains blocks, but only rooms other than the drop zone can".to_owned())
        };
    }
    if zone.bounds.width <= BLOCK_SIZE || zone.bounds.height <= BLOCK_SIZE {
        return Err(format!("it is no larger than a block; a room must be more than {BLOCK_SIZE} wide and high"));
    }
    check_colors(&zone.blocks)
}

fn check_colors(colors: &[Color]) -> Result<(), String> {
    if colors.contains(&Color::DarkGray) {
        return Err(format!("{} is not a colour of blocks", Color::DarkGray.name()));
    }
    Ok(())
}

fn check_text(what: &str, text: &str) -> Result<(), String> {
    fault_of_text(text, LONGEST_NAME).map_or(Ok(()), |fault| Err(format!("its {what} {fault}")))
}

fn check_count(what: &str, count: usize, most: usize) -> Result<(), String> {
    if count <= most { Ok(()) } else { Err(format!("there are {count} {what}; the maximum is {most}")) }
}

fn check_coordinate(what: &str, value: f64) -> Result<(), String> {
    if value.abs() <= FARTHEST {
        return Ok(());
    }
    Err(format!("{what} is {value:?}; it must be a number from -{FARTHEST} to {FARTHEST}"))
}

fn check_size(what: &str, value: f64) -> Result<(), String> {
    if value > 0.0 && value <= FARTHEST {
        return Ok(());
    }
    Err(format!("{what} is {value:?}; it must be a number above 0 and at most {FARTHEST}"))
}
