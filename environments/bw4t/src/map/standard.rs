//! The maps of the original: [generated](Map::generated) with three rows of three rooms, each with its own contents.

use situated::names::{did_you_mean, nearest};

use super::Map;
use crate::Color;
use crate::xml::{FileError, excerpt};

/// Colours as in the original's logs: one letter each.
type Letters = &'static str;

/// The contents of each room from `RoomA1` to `RoomC3`.
type Rooms = [Letters; 9];

const RAINBOW: Rooms = ["BOO", "YGG", "", "BRP", "BY", "PY", "YRRWGP", "WR", "R"];
const BANANA: Rooms = ["YRG", "BYP", "WOY", "RYB", "GWP", "YOR", "PYW", "GBY", "YRO"];
const DUTCH_FLAG: Rooms = ["RGB", "WY", "PBR", "OW", "RWB", "YG", "WBP", "RO", "BWR"];

/// Numbers of random colours, and of further random blocks, on maps without fixed ones.
const RANDOM: [u32; 2] = [6, 22];

/// A map of the original.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Standard {
    /// A sequence of six different colours, and 22 blocks in eight rooms, always in the same places.
    Rainbow,
    /// A sequence of six yellow blocks, and 27 blocks in nine rooms, eight of them yellow.
    Banana,
    /// A sequence of two red, two white and two blue blocks, and 23 blocks in nine rooms, five of each of these
    /// colours.
    DutchFlag,
    /// A random sequence of six blocks, and 28 blocks in random places.
    Random,
    /// As `Random`, for ten robots.
    SuperRandom,
}

impl Standard {
    /// All standard maps.
    pub const ALL: [Standard; 5] =
        [Standard::Rainbow, Standard::Banana, Standard::DutchFlag, Standard::Random, Standard::SuperRandom];

    /// The name of its file in the original.
    pub fn name(self) -> &'static str {
        match self {
            Standard::Rainbow => "Rainbow",
            Standard::Banana => "Banana",
            Standard::DutchFlag => "Dutch Flag",
            Standard::Random => "Random",
            Standard::SuperRandom => "SuperRandom",
        }
    }

    /// Returns the map with this name, ignoring case; words can be separated by blanks, hyphens, underscores or
    /// nothing: `Dutch Flag`, `dutch-flag`, `DutchFlag`.
    pub fn find(name: &str) -> Option<Standard> {
        let letters = |name: &str| name.replace([' ', '-', '_'], "").to_lowercase();
        Standard::ALL.into_iter().find(|standard| letters(standard.name()) == letters(name))
    }

    /// Returns the standard map that is equal to a map, if there is one.
    pub fn of(map: &Map) -> Option<Standard> {
        Standard::ALL.into_iter().find(|standard| standard.map() == *map)
    }

    /// The map itself.
    pub fn map(self) -> Map {
        let plan = |robots| Map::generated(3, 3, robots, 0);
        let [random_sequence, random_blocks] = RANDOM;
        match self {
            Standard::Rainbow => with_contents(Map { seed: Some(1), ..plan(3) }, "BGYPOR", RAINBOW),
            Standard::Banana => with_contents(plan(3), "YYYYYY", BANANA),
            Standard::DutchFlag => with_contents(plan(3), "RRWWBB", DUTCH_FLAG),
            Standard::Random => Map { random_sequence, random_blocks, ..plan(3) },
            Standard::SuperRandom => Map { random_sequence, random_blocks, ..plan(10) },
        }
    }
}

impl Map {
    /// Returns the map with a name ([`Standard::find`]), or reads the contents of a file ([`Map::from_xml`]).
    ///
    /// # Errors
    /// Returns an error if the text begins with `<` but is not a map, or if it is not a name.
    pub fn named_or_read(text: &str) -> Result<Map, FileError> {
        if text.trim_start_matches(['\u{FEFF}', ' ', '\t', '\r', '\n']).starts_with('<') {
            return Map::from_xml(text);
        }
        Standard::find(text).map(Standard::map).ok_or_else(|| {
            let names = Standard::ALL.map(Standard::name);
            let hint = did_you_mean(nearest(text, names));
            let names = names.join(", ");
            let problem = format!("it is neither {names} nor the contents of a file with a map{hint}");
            FileError { line: None, part: format!("the map `{}`", excerpt(text)), problem }
        })
    }
}

fn with_contents(mut map: Map, sequence: Letters, contents: Rooms) -> Map {
    map.sequence = colors(sequence).collect();
    let rooms = map.zones.iter_mut().filter(|zone| zone.holds_blocks());
    for (room, letters) in rooms.zip(contents) {
        room.blocks = colors(letters).collect();
    }
    map
}

/// Returns the colours of these letters, which are all different.
fn colors(letters: Letters) -> impl Iterator<Item = Color> {
    letters.chars().filter_map(|letter| Color::DRAWN.into_iter().find(|color| color.name().starts_with(letter)))
}
