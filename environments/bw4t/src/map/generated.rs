//! Generated maps of any size, in the style of the original's maps: rows of rooms below halls, and the drop zone
//! below all of them.

use super::{DROP_ZONE, Door, Map, Orientation, ROOM_CAPACITY, Spawn, Zone, ZoneKind};
use crate::geometry::{Point, Rectangle};

/// Maximum number of rows, and of columns, of a generated map.
pub const MOST_ROWS: usize = 150;

/// The width of rooms and halls, and the height of rooms and the halls before them.
const SIDE: f64 = 10.0;

/// Number of colours to deliver, if there are enough blocks.
const SEQUENCE: usize = 6;

/// Minimum distance between starting points, on at least one axis.
const SPACING: f64 = 4.0;

/// Distance of starting points from the edge of the map, so that robots are completely on it.
const MARGIN: f64 = 1.0;

impl Map {
    /// Generates a map with rows and columns of rooms. Each room has a door to the hall above it, and each row is
    /// between a hall on the left and one on the right. The drop zone is below them, behind its own hall. With 3
    /// rows, 3 columns and 3 robots, it is the map of the original, and larger maps continue its names.
    ///
    /// All colours are random: those of the blocks, with this average number per room, and those of the sequence, 6
    /// if there are enough blocks. Robots begin before the drop zone, then in the other halls from the bottom to the
    /// top, from the middle to the sides. If there are more robots than places, places are used again.
    ///
    /// `rows` and `columns` are from 1 to [`MOST_ROWS`], `blocks_per_room` is from 0 to [`ROOM_CAPACITY`], and
    /// `spawns` up to [`MOST_SPAWNS`](super::check::MOST_SPAWNS). Other values are replaced by the nearest of these.
    pub fn generated(rows: usize, columns: usize, spawns: usize, blocks_per_room: usize) -> Map {
        let [rows, columns] = [rows, columns].map(|count| count.clamp(1, MOST_ROWS));
        let grid = Grid { rows, columns };
        let blocks = rows * columns * blocks_per_room.min(ROOM_CAPACITY);
        let random_sequence = blocks.min(SEQUENCE);
        Map {
            area: Point::new(grid.width(), grid.front_center(rows).y + 1.5 * SIDE),
            spawns: grid.spawns(spawns.min(super::check::MOST_SPAWNS)),
            one_bot_per_corridor_zone: false,
            random_blocks: (blocks - random_sequence) as u32,
            random_sequence: random_sequence as u32,
            seed: None,
            sequence: Vec::new(),
            zones: grid.halls().chain(grid.rooms()).collect(),
        }
    }
}

/// Rows and columns of rooms, counted from 0. The hall before the drop zone counts as one more row of halls.
#[derive(Clone, Copy)]
struct Grid {
    rows: usize,
    columns: usize,
}

impl Grid {
    fn width(self) -> f64 {
        (self.columns + 2) as f64 * SIDE
    }

    /// Returns the middle of the halls before a row of rooms, or before the drop zone.
    fn front_center(self, row: usize) -> Point {
        Point::new(self.width() / 2.0, (2 * row) as f64 * SIDE + SIDE / 2.0)
    }

    fn halls(self) -> impl Iterator<Item = Zone> {
        let rows = (0..self.rows).flat_map(move |row| {
            let fronts = (0..self.columns).map(move |column| self.front(row, column));
            self.sides(row).into_iter().chain(fronts)
        });
        rows.chain([self.drop_front()]).chain(self.sides(self.rows))
    }

    fn rooms(self) -> impl Iterator<Item = Zone> {
        let rooms = (0..self.rows).flat_map(move |row| (0..self.columns).map(move |column| self.room(row, column)));
        rooms.chain([self.drop_zone()])
    }

    /// Returns the halls on the left and the right of a row.
    fn sides(self, row: usize) -> [Zone; 2] {
        let middle = SIDE / 2.0;
        [self.side(row, "Left", middle, 0), self.side(row, "Right", self.width() - middle, self.columns - 1)]
    }

    /// Returns a hall beside a row, which extends down to the next one.
    fn side(self, row: usize, side: &str, x: f64, nearest_column: usize) -> Zone {
        let is_last = row == self.rows;
        let (front, height) =
            if is_last { (drop_front_name(), SIDE) } else { (front_name(row, nearest_column), 2.0 * SIDE) };
        let above = row.checked_sub(1).map(|above| side_name(side, above));
        let below = (!is_last).then(|| side_name(side, row + 1));
        let bounds = Rectangle::around(Point::new(x, self.front_center(row).y), SIDE, height);
        hall(side_name(side, row), bounds, [front].into_iter().chain(above).chain(below).collect())
    }

