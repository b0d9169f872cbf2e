//! Runs the properties that cargo-fuzz also checks, on a fixed set of damaged maps, scenario files and messages.

#[path = "../../../../fuzz/src/damage.rs"]
#[expect(unreachable_pub, reason = "the fuzz targets use it from another package")]
mod damage;
#[path = "../../../../fuzz/src/bw4t.rs"]
#[expect(unreachable_pub, reason = "the fuzz targets use it from another package")]
mod fuzz;

use damage::try_damaged;
use situated_bw4t::Map;
use situated_bw4t::team::Team;

/// Number of damaged documents of each kind: a few seconds in a debug build.
const CASES: u64 = 4_000;

/// A room, a drop zone and a hall between them.
const MAP: &str = "<newMap><area><x>20</x><y>30</y></area><entities><position><x>5</x><y>15</y></position></entities>\
     <oneBotPerCorridorZone>true</oneBotPerCorridorZone><randomBlocks>1</randomBlocks><randomSequence>1</randomSequence>\
     <seed>-1</seed><sequence>RED</sequence><zones><name>Hall</name><type>CORRIDOR</type><boundingbox><x>10</x><y>15</y>\
     <width>20</width><height>10</height></boundingbox></zones><zones><name>DropZone</name><type>ROOM</type><boundingbox>\
     <x>5</x><y>25</y><width>10</width><height>10</height></boundingbox><doors><position><x>5</x><y>20</y></position>\
     </doors><neighbours>Hall</neighbours></zones><zones><name>A&amp;&#66;</name><type>ROOM</type><boundingbox><x>5</x>\
     <y>5</y><width>10</width><height>10</height></boundingbox><doors><position><x>5</x><y>10</y></position></doors>\
     <neighbours>Hall</neighbours><blocks>RED</blocks><renderOptions><labelVisible>false</labelVisible></renderOptions>\
     </zones></newMap>";

const TEAM: &str = r#"
[[bots]]
name = "Big"
type = "human"
amount = 2
size = { value = 5, enabled = false }
speed = 80.5
grippers = 3
battery = { capacity = 20, use = 0.25 }
color-blind = true
agent = { file = "big.goal", reference = "" }
[[epartners]]
name = 'größe'
gps = true
[original]
map-file = 'C:\maps\Rainbow'
client-port = 2001
enable-collisions = true
"#;

const MESSAGES: &[&str] = &[
    "I am going to room RoomC1",
    "Bot_1, get the Red from room \"room \"\"x\"\"\"",
    "room RoomC1 contains 4294967295 Dark_gray blocks.",
    "Ada, put down the box you\u{2019}re holding!",
    "Has anybody checked 'A B'?",
    "OK, room RoomC1",
    "imp(pickedUpFrom(Bot_1,'Red','RoomC1'))",
    "int(at(_,'RoomC1'))",
    "at(3.0,'Blue',room)",
    "waitingOutside('the one who sends it','RoomC1','Red')",
    "imp(putDown('the one who sends it'))",
    "checked('Ada',unknown)",
    "yes()",
];

#[test]
fn damaged_maps() {
    let (small, generated) = (MAP, Map::generated(1, 1, 1, 1).to_xml());
    try_damaged(&[small, &generated], CASES, fuzz::map);
}

#[test]
fn damaged_teams() {
    let xml = Team::from_toml(TEAM).expect("it is one").to_xml();
    try_damaged(&[TEAM, &xml], CASES, fuzz::team);
}

#[test]
fn damaged_messages() {
    try_damaged(MESSAGES, CASES, fuzz::message);
}

#[test]
fn the_undamaged_documents_are_sound() {
    assert!(Map::from_xml(MAP).is_ok_and(|map| map.zones.len() == 3));
}
