//! Parameter types of the standard library: numbers, truth values, strings, lists, and any parameter.

use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};

use super::typed::{InitParameters, Mismatch, ParameterType};
use super::{Field, NamedTypes, Type};
use crate::iil::{EcoString, Numeral, Parameter};

// IIL has integers up to `i64::MAX`, so no larger ones are declared. A larger one is the identifier of its digits.
macro_rules! integers {
    ($($Integer:ty: $minimum:expr, $maximum:expr);* $(;)?) => {$(
        impl ParameterType for $Integer {
            fn declare(_: &mut NamedTypes) -> Type {
                Type::integer($minimum, $maximum)
            }

            fn to_parameter(&self) -> Parameter {
                Parameter::from(*self)
            }

            fn from_parameter(parameter: &Parameter) -> Option<Self> {
                match parameter {
                    Parameter::Numeral(Numeral::Integer(value)) => (*value).try_into().ok(),
                    Parameter::Identifier(digits) => {
                        let value: Self = digits.parse().ok()?;
                        (value.to_parameter() == *parameter).then_some(value)
                    }
                    _ => None,
                }
            }

            fn same(&self, other: &Self) -> bool {
                self == other
            }

            fn digest<H: Hasher>(&self, state: &mut H) {
                self.hash(state);
            }
        }
    )*};
}

integers! {
    i8: i8::MIN.into(), i8::MAX.into();
    i16: i16::MIN.into(), i16::MAX.into();
    i32: i32::MIN.into(), i32::MAX.into();
    i64: i64::MIN, i64::MAX;
    u8: 0, u8::MAX.into();
    u16: 0, u16::MAX.into();
    u32: 0, u32::MAX.into();
    u64: 0, i64::MAX;
    usize: 0, i64::MAX;
}

impl ParameterType for f64 {
    fn declare(_: &mut NamedTypes) -> Type {
        Type::Number
    }

    fn to_parameter(&self) -> Parameter {
        Parameter::from(*self)
    }

    /// An integer is accepted, too: JavaScript sends 45.0 as 45.
    fn from_parameter(parameter: &Parameter) -> Option<Self> {
        match parameter {
            Parameter::Numeral(numeral) => Some(numeral.as_f64()),
            _ => None,
        }
    }

    fn same(&self, other: &Self) -> bool {
        self.to_bits() == other.to_bits()
    }

    fn digest<H: Hasher>(&self, state: &mut H) {
        self.to_bits().hash(state);
    }
}

impl ParameterType for bool {
    fn declare(_: &mut NamedTypes) -> Type {
        Type::TruthValue
    }

    fn to_parameter(&self) -> Parameter {
        Parameter::from(*self)
    }

    fn from_parameter(parameter: &Parameter) -> Option<Self> {
        match parameter {
            Parameter::TruthValue(value) => Some(*value),
            _ => None,
        }
    }

    fn same(&self, other: &Self) -> bool {
        self == other
    }

    fn digest<H: Hasher>(&self, state: &mut H) {
        self.hash(state);
    }
}

macro_rules! identifiers {
    ($($Text:ty),*) => {$(
        impl ParameterType for $Text {
            fn declare(_: &mut NamedTypes) -> Type {
                Type::Identifier
            }

            fn to_parameter(&self) -> Parameter {
                Parameter::Identifier(EcoString::from(self.as_str()))
            }

            fn from_parameter(parameter: &Parameter) -> Option<Self> {
                match parameter {
                    Parameter::Identifier(name) => Some(name.as_str().into()),
                    _ => None,
                }
            }

            fn same(&self, other: &Self) -> bool {
                self == other
            }

            fn digest<H: Hasher>(&self, state: &mut H) {
                self.hash(state);
            }
        }
    )*};
}

identifiers!(String, EcoString);

impl<T: ParameterType> ParameterType for Vec<T> {
    fn declare(types: &mut NamedTypes) -> Type {
        Type::List(Box::new(T::declare(types)))
    }

    fn to_parameter(&self) -> Parameter {
        Parameter::List(self.iter().map(T::to_parameter).collect())
    }

    fn from_parameter(parameter: &Parameter) -> Option<Self> {
        match parameter {
            Parameter::List(items) => items.iter().map(T::from_parameter).collect(),
            _ => None,
        }
    }

    fn same(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().zip(other).all(|(a, b)| a.same(b))
    }

    fn digest<H: Hasher>(&self, state: &mut H) {
        state.write_usize(self.len());
        self.iter().for_each(|item| item.digest(state));
    }
}

/// Any parameter at all.
impl ParameterType for Parameter {
    fn declare(_: &mut NamedTypes) -> Type {
        Type::Any
    }

    fn to_parameter(&self) -> Parameter {
        self.clone()
    }

    fn from_parameter(parameter: &Parameter) -> Option<Self> {
        Some(parameter.clone())
    }

    fn same(&self, other: &Self) -> bool {
        self == other
    }

    fn digest<H: Hasher>(&self, state: &mut H) {
        self.hash(state);
    }
}

/// No parameters.
impl InitParameters for () {
    fn fields(_: &mut NamedTypes) -> Vec<Field> {
        Vec::new()
    }

    fn from_iil(given: &BTreeMap<String, Parameter>) -> Result<Self, Mismatch> {
        match given.keys().next() {
            Some(name) => Err(Mismatch::unknown("parameter", name, [])),
            None => Ok(()),
        }
    }

    fn to_iil(&self) -> BTreeMap<String, Parameter> {
        BTreeMap::new()
    }
}
