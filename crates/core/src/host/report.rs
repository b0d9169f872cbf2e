//! Reports of a host: answers to requests, and changes that happened by themselves.

use serde::{Deserialize, Serialize};

use crate::environment::{Failure, Outcome, State};
use crate::iil::{EcoString, Percept};
use crate::ontology::OntologyAddition;
use crate::scene::Scene;

/// A message of a host about its environment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum HostReport {
    /// The answer to a request.
    Answer {
        /// The number of the request.
        number: u64,
        /// What has come of it.
        answer: HostAnswer,
        /// What has changed by it, and since the host last said something.
        #[serde(default, skip_serializing_if = "HostUpdate::is_empty")]
        update: HostUpdate,
    },
    /// Something has changed by itself.
    Update(HostUpdate),
}

/// The result of a request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum HostAnswer {
    /// It is done.
    Done,
    /// An action is done, and has found this out.
    Found(Vec<Percept>),
    /// The entity that was asked for has this name.
    Entity(EcoString),
    /// It is not done.
    Failed {
        /// The reason, for whoever asked: `too far from block 7`.
        reason: String,
        /// Whether it was tried and failed; otherwise it is nothing that this entity can do at all.
        #[serde(default = "tried")]
        tried: bool,
    },
}

/// What has changed in a hosted environment. It is taken over whole or not at all, in the order of the fields.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct HostUpdate {
    /// Types of entities, actions and percepts that the host has found out about and that are declared from now on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ontology: Option<OntologyAddition>,
    /// How many steps the episode has had so far. It never goes back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<u64>,
    /// The names of entities that are no more.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(with = "Vec<String>"))]
    pub deleted: Vec<EcoString>,
    /// The entities that have come.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub new: Vec<NewEntity>,
    /// What has begun or ceased to hold.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub percepts: Vec<PerceptUpdate>,
    /// What has happened, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<EventReport>,
    /// What the environment looks like.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scene: Option<Scene>,
    /// How the episode stands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
    /// The state of the environment: paused, running or killed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<State>,
}

/// An entity that has come.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct NewEntity {
    /// Its name.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub entity: EcoString,
    /// The name of its type, which the ontology declares.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub entity_type: EcoString,
}

/// What has begun or ceased to hold for an entity.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct PerceptUpdate {
    /// The entity's name.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub entity: EcoString,
    /// Whether all that held before is void: what is to be added is all there is.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub resync: bool,
    /// What has ceased to hold. What did not hold needs not be deleted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub delete: Vec<Percept>,
    /// What has begun to hold. What holds already is not added twice.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub add: Vec<Percept>,
}

/// Something that has happened to an entity, or that it has seen happen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct EventReport {
    /// The entity's name.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub entity: EcoString,
    /// What has happened.
    pub percept: Percept,
}

impl HostUpdate {
    /// Whether nothing has changed.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl From<Failure> for HostAnswer {
    fn from(Failure { reason, tried }: Failure) -> Self {
        HostAnswer::Failed { reason, tried }
    }
}

/// What is refused without saying more was tried.
fn tried() -> bool {
    true
}
