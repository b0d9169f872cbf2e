//! Errors of vectors.

use situated::encoding::ElementType;
use situated::environment::Failure;
use situated::ontology::typed::Mismatch;

/// An error of a vector. The vector is then unchanged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// A parameter of the environment is wrong.
    #[error("{0}")]
    Parameters(#[from] Mismatch),
    /// A number in the settings is 0 or too large.
    #[error("{what} must be 1 to {most}, not {given}")]
    OutOfBounds {
        /// The name of the setting: `envs` or `threads`.
        what: &'static str,
        /// The given number.
        given: usize,
        /// The largest possible number.
        most: usize,
    },
    /// `max_steps` is 0, so an episode would end before its first step.
    #[error("max_steps must be 1 at the least, not 0; leave it out if episodes are not to be truncated")]
    NoSteps,
    /// The operating system could not start the threads.
    #[error("there are no {threads} threads to be had: {reason}")]
    NoThreads {
        /// The requested number of threads.
        threads: usize,
        /// The error of the system.
        reason: String,
    },
    /// No entity has an encoding.
    #[error("no entity of `{environment}` has an encoding, so no agent can learn in it")]
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
        /// The name of the first entity.
        first: String,
        /// Its type.
        first_type: String,
        /// The name of an entity of another type.
        other: String,
        /// Its type.
        other_type: String,
    },
    /// The encoding of an entity type has no actions, no elements, or elements of the wrong type.
    #[error("the encoding of {entity_type} cannot be used: {reason}")]
    BadEncoding {
        /// The entity type.
        entity_type: String,
        /// The problem.
        reason: &'static str,
    },
    /// An episode cannot begin.
    #[error("an episode with seed {seed} cannot begin: {reason}")]
    Begin {
        /// Its seed.
        seed: u64,
        /// The reason that the environment gives.
        reason: Failure,
    },
    /// An episode has other agents than the first episode.
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
        /// The type of the given elements.
        given: ElementType,
        /// The expected type.
        expected: ElementType,
    },
    /// Final observations are needed, but there is no buffer for them.
    #[error("where episodes are reset in the same step there must be a buffer for final observations")]
    NoFinals,
    /// The index of an action is out of range.
    #[error("there is no action {action} for agent {agent} of env {env}: actions are 0 to {}", actions - 1)]
    NoAction {
        /// The number of the env.
        env: usize,
        /// The number of the agent.
        agent: usize,
        /// The action.
        action: i64,
        /// The number of actions.
        actions: usize,
    },
    /// The episode of an env is over.
    #[error("the episode of env {env} is over; reset it before the next step")]
    Over {
        /// The number of the env.
        env: usize,
    },
    /// The index of an env is out of range.
    #[error("there is no env {env}: envs are 0 to {}", envs - 1)]
    NoEnv {
        /// The env.
        env: usize,
        /// The number of envs.
        envs: usize,
    },
    /// The index of an agent is out of range.
    #[error("there is no agent {agent}: agents are 0 to {}", agents - 1)]
    NoAgent {
        /// The agent.
        agent: usize,
        /// The number of agents.
        agents: usize,
    },
    /// The bytes were not saved by a vector of this environment with these parameters.
    #[error("this is not a saved state of {of}: {reason}")]
    NotSaved {
        /// The environment and its parameters.
        of: String,
        /// The reason why they cannot be loaded.
        reason: String,
    },
}
