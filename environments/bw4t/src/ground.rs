//! The ground on which robots move: the numbered zones of a map, and the ways between them.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Serialize};
use situated::iil::EcoString;

use crate::geometry::{Area, Point, Rectangle};
use crate::map::{Zone, ZoneKind};
use crate::places::places;
use crate::squares::Squares;
use crate::ways::{Ways, trace};
use crate::{Color, Map};

/// The number of a zone, in the order in which zones are created: corridors first, then rooms, blockades and charging
/// zones, each in the order of the map.
pub type ZoneIndex = usize;

/// The width of a door, in units. Robots of this size or more cannot pass.
pub const DOOR: f64 = 4.0;

/// The largest number of zones of a map whose ways are remembered, which then take at most 32 MiB.
const MOST_REMEMBERED: usize = 2048;

/// Stands before a zone to which there is no way.
const NO_WAY: u32 = u32::MAX;

/// The ground of a map. It never changes, and copies of a world share it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(from = "Map", into = "Map")]
pub struct Ground(Arc<Parts>);

#[derive(Debug)]
struct Parts {
    map: Map,
    size: Point,
    zones: Vec<Site>,
    /// The areas of the zones, by index.
    areas: Vec<Area>,
    /// The left and right sides of all zones and of the world, in order; and the upper and lower ones.
    sides: [Vec<f64>; 2],
    by_name: BTreeMap<EcoString, ZoneIndex>,
    drop_zone: ZoneIndex,
    rooms: Vec<ZoneIndex>,
    charging_zones: Vec<ZoneIndex>,
    colors: Vec<Color>,
    regions: Regions,
    /// The zones by their areas.
    squares: Squares,
    next_id: u32,
    /// For each zone, the ways from there, through all zones and around blockades: the zone before each zone, or
    /// [`NO_WAY`]. Searched when they are first needed.
    ways: [Vec<OnceLock<Box<[u32]>>>; 2],
    /// The places where robots begin. Computed when more robots begin than the map has places.
    places: OnceLock<Vec<Point>>,
}

/// A zone on the ground.
#[derive(Debug)]
pub struct Site {
    /// Its number among all objects.
    pub id: u32,
    /// Its name.
    pub name: EcoString,
    /// The kind.
    pub kind: ZoneKind,
    /// Its area.
    pub bounds: Rectangle,
    /// Its doors.
    pub doors: Vec<Rectangle>,
    /// The zones that the map lists as its neighbours, in that order.
    pub neighbours: Vec<ZoneIndex>,
    /// All zones to which there is a direct way, with its length, by index.
    ways: Vec<(ZoneIndex, f64)>,
}

/// For each zone, a number that it shares with all zones to which there is a way.
#[derive(Debug)]
struct Regions {
    of_all: Vec<ZoneIndex>,
    around_blockades: Vec<ZoneIndex>,
}

impl Ground {
    /// Returns the size of the world. Its edges are at 0 and at this point.
    pub fn size(&self) -> Point {
        self.0.size
    }

    /// Returns the area of the environment.
    pub fn bounds(&self) -> Rectangle {
        let size = self.size();
        Rectangle::around(Point::new(size.x / 2.0, size.y / 2.0), size.x, size.y)
    }

    /// Whether a point is inside the world or on its edge.
    pub fn has(&self, point: Point) -> bool {
        let size = self.size();
        (0.0..=size.x).contains(&point.x) && (0.0..=size.y).contains(&point.y)
    }

    /// The map.
    pub fn map(&self) -> &Map {
        &self.0.map
    }

    /// Returns all zones, by index.
    pub fn zones(&self) -> &[Site] {
        &self.0.zones
    }

    /// A zone.
    pub fn zone(&self, index: ZoneIndex) -> &Site {
        &self.0.zones[index]
    }

    /// Returns the zone with this name.
    pub fn find(&self, name: &str) -> Option<ZoneIndex> {
        self.0.by_name.get(name).copied()
    }

    /// Returns the zone where blocks are delivered.
    pub fn drop_zone(&self) -> ZoneIndex {
        self.0.drop_zone
    }

