//! Tasks of a host: the requests of an environment's interface.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::data;
use crate::iil::{Action, EcoString, Parameter};
use crate::size::{ALLOCATION, Size};

/// A task for the host, with its number.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HostRequest {
    /// The number, from 1, greater than those of earlier requests. The host responds under this number.
    pub number: u64,
    /// The task.
    #[serde(rename = "call")]
    pub task: HostTask,
}

/// A task of a host. A host executes its tasks in order, and answers each once.
#[data(rename_all_fields = "camelCase")]
pub enum HostTask {
    /// Begin the first episode, paused. The answer lists all its entities as new.
    Init {
        /// All its parameters with their values.
        parameters: BTreeMap<String, Parameter>,
        /// Its seed.
        seed: u64,
    },
    /// Begin a new episode, paused. The answer lists all its entities as new, including those of the last episode. If
    /// the host refuses, the last episode continues.
    Reset {
        /// All its parameters with their values.
        parameters: BTreeMap<String, Parameter>,
        /// Its seed.
        seed: u64,
    },
    /// Resume time. An environment without its own clock has nothing to do.
    Start,
    /// Stop time. An environment without its own clock has nothing to do.
    Pause,
    /// End the environment for good. The answer is ignored.
    Kill,
    /// Make one step.
    Step,
    /// Perform an action of an entity. The answer contains the percepts that it returns (active sensing).
    Act {
        /// The agent's name.
        #[cfg_attr(feature = "schema", schemars(with = "String"))]
        agent: EcoString,
        /// The entity's name.
        #[cfg_attr(feature = "schema", schemars(with = "String"))]
        entity: EcoString,
        /// The action, which the ontology declares.
        action: Action,
        /// Whether to make one step after it, unless it fails. Only hosts with `stepsWithActions` are asked to do so.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        step: bool,
    },
    /// Perform the default action of an entity for which no agent has chosen. An environment without default actions
    /// has nothing to do.
    ActByDefault {
        /// The entity's name.
        #[cfg_attr(feature = "schema", schemars(with = "String"))]
        entity: EcoString,
    },
    /// Give an agent an entity. The answer contains its name, and lists it as new if it is.
    RequestEntity {
        /// The agent's name.
        #[cfg_attr(feature = "schema", schemars(with = "String"))]
        agent: EcoString,
        /// The requested type of entity.
        #[cfg_attr(feature = "schema", schemars(with = "String"))]
        entity_type: EcoString,
        /// The name for the entity.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
        name: Option<EcoString>,
    },
    /// Report all percepts of an entity, and from now on their changes: an agent perceives through it.
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
    /// The last agent of an entity has left it: its percepts are no longer needed.
    Freed {
        /// The entity's name.
        #[cfg_attr(feature = "schema", schemars(with = "String"))]
        entity: EcoString,
    },
    /// The agent that requested this entity has left for good, and no other agent has it.
    Left {
        /// The entity's name.
        #[cfg_attr(feature = "schema", schemars(with = "String"))]
        entity: EcoString,
    },
}

impl Size for HostTask {
    fn heap_bytes(&self) -> usize {
        match self {
            HostTask::Init { parameters, .. } | HostTask::Reset { parameters, .. } => {
                let size = |(name, value): (&String, &Parameter)| ALLOCATION + name.len() + value.bytes();
                parameters.iter().map(size).sum()
            }
            HostTask::Act { action, .. } => action.heap_bytes(),
            // Names are short, or shared with what they name.
            _ => 0,
        }
    }
}

impl HostTask {
    /// Returns the task as a verb, for errors: `start`, `act`.
    pub fn what(&self) -> &'static str {
        match self {
            HostTask::Init { .. } => "init",
            HostTask::Reset { .. } => "reset",
            HostTask::Start => "start",
            HostTask::Pause => "pause",
            HostTask::Kill => "kill",
            HostTask::Step => "step",
            HostTask::Act { .. } | HostTask::ActByDefault { .. } => "act",
            HostTask::RequestEntity { .. } => "provide an entity",
            HostTask::Perceive { .. } => "report percepts",
            HostTask::Taken { .. } | HostTask::Freed { .. } | HostTask::Left { .. } => "accept a change of agents",
        }
    }

    /// Returns whether it changes the state of the environment.
    pub(crate) fn is_management(&self) -> bool {
        matches!(
            self,
            HostTask::Init { .. } | HostTask::Reset { .. } | HostTask::Start | HostTask::Pause | HostTask::Kill
        )
    }

    /// Returns whether only this task informs the host of something. Such a task is never withdrawn.
    pub(crate) fn is_news(&self) -> bool {
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
