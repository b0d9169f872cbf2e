//! The interface intermediate language (IIL) of the Environment Interface Standard, in which agents and environments
//! exchange actions and percepts (EIS paper, section 3.2).
//!
//! A [`Parameter`] is an identifier, a numeral, a truth value, a list or a function; an [`Action`] and a
//! [`Percept`] are a name with parameters. Equality, hashing and order are structural and total.
//! Three notations print and read them: [`text`] (Prolog-like; `Display` and `FromStr`), [`xml`] and [`json`].

pub mod json;
mod parameters;
#[cfg(feature = "schema")]
mod schema;
pub mod text;
pub mod xml;

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};

pub use ecow::EcoString;
pub use parameters::Parameters;

/// Maximum depth of nested lists and functions in input: `f(1)` as the parameter of an action has depth 1. All
/// readers return an error beyond it, so that no text can exhaust the stack.
pub const MAX_DEPTH: usize = 48;

/// Additional depth for percepts, because an environment may pass on what an agent said inside of another term, and
/// report `not` of it.
pub const PERCEPT_MARGIN: usize = 4;

/// The depth up to which the readers count. Anything but a percept begins with the [margin](PERCEPT_MARGIN) used up.
const DEEPEST: usize = MAX_DEPTH + PERCEPT_MARGIN;

/// One argument of an action, a percept or a function.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Parameter {
    /// A constant name, any text: `roomC1`, `'Hello, world'`.
    Identifier(EcoString),
    /// A number: `2`, `2.0`.
    Numeral(Numeral),
    /// `true` or `false`.
    TruthValue(bool),
    /// `[1,2,3]`.
    List(Box<[Parameter]>),
    /// `pos(1,1)`.
    Function(Box<Function>),
}

/// A number. Integers and floats are different even if their values are equal: `2` is not `2.0`.
///
/// Floats are compared bit by bit, so NaN equals itself and `0.0` differs from `-0.0`; they are ordered as by
/// [`f64::total_cmp`]. Integers come before floats.
#[derive(Clone, Copy, Debug)]
pub enum Numeral {
    /// A whole number.
    Integer(i64),
    /// A double-precision number, NaN and infinities included.
    Float(f64),
}

/// Names with parameters: the same structure in three roles.
macro_rules! compound {
    ($(#[$documentation:meta])* $Name:ident) => {
        $(#[$documentation])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $Name {
            /// The name: any text.
            pub name: EcoString,
            /// The parameters, in order.
            pub parameters: Parameters,
        }

        impl $Name {
            /// Creates one with this name and these parameters.
            pub fn new(
                name: impl Into<EcoString>,
                parameters: impl IntoIterator<Item = Parameter>,
            ) -> Self {
                Self { name: name.into(), parameters: parameters.into_iter().collect() }
            }
        }
    };
}

compound! {
    /// A function over parameters, such as `pos(1,1)`.
    Function
}
compound! {
    /// An action of an agent through an entity, such as `goTo(roomC1)`.
    Action
}
compound! {
    /// A percept of an agent through an entity, such as `at(roomC1)`.
    Percept
}

/// The error for text that does not follow its notation.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: expected {expected}, found {found}")]
pub struct SyntaxError {
    /// Line of the error, from 1.
    pub line: usize,
    /// Column of the error in characters, from 1.
    pub column: usize,
    /// The text at the error.
    pub found: String,
    /// The text that was expected.
    pub expected: String,
}

impl Numeral {
    /// Returns the value as a float; integers beyond 2^53 are rounded.
    pub fn as_f64(self) -> f64 {
        match self {
            Numeral::Integer(value) => value as f64,
            Numeral::Float(value) => value,
        }
    }
}

impl PartialEq for Numeral {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Numeral::Integer(a), Numeral::Integer(b)) => a == b,
            (Numeral::Float(a), Numeral::Float(b)) => a.to_bits() == b.to_bits(),
            _ => false,
        }
    }
}

impl Eq for Numeral {}

impl Hash for Numeral {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match self {
            Numeral::Integer(value) => (0u8, *value).hash(state),
            Numeral::Float(value) => (1u8, value.to_bits()).hash(state),
        }
    }
}

impl Ord for Numeral {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Numeral::Integer(a), Numeral::Integer(b)) => a.cmp(b),
            (Numeral::Float(a), Numeral::Float(b)) => a.total_cmp(b),
            (Numeral::Integer(_), Numeral::Float(_)) => Ordering::Less,
            (Numeral::Float(_), Numeral::Integer(_)) => Ordering::Greater,
        }
    }
}

impl PartialOrd for Numeral {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

macro_rules! from_texts {
    ($($Text:ty),*) => {$(
        impl From<$Text> for Parameter {
            fn from(value: $Text) -> Self {
                Parameter::Identifier(value.into())
            }
        }
    )*};
}

from_texts!(&str, String, EcoString);

impl From<&EcoString> for Parameter {
    fn from(value: &EcoString) -> Self {
        Parameter::Identifier(value.clone())
    }
}

impl From<Numeral> for Parameter {
    fn from(value: Numeral) -> Self {
        Parameter::Numeral(value)
    }
}

macro_rules! from_integers {
    ($($Integer:ty),*) => {$(
        impl From<$Integer> for Parameter {
            /// An integer beyond `i64::MAX` is the identifier of its digits, so that different values remain different.
            fn from(value: $Integer) -> Self {
                match i64::try_from(value) {
                    Ok(value) => Parameter::Numeral(Numeral::Integer(value)),
                    Err(_) => Parameter::Identifier(value.to_string().into()),
                }
            }
        }
    )*};
}

from_integers!(i8, i16, i32, i64, u8, u16, u32, u64, usize);

impl From<f64> for Parameter {
    fn from(value: f64) -> Self {
        Parameter::Numeral(Numeral::Float(value))
    }
}

impl From<bool> for Parameter {
    fn from(value: bool) -> Self {
        Parameter::TruthValue(value)
    }
}

impl From<Vec<Parameter>> for Parameter {
    fn from(value: Vec<Parameter>) -> Self {
        Parameter::List(value.into())
    }
}

impl From<Function> for Parameter {
    fn from(value: Function) -> Self {
        Parameter::Function(Box::new(value))
    }
}

impl From<Percept> for Function {
    /// A percept as a term, as in `not(at(roomC1))`.
    fn from(percept: Percept) -> Self {
        Function { name: percept.name, parameters: percept.parameters }
    }
}

impl Percept {
    /// Returns `not(p)`: the telling form's report that the percept `p` has ceased to hold.
    pub fn negated(self) -> Percept {
        Percept::new("not", [Function::from(self).into()])
    }
}