    /// Returns the rooms that can contain blocks, in order.
    pub fn rooms(&self) -> &[ZoneIndex] {
        &self.0.rooms
    }

    /// Returns the zones in which batteries are charged, in order.
    pub fn charging_zones(&self) -> &[ZoneIndex] {
        &self.0.charging_zones
    }

    /// Returns the colours that blocks can have on this map, in the order of [`Color::ALL`].
    pub fn colors(&self) -> &[Color] {
        &self.0.colors
    }

    /// Whether there is a way from a zone that is not a blockade to another: through all zones, or around blockades.
    pub fn is_connected(&self, from: ZoneIndex, to: ZoneIndex, around_blockades: bool) -> bool {
        let Regions { of_all, around_blockades: around } = &self.0.regions;
        let regions = if around_blockades { around } else { of_all };
        regions[from] == regions[to]
    }

    /// Returns the places where robots begin: those of the map, then others in its halls.
    pub fn places(&self) -> &[Point] {
        self.0.places.get_or_init(|| places(self))
    }

    /// Returns the first number that is not used by a zone or a door.
    pub fn next_id(&self) -> u32 {
        self.0.next_id
    }

    /// Returns the zones that contain a point, in the order of their creation.
    pub fn zones_at(&self, point: Point) -> impl Iterator<Item = ZoneIndex> + '_ {
        let near = self.0.squares.at(point).iter().copied();
        near.filter(move |index| self.0.areas[*index].contains(point))
    }

    /// Returns the zones that overlap a rectangle, in the order of their creation.
    pub fn zones_in(&self, bounds: &Rectangle) -> Vec<ZoneIndex> {
        let mut zones: Vec<ZoneIndex> = self.overlapping(bounds).collect();
        zones.sort_unstable();
        zones.dedup();
        zones
    }

    /// Returns the zones that overlap a rectangle, in no particular order, some of them several times.
    pub fn overlapping(&self, bounds: &Rectangle) -> impl Iterator<Item = ZoneIndex> + '_ {
        let bounds = Area::of(bounds);
        self.0.squares.touching(&bounds).filter(move |zone| self.0.areas[*zone].overlaps(&bounds))
    }

    /// Returns an area around a point of the world, all of whose points are in the world, and in the same zones as this
    /// one: no side of a zone is between them.
    pub fn uniform_around(&self, point: Point) -> Option<Area> {
        let between = |sides: &[f64], at: f64| {
            let next = sides.partition_point(|side| *side <= at);
            Some((*sides.get(next.checked_sub(1)?)?, *sides.get(next)?))
        };
        let [columns, rows] = &self.0.sides;
        let ((left, right), (top, bottom)) = (between(columns, point.x)?, between(rows, point.y)?);
        self.has(point).then_some(Area { left, top, right, bottom })
    }

    /// Returns the zone that contains a point; of several the first that was created.
    pub fn zone_at(&self, point: Point) -> Option<ZoneIndex> {
        self.zones_at(point).next()
    }

    /// Returns the zone that contains a point, or else the nearest zone, by its centre, that is not a room.
    pub fn nearest_zone(&self, point: Point) -> ZoneIndex {
        self.zone_at(point).unwrap_or_else(|| {
            let halls = (0..self.0.zones.len()).filter(|index| self.zone(*index).is_hall());
            let distances = halls.map(|index| (self.zone(index).bounds.center.distance(point), index));
            let nearest = distances.min_by(|(one, _), (other, _)| one.total_cmp(other));
            nearest.map_or(self.0.drop_zone, |(_, index)| index)
        })
    }

    /// Returns the zones with a direct way from a zone, in the order of their creation.
    pub fn neighbours(&self, zone: ZoneIndex) -> impl Iterator<Item = ZoneIndex> + '_ {
        self.zone(zone).ways.iter().map(|(neighbour, _)| *neighbour)
    }

    /// Returns the zones of the shortest way from one zone to another, including both, through all zones or around
    /// blockades; `None` if there is none. Of ways with the same length, it prefers zones that were created earlier.
    pub fn way(&self, from: ZoneIndex, to: ZoneIndex, around_blockades: bool) -> Option<Vec<ZoneIndex>> {
        let open = |zone: ZoneIndex| !around_blockades || self.zone(zone).kind != ZoneKind::Blockade;
        if self.zones().len() > MOST_REMEMBERED {
            return self.way_through(from, to, open);
        }
        let remembered = &self.0.ways[usize::from(around_blockades)][from];
        let before = remembered.get_or_init(|| {
            let ways = self.search(from, None, open);
            ways.before().map(|before| before.map_or(NO_WAY, |zone| zone as u32)).collect()
        });
        (before[to] != NO_WAY).then(|| trace(|zone| before[zone] as usize, from, to))
    }

    /// Returns the zones of the shortest way through zones that are `open`.
    pub fn way_through(
        &self,
        from: ZoneIndex,
        to: ZoneIndex,
        open: impl Fn(ZoneIndex) -> bool,
    ) -> Option<Vec<ZoneIndex>> {
        self.search(from, Some(to), open).way(to)
    }

    /// Searches for the shortest ways from a zone, or only for the one `to` a zone, through zones that are `open`.
    fn search(&self, from: ZoneIndex, to: Option<ZoneIndex>, open: impl Fn(ZoneIndex) -> bool) -> Ways {
        let open = &open;
        let parts = |zone| self.zone(zone).ways.iter().copied().filter(move |(neighbour, _)| open(*neighbour));
        Ways::search(self.zones().len(), from, to, parts, |_| 0.0)
    }
}

