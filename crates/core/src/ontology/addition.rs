//! Additions to an ontology at run time: new entity types, and new actions and percepts of known ones.

use super::{EntityType, NamedTypes, Ontology, Unsound};
use crate::data;

/// An addition to an ontology. Hosts that find out only while they run what their entities can do and perceive send
/// it. Earlier declarations are neither removed nor changed.
#[data(Default, default, deny_unknown_fields)]
pub struct OntologyAddition {
    /// New entity types. For a known type, these are additional actions and percepts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub entity_types: Vec<EntityType>,
    /// New named types.
    #[serde(skip_serializing_if = "NamedTypes::is_empty")]
    pub types: NamedTypes,
}

impl Ontology {
    /// Returns this ontology with an addition. Its revision is greater by one, unless everything was declared
    /// already.
    ///
    /// # Errors
    /// Returns an error if the addition contradicts a declaration, or is unsound itself.
    pub(crate) fn extended(&self, addition: OntologyAddition) -> Result<Self, Unsound> {
        let mut extended = self.clone();
        for (name, named) in addition.types {
            match extended.types.get(&name) {
                Some(known) if *known == named => {}
                Some(_) => return Err(Unsound::Twice { what: "type", name, place: "the ontology".into() }),
                None => drop(extended.types.insert(name, named)),
            }
        }
        for EntityType { name, documentation, actions, percepts } in addition.entity_types {
            match extended.entity_types.iter_mut().find(|known| known.name == name) {
                Some(known) => {
                    add_new(&mut known.actions, actions);
                    add_new(&mut known.percepts, percepts);
                }
                None => extended.entity_types.push(EntityType { name, documentation, actions, percepts }),
            }
        }
        if extended != *self {
            extended.revision += 1;
            extended.check()?;
        }
        Ok(extended)
    }
}

fn add_new<T: PartialEq>(known: &mut Vec<T>, added: Vec<T>) {
    for one in added {
        if !known.contains(&one) {
            known.push(one);
        }
    }
}
