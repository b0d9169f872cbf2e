//! Methods for agents, entities and their relation.

use situated::data;
use situated::interface::Moment;

use crate::{Name, Needs, Subject};

/// Parameters of `register`.
#[data(Eq, deny_unknown_fields)]
pub struct Register {
    /// The environment.
    pub environment: Name,
    /// The agent's name.
    pub agent: Name,
}

/// Answer to `register`.
#[data]
pub struct Registered {
    /// The current moment of the environment.
    pub moment: Moment,
    /// The address of the agent for messages of agents of other environments, if that is not its name: an agent elsewhere on
    /// the server has the same name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<Name>,
}

/// Parameters of `unregister`.
#[data(Eq, deny_unknown_fields)]
pub struct Unregister {
    /// The environment.
    pub environment: Name,
    /// The agent's name.
    pub agent: Name,
}

/// Parameters of `listEntities`.
#[data(Eq, deny_unknown_fields)]
pub struct ListEntities {
    /// The environment.
    pub environment: Name,
}

/// Answer to `listEntities`.
#[data]
pub struct Entities {
    /// The moment that the response describes.
    pub moment: Moment,
    /// The entities, in order of creation.
    pub entities: Vec<EntityListed>,
    /// The agents that are registered, in order of registration.
    pub agents: Vec<Name>,
}

/// An entity, with its agents.
#[data(Eq)]
pub struct EntityListed {
    /// Its name.
    pub entity: Name,
    /// The name of its type.
    pub entity_type: Name,
    /// The agents that control it, in order of registration; none if it is free.
    pub agents: Vec<Name>,
}

/// Parameters of `associate`.
#[data(Eq, deny_unknown_fields)]
pub struct Associate {
    /// The environment.
    pub environment: Name,
    /// The agent.
    pub agent: Name,
    /// The entity.
    pub entity: Name,
}

/// Parameters of `free`: an agent, an entity, or both. An agent frees what is its own; freeing an entity from all its agents
/// needs the right to manage.
#[data(Eq, deny_unknown_fields)]
pub struct Free {
    /// The environment.
    pub environment: Name,
    /// The agent; without an entity, all its associations end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<Name>,
    /// The entity; without an agent, all its associations end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entity: Option<Name>,
}

impl Free {
    pub(super) fn access(&self) -> (Needs, Subject<'_>) {
        match &self.agent {
            Some(agent) => (Needs::ACT_OR_MANAGE, Subject::Agent { environment: &self.environment, agent }),
            None => (Needs::MANAGE, Subject::Environment(&self.environment)),
        }
    }
}

/// Parameters of `requestEntity`.
#[data(Eq, deny_unknown_fields)]
pub struct RequestEntity {
    /// The environment.
    pub environment: Name,
    /// The agent that asks for the entity.
    pub agent: Name,
    /// The type of the entity.
    pub entity_type: Name,
    /// The name for the entity; by default the environment chooses one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<Name>,
}

/// Answer to `requestEntity`.
#[data]
pub struct EntityGiven {
    /// The moment that the response describes.
    pub moment: Moment,
    /// The name of the entity that the agent was given.
    pub entity: Name,
}
