//! Checks whether an ontology is sound. Those derived from Rust types are; one that a client sends may be anything.

use std::collections::BTreeSet;

use serde::Serialize;

use super::typed::Mismatch;
use super::{EntityType, Field, Ontology, Pace, Signature, Type};
use crate::iil::MAX_DEPTH;
use crate::names::fault_of_name;

/// Maximum number of entity types, of actions and percepts for each type, and of properties.
pub const KINDS: usize = 1024;

/// Maximum number of parameters of an episode, an action, a percept or a function.
const FIELDS: usize = 64;

/// Maximum number of named types.
const NAMED_TYPES: usize = 1024;

/// Maximum number of words of a choice, and of the known values of a parameter.
const WORDS: usize = 4096;

/// The reason why an ontology is unsound.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Unsound {
    /// An invalid name.
    #[error("{what} cannot have the name `{name}`: {reason}")]
    Name {
        /// The thing with this name.
        what: &'static str,
        /// The name, or its beginning.
        name: String,
        /// The reason.
        reason: &'static str,
    },
    /// Two things have the same name and could not be told apart.
    #[error("{what} `{name}` is declared twice in {place}, and differently or for as many parameters; rename one")]
    Twice {
        /// The kind of thing.
        what: &'static str,
        /// The name.
        name: String,
        /// The place.
        place: String,
    },
    /// There are too many of something.
    #[error("{place} has {count} {what}, but at most {limit} are allowed")]
    TooMany {
        /// The kind of thing.
        what: &'static str,
        /// The place.
        place: String,
        /// The number.
        count: usize,
        /// The limit.
        limit: usize,
    },
    /// There is no type with this name.
    #[error("{place} is of type `{name}`, which is not among the named types; declare it")]
    UnknownType {
        /// The name.
        name: String,
        /// The thing of this type.
        place: String,
    },
    /// A type is only another name for itself.
    #[error("the named type `{name}` refers to itself; give it a definition")]
    Circular {
        /// Its name.
        name: String,
    },
    /// A type is nested too deeply.
    #[error("the type of {place} is nested more than {MAX_DEPTH} deep; give its parts names")]
    Deep {
        /// The thing of this type.
        place: String,
    },
    /// An optional parameter comes before another one.
    #[error("parameter `{name}` of {place} is optional; only the last parameter may be")]
    OptionalEarly {
        /// The parameter.
        name: String,
        /// The thing with this parameter.
        place: String,
    },
    /// A default does not have the declared type.
    #[error("the default does not fit: {0}")]
    Default(Mismatch),
    /// There is no integer within the bounds.
    #[error("{place} is an integer from {minimum} to {maximum}, but there is no such integer")]
    Empty {
        /// The place.
        place: String,
        /// The lower bound.
        minimum: i64,
        /// The upper bound.
        maximum: i64,
    },
    /// An invalid number of steps per second.
    #[error("real time needs a number of steps per second above 0")]
    Pace,
}

impl Ontology {
    /// Checks whether the ontology is sound.
    ///
    /// # Errors
    /// Returns the first thing that is wrong with it.
    pub fn check(&self) -> Result<(), Unsound> {
        check_name("an environment", &self.name)?;
        if let Pace::RealTime { steps_per_second } = self.pace
            && !(steps_per_second.is_finite() && steps_per_second > 0.0)
        {
            return Err(Unsound::Pace);
        }
        self.check_types()?;
        self.check_properties()?;
        self.check_fields("the episode", &self.parameters)?;
        for field in &self.parameters {
            match &field.default {
                Some(default) if !self.takes(field, default) => {
                    return Err(Unsound::Default(Mismatch::of_field(field, &self.types, default)));
                }
                _ => {}
            }
        }
        self.check_entity_types()
    }

    fn check_types(&self) -> Result<(), Unsound> {
        check_count("named types", "the ontology", self.types.len(), NAMED_TYPES)?;
        for (name, named) in &self.types {
            check_name("a type", name)?;
            self.check_type(&format!("the named type `{name}`"), &named.of, 0)?;
        }
        match self.types.iter().find(|(_, named)| matches!(self.end_of_names(&named.of), Type::Named(_))) {
            Some((name, _)) => Err(Unsound::Circular { name: name.clone() }),
            None => Ok(()),
        }
    }

    /// Returns the type at the end of a chain of names, which is another name if the chain is circular.
    fn end_of_names<'a>(&'a self, of: &'a Type) -> &'a Type {
        let mut of = of;
        for _ in 0..=self.types.len() {
            match of {
                Type::Named(name) => match self.types.get(name) {
                    Some(named) => of = &named.of,
                    None => return of,
                },
                _ => return of,
            }
        }
        of
    }

    fn check_entity_types(&self) -> Result<(), Unsound> {
        check_count("entity types", "the ontology", self.entity_types.len(), KINDS)?;
        let count = |of: fn(&EntityType) -> usize| self.entity_types.iter().map(of).sum();
        check_count("actions", "the ontology", count(|of| of.actions.len()), KINDS)?;
        check_count("percepts", "the ontology", count(|of| of.percepts.len()), KINDS)?;
        check_unique("entity type", "the ontology", self.entity_types.iter().map(|of| of.name.as_str()))?;
        for of in &self.entity_types {
            check_name("an entity type", &of.name)?;
            let place = format!("entity type `{}`", of.name);
            let percepts = || of.percepts.iter().map(|percept| &percept.signature);
            for signature in of.actions.iter().chain(percepts()) {
                self.check_signature(signature, 0)?;
            }
            check_apart("action", &place, of.actions.iter())?;
            check_apart("percept", &place, percepts())?;
        }
        self.check_agreement()
    }

