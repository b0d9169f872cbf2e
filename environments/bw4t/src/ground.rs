//! The ground on which robots move: the numbered zones of a map, the ways between them, and a spatial index.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Serialize};
use situated::iil::EcoString;

use crate::geometry::{Area, Point, Rectangle};
use crate::map::{Zone, ZoneKind};
use crate::places::places;
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
        let near = self.0.squares.near(point).iter().copied();
        near.filter(move |index| self.0.areas[*index].contains(point))
    }

    /// Returns the zones that overlap a rectangle, in the order of their creation.
    pub fn zones_in(&self, bounds: &Rectangle) -> Vec<ZoneIndex> {
        let mut zones = Vec::new();
        self.all_zones_in(bounds, |zone| {
            zones.push(zone);
            true
        });
        zones.sort_unstable();
        zones
    }

    /// Whether a condition holds for all zones that overlap a rectangle.
    pub fn all_zones_in(&self, bounds: &Rectangle, mut holds: impl FnMut(ZoneIndex) -> bool) -> bool {
        let bounds = Area::of(bounds);
        self.0.squares.all_within(&bounds, |zone| !self.0.areas[zone].overlaps(&bounds) || holds(zone))
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
        let squares = Squares::of(zones.iter().map(|zone| zone.bounds).collect());
        let colors = colors(&map);
        // The original's worlds are one unit larger than their maps.
        let size = Point::new(map.area.x.trunc() + 1.0, map.area.y.trunc() + 1.0);
        let areas: Vec<Area> = zones.iter().map(|zone| Area::of(&zone.bounds)).collect();
        let sides = [
            in_order(areas.iter().flat_map(|area| [area.left, area.right]).chain([0.0, size.x])),
            in_order(areas.iter().flat_map(|area| [area.top, area.bottom]).chain([0.0, size.y])),
        ];
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

/// A spatial index: the areas in each square of the plane.
#[derive(Debug)]
pub(super) struct Squares {
    left: f64,
    top: f64,
    edge: f64,
    columns: usize,
    rows: usize,
    /// The start of each square's areas, row by row, and the end of the last one's.
    starts: Vec<usize>,
    numbers: Vec<usize>,
    /// The column and the row of each area's first square.
    firsts: Vec<(usize, usize)>,
}

impl Squares {
    /// Creates the index of these areas, by number.
    pub(super) fn of(areas: Vec<Rectangle>) -> Self {
        let least = |edge: fn(&Rectangle) -> f64| areas.iter().map(edge).fold(0.0, f64::min);
        let most = |edge: fn(&Rectangle) -> f64| areas.iter().map(edge).fold(0.0, f64::max);
        let (left, top) = (least(Rectangle::left), least(Rectangle::top));
        let (width, height) = (most(Rectangle::right) - left, most(Rectangle::bottom) - top);
        let edge = (width * height / (SQUARES_PER_AREA * areas.len() as f64)).sqrt().max(SQUARE);
        let count = |length: f64| (length / edge) as usize + 1;
        let (columns, rows) = (count(width), count(height));
        let mut squares = vec![Vec::new(); columns * rows];
        let from = |at: f64, origin: f64| ((at - origin) / edge).max(0.0) as usize;
        let firsts: Vec<_> = areas.iter().map(|area| (from(area.left(), left), from(area.top(), top))).collect();
        for ((number, area), first) in areas.iter().enumerate().zip(&firsts) {
            for row in first.1..=from(area.bottom(), top).min(rows - 1) {
                for column in first.0..=from(area.right(), left).min(columns - 1) {
                    squares[row * columns + column].push(number);
                }
            }
        }
        let mut starts = vec![0];
        starts.extend(squares.iter().scan(0, |end, square| {
            *end += square.len();
            Some(*end)
        }));
        Self { left, top, edge, columns, rows, starts, numbers: squares.concat(), firsts }
    }

    /// Whether a condition holds for all areas that may overlap another one.
    pub(super) fn all_within(&self, bounds: &Area, mut holds: impl FnMut(usize) -> bool) -> bool {
        let at = |point: f64, origin: f64| ((point - origin) / self.edge).max(0.0) as usize;
        let (left, right) = (at(bounds.left, self.left), at(bounds.right, self.left).min(self.columns - 1));
        let (top, bottom) = (at(bounds.top, self.top), at(bounds.bottom, self.top).min(self.rows - 1));
        for row in top..=bottom {
            for column in left..=right {
                for number in self.square(row * self.columns + column) {
                    // An area is looked at in the first of its squares within the bounds.
                    let (first_column, first_row) = self.firsts[*number];
                    let is_first = (first_column.max(left), first_row.max(top)) == (column, row);
                    if is_first && !holds(*number) {
                        return false;
                    }
                }
            }
        }
        true
    }

    /// Returns the areas that may contain a point, in order.
    pub(super) fn near(&self, point: Point) -> &[usize] {
        let (x, y) = ((point.x - self.left) / self.edge, (point.y - self.top) / self.edge);
        if x < 0.0 || y < 0.0 || x >= self.columns as f64 || y >= self.rows as f64 {
            return &[];
        }
        self.square(y as usize * self.columns + x as usize)
    }

    fn square(&self, number: usize) -> &[usize] {
        &self.numbers[self.starts[number]..self.starts[number + 1]]
    }
}
