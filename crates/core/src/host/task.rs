//! Tasks of a host: what an environment's interface asks it to do.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::iil::{Action, EcoString, Parameter};

/// A task for the host, with its number.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HostRequest {
    /// Its number, from 1, greater than those of earlier requests. The host answers under this number.
    pub number: u64,
    /// What the host is to do.
    #[serde(rename = "call")]
    pub task: HostTask,
}

/// What a host is called for. Calls are to be done in the order in which they come; each is answered once.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum HostTask {
    /// Begin the first episode, in which time does not run yet. The answer tells of all its entities as new.
    Init {
        /// All its parameters with their values.
        parameters: BTreeMap<String, Parameter>,
        /// Its seed.
        seed: u64,
    },
    /// Begin a new episode, in which time does not run yet. The answer tells of all its entities as new, also of those that
    /// there were before. If it is refused, the old episode goes on.
    Reset {
        /// All its parameters with their values.
        parameters: BTreeMap<String, Parameter>,
        /// Its seed.
        seed: u64,
    },
    /// Let time run. An environment whose time is moved by steps has nothing to do.
    Start,
    /// Stop time. An environment whose time is moved by steps has nothing to do.
    Pause,
    /// End the environment for good. It is over already, and whatever is answered is of no account.
    Kill,
    /// Let time move on by one step.
    Step,
    /// An entity does something. What it finds out is the answer.
    Act {
        /// The agent's name.
        #[cfg_attr(feature = "schema", schemars(with = "String"))]
        agent: EcoString,
        /// The entity's name.
        #[cfg_attr(feature = "schema", schemars(with = "String"))]
        entity: EcoString,
        /// What it does; it fits the ontology.
        action: Action,
    },
    /// An entity does what it does if nobody has chosen for it. An environment that knows no such thing has nothing to
    /// do.
    ActByDefault {
        /// The entity's name.
        #[cfg_attr(feature = "schema", schemars(with = "String"))]
        entity: EcoString,
    },
    /// Give an agent an entity. Its name is the answer, and if it is new, what the answer tells of.
    RequestEntity {
        /// The agent's name.
        #[cfg_attr(feature = "schema", schemars(with = "String"))]
        agent: EcoString,
        /// The type of entity that it asks for.
        #[cfg_attr(feature = "schema", schemars(with = "String"))]
        entity_type: EcoString,
        /// The name that the entity is to have.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
        name: Option<EcoString>,
    },
    /// Tell anew all that holds for an entity, now that somebody perceives through it, and from now on what changes.
    Perceive {
        /// The entity's name.
        #[cfg_attr(feature = "schema", schemars(with = "String"))]
        entity: EcoString,
    },
    /// An agent has taken an entity, which was free.
    Taken {
        /// The entity's name.
        #[cfg_attr(feature = "schema", schemars(with = "String"))]
        entity: EcoString,
    },
    /// The last agent has let go of an entity: nothing needs to be told of it any more.
    Freed {
        /// The entity's name.
        #[cfg_attr(feature = "schema", schemars(with = "String"))]
        entity: EcoString,
    },
    /// The agent that had asked for this entity has left for good, and nobody else has it.
    Left {
        /// The entity's name.
        #[cfg_attr(feature = "schema", schemars(with = "String"))]
        entity: EcoString,
    },
}

impl HostTask {
    /// The task as a verb, for errors: `start`, `act`.
    pub fn what(&self) -> &'static str {
        match self {
            HostTask::Init { .. } => "init",
            HostTask::Reset { .. } => "reset",
            HostTask::Start => "start",
            HostTask::Pause => "pause",
            HostTask::Kill => "be killed",
            HostTask::Step => "step",
            HostTask::Act { .. } | HostTask::ActByDefault { .. } => "act",
            HostTask::RequestEntity { .. } => "give a body",
            HostTask::Perceive { .. } => "tell what holds",
            HostTask::Taken { .. } | HostTask::Freed { .. } | HostTask::Left { .. } => "hear news",
        }
    }

    /// Whether it changes the state of the environment.
    pub fn is_management(&self) -> bool {
        matches!(
            self,
            HostTask::Init { .. } | HostTask::Reset { .. } | HostTask::Start | HostTask::Pause | HostTask::Kill
        )
    }

    /// Whether only this task informs the host of something. It is not withdrawn, however late it is.
    pub fn is_news(&self) -> bool {
        matches!(
            self,
            HostTask::Kill
                | HostTask::Perceive { .. }
                | HostTask::Taken { .. }
                | HostTask::Freed { .. }
                | HostTask::Left { .. }
        )
    }
}
