//! The memory of values whose size others choose, approximately: each text, list and box with what the allocator adds.

use std::mem::size_of;

use crate::environment::{Measure, Outcome};
use crate::iil::{Action, EcoString, Function, Parameter, Parameters, Percept};
use crate::ontology::Ontology;
use crate::scene::{Outline, Scene, Shape};

/// The bytes that the allocator and a counter of references add to each allocation.
pub(crate) const ALLOCATION: usize = 32;

/// The memory of an ontology for each byte of its JSON. The hub and the interface have a copy each, and names and types
/// take more memory than their text.
const ONTOLOGY: usize = 4;

/// A value whose memory can be counted.
pub trait Size {
    /// The number of bytes that the value has outside of itself.
    fn heap_bytes(&self) -> usize;

    /// The number of bytes of the value.
    fn bytes(&self) -> usize
    where
        Self: Sized,
    {
        size_of::<Self>() + self.heap_bytes()
    }
}

/// The bytes of the items of a list.
pub(crate) fn list<T: Size>(items: &[T]) -> usize {
    if items.is_empty() {
        return 0;
    }
    ALLOCATION + items.iter().map(T::bytes).sum::<usize>()
}

impl Size for EcoString {
    fn heap_bytes(&self) -> usize {
        if self.len() <= EcoString::INLINE_LIMIT { 0 } else { ALLOCATION + self.len() }
    }
}

impl Size for Parameter {
    fn heap_bytes(&self) -> usize {
        match self {
            Parameter::Identifier(text) => text.heap_bytes(),
            Parameter::Numeral(_) | Parameter::TruthValue(_) => 0,
            Parameter::List(items) => list(items),
            Parameter::Function(function) => ALLOCATION + function.bytes(),
        }
    }
}

impl Size for Parameters {
    fn heap_bytes(&self) -> usize {
        if self.is_inline() { self.iter().map(Parameter::heap_bytes).sum() } else { list(self) }
    }
}

macro_rules! compound {
    ($($Name:ident),*) => {$(
        impl Size for $Name {
            fn heap_bytes(&self) -> usize {
                self.name.heap_bytes() + self.parameters.heap_bytes()
            }
        }
    )*};
}

compound!(Function, Action, Percept);

impl Size for Shape {
    fn heap_bytes(&self) -> usize {
        let points = match &self.outline {
            Outline::Line(points) => ALLOCATION + size_of_val(points.as_slice()),
            Outline::Rectangle { .. } | Outline::Circle { .. } => 0,
        };
        points + self.label.heap_bytes() + self.stands_for.as_ref().map_or(0, Parameter::heap_bytes)
    }
}

impl Size for Scene {
    fn heap_bytes(&self) -> usize {
        list(&self.shapes)
    }
}

impl Size for Measure {
    fn heap_bytes(&self) -> usize {
        self.of.heap_bytes() + self.name.heap_bytes() + self.value.heap_bytes()
    }
}

impl Size for [Measure] {
    fn heap_bytes(&self) -> usize {
        list(self)
    }
}

impl Size for Outcome {
    fn heap_bytes(&self) -> usize {
        list(&self.results)
    }
}

impl Size for Ontology {
    fn heap_bytes(&self) -> usize {
        // Every ontology has a form in JSON.
        serde_json::to_vec(self).map_or(0, |text| ONTOLOGY * text.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_texts_lists_and_functions() {
        let term = |parameters: Vec<Parameter>| Percept::new("at", parameters);
        let text = |length: usize| Parameter::from(&*"x".repeat(length));
        assert_eq!(term(vec![]).heap_bytes(), 0);
        assert_eq!(term(vec![text(15), Parameter::from(1)]).heap_bytes(), 0);
        assert_eq!(term(vec![text(1000)]).heap_bytes(), ALLOCATION + 1000);
        let parameter = size_of::<Parameter>();
        assert_eq!(term(vec![Parameter::from(1); 10]).heap_bytes(), ALLOCATION + 10 * parameter);
        let items = Parameter::List(vec![text(1000), text(1)].into());
        assert_eq!(items.heap_bytes(), 2 * ALLOCATION + 2 * parameter + 1000);
        let function = Parameter::from(Function::new("f", [text(100)]));
        assert_eq!(function.heap_bytes(), 2 * ALLOCATION + size_of::<Function>() + 100);
    }
}
