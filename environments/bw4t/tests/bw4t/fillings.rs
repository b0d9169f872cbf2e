//! The maps of the original and their contents, compared with values recorded from the original.

use std::collections::BTreeMap;

use proptest::prelude::*;
use situated::random::Random;
use situated_bw4t::Color;
use situated_bw4t::geometry::{Point, Rectangle};
use situated_bw4t::map::{BLOCK_SIZE, Filling, Map, Standard, Zone, ZoneKind};

/// The zones that a robot of the original perceives, in that order: name, centre, neighbours.
const ZONES: [(&str, f64, f64, &str); 28] = [
    ("LeftHallA", 5.0, 5.0, "FrontRoomA1,LeftHallB"),
    ("RightHallA", 45.0, 5.0, "FrontRoomA3,RightHallB"),
    ("FrontRoomA1", 15.0, 5.0, "RoomA1,LeftHallA,FrontRoomA2"),
    ("FrontRoomA2", 25.0, 5.0, "RoomA2,FrontRoomA1,FrontRoomA3"),
    ("FrontRoomA3", 35.0, 5.0, "RoomA3,FrontRoomA2,RightHallA"),
    ("LeftHallB", 5.0, 25.0, "FrontRoomB1,LeftHallA,LeftHallC"),
    ("RightHallB", 45.0, 25.0, "FrontRoomB3,RightHallA,RightHallC"),
    ("FrontRoomB1", 15.0, 25.0, "RoomB1,LeftHallB,FrontRoomB2"),
    ("FrontRoomB2", 25.0, 25.0, "RoomB2,FrontRoomB1,FrontRoomB3"),
    ("FrontRoomB3", 35.0, 25.0, "RoomB3,FrontRoomB2,RightHallB"),
    ("LeftHallC", 5.0, 45.0, "FrontRoomC1,LeftHallB,LeftHallD"),
    ("RightHallC", 45.0, 45.0, "FrontRoomC3,RightHallB,RightHallD"),
    ("FrontRoomC1", 15.0, 45.0, "RoomC1,LeftHallC,FrontRoomC2"),
    ("FrontRoomC2", 25.0, 45.0, "RoomC2,FrontRoomC1,FrontRoomC3"),
    ("FrontRoomC3", 35.0, 45.0, "RoomC3,FrontRoomC2,RightHallC"),
    ("FrontDropZone", 25.0, 65.0, "DropZone,LeftHallD,RightHallD"),
    ("LeftHallD", 5.0, 65.0, "FrontDropZone,LeftHallC"),
    ("RightHallD", 45.0, 65.0, "FrontDropZone,RightHallC"),
    ("RoomA1", 15.0, 15.0, "FrontRoomA1"),
    ("RoomA2", 25.0, 15.0, "FrontRoomA2"),
    ("RoomA3", 35.0, 15.0, "FrontRoomA3"),
    ("RoomB1", 15.0, 35.0, "FrontRoomB1"),
    ("RoomB2", 25.0, 35.0, "FrontRoomB2"),
    ("RoomB3", 35.0, 35.0, "FrontRoomB3"),
    ("RoomC1", 15.0, 55.0, "FrontRoomC1"),
    ("RoomC2", 25.0, 55.0, "FrontRoomC2"),
    ("RoomC3", 35.0, 55.0, "FrontRoomC3"),
    ("DropZone", 25.0, 75.0, "FrontDropZone"),
];

/// The blocks of Rainbow in the original: number, colour, centre with three digits.
const RAINBOW: [(u32, char, f64, f64); 22] = [
    (38, 'Y', 27.078, 14.191),
    (39, 'G', 22.369, 13.494),
    (40, 'G', 29.210, 10.555),
    (41, 'P', 37.078, 34.191),
    (42, 'Y', 32.369, 33.494),
    (43, 'Y', 17.078, 54.191),
    (44, 'R', 12.369, 53.494),
    (45, 'R', 19.210, 50.555),
    (46, 'W', 19.173, 58.959),
    (47, 'G', 11.544, 57.435),
    (48, 'P', 16.439, 51.911),
    (49, 'B', 17.078, 14.191),
    (50, 'O', 12.369, 13.494),
    (51, 'O', 19.210, 10.555),
    (52, 'B', 27.078, 34.191),
    (53, 'Y', 22.369, 33.494),
    (54, 'R', 37.078, 54.191),
    (55, 'B', 17.078, 34.191),
    (56, 'R', 12.369, 33.494),
    (57, 'P', 19.210, 30.555),
    (58, 'W', 27.078, 54.191),
    (59, 'R', 22.369, 53.494),
];

