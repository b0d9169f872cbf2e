//! Maps as files: reading, writing, and rejected files.

use std::fmt::Write;

use proptest::collection::vec;
use proptest::prelude::*;
use situated_bw4t::Color;
use situated_bw4t::geometry::{Point, Rectangle};
use situated_bw4t::map::{Door, MOST_ROWS, Map, Orientation, Spawn, Standard, Zone, ZoneKind, check};

/// A map as the editor of the original writes it: cells of 10 by 10, and elements in alphabetical order.
const EDITED: &str = r#"<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<newMap>
    <area><x>30.0</x><y>20.0</y></area>
    <entities><name>Bot</name><position><x>2.5</x><y>2.5</y></position><type>JAVA</type></entities>
    <oneBotPerCorridorZone>true</oneBotPerCorridorZone>
    <sequence>RED</sequence>
    <sequence>CYAN</sequence>
    <zones>
        <boundingbox><height>10.0</height><width>10.0</width><x>5.0</x><y>5.0</y></boundingbox>
        <name>StartZoneA1</name>
        <neighbours>ChargeZoneB1</neighbours>
        <neighbours>RoomA2</neighbours>
        <renderOptions><labelVisible>false</labelVisible></renderOptions>
        <type>CORRIDOR</type>
    </zones>
    <zones>
        <boundingbox><height>10.0</height><width>10.0</width><x>15.0</x><y>5.0</y></boundingbox>
        <name>ChargeZoneB1</name>
        <neighbours>StartZoneA1</neighbours>
        <neighbours>DropZone</neighbours>
        <type>CHARGINGZONE</type>
    </zones>
    <zones>
        <boundingbox><height>10.0</height><width>10.0</width><x>25.0</x><y>5.0</y></boundingbox>
        <doors><orientation>VERTICAL</orientation><position><x>20.0</x><y>5.0</y></position></doors>
        <name>DropZone</name>
        <neighbours>ChargeZoneB1</neighbours>
        <type>ROOM</type>
    </zones>
    <zones>
        <blocks>RED</blocks>
        <boundingbox><height>10.0</height><width>10.0</width><x>5.0</x><y>15.0</y></boundingbox>
        <doors><orientation>HORIZONTAL</orientation><position><x>5.0</x><y>10.0</y></position></doors>
        <name>RoomA2</name>
        <neighbours>StartZoneA1</neighbours>
        <type>ROOM</type>
    </zones>
    <zones>
        <boundingbox><height>10.0</height><width>10.0</width><x>15.0</x><y>15.0</y></boundingbox>
        <name>BlockadeB2</name>
        <type>BLOCKADE</type>
    </zones>
</newMap>
"#;

/// Makes a map unsound.
type Spoil = fn(&mut Map);

fn edited() -> Map {
    Map::from_xml(EDITED).expect("a map")
}

/// Returns the error for the edited map with the first occurrence of a text replaced.
fn refusal(text: &str, other: &str) -> String {
    assert!(EDITED.contains(text), "{text}");
    Map::from_xml(&EDITED.replacen(text, other, 1)).expect_err(other).to_string()
}

#[test]
fn an_edited_map_is_read() {
    let map = edited();
    assert_eq!(map.area, Point::new(30.0, 20.0));
    let spawn = Spawn { name: "Bot".to_owned(), position: Point::new(2.5, 2.5), kind: "JAVA".to_owned() };
    assert_eq!(map.spawns, [spawn]);
    assert!(map.one_bot_per_corridor_zone);
    assert_eq!((map.random_blocks, map.random_sequence, map.seed), (0, 0, None));
    assert_eq!(map.sequence, [Color::Red, Color::Cyan]);
    let kinds: Vec<ZoneKind> = map.zones.iter().map(|zone| zone.kind).collect();
    let [corridor, charging, blockade] = [ZoneKind::Corridor, ZoneKind::ChargingZone, ZoneKind::Blockade];
    assert_eq!(kinds, [corridor, charging, ZoneKind::Room, ZoneKind::Room, blockade]);
    let start = &map.zones[0];
    assert_eq!((start.neighbours.join(" ").as_str(), start.label_visible), ("ChargeZoneB1 RoomA2", false));
    let expected = Zone {
        name: "RoomA2".to_owned(),
        kind: ZoneKind::Room,
        bounds: Rectangle::around(Point::new(5.0, 15.0), 10.0, 10.0),
        blocks: vec![Color::Red],
        doors: vec![Door { position: Point::new(5.0, 10.0), orientation: Orientation::Horizontal }],
        neighbours: vec!["StartZoneA1".to_owned()],
        label_visible: true,
    };
    assert_eq!(map.zones[3], expected);
    assert_eq!(map.zones[2].doors[0].orientation, Orientation::Vertical);
}

