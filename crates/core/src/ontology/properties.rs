//! Properties: values that can be queried by name, of an environment or of each of its entities. An environment
//! declares those that it has, so that a wrong name is an error and not a property without a value.

use std::collections::BTreeSet;

use super::soundness::{KINDS, Unsound, check_count, check_name, twice};
use super::{Ontology, OntologyBuilder};
use crate::data;

/// The properties that every environment has: its name, the version of its rules, and the version of `situated` that
/// it was built for.
pub const ENVIRONMENT_PROPERTIES: [&str; 3] = ["name", "version", "requiredVersion"];

/// The properties that every entity has: the name of its type.
pub const ENTITY_PROPERTIES: [&str; 1] = ["type"];

/// A property that an environment declares.
#[data(Eq)]
pub struct DeclaredProperty {
    /// Its name: `map`.
    pub name: String,
    /// The documentation.
    pub documentation: String,
}

/// The owner of a property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PropertyOf {
    Environment,
    Entity,
}

impl Ontology {
    /// Returns the names of all properties of the environment, or of each entity: first those that it declares.
    pub(crate) fn property_names(&self, of: PropertyOf) -> impl Iterator<Item = &str> + Clone {
        let (declared, standard): (_, &'static [&'static str]) = match of {
            PropertyOf::Environment => (&self.properties, &ENVIRONMENT_PROPERTIES),
            PropertyOf::Entity => (&self.entity_properties, &ENTITY_PROPERTIES),
        };
        declared.iter().map(|property| property.name.as_str()).chain(standard.iter().copied())
    }

    /// Returns whether there may be a property with this name. In an open ontology that declares none, there may be
    /// any.
    pub(crate) fn may_have_property(&self, of: PropertyOf, name: &str) -> bool {
        let declares_none = self.properties.is_empty() && self.entity_properties.is_empty();
        self.open && declares_none || self.property_names(of).any(|known| known == name)
    }

    /// Checks the names of the properties.
    pub(super) fn check_properties(&self) -> Result<(), Unsound> {
        for (of, place) in [(PropertyOf::Environment, "the ontology"), (PropertyOf::Entity, "the entities")] {
            check_count("properties", place, self.property_names(of).count(), KINDS)?;
            let mut seen = BTreeSet::new();
            for name in self.property_names(of) {
                check_name("a property", name)?;
                if !seen.insert(name) {
                    return Err(twice("property", name, place));
                }
            }
        }
        Ok(())
    }
}

impl OntologyBuilder {
    /// Declares a property of the environment, which [`query`](crate::environment::Environment::query) returns.
    pub fn property(mut self, name: &str, documentation: &str) -> Self {
        self.ontology.properties.push(DeclaredProperty::new(name, documentation));
        self
    }

    /// Declares a property of each entity, which
    /// [`query_entity`](crate::environment::Environment::query_entity) returns.
    pub fn entity_property(mut self, name: &str, documentation: &str) -> Self {
        self.ontology.entity_properties.push(DeclaredProperty::new(name, documentation));
        self
    }
}

impl DeclaredProperty {
    fn new(name: &str, documentation: &str) -> Self {
        Self { name: name.into(), documentation: documentation.into() }
    }
}
