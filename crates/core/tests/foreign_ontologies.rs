//! Ontologies that are known only at run time: matching terms, problems of ontologies, and environments with such
//! ontologies.

use std::collections::BTreeMap;

use situated::environment::{Context, EntityId, Environment, Failure, Percepts};
use situated::host::{HostAnswer, HostReport, HostTerms, HostUpdate, NewEntity};
use situated::hosted::HostedInterface;
use situated::iil::{Action, Parameter};
use situated::interface::{Command, Effect, EnvironmentInterface, Input, Time};
use situated::ontology::typed::{InitParameters as _, TypedAction, TypedPercept};
use situated::ontology::{
    DeclaredProperty, Field, KINDS, NamedType, NamedTypes, Ontology, Pace, PerceptSignature, Signature, Type, Unsound,
};
use situated::{Action, InitParameters, ParameterType, Percept};

/// A colour.
#[derive(Clone, Copy, Debug, PartialEq, ParameterType)]
enum Color {
    Red,
    DarkBlue,
}

/// A point.
#[derive(Clone, Debug, PartialEq, ParameterType)]
struct Point {
    x: i64,
    y: f64,
}

#[derive(Clone, Debug, PartialEq, Action)]
enum Do {
    /// Walks to a place.
    GoTo { place: String },
    /// Walks to a point.
    #[action(name = "goTo")]
    GoToPoint { x: u8, y: f64 },
    /// Paints.
    Paint { color: Color, speed: Option<u8> },
    /// Follows a path.
    Follow { path: Vec<Point>, twice: bool },
    /// Counts.
    Count { number: u64 },
    /// Turns.
    Turn {
        #[parameter(range = -1.0..=1.0)]
        by: f64,
        #[parameter(range = 1..=6)]
        steps: Option<u8>,
    },
    /// Says anything.
    #[action(entities("talker"))]
    Say { what: Parameter },
}

#[derive(Clone, Debug, Percept)]
enum Perceive {
    #[percept(always)]
    At { point: Point },
    #[percept(once, entities("talker"))]
    Heard { what: Parameter },
}

#[derive(Clone, Debug, PartialEq, InitParameters)]
struct Settings {
    /// How fast.
    #[parameter(default = 3)]
    speed: u8,
    /// In which colour.
    color: Color,
    note: Option<String>,
    #[parameter(default = 0.1, range = 0.0..=0.5)]
    noise: f64,
}

#[derive(Debug, serde::Serialize, serde::Deserialize)]
struct Foreign;

impl Environment for Foreign {
    type Parameters = Settings;
    type Action = Do;
    type Percept = Perceive;

    fn ontology() -> Ontology {
        Self::ontology_builder("environment", "1.0", "An environment.")
            .entity_type("walker", "It walks.")
            .entity_type("talker", "It talks.")
            .build()
    }

    fn init(_: &Settings, _: &mut Context<Perceive>) -> Result<Self, Failure> {
        Ok(Foreign)
    }

    fn act(&mut self, _: EntityId, _: &Do, _: &mut Context<Perceive>) -> Result<(), Failure> {
        Ok(())
    }

