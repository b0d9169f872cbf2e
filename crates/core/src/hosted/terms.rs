//! Actions, percepts and parameters of an environment whose ontology is known only at run time: terms with their
//! declarations.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::iil::{Action, Parameter, Percept};
use crate::ontology::typed::{Declaration, InitParameters, Mismatch, TypedAction, TypedPercept};
use crate::ontology::{Delivery, Field, NamedTypes, Ontology, PerceptSignature, Signature};

/// An action that the ontology declares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MirroredAction {
    action: Action,
    /// Its index among the actions of the ontology.
    place: usize,
}

/// A percept that the ontology declares.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) struct MirroredPercept {
    percept: Percept,
    /// Its index among the percepts of its entity's type.
    place: u32,
    delivery: Delivery,
}

/// The parameters of an episode, with their values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct MirroredParameters(BTreeMap<String, Parameter>);

impl MirroredPercept {
    /// Creates a percept with its index and declaration.
    pub(super) fn new(percept: Percept, (place, declared): (usize, &PerceptSignature)) -> Self {
        Self { percept, place: place as u32, delivery: declared.delivery }
    }

    /// Returns the percept.
    pub(super) fn percept(&self) -> &Percept {
        &self.percept
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
        self.place as usize
    }

    fn has_delivery_always() -> bool {
        true
    }

    fn delivery(&self) -> Delivery {
        self.delivery
    }

    fn to_iil(&self) -> Percept {
        self.percept.clone()
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
