//! The colours of blocks.

use serde::{Deserialize, Serialize};
use situated::ParameterType;

/// The colour of a block (specification, "Colors"), or what a colour-blind robot sees of it.
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
    /// Cyan; it is specified, though no map of the original has it.
    #[parameter(name = "Cyan")]
    Cyan,
    /// Magenta; it is specified, though no map of the original has it.
    #[parameter(name = "Magenta")]
    Magenta,
    /// What all blocks look like to a colour-blind robot. No block has it.
    #[parameter(name = "Dark_gray")]
    DarkGray,
}

impl Color {
    /// Those that are drawn where colours are left to chance, in the order in which they are counted then.
    pub const DRAWN: [Color; 7] =
        [Color::Red, Color::Orange, Color::Yellow, Color::Green, Color::Blue, Color::Pink, Color::White];

    /// All that blocks can have.
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

    /// As percepts and messages write it: `Red`.
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

    /// The colour that blocks can have of this name, in capital letters or small ones.
    pub fn find(name: &str) -> Option<Color> {
        Color::ALL.into_iter().find(|color| color.name().eq_ignore_ascii_case(name))
    }
}
