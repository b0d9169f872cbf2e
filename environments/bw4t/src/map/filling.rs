//! The random contents of a map: random colours, and the positions of blocks, by the rules of the original. A map
//! with its own seed is filled exactly as by the original.

use serde::{Deserialize, Serialize};
use situated::random::Random;

use super::{Map, java};
use crate::Color;
use crate::geometry::{Point, Rectangle};

/// Width and height of a block.
pub const BLOCK_SIZE: f64 = 1.0;

/// Number of blocks at which a room gets no more random blocks.
pub const ROOM_CAPACITY: usize = 10;

/// Number of attempts to find a position far enough from other blocks, and then of attempts to find one that is not
/// the same as theirs.
const TRIES: u32 = 100;

/// Minimum distance between blocks, on at least one axis.
const APART: f64 = 2.0;

/// The minimum distance after [`TRIES`] attempts have failed.
const HARDLY_APART: f64 = 0.00001;

/// The contents of a map at the beginning of an episode.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Filling {
    /// The colours to deliver, in this order.
    pub sequence: Vec<Color>,
    /// The blocks, in the order in which the original numbers them. This is not the order of the rooms on the map.
    pub blocks: Vec<PlacedBlock>,
}

/// A block at the beginning of an episode.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlacedBlock {
    /// Its room, as an index into [`Map::zones`].
    pub zone: usize,
    /// Its colour.
    pub color: Color,
    /// Its centre.
    pub position: Point,
}

impl Map {
    /// Chooses the random contents of the map. A map with a [seed](Map::seed) does not use the generator: its
    /// contents are always the same.
    ///
    /// The map must be [sound](Map::check). On an unsound map, blocks without space are left out.
    pub fn fill(&self, random: &mut Random) -> Filling {
        let rooms = self.rooms_as_filled();
        let mut contents: Vec<Vec<Color>> = rooms.iter().map(|&room| self.zones[room].blocks.clone()).collect();
        let mut extra = self.draw_colors(self.random_sequence, random);
        let sequence = [&self.sequence[..], &extra[..]].concat();
        extra.extend(self.draw_colors(self.random_blocks, random));
        distribute(&extra, &mut contents, &mut self.dice(random));

        let mut blocks = Vec::new();
        for (zone, colors) in rooms.into_iter().zip(contents) {
            let positions = place_all(&self.zones[zone].bounds, colors.len(), &mut self.dice(random));
            let placed = colors.into_iter().zip(positions);
            blocks.extend(placed.map(|(color, position)| PlacedBlock { zone, color, position }));
        }
        Filling { sequence, blocks }
    }

    /// Returns the rooms that can contain blocks, in the order in which the original fills them.
    fn rooms_as_filled(&self) -> Vec<usize> {
        let rooms: Vec<usize> = (0..self.zones.len()).filter(|&zone| self.zones[zone].holds_blocks()).collect();
        let order = java::hash_order(rooms.iter().map(|&room| self.zones[room].name.as_str()));
        order.into_iter().map(|room| rooms[room]).collect()
    }

    fn draw_colors(&self, count: u32, random: &mut Random) -> Vec<Color> {
        let mut dice = self.dice(random);
        (0..count).map(|_| Color::DRAWN[dice.index(Color::DRAWN.len())]).collect()
    }

    /// Returns the generator for the next step of filling. With a seed, each step starts with a new generator, as in
    /// the original.
    fn dice<'a>(&self, random: &'a mut Random) -> Dice<'a> {
        match self.seed {
            Some(seed) => Dice::OfMap(java::Generator::new(seed)),
            None => Dice::OfWorld(random),
        }
    }
}

/// A position for a block in a room, given the centres of the other blocks in it: the block lies inside, if it fits,
/// and on one axis its left or upper edge is at least 2 from each of those centres, which is how the original measures.
/// Where 100 attempts find no such place, it may overlap others, and only lies not quite where they do; where 100 more
/// find no such place either, it lies anywhere.
pub fn place_in(room: &Rectangle, others: &[Point], random: &mut Random) -> Point {
    place(room, others, &mut Dice::OfWorld(random))
}

