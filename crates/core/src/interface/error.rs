//! What can go wrong at an interface: who, what, why and what to do about it. Whatever fails leaves everything as it
//! was.

use serde::{Deserialize, Serialize};

use super::{State, Version};
use crate::environment::Failure;
use crate::names::did_you_mean;
use crate::ontology::typed::Mismatch;

/// What is refused in other states than running.
pub(crate) const ACTING: &str = "acting";

/// What is refused in other states than running.
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
    /// The entity does not exist, or is not the agent's.
    WrongEntity,
    /// No entity of this environment can do this.
    NotSupportedByEnvironment,
    /// No entity of this type can do this.
    NotSupportedByType,
    /// This entity cannot do this.
    NotSupportedByEntity,
    /// It was tried, and failed.
    Failure,
    /// The agent cannot be registered: its name is taken, or no name.
    NotRegistrable,
    /// The relation between agents and entities does not allow it, or does not hold.
    Relation,
    /// The parameters of the episode are wrong, or the state that was to be restored.
    Management,
    /// The version was never told.
    UnknownVersion,
}

/// Why something was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Error {
    /// The state of the environment does not allow it.
    #[error("{what} is not possible while the environment is {state}{}", way_out(*state, what))]
    WrongState {
        /// What was asked for.
        what: &'static str,
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
    /// An agent of this name is registered already.
    #[error("an agent `{agent}` is registered already; choose another name or unregister it")]
    AlreadyRegistered {
        /// Its name.
        agent: String,
    },
    /// A name that no agent can have.
    #[error("an agent cannot be called `{agent}`: {reason}")]
    NoName {
        /// The name, or its beginning.
        agent: String,
        /// The reason.
        reason: &'static str,
    },
    /// There are more agents than an interface can number.
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
    /// The entity was there when the call began.
    #[error("entity `{entity}` is gone: the environment has deleted it meanwhile")]
    Gone {
        /// Its name.
        entity: String,
    },
    /// The entity is not one of the agent's.
    #[error("agent `{agent}` is not associated with entity `{entity}`; it has {has}")]
    WrongEntity {
        /// The agent's name.
        agent: String,
        /// The entity's name.
        entity: String,
        /// What the agent has.
        has: String,
    },
    /// Nobody holds the entity.
    #[error("entity `{entity}` is free already")]
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
        /// The restriction, and who is in the way.
        restriction: String,
    },
    /// No entity of this environment can do this.
    #[error("agent `{agent}`: {mismatch}")]
    NotSupportedByEnvironment {
        /// Who wanted to.
        agent: String,
        /// What does not fit.
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
        /// What it can do.
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
    /// It was tried, and failed.
    #[error("{action} of entity `{entity}` failed: {reason}")]
    Failure {
        /// The entity's name.
        entity: String,
        /// The action.
        action: String,
        /// The reason.
        reason: String,
    },
    /// The environment gives the agent no such entity.
    #[error("agent `{agent}` gets no `{entity_type}`: {reason}")]
    #[serde(rename = "noBody")]
    NotGiven {
        /// Who asked.
        agent: String,
        /// The type asked for.
        entity_type: String,
        /// The reason.
        reason: String,
    },
    /// There is no such type of entity.
    #[error("there is no entity type `{entity_type}`{}", did_you_mean(nearest.as_deref()))]
    NoSuchType {
        /// The type asked for.
        entity_type: String,
        /// A type with a similar name.
        nearest: Option<String>,
    },
    /// The parameters of the episode are wrong.
    #[error("{0}")]
    Parameters(#[from] Mismatch),
    /// There is no such environment.
    #[error("the environment cannot be initialized: {0}")]
    Init(Failure),
    /// The bytes were not saved by such an interface.
    #[error("this is not a saved state of environment `{environment}`: {reason}")]
    NotSaved {
        /// The environment's name.
        environment: String,
        /// What is wrong with them.
        reason: String,
    },
    /// The host of the environment does not do what it was called for.
    #[error("the host of `{environment}` refuses to {what}: {reason}")]
    Refused {
        /// The environment's name.
        environment: String,
        /// What it was called for.
        what: &'static str,
        /// Why not.
        reason: String,
    },
    /// There is nobody else who runs the environment.
    #[error("environment `{environment}` has no host: it is run here, and nobody else says what happens in it")]
    NoHost {
        /// The environment's name.
        environment: String,
    },
    /// The host of the environment says what cannot be.
    #[error("the host of `{environment}` says what cannot be: {reason}; nothing of what it said with that counts")]
    Host {
        /// The environment's name.
        environment: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The host of the environment has broken down.
    #[error("the host of `{environment}` has broken down: {reason}; the environment is killed, make a new one")]
    HostGone {
        /// The environment's name.
        environment: String,
        /// The reason, as the host gave it.
        reason: String,
    },
    /// The state of the environment is not here.
    #[error("environment `{environment}` cannot be {what} here: it is run elsewhere, by a host that keeps its state")]
    RunElsewhere {
        /// The environment's name.
        environment: String,
        /// `saved` or `loaded`.
        what: &'static str,
    },
    /// The version was never told.
    #[error(
        "agent `{agent}` acknowledges version {}:{} of entity `{entity}`, but was told {}:{} at most",
        version.changes, version.events, told.changes, told.events
    )]
    NeverTold {
        /// The agent's name.
        agent: String,
        /// The entity's name.
        entity: String,
        /// What was acknowledged.
        version: Version,
        /// The last version told.
        told: Version,
    },
}

impl Error {
    /// Its kind, in the terms of the Environment Interface Standard.
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
        }
    }
}

/// What to do in this state instead.
fn way_out(state: State, what: &str) -> &'static str {
    match (state, what) {
        (State::Initializing, _) => "; init it first",
        (State::Paused, ACTING | STEPPING) => "; start it first",
        (State::Killed, _) => ", which is final; make a new one",
        _ => "",
    }
}
