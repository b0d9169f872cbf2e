//! The output of the derives for Rust enums and structs: declarations, conversions, errors.

use std::collections::BTreeMap;
use std::str::FromStr;

use situated::iil::{self, Parameter};
use situated::ontology::typed::{InitParameters as _, Mismatch, TypedAction, TypedPercept};
use situated::ontology::{Delivery, NamedTypes, Ontology, Type};
use situated::{Action, InitParameters, ParameterType, Percept};

/// A place that has a name.
#[derive(Clone, Debug, PartialEq, ParameterType)]
struct PlaceId(String);

/// A colour of a block.
#[derive(Clone, Copy, Debug, PartialEq, ParameterType)]
enum Color {
    /// Like blood.
    Red,
    DarkBlue,
}

/// A point.
#[derive(Clone, Debug, PartialEq, ParameterType)]
struct Pos {
    x: i64,
    y: i64,
}

#[derive(Clone, Debug, PartialEq, Action)]
enum RobotAction {
    /// Walk to a place.
    GoTo {
        place: String,
    },
    /// Walk to a point.
    #[action(name = "goTo")]
    GoToPoint {
        x: f64,
        y: f64,
    },
    /// Take the block.
    PickUp,
    Paint {
        color: Color,
        speed: Option<u8>,
    },
    Follow(#[parameter(name = "path")] Vec<Pos>, PlaceId),
    #[action(entities("truck"))]
    Unload {
        how: Parameter,
    },
    Obey {
        yes: bool,
    },
}

#[derive(Clone, Debug, Percept)]
enum RobotPercept {
    /// A place.
    #[percept(once)]
    Place(PlaceId),
    #[percept(on_change)]
    At { x: f64 },
    #[percept(on_change_with_negation)]
    Holding { color: Color },
    #[percept(always)]
    Battery { level: f64, kind: Option<f64> },
    #[percept(event, name = "message")]
    Heard { text: String },
}

#[derive(Clone, Debug, PartialEq, InitParameters)]
struct Settings {
    /// How many.
    #[parameter(default = 3)]
    robots: u8,
    /// Where to begin.
    start: PlaceId,
    limit: Option<i64>,
}

fn read(text: &str) -> Result<RobotAction, String> {
    let action = iil::Action::from_str(text).expect("the text is well formed");
    RobotAction::from_iil(&action).map_err(|mismatch| mismatch.to_string())
}

#[test]
fn actions_are_converted_from_and_to_terms() {
    let cases = [
        ("goTo(roomA)", RobotAction::GoTo { place: "roomA".into() }),
        ("goTo(1.5,2.0)", RobotAction::GoToPoint { x: 1.5, y: 2.0 }),
        ("pickUp", RobotAction::PickUp),
        ("paint(darkBlue)", RobotAction::Paint { color: Color::DarkBlue, speed: None }),
        ("paint(red,7)", RobotAction::Paint { color: Color::Red, speed: Some(7) }),
        (
            "follow([pos(1,2),pos(3,4)],hall)",
            RobotAction::Follow(vec![Pos { x: 1, y: 2 }, Pos { x: 3, y: 4 }], PlaceId("hall".into())),
        ),
        ("unload([1,f()])", RobotAction::Unload { how: Parameter::from_str("[1,f()]").unwrap() }),
        ("obey(true)", RobotAction::Obey { yes: true }),
    ];
    for (text, action) in cases {
        assert_eq!(read(text).as_ref(), Ok(&action), "{text}");
        assert_eq!(action.to_iil().to_string(), text);
    }
}

#[test]
fn a_whole_number_is_accepted_where_a_float_is_declared() {
    assert_eq!(read("goTo(45,2)"), Ok(RobotAction::GoToPoint { x: 45.0, y: 2.0 }));
}

#[test]
fn errors_contain_the_action_the_parameter_the_expected_and_the_given_value() {
    let cases = [
        (
            "goTo(7)",
            "goTo expects (place) or (x: number, y: number), got goTo(7); expected identifier for place, got 7",
        ),
        ("goTo(1,2,3)", "goTo expects (place) or (x: number, y: number), got goTo(1,2,3)"),
        ("goTo(1,a)", "goTo expects (place) or (x: number, y: number), got goTo(1,a); expected number for y, got a"),
        ("pickUp(1)", "pickUp expects (), got pickUp(1)"),
        (
            "paint(green)",
            "paint expects (color: Color, speed?: integer 0..255), got paint(green); expected Color (red|darkBlue) for color, got green",
        ),
        (
            "paint(red,300)",
            "paint expects (color: Color, speed?: integer 0..255), got paint(red,300); expected integer 0..255 for speed, got 300",
        ),
        (
            "follow([pos(1)],hall)",
            "follow expects (path: list of Pos, placeId: PlaceId), got follow([pos(1)],hall); expected list of Pos for path, got [pos(1)]",
        ),
        ("goto(x)", "there is no action `goto`; did you mean `goTo`?"),
        ("dance", "there is no action `dance`"),
    ];
    for (text, message) in cases {
        assert_eq!(read(text), Err(message.to_owned()));
    }
}

#[test]
fn percepts_are_converted_bit_for_bit() {
    let nan = f64::from_bits(0x7ff8_0000_0000_0001);
    assert_eq!(RobotPercept::At { x: nan }, RobotPercept::At { x: nan });
    assert_ne!(RobotPercept::At { x: nan }, RobotPercept::At { x: f64::NAN });
    assert_ne!(RobotPercept::At { x: 0.0 }, RobotPercept::At { x: -0.0 });
    let battery = |kind| RobotPercept::Battery { level: 1.0, kind };
    assert_eq!(battery(Some(nan)), battery(Some(nan)));
    assert_ne!(battery(None), battery(Some(1.0)));
    assert_ne!(RobotPercept::At { x: 1.0 }, battery(None));
}

#[test]
fn percepts_know_their_delivery() {
    use Delivery::{Always, Event, OnChange, OnChangeWithNegation, Once};
    assert_eq!(RobotPercept::DELIVERIES, [Once, OnChange, OnChangeWithNegation, Always, Event]);
    let heard = RobotPercept::Heard { text: "Hi".into() };
    assert_eq!(heard.delivery(), Event);
    assert_eq!(heard.to_iil().to_string(), "message('Hi')");
    assert_eq!(RobotPercept::from_iil(&heard.to_iil()), Ok(heard));
}

#[test]
fn init_parameters_have_defaults_and_errors() {
    let read = |text: &[(&str, Parameter)]| {
        let given: BTreeMap<String, Parameter> =
            text.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
        Settings::from_iil(&given).map_err(|mismatch| mismatch.to_string())
    };
    let start = ("start", Parameter::from("hall"));
    let settings = Settings { robots: 3, start: PlaceId("hall".into()), limit: None };
    assert_eq!(read(std::slice::from_ref(&start)), Ok(settings.clone()));
    assert_eq!(Settings::from_iil(&settings.to_iil()), Ok(settings));
    assert_eq!(read(&[]), Err("the parameter `start` (PlaceId) is required: Where to begin.".into()));
    let undocumented = Mismatch::Missing { name: "x".into(), of: "integer".into(), documentation: String::new() };
    assert_eq!(undocumented.to_string(), "the parameter `x` (integer) is required");
    let unknown = read(&[start.clone(), ("robtos", 4.into())]);
    assert_eq!(unknown, Err("there is no parameter `robtos`; did you mean `robots`?".into()));
    let wrong = read(&[start, ("robots", "many".into())]);
    assert_eq!(wrong, Err("the parameter `robots` expects integer 0..255, got many".into()));
}

fn ontology() -> Ontology {
    Ontology::builder::<Settings, RobotAction, RobotPercept>("yard", "1.0", "A yard. With robots and trucks.")
        .entity_type("robot", "It walks.")
        .entity_type("truck", "It drives.")
        .property("map", "The map | as text.")
        .entity_property("fuel", "What is left.")
        .build()
}

#[test]
fn an_entity_type_has_only_its_own_declarations() {
    let ontology = ontology();
    let names = |of: &str| -> Vec<String> {
        let of = ontology.find_entity_type(of).expect("declared");
        of.actions.iter().map(|action| action.name.clone()).collect()
    };
    assert_eq!(names("robot"), ["goTo", "goTo", "pickUp", "paint", "follow", "obey"]);
    assert_eq!(names("truck"), ["goTo", "goTo", "pickUp", "paint", "follow", "unload", "obey"]);
}

#[test]
fn named_types_are_declared_once() {
    let ontology = ontology();
    let names: Vec<&String> = ontology.types.keys().collect();
    assert_eq!(names, ["Color", "PlaceId", "Pos"]);
    assert_eq!(ontology.types["PlaceId"].documentation, "A place that has a name.");
    let color = Type::Named("Color".into());
    let Type::Choice(words) = ontology.resolve(&color) else { panic!("a choice") };
    let words: Vec<(&str, &str)> = words.iter().map(|word| (word.name.as_str(), word.documentation.as_str())).collect();
    assert_eq!(words, [("red", "Like blood."), ("darkBlue", "")]);
}

#[test]
fn a_circle_of_names_resolves_to_anything() {
    let mut ontology = ontology();
    for (name, next) in [("Color", "Pos"), ("Pos", "Color")] {
        let of = Type::Named(next.into());
        ontology.types.get_mut(name).expect("declared").of = of;
    }
    assert_eq!(ontology.resolve(&Type::Named("Pos".into())), &Type::Any);
}

#[test]
fn an_ontology_survives_json() {
    let ontology = ontology();
    let read: Ontology = serde_json::from_str(&ontology.to_json()).expect("its own JSON");
    assert_eq!(read, ontology);
}

#[test]
fn the_reference_page_has_everything() {
    let page = ontology().to_markdown();
    for expected in [
        "# yard\n\nA yard. With robots and trucks.\n",
        "| `robots` | integer 0..255 | How many. Default: `3`. |",
        "| `start` | PlaceId | Where to begin. |",
        "| `limit` | integer |  Optional. |",
        "## Properties\n\n| property | meaning |\n| --- | --- |\n| `map` | The map \\| as text. |\n\n",
        "## Properties of each entity\n\n| property | meaning |\n| --- | --- |\n| `fuel` | What is left. |\n\n",
        "#### `goTo(x: number, y: number)`\n\nWalk to a point.\n",
        "#### `message(text)`\n\n Sent as an event.\n",
        "- `red` Like blood.",
        "`pos(x: integer, y: integer)`",
    ] {
        assert!(page.contains(expected), "{expected:?} is not in\n{page}");
    }
}

#[test]
fn properties_that_could_be_confused_are_not_declared() {
    let declare = |names: [&'static str; 2]| {
        let builder = Ontology::builder::<Settings, RobotAction, RobotPercept>("yard", "1.0", "A yard.")
            .entity_type("robot", "It walks.")
            .entity_type("truck", "It drives.");
        names.iter().fold(builder, |builder, name| builder.property(name, "")).build()
    };
    assert_eq!(declare(["map", "type"]).properties.len(), 2);
    for names in [["map", "map"], ["map", "version"], ["map", ""]] {
        assert!(std::panic::catch_unwind(|| declare(names)).is_err(), "{names:?}");
    }
}

#[test]
fn declarations_stand_in_the_order_of_the_variants() {
    let declarations = RobotAction::declarations(&mut NamedTypes::new());
    let action = RobotAction::Unload { how: Parameter::from(1) };
    assert_eq!(declarations[action.variant()].signature.name, "unload");
    assert_eq!(declarations[action.variant()].entity_types, ["truck"]);
}
