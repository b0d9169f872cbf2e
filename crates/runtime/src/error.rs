//! What an owner refuses, beside what its environment's interface does.

use std::time::Duration;

use serde::Serialize;
use situated::iil::EcoString;
use situated::interface;
use situated::ontology::Unsound;

/// Why something was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Error {
    /// The interface refuses it.
    #[error(transparent)]
    Interface(#[from] interface::Error),
    /// The environment is broken.
    #[error("environment `{environment}` has crashed: {reason}; it is killed, make a new one and tell its author")]
    Crashed {
        /// Its name.
        environment: String,
        /// What it said.
        reason: String,
    },
    /// Whoever looked at the environment, or the environment itself, panicked over it. It goes on.
    #[error("looking at the environment panicked: {reason}")]
    Panicked {
        /// What was said.
        reason: String,
    },
    /// There is a choice for this step already.
    #[error("agent `{by}` has already chosen for entity `{entity}` in step {step}; choose again when it is over")]
    AlreadyChosen {
        /// The entity.
        entity: EcoString,
        /// Who has chosen.
        by: EcoString,
        /// The number of the step that is to be made.
        step: u64,
    },
    /// An action that was still to be done is not done.
    #[error("the action of agent `{agent}` was not done: a new episode has begun; act again")]
    Superseded {
        /// Whose action it is.
        agent: EcoString,
    },
    /// There is no room for more.
    #[error("{what}: {limit} at the most; try again later")]
    Busy {
        /// Of what there is too much.
        what: &'static str,
        /// How many there can be.
        limit: usize,
    },
    /// The number of an action is not greater than those before, and its answer is not remembered.
    #[error("number {number} of agent `{agent}` is spent: the last was {last}; take a greater one")]
    NumberUsed {
        /// The agent.
        agent: EcoString,
        /// The number.
        number: u64,
        /// The greatest that was used.
        last: u64,
    },
    /// The host of the environment does not answer.
    #[error(
        "the host of `{environment}` has not answered within {limit:?} when it was to {what}; if it does so later, that \
         counts all the same: look at what has changed, and try again"
    )]
    HostTimeout {
        /// The environment's name.
        environment: String,
        /// What it was called for.
        what: &'static str,
        /// How long it had.
        limit: Duration,
    },
    /// What only the host of an environment says.
    #[error("only the host of environment `{environment}` says what happens in it")]
    HostOnly {
        /// The environment's name.
        environment: String,
    },
    /// What is to be hosted declares something that no environment can have.
    #[error("this cannot be hosted: {0}")]
    Unsound(#[from] Unsound),
    /// Steps are not made on request.
    #[error("steps are made at the pace of the environment; pause it, and ask it to advance by some steps")]
    Paced,
    /// Whoever owned the environment has ended.
    #[error("nobody runs this environment any more")]
    Ended,
}