#[test]
fn missing_elements_have_the_defaults_of_the_original() {
    let map = Map::from_xml(&EDITED.replace("<orientation>HORIZONTAL</orientation>", "").replace(
        "<name>Bot</name><position><x>2.5</x><y>2.5</y></position><type>JAVA</type>",
        "<position><y>7</y></position>",
    ));
    let map = map.expect("a map");
    assert_eq!(map.zones, edited().zones);
    let spawn = Spawn { name: "-".to_owned(), position: Point::new(0.0, 7.0), kind: "NORMAL".to_owned() };
    assert_eq!(map.spawns, [spawn]);
}

#[test]
fn skips_unknown_elements() {
    let beside = "<!-- it --> <?is?> <version kind='new'>7<x>9</x></version> passed &amp; <![CDATA[<over>]]> <newer/>";
    for part in ["<newMap>", "<area>", "<zones>", "</boundingbox>", "</doors>"] {
        let text = EDITED.replace(part, &format!("{part}{beside}"));
        let expected = if part == "<area>" { Point::new(30.0, 20.0) } else { edited().area };
        let map = Map::from_xml(&text).expect(part);
        assert_eq!((&map.zones, map.area), (&edited().zones, expected), "{part}");
    }
}

#[test]
fn texts_may_be_escaped() {
    let text = EDITED.replace("StartZoneA1", "<![CDATA[Start <Zone>]]> &#65;1 &amp;&quot;");
    assert_eq!(Map::from_xml(&text).expect("a map").zones[0].name, "Start <Zone> A1 &\"");
    let with_mark = format!("\u{FEFF}{EDITED}");
    assert_eq!(Map::from_xml(&with_mark), Ok(edited()));
}

#[test]
fn errors_name_line_and_element() {
    let expected = [
        ("<x>5.0</x>", "<x>five</x>", "line 9, <zones> StartZoneA1: <x> is `five`, expected a number"),
        (
            "true",
            "yes",
            "line 5, <oneBotPerCorridorZone>: <oneBotPerCorridorZone> is `yes`, expected one of true, false, 1, 0",
        ),
        (
            "CHARGINGZONE",
            "GARAGE",
            "line 21, <zones> ChargeZoneB1: <type> is `GARAGE`, expected one of ROOM, CORRIDOR, ",
        ),
        ("<name>RoomA2</name>", "", "line 30, <zones>: it has no <name>"),
        ("<type>BLOCKADE</type>", "", "line 38, <zones> BlockadeB2: it has no <type>"),
        ("CYAN", "MAUVE", "line 7, <sequence>: <sequence> is `MAUVE`, expected one of Red, Orange, "),
        ("<x>2.5", "<x>NaN", "line 4, <entities> Bot: <x> is NaN; it must be a number from -1000000 to 1000000"),
        (
            "<neighbours>RoomA2",
            "<neighbours>A9",
            "line 8, <zones> StartZoneA1: its neighbour A9 is not a zone of this map",
        ),
        ("<name>BlockadeB2", "<name>RoomA2", "line 38, <zones> RoomA2: another zone has the same name"),
        ("<x>30.0</x>", "<x>-3</x>", "line 2, <newMap>: <x> of <area> is -3.0; it must be a number above 0"),
    ];
    for (text, other, error) in expected {
        let refusal = refusal(text, other);
        assert!(refusal.starts_with(error), "{refusal}");
    }
}