    fn percepts(&self, _: EntityId, _: &Context<Perceive>, _: &mut Percepts<'_, Perceive>) {}
}

#[test]
fn accepts_and_rejects_actions_like_the_typed_environment() {
    let ontology = Foreign::ontology();
    ontology.check().expect("what is derived is sound");
    for text in [
        "goTo(kitchen)",
        "goTo(1,2.5)",
        "goTo(1,2)",
        "goTo(256,2)",
        "goTo(1,2,3)",
        "goTo",
        "goto(kitchen)",
        "paint(red)",
        "paint(darkBlue,7)",
        "paint(green)",
        "paint(red,x)",
        "follow([point(1,2.0),point(3,4)],true)",
        "follow([point(1,2.0),pont(3,4)],true)",
        "follow([],1)",
        "count(18446744073709551615)",
        "count('18446744073709551615')",
        "count('7')",
        "count(-1)",
        "turn(1)",
        "turn(-0.5,6)",
        "turn(1.5)",
        "turn(0,0)",
        "turn(0,7)",
        "say([f(x),1])",
        "fly",
    ] {
        let Ok(action) = text.parse::<Action>() else { continue };
        let typed = Do::from_iil(&action).map(drop);
        assert_eq!(ontology.check_action(&action), typed, "{text}");
    }
}

#[test]
fn percepts_match_the_declaration_of_their_entity_type() {
    let ontology = Foreign::ontology();
    let check = |of: &str, text: &str| {
        let of = ontology.find_entity_type(of).expect("declared");
        ontology.check_percept(of, &text.parse().expect("a percept")).map_err(|mismatch| mismatch.to_string())
    };
    assert_eq!(check("walker", "at(point(1,2))"), Ok(()));
    let wrong = "at(place)".parse().expect("a percept");
    assert_eq!(check("walker", "at(place)"), Perceive::from_iil(&wrong).map(drop).map_err(|wrong| wrong.to_string()));
    assert_eq!(check("talker", "heard(x)"), Ok(()));
    assert_eq!(check("walker", "heard(x)"), Err("there is no percept `heard`".into()));
}

#[test]
fn completes_init_parameters_like_the_typed_environment() {
    let ontology = Foreign::ontology();
    let cases: [&[(&str, Parameter)]; 5] = [
        &[("color", "red".into())],
        &[("color", "red".into()), ("speed", 7.into()), ("note", "x".into())],
        &[],
        &[("color", "green".into())],
        &[("color", "red".into()), ("sped", 7.into())],
    ];
    for given in cases {
        let given: BTreeMap<String, Parameter> =
            given.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
        let typed = Settings::from_iil(&given).map(|settings| settings.to_iil());
        assert_eq!(ontology.complete_parameters(&given), typed);
    }
}

#[test]
fn rejects_init_parameters_out_of_their_range() {
    let given = |noise: f64| BTreeMap::from([("color".to_owned(), "red".into()), ("noise".to_owned(), noise.into())]);
    let complete = |noise| Foreign::ontology().complete_parameters(&given(noise)).map_err(|wrong| wrong.to_string());
    complete(0.5).expect("it is in the range");
    let wrong = "the parameter `noise` expects number 0..0.5, got 0.75";
    assert_eq!(complete(0.75), Err(wrong.to_owned()));
}

/// Makes an ontology unsound.
type Spoil = Box<dyn Fn(&mut Ontology)>;

#[test]
fn reports_problems_of_ontologies() {
    let property = |name: &str| DeclaredProperty { name: name.into(), documentation: String::new() };
    let named = |of: &str| NamedType { documentation: String::new(), of: Type::Named(of.into()) };
    let signature =
        |name: &str, parameters: Vec<Field>| Signature { name: name.into(), documentation: String::new(), parameters };
    let field = |name: &str, of: Type| Field::new(name, "", of);
    let optional = |name: &str| Field { optional: true, ..field(name, Type::Any) };
    let deep = (0..60).fold(Type::Any, |of, _| Type::List(Box::new(of)));
    let mut cases: Vec<(&str, Spoil)> = vec![
        ("cannot have the name ``", Box::new(|ontology| ontology.name.clear())),
        ("a name has at most 256 bytes", Box::new(|ontology| ontology.entity_types[0].name = "x".repeat(300))),
        ("declared twice", Box::new(|ontology| ontology.entity_types[1].name = "walker".into())),
        (
            "refers to itself",
            Box::new(move |ontology| {
                ontology.types = NamedTypes::from([("A".into(), named("B")), ("B".into(), named("A"))]);
                ontology.entity_types.clear();
                ontology.parameters.clear();
            }),
        ),
        ("not among the named types", Box::new(|ontology| ontology.types.clear())),
        ("per second above 0", Box::new(|ontology| ontology.pace = Pace::RealTime { steps_per_second: f64::NAN })),
        (
            "there is no such integer",
            Box::new(move |ontology| {
                ontology.parameters.push(field("none", Type::integer(2, 1)));
            }),
        ),
        (
            "property `map` is declared twice in the ontology",
            Box::new(move |ontology| ontology.properties = vec![property("map"), property("map")]),
        ),
        (
            "property `type` is declared twice in the entities",
            Box::new(move |ontology| ontology.entity_properties = vec![property("type")]),
        ),
        ("a property cannot have the name ``", Box::new(move |ontology| ontology.properties = vec![property("")])),
        ("the default does not fit", Box::new(|ontology| ontology.parameters[0].default = Some("fast".into()))),
        ("the default does not fit", Box::new(|ontology| ontology.parameters[3].default = Some(0.75.into()))),
    ];
    let two = vec![optional("one"), optional("two")];
    let early = signature("early", two);
    cases.push(("only the last", Box::new(move |ontology| ontology.entity_types[0].actions.push(early.clone()))));
    let nested = signature("nested", vec![Field::new("deep", "", deep)]);
    cases.push(("nested more than", Box::new(move |ontology| ontology.entity_types[0].actions.push(nested.clone()))));
    let again = signature("goTo", vec![Field::new("far", "", Type::Number)]);
    let other = again.clone();
    cases.push((
        "`goTo` is declared twice",
        Box::new(move |ontology| {
            ontology.entity_types[0].actions.push(other.clone());
        }),
    ));
    cases.push((
        "`goTo` is declared twice in two entity types",
        Box::new(move |ontology| {
            ontology.entity_types[1].actions = vec![again.clone()];
        }),
    ));
    let many: Vec<Signature> = (0..=KINDS).map(|number| signature(&format!("do{number}"), Vec::new())).collect();
    cases.push(("at most 1024", Box::new(move |ontology| ontology.entity_types[0].actions.clone_from(&many))));
    for (expected, spoil) in cases {
        let mut ontology = Foreign::ontology();
        spoil(&mut ontology);
        let error: Unsound = ontology.check().expect_err(expected);
        assert!(error.to_string().contains(expected), "{error}");
        assert!(HostedInterface::new(ontology, HostTerms::default()).is_err());
    }
}

#[test]
fn distinguishes_the_percepts_of_a_type() {
    let mut ontology = Foreign::ontology();
    let heard: PerceptSignature = ontology.entity_types[1].percepts[1].clone();
    ontology.entity_types[1].percepts.push(heard);
    assert!(ontology.check().is_err());
}

#[test]
fn nothing_of_a_beginning_that_cannot_be_counts() {
    let mut hosted = HostedInterface::new(Foreign::ontology(), HostTerms::default()).expect("sound");
    let begin = Command::Init { parameters: BTreeMap::from([("color".into(), "red".into())]), seed: 1 };
    let mut give = |input| hosted.apply(&input, Time::default());
    let answer = |number, entity_type: &str| {
        let new = vec![NewEntity { entity: "one".into(), entity_type: entity_type.into() }];
        let update = HostUpdate { new, ..HostUpdate::default() };
        Input::Host(HostReport::Answer { number, answer: HostAnswer::Done, update }.into())
    };
    assert_eq!(give(Input::Manage(begin.clone())), Ok(Effect::Requested(1)));
    assert_eq!(give(Input::Manage(begin)), Ok(Effect::Requested(2)));
    give(answer(1, "ghost")).expect_err("no such type");
    let begun = give(answer(1, "walker")).expect("it says nothing wrong");
    assert!(matches!(begun, Effect::Answered { outcome, .. } if *outcome == Ok(Effect::Done)));
    let again = give(answer(2, "talker")).expect("it says nothing wrong");
    assert!(matches!(again, Effect::Answered { outcome, .. } if outcome.is_err()), "there is an episode already");
    assert_eq!(hosted.bookkeeping().entities().count(), 1);
    assert_eq!(hosted.bookkeeping().moment().episode, 1);
}
