//! Methods for environments: listing, describing and managing them.

use std::collections::BTreeMap;

use situated::data;
use situated::document::Examination;
use situated::environment::Outcome;
use situated::iil::Parameter;
use situated::interface::{Command, Moment, State};
use situated::ontology::{Ontology, Pace};

use crate::Name;

/// Parameters of `listEnvironments`: none.
#[data(Copy, Default, Eq, deny_unknown_fields)]
pub struct ListEnvironments {}

/// Answer to `listEnvironments`.
#[data]
pub struct Environments {
    /// The environments, by name.
    pub environments: Vec<EnvironmentStatus>,
    /// The kinds of environments that can be created.
    pub kinds: Vec<Kind>,
    /// The server's wall-clock time in milliseconds since the beginning of 1970, UTC.
    pub time: u64,
}

/// A kind of environment.
#[data]
pub struct Kind {
    /// Its name.
    pub kind: Name,
    /// A summary in one sentence.
    pub summary: String,
}

/// The status of an environment.
#[data]
pub struct EnvironmentStatus {
    /// Its name on this server.
    pub environment: Name,
    /// The kind: the name in its ontology.
    pub kind: Name,
    /// Whether a host in another process provides it.
    pub hosted: bool,
    /// Its state.
    pub state: State,
    /// The current moment of the environment.
    pub moment: Moment,
    /// The way in which time advances.
    pub pace: Pace,
    /// The maximum number of steps per second; none means unlimited.
    pub speed: Option<f64>,
    /// The number of steps of this episode that were skipped for lack of time.
    pub skipped_steps: u64,
    /// The number of registered agents.
    pub agents: usize,
    /// The number of entities.
    pub entities: usize,
    /// The reason of the crash, if it crashed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub crash: Option<String>,
    /// In lockstep, the entities for which a step has waited for more than a second.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub awaited: Vec<Name>,
    /// The state of its recording, if it is recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recording: Option<RecordingStatus>,
    /// Whether it can be kept, if the server keeps its environments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<DataStatus>,
}

