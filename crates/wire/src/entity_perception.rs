//! Percepts on the wire.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use situated::iil::Percept;
use situated::interface::{Moment, Perception, Version};

use crate::Name;

/// The perception of an agent through one entity: the percepts to delete from and add to its beliefs about the
/// entity, and the events. Empty lists and a count of 0 are omitted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct EntityPerception {
    /// The entity.
    pub entity: Name,
    /// The version that these changes are relative to.
    pub since: Version,
    /// The version that the agent knows after these changes, and that it acknowledges.
    pub version: Version,
    /// Whether all earlier beliefs about the entity are void; `add` then contains all percepts.
    #[serde(default, skip_serializing_if = "is_default")]
    pub resync: bool,
    /// Percepts to add (in the telling form: to report).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub add: Vec<Percept>,
    /// Percepts to delete, before adding (in the telling form: to report as `not(...)`).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub delete: Vec<Percept>,
    /// Events, in order. Each comes once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<Percept>,
    /// Number of events before these that were dropped because the agent was more than 1024 events behind.
    #[serde(default, skip_serializing_if = "is_default")]
    pub lost: u64,
}

impl EntityPerception {
    /// Creates the wire form of a perception.
    pub fn new(entity: impl Into<Name>, perception: Perception) -> Self {
        let Perception { since, version, resync, add, delete, events, lost, moment: _ } = perception;
        Self { entity: entity.into(), since, version, resync, add, delete, events, lost }
    }

    /// Returns the perception, with the moment to which it refers.
    pub fn into_perception(self, moment: Moment) -> Perception {
        let Self { since, version, resync, add, delete, events, lost, entity: _ } = self;
        Perception { moment, since, version, resync, add, delete, events, lost }
    }
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
