//! The derives in unusual cases: custom names for everything, empty enums, recursive types or types with the same
//! name, generics; and the messages for mistakes.

use std::collections::BTreeMap;
use std::collections::hash_map::DefaultHasher;
use std::fmt::Debug;
use std::hash::Hasher as _;
use std::panic::{UnwindSafe, catch_unwind};
use std::str::FromStr;

use situated::iil::{self, Parameter};
use situated::ontology::typed::{InitParameters as _, ParameterType as Typed, TypedAction, TypedPercept};
use situated::ontology::{NamedTypes, Type};
use situated::{Action, InitParameters, ParameterType, Percept};

/// Nothing has the meaning that it has elsewhere.
#[allow(unused, clippy::wrong_self_convention)]
mod shadowed {
    #![no_implicit_prelude]

    use ::std::clone::Clone;
    use ::std::fmt::Debug;
    use ::std::primitive::{f64, u8};

    pub(crate) type Result<T> = T;
    struct Vec;
    struct String;
    struct Box;
    enum Mine {
        Some,
        None,
        Ok,
        Err,
    }
    use Mine::*;
    trait PartialEq {}
    trait Eq {}
    trait Hash {}
    trait Into {}
    trait From {}

    macro_rules! vec {
        () => {};
    }

    /// Methods that come before those of everything.
    trait Everything: ::std::marker::Sized {
        fn map(self) {}
        fn map_err(self) {}
        fn into(self) {}
        fn iter(self) {}
        fn len(self) {}
        fn as_str(self) {}
        fn as_ref(self) {}
        fn hash(self) {}
        fn eq(self) {}
        fn collect(self) {}
        fn to_parameter(self) {}
    }
    impl<T> Everything for T {}

    #[derive(Clone, Debug, ::situated::ParameterType)]
    pub(crate) enum H {
        North,
        South,
    }

    #[derive(Clone, Debug, ::situated::ParameterType)]
    pub(crate) struct Id(::std::string::String);

    #[derive(Clone, Debug, ::situated::ParameterType)]
    pub(crate) struct Pos {
        x: f64,
        ids: ::std::vec::Vec<Id>,
        h: ::std::option::Option<H>,
    }

    #[derive(Clone, Debug, ::situated::Action, ::situated::Percept)]
    pub(crate) enum Call<H: ::situated::ontology::typed::ParameterType> {
        #[percept(once)]
        Stop,
        #[percept(event)]
        Go { to: Pos, how: ::std::option::Option<H> },
    }

    #[derive(Clone, Debug, ::situated::InitParameters)]
    pub(crate) struct Settings {
        pub(crate) name: ::std::string::String,
        #[parameter(default = fields())]
        pub(crate) number: u8,
        pub(crate) heading: ::std::option::Option<H>,
    }

    impl Settings {
        fn fields() {}
        fn from_iil() {}
        fn to_iil() {}
    }

    impl<H: ::situated::ontology::typed::ParameterType> Call<H> {
        fn declarations() {}
        fn from_call() {}
    }

    fn fields() -> u8 {
        types() + given()
    }

    fn types() -> u8 {
        3
    }

    fn given() -> u8 {
        4
    }
}

/// An action and percept type without variants.
#[derive(Clone, Debug, Action, Percept)]
enum Never {}

/// A node.
#[derive(Clone, Debug, PartialEq, ParameterType)]
struct Tree {
    children: Vec<Tree>,
    label: Option<Label>,
}

/// A label.
#[derive(Clone, Debug, PartialEq, ParameterType)]
#[parameter(name = "Caption")]
enum Label {
    #[parameter(name = "leaf")]
    Green,
    Trunk,
}

/// A point.
#[derive(Clone, Debug, PartialEq, ParameterType)]
#[parameter(name = "Position")]
struct Pos {
    #[parameter(name = "left")]
    x: u64,
    y: i64,
}

#[derive(Clone, Debug, PartialEq, ParameterType)]
struct Pair<T: Typed, const WEIGHT: usize> {
    one: T,
    other: T,
}

#[derive(Clone, Debug, Percept)]
enum Seen<T: Typed>
where
    T: PartialEq,
{
    #[percept(always)]
    Pair(Pair<T, 2>),
}

