//! Attributes without an effect at their place.

use situated::{Action, InitParameters, ParameterType, Percept};

#[derive(Clone, Debug, Action)]
enum Misspelt {
    #[action(nmae = "go")]
    Go,
}

#[derive(Clone, Debug, Action)]
enum LoneWord {
    #[action(once)]
    Go,
}

#[derive(Clone, Debug, Action)]
#[action(name = "go")]
enum OnTheEnum {
    Go,
}

#[derive(Clone, Debug, Action)]
enum ParameterOnAVariant {
    #[parameter(name = "go")]
    Go,
}

#[derive(Clone, Debug, Action)]
enum ActionOnAField {
    Go {
        #[action(name = "place")]
        to: String,
    },
}

#[derive(Clone, Debug, Action)]
enum DefaultOfAnAction {
    Go {
        #[parameter(default = 1)]
        cells: u8,
    },
}

#[derive(Clone, Debug, Action)]
enum NoEntities {
    #[action(entities())]
    Go,
}

#[derive(Clone, Debug, Percept)]
enum MisspeltDelivery {
    #[percept(on_chnage)]
    At,
}

#[derive(Clone, Debug, Percept)]
enum TwoDeliveries {
    #[percept(once, always)]
    At,
}

#[derive(Clone, Debug, Percept)]
enum NoDelivery {
    #[percept(name = "at")]
    At,
}

#[derive(Clone, Debug, ParameterType)]
enum Color {
    #[parameter(nam = "rouge")]
    Red,
}

#[derive(Clone, Debug, ParameterType)]
#[parameter(default = "x")]
struct Id(String);

#[derive(Clone, Debug, ParameterType)]
struct Renamed(#[parameter(name = "x")] String);

#[derive(Clone, Debug, ParameterType)]
struct Pos {
    #[parameter(default = 1)]
    x: i64,
}

#[derive(Clone, Debug, InitParameters)]
struct MisspeltDefault {
    #[parameter(defualt = 1)]
    size: u8,
}

#[derive(Clone, Debug, InitParameters)]
#[parameter(name = "settings")]
struct OnTheStruct {
    size: u8,
}

#[derive(Clone, Debug, InitParameters)]
struct DefaultOfAnOption {
    #[parameter(default = 1)]
    size: Option<u8>,
}

#[derive(Clone, Debug, Percept)]
enum EmptySentence {
    #[percept(once, say = " ")]
    Silent,
}

#[derive(Clone, Debug, Percept)]
enum MisspeltField {
    #[percept(once, say = "You are in {rom}.")]
    In {
            room: String,
    },
}

#[derive(Clone, Debug, Percept)]
enum OpenBrace {
    #[percept(once, say = "You are in {room.")]
    In {
            room: String,
    },
}

#[derive(Clone, Debug, Percept)]
enum ClosedBrace {
    #[percept(once, say = "You are in room}.")]
    In {
            room: String,
    },
}

#[derive(Clone, Debug, Percept)]
enum OptionalField {
    #[percept(once, say = "You are in {room}.")]
    In {
            room: Option<String>,
    },
}

fn main() {}
