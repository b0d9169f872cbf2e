//! Checks of actions, percepts and init parameters against an ontology that is known only at run time. Errors have
//! the words of the derived types.

use std::collections::BTreeMap;

use super::typed::{Call, Mismatch};
use super::{EntityType, Field, NumberRange, Ontology, PerceptSignature, Signature, Type};
use crate::iil::text::excerpt;
use crate::iil::{Action, Numeral, Parameter, Percept};

/// The index of an action that an open ontology does not declare.
pub(crate) const UNDECLARED: usize = usize::MAX;

impl Ontology {
    /// Checks that entities of some type have this action.
    ///
    /// # Errors
    /// Returns an error if there is no such action, or it has other parameters.
    pub fn check_action(&self, action: &Action) -> Result<(), Mismatch> {
        self.find_action(action).map(drop)
    }

    /// Checks that entities of this type have this percept.
    ///
    /// # Errors
    /// Returns an error if there is no such percept, or it has other parameters.
    pub fn check_percept(&self, entity_type: &EntityType, percept: &Percept) -> Result<(), Mismatch> {
        self.find_percept(entity_type, percept).map(drop)
    }

    /// Returns the init parameters that have a value.
    ///
    /// # Errors
    /// Returns an error for a parameter without a value that is unknown.
    pub(crate) fn with_values(
        &self,
        given: &BTreeMap<String, Option<Parameter>>,
    ) -> Result<BTreeMap<String, Parameter>, Mismatch> {
        let known = || self.parameters.iter().map(|field| field.name.as_str());
        let is_unknown = |name: &str| !self.open && known().all(|known| known != name);
        match given.iter().find(|(name, value)| value.is_none() && is_unknown(name)) {
            Some((name, _)) => Err(Mismatch::unknown("parameter", name, known())),
            None => Ok(given.iter().filter_map(|(name, value)| Some((name.clone(), value.clone()?))).collect()),
        }
    }

    /// Returns the given init parameters, and the defaults of the others.
    ///
    /// # Errors
    /// Returns an error for a parameter that is unknown, missing, or of another type.
    pub fn complete_parameters(
        &self,
        given: &BTreeMap<String, Parameter>,
    ) -> Result<BTreeMap<String, Parameter>, Mismatch> {
        let known = || self.parameters.iter().map(|field| field.name.as_str());
        let mut complete = BTreeMap::new();
        for (name, value) in given.iter().filter(|(name, _)| known().all(|known| known != name.as_str())) {
            if !self.open {
                return Err(Mismatch::unknown("parameter", name, known()));
            }
            complete.insert(name.clone(), value.clone());
        }
        for field in &self.parameters {
            let value = match (given.get(&field.name), &field.default) {
                (Some(value), _) if self.takes(field, value) => value,
                (Some(value), _) => return Err(Mismatch::of_field(field, &self.types, value)),
                (None, Some(default)) => default,
                (None, None) if field.optional => continue,
                (None, None) => return Err(Mismatch::missing(field)),
            };
            complete.insert(field.name.clone(), value.clone());
        }
        Ok(complete)
    }

    /// Returns whether a parameter has the type of a field, and is in its range.
    pub fn takes(&self, field: &Field, parameter: &Parameter) -> bool {
        let is_within = |NumberRange { minimum, maximum }: NumberRange| match parameter {
            Parameter::Numeral(number) => (minimum..=maximum).contains(&number.as_f64()),
            _ => false,
        };
        self.fits(&field.of, parameter) && field.range.is_none_or(is_within)
    }

    /// Returns whether a parameter has this type.
    pub fn fits(&self, of: &Type, parameter: &Parameter) -> bool {
        match (self.resolve(of), parameter) {
            (Type::Any, _)
            | (Type::Identifier, Parameter::Identifier(_))
            | (Type::Number, Parameter::Numeral(_))
            | (Type::TruthValue, Parameter::TruthValue(_)) => true,
            (Type::Choice(words), Parameter::Identifier(name)) => words.iter().any(|word| word.name == *name),
            (Type::Integer { minimum, maximum }, Parameter::Numeral(Numeral::Integer(value))) => {
                (minimum..=maximum).contains(&value)
            }
            (Type::Integer { minimum: 0, maximum: i64::MAX }, Parameter::Identifier(digits)) => {
                // An integer that IIL cannot represent is the identifier of its digits.
                let value = digits.parse::<u64>();
                value.is_ok_and(|value| i64::try_from(value).is_err() && value.to_string() == *digits)
            }
            (Type::List(of), Parameter::List(items)) => items.iter().all(|item| self.fits(of, item)),
            (Type::Function(signature), Parameter::Function(function)) => {
                signature.name == *function.name
                    && signature.takes(function.parameters.len())
                    && self.first_misfit(&signature.parameters, &function.parameters).is_none()
            }
            _ => false,
        }
    }

    /// Returns all actions, type by type.
    pub(crate) fn all_actions(&self) -> impl Iterator<Item = &Signature> {
        self.entity_types.iter().flat_map(|of| &of.actions)
    }

    /// Returns the index of an action among [all](Self::all_actions): the first one if several types have it, and
    /// [`UNDECLARED`] if none has it and the ontology is open.
    pub(crate) fn find_action(&self, action: &Action) -> Result<usize, Mismatch> {
        let Action { name, parameters } = action;
        let wrong = match find(self.all_actions(), name, parameters) {
            Some((place, signature)) => match self.first_misfit(&signature.parameters, parameters) {
                None => return Ok(place),
                wrong => wrong,
            },
            None => None,
        };
        if self.open {
            return Ok(UNDECLARED);
        }
        let call = Call { kind: "action", name, given: parameters, text: excerpt(action), wrong };
        let mut declared: Vec<Signature> = Vec::new();
        for signature in self.all_actions() {
            if declared.iter().all(|known| known.name != signature.name || known.parameters != signature.parameters) {
                declared.push(signature.clone());
            }
        }
        Err(call.mismatch(&declared, &self.types))
    }

    /// Returns the index of a percept among those of an entity type, and its declaration.
    pub(crate) fn find_percept<'a>(
        &self,
        entity_type: &'a EntityType,
        percept: &Percept,
    ) -> Result<(usize, &'a PerceptSignature), Mismatch> {
        let Percept { name, parameters } = percept;
        let signatures = || entity_type.percepts.iter().map(|percept| &percept.signature);
        let wrong = match find(signatures(), name, parameters) {
            Some((place, signature)) => match self.first_misfit(&signature.parameters, parameters) {
                None => return Ok((place, &entity_type.percepts[place])),
                wrong => wrong,
            },
            None => None,
        };
        let call = Call { kind: "percept", name, given: parameters, text: excerpt(percept), wrong };
        Err(call.mismatch(&signatures().cloned().collect::<Vec<_>>(), &self.types))
    }

    /// Returns the index of the first parameter whose type differs from the declaration.
    fn first_misfit(&self, declared: &[Field], given: &[Parameter]) -> Option<usize> {
        declared.iter().zip(given).position(|(field, parameter)| !self.takes(field, parameter))
    }
}

/// Finds the declaration with this name and number of parameters, and its index.
fn find<'a>(
    declared: impl Iterator<Item = &'a Signature>,
    name: &str,
    given: &[Parameter],
) -> Option<(usize, &'a Signature)> {
    let is_meant = |signature: &Signature| signature.name == name && signature.takes(given.len());
    declared.enumerate().find(|(_, signature)| is_meant(signature))
}