#[derive(Clone, Debug, Action)]
enum Walk {
    To(#[parameter(name = "x")] i64, #[parameter(name = "y")] i64, Pos),
    Along {
        #[parameter(name = "path")]
        way: Vec<Pos>,
    },
}

#[derive(Clone, Debug, PartialEq, InitParameters)]
struct Settings<T: Typed> {
    #[parameter(name = "map", default = "small")]
    level: String,
    #[parameter(default = 1 + 1)]
    sum: u8,
    extra: T,
}

/// A type with the smallest implementation by hand.
#[derive(Clone, Debug)]
struct Degrees(f64);

impl Typed for Degrees {
    fn declare(_: &mut NamedTypes) -> Type {
        Type::Number
    }

    fn to_parameter(&self) -> Parameter {
        Parameter::from(self.0)
    }

    fn from_parameter(parameter: &Parameter) -> Option<Self> {
        f64::from_parameter(parameter).map(Degrees)
    }
}

/// The same names again.
mod other {
    use situated::ParameterType;

    /// A point elsewhere.
    #[derive(Clone, Debug, ParameterType)]
    pub(crate) struct Position {
        pub(crate) z: f64,
    }

    /// Another tree, in which there is the first.
    #[derive(Clone, Debug, ParameterType)]
    pub(crate) struct Tree {
        pub(crate) inner: Vec<super::Tree>,
    }
}

fn parameter(text: &str) -> Parameter {
    Parameter::from_str(text).expect("the text is well formed")
}

/// Checks that the parameter of this text is one of `T`, and becomes the same text.
fn converts_in_both_directions<T: Typed>(text: &str) -> T {
    let value = T::from_parameter(&parameter(text)).expect("a value of the type");
    assert_eq!(value.to_parameter().to_string(), text);
    value
}

fn message_of_panic<T: Debug>(panicking: impl FnOnce() -> T + UnwindSafe) -> String {
    let payload = catch_unwind(panicking).expect_err("a panic");
    *payload.downcast().expect("a message")
}

#[test]
fn shadowed_names_change_nothing() {
    type Call = shadowed::Call<shadowed::H>;
    let text = "go(pos(1.5,[a,b],south),north)";
    let action = <Call as TypedAction>::from_iil(&iil::Action::from_str(text).unwrap()).unwrap();
    assert_eq!(TypedAction::to_iil(&action).to_string(), text);
    let percept = <Call as TypedPercept>::from_iil(&TypedPercept::to_iil(&action)).unwrap();
    assert_eq!(action, percept);
    assert_ne!(shadowed::Call::Stop, action);

    let given = BTreeMap::from([("name".to_owned(), Parameter::from("x"))]);
    let settings = <shadowed::Settings as situated::ontology::typed::InitParameters>::from_iil(&given).unwrap();
    assert_eq!((settings.number, settings.name.as_str(), settings.heading.is_none()), (7, "x", true));
}

#[test]
fn an_enum_without_variants_has_nothing() {
    let mut types = NamedTypes::new();
    assert!(<Never as TypedAction>::declarations(&mut types).is_empty());
    assert!(<Never as TypedPercept>::declarations(&mut types).is_empty());
    let error = <Never as TypedAction>::from_iil(&iil::Action::from_str("go").unwrap()).unwrap_err();
    assert_eq!(error.to_string(), "there is no action `go`");
}

#[test]
fn a_type_may_contain_itself() {
    let mut types = NamedTypes::new();
    for _ in 0..2 {
        assert_eq!(Tree::declare(&mut types), Type::Named("Tree".into()));
    }
    assert_eq!(types.keys().collect::<Vec<_>>(), ["Caption", "Tree"]);
    assert_eq!(types["Tree"].of.to_string(), "tree(children: list of Tree, label?: Caption)");
    converts_in_both_directions::<Tree>("tree([tree([]),tree([],leaf)],trunk)");
}

#[test]
fn one_attribute_renames_a_type_and_its_function() {
    let mut types = NamedTypes::new();
    assert_eq!(Pos::declare(&mut types), Type::Named("Position".into()));
    assert_eq!(types["Position"].of.to_string(), "position(left: integer 0.., y: integer)");
    converts_in_both_directions::<Pos>("position(1,2)");
}

#[test]
fn rejects_two_types_with_the_same_name() {
    let message = message_of_panic(|| {
        let mut types = NamedTypes::new();
        Pos::declare(&mut types);
        other::Position::declare(&mut types)
    });
    let expected = "two types have the name `Position`: position(left: integer 0.., y: integer) (\"A point.\") and \
                    position(z: number) (\"A point elsewhere.\"); give `derives::other::Position` another name with \
                    `#[parameter(name = \"..\")]`";
    assert_eq!(message, expected);
    // Even if one contains the other, which then is not finished.
    let message = message_of_panic(|| other::Tree::declare(&mut NamedTypes::new()));
    assert!(message.starts_with("two types have the name `Tree`: derives::other::Tree (\"Another tree"), "{message}");
    // A generic type has one name.
    let message = message_of_panic(|| {
        let mut types = NamedTypes::new();
        Pair::<u8, 1>::declare(&mut types);
        Pair::<f64, 1>::declare(&mut types)
    });
    assert!(message.starts_with("two types have the name `Pair`: pair(one: integer 0..255, "), "{message}");
}

#[test]
fn a_choice_of_arguments_makes_a_generic_type() {
    let pair: Pair<Label, 3> = converts_in_both_directions("pair(leaf,trunk)");
    assert_eq!(pair, Pair { one: Label::Green, other: Label::Trunk });
    let percept = Seen::Pair(Pair { one: f64::NAN, other: 0.0 });
    assert_eq!(percept, percept.clone());
    assert_eq!(Seen::from_iil(&percept.to_iil()), Ok(percept));
}

#[test]
fn parameters_may_be_renamed() {
    let declared = Walk::declarations(&mut NamedTypes::new());
    let signatures: Vec<String> = declared.iter().map(|declaration| declaration.signature.to_string()).collect();
    assert_eq!(signatures, ["to(x: integer, y: integer, pos: Position)", "along(path: list of Position)"]);
}

#[test]
fn defaults_are_expressions_and_text() {
    let given = BTreeMap::from([("extra".to_owned(), parameter("[1]"))]);
    let settings: Settings<Vec<u8>> = Settings::from_iil(&given).unwrap();
    assert_eq!(settings, Settings { level: "small".into(), sum: 2, extra: vec![1] });
    let all = BTreeMap::from([("map".to_owned(), parameter("small")), ("sum".to_owned(), 2.into())]);
    assert_eq!(settings.to_iil(), all.into_iter().chain(given).collect());
    let fields = Settings::<u8>::fields(&mut NamedTypes::new());
    let defaults: Vec<String> =
        fields.iter().filter_map(|field| field.default.as_ref()).map(|d| d.to_string()).collect();
    assert_eq!(defaults, ["small", "2"]);
}

#[test]
fn compares_types_implemented_by_hand_as_parameters() {
    let digest = |degrees: &Degrees| {
        let mut state = DefaultHasher::new();
        degrees.digest(&mut state);
        state.finish()
    };
    let (nan, zero) = (Degrees(f64::NAN), Degrees(0.0));
    assert!(nan.same(&nan.clone()) && !zero.same(&Degrees(-0.0)));
    assert_eq!(digest(&nan), digest(&nan.clone()));
    assert_ne!(digest(&nan), digest(&zero));
}

#[test]
fn numbers_beyond_iil_are_written_as_digits() {
    for value in [0, i64::MAX as u64, i64::MAX as u64 + 1, u64::MAX] {
        assert_eq!(u64::from_parameter(&value.to_parameter()), Some(value));
    }
    assert_eq!(u64::MAX.to_parameter(), Parameter::from("18446744073709551615"));
    for text in ["5", "+18446744073709551615", "18446744073709551616", "many"] {
        assert_eq!(u64::from_parameter(&Parameter::from(text)), None, "{text}");
    }
    assert_eq!(i64::from_parameter(&Parameter::from("9223372036854775808")), None);
}

#[derive(Clone, Debug, Percept)]
#[percept(on_change)]
enum Noticed {
    At {
        x: u8,
    },
    #[percept(event)]
    Bell,
}

#[test]
fn variants_without_a_delivery_have_that_of_the_enum() {
    use situated::ontology::Delivery;
    assert_eq!(Noticed::DELIVERIES, [Delivery::OnChange, Delivery::Event]);
    assert_eq!((Noticed::At { x: 1 }.delivery(), Noticed::Bell.delivery()), (Delivery::OnChange, Delivery::Event));
}

#[derive(Clone, Copy, Debug, PartialEq, ParameterType)]
#[parameter(all)]
enum Gear {
    First,
    Second,
    Reverse,
}

#[test]
fn lists_all_values_of_an_enum_in_order() {
    assert_eq!(Gear::ALL, [Gear::First, Gear::Second, Gear::Reverse]);
}

/// The greatest number of wheels.
const MOST_WHEELS: u8 = 8;

#[derive(Clone, Debug, InitParameters)]
struct Vehicle {
    #[parameter(default = 4, range = 2..=MOST_WHEELS)]
    wheels: u8,
    #[parameter(range = 0.0..=0.5)]
    slip: f64,
    #[parameter(name = "top", range = 1..=6)]
    top_gear: Option<i64>,
}

#[test]
fn parameters_out_of_their_range_are_named() {
    let check = |wheels, slip, top_gear| Vehicle { wheels, slip, top_gear }.check();
    assert_eq!(check(2, 0.5, None), Ok(()));
    assert_eq!(check(8, 0.0, Some(6)), Ok(()));
    assert_eq!(check(9, 0.0, None), Err("`wheels` is 9; it must be from 2 to 8".to_owned()));
    assert_eq!(check(4, 0.75, None), Err("`slip` is 0.75; it must be from 0 to 0.5".to_owned()));
    assert_eq!(check(4, f64::NAN, None), Err("`slip` is NaN; it must be from 0 to 0.5".to_owned()));
    assert_eq!(check(4, 0.0, Some(0)), Err("`top` is 0; it must be from 1 to 6".to_owned()));
}

#[test]
fn parameters_are_declared_with_their_ranges() {
    let fields = Vehicle::fields(&mut NamedTypes::new());
    let declared: Vec<String> =
        fields.iter().map(|field| format!("{} {}", field.name, field.type_in_words())).collect();
    assert_eq!(declared, ["wheels integer 2..8", "slip number 0..0.5", "top integer 1..6"]);
}

#[derive(Clone, Debug, PartialEq, Action)]
enum Drive {
    Shift {
        #[parameter(range = 1..=MOST_WHEELS)]
        gear: u8,
    },
    Steer {
        #[parameter(range = -0.5..=0.5)]
        by: f64,
        #[parameter(range = 1..=u64::MAX)]
        seconds: Option<u64>,
    },
    Load {
        cargo: Cargo,
    },
}

#[derive(Clone, Debug, PartialEq, ParameterType)]
struct Cargo {
    #[parameter(range = 0..=100)]
    crates: u16,
}

#[test]
fn arguments_out_of_their_range_do_not_match() {
    let mut types = NamedTypes::new();
    let declared = Drive::declarations(&mut types).into_iter().map(|one| one.signature.to_string());
    let expected =
        ["shift(gear: integer 1..8)", "steer(by: number -0.5..0.5, seconds?: integer 1..)", "load(cargo: Cargo)"];
    assert_eq!(declared.collect::<Vec<_>>(), expected);
    assert_eq!(types["Cargo"].of.to_string(), "cargo(crates: integer 0..100)");
    let read = |text: &str| Drive::from_iil(&text.parse().expect("an action")).map_err(|wrong| wrong.to_string());
    assert_eq!(read("shift(8)"), Ok(Drive::Shift { gear: 8 }));
    assert_eq!(read("steer(-0.5)"), Ok(Drive::Steer { by: -0.5, seconds: None }));
    assert_eq!(read("steer(0,1)"), Ok(Drive::Steer { by: 0.0, seconds: Some(1) }));
    assert_eq!(read("load(cargo(100))"), Ok(Drive::Load { cargo: Cargo { crates: 100 } }));
    let wrong = "shift expects (gear: integer 1..8), got shift(9); expected integer 1..8 for gear, got 9";
    assert_eq!(read("shift(9)"), Err(wrong.to_owned()));
    for wrong in ["shift(0)", "steer(0.75)", "steer(0,0)", "load(cargo(101))"] {
        read(wrong).expect_err(wrong);
    }
}

#[test]
fn mistakes_are_explained() {
    trybuild::TestCases::new().compile_fail("derives/*.rs");
}
