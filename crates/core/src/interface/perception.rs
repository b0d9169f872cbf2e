//! What an agent is told when it perceives.

use serde::{Deserialize, Serialize};

use crate::iil::Percept;
use crate::ontology::typed::TypedPercept;

/// How percepts are told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum Form {
    /// All that holds now.
    Snapshot,
    /// What to add to, and delete from, what the agent believes.
    #[default]
    Update,
    /// As the specification of Blocks World for Teams tells percepts, by their [delivery](crate::ontology::Delivery):
    /// those told on change all again when one of them differs, those told always every time, and `not(p)` for those
    /// told on change with negation that have ceased to hold.
    Telling,
}

/// Since when percepts are told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum Since {
    /// Since the last call, which is thereby acknowledged: for callers that cannot miss an answer.
    #[default]
    LastCall,
    /// Since what the agent has acknowledged: for callers whose answers can get lost.
    Acknowledged,
}

/// When something was true.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Moment {
    /// The number of the episode, from 1.
    pub episode: u64,
    /// The number of its steps so far.
    pub step: u64,
    /// Wall-clock time in milliseconds since the beginning of 1970, UTC, as the owner of the interface passes it in;
    /// 0 if it does not.
    pub time: u64,
}

/// A version of an entity's percepts: the number of changes and the number of events so far. In a later version neither
/// number is less, in later episodes too, and one is greater; so versions are compared by changes first, then by events.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(from = "(u64, u64)", into = "(u64, u64)")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(with = "(u64, u64)"))]
pub struct Version {
    /// How often what holds has changed; 0 is before anything was told.
    pub changes: u64,
    /// How many events there have been.
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

/// What one agent is told about one entity.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Perception"))]
pub struct Perception<P = Percept> {
    /// When it was true.
    pub moment: Moment,
    /// What the agent must have known before: what is to be added and deleted is relative to that version.
    pub since: Version,
    /// The version of the entity's percepts that the agent knows with this; what it acknowledges.
    pub version: Version,
    /// Everything that was believed of this entity is void: what is to be added is all there is. So it is in
    /// snapshots, when an agent perceives through an entity for the first time, and when it has not done so for
    /// too many changes.
    pub resync: bool,
    /// What to add (in the telling form: to say).
    pub add: Vec<P>,
    /// What to delete, before adding (in the telling form: to say `not` of).
    pub delete: Vec<P>,
    /// What has happened, in order.
    pub events: Vec<P>,
    /// How many events could not be kept for this agent, which were before those told.
    pub lost: u64,
}

impl<P> Perception<P> {
    /// The same with other percepts; those for which there are none are left out.
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

    /// Whether nothing is told.
    pub fn is_empty(&self) -> bool {
        self.add.is_empty() && self.delete.is_empty() && self.events.is_empty() && self.lost == 0
    }

    /// Changes a list of beliefs accordingly: those that the agent had at the version [`since`](Self::since) which this
    /// is told. Events are none. It is for snapshots and updates; the telling form does not say all that has ceased.
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
    /// The same in the interface intermediate language.
    pub fn to_iil(&self) -> Perception {
        self.translate(|percept| Some(percept.to_iil()))
    }
}

impl Perception {
    /// The percepts of the telling form: what is said, `not(p)` for what has ceased, and the events. That everything
    /// believed before is void (`resync`), and that events were lost, is not among them.
    pub fn into_telling(self) -> Vec<Percept> {
        let denied = self.delete.into_iter().map(Percept::negated);
        self.add.into_iter().chain(denied).chain(self.events).collect()
    }
}
