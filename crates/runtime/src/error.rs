//! Errors of an owner, in addition to those of its environment's interface.

use std::any::Any;
use std::time::Duration;

use serde::Serialize;
use situated::iil::EcoString;
use situated::interface;
use situated::ontology::Unsound;

/// The reason why a request failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Error {
    /// The interface refused it.
    #[error(transparent)]
    Interface(#[from] interface::Error),
    /// The environment crashed.
    #[error("environment `{environment}` crashed: {reason}; it has ended, so create a new one and tell its author")]
    Crashed {
        /// Its name.
        environment: String,
        /// The message of the panic.
        reason: String,
    },
    /// A function that read the environment, or the environment itself, panicked. The environment continues.
    #[error("reading the environment panicked: {reason}")]
    Panicked {
        /// The message of the panic.
        reason: String,
    },
    /// The entity already has an action for this step.
    #[error("agent `{by}` has already acted through entity `{entity}` in step {step}; act again in the next step")]
    AlreadyChosen {
        /// The entity.
        entity: EcoString,
        /// The agent that chose it.
        by: EcoString,
        /// The number of the next step.
        step: u64,
    },
    /// An action was dropped before it was done.
    #[error("the action of agent `{agent}` was not done because a new episode began; act again")]
    Superseded {
        /// The agent.
        agent: EcoString,
    },
    /// A queue is full.
    #[error("{what}: at most {limit}; try again later")]
    Busy {
        /// The things that are limited.
        what: &'static str,
        /// The limit.
        limit: usize,
    },
    /// The number of an action is not greater than the earlier ones, and its response is not remembered.
    #[error("number {number} of agent `{agent}` was already used: the last one was {last}; use a greater one")]
    NumberUsed {
        /// The agent.
        agent: EcoString,
        /// The number.
        number: u64,
        /// The greatest number used.
        last: u64,
    },
    /// The host of the environment did not respond in time.
    #[error(
        "the host of `{environment}` did not respond within {limit:?} to the request to {what}; a late response still \
         counts, so check what has changed before you try again"
    )]
    HostTimeout {
        /// The environment's name.
        environment: String,
        /// The task.
        what: &'static str,
        /// The time that it had.
        limit: Duration,
    },
    /// Only the host of an environment can send this.
    #[error("only the host of environment `{environment}` can report its changes")]
    HostOnly {
        /// The environment's name.
        environment: String,
    },
    /// The ontology of a hosted environment is unsound.
    #[error("this cannot be hosted: {0}")]
    Unsound(#[from] Unsound),
    /// Steps cannot be requested.
    #[error("the pace of the environment decides when steps are made; pause it and use `advance`")]
    Paced,
    /// The change cannot be written to the journal, so it could get lost.
    #[error("environment `{environment}` cannot store this change: {reason}; nothing was done, try again later")]
    NotKept {
        /// The environment's name.
        environment: String,
        /// The reason.
        reason: String,
    },
    /// The environment cannot be restored from its journal.
    #[error("environment `{environment}` cannot continue from its stored data: {reason}")]
    NotResumed {
        /// The environment's name.
        environment: String,
        /// The reason.
        reason: String,
    },
    /// The owner has ended.
    #[error("this environment has ended")]
    Ended,
}

/// Returns the message of a panic.
pub fn what_panicked(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("it panicked without a message").to_owned()
}
