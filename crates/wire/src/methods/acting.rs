//! Methods for acting, alone and together.

use situated::data;
use situated::iil::{Action, Percept};
use situated::interface::{ActionResult, Form, Moment, Since};

use super::Acknowledged;
use crate::{EntityPerception, Error, Name};

/// Parameters of `act`.
#[data(deny_unknown_fields)]
pub struct Act {
    /// The environment.
    pub environment: Name,
    /// The agent.
    pub agent: Name,
    /// The action.
    pub action: Action,
    /// The entities through which the agent acts; none means all of its entities.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub entities: Vec<Name>,
    /// A number greater than those of the agent's earlier actions. A numbered action runs at most once; a repeated
    /// request gets the same response.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<u64>,
}

/// Answer to `act`.
#[data]
pub struct Acted {
    /// The moment that the response describes.
    pub moment: Moment,
    /// The result for each entity.
    pub results: Vec<EntityResult>,
}

/// The result of an action for one entity: it is done if there is no error.
#[data]
pub struct EntityResult {
    /// The entity.
    pub entity: Name,
    /// Percepts that the action returned.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub percepts: Vec<Percept>,
    /// The reason why the action failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<Box<Error>>,
}

/// Parameters of `pass`.
#[data(Eq, deny_unknown_fields)]
pub struct Pass {
    /// The environment.
    pub environment: Name,
    /// The agent.
    pub agent: Name,
    /// The entities; none means all entities of the agent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub entities: Vec<Name>,
}

/// Parameters of `step`.
#[data(deny_unknown_fields)]
pub struct Step {
    /// The environment.
    pub environment: Name,
    /// The agents and their actions: at most 1024 agents.
    pub agents: Vec<Turn>,
    /// The form in which they perceive after the step.
    #[serde(default)]
    pub form: Form,
    /// The version that perceptions are relative to, as in `perceive`.
    #[serde(default)]
    pub since: Since,
    /// Whether they perceive at all; by default they do.
    #[serde(default = "yes", skip_serializing_if = "Clone::clone")]
    pub perceive: bool,
}

/// The turn of one agent in a step.
#[data(deny_unknown_fields)]
pub struct Turn {
    /// The agent.
    pub agent: Name,
    /// The action; none means that the agent passes (lockstep) or only perceives. In lockstep, an agent whose action is
    /// refused passes as well, if other agents of the request act.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action: Option<Action>,
    /// The entities through which the agent acts and perceives; none means all of its entities.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub entities: Vec<Name>,
    /// As in `act`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<u64>,
    /// The versions that the agent has, as in `perceive`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub known: Vec<Acknowledged>,
}

/// Answer to `step`.
#[data]
#[cfg_attr(feature = "schema", schemars(rename = "Stepped"))]
pub struct Stepped<T = Vec<TurnTaken>> {
    /// The moment that the response describes.
    pub moment: Moment,
    /// The result for each agent, in the order of the request.
    pub agents: T,
}

/// The result of a step for one agent.
#[data]
pub struct TurnTaken {
    /// The agent.
    pub agent: Name,
    /// Results for the entities for which the action returned percepts or failed. For all other entities, the action
    /// is done.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub results: Vec<EntityResult>,
    /// The reason why the agent could not act or perceive at all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<Box<Error>>,
    /// The perception of each entity.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub perceptions: Vec<EntityPerception>,
}

impl Turn {
    /// The turn of an agent with all its entities.
    pub fn new(agent: Name, action: Option<Action>) -> Self {
        Self { agent, action, entities: Vec::new(), number: None, known: Vec::new() }
    }
}

impl TurnTaken {
    /// The turn of an agent that has not acted yet.
    pub fn new(agent: Name) -> Self {
        Self { agent, results: Vec::new(), error: None, perceptions: Vec::new() }
    }
}

impl EntityResult {
    /// Creates the result for this entity.
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
