//! Requests of agents: registering, the relation with entities, acting and perceiving.

use serde_json::Value;
use situated::iil::{Action, EcoString};
use situated::interface::{Form, Since, Version};
use situated::menu::MenuRequest;

/// Registers an agent with an environment. From then on it belongs to the session, and its name is unique on the
/// server.
#[derive(Clone, Debug, PartialEq)]
pub struct Register {
    /// The environment.
    pub environment: EcoString,
    /// The agent.
    pub agent: EcoString,
}

/// Unregisters an agent and frees its entities.
#[derive(Clone, Debug, PartialEq)]
pub struct Unregister {
    /// The environment.
    pub environment: EcoString,
    /// The agent.
    pub agent: EcoString,
}

/// Associates an agent with an entity.
#[derive(Clone, Debug, PartialEq)]
pub struct Associate {
    /// The environment.
    pub environment: EcoString,
    /// The agent.
    pub agent: EcoString,
    /// The entity.
    pub entity: EcoString,
}

/// Ends the association of an agent with an entity, or with all its entities.
#[derive(Clone, Debug, PartialEq)]
pub struct FreeAgent {
    /// The environment.
    pub environment: EcoString,
    /// The agent.
    pub agent: EcoString,
    /// The entity; `None` means all.
    pub entity: Option<EcoString>,
}

/// Ends the associations of an entity with all its agents.
#[derive(Clone, Debug, PartialEq)]
pub struct FreeEntity {
    /// The environment.
    pub environment: EcoString,
    /// The entity.
    pub entity: EcoString,
}

/// Requests an entity of a type. The agent is then associated with it.
#[derive(Clone, Debug, PartialEq)]
pub struct RequestEntity {
    /// The environment.
    pub environment: EcoString,
    /// The agent.
    pub agent: EcoString,
    /// The type.
    pub entity_type: EcoString,
    /// The name for a new entity; by default the environment chooses it.
    pub name: Option<EcoString>,
}

/// Executes an action. The answer comes when the action is done; in lockstep, when the step is over.
#[derive(Clone, Debug, PartialEq)]
pub struct Act {
    /// The environment.
    pub environment: EcoString,
    /// The agent.
    pub agent: EcoString,
    /// The action.
    pub action: Action,
    /// The entities that act; empty means all entities of the agent.
    pub entities: Vec<EcoString>,
    /// A number greater than the numbers of the agent's earlier actions. A numbered action runs at most once.
    pub number: Option<u64>,
}

/// Passes in this step (lockstep). The answer comes when the step is over.
#[derive(Clone, Debug, PartialEq)]
pub struct Pass {
    /// The environment.
    pub environment: EcoString,
    /// The agent.
    pub agent: EcoString,
    /// The entities that pass; empty means all entities of the agent.
    pub entities: Vec<EcoString>,
}

/// Lets many agents act at once. When all their actions are done, each of them perceives. Each agent must belong to
/// the session; an agent that does not gets an error of its own.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// The environment.
    pub environment: EcoString,
    /// The turn of each agent.
    pub turns: Vec<Turn>,
    /// The form in which they perceive.
    pub form: Form,
    /// The reference point of the percept updates.
    pub since: Since,
    /// Whether the agents perceive.
    pub perceive: bool,
}

/// The turn of one agent in a [`Step`].
#[derive(Clone, Debug, PartialEq)]
pub struct Turn {
    /// The agent.
    pub agent: EcoString,
    /// The action. `None` means that the agent passes (lockstep), or only perceives.
    pub action: Option<Action>,
    /// The entities that act and perceive; empty means all entities of the agent.
    pub entities: Vec<EcoString>,
    /// The number of the action, as in [`Act`].
    pub number: Option<u64>,
}

/// Perceives through the agent's entities.
#[derive(Clone, Debug, PartialEq)]
pub struct Perceive {
    /// The environment.
    pub environment: EcoString,
    /// The agent.
    pub agent: EcoString,
    /// The entities; empty means all entities of the agent.
    pub entities: Vec<EcoString>,
    /// The form.
    pub form: Form,
    /// The reference point of the percept updates.
    pub since: Since,
}

/// Acknowledges the percepts that an agent has received.
#[derive(Clone, Debug, PartialEq)]
pub struct Acknowledge {
    /// The environment.
    pub environment: EcoString,
    /// The agent.
    pub agent: EcoString,
    /// The entities, each with the version that the agent has received.
    pub versions: Vec<(EcoString, Version)>,
}

/// Records a remark of an agent about itself, such as how it came to its action. Observers see it, and recordings have it.
#[derive(Clone, Debug, PartialEq)]
pub struct Remark {
    /// The environment.
    pub environment: EcoString,
    /// The agent.
    pub agent: EcoString,
    /// The remark, in the agent's own form.
    pub remark: Value,
}

/// Asks for the menu of a person who acts through an entity.
#[derive(Clone, Debug, PartialEq)]
pub struct GetMenu {
    /// The environment.
    pub environment: EcoString,
    /// The agent.
    pub agent: EcoString,
    /// The entity.
    pub entity: EcoString,
    /// The point, percept or text about which the person asks.
    pub request: MenuRequest,
}
