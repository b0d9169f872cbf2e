//! Ontologies: an environment declares its entity types, their actions and percepts, its properties, and the
//! parameters of an episode. Everything that others need to know (validation, forms, tools, reference pages) is made
//! from the ontology, and the ontology is derived from the environment's Rust types.
//!
//! An [`Ontology`] is plain data. The traits in [`typed`] connect it with Rust enums and structs; their derives
//! create it.

mod addition;
mod contents;
mod fitting;
mod markdown;
mod properties;
mod soundness;
pub mod typed;
mod types;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::ops::RangeInclusive;

use crate::data;
use crate::iil::Parameter;
use typed::{Declaration, InitParameters, TypedAction, TypedPercept};

pub use addition::OntologyAddition;
pub use contents::FileContents;
pub(crate) use properties::PropertyOf;
pub use properties::{DeclaredProperty, ENTITY_PROPERTIES, ENVIRONMENT_PROPERTIES};
pub use soundness::{KINDS, Unsound};

/// The declarations of an environment.
#[data]
pub struct Ontology {
    /// The name of the environment: `find-goals`.
    pub name: String,
    /// The version of its rules.
    pub version: String,
    /// The number of changes: additions by the host of the environment, and other ranges in a new episode.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub revision: u64,
    /// The documentation; its first sentence serves as a summary.
    pub documentation: String,
    /// The default way in which time advances.
    pub pace: Pace,
    /// The restrictions of the relation between agents and entities.
    pub relation: Restriction,
    /// Whether entities may be able to do more than is declared. The host of such an environment gets undeclared
    /// actions, and undeclared parameters of an episode, too. If no properties are declared, any can be queried.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub open: bool,
    /// The parameters of an episode.
    pub parameters: Vec<Field>,
    /// The properties of the environment, in addition to `name`, `version` and `requiredVersion`, which all have.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub properties: Vec<DeclaredProperty>,
    /// The properties of each entity, in addition to `type`, which all have.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub entity_properties: Vec<DeclaredProperty>,
    /// The entity types.
    pub entity_types: Vec<EntityType>,
    /// The named types that parameters refer to.
    pub types: NamedTypes,
}

/// An ontology under construction.
#[derive(Clone, Debug)]
pub struct OntologyBuilder {
    ontology: Ontology,
    actions: Vec<Declaration<Signature>>,
    percepts: Vec<Declaration<PerceptSignature>>,
}

/// An entity type, with its actions and percepts.
#[data]
pub struct EntityType {
    /// Its name: `robot`.
    pub name: String,
    /// The documentation.
    pub documentation: String,
    /// The actions. A name may occur several times, with different numbers of parameters.
    pub actions: Vec<Signature>,
    /// The percepts.
    pub percepts: Vec<PerceptSignature>,
}

/// A name with parameters.
#[data]
pub struct Signature {
    /// The name of the action, percept or function.
    pub name: String,
    /// The documentation.
    pub documentation: String,
    /// The parameters, in order; only the last may be optional.
    pub parameters: Vec<Field>,
}

/// A percept with its delivery.
#[data]
pub struct PerceptSignature {
    /// Name, documentation and parameters.
    #[serde(flatten)]
    pub signature: Signature,
    /// The delivery.
    pub delivery: Delivery,
    /// A sentence for language models and people, with the names of parameters in braces: `You are in {room}.`
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub say: Option<String>,
}

/// A parameter with a name and a type.
#[data]
pub struct Field {
    /// Its name.
    pub name: String,
    /// The documentation.
    pub documentation: String,
    /// The type.
    #[serde(rename = "type")]
    pub of: Type,
    /// Whether it is optional.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub optional: bool,
    /// The default, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<Parameter>,
    /// Values that the environment knows by name, such as the maps that it ships with. Other values are possible.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
    /// The range of a number, if it is restricted. That of an integer is in its type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<NumberRange>,
}

/// A range of numbers, both ends included.
#[data(Copy)]
pub struct NumberRange {
    /// The smallest value.
    pub minimum: f64,
    /// The largest value.
    pub maximum: f64,
}

/// The type of a parameter.
#[data]
pub enum Type {
    /// Any parameter.
    Any,
    /// Any identifier.
    Identifier,
    /// One of these identifiers.
    Choice(Vec<Word>),
    /// An integer within bounds, both included.
    Integer {
        /// The smallest value.
        minimum: i64,
        /// The largest value.
        maximum: i64,
    },
    /// A float; an integer is accepted, too.
    Number,
    /// True or false.
    TruthValue,
    /// A list of any length.
    List(Box<Type>),
    /// This function.
    Function(Box<Signature>),
    /// The type of that name in [`Ontology::types`].
    Named(String),
}

/// One of the identifiers of a choice.
#[data]
pub struct Word {
    /// The identifier.
    pub name: String,
    /// The documentation.
    pub documentation: String,
}

