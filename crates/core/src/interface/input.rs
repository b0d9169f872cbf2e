//! Inputs of an environment: everything that an episode depends on, as data. Recordings consist of inputs.

use std::any::Any;
use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize, Serializer};
use smallvec::SmallVec;

use super::{Command, Error};
use crate::host::{HostReport, HostTask};
use crate::iil::{Action, EcoString, Percept};
use crate::size::{Size, list};

/// The result of an action for one entity: the percepts that it found out, or the error.
pub type ActionResult = Result<Vec<Percept>, Error>;

impl Size for ActionResult {
    fn heap_bytes(&self) -> usize {
        match self {
            Ok(percepts) => list(percepts),
            // A host can give any reason.
            Err(error) => error.to_string().len(),
        }
    }
}

/// The results of an action, by entity. Most actions concern one, which needs no allocation.
pub type Results = SmallVec<[(EcoString, ActionResult); 1]>;

/// A moment on two clocks: a monotonic clock for deadlines, and the wall clock for people.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Time {
    /// Time since the start of the clock. It never decreases.
    pub monotonic: Duration,
    /// Milliseconds since the beginning of 1970, UTC.
    pub wall: u64,
}

/// Something that may change an environment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Input {
    /// Inits, starts, pauses, resets or kills the environment.
    Manage(Command),
    /// Registers an agent.
    Register {
        /// The agent's name.
        agent: EcoString,
    },
    /// Unregisters an agent and frees its entities.
    Unregister {
        /// The agent's name.
        agent: EcoString,
    },
    /// Associates an agent with an entity.
    Associate {
        /// The agent's name.
        agent: EcoString,
        /// The entity's name.
        entity: EcoString,
    },
    /// Ends the association of an agent with an entity.
    FreePair {
        /// The agent's name.
        agent: EcoString,
        /// The entity's name.
        entity: EcoString,
    },
    /// Frees an entity from all its agents.
    FreeEntity {
        /// The entity's name.
        entity: EcoString,
    },
    /// Frees all entities of an agent.
    FreeAgent {
        /// The agent's name.
        agent: EcoString,
    },
    /// Requests an entity from the environment and associates the agent with it.
    RequestEntity {
        /// The agent's name.
        agent: EcoString,
        /// The type of the entity.
        entity_type: EcoString,
        /// The name for the entity.
        name: Option<EcoString>,
    },
    /// Performs an action of an agent through its entities, in order of creation, or in the order named.
    Act {
        /// The agent's name.
        agent: EcoString,
        /// The action.
        action: InputAction,
        /// The entities; none means all entities of the agent.
        entities: Vec<EcoString>,
    },
    /// Performs the default action of an entity.
    ActByDefault {
        /// The entity, for which no agent has chosen.
        entity: EcoString,
    },
    /// Advances time by one step.
    Step,
    /// A report of the host of an environment that runs elsewhere.
    Host(Box<HostReport>),
}

/// The effect of an input.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// The input is done and has no result.
    Done,
    /// There was nothing to do.
    Nothing,
    /// The agent was given this entity.
    Entity(EcoString),
    /// The result of an action for each entity.
    Results(Results),
    /// The host has to respond, to the request with this number.
    Requested(u64),
    /// The host has to respond about the actions of these entities.
    Acting {
        /// The numbers of the requests.
        requests: Vec<u64>,
        /// The reasons why the other entities cannot do it.
        refused: Results,
    },
    /// The host has responded to a request.
    Answered {
        /// The number of the request.
        number: u64,
        /// The task of the host.
        task: Box<HostTask>,
        /// The effect of the input that needed the host.
        outcome: Box<Result<Effect, Error>>,
    },
}

/// The action of an input. An interface that has checked it can keep the parsed action, so that the term is parsed
/// once. Only the term is serialised and compared.
#[derive(Clone, Debug, Deserialize)]
#[serde(from = "Action")]
pub struct InputAction {
    /// The action in the interface intermediate language.
    pub term: Action,
    read: Option<ReadAction>,
}

/// An action that an interface has parsed: a value of its environment's own type.
#[derive(Clone, Debug)]
pub struct ReadAction {
    action: Arc<dyn Any + Send + Sync>,
    /// The index of its variant among the actions of the environment.
    pub(crate) variant: usize,
    /// The revision of the ontology at that time.
    revision: u64,
}

impl InputAction {
    /// Keeps the action as the interface that will get the input has parsed it.
    pub fn keep(&mut self, read: ReadAction) {
        self.read = Some(read);
    }

    pub(crate) fn read_as<A: 'static>(&self, revision: u64) -> Option<&A> {
        let read = self.read.as_ref().filter(|read| read.revision == revision)?;
        read.action.downcast_ref()
    }
}

impl ReadAction {
    pub(crate) fn new<A: Any + Send + Sync>(action: A, variant: usize, revision: u64) -> Self {
        Self { action: Arc::new(action), variant, revision }
    }
}

impl Serialize for InputAction {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.term.serialize(serializer)
    }
}

impl Deref for InputAction {
    type Target = Action;

    fn deref(&self) -> &Action {
        &self.term
    }
}

impl PartialEq for InputAction {
    fn eq(&self, other: &Self) -> bool {
        self.term == other.term
    }
}

impl From<Action> for InputAction {
    fn from(term: Action) -> Self {
        Self { term, read: None }
    }
}

impl From<InputAction> for Action {
    fn from(action: InputAction) -> Self {
        action.term
    }
}
