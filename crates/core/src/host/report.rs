//! Reports of a host: responses to requests, and changes that happened without a request.

use serde::{Deserialize, Serialize};

use crate::data;
use crate::environment::{Failure, Outcome, State};
use crate::iil::{EcoString, Percept};
use crate::ontology::OntologyAddition;
use crate::scene::Scene;

/// A message of a host about its environment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum HostReport {
    /// The response to a request.
    Answer {
        /// The number of the request.
        number: u64,
        /// The result.
        answer: HostAnswer,
        /// The changes through the request, and since the last report.
        #[serde(default, skip_serializing_if = "HostUpdate::is_empty")]
        update: HostUpdate,
    },
    /// A change that happened without a request.
    Update(HostUpdate),
}

/// The result of a request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum HostAnswer {
    /// It is done.
    Done,
    /// An action is done and returned these percepts.
    Found(Vec<Percept>),
    /// The name of the requested entity.
    Entity(EcoString),
    /// The request failed.
    Failed {
        /// The reason, for the agent: `too far from block 7`.
        reason: String,
        /// Whether the action was tried and failed; otherwise this entity cannot do it at all.
        #[serde(default = "tried")]
        tried: bool,
    },
}

/// Changes in a hosted environment. The interface applies all of them, in the order of the fields, or none.
#[data(Default, default)]
pub struct HostUpdate {
    /// Entity types, actions and percepts that the host adds to its ontology.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ontology: Option<OntologyAddition>,
    /// The number of steps of the episode so far. It never decreases.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<u64>,
    /// The names of deleted entities.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(with = "Vec<String>"))]
    pub deleted: Vec<EcoString>,
    /// The new entities.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub new: Vec<NewEntity>,
    /// Percepts that began or ceased to hold.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub percepts: Vec<PerceptUpdate>,
    /// Events, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<EventReport>,
    /// The picture of the environment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scene: Option<Scene>,
    /// The outcome of the episode so far.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
    /// The state of the environment: paused, running or killed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<State>,
}

/// A new entity.
#[data]
pub struct NewEntity {
    /// Its name.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub entity: EcoString,
    /// The name of its type in the ontology.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub entity_type: EcoString,
}

/// Percepts that began or ceased to hold for an entity.
#[data(Default)]
pub struct PerceptUpdate {
    /// The entity's name.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub entity: EcoString,
    /// Whether all earlier percepts are void; `add` then contains all percepts.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub resync: bool,
    /// Percepts that ceased to hold. Deleting a percept that does not hold has no effect.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub delete: Vec<Percept>,
    /// Percepts that began to hold. Adding a percept that holds already has no effect.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub add: Vec<Percept>,
}

/// An event that an entity perceives.
#[data]
pub struct EventReport {
    /// The entity's name.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub entity: EcoString,
    /// The event.
    pub percept: Percept,
}

impl HostUpdate {
    /// Returns whether nothing has changed.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl From<Failure> for HostAnswer {
    fn from(Failure { reason, tried }: Failure) -> Self {
        HostAnswer::Failed { reason, tried }
    }
}

/// The default: an action that failed was tried.
fn tried() -> bool {
    true
}
