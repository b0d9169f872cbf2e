//! The list of parameters of a term.

use std::fmt::{self, Debug, Formatter};
use std::ops::{Deref, DerefMut};

use smallvec::SmallVec;

use super::Parameter;

/// How many parameters a term holds without an allocation.
const INLINE: usize = 3;

/// The parameters of a term, in order. Most terms have at most three, which need no allocation.
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Parameters(SmallVec<[Parameter; INLINE]>);

impl Parameters {
    /// Creates an empty list.
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends a parameter.
    pub fn push(&mut self, parameter: Parameter) {
        self.0.push(parameter);
    }

    /// Whether the list itself needs no allocation.
    pub(crate) fn is_inline(&self) -> bool {
        !self.0.spilled()
    }

    /// Removes the last parameter and returns it, or `None` if the list is empty.
    pub fn pop(&mut self) -> Option<Parameter> {
        self.0.pop()
    }
}

impl Debug for Parameters {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl Deref for Parameters {
    type Target = [Parameter];

    fn deref(&self) -> &[Parameter] {
        &self.0
    }
}

impl DerefMut for Parameters {
    fn deref_mut(&mut self) -> &mut [Parameter] {
        &mut self.0
    }
}

impl<const COUNT: usize> From<[Parameter; COUNT]> for Parameters {
    fn from(all: [Parameter; COUNT]) -> Self {
        let mut parameters = Self::new();
        all.into_iter().for_each(|parameter| parameters.push(parameter));
        parameters
    }
}

impl FromIterator<Parameter> for Parameters {
    fn from_iter<I: IntoIterator<Item = Parameter>>(all: I) -> Self {
        Self(all.into_iter().collect())
    }
}

impl Extend<Parameter> for Parameters {
    fn extend<I: IntoIterator<Item = Parameter>>(&mut self, more: I) {
        self.0.extend(more);
    }
}

impl From<Parameters> for Parameter {
    fn from(items: Parameters) -> Self {
        Parameter::List(items.0.into_boxed_slice())
    }
}

impl IntoIterator for Parameters {
    type Item = Parameter;
    type IntoIter = smallvec::IntoIter<[Parameter; INLINE]>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'a> IntoIterator for &'a Parameters {
    type Item = &'a Parameter;
    type IntoIter = std::slice::Iter<'a, Parameter>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}
