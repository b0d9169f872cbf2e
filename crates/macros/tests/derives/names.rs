//! Names that are missing, or are there twice.

use situated::{Action, InitParameters, ParameterType, Percept};

#[derive(Clone, Debug, Action)]
enum Unnamed {
    Go(i64),
}

#[derive(Clone, Debug, Action)]
enum UnnamedList {
    Follow(Vec<Pos>),
}

#[derive(Clone, Debug, Action)]
enum UnnamedOption {
    Say(Option<String>),
}

#[derive(Clone, Debug, Percept)]
enum SameTypes {
    #[percept(once)]
    Line(Pos, Pos),
}

#[derive(Clone, Debug, ParameterType)]
struct Pos {
    x: i64,
    #[parameter(name = "x")]
    y: i64,
}

#[derive(Clone, Debug, InitParameters)]
struct Settings {
    size: u8,
    #[parameter(name = "size")]
    other: u8,
}

#[derive(Clone, Debug, ParameterType)]
enum Color {
    Red,
    #[parameter(name = "red")]
    Rouge,
}

#[derive(Clone, Debug, Action)]
enum Ambiguous {
    Go { place: Color },
    #[action(name = "go")]
    GoTo { x: f64 },
}

fn main() {}