fn letter(color: Color) -> char {
    color.name().chars().next().expect("a name")
}

fn letters(colors: &[Color]) -> String {
    colors.iter().copied().map(letter).collect()
}

/// The colours of the blocks in each room, in their order, by the end of its name.
fn contents(map: &Map, filling: &Filling) -> Vec<(String, String)> {
    let mut contents: Vec<(String, String)> = Vec::new();
    for block in &filling.blocks {
        let room = map.zones[block.zone].name.trim_start_matches("Room");
        match contents.last_mut() {
            Some((last, colors)) if last == room => colors.push(letter(block.color)),
            _ => contents.push((room.to_owned(), letter(block.color).to_string())),
        }
    }
    contents
}

#[test]
fn rainbow_has_the_zones_of_the_original() {
    let map = Standard::Rainbow.map();
    let zones: Vec<_> = map
        .zones
        .iter()
        .map(|zone| (zone.name.as_str(), zone.bounds.center.x, zone.bounds.center.y, zone.neighbours.join(",")))
        .collect();
    let expected = ZONES.map(|(name, x, y, neighbours)| (name, x, y, neighbours.to_owned()));
    assert_eq!(zones, expected);
    assert_eq!(map.area, Point::new(50.0, 80.0));
    assert_eq!(map.zones.iter().filter(|zone| zone.kind == ZoneKind::Room).count(), 10);
    assert_eq!(map.zones.iter().map(|zone| zone.doors.len()).sum::<usize>(), 10);
    assert_eq!(map.zones.iter().filter(|zone| zone.is_drop_zone()).count(), 1);
    assert_eq!(letters(&map.sequence), "BGYPOR");
    let spawns: Vec<Point> = map.spawns.iter().map(|spawn| spawn.position).collect();
    assert_eq!(spawns, [Point::new(25.0, 65.0), Point::new(21.0, 63.0), Point::new(29.0, 63.0)]);

    let size = |name: &str| {
        let bounds = map.zones.iter().find(|zone| zone.name == name).expect("a zone").bounds;
        (bounds.left(), bounds.top(), bounds.right(), bounds.bottom())
    };
    assert_eq!(size("LeftHallA"), (0.0, -5.0, 10.0, 15.0));
    assert_eq!(size("RightHallD"), (40.0, 60.0, 50.0, 70.0));
    assert_eq!(size("FrontDropZone"), (10.0, 60.0, 40.0, 70.0));
    assert_eq!(size("DropZone"), (12.5, 70.0, 37.5, 80.0));
    assert_eq!(size("RoomB2"), (20.0, 30.0, 30.0, 40.0));
}

#[test]
fn rainbow_has_the_blocks_of_the_original() {
    let map = Standard::Rainbow.map();
    let filling = map.fill(&mut Random::new(0));
    assert_eq!(filling.sequence, map.sequence);
    assert_eq!(filling.blocks.len(), RAINBOW.len());
    for (block, (number, color, x, y)) in filling.blocks.iter().zip(RAINBOW) {
        let distance = block.position.distance(Point::new(x, y));
        assert!(letter(block.color) == color && distance < 0.001, "{number}: {block:?}");
        assert!(map.zones[block.zone].bounds.contains(block.position), "{number}: {block:?}");
    }
    assert!(filling.blocks[9].position.distance(Point::new(11.543704, 57.434823)) < 0.000001);
}

#[test]
fn a_map_with_a_seed_is_filled_like_in_the_original() {
    let map = Map { seed: Some(1), ..Standard::Random.map() };
    let filling = map.fill(&mut Random::new(0));
    assert_eq!(letters(&filling.sequence), "BBORWW");
    let expected = [
        ("A3", "OG"),
        ("A2", "BOBORR"),
        ("B3", "PY"),
        ("C1", "P"),
        ("A1", "WR"),
        ("B2", "BPR"),
        ("C3", "BRP"),
        ("B1", "WWWY"),
        ("C2", "WYRPW"),
    ];
    let expected = expected.map(|(room, colors)| (room.to_owned(), colors.to_owned()));
    assert_eq!(contents(&map, &filling), expected);
    assert_eq!(map.fill(&mut Random::new(9)), filling);
}

