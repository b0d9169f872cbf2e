//! Acting, alone and together.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use situated::iil::{Action, Percept};
use situated::interface::{ActionResult, Form, Moment, Since};

use crate::{EntityPerception, Error, Name};

/// Parameters of `act`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Act {
    /// The environment.
    pub environment: Name,
    /// The agent.
    pub agent: Name,
    /// What it does.
    pub action: Action,
    /// The entities through which it does so; none means all that it has.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub entities: Vec<Name>,
    /// A number greater than those of the agent's actions before. The action with one number is done once: asked for again,
    /// it is answered again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<u64>,
}

/// Answer to `act`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Acted {
    /// When it was so.
    pub moment: Moment,
    /// What it has come to for each entity.
    pub results: Vec<EntityResult>,
}

/// What an action has come to for one entity: it is done if there is no error.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct EntityResult {
    /// The entity.
    pub entity: Name,
    /// What the action has found out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub percepts: Vec<Percept>,
    /// Why it was not done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<Box<Error>>,
}

/// Parameters of `pass`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Pass {
    /// The environment.
    pub environment: Name,
    /// The agent.
    pub agent: Name,
    /// The entities; none means all that it has.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub entities: Vec<Name>,
}

/// Parameters of `step`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// The environment.
    pub environment: Name,
    /// Who does what: 1024 agents at the most.
    pub agents: Vec<Turn>,
    /// In which form they perceive when it is done.
    #[serde(default)]
    pub form: Form,
    /// Since when they perceive, as in `perceive`.
    #[serde(default)]
    pub since: Since,
    /// Whether they perceive at all; by default they do.
    #[serde(default = "yes", skip_serializing_if = "Clone::clone")]
    pub perceive: bool,
}

/// What one agent does in a step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Turn {
    /// The agent.
    pub agent: Name,
    /// What it does; none means that it passes (lockstep), or only perceives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action: Option<Action>,
    /// The entities through which it does so and perceives; none means all that it has.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub entities: Vec<Name>,
    /// As in `act`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<u64>,
}

/// Answer to `step`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Stepped"))]
pub struct Stepped<T = Vec<TurnTaken>> {
    /// When it was so.
    pub moment: Moment,
    /// What has come of it for each agent, in the order in which they were named.
    pub agents: T,
}

/// What a step has come to for one agent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct TurnTaken {
    /// The agent.
    pub agent: Name,
    /// What its action has come to for those entities for which it has found something out, or was not done. For the others
    /// it is done, and there is no more to say.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub results: Vec<EntityResult>,
    /// Why it could not act or perceive at all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<Box<Error>>,
    /// What it perceives through each entity.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub perceptions: Vec<EntityPerception>,
}

impl EntityResult {
    /// What an action has come to for this entity.
    pub fn new(entity: impl Into<Name>, result: ActionResult) -> Self {
        let (percepts, error) = match result {
            Ok(percepts) => (percepts, None),
            Err(error) => (Vec::new(), Some(Box::new(Error::from(&error)))),
        };
        Self { entity: entity.into(), percepts, error }
    }
}

fn yes() -> bool {
    true
}
