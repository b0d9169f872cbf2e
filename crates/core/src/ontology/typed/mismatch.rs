//! Mismatches: the expected name or parameters, and those that came.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::{TypedAction, TypedPercept};
use crate::iil::text::excerpt;
use crate::iil::{Action, Parameter, Percept};
use crate::names::{did_you_mean, nearest};
use crate::ontology::{Field, NamedTypes, ParameterList, Signature, Type};

/// The reason why an action, percept or parameter does not match an ontology.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Mismatch {
    /// The name is unknown.
    #[error("there is no {kind} `{name}`{}", did_you_mean(nearest.as_deref()))]
    Unknown {
        /// `action`, `percept`, `parameter`.
        kind: Cow<'static, str>,
        /// The name.
        name: String,
        /// A similar known name, if there is one.
        nearest: Option<String>,
    },
    /// The name is known, but the parameters do not match.
    #[error("{name} expects {expected}, got {got}{detail}")]
    Parameters {
        /// The name.
        name: String,
        /// All parameter lists that it can have.
        expected: String,
        /// The given term.
        got: String,
        /// The wrong parameter and the reason, if known.
        detail: String,
    },
    /// A required init parameter is missing.
    #[error("the parameter `{name}` ({of}) is required{}", after_colon(documentation))]
    Missing {
        /// Its name.
        name: String,
        /// Its type.
        of: String,
        /// Its documentation, which may be empty.
        documentation: String,
    },
}

fn after_colon(documentation: &str) -> String {
    if documentation.is_empty() { String::new() } else { format!(": {documentation}") }
}

impl Mismatch {
    /// Returns the mismatch of `action` with the actions of `A`; `wrong` is the index of a parameter of the wrong
    /// type.
    pub fn of_action<A: TypedAction>(action: &Action, wrong: Option<usize>) -> Self {
        let mut types = NamedTypes::new();
        let declared = A::declarations(&mut types).into_iter().map(|declaration| declaration.signature);
        let (kind, given, text) = ("action", &action.parameters, excerpt(action));
        Call { kind, name: &action.name, given, text, wrong }.mismatch(&declared.collect::<Vec<_>>(), &types)
    }

    /// Returns the mismatch of `percept` with the percepts of `P`; `wrong` is the index of a parameter of the wrong
    /// type.
    pub(super) fn of_percept<P: TypedPercept>(percept: &Percept, wrong: Option<usize>) -> Self {
        let mut types = NamedTypes::new();
        let declared = P::declarations(&mut types).into_iter().map(|declaration| declaration.signature.signature);
        let (kind, given, text) = ("percept", &percept.parameters, excerpt(percept));
        Call { kind, name: &percept.name, given, text, wrong }.mismatch(&declared.collect::<Vec<_>>(), &types)
    }

    /// Returns the mismatch for an unknown name.
    pub fn unknown<'a>(kind: &'static str, name: &str, known: impl IntoIterator<Item = &'a str>) -> Self {
        let nearest = nearest(name, known).map(str::to_owned);
        Mismatch::Unknown { kind: kind.into(), name: excerpt(&name), nearest }
    }

    /// Returns the mismatch for a value that does not have the type of an init parameter.
    pub(crate) fn of_field(field: &Field, types: &NamedTypes, got: &Parameter) -> Self {
        Mismatch::Parameters {
            name: format!("the parameter `{}`", field.name),
            expected: explained(field, types),
            got: excerpt(got),
            detail: String::new(),
        }
    }

    /// Returns the mismatch for an init parameter that was not given and has no default.
    pub fn missing(field: &Field) -> Self {
        Mismatch::Missing {
            name: field.name.clone(),
            of: field.type_in_words(),
            documentation: field.documentation.clone(),
        }
    }
}

/// An action or percept that does not match.
pub(in crate::ontology) struct Call<'a> {
    pub(in crate::ontology) kind: &'static str,
    pub(in crate::ontology) name: &'a str,
    pub(in crate::ontology) given: &'a [Parameter],
    pub(in crate::ontology) text: String,
    /// The index of a parameter of the wrong type.
    pub(in crate::ontology) wrong: Option<usize>,
}

impl Call<'_> {
    /// Returns its mismatch with the declarations.
    pub(in crate::ontology) fn mismatch(self, declared: &[Signature], types: &NamedTypes) -> Mismatch {
        let candidates: Vec<&Signature> = declared.iter().filter(|one| one.name == self.name).collect();
        if candidates.is_empty() {
            return Mismatch::unknown(self.kind, self.name, declared.iter().map(|one| one.name.as_str()));
        }
        let lists: Vec<String> = candidates.iter().map(|one| ParameterList(&one.parameters).to_string()).collect();
        let fitting = candidates.iter().find(|one| one.takes(self.given.len()));
        let detail = match (fitting, self.wrong) {
            (Some(signature), Some(at)) => {
                let (field, got) = (&signature.parameters[at], &self.given[at]);
                format!("; expected {} for {}, got {}", explained(field, types), field.name, excerpt(got))
            }
            _ => String::new(),
        };
        Mismatch::Parameters { name: self.name.into(), expected: lists.join(" or "), got: self.text, detail }
    }
}

/// Describes the type of a field, and the type that its name stands for: `Color (red|darkBlue)`.
fn explained(field: &Field, types: &NamedTypes) -> String {
    match &field.of {
        Type::Named(name) => match types.get(name) {
            Some(named) => format!("{name} ({})", named.of),
            None => name.clone(),
        },
        _ => field.type_in_words(),
    }
}