#[test]
fn rooms_differ_without_a_seed() {
    let map = Standard::Random.map();
    let filling = map.fill(&mut Random::new(5));
    assert_eq!(filling, map.fill(&mut Random::new(5)));
    assert_ne!(filling, map.fill(&mut Random::new(6)));
    let mut first = BTreeMap::new();
    for block in &filling.blocks {
        let center = map.zones[block.zone].bounds.center;
        first.entry(block.zone).or_insert((block.position.x - center.x, block.position.y - center.y));
    }
    let mut offsets: Vec<_> = first.values().map(|offset| format!("{offset:?}")).collect();
    let rooms = offsets.len();
    offsets.sort();
    offsets.dedup();
    assert_eq!(offsets.len(), rooms);
}

#[test]
fn standard_maps_contain_their_sequences() {
    let counts = Standard::ALL.map(|standard| {
        let map = standard.map();
        assert_eq!(map.check(), Ok(()), "{standard:?}");
        assert_eq!(Map::from_xml(&map.to_xml()).as_ref(), Ok(&map));
        let filling = map.fill(&mut Random::new(4));
        let mut left: Vec<Color> = filling.blocks.iter().map(|block| block.color).collect();
        for color in &filling.sequence {
            let found = left.iter().position(|other| other == color).expect("a block of each colour that is asked for");
            left.swap_remove(found);
        }
        (standard.name(), filling.sequence.len(), filling.blocks.len(), map.spawns.len())
    });
    let expected = [
        ("Rainbow", 6, 22, 3),
        ("Banana", 6, 27, 3),
        ("Dutch Flag", 6, 23, 3),
        ("Random", 6, 28, 3),
        ("SuperRandom", 6, 28, 10),
    ];
    assert_eq!(counts, expected);
}

#[test]
fn ten_robots_begin_before_the_drop_zone() {
    let spawns = Standard::SuperRandom.map().spawns;
    let places: Vec<(f64, f64)> = spawns.iter().map(|spawn| (spawn.position.x, spawn.position.y)).collect();
    let left = [(25.0, 65.0), (21.0, 63.0), (21.0, 67.0), (17.0, 65.0), (13.0, 63.0), (13.0, 67.0)];
    let right = [(29.0, 63.0), (29.0, 67.0), (33.0, 65.0), (37.0, 63.0)];
    assert!(left.iter().chain(&right).all(|place| places.contains(place)), "{places:?}");
    assert_eq!(spawns[..3], Standard::Rainbow.map().spawns);
    let names: Vec<&str> = spawns.iter().map(|spawn| spawn.name.as_str()).collect();
    assert_eq!((names.len(), names[0], names[9]), (10, "Bot1", "Bot10"));
}

#[test]
fn rows_beyond_the_alphabet_have_two_letters() {
    let map = Map::generated(30, 1, 0, 0);
    let names: Vec<&str> = map.zones.iter().map(|zone| zone.name.as_str()).collect();
    assert!(names.contains(&"RoomZ1") && names.contains(&"RoomAA1") && names.contains(&"LeftHallAE"), "{names:?}");
}

proptest! {
    #[test]
    fn all_blocks_lie_in_rooms(
        (rows, columns, blocks) in (1..6usize, 1..6usize, 0..=10usize),
        (seed, of_map) in (any::<u64>(), any::<Option<i64>>()),
        full in any::<bool>(),
    ) {
        let mut map = Map { seed: of_map, ..Map::generated(rows, columns, 0, blocks) };
        if full {
            map.random_blocks += (rows * columns * (10 - blocks)) as u32;
        }
        prop_assert_eq!(map.check(), Ok(()));
        let filling = map.fill(&mut Random::new(seed));
        prop_assert_eq!(filling.blocks.len(), (map.random_blocks + map.random_sequence) as usize);
        prop_assert_eq!(filling.sequence.len(), map.random_sequence as usize);
        let inside = |zone: &Zone| zone.bounds.grown(-BLOCK_SIZE / 2.0).grown(1e-9);
        let mut held = vec![0; map.zones.len()];
        for block in &filling.blocks {
            let room: &Zone = &map.zones[block.zone];
            held[block.zone] += 1;
            prop_assert!(room.holds_blocks() && held[block.zone] <= 10);
            let within: Rectangle = inside(room);
            prop_assert!(within.contains(block.position), "{:?}", block);
        }
    }
}
