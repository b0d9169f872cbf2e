//! Errors of vectors.

use situated::encoding::ElementType;
use situated::environment::Failure;
use situated::ontology::typed::Mismatch;

/// Why a vector does not do what it is asked to do. It is then as it was.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// A parameter of the environment is wrong.
    #[error("{0}")]
    Parameters(#[from] Mismatch),
    /// There are too many of something, or none.
    #[error("{what} must be 1 to {most}, not {given}")]
    OutOfBounds {
        /// `envs`, `threads`.
        what: &'static str,
        /// How many were asked for.
        given: usize,
        /// How many there can be.
        most: usize,
    },
    /// An episode is to end before its first step.
    #[error("max_steps must be 1 at the least, not 0; leave it out if episodes are not to be truncated")]
    NoSteps,
    /// There are no threads to be had.
    #[error("there are no {threads} threads to be had: {reason}")]
    NoThreads {
        /// How many were asked for.
        threads: usize,
        /// The error of the system.
        reason: String,
    },
    /// No entity has an encoding.
    #[error("no entity of `{environment}` has an encoding, so that there is nothing to learn for anybody")]
    NoAgents {
        /// The environment's name.
        environment: String,
    },
    /// Entities of different types have encodings.
    #[error(
        "entities of `{environment}` with encodings must be of one type, but `{first}` is a {first_type} and `{other}` \
         a {other_type}"
    )]
    SeveralTypes {
        /// The environment's name.
        environment: String,
        /// The name of the first one.
        first: String,
        /// Its type.
        first_type: String,
        /// The name of one of another type.
        other: String,
        /// Its type.
        other_type: String,
    },
    /// The encoding of a type has no actions, no elements, or elements other than those that are written.
    #[error("the encoding of {entity_type} cannot be used: {reason}")]
    BadEncoding {
        /// The type of entities.
        entity_type: String,
        /// The problem.
        reason: &'static str,
    },
    /// An episode cannot begin.
    #[error("an episode with seed {seed} cannot begin: {reason}")]
    Begin {
        /// Its seed.
        seed: u64,
        /// What its environment says.
        reason: Failure,
    },
    /// An episode has other agents than the first one.
    #[error("the episode with seed {seed} has other agents than the first one; all must have the same")]
    OtherAgents {
        /// Its seed.
        seed: u64,
    },
    /// A buffer has the wrong length.
    #[error("{buffer} must have {expected} elements, not {given}")]
    Length {
        /// The buffer's name.
        buffer: &'static str,
        /// Its length.
        given: usize,
        /// The expected value.
        expected: usize,
    },
    /// A buffer has elements of the wrong type.
    #[error("{buffer} must have elements {expected:?}, not {given:?}")]
    Elements {
        /// The buffer's name.
        buffer: &'static str,
        /// What its elements are.
        given: ElementType,
        /// The expected type.
        expected: ElementType,
    },
    /// There is no room for final observations.
    #[error("where episodes are reset in the same step there must be a buffer for final observations")]
    NoFinals,
    /// There is no such action.
    #[error("there is no action {action} for agent {agent} of env {env}: actions are 0 to {}", actions - 1)]
    NoAction {
        /// The number of the env.
        env: usize,
        /// The number of the agent.
        agent: usize,
        /// The action.
        action: i64,
        /// How many actions there are.
        actions: usize,
    },
    /// An episode is over.
    #[error("the episode of env {env} is over; reset it before the next step")]
    Over {
        /// The number of the env.
        env: usize,
    },
    /// There is no such env.
    #[error("there is no env {env}: envs are 0 to {}", envs - 1)]
    NoEnv {
        /// The env.
        env: usize,
        /// How many there are.
        envs: usize,
    },
    /// There is no such agent.
    #[error("there is no agent {agent}: agents are 0 to {}", agents - 1)]
    NoAgent {
        /// The agent.
        agent: usize,
        /// How many there are.
        agents: usize,
    },
    /// The bytes were not saved by such a vector.
    #[error("this is not a saved state of {of}: {reason}")]
    NotSaved {
        /// The environment and its parameters.
        of: String,
        /// What is wrong with them.
        reason: String,
    },
}
