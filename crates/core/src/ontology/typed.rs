//! The traits that tie an ontology to Rust types. They are derived: `#[derive(Action)]`, `#[derive(Percept)]`,
//! `#[derive(ParameterType)]`, `#[derive(InitParameters)]`; see [`situated_macros`] for their attributes.

#[doc(hidden)]
pub mod derived;
mod mismatch;

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::hash::{Hash, Hasher};

use super::{Delivery, Field, NamedTypes, Ontology, PerceptSignature, Signature, Type};
use crate::iil::{Action, Parameter, Percept};

pub(super) use mismatch::Call;
pub use mismatch::Mismatch;

/// The actions of an environment: an enum with a variant for each.
pub trait TypedAction: Clone + Debug + Send + Sync + 'static {
    /// What the variants declare, in their order; the types that they name are added to `types`.
    fn declarations(types: &mut NamedTypes) -> Vec<Declaration<Signature>>;

    /// The position of this variant among the declarations.
    fn variant(&self) -> usize;

    /// The action in the interface intermediate language.
    fn to_iil(&self) -> Action;

    /// The action that is meant, or why there is none.
    fn from_iil(action: &Action) -> Result<Self, Mismatch>;

    /// The same in an environment that declares this. Only where the type says nothing of what is declared does that make
    /// a difference.
    ///
    /// # Errors
    /// As [`from_iil`](Self::from_iil).
    fn read(action: &Action, declared: &Ontology) -> Result<Self, Mismatch> {
        let _ = declared;
        Self::from_iil(action)
    }
}

/// The percepts of an environment: an enum with a variant for each. Equality and hash are derived with it, and
/// compare floats bit by bit, so that a percept with a NaN is equal to itself.
pub trait TypedPercept: Clone + Debug + Eq + Hash + Send + 'static {
    /// How the variants are told, in their order.
    const DELIVERIES: &'static [Delivery];

    /// What the variants declare, in their order; the types that they name are added to `types`.
    fn declarations(types: &mut NamedTypes) -> Vec<Declaration<PerceptSignature>>;

    /// The position of this variant among the declarations.
    fn variant(&self) -> usize;

    /// Whether any of them is told always.
    fn some_are_told_always() -> bool {
        Self::DELIVERIES.contains(&Delivery::Always)
    }

    /// Whether any of them is told once.
    fn some_are_told_once() -> bool {
        Self::DELIVERIES.contains(&Delivery::Once)
    }

    /// How this percept is told.
    fn delivery(&self) -> Delivery {
        Self::DELIVERIES[self.variant()]
    }

    /// The percept in the interface intermediate language.
    fn to_iil(&self) -> Percept;

    /// The percept that is meant, or why there is none.
    fn from_iil(percept: &Percept) -> Result<Self, Mismatch>;
}

/// What may be a parameter of an action, a percept or a function.
///
/// Written by hand, it needs three methods: the other two convert to a parameter, where the derived ones look at the
/// value itself.
///
/// IIL has no whole numbers beyond `i64::MAX`. Such a `u64` or `usize` is the identifier of its digits.
pub trait ParameterType: Clone + Debug + Send + Sync + 'static {
    /// The type that it declares; a named one is added to `types`.
    fn declare(types: &mut NamedTypes) -> Type;

    /// The value as a parameter.
    fn to_parameter(&self) -> Parameter;

    /// The value of a parameter, if it is one of this type.
    fn from_parameter(parameter: &Parameter) -> Option<Self>;

    /// Whether both are the same to the bit.
    fn same(&self, other: &Self) -> bool {
        self.to_parameter() == other.to_parameter()
    }

    /// Feeds the value to a hash, equally for what is the [same](Self::same).
    fn digest<H: Hasher>(&self, state: &mut H) {
        self.to_parameter().hash(state);
    }
}

/// The parameters of an episode: a struct with a field for each.
pub trait InitParameters: Clone + Debug + Send + 'static {
    /// The parameters; the types that they name are added to `types`.
    fn fields(types: &mut NamedTypes) -> Vec<Field>;

    /// Reads them; those that are left out have their defaults.
    ///
    /// # Errors
    /// For a parameter that is unknown, missing, or of another type.
    fn from_iil(given: &BTreeMap<String, Parameter>) -> Result<Self, Mismatch>;

    /// The same in an environment that declares this; see [`TypedAction::read`].
    ///
    /// # Errors
    /// As [`from_iil`](Self::from_iil).
    fn read(given: &BTreeMap<String, Parameter>, declared: &Ontology) -> Result<Self, Mismatch> {
        let _ = declared;
        Self::from_iil(given)
    }

    /// All of them with their values, those without a value left out.
    fn to_iil(&self) -> BTreeMap<String, Parameter>;
}

/// What a variant declares, and for which types of entities.
#[derive(Clone, Debug)]
pub struct Declaration<S> {
    /// Name, meaning and parameters.
    pub signature: S,
    /// The types of entities whose it is; none named means all.
    pub entity_types: &'static [&'static str],
}

impl<S> Declaration<S> {
    /// Whether it is of entities of this type.
    pub fn is_of(&self, entity_type: &str) -> bool {
        self.entity_types.is_empty() || self.entity_types.contains(&entity_type)
    }
}
