//! Errors of an interface: who, what, why, and what to do about it. A call that fails changes nothing.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::{State, Version};
use crate::environment::Failure;
use crate::names::did_you_mean;
use crate::ontology::typed::Mismatch;

/// An operation that is possible only while running.
pub(crate) const ACTING: &str = "acting";

/// An operation that is possible only while running.
pub(crate) const STEPPING: &str = "a step";

/// The kinds of errors of the Environment Interface Standard.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ErrorKind {
    /// The state of the environment does not allow it (EIS: not specific).
    WrongState,
    /// The agent is not registered.
    NotRegistered,
    /// The agent has no entities.
    NoEntities,
    /// The entity does not exist, or the agent does not control it.
    WrongEntity,
    /// No entity of this environment can do this.
    NotSupportedByEnvironment,
    /// No entity of this type can do this.
    NotSupportedByType,
    /// This entity cannot do this.
    NotSupportedByEntity,
    /// The action was tried and failed.
    Failure,
    /// The agent cannot be registered: its name is taken or invalid.
    NotRegistrable,
    /// The relation between agents and entities does not allow it, or there is no such association.
    Relation,
    /// The parameters of the episode, or the saved state, are invalid.
    Management,
    /// The interface never returned this version.
    UnknownVersion,
    /// The environment or the entity has no such property.
    NoSuchProperty,
}

/// The reason why a call failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Error {
    /// The state of the environment does not allow it.
    #[error("{what} is not possible while the environment is {state}{}", way_out(*state, what))]
    WrongState {
        /// The operation.
        what: Cow<'static, str>,
        /// The present state.
        state: State,
    },
    /// The agent is not registered.
    #[error("agent `{agent}` is not registered; register it first{}", did_you_mean(nearest.as_deref()))]
    NotRegistered {
        /// Its name.
        agent: String,
        /// A registered agent with a similar name.
        nearest: Option<String>,
    },
    /// An agent with this name is already registered.
    #[error("an agent `{agent}` is already registered; choose another name, or unregister it")]
    AlreadyRegistered {
        /// Its name.
        agent: String,
    },
    /// The name cannot be the name of an agent.
    #[error("an agent cannot have the name `{agent}`: {reason}")]
    NoName {
        /// The name, or its beginning.
        agent: String,
        /// The reason.
        reason: Cow<'static, str>,
    },
    /// The interface cannot number any more agents.
    #[error("agent `{agent}` cannot be registered: this interface has registered 2^32 agents already")]
    TooManyAgents {
        /// Its name.
        agent: String,
    },
    /// The agent has no entities.
    #[error("agent `{agent}` has no entities; associate it with one first")]
    NoEntities {
        /// Its name.
        agent: String,
    },
    /// There is no such entity.
    #[error("there is no entity `{entity}`{}", did_you_mean(nearest.as_deref()))]
    NoSuchEntity {
        /// Its name.
        entity: String,
        /// An entity with a similar name.
        nearest: Option<String>,
    },
    /// The entity existed when the call began, and was deleted.
    #[error("entity `{entity}` no longer exists: the environment deleted it")]
    Gone {
        /// Its name.
        entity: String,
    },
    /// The agent does not control the entity.
    #[error("agent `{agent}` is not associated with entity `{entity}`; it has {has}")]
    WrongEntity {
        /// The agent's name.
        agent: String,
        /// The entity's name.
        entity: String,
        /// The entities of the agent.
        has: String,
    },
    /// No agent controls the entity.
    #[error("entity `{entity}` is already free")]
    Free {
        /// Its name.
        entity: String,
    },
    /// The environment restricts the relation.
    #[error("agent `{agent}` cannot take entity `{entity}`: {restriction}")]
    Restricted {
        /// The agent's name.
        agent: String,
        /// The entity's name.
        entity: String,
        /// The restriction, and the agent or entity that prevents the association.
        restriction: String,
    },
    /// No entity of this environment can do this.
    #[error("agent `{agent}`: {mismatch}")]
    NotSupportedByEnvironment {
        /// The agent.
        agent: String,
        /// The mismatch.
        mismatch: Mismatch,
    },
    /// No entity of this type can do this.
    #[error("entity `{entity}` of type `{entity_type}` cannot do {action}; it can do {can}")]
    NotSupportedByType {
        /// The entity's name.
        entity: String,
        /// Its type.
        entity_type: String,
        /// The action.
        action: String,
        /// The actions of entities of this type.
        can: String,
    },
    /// This entity cannot do this.
    #[error("entity `{entity}` cannot do {action}: {reason}")]
    NotSupportedByEntity {
        /// Its name.
        entity: String,
        /// The action.
        action: String,
        /// The reason.
        reason: String,
    },
    /// The action was tried and failed.
    #[error("{action} of entity `{entity}` failed: {reason}")]
    Failure {
        /// The entity's name.
        entity: String,
        /// The action.
        action: String,
        /// The reason.
        reason: String,
    },
    /// The environment provides no such entity for the agent.
    #[error("agent `{agent}` gets no `{entity_type}`: {reason}")]
    #[serde(rename = "noBody")]
    NotGiven {
        /// The agent.
        agent: String,
        /// The requested type.
        entity_type: String,
        /// The reason.
        reason: String,
    },
    /// There is no such type of entity.
    #[error("there is no entity type `{entity_type}`{}", did_you_mean(nearest.as_deref()))]
    NoSuchType {
        /// The requested type.
        entity_type: String,
        /// A type with a similar name.
        nearest: Option<String>,
    },
    /// The parameters of the episode are invalid.
    #[error("{0}")]
    Parameters(#[from] Mismatch),
    /// The environment cannot begin with these parameters.
    #[error("the environment cannot be initialized: {0}")]
    Init(Failure),
    /// The bytes are not a saved state of such an interface.
    #[error("this is not a saved state of environment `{environment}`: {reason}")]
    NotSaved {
        /// The environment's name.
        environment: String,
        /// The reason.
        reason: String,
    },
    /// The host of the environment refused a task.
    #[error("the host of `{environment}` refuses to {what}: {reason}")]
    Refused {
        /// The environment's name.
        environment: String,
        /// The task.
        what: Cow<'static, str>,
        /// The reason.
        reason: String,
    },
    /// The environment has no host, because it runs in this process.
    #[error("environment `{environment}` has no host: it runs in this process")]
    NoHost {
        /// The environment's name.
        environment: String,
    },
    /// The host of the environment reported something invalid.
    #[error("the host of `{environment}` sent an invalid update: {reason}; the whole update was discarded")]
    Host {
        /// The environment's name.
        environment: String,
        /// The reason.
        reason: String,
    },
    /// The host of the environment has crashed.
    #[error("the host of `{environment}` crashed: {reason}; the environment has ended, so create a new one")]
    HostGone {
        /// The environment's name.
        environment: String,
        /// The reason given by the host.
        reason: String,
    },
    /// The environment runs elsewhere, so its state is not available here.
    #[error("environment `{environment}` cannot be {what} here: a host runs it elsewhere and keeps its state")]
    RunElsewhere {
        /// The environment's name.
        environment: String,
        /// `saved` or `loaded`.
        what: Cow<'static, str>,
    },
    /// The interface never returned this version.
    #[error(
        "agent `{agent}` acknowledges version {}:{} of entity `{entity}`, but received {}:{} at most",
        version.changes, version.events, told.changes, told.events
    )]
    NeverTold {
        /// The agent's name.
        agent: String,
        /// The entity's name.
        entity: String,
        /// The acknowledged version.
        version: Version,
        /// The last version that the agent received.
        told: Version,
    },
    /// The environment or the entity has no such property.
    #[error("{of} has no property `{property}`; it has {has}{}", did_you_mean(nearest.as_deref()))]
    NoSuchProperty {
        /// The environment or the entity, with its name.
        of: String,
        /// The name of the property, or its beginning.
        property: String,
        /// The names of its properties.
        has: String,
        /// A property with a similar name.
        nearest: Option<String>,
    },
}

