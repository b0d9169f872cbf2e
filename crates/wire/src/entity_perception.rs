//! Percepts on the wire.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use situated::iil::Percept;
use situated::interface::{Moment, Perception, Version};

use crate::Name;

/// What one agent perceives through one entity: the percepts to delete from and add to its beliefs about it, and the
/// events. Empty lists and a count of 0 are left out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct EntityPerception {
    /// The entity.
    pub entity: Name,
    /// What the agent must have known before: what is to be added and deleted is relative to that version.
    pub since: Version,
    /// The version that the agent knows with this; what it acknowledges.
    pub version: Version,
    /// Everything that was believed of this entity is void: what is to be added is all there is.
    #[serde(default, skip_serializing_if = "is_default")]
    pub resync: bool,
    /// What to add (in the telling form: to say).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub add: Vec<Percept>,
    /// What to delete, before adding (in the telling form: to say `not` of).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub delete: Vec<Percept>,
    /// What has happened, in order; each event is told once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<Percept>,
    /// How many events were lost, which were before those told: the agent was more than 1024 of them behind.
    #[serde(default, skip_serializing_if = "is_default")]
    pub lost: u64,
}

impl EntityPerception {
    /// What a perception says about an entity.
    pub fn new(entity: impl Into<Name>, perception: Perception) -> Self {
        let Perception { since, version, resync, add, delete, events, lost, moment: _ } = perception;
        Self { entity: entity.into(), since, version, resync, add, delete, events, lost }
    }

    /// The perception that it was made from, which was true at this moment.
    pub fn into_perception(self, moment: Moment) -> Perception {
        let Self { since, version, resync, add, delete, events, lost, entity: _ } = self;
        Perception { moment, since, version, resync, add, delete, events, lost }
    }
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