    /// Returns the hall before a room.
    fn front(self, row: usize, column: usize) -> Zone {
        let left = if column == 0 { side_name("Left", row) } else { front_name(row, column - 1) };
        let right = if column + 1 == self.columns { side_name("Right", row) } else { front_name(row, column + 1) };
        let center = Point::new(column_center(column), self.front_center(row).y);
        hall(front_name(row, column), Rectangle::around(center, SIDE, SIDE), vec![room_name(row, column), left, right])
    }

    /// Returns the hall before the drop zone.
    fn drop_front(self) -> Zone {
        let bounds = Rectangle::around(self.front_center(self.rows), self.columns as f64 * SIDE, SIDE);
        let sides = [side_name("Left", self.rows), side_name("Right", self.rows)];
        hall(drop_front_name(), bounds, [DROP_ZONE.to_owned()].into_iter().chain(sides).collect())
    }

    fn room(self, row: usize, column: usize) -> Zone {
        let center = Point::new(column_center(column), self.front_center(row).y + SIDE);
        room(room_name(row, column), Rectangle::around(center, SIDE, SIDE), front_name(row, column))
    }

    fn drop_zone(self) -> Zone {
        let front = self.front_center(self.rows);
        let width = (self.columns as f64 - 0.5) * SIDE;
        let bounds = Rectangle::around(Point::new(front.x, front.y + SIDE), width, SIDE);
        room(DROP_ZONE.to_owned(), bounds, drop_front_name())
    }

    fn spawns(self, count: usize) -> Vec<Spawn> {
        let places: Vec<Point> = (0..=self.rows).rev().flat_map(|row| self.places(row)).collect();
        let spawn =
            |(index, position)| Spawn { name: format!("Bot{}", index + 1), position, kind: "NORMAL".to_owned() };
        places.into_iter().cycle().take(count).enumerate().map(spawn).collect()
    }

    /// Returns the starting points in a row of halls, from the middle to the sides: alternately one in the middle of
    /// a hall and two at its edges.
    fn places(self, row: usize) -> Vec<Point> {
        let center = self.front_center(row);
        let steps = ((center.x - MARGIN) / SPACING) as u32;
        let mut places = vec![center];
        for step in 1..=steps {
            let aside = f64::from(step) * SPACING;
            let heights: &[f64] = if step % 2 == 0 { &[0.0] } else { &[-SPACING / 2.0, SPACING / 2.0] };
            for height in heights {
                places.extend([-aside, aside].map(|x| Point::new(center.x + x, center.y + height)));
            }
        }
        places
    }
}

fn hall(name: String, bounds: Rectangle, neighbours: Vec<String>) -> Zone {
    let (kind, blocks, doors) = (ZoneKind::Corridor, Vec::new(), Vec::new());
    Zone { name, kind, bounds, blocks, doors, neighbours, label_visible: true }
}

/// Creates a room with a door in the middle of its upper side.
fn room(name: String, bounds: Rectangle, neighbour: String) -> Zone {
    let position = Point::new(bounds.center.x, bounds.top());
    let doors = vec![Door { position, orientation: Orientation::Horizontal }];
    let (kind, neighbours) = (ZoneKind::Room, vec![neighbour]);
    Zone { name, kind, bounds, blocks: Vec::new(), doors, neighbours, label_visible: true }
}

fn column_center(column: usize) -> f64 {
    column as f64 * SIDE + 1.5 * SIDE
}

fn room_name(row: usize, column: usize) -> String {
    format!("Room{}{}", letters(row), column + 1)
}

fn front_name(row: usize, column: usize) -> String {
    format!("Front{}", room_name(row, column))
}

fn drop_front_name() -> String {
    format!("Front{DROP_ZONE}")
}

fn side_name(side: &str, row: usize) -> String {
    format!("{side}Hall{}", letters(row))
}

/// Returns the letters of a row: A to Z, then AA, AB and so on.
fn letters(row: usize) -> String {
    let last = char::from(b'A' + (row % 26) as u8);
    match row / 26 {
        0 => last.to_string(),
        before => format!("{}{last}", letters(before - 1)),
    }
}
