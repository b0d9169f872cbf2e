//! Requests about environments: creating, controlling and hosting them.

use std::collections::BTreeMap;
use std::time::Duration;

use situated::host::{HostAnswer, HostUpdate};
use situated::iil::{EcoString, Parameter};
use situated::interface::{Command, Moment};
use situated::ontology::{Ontology, Pace};
use situated_runtime::{HostDeadlines, Speed};

/// Lists the environments, and the kinds of which more can be created.
#[derive(Clone, Debug, PartialEq)]
pub struct ListEnvironments;

/// Describes what the environments of a kind declare.
#[derive(Clone, Debug, PartialEq)]
pub struct DescribeKind {
    /// The name of the kind.
    pub kind: EcoString,
}

/// How an environment begins. Everything that is left out has its default.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Beginning {
    /// The name of the environment on this server; by default that of its kind, with a number if that is taken.
    pub name: Option<EcoString>,
    /// The parameters of the first episode.
    pub parameters: BTreeMap<String, Parameter>,
    /// The seed of the first episode.
    pub seed: Option<u64>,
    /// What advances time; by default as the environment declares.
    pub pace: Option<Pace>,
    /// The maximum speed; by default that of the pace.
    pub speed: Option<Speed>,
    /// In lockstep, how long a step waits for agents that have not chosen; by default until they have.
    pub patience: Option<Duration>,
    /// Whether time runs at once.
    pub start: bool,
}

/// Creates an environment of a kind.
#[derive(Clone, Debug, PartialEq)]
pub struct CreateEnvironment {
    /// The name of the kind.
    pub kind: EcoString,
    /// How it begins.
    pub beginning: Beginning,
}

/// Ends an environment and removes it.
#[derive(Clone, Debug, PartialEq)]
pub struct RemoveEnvironment {
    /// The environment.
    pub environment: EcoString,
}

/// Offers an environment that runs in the host's process. From now on the hub sends the session calls for it.
#[derive(Clone, Debug, PartialEq)]
pub struct HostEnvironment {
    /// The declaration of the environment.
    pub ontology: Box<Ontology>,
    /// How it begins.
    pub beginning: Beginning,
    /// How long the host may take to answer.
    pub deadlines: HostDeadlines,
}

/// Describes what an environment declares, and its status.
#[derive(Clone, Debug, PartialEq)]
pub struct DescribeEnvironment {
    /// The environment.
    pub environment: EcoString,
}

/// Asks for the status of an environment.
#[derive(Clone, Debug, PartialEq)]
pub struct GetStatus {
    /// The environment.
    pub environment: EcoString,
}

/// Asks what the episode has achieved so far.
#[derive(Clone, Debug, PartialEq)]
pub struct GetOutcome {
    /// The environment.
    pub environment: EcoString,
}

/// Lists the entities and the agents of an environment.
#[derive(Clone, Debug, PartialEq)]
pub struct ListEntities {
    /// The environment.
    pub environment: EcoString,
}

/// Waits until an environment is beyond a moment. The request fails when the environment is killed.
#[derive(Clone, Debug, PartialEq)]
pub struct Wait {
    /// The environment.
    pub environment: EcoString,
    /// The moment.
    pub after: Moment,
}

/// Initializes, starts, pauses, resets or kills an environment.
#[derive(Clone, Debug, PartialEq)]
pub struct Manage {
    /// The environment.
    pub environment: EcoString,
    /// The command.
    pub command: Command,
}

/// Runs a paused environment for some steps, at its speed. The answer comes when it is paused again.
#[derive(Clone, Debug, PartialEq)]
pub struct Advance {
    /// The environment.
    pub environment: EcoString,
    /// The number of steps.
    pub steps: u64,
    /// Whether the steps are made as fast as possible, whatever the speed.
    pub at_once: bool,
}

/// Sets the maximum speed of an environment.
#[derive(Clone, Debug, PartialEq)]
pub struct SetSpeed {
    /// The environment.
    pub environment: EcoString,
    /// The maximum speed.
    pub speed: Speed,
}

/// Updates an environment that the session hosts, without having been called.
#[derive(Clone, Debug, PartialEq)]
pub struct UpdateHosted {
    /// The environment.
    pub environment: EcoString,
    /// The changes.
    pub update: Box<HostUpdate>,
}

/// Answers a call for an environment that the session hosts.
#[derive(Clone, Debug, PartialEq)]
pub struct AnswerHostRequest {
    /// The environment.
    pub environment: EcoString,
    /// The number of the call.
    pub number: u64,
    /// The answer.
    pub answer: HostAnswer,
    /// The changes.
    pub update: Box<HostUpdate>,
}