impl Site {
    /// Whether any number of robots can be in it: it is neither a room nor a blockade.
    pub fn is_hall(&self) -> bool {
        matches!(self.kind, ZoneKind::Corridor | ZoneKind::ChargingZone)
    }

    /// Whether a point is on one of its doors.
    pub fn has_door_at(&self, point: Point) -> bool {
        self.doors.iter().any(|door| door.contains(point))
    }
}

impl From<Map> for Ground {
    fn from(map: Map) -> Self {
        let mut order: Vec<&Zone> = map.zones.iter().collect();
        order.sort_by_key(|zone| match zone.kind {
            ZoneKind::Corridor => 0,
            ZoneKind::Room => 1,
            ZoneKind::Blockade => 2,
            ZoneKind::ChargingZone => 3,
        });
        let by_name: BTreeMap<EcoString, ZoneIndex> =
            order.iter().enumerate().map(|(index, zone)| (zone.name.as_str().into(), index)).collect();
        let find = |name: &String| by_name.get(name.as_str()).copied();
        let mut next_id = 0;
        let mut zones: Vec<Site> = Vec::with_capacity(order.len());
        for zone in &order {
            zones.push(Site {
                id: next_id,
                name: zone.name.as_str().into(),
                kind: zone.kind,
                bounds: zone.bounds,
                doors: zone.doors.iter().map(|door| door.bounds()).collect(),
                neighbours: zone.neighbours.iter().filter_map(find).collect(),
                ways: Vec::new(),
            });
            next_id += 1 + zone.doors.len() as u32;
        }
        for from in 0..zones.len() {
            for to in zones[from].neighbours.clone() {
                join(&mut zones, from, to);
                join(&mut zones, to, from);
            }
        }
        let drop_zone = order.iter().position(|zone| zone.is_drop_zone()).unwrap_or(0);
        let those = |wanted: fn(&Zone) -> bool| (0..order.len()).filter(|index| wanted(order[*index])).collect();
        let rooms = those(Zone::holds_blocks);
        let charging_zones = those(|zone| zone.kind == ZoneKind::ChargingZone);
        let regions = Regions::of(&zones);
        let colors = colors(&map);
        // The original's worlds are one unit larger than their maps.
        let size = Point::new(map.area.x.trunc() + 1.0, map.area.y.trunc() + 1.0);
        let areas: Vec<Area> = zones.iter().map(|zone| Area::of(&zone.bounds)).collect();
        let sides = [
            in_order(areas.iter().flat_map(|area| [area.left, area.right]).chain([0.0, size.x])),
            in_order(areas.iter().flat_map(|area| [area.top, area.bottom]).chain([0.0, size.y])),
        ];
        let squares = by_squares(&areas);
        let ways = [(); 2].map(|()| zones.iter().map(|_| OnceLock::new()).collect());
        let places = OnceLock::new();
        Self(Arc::new(Parts {
            map,
            size,
            zones,
            areas,
            sides,
            by_name,
            drop_zone,
            rooms,
            charging_zones,
            colors,
            regions,
            squares,
            next_id,
            ways,
            places,
        }))
    }
}