/// A type with a name, such as `PlaceId`.
#[data]
pub struct NamedType {
    /// The documentation.
    pub documentation: String,
    /// The type.
    #[serde(rename = "type")]
    pub of: Type,
}

/// The named types of an ontology, by name.
pub type NamedTypes = BTreeMap<String, NamedType>;

/// The delivery of a percept: how often agents receive it.
#[data(Copy, Eq, Hash)]
pub enum Delivery {
    /// Once for each agent; holds from then on.
    Once,
    /// When it changes: all percepts of the kind are sent again if any of them differs.
    OnChange,
    /// When it begins to hold, and as `not(p)` when it ceases.
    OnChangeWithNegation,
    /// Every time, as long as it holds.
    Always,
    /// Each time it happens, in order. An event happens instead of holding, and equal events are not merged.
    Event,
}

/// The way in which the time of an environment advances.
#[data(Copy, rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum Pace {
    /// Only actions: one step after each.
    Reactive,
    /// All agents together: a step when every entity that has an agent has acted or passed, or has missed the
    /// deadline.
    Lockstep,
    /// The wall clock: a fixed number of steps per second.
    RealTime {
        /// The steps per second at normal speed.
        steps_per_second: f64,
    },
    /// A clock of the environment's own.
    Own,
}

/// Restrictions of the relation between agents and entities; the default is no restriction.
#[data(Copy, Default, Eq)]
pub struct Restriction {
    /// An entity has at most one agent.
    pub one_agent_per_entity: bool,
    /// An agent has at most one entity.
    pub one_entity_per_agent: bool,
}

impl Ontology {
    /// Begins the ontology of an environment with these parameters, actions and percepts; environments write
    /// [`Self::ontology_builder`](crate::environment::Environment::ontology_builder). Its pace is reactive unless it is
    /// changed.
    pub fn builder<I: InitParameters, A: TypedAction, P: TypedPercept>(
        name: &str,
        version: &str,
        documentation: &str,
    ) -> OntologyBuilder {
        let mut types = NamedTypes::new();
        let (parameters, actions, percepts) =
            (I::fields(&mut types), A::declarations(&mut types), P::declarations(&mut types));
        let ontology = Ontology {
            name: name.into(),
            version: version.into(),
            revision: 0,
            documentation: documentation.trim().into(),
            pace: Pace::Reactive,
            relation: Restriction::default(),
            open: false,
            parameters,
            properties: Vec::new(),
            entity_properties: Vec::new(),
            entity_types: Vec::new(),
            types,
        };
        OntologyBuilder { ontology, actions, percepts }
    }

    /// Returns the first sentence of the documentation.
    pub fn summary(&self) -> &str {
        let text = self.documentation.as_str();
        let ends = text.match_indices(". ").chain(text.match_indices(".\n")).map(|(at, _)| at + 1);
        ends.min().map_or(text, |end| &text[..end])
    }

    /// Finds the entity type with this name.
    pub fn find_entity_type(&self, name: &str) -> Option<&EntityType> {
        self.entity_types.iter().find(|of| of.name == name)
    }

    /// Returns the type that a named type stands for; any other type is returned unchanged.
    pub fn resolve<'a>(&'a self, of: &'a Type) -> &'a Type {
        let mut of = of;
        // A chain of names is at most as long as there are names; a foreign ontology may contain a circle.
        for _ in 0..=self.types.len() {
            match of {
                Type::Named(name) => match self.types.get(name) {
                    Some(named) => of = &named.of,
                    None => break,
                },
                _ => return of,
            }
        }
        &Type::Any
    }

    /// Restricts the parameters of actions and percepts with this name to a range of integers, as
    /// [`Environment::ontology_of`](crate::environment::Environment::ontology_of) does.
    pub fn restrict(&mut self, parameter: &str, range: RangeInclusive<i64>) {
        let signatures = self
            .entity_types
            .iter_mut()
            .flat_map(|of| of.actions.iter_mut().chain(of.percepts.iter_mut().map(|percept| &mut percept.signature)));
        for field in signatures.flat_map(|one| &mut one.parameters).filter(|field| field.name == parameter) {
            field.of = Type::integer(*range.start(), *range.end());
        }
    }

    /// Returns the ontology as JSON, for other programs.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).expect("there are only strings as keys")
    }
}

impl Signature {
    /// Returns whether this number of parameters is possible.
    pub fn takes(&self, given: usize) -> bool {
        let required = self.parameters.iter().filter(|field| !field.optional).count();
        (required..=self.parameters.len()).contains(&given)
    }
}

/// `(place)`, `(x: number, y: number)`, `(place: PlaceId, speed?: number)`.
pub(crate) struct ParameterList<'a>(pub(crate) &'a [Field]);

impl fmt::Display for ParameterList<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(")?;
        for (index, field) in self.0.iter().enumerate() {
            let separator = if index == 0 { "" } else { ", " };
            let mark = if field.optional { "?" } else { "" };
            write!(f, "{separator}{}{mark}", field.name)?;
            if field.of != Type::Identifier {
                write!(f, ": {}", field.type_in_words())?;
            }
        }
        f.write_str(")")
    }
}

impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        if self.parameters.is_empty() {
            return Ok(());
        }
        ParameterList(&self.parameters).fmt(f)
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Any => f.write_str("any parameter"),
            Type::Identifier => f.write_str("identifier"),
            Type::Choice(words) => {
                let names: Vec<&str> = words.iter().map(|word| word.name.as_str()).collect();
                f.write_str(&names.join("|"))
            }
            Type::Integer { minimum, maximum } => write_integer(f, *minimum, *maximum),
            Type::Number => f.write_str("number"),
            Type::TruthValue => f.write_str("true|false"),
            Type::List(of) => write!(f, "list of {of}"),
            Type::Function(signature) => signature.fmt(f),
            Type::Named(name) => f.write_str(name),
        }
    }
}

impl fmt::Display for Delivery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Delivery::Once => "once",
            Delivery::OnChange => "on change",
            Delivery::OnChangeWithNegation => "on change with negation",
            Delivery::Always => "always",
            Delivery::Event => "as an event",
        })
    }
}

impl fmt::Display for Pace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Pace::Reactive => f.write_str("Each action advances time by one step."),
            Pace::Lockstep => f.write_str("A step is made when all agents have acted."),
            Pace::RealTime { steps_per_second } => {
                let steps = if *steps_per_second == 1.0 { "step" } else { "steps" };
                write!(f, "It runs in real time, {steps_per_second} {steps} per second.")
            }
            Pace::Own => f.write_str("It has its own clock."),
        }
    }
}

impl OntologyBuilder {
    /// Adds an entity type, with the actions and percepts that belong to it.
    pub fn entity_type(mut self, name: &str, documentation: &str) -> Self {
        let actions = self.actions.iter().filter(|action| action.is_of(name));
        let percepts = self.percepts.iter().filter(|percept| percept.is_of(name));
        self.ontology.entity_types.push(EntityType {
            name: name.into(),
            documentation: documentation.into(),
            actions: actions.map(|action| action.signature.clone()).collect(),
            percepts: percepts.map(|percept| percept.signature.clone()).collect(),
        });
        self
    }

    /// Sets the pace.
    pub fn pace(mut self, pace: Pace) -> Self {
        self.ontology.pace = pace;
        self
    }

    /// Restricts the relation between agents and entities.
    pub fn relation(mut self, relation: Restriction) -> Self {
        self.ontology.relation = relation;
        self
    }

    /// Returns the ontology.
    ///
    /// # Panics
    /// Panics if an entity type or a property is declared twice, a property has an invalid name or that of one that
    /// all environments have, or an action or percept belongs to an undeclared type.
    pub fn build(self) -> Ontology {
        let mut declared = BTreeSet::new();
        for of in &self.ontology.entity_types {
            assert!(declared.insert(of.name.as_str()), "the entity type `{}` is declared twice", of.name);
        }
        let named = self.actions.iter().flat_map(|action| action.entity_types);
        for name in named.chain(self.percepts.iter().flat_map(|percept| percept.entity_types)) {
            assert!(declared.contains(name), "an action or percept is of entity type `{name}`, which is not declared");
        }
        if let Err(unsound) = self.ontology.check_properties() {
            panic!("{unsound}");
        }
        self.ontology
    }
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

fn write_integer(f: &mut fmt::Formatter<'_>, minimum: i64, maximum: i64) -> fmt::Result {
    match limits(minimum, maximum) {
        (None, None) => f.write_str("integer"),
        (None, Some(maximum)) => write!(f, "integer ..{maximum}"),
        (Some(minimum), None) => write!(f, "integer {minimum}.."),
        (Some(minimum), Some(maximum)) => write!(f, "integer {minimum}..{maximum}"),
    }
}

/// Returns the bounds of an integer, without those that only state how a number is stored.
pub(crate) fn limits(minimum: i64, maximum: i64) -> (Option<i64>, Option<i64>) {
    (Some(minimum).filter(|least| *least > i32::MIN.into()), Some(maximum).filter(|most| *most < i32::MAX.into()))
}

impl Field {
    /// Creates a required field without a default.
    pub fn new(name: &str, documentation: &str, of: Type) -> Self {
        let (name, documentation) = (name.into(), documentation.into());
        Self { name, documentation, of, optional: false, default: None, names: Vec::new(), range: None }
    }

    /// Returns its type with its range: `number 0..0.5`.
    pub fn type_in_words(&self) -> String {
        match self.range {
            Some(NumberRange { minimum, maximum }) => format!("{} {minimum}..{maximum}", self.of),
            None => self.of.to_string(),
        }
    }
}

impl Type {
    /// The integers from `minimum` to `maximum`, both included.
    pub fn integer(minimum: i64, maximum: i64) -> Self {
        Type::Integer { minimum, maximum }
    }
}
