//! What an agent is told when it perceives.

use serde::{Deserialize, Serialize};

use super::log::{Told, Version};
use crate::iil::Percept;
use crate::ontology::typed::{Mismatch, TypedPercept};

/// How percepts are told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
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
pub struct Moment {
    /// The number of the episode, from 1.
    pub episode: u64,
    /// The number of its steps so far.
    pub step: u64,
    /// Wall-clock time in milliseconds since the beginning of 1970, UTC, as the owner of the interface passes it in;
    /// 0 if it does not.
    pub time: u64,
}

/// What one agent is told about one entity.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Perception<P = Percept> {
    /// When it was true.
    pub moment: Moment,
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
    pub(crate) fn new(moment: Moment, version: Version, told: Told<P>) -> Self {
        let Told { resync, add, delete, events, lost } = told;
        Self { moment, version, resync, add, delete, events, lost }
    }

    /// Whether nothing is told.
    pub fn is_empty(&self) -> bool {
        self.add.is_empty() && self.delete.is_empty() && self.events.is_empty() && self.lost == 0
    }

    /// Changes a list of beliefs accordingly; events are none.
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
        let translate = |percepts: &[P]| percepts.iter().map(P::to_iil).collect();
        Perception {
            moment: self.moment,
            version: self.version,
            resync: self.resync,
            add: translate(&self.add),
            delete: translate(&self.delete),
            events: translate(&self.events),
            lost: self.lost,
        }
    }

    /// The same from the interface intermediate language.
    ///
    /// # Errors
    /// When a percept is none of `P`.
    pub fn from_iil(perception: &Perception) -> Result<Self, Mismatch> {
        let translate = |percepts: &[Percept]| percepts.iter().map(P::from_iil).collect::<Result<_, _>>();
        Ok(Perception {
            moment: perception.moment,
            version: perception.version,
            resync: perception.resync,
            add: translate(&perception.add)?,
            delete: translate(&perception.delete)?,
            events: translate(&perception.events)?,
            lost: perception.lost,
        })
    }
}

impl Perception {
    /// The percepts of the telling form: what is said, `not(p)` for what has ceased, and the events.
    pub fn into_telling(self) -> Vec<Percept> {
        let denied = self.delete.into_iter().map(Percept::negated);
        self.add.into_iter().chain(denied).chain(self.events).collect()
    }
}