impl From<Ground> for Map {
    fn from(ground: Ground) -> Self {
        ground.0.map.clone()
    }
}

impl PartialEq for Ground {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0.map == other.0.map
    }
}

impl Regions {
    fn of(zones: &[Site]) -> Self {
        let around_blockades = connect(zones, |zone| zones[zone].kind != ZoneKind::Blockade);
        Self { of_all: connect(zones, |_| true), around_blockades }
    }
}

fn join(zones: &mut [Site], from: ZoneIndex, to: ZoneIndex) {
    let length = zones[from].bounds.center.distance(zones[to].bounds.center);
    let ways = &mut zones[from].ways;
    if let Err(place) = ways.binary_search_by_key(&to, |(zone, _)| *zone) {
        ways.insert(place, (to, length));
    }
}

/// Returns for each zone the first of the zones that are connected through zones that are `open`; for other zones,
/// the zone itself.
fn connect(zones: &[Site], open: impl Fn(ZoneIndex) -> bool) -> Vec<ZoneIndex> {
    let mut regions: Vec<Option<ZoneIndex>> = vec![None; zones.len()];
    for first in 0..zones.len() {
        let mut ahead = vec![first];
        while let Some(zone) = ahead.pop() {
            if regions[zone].is_none() && (zone == first || open(zone)) {
                regions[zone] = Some(first);
                ahead.extend(zones[zone].ways.iter().filter(|_| open(zone)).map(|(neighbour, _)| *neighbour));
            }
        }
    }
    regions.into_iter().enumerate().map(|(zone, region)| region.unwrap_or(zone)).collect()
}

/// Returns numbers in order, each once.
fn in_order(numbers: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut numbers: Vec<f64> = numbers.collect();
    numbers.sort_by(f64::total_cmp);
    numbers.dedup();
    numbers
}

/// Returns the colours that blocks of a map can have.
fn colors(map: &Map) -> Vec<Color> {
    let drawn: &[Color] = if map.random_sequence + map.random_blocks > 0 { &Color::DRAWN } else { &[] };
    let in_rooms = map.zones.iter().flat_map(|zone| &zone.blocks);
    let mut occurs = [false; Color::ALL.len() + 1];
    drawn.iter().chain(&map.sequence).chain(in_rooms).for_each(|color| occurs[*color as usize] = true);
    Color::ALL.into_iter().filter(|color| occurs[*color as usize]).collect()
}

/// Minimum edge of the squares of the spatial index, in units.
const SQUARE: f64 = 5.0;

/// Maximum number of squares for an area.
const SQUARES_PER_AREA: f64 = 64.0;

/// Returns the index of these areas, by number.
fn by_squares(areas: &[Area]) -> Squares {
    let origin = Area { left: 0.0, top: 0.0, right: 0.0, bottom: 0.0 };
    let all = areas.iter().fold(origin, |all, area| Area {
        left: all.left.min(area.left),
        top: all.top.min(area.top),
        right: all.right.max(area.right),
        bottom: all.bottom.max(area.bottom),
    });
    let (width, height) = (all.right - all.left, all.bottom - all.top);
    let edge = (width * height / (SQUARES_PER_AREA * areas.len() as f64)).sqrt().max(SQUARE);
    Squares::of(areas.iter().copied(), &all, edge)
}