/// Adds a block of each colour to a random room that is not full.
fn distribute(colors: &[Color], contents: &mut [Vec<Color>], dice: &mut Dice<'_>) {
    let free = contents.iter().map(|blocks| ROOM_CAPACITY.saturating_sub(blocks.len())).sum();
    for color in colors.iter().take(free) {
        // The original draws a number even for a full room, so it cannot be skipped without drawing.
        let room = loop {
            let room = dice.index(contents.len());
            if contents[room].len() < ROOM_CAPACITY {
                break room;
            }
        };
        contents[room].push(*color);
    }
}

fn place_all(room: &Rectangle, count: usize, dice: &mut Dice<'_>) -> Vec<Point> {
    let mut positions = Vec::with_capacity(count);
    for _ in 0..count {
        positions.push(place(room, &positions, dice));
    }
    positions
}

fn place(room: &Rectangle, others: &[Point], dice: &mut Dice<'_>) -> Point {
    let mut attempt = 0;
    loop {
        let left = room.left() + (room.width - BLOCK_SIZE).max(0.0) * dice.unit();
        let top = room.top() + (room.height - BLOCK_SIZE).max(0.0) * dice.unit();
        let apart = if attempt < TRIES { APART } else { HARDLY_APART };
        let is_free = |other: &Point| (other.x - left).abs() >= apart || (other.y - top).abs() >= apart;
        attempt += 1;
        if others.iter().all(is_free) || attempt == 2 * TRIES {
            return Point::new(left + BLOCK_SIZE / 2.0, top + BLOCK_SIZE / 2.0);
        }
    }
}

/// The random generator.
enum Dice<'a> {
    /// The generator of the original, initialized with the seed of the map.
    OfMap(java::Generator),
    /// The generator of the environment.
    OfWorld(&'a mut Random),
}

impl Dice<'_> {
    fn index(&mut self, length: usize) -> usize {
        match self {
            Dice::OfMap(generator) => generator.below(length as u32) as usize,
            Dice::OfWorld(random) => random.index(length),
        }
    }

    fn unit(&mut self) -> f64 {
        match self {
            Dice::OfMap(generator) => generator.unit(),
            Dice::OfWorld(random) => random.unit(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROOM: Rectangle = Rectangle::around(Point::new(15.0, 15.0), 10.0, 10.0);

    fn lies_inside(room: &Rectangle, block: Point) -> bool {
        let half = BLOCK_SIZE / 2.0;
        room.left() <= block.x - half
            && block.x + half <= room.right()
            && room.top() <= block.y - half
            && block.y + half <= room.bottom()
    }

    #[test]
    fn places_blocks_apart_from_others() {
        let mut random = Random::new(3);
        let mut blocks = Vec::new();
        for _ in 0..8 {
            let block = place_in(&ROOM, &blocks, &mut random);
            assert!(lies_inside(&ROOM, block), "{block:?}");
            let apart = |other: &Point| (other.x - block.x).abs() >= 1.5 || (other.y - block.y).abs() >= 1.5;
            assert!(blocks.iter().all(apart), "{block:?} is too close to one of {blocks:?}");
            blocks.push(block);
        }
    }

    #[test]
    fn places_blocks_even_in_crowded_rooms() {
        let mut random = Random::new(3);
        let mut blocks: Vec<Point> = Vec::new();
        for _ in 0..100 {
            let block = place_in(&ROOM, &blocks, &mut random);
            assert!(lies_inside(&ROOM, block) && !blocks.contains(&block), "{block:?}");
            blocks.push(block);
        }
    }

    #[test]
    fn a_room_of_the_size_of_a_block_has_one_place() {
        let room = Rectangle::around(Point::new(5.0, 5.0), 1.0, 1.0);
        assert_eq!(place_in(&room, &[Point::new(4.5, 4.5)], &mut Random::new(3)), Point::new(5.0, 5.0));
    }
}
