//! The places where robots begin: those of the map, and further ones in its halls.

use crate::geometry::Point;
use crate::ground::{Ground, Site};
use crate::map::ZoneKind;
use crate::map::check::MOST_SPAWNS;

/// Distance between places in a hall, in units on each axis, if the hall is large enough.
const APART: f64 = 5.0;

/// Returns the places where robots begin: those of the map, in order, then others in its halls, which do not block
/// the ways through the middle.
pub(crate) fn places(ground: &Ground) -> Vec<Point> {
    let map = ground.map();
    let mut places: Vec<Point> = map.spawns.iter().map(|spawn| spawn.position).collect();
    let halls = ground.zones().iter().filter(|zone| zone.kind == ZoneKind::Corridor);
    let in_halls = halls.flat_map(|hall| in_hall(hall, map.one_bot_per_corridor_zone)).take(MOST_SPAWNS - places.len());
    let more: Vec<Point> = in_halls.filter(|place| is_free(ground, &places, *place)).collect();
    places.extend(more);
    places
}

/// Returns the places in a hall: row by row, or only its centre if it holds one robot.
fn in_hall(hall: &Site, holds_one: bool) -> impl Iterator<Item = Point> {
    let bounds = hall.bounds;
    let count = |length: f64| if holds_one { 1 } else { (length / APART).max(1.0) as usize };
    let (columns, rows) = (count(bounds.width), count(bounds.height));
    let between = |number: usize, count: usize| (number as f64 + 0.5) / count as f64;
    (0..rows).flat_map(move |row| {
        let y = bounds.top() + bounds.height * between(row, rows);
        (0..columns).map(move |column| Point::new(bounds.left() + bounds.width * between(column, columns), y))
    })
}

/// Whether a place is only in halls, and not in a robot that begins at one of these places.
fn is_free(ground: &Ground, others: &[Point], place: Point) -> bool {
    ground.has(place)
        && ground.zones_at(place).all(|zone| ground.zone(zone).kind == ZoneKind::Corridor)
        && others.iter().all(|other| other.apart(place) >= APART / 2.0)
}