#[test]
fn reports_the_line_of_malformed_documents() {
    let expected = [
        ("newMap>", "oldMap>", "line 43, <oldMap>: it ends with </newMap>"),
        ("</area>", "</aera>", "line 3, <area>: it ends with </aera>"),
        ("</newMap>", "", "line 44, <newMap>: the text ends before it does"),
        ("</newMap>", "</newMap><newMap/>", "line 43, the document: unknown token"),
        (
            "<newMap>",
            "<!DOCTYPE newMap [<!ENTITY a 'aa'>]><newMap>",
            "line 2, the document: maps have no document type",
        ),
        ("<name>Bot", "<name>&bot;", "line 4, the document: unknown entity reference 'bot'"),
    ];
    for (text, other, error) in expected {
        assert_eq!(refusal(text, other), error);
    }
    assert_eq!(Map::from_xml("").expect_err("empty").to_string(), "line 1, the document: there is no <newMap>");
    let deep = "<deep>".repeat(100_000);
    assert!(refusal("<area>", &deep).ends_with("<deep>: it ends with </area>"));
    let other = Map::from_xml("\n<oldMap></oldMap>").expect_err("another root").to_string();
    assert_eq!(other, "line 2, the document: the root is <oldMap>, but a map has <newMap>");
}

#[test]
fn rejects_maps_on_which_no_episode_can_begin() {
    let expected: [(&str, Spoil); 17] = [
        ("<newMap>: <x> of <area> is 0.0; it must be a number above 0 and at most 1000000", |map| map.area.x = 0.0),
        ("<newMap>: there is no drop zone: name a zone of the type ROOM DropZone", |map| {
            (map.zones[2].kind, map.zones[2].doors) = (ZoneKind::Corridor, Vec::new());
        }),
        ("<zones> RoomA2: it has no door, so no robot can enter it", |map| map.zones[3].doors.clear()),
        ("<zones> RoomA2: none of its doors lies between it and a neighbour that can be entered", |map| {
            map.zones[3].doors[0].position = Point::new(10.0, 15.0);
        }),
        ("<zones> RoomA2: none of its doors lies between it and a neighbour that can be entered", |map| {
            map.zones[0].kind = ZoneKind::Blockade;
        }),
        ("<zones> RoomA2: none of its doors lies between it and a neighbour that can be entered", |map| {
            map.zones[3].neighbours.clear();
            map.zones[0].neighbours.pop();
        }),
        ("<zones> RoomA2: no way leads from it to DropZone", |map| {
            map.zones[0].neighbours.remove(0);
            map.zones[1].neighbours.remove(0);
        }),
        ("<zones> StartZoneA1: it has a door, but only rooms can have doors", |map| {
            map.zones[0].doors = map.zones[3].doors.clone();
        }),
        ("<zones> DropZone: it contains blocks, but only rooms other than the drop zone can", |map| {
            map.zones[2].blocks = vec![Color::Red];
        }),
        ("<zones> RoomA2: Dark_gray is not a colour of blocks", |map| map.zones[3].blocks = vec![Color::DarkGray]),
        ("<zones> RoomA2: it is no larger than a block; a room must be more than 1 wide and high", |map| {
            map.zones[3].bounds.width = 1.0;
        }),
        ("<zones> BlockadeB2: <height> is inf; it must be a number above 0 and at most 1000000", |map| {
            map.zones[4].bounds.height = f64::INFINITY;
        }),
        ("<zones> StartZoneA1: its neighbour StartZoneA1 is itself", |map| {
            map.zones[0].neighbours[0] = "StartZoneA1".to_owned();
        }),
        ("<zones> a...: its name has a control character, or a blank at an end", |map| {
            map.zones[4].name = "a\u{1}".to_owned()
        }),
        ("<zones>: its name is empty", |map| map.zones[4].name.clear()),
        (
            "<newMap>: <randomSequence> and <randomBlocks> ask for 10 blocks, and there is room for 9: \
             chance fills a room with 10",
            |map| (map.random_sequence, map.random_blocks) = (4, 6),
        ),
        ("<newMap>: there are 4294967297 colours to deliver; the maximum is 10000", |map| {
            map.random_sequence = u32::MAX
        }),
    ];
    for (error, spoil) in expected {
        let mut map = edited();
        assert_eq!(map.check(), Ok(()));
        spoil(&mut map);
        assert_eq!(map.check().map_err(|error| error.to_string()), Err(error.to_owned()));
    }
}