impl Error {
    /// Returns the kind of the error, in the terms of the Environment Interface Standard.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Error::WrongState { .. } => ErrorKind::WrongState,
            Error::NotRegistered { .. } => ErrorKind::NotRegistered,
            Error::AlreadyRegistered { .. } | Error::TooManyAgents { .. } | Error::NoName { .. } => {
                ErrorKind::NotRegistrable
            }
            Error::NoEntities { .. } => ErrorKind::NoEntities,
            Error::NoSuchEntity { .. } | Error::Gone { .. } | Error::WrongEntity { .. } => ErrorKind::WrongEntity,
            Error::Free { .. } | Error::Restricted { .. } => ErrorKind::Relation,
            Error::NotSupportedByEnvironment { .. } | Error::NoSuchType { .. } => ErrorKind::NotSupportedByEnvironment,
            Error::NotSupportedByType { .. } => ErrorKind::NotSupportedByType,
            Error::NotSupportedByEntity { .. } => ErrorKind::NotSupportedByEntity,
            Error::Failure { .. } | Error::NotGiven { .. } => ErrorKind::Failure,
            Error::Parameters(_)
            | Error::Init(_)
            | Error::NotSaved { .. }
            | Error::Refused { .. }
            | Error::NoHost { .. }
            | Error::Host { .. }
            | Error::HostGone { .. }
            | Error::RunElsewhere { .. } => ErrorKind::Management,
            Error::NeverTold { .. } => ErrorKind::UnknownVersion,
            Error::NoSuchProperty { .. } => ErrorKind::NoSuchProperty,
        }
    }
}

/// Returns advice for this state.
fn way_out(state: State, what: &str) -> &'static str {
    match (state, what) {
        (State::Initializing, _) => "; init it first",
        (State::Paused, ACTING | STEPPING) => "; start it first",
        (State::Killed, _) => ", which is final; create a new one",
        _ => "",
    }
}