/// Whether changes are stored, so that a restarted server continues from there.
#[data(Eq)]
pub struct DataStatus {
    /// The reason why changes cannot be stored, such as a full disk, so that the server rejects them; absent while
    /// everything is stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// The state of a recording.
#[data(Eq)]
pub struct RecordingStatus {
    /// The reason why recording stopped, such as a full disk; absent while everything is recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// Parameters of `status`.
#[data(Eq, deny_unknown_fields)]
pub struct Status {
    /// The environment.
    pub environment: Name,
}

/// The response with the status of an environment.
#[data]
pub struct StatusAnswer {
    /// The status at its moment.
    pub status: EnvironmentStatus,
}

/// Parameters of `outcome`.
#[data(Eq, deny_unknown_fields)]
pub struct GetOutcome {
    /// The environment.
    pub environment: Name,
}

/// Answer to `outcome`.
#[data]
pub struct OutcomeAnswer {
    /// The moment that the response describes.
    pub moment: Moment,
    /// The outcome of the episode, with the results so far; none if there is no episode.
    pub outcome: Option<Outcome>,
}

/// Parameters of `describe`.
#[data(Eq, deny_unknown_fields)]
pub struct Describe {
    /// The environment.
    pub environment: Name,
}

/// Answer to `describe`.
#[data]
pub struct Description {
    /// The status.
    pub status: EnvironmentStatus,
    /// The ontology.
    pub ontology: Ontology,
    /// The parameters of the episode with their values; none if there is no episode, or without the right to observe,
    /// because hidden facts may follow from them.
    pub parameters: Option<BTreeMap<String, Parameter>>,
}

/// Parameters of `describeKind`.
#[data(Eq, deny_unknown_fields)]
pub struct DescribeKind {
    /// The kind.
    pub kind: Name,
}

/// Answer to `describeKind`.
#[data]
pub struct KindDescription {
    /// The ontology of environments of this kind.
    pub ontology: Ontology,
    /// The agents that ship with the environment; the first is the default.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<BuiltInAgent>,
    /// The server's wall-clock time in milliseconds since the beginning of 1970, UTC.
    pub time: u64,
}

/// An agent that ships with an environment.
#[data(Eq)]
pub struct BuiltInAgent {
    /// Its name.
    pub name: Name,
    /// A description in one sentence.
    pub documentation: String,
}

/// Parameters of `examine`.
#[data(deny_unknown_fields)]
pub struct Examine {
    /// The kind of environments that the document is for.
    pub kind: Name,
    /// The parameter whose value is the document, such as `map`.
    pub document: Name,
    /// The document, under its name, and the other parameters that matter for it. Missing ones have their defaults.
    pub parameters: BTreeMap<String, Parameter>,
    /// A seed for what the document leaves to chance: the forms in the answer then have these choices. By default they
    /// leave them to chance as well.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
}

/// Answer to `examine`.
#[data]
pub struct Examined {
    /// The result; none if environments of this kind do not examine such documents.
    pub examination: Option<Examination>,
    /// The server's wall-clock time in milliseconds since the beginning of 1970, UTC.
    pub time: u64,
}

/// Parameters of `createEnvironment`.
#[data(deny_unknown_fields)]
pub struct CreateEnvironment {
    /// The kind.
    pub kind: Name,
    /// The name on this server; by default that of the kind, with a number if it is taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub environment: Option<Name>,
    /// The parameters of the first episode; missing ones have their defaults.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub parameters: BTreeMap<String, Parameter>,
    /// The seed of the first episode; by default 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// The way in which time advances; by default as the ontology declares.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pace: Option<Pace>,
    /// The maximum number of steps per second; by default the environment's own rate in real time, otherwise
    /// unlimited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speed: Option<f64>,
    /// In lockstep, the milliseconds that a step waits for agents that have not acted; by default 10 s for agents of
    /// clients without a heartbeat (see `hello`), and without limit for others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub patience_ms: Option<u64>,
    /// Whether time runs at once; otherwise the environment is paused.
    #[serde(default)]
    pub start: bool,
    /// Rules that give built-in agents to entities; the first one that matches an entity and has room applies. By
    /// default entities have no agent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<AgentRule>,
    /// Whether the environment lasts no longer than the session that creates it, so that it is not stored. Clients cannot
    /// say so.
    #[serde(skip)]
    pub temporary: bool,
}

impl CreateEnvironment {
    /// Creates a paused environment of a kind, with the defaults for everything else.
    pub fn new(kind: impl Into<Name>) -> Self {
        Self {
            kind: kind.into(),
            environment: None,
            parameters: BTreeMap::new(),
            seed: None,
            pace: None,
            speed: None,
            patience_ms: None,
            start: false,
            agents: Vec::new(),
            temporary: false,
        }
    }
}

/// A rule of `createEnvironment` that gives a built-in agent to entities.
#[data(Eq, deny_unknown_fields)]
pub struct AgentRule {
    /// The entity; by default every name matches.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entity: Option<Name>,
    /// The type of the entities; by default every type matches.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entity_type: Option<Name>,
    /// The maximum number of entities that have the agent at the same time; by default there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<u32>,
    /// The name of a built-in agent, as `describeKind` lists them; none reserves the entities for agents of clients.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<Name>,
}

/// Parameters of `removeEnvironment`.
#[data(Eq, deny_unknown_fields)]
pub struct RemoveEnvironment {
    /// The environment.
    pub environment: Name,
}

/// Parameters of `manage`.
#[data(deny_unknown_fields)]
pub struct Manage {
    /// The environment.
    pub environment: Name,
    /// The command.
    pub command: Command,
}

/// Parameters of `advance`.
#[data(Eq, deny_unknown_fields)]
pub struct Advance {
    /// The environment.
    pub environment: Name,
    /// The number of steps.
    pub steps: u64,
    /// Whether to make the steps as fast as possible; by default at the speed of the environment.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub at_once: bool,
}

/// Parameters of `setSpeed`.
#[data(deny_unknown_fields)]
pub struct SetSpeed {
    /// The environment.
    pub environment: Name,
    /// The maximum number of steps per second, at least 0.001; none means unlimited.
    pub speed: Option<f64>,
}