#[test]
fn rejects_absurd_sizes() {
    let spoils: [Spoil; 6] = [
        |map| map.spawns = vec![map.spawns[0].clone(); check::MOST_SPAWNS + 1],
        |map| map.zones = vec![map.zones[0].clone(); check::MOST_ZONES + 1],
        |map| map.zones[3].blocks = vec![Color::Red; check::MOST_BLOCKS + 1],
        |map| map.zones[3].doors = vec![map.zones[3].doors[0]; check::MOST_DOORS + 1],
        |map| map.zones[0].neighbours = vec!["RoomA2".to_owned(); check::MOST_NEIGHBOURS + 1],
        |map| map.zones[0].name = "a".repeat(check::LONGEST_NAME + 1),
    ];
    for spoil in spoils {
        let mut map = edited();
        spoil(&mut map);
        let error = map.check().expect_err("it is too large").to_string();
        assert!(error.contains("maximum") || error.contains("more than"), "{error}");
        assert!(error.len() < 200, "{error}");
    }
}

#[test]
fn accepts_minimal_maps() {
    let mut map = edited();
    map.spawns[0].position = Point::new(-900.0, 900.0);
    (map.zones[3].blocks, map.random_blocks) = (Vec::new(), 10);
    assert_eq!(map.check(), Ok(()));
    map.spawns.clear();
    map.sequence.clear();
    map.zones[3].blocks = vec![Color::Blue; 30];
    map.random_blocks = 0;
    assert_eq!(map.check(), Ok(()));
}

#[test]
fn finds_maps_by_name_or_contents() {
    for name in ["Dutch Flag", "dutch-flag", "DutchFlag", "DUTCH_FLAG"] {
        assert_eq!(Map::named_or_read(name), Ok(Standard::DutchFlag.map()));
    }
    assert_eq!(Map::named_or_read(EDITED), Ok(edited()));
    let error = Map::named_or_read("Rainbows").expect_err("no name").to_string();
    let expected = "the map `Rainbows`: it is neither Rainbow, Banana, Dutch Flag, Random, SuperRandom nor the \
                    contents of a file with a map; did you mean `Rainbow`?";
    assert_eq!(error, expected);
}

fn number() -> impl Strategy<Value = f64> {
    prop_oneof![-check::FARTHEST..=check::FARTHEST, -1.0..1.0, Just(0.1 + 0.2), Just(f64::MIN_POSITIVE)]
}

fn size() -> impl Strategy<Value = f64> {
    prop_oneof![1e-9..=check::FARTHEST, Just(1.0 / 3.0), Just(f64::MIN_POSITIVE)]
}

/// A name with any characters that XML can express.
fn text() -> impl Strategy<Value = String> {
    r#"[a-zé<>&"'\[\]; 世😀/-]{0,12}"#.prop_map(|text| text.trim().to_owned())
}

fn color() -> impl Strategy<Value = Color> {
    prop::sample::select(Color::ALL.to_vec())
}

/// Unconnected zones, which no robot needs to enter.
fn lonely_zone() -> impl Strategy<Value = Zone> {
    let kind = prop::sample::select(vec![ZoneKind::Corridor, ZoneKind::ChargingZone, ZoneKind::Blockade]);
    (text(), kind, number(), number(), size(), size(), any::<bool>()).prop_map(
        |(name, kind, x, y, width, height, label_visible)| {
            let bounds = Rectangle::around(Point::new(x, y), width, height);
            let neighbours = vec!["LeftHallA".to_owned(), "LeftHallA".to_owned()];
            Zone { name, kind, bounds, blocks: Vec::new(), doors: Vec::new(), neighbours, label_visible }
        },
    )
}

