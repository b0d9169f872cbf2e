//! Percepts on the wire.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use situated::iil::Percept;
use situated::interface::{Moment, Perception, Version};

use crate::Name;

/// What one agent is told about one entity: what to delete from and add to what it believes of it, and what has
/// happened. Lists without elements are left out, and so is a count of nothing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Told {
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

impl Told {
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
