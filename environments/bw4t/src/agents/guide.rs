//! The program of a GPS, which shows the way. It perceives the names of all places and its own position, but not
//! which places are adjacent. It infers this from their names, and from the ways on which it is carried.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use situated::iil::EcoString;

use super::device::Device;
use crate::geometry::Point;
use crate::map::DROP_ZONE;
use crate::messages::Message;

/// Maximum distance that it can be carried between two decisions, in units. A greater distance means that it was
/// moved in another way.
const LEAP: f64 = 5.0;

/// A GPS's knowledge of the ways.
#[derive(Clone, Debug, Default)]
pub(super) struct Guide {
    /// The known adjacent places of each place.
    beside: BTreeMap<EcoString, BTreeSet<EcoString>>,
    /// Number of places from whose names this was inferred.
    gathered: usize,
    journey: Option<Journey>,
    /// Its position at the last perception.
    last: Option<(EcoString, Point)>,
}

/// The destination of its holder.
#[derive(Clone, Debug)]
struct Journey {
    holder: EcoString,
    goal: EcoString,
    /// Number of places to the destination, at the last position.
    left: Option<usize>,
}

impl Guide {
    /// Returns the message to a holder who wants to go to a place.
    pub(super) fn hear_goal(&mut self, holder: &EcoString, goal: &EcoString, device: &Device) -> Option<Message> {
        self.gather(&device.places);
        let here = device.at.as_ref()?;
        let left = self.distance(here, goal);
        if left == Some(0) {
            self.journey = None;
            return None;
        }
        self.journey = Some(Journey { holder: holder.clone(), goal: goal.clone(), left });
        Some(self.advice(here).unwrap_or(Message::IDoNotKnow))
    }

    /// Returns the message after it was carried: the next place, if the holder left the way.
    pub(super) fn follow(&mut self, device: &Device) -> Option<Message> {
        self.gather(&device.places);
        let here = device.at.clone()?;
        let (before, was_at) = self.last.replace((here.clone(), device.location))?;
        if before == here {
            return None;
        }
        if was_at.distance(device.location) < LEAP {
            self.join(&before, &here);
        }
        let journey = self.journey.as_ref()?;
        let (former, left) = (journey.left, self.distance(&here, &journey.goal));
        let comes_nearer = left.is_some() && former.is_some_and(|former| left < Some(former));
        if left == Some(0) {
            self.journey = None;
        } else if let Some(journey) = &mut self.journey {
            journey.left = left;
        }
        if comes_nearer { None } else { self.advice(&here) }
    }

    /// Returns the message with the next place on the way.
    fn advice(&self, here: &EcoString) -> Option<Message> {
        let Journey { holder, goal, .. } = self.journey.as_ref()?;
        let distances = self.distances(goal);
        let neighbours = self.beside.get(here)?.iter().filter(|place| distances.contains_key(place.as_str()));
        let next = neighbours.min_by_key(|place| distances[place.as_str()])?;
        Some(Message::GoToRoom { player: holder.clone(), room: next.clone() })
    }

    /// Infers adjacent places from their names.
    fn gather(&mut self, places: &BTreeSet<EcoString>) {
        if self.gathered == places.len() {
            return;
        }
        self.gathered = places.len();
        for place in places {
            for beside in beside_by_name(place, places) {
                if let Some(beside) = places.get(beside.as_str()) {
                    self.join(place, beside);
                }
            }
        }
    }

    fn join(&mut self, one: &EcoString, other: &EcoString) {
        self.beside.entry(one.clone()).or_default().insert(other.clone());
        self.beside.entry(other.clone()).or_default().insert(one.clone());
    }

    /// Returns the number of places from one to another.
    fn distance(&self, from: &str, to: &str) -> Option<usize> {
        self.distances(to).get(from).copied()
    }

    /// Returns the number of places to a destination, from all places that have a way to it.
    fn distances<'a>(&'a self, to: &'a str) -> BTreeMap<&'a str, usize> {
        let mut distances = BTreeMap::from([(to, 0)]);
        let mut next = VecDeque::from([to]);
        while let Some(place) = next.pop_front() {
            let further = distances[place] + 1;
            for neighbour in self.beside.get(place).into_iter().flatten() {
                if !distances.contains_key(neighbour.as_str()) {
                    distances.insert(neighbour, further);
                    next.push_back(neighbour);
                }
            }
        }
        distances
    }
}

/// Returns the places that are adjacent to a place by its name, on maps with the names of the standard maps:
/// `FrontRoomB2` is adjacent to `RoomB2`, and between `LeftHallB` and `RightHallB`, which are between those of the
/// rows A and C. Only one of two adjacent places names the other, and a named place may be missing.
fn beside_by_name(name: &str, places: &BTreeSet<EcoString>) -> Vec<String> {
    let mut beside: Vec<String> = name.strip_prefix("Front").map(str::to_owned).into_iter().collect();
    if let Some(place) = name.strip_prefix("FrontRoom") {
        let (row, column) = place.split_at(place.find(|c: char| c.is_ascii_digit()).unwrap_or(place.len()));
        let right = column.parse().map_or(0, |column: u32| column.saturating_add(1));
        let right = format!("FrontRoom{row}{right}");
        let is_last = !places.contains(right.as_str());
        beside.push(if is_last { format!("RightHall{row}") } else { right });
        beside.extend((column == "1").then(|| format!("LeftHall{row}")));
    }
    for side in ["LeftHall", "RightHall"] {
        let Some(row) = name.strip_prefix(side) else { continue };
        let is_last = !places.contains(format!("FrontRoom{row}1").as_str());
        beside.push(if is_last { format!("Front{DROP_ZONE}") } else { format!("{side}{}", next_row(row)) });
    }
    beside
}

/// Returns the name of the next row: rows are named A to Z, then AA, AB and so on.
fn next_row(row: &str) -> String {
    let stem = row.trim_end_matches('Z');
    let mut letters: Vec<char> = if stem.is_empty() { vec!['@'] } else { stem.chars().collect() };
    if let Some(last) = letters.last_mut() {
        *last = char::from_u32(*last as u32 + 1).unwrap_or(*last);
    }
    letters.extend(row[stem.len()..].chars().map(|_| 'A'));
    letters.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Map;

    #[test]
    fn infers_the_adjacent_places_of_generated_maps() {
        for (rows, columns) in [(3, 3), (1, 1), (30, 12)] {
            let map = Map::generated(rows, columns, 1, 0);
            let places: BTreeSet<EcoString> = map.zones.iter().map(|zone| zone.name.as_str().into()).collect();
            let mut guide = Guide::default();
            guide.gather(&places);
            for zone in &map.zones {
                let expected: BTreeSet<EcoString> = zone.neighbours.iter().map(|name| name.as_str().into()).collect();
                assert_eq!(guide.beside[zone.name.as_str()], expected, "{}", zone.name);
            }
        }
    }
}