prop_compose! {
    /// An arbitrary sound map.
    fn sound_map()(
        (rows, columns) in (1..4usize, 1..4usize),
        (width, height) in (size(), size()),
        spawns in vec((text(), number(), number(), text()), 0..5),
        flags in any::<[bool; 2]>(),
        seed in any::<Option<i64>>(),
        sequence in vec(color(), 0..8),
        contents in vec(vec(color(), 0..6), 9),
        door in (number(), number(), any::<bool>()),
        lonely in vec(lonely_zone(), 0..4),
        asked in (0..4u32, 0..4u32),
    ) -> Map {
        let mut map = Map::generated(rows, columns, 0, 0);
        map.area = Point::new(width, height);
        let spawn = |(name, x, y, kind)| Spawn { name, position: Point::new(x, y), kind };
        map.spawns.extend(spawns.into_iter().map(spawn));
        (map.one_bot_per_corridor_zone, map.seed, map.sequence) = (flags[0], seed, sequence);
        (map.random_sequence, map.random_blocks) = asked;
        let orientation = if door.2 { Orientation::Horizontal } else { Orientation::Vertical };
        for (room, blocks) in map.zones.iter_mut().filter(|zone| zone.holds_blocks()).zip(contents) {
            (room.blocks, room.label_visible) = (blocks, flags[1]);
            room.doors.push(Door { position: Point::new(door.0, door.1), orientation });
        }
        for (index, mut zone) in lonely.into_iter().enumerate() {
            write!(zone.name, "{index}").expect("texts can be written to");
            map.zones.push(zone);
        }
        // Random blocks need a room besides the drop zone.
        if rows * columns == 1 {
            (map.random_sequence, map.random_blocks) = (0, 0);
        }
        map
    }
}

proptest! {
    #[test]
    fn reads_what_it_writes(map in sound_map()) {
        prop_assert_eq!(map.check(), Ok(()));
        prop_assert_eq!(Map::from_xml(&map.to_xml()), Ok(map));
    }

    #[test]
    fn no_text_causes_a_crash(text in any::<String>(), at in 0..EDITED.len(), length in 0..200usize) {
        let _ = Map::from_xml(&text);
        let end = EDITED.len().min(at + length);
        if let Ok(map) = Map::from_xml(&format!("{}{text}{}", &EDITED[..at], &EDITED[end..])) {
            prop_assert_eq!(map.check(), Ok(()));
        }
    }

    #[test]
    fn generated_maps_are_sound(
        (rows, columns) in (0..40usize, 0..40usize),
        (spawns, blocks) in (0..200usize, 0..12usize),
    ) {
        let map = Map::generated(rows, columns, spawns, blocks);
        prop_assert_eq!(map.check(), Ok(()));
        prop_assert_eq!(map.spawns.len(), spawns);
        let expected = rows.max(1) * columns.max(1) * blocks.min(10);
        prop_assert_eq!(map.random_blocks as usize + map.random_sequence as usize, expected);
        let is_hall = |zone: &&Zone| zone.kind == ZoneKind::Corridor;
        for spawn in &map.spawns {
            let body = Rectangle::around(spawn.position, 2.0, 2.0);
            let hall = map.zones.iter().filter(is_hall).find(|hall| hall.bounds.contains(spawn.position));
            prop_assert!(hall.is_some() && body.left() >= 0.0 && body.right() <= map.area.x, "{:?}", spawn);
        }
    }
}

#[test]
fn the_largest_generated_map_is_sound() {
    let map = Map::generated(usize::MAX, usize::MAX, usize::MAX, usize::MAX);
    assert_eq!(map, Map::generated(MOST_ROWS, MOST_ROWS, check::MOST_SPAWNS, 10));
    assert_eq!(map.check(), Ok(()));
}
