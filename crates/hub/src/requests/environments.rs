//! Requests about environments: creating, controlling and hosting them.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use situated::host::{HostAnswer, HostUpdate};
use situated::iil::{EcoString, Parameter};
use situated::interface::{Command, Moment};
use situated::ontology::{Ontology, Pace};
use situated_runtime::{HostTerms, Speed};

/// Lists the environments, and the kinds of environments that can be created.
#[derive(Clone, Debug, PartialEq)]
pub struct ListEnvironments;

/// Describes the ontology of a kind of environments.
#[derive(Clone, Debug, PartialEq)]
pub struct DescribeKind {
    /// The name of the kind.
    pub kind: EcoString,
}

/// Examines a document for a kind of environments, without creating one. It has the right of [`CreateEnvironment`],
/// because it costs about as much.
#[derive(Clone, Debug, PartialEq)]
pub struct Examine {
    /// The name of the kind.
    pub kind: EcoString,
    /// The name of the parameter whose value is the document.
    pub document: String,
    /// The parameters, the document among them.
    pub parameters: BTreeMap<String, Parameter>,
    /// The seed for the choices that the document leaves to chance.
    pub seed: Option<u64>,
}

/// The start of an environment. Everything that is left out has its default.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Beginning {
    /// The name of the environment on this server. The default is the name of its kind, with a number if that is
    /// taken.
    pub name: Option<EcoString>,
    /// The parameters of the first episode.
    pub parameters: BTreeMap<String, Parameter>,
    /// The seed of the first episode.
    pub seed: Option<u64>,
    /// The way in which time advances. The default is declared by the environment.
    pub pace: Option<Pace>,
    /// The maximum speed. The default is that of the pace.
    pub speed: Option<Speed>,
    /// In lockstep, the time that a step waits for agents that have not chosen an action. By default it waits without
    /// limit.
    pub patience: Option<Duration>,
    /// Whether time starts at once.
    pub start: bool,
}

/// Creates an environment of a kind.
#[derive(Clone, Debug, PartialEq)]
pub struct CreateEnvironment {
    /// The name of the kind.
    pub kind: EcoString,
    /// The start of the environment.
    pub beginning: Beginning,
    /// Rules that give built-in agents to entities; the first one that matches an entity and has room applies.
    pub agents: Vec<AgentRule>,
    /// Whether the environment is stored, if the hub has data. One that lasts no longer than the session that created it
    /// is not.
    pub kept: bool,
}

/// A rule that gives a built-in agent to entities.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentRule {
    /// The name of the entity; by default every name matches.
    pub entity: Option<EcoString>,
    /// The type of the entities; by default every type matches.
    pub entity_type: Option<EcoString>,
    /// The maximum number of entities that have the agent at the same time; by default there is none.
    pub count: Option<usize>,
    /// The name of an agent that ships with the kind; `None` reserves the entities for agents from outside.
    pub agent: Option<EcoString>,
}

/// Ends an environment and removes it.
#[derive(Clone, Debug, PartialEq)]
pub struct RemoveEnvironment {
    /// The environment.
    pub environment: EcoString,
}

/// Offers an environment that runs in the host's process. From now on the hub sends requests for it to the session.
#[derive(Clone, Debug, PartialEq)]
pub struct HostEnvironment {
    /// The declaration of the environment.
    pub ontology: Box<Ontology>,
    /// The start of the environment.
    pub beginning: Beginning,
    /// The terms of the host.
    pub terms: HostTerms,
}

/// Describes the ontology and the status of an environment.
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

/// Asks for the outcome of the episode so far.
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

/// Waits until the moment of an environment is later than a given moment. The request fails when the environment is
/// killed.
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
    /// Whether the steps are made as fast as possible, regardless of the speed.
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

/// Updates an environment that the session hosts, without a request of the hub.
#[derive(Clone, Debug, PartialEq)]
pub struct UpdateHosted {
    /// The environment.
    pub environment: EcoString,
    /// The changes.
    pub update: Box<HostUpdate>,
}

/// Answers a request about an environment that the session hosts.
#[derive(Clone, Debug, PartialEq)]
pub struct AnswerHostRequest {
    /// The environment.
    pub environment: EcoString,
    /// The number of the request.
    pub number: u64,
    /// The answer.
    pub answer: HostAnswer,
    /// The changes.
    pub update: Box<HostUpdate>,
}
