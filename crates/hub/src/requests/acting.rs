//! Requests of agents: registering, the relation with entities, acting and perceiving.

use situated::iil::{Action, EcoString};
use situated::interface::{Form, Since, Version};

/// Registers an agent with an environment. It belongs to the session from then on, and its name is unique on the server.
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

/// Requests an entity of a type, which the agent is then associated with.
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

/// Acts. The answer comes when the action is done: in lockstep, when the step is over.
#[derive(Clone, Debug, PartialEq)]
pub struct Act {
    /// The environment.
    pub environment: EcoString,
    /// The agent.
    pub agent: EcoString,
    /// The action.
    pub action: Action,
    /// The entities that act; none means all that the agent has.
    pub entities: Vec<EcoString>,
    /// A number greater than those of the agent's actions before. A numbered action runs at most once.
    pub number: Option<u64>,
}

/// Passes in this step (lockstep). The answer comes when the step is over.
#[derive(Clone, Debug, PartialEq)]
pub struct Pass {
    /// The environment.
    pub environment: EcoString,
    /// The agent.
    pub agent: EcoString,
    /// The entities that pass; none means all that the agent has.
    pub entities: Vec<EcoString>,
}

/// Lets many agents act at once. When all their actions are done, each of them perceives. Each agent must belong to the
/// session; those that do not are refused one by one.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// The environment.
    pub environment: EcoString,
    /// What each agent does.
    pub turns: Vec<Turn>,
    /// The form in which they perceive.
    pub form: Form,
    /// Since when they perceive.
    pub since: Since,
    /// Whether they perceive at all.
    pub perceive: bool,
}

/// What one agent does in a [`Step`].
#[derive(Clone, Debug, PartialEq)]
pub struct Turn {
    /// The agent.
    pub agent: EcoString,
    /// The action; `None` means that it passes (lockstep), or only perceives.
    pub action: Option<Action>,
    /// The entities that act and perceive; none means all that the agent has.
    pub entities: Vec<EcoString>,
    /// As in [`Act`].
    pub number: Option<u64>,
}

/// Perceives through the agent's entities.
#[derive(Clone, Debug, PartialEq)]
pub struct Perceive {
    /// The environment.
    pub environment: EcoString,
    /// The agent.
    pub agent: EcoString,
    /// The entities; none means all that the agent has.
    pub entities: Vec<EcoString>,
    /// The form.
    pub form: Form,
    /// Since when.
    pub since: Since,
}

/// Acknowledges what an agent has received.
#[derive(Clone, Debug, PartialEq)]
pub struct Acknowledge {
    /// The environment.
    pub environment: EcoString,
    /// The agent.
    pub agent: EcoString,
    /// The entities, each with the version that the agent knows.
    pub versions: Vec<(EcoString, Version)>,
}

/// Asks what a person who acts through an entity can choose.
#[derive(Clone, Debug, PartialEq)]
pub struct GetMenu {
    /// The environment.
    pub environment: EcoString,
    /// The agent.
    pub agent: EcoString,
    /// The entity.
    pub entity: EcoString,
    /// The place in its scene that the person points at.
    pub at: Option<(f64, f64)>,
}
