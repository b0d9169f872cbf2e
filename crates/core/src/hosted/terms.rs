//! Actions, percepts and parameters of an environment whose ontology is known only at run time: terms with their
//! declarations.

use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::counter::Counter;
use crate::iil::{Action, Parameter, Percept};
use crate::ontology::typed::{Declaration, InitParameters, Mismatch, TypedAction, TypedPercept};
use crate::ontology::{Delivery, Field, NamedTypes, Ontology, PerceptSignature, Signature};
use crate::size::Size;

/// An action that the ontology declares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MirroredAction {
    action: Action,
    /// Its index among the actions of the ontology.
    place: usize,
}

/// A percept that the ontology declares. Its copies share it, and are counted.
#[derive(Debug)]
pub(super) struct MirroredPercept(Arc<Counted>);

#[derive(Debug)]
struct Counted {
    declared: Declared,
    bytes: usize,
    counter: Counter,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
struct Declared {
    percept: Percept,
    /// Its index among the percepts of its entity's type.
    place: u32,
    delivery: Delivery,
}

/// The bytes of a copy: its place in a list of percepts or changes.
const COPY: usize = 24;

/// The parameters of an episode, with their values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct MirroredParameters(BTreeMap<String, Parameter>);

impl MirroredPercept {
    /// Creates a percept with its index and declaration.
    pub(super) fn new(percept: Percept, (place, declared): (usize, &PerceptSignature), counter: &Counter) -> Self {
        let declared = Declared { percept, place: place as u32, delivery: declared.delivery };
        Self::counted(declared, counter.clone())
    }

    fn counted(declared: Declared, counter: Counter) -> Self {
        // With the number of references, and what the allocator adds.
        let bytes = size_of::<Counted>() + 32 + declared.percept.heap_bytes();
        counter.add(bytes + COPY);
        Self(Arc::new(Counted { declared, bytes, counter }))
    }

    /// Counts the percept, which was read from a snapshot, with the others of its environment.
    pub(super) fn count_with(&mut self, counter: &Counter) {
        *self = Self::counted(self.0.declared.clone(), counter.clone());
    }

    /// Returns the percept.
    pub(super) fn percept(&self) -> &Percept {
        &self.0.declared.percept
    }
}

impl Clone for MirroredPercept {
    fn clone(&self) -> Self {
        self.0.counter.add(COPY);
        Self(self.0.clone())
    }
}

impl Drop for MirroredPercept {
    fn drop(&mut self) {
        self.0.counter.subtract(COPY);
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.counter.subtract(self.bytes);
    }
}

impl PartialEq for MirroredPercept {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0.declared == other.0.declared
    }
}

impl Eq for MirroredPercept {}

impl Hash for MirroredPercept {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.declared.hash(state);
    }
}

impl Serialize for MirroredPercept {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.declared.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for MirroredPercept {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Declared::deserialize(deserializer).map(|declared| Self::counted(declared, Counter::default()))
    }
}

impl TypedAction for MirroredAction {
    fn declarations(_: &mut NamedTypes) -> Vec<Declaration<Signature>> {
        Vec::new()
    }

    fn variant(&self) -> usize {
        self.place
    }

    fn to_iil(&self) -> Action {
        self.action.clone()
    }

    fn from_iil(action: &Action) -> Result<Self, Mismatch> {
        Err(Mismatch::unknown("action", &action.name, []))
    }

    fn read(action: &Action, declared: &Ontology) -> Result<Self, Mismatch> {
        Ok(Self { action: action.clone(), place: declared.find_action(action)? })
    }
}

impl TypedPercept for MirroredPercept {
    const DELIVERIES: &'static [Delivery] = &[];

    fn declarations(_: &mut NamedTypes) -> Vec<Declaration<PerceptSignature>> {
        Vec::new()
    }

    fn variant(&self) -> usize {
        self.0.declared.place as usize
    }

    fn has_delivery_always() -> bool {
        true
    }

    fn delivery(&self) -> Delivery {
        self.0.declared.delivery
    }

    fn bytes(&self) -> usize {
        self.0.bytes + COPY
    }

    fn to_iil(&self) -> Percept {
        self.percept().clone()
    }

    fn from_iil(percept: &Percept) -> Result<Self, Mismatch> {
        Err(Mismatch::unknown("percept", &percept.name, []))
    }
}

impl InitParameters for MirroredParameters {
    fn fields(_: &mut NamedTypes) -> Vec<Field> {
        Vec::new()
    }

    fn from_iil(given: &BTreeMap<String, Parameter>) -> Result<Self, Mismatch> {
        match given.keys().next() {
            Some(name) => Err(Mismatch::unknown("parameter", name, [])),
            None => Ok(Self::default()),
        }
    }

    fn read(given: &BTreeMap<String, Parameter>, declared: &Ontology) -> Result<Self, Mismatch> {
        declared.complete_parameters(given).map(Self)
    }

    fn to_iil(&self) -> BTreeMap<String, Parameter> {
        self.0.clone()
    }
}
