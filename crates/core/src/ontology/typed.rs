//! The traits that connect an ontology with Rust types. They are derived: `#[derive(Action)]`, `#[derive(Percept)]`,
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
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an enum of actions",
    label = "needs `#[derive(Action)]`",
    note = "write `#[derive(Clone, Debug, Action)]` above an enum with a variant for each action"
)]
pub trait TypedAction: Clone + Debug + Send + Sync + 'static {
    /// Returns the declarations of the variants, in order; adds the types that they name to `types`.
    fn declarations(types: &mut NamedTypes) -> Vec<Declaration<Signature>>;

    /// Returns the index of this variant among the declarations.
    fn variant(&self) -> usize;

    /// Returns the action in the interface intermediate language.
    fn to_iil(&self) -> Action;

    /// Reads an action, or returns the reason why it does not match.
    fn from_iil(action: &Action) -> Result<Self, Mismatch>;

    /// Like `from_iil`, in an environment with this ontology. This makes a difference only for types that do not know
    /// their declarations.
    ///
    /// # Errors
    /// Returns an error as [`from_iil`](Self::from_iil) does.
    fn read(action: &Action, declared: &Ontology) -> Result<Self, Mismatch> {
        let _ = declared;
        Self::from_iil(action)
    }
}

/// The percepts of an environment: an enum with a variant for each. The derive also implements equality and hash,
/// which compare floats bit by bit, so that a percept with a NaN is equal to itself.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an enum of percepts",
    label = "needs `#[derive(Percept)]`",
    note = "write `#[derive(Clone, Debug, Percept)]` above an enum with a variant for each percept"
)]
pub trait TypedPercept: Clone + Debug + Eq + Hash + Send + 'static {
    /// The deliveries of the variants, in order.
    const DELIVERIES: &'static [Delivery];

    /// Returns the declarations of the variants, in order; adds the types that they name to `types`.
    fn declarations(types: &mut NamedTypes) -> Vec<Declaration<PerceptSignature>>;

    /// Returns the index of this variant among the declarations.
    fn variant(&self) -> usize;

    /// Returns whether any variant has the delivery `always`.
    fn has_delivery_always() -> bool {
        Self::DELIVERIES.contains(&Delivery::Always)
    }

    /// Returns whether any variant has the delivery `once`.
    fn has_delivery_once() -> bool {
        Self::DELIVERIES.contains(&Delivery::Once)
    }

    /// Returns the delivery of this percept.
    fn delivery(&self) -> Delivery {
        Self::DELIVERIES[self.variant()]
    }

    /// Returns the approximate number of bytes of the percept. Percepts of environments in this process have no large
    /// contents.
    fn bytes(&self) -> usize {
        size_of::<Self>()
    }

    /// Returns the percept in the interface intermediate language.
    fn to_iil(&self) -> Percept;

    /// Reads a percept, or returns the reason why it does not match.
    fn from_iil(percept: &Percept) -> Result<Self, Mismatch>;
}

/// A type for parameters of actions, percepts or functions.
///
/// An implementation by hand needs three methods. The other two convert to a parameter by default, where derived ones
/// use the value itself.
///
/// IIL has no integers beyond `i64::MAX`. Such a `u64` or `usize` is the identifier of its digits.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a type of parameters",
    label = "derive `ParameterType` for it, or use another type",
    note = "for a type of your own, write `#[derive(Clone, Debug, ParameterType)]` above the enum or struct",
    note = "other types are integers up to 64 bits, `f64`, `bool`, `String`, a `Vec` of these, and `Parameter` for anything"
)]
pub trait ParameterType: Clone + Debug + Send + Sync + 'static {
    /// Returns the declared type; adds a named one to `types`.
    fn declare(types: &mut NamedTypes) -> Type;

    /// Returns the value as a parameter.
    fn to_parameter(&self) -> Parameter;

    /// Returns the value of a parameter, if it has this type.
    fn from_parameter(parameter: &Parameter) -> Option<Self>;

    /// Returns whether both values are the same, bit for bit.
    fn same(&self, other: &Self) -> bool {
        self.to_parameter() == other.to_parameter()
    }

    /// Feeds the value to a hash. Values that are the [same](Self::same) have equal hashes.
    fn digest<H: Hasher>(&self, state: &mut H) {
        self.to_parameter().hash(state);
    }
}

/// The parameters of an episode: a struct with a field for each.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a struct of parameters of an episode",
    label = "needs `#[derive(InitParameters)]`",
    note = "write `#[derive(Clone, Debug, InitParameters)]` above a struct with a field for each parameter; `()` is none"
)]
pub trait InitParameters: Clone + Debug + Send + 'static {
    /// Returns the declared parameters; adds the types that they name to `types`.
    fn fields(types: &mut NamedTypes) -> Vec<Field>;

    /// Reads the parameters; missing ones have their defaults.
    ///
    /// # Errors
    /// Returns an error for a parameter that is unknown, missing, or of another type.
    fn from_iil(given: &BTreeMap<String, Parameter>) -> Result<Self, Mismatch>;

    /// Like `from_iil`, in an environment with this ontology; see [`TypedAction::read`].
    ///
    /// # Errors
    /// Returns an error as [`from_iil`](Self::from_iil) does.
    fn read(given: &BTreeMap<String, Parameter>, declared: &Ontology) -> Result<Self, Mismatch> {
        let _ = declared;
        Self::from_iil(given)
    }

    /// Returns the parameters with their values, without those that have none.
    fn to_iil(&self) -> BTreeMap<String, Parameter>;

    /// Checks that the parameters are in the ranges that their declarations state (`#[parameter(range = 1..=20)]`). An
    /// [episode](crate::environment::Episode) does this before it begins.
    ///
    /// # Errors
    /// Returns an error that names the first parameter that is not.
    fn check(&self) -> Result<(), String> {
        Ok(())
    }
}

/// The declaration of a variant, and the entity types that it belongs to.
#[derive(Clone, Debug)]
pub struct Declaration<S> {
    /// Name, documentation and parameters.
    pub signature: S,
    /// The entity types with this action or percept; an empty list means all.
    pub entity_types: &'static [&'static str],
}

impl<S> Declaration<S> {
    /// Returns whether entities of this type have it.
    pub fn is_of(&self, entity_type: &str) -> bool {
        self.entity_types.is_empty() || self.entity_types.contains(&entity_type)
    }
}
