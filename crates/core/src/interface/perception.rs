//! The result of perceiving.

use serde::{Deserialize, Serialize};

use crate::iil::Percept;
use crate::ontology::typed::TypedPercept;

/// The form of a perception.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum Form {
    /// Everything that holds now.
    Snapshot,
    /// The changes: percepts to add to, and delete from, the agent's beliefs.
    #[default]
    Update,
    /// The form of the Blocks World for Teams specification, by the [delivery](crate::ontology::Delivery) of
    /// percepts: those on change all again when one of them differs, those always every time, and `not(p)` for those
    /// on change with negation that have ceased to hold.
    Telling,
}

/// The version that a perception is relative to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum Since {
    /// The version of the last call, which this call acknowledges. For callers that cannot miss a response.
    #[default]
    LastCall,
    /// The version that the agent has acknowledged. For callers whose responses can get lost.
    Acknowledged,
}

/// A moment of an environment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Moment {
    /// The number of the episode, from 1.
    pub episode: u64,
    /// The number of steps of the episode so far.
    pub step: u64,
    /// Wall-clock time in milliseconds since the beginning of 1970, UTC, as the owner of the interface sets it; 0 if
    /// it does not.
    pub time: u64,
}

/// A version of an entity's percepts: the number of changes and the number of events so far. In a later version
/// neither number is less, in later episodes too, and one is greater; so versions are compared by changes first, then
/// by events.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(from = "(u64, u64)", into = "(u64, u64)")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(with = "(u64, u64)"))]
pub struct Version {
    /// The number of changes so far; 0 before the first perception.
    pub changes: u64,
    /// The number of events so far.
    pub events: u64,
}

impl From<(u64, u64)> for Version {
    fn from((changes, events): (u64, u64)) -> Self {
        Self { changes, events }
    }
}

impl From<Version> for (u64, u64) {
    fn from(Version { changes, events }: Version) -> Self {
        (changes, events)
    }
}

/// The percepts that one agent receives through one entity.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Perception"))]
pub struct Perception<P = Percept> {
    /// The moment that it describes.
    pub moment: Moment,
    /// The version that these changes are relative to.
    pub since: Version,
    /// The version that the agent knows after these changes, and that it acknowledges.
    pub version: Version,
    /// Whether all earlier beliefs about the entity are void; `add` then contains all percepts. This is so in
    /// snapshots, when an agent perceives through an entity for the first time, and when it is too many changes
    /// behind.
    pub resync: bool,
    /// Percepts to add (in the telling form: to report).
    pub add: Vec<P>,
    /// Percepts to delete, before adding (in the telling form: to report as `not(...)`).
    pub delete: Vec<P>,
    /// Events, in order.
    pub events: Vec<P>,
    /// The number of events before these that could not be kept for this agent.
    pub lost: u64,
}

impl<P> Perception<P> {
    /// Translates the percepts; those without a translation are left out.
    pub fn translate<Q>(&self, mut percept: impl FnMut(&P) -> Option<Q>) -> Perception<Q> {
        let mut all = |percepts: &[P]| {
            let mut translated = Vec::with_capacity(percepts.len());
            translated.extend(percepts.iter().filter_map(&mut percept));
            translated
        };
        Perception {
            moment: self.moment,
            since: self.since,
            version: self.version,
            resync: self.resync,
            add: all(&self.add),
            delete: all(&self.delete),
            events: all(&self.events),
            lost: self.lost,
        }
    }

    /// Returns whether nothing has changed.
    pub fn is_empty(&self) -> bool {
        self.add.is_empty() && self.delete.is_empty() && self.events.is_empty() && self.lost == 0
    }

    /// Applies the changes to a list of beliefs, which must be those of version [`since`](Self::since). Events are
    /// not beliefs. Use it for snapshots and updates; the telling form does not report everything that has ceased.
    pub fn apply(&self, beliefs: &mut Vec<P>)
    where
        P: Clone + PartialEq,
    {
        if self.resync {
            beliefs.clear();
        }
        beliefs.retain(|belief| !self.delete.contains(belief));
        beliefs.extend(self.add.iter().cloned());
    }
}

impl<P: TypedPercept> Perception<P> {
    /// Translates the percepts to the interface intermediate language.
    pub fn to_iil(&self) -> Perception {
        self.translate(|percept| Some(percept.to_iil()))
    }
}

impl Perception {
    /// Returns the percepts of the telling form: reported percepts, `not(p)` for those that have ceased, and events.
    /// It does not contain `resync` and the number of lost events.
    pub fn into_telling(self) -> Vec<Percept> {
        let denied = self.delete.into_iter().map(Percept::negated);
        self.add.into_iter().chain(denied).chain(self.events).collect()
    }
}
