//! Blocks, their places, and their colours.

use serde::{Deserialize, Serialize};
use situated::ParameterType;
use situated::environment::EntityId;

use crate::geometry::Point;
use crate::ground::ZoneIndex;

/// The number of a block, in the order of creation.
pub type BlockIndex = usize;

/// A block.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Block {
    /// Its number among all objects.
    pub id: u32,
    /// Its colour.
    pub color: Color,
    /// Its place.
    pub place: BlockPlace,
}

/// The place of a block.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum BlockPlace {
    /// In a room.
    Lying(Point, ZoneIndex),
    /// In the gripper of this robot.
    Held(EntityId),
    /// Delivered: its colour was needed.
    Delivered,
    /// Removed: it was put down in a hall, or delivered when another colour was needed.
    Lost,
}

impl Block {
    /// Returns its position, if it lies in a room.
    pub fn position(&self) -> Option<Point> {
        if let BlockPlace::Lying(position, _) = self.place { Some(position) } else { None }
    }
}

/// The colour of a block (specification, "Colors"), or its appearance to a colour-blind robot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ParameterType)]
pub enum Color {
    /// Red.
    #[parameter(name = "Red")]
    Red,
    /// Orange.
    #[parameter(name = "Orange")]
    Orange,
    /// Yellow.
    #[parameter(name = "Yellow")]
    Yellow,
    /// Green.
    #[parameter(name = "Green")]
    Green,
    /// Blue.
    #[parameter(name = "Blue")]
    Blue,
    /// Pink.
    #[parameter(name = "Pink")]
    Pink,
    /// White.
    #[parameter(name = "White")]
    White,
    /// Cyan. It is specified, but no map of the original contains it.
    #[parameter(name = "Cyan")]
    Cyan,
    /// Magenta. It is specified, but no map of the original contains it.
    #[parameter(name = "Magenta")]
    Magenta,
    /// The appearance of all blocks to a colour-blind robot. No block has this colour.
    #[parameter(name = "Dark_gray")]
    DarkGray,
}

impl Color {
    /// The colours of random blocks, in the order of their random numbers.
    pub const DRAWN: [Color; 7] =
        [Color::Red, Color::Orange, Color::Yellow, Color::Green, Color::Blue, Color::Pink, Color::White];

    /// All colours that blocks can have.
    pub const ALL: [Color; 9] = [
        Color::Red,
        Color::Orange,
        Color::Yellow,
        Color::Green,
        Color::Blue,
        Color::Pink,
        Color::White,
        Color::Cyan,
        Color::Magenta,
    ];

    /// The name in percepts and messages: `Red`.
    pub fn name(self) -> &'static str {
        match self {
            Color::Red => "Red",
            Color::Orange => "Orange",
            Color::Yellow => "Yellow",
            Color::Green => "Green",
            Color::Blue => "Blue",
            Color::Pink => "Pink",
            Color::White => "White",
            Color::Cyan => "Cyan",
            Color::Magenta => "Magenta",
            Color::DarkGray => "Dark_gray",
        }
    }

    /// Returns the colour of blocks with this name, ignoring case.
    pub fn find(name: &str) -> Option<Color> {
        Color::ALL.into_iter().find(|color| color.name().eq_ignore_ascii_case(name))
    }
}