    /// Actions of two types with the same name and number of parameters must be the same.
    fn check_agreement(&self) -> Result<(), Unsound> {
        let mut sorted: Vec<&Signature> = self.all_actions().collect();
        sorted.sort_by_key(|signature| &signature.name);
        for same_name in sorted.chunk_by(|one, other| one.name == other.name) {
            for (place, one) in same_name.iter().enumerate() {
                let differs = |other: &&&Signature| overlap(one, other) && !same_parameters(one, other);
                if same_name[..place].iter().any(|other| differs(&other)) {
                    return Err(twice("action", &one.name, "two entity types"));
                }
            }
        }
        Ok(())
    }

    fn check_signature(&self, signature: &Signature, depth: usize) -> Result<(), Unsound> {
        check_name("an action, percept or function", &signature.name)?;
        let place = format!("`{}`", signature.name);
        self.check_fields_at(&place, &signature.parameters, depth)?;
        let early = signature.parameters.iter().rev().skip(1).find(|field| field.optional);
        match early {
            Some(field) => Err(Unsound::OptionalEarly { name: field.name.clone(), place }),
            None => Ok(()),
        }
    }

    fn check_fields(&self, place: &str, fields: &[Field]) -> Result<(), Unsound> {
        self.check_fields_at(place, fields, 0)
    }

    fn check_fields_at(&self, place: &str, fields: &[Field], depth: usize) -> Result<(), Unsound> {
        check_count("parameters", place, fields.len(), FIELDS)?;
        check_unique("parameter", place, fields.iter().map(|field| field.name.as_str()))?;
        for field in fields {
            check_name("a parameter", &field.name)?;
            let of_field = format!("parameter `{}` of {place}", field.name);
            check_count("names", &of_field, field.names.len(), WORDS)?;
            field.names.iter().try_for_each(|name| check_name("a known value", name))?;
            self.check_type(&of_field, &field.of, depth)?;
        }
        Ok(())
    }

    fn check_type(&self, place: &str, of: &Type, depth: usize) -> Result<(), Unsound> {
        if depth > MAX_DEPTH {
            return Err(Unsound::Deep { place: place.into() });
        }
        match of {
            Type::Any | Type::Identifier | Type::Number | Type::TruthValue => Ok(()),
            Type::Integer { minimum, maximum } if minimum > maximum => {
                Err(Unsound::Empty { place: place.into(), minimum: *minimum, maximum: *maximum })
            }
            Type::Integer { .. } => Ok(()),
            Type::Choice(words) => {
                check_count("words", place, words.len(), WORDS)?;
                words.iter().try_for_each(|word| check_name("a word", &word.name))?;
                check_unique("word", place, words.iter().map(|word| word.name.as_str()))
            }
            Type::List(of) => self.check_type(place, of, depth + 1),
            Type::Function(signature) => self.check_signature(signature, depth + 1),
            Type::Named(name) if self.types.contains_key(name) => Ok(()),
            Type::Named(name) => Err(Unsound::UnknownType { name: excerpt_of(name), place: place.into() }),
        }
    }
}

pub(super) fn check_name(what: &'static str, name: &str) -> Result<(), Unsound> {
    match fault_of_name(name) {
        Some(reason) => Err(Unsound::Name { what, name: excerpt_of(name), reason }),
        None => Ok(()),
    }
}

pub(super) fn check_count(what: &'static str, place: &str, count: usize, limit: usize) -> Result<(), Unsound> {
    if count <= limit { Ok(()) } else { Err(Unsound::TooMany { what, place: place.into(), count, limit }) }
}

fn check_unique<'a>(what: &'static str, place: &str, names: impl Iterator<Item = &'a str>) -> Result<(), Unsound> {
    let mut seen = BTreeSet::new();
    for name in names {
        if !seen.insert(name) {
            return Err(twice(what, name, place));
        }
    }
    Ok(())
}

/// Declarations with the same name must take different numbers of parameters.
fn check_apart<'a>(
    what: &'static str,
    place: &str,
    signatures: impl Iterator<Item = &'a Signature>,
) -> Result<(), Unsound> {
    let mut sorted: Vec<&Signature> = signatures.collect();
    sorted.sort_by_key(|signature| (&signature.name, signature.parameters.len()));
    match sorted.windows(2).find(|pair| pair[0].name == pair[1].name && overlap(pair[0], pair[1])) {
        Some(pair) => Err(twice(what, &pair[0].name, place)),
        None => Ok(()),
    }
}

/// Returns whether both take some number of parameters.
fn overlap(one: &Signature, other: &Signature) -> bool {
    let most = one.parameters.len().min(other.parameters.len());
    one.takes(most) && other.takes(most)
}

fn same_parameters(one: &Signature, other: &Signature) -> bool {
    let same = |(a, b): (&Field, &Field)| a.of == b.of && a.optional == b.optional;
    one.parameters.len() == other.parameters.len() && one.parameters.iter().zip(&other.parameters).all(same)
}

pub(super) fn twice(what: &'static str, name: &str, place: &str) -> Unsound {
    Unsound::Twice { what, name: excerpt_of(name), place: place.into() }
}

/// Returns the name, or its beginning if it is long.
fn excerpt_of(name: &str) -> String {
    crate::iil::text::excerpt(&name)
}
